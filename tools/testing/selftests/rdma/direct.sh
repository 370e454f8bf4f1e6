#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What a device sends to itself: from memory to memory, or by packets (direct.c).
#
#	first namespace     namespace xr1                     namespace xr2
#	  the program         device xr1, two QPs of it         (no device)
#	                        talk to each other
#	                      eth0 ----------- veth ------------ eth0
#
# Promises: lists of any cut arrive as they are, by RoCEv1 and RoCEv2, and no byte beside
# them changes; what does not fit, or comes in packets of another size, is refused as it
# would be on a wire; regions go while requests use them. The same without "shortcut".

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper direct
[ "$LINK_TYPE" = xroce ] || skip_all "it sets xroce's parameters"

export SEED=${SEED:-$RANDOM}
shortcut=/sys/module/xroce/parameters/shortcut
plan 12

check()
{
	local index
	index=$(gid_index 1 "$2") || fail "no GID $2 on xr1"
	note "seed $SEED"
	bounded "$(helper direct)" "$1" xr1 "$index"
}

by_packets()
{
	echo N > $shortcut
	check "$@"
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
wait_for_gids 1 || bail_out "the device has no GIDs"
at_exit "echo Y > $shortcut"

for way in check by_packets; do
	how=${way/check/directly}
	run "lists, IPv4, ${how/_/ }" $way lists 10.0.0.1
	run "lists, IPv6, ${how/_/ }" $way lists fd00::1
	run "longer than the receive request, ${how/_/ }" $way short-receive 10.0.0.1
	run "path MTUs that differ, ${how/_/ }" $way path-mtus 10.0.0.1
	run "regions that go, ${how/_/ }" $way deregister 10.0.0.1
	gid_type='IB/RoCE v1'
	run "lists, RoCEv1, ${how/_/ }" $way lists 10.0.0.1
	gid_type='RoCE v2'
	echo Y > $shortcut
done
finish
