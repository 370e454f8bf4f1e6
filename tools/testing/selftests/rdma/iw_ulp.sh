#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Users in the kernel over iWARP; see ulp.sh. Fast registration, remote and local
# invalidation are what they work with.

LINK_TYPE=xiwarp exec "$(dirname "$0")/ulp.sh"
