#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# SCSI over iWARP; see storage.sh.

LINK_TYPE=xiwarp exec "$(dirname "$0")/storage.sh"
