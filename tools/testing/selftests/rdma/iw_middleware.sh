#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Libraries and programs on top of verbs, over iWARP; see middleware.sh.

LINK_TYPE=xiwarp exec "$(dirname "$0")/middleware.sh"
