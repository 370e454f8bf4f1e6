#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory windows (windows.c).
#
#	first namespace     namespace xr1                     namespace xr2
#	  the program         device xr1, two QPs of it         (no device)
#	                        talk to each other
#	                      eth0 ----------- veth ------------ eth0
#
# Promises: a window gives a part of a region to peers, to the byte, with
# its own rights and under its own key; binding asks for the rights that it needs;
# type 2 belongs to the QP it was bound through, and goes with it.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper windows

plan 13

check()
{
	local index
	index=$(gid_index 1 10.0.0.1) || fail "no GID on xr1"
	bounded "$(helper windows)" "$1" xr1 "$index"
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
wait_for_gids 1 || bail_out "the device has no GIDs"

run "limits: type 1" check limits-1
run "limits: type 2" check limits-2
run "rights of a window" check rights
run "binds that are refused" check bad-binds
run "type 1: bound again and unbound" check rebinding
run "type 2: bound once, invalidated by its QP" check type-2
run "type 2: based on zero" check zero-based
run "invalidation of what can't be" check invalid-types
run "SEND with invalidate" check remote-invalidation
run "a region with windows stays" check bound-region
run "a window goes with its QP" check of-a-qp
run "a program ends with windows bound" check left-behind
run "a window's key is not for SGEs" check not-for-sges
finish
