#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The largest message of iWARP, 4 GiB - 1, from and to memory that nobody has pinned
# (iw_verbs.c).
#
#	namespace xr1
#	  device xr1, two QPs of it talk to each other
#	  eth0  10.0.0.1/24
#
# Promises: it arrives.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper iw_verbs

largest()
{
	in_side 1 timeout -k 5 600 "$(helper iw_verbs)" largest xr1 10.0.0.1
}

CASE_SECONDS=600
plan 1
make_pair 9000
run "a READ of 4 GiB - 1" largest
finish
