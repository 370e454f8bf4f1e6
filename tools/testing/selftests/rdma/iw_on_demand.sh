#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory that nobody has pinned over iWARP; see on_demand.sh.

LINK_TYPE=xiwarp exec "$(dirname "$0")/on_demand.sh"
