#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# No memory.
#
#	namespace xr1                          namespace xr2
#	  device xr1, two QPs of it              (no device)
#	    talk to each other
#	  eth0  10.0.0.1/24 ------ veth -------- eth0
#
# Promises: whichever allocation of a call fails, and whichever copy from or to the
# caller's memory, in the driver or below and above it, the call returns an error of
# that kind or works all the same; called again it works; nothing is left of it; the
# kernel's log stays silent. Traffic goes on when there is no memory for a packet.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_faults
[ "$LINK_TYPE" = xroce ] || skip_all "the kernel's own driver does not survive it"

plan 21

# by_gid CASE
by_gid()
{
	faults "$1" "$(gid_index 1 10.0.0.1)"
}

make_wire 1500 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
faults_everywhere || bail_out "cannot load kfaults"
wait_for_gids 1 || bail_out "the device has no GIDs"

run "opening a device" faults context
run "PD" faults pd
run "CQ" faults cq
run "CQ, resized" faults resize_cq
run "SRQ" faults srq
run "SRQ, resized" faults resize_srq
run "RC QP" faults rc
run "RC QP with an SRQ" faults rc_of_srq
run "UC QP" faults uc
run "UD QP" faults ud
run "a QP hears of its peer" by_gid to_rtr
run "address handle" by_gid ah
run "multicast, IPv4" faults join_ipv4
run "multicast, IPv6" faults join_ipv6
run "region" faults mr
run "region, on demand" faults on_demand
run "window" faults mw
run "WRITE" by_gid write
run "READ" by_gid read
in_side 1 ip link add dummy0 type dummy
in_side 1 ip link set dummy0 up
# They do a thousand things for a new device.
beside=
run "rdma link add" faults link dummy0
run "nothing is left" nothing_holds_the_module
finish
