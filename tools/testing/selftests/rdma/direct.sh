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
# would be on a wire; a WRITE with immediate data waits for its receive request; regions
# go while requests use them; on-demand memory is waited for. A counter tells that it was
# done so. The same without "shortcut", by packets.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper direct
[ "$LINK_TYPE" = xroce ] || skip_all "it sets xroce's parameters"

export SEED=${SEED:-$RANDOM}
shortcut=/sys/module/xroce/parameters/shortcut
plan 16

# Sets passed: packets that went from memory to memory
check()
{
	local index before
	index=$(gid_index 1 "$2") || fail "no GID $2 on xr1"
	note "seed $SEED"
	before=$(counter 1 tx_direct_packets)
	bounded "$(helper direct)" "$1" xr1 "$index" || return
	passed=$(($(counter 1 tx_direct_packets) - before))
}

directly()
{
	check "$@" || return
	[ $passed -gt 0 ] || fail "by packets"
}

by_packets()
{
	echo N > $shortcut
	check "$@" || return
	[ $passed = 0 ] || fail "directly"
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
wait_for_gids 1 || bail_out "the device has no GIDs"
at_exit "echo Y > $shortcut"

for way in directly by_packets; do
	how=${way/_/ }
	run "lists, IPv4, $how" $way lists 10.0.0.1
	run "lists, IPv6, $how" $way lists fd00::1
	run "longer than the receive request, $how" $way short-receive 10.0.0.1
	run "path MTUs that differ, $how" $way path-mtus 10.0.0.1
	run "no receive request, $how" $way no-receive 10.0.0.1
	run "regions that go, $how" $way deregister 10.0.0.1
	run "on-demand memory, $how" $way on-demand 10.0.0.1
	gid_type='IB/RoCE v1'
	run "lists, RoCEv1, $how" $way lists 10.0.0.1
	gid_type='RoCE v2'
	echo Y > $shortcut
done
finish
