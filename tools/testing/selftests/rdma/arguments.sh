#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Calls with bad arguments (arguments.c). What multicast groups, regions and windows
# refuse is in multicast.sh, memory.sh and windows.sh.
#
#	first namespace     namespace xr1                     namespace xr2
#	  the program         device xr1, two QPs of it         (no device)
#	                        talk to each other
#	                      eth0 ----------- veth ------------ eth0
#
# Promises: each returns the error number of its man page, and changes nothing.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper arguments
plan 7

check()
{
	bounded "$(helper arguments)" "$1" xr1 "$(gid_index 1 10.0.0.1)"
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
wait_for_gids 1 || bail_out "the device has no GIDs"
run "queries" check queries
run "CQs" check cqs
run "SRQs" check srqs
run "QPs" check qps
run "states of a QP" check modifications
run "address handles" check addresses
run "work requests" check requests
finish
