#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# RoCEv1: the transport directly on Ethernet, ethertype 0x8915.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers, victims                       clients, forger
#
# Promises: with a GID of type v1, also the first of the table, every transport
# works, and so does rdma_cm where it is told to; what leaves is RoCEv1 and nothing
# else. A frame is taken if it is for our MAC and one of our GIDs, its GRH is right,
# whatever else Ethernet or the GRH say; all others change nothing and are counted.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" = xroce ] || skip_all "the kernel's own driver has no RoCEv1"
need ibv_rc_pingpong ibverbs-utils
need rping rdmacm-utils
need ib_write_bw perftest
need python3 python3
need_helper transfer
need_helper victim

gid_type='IB/RoCE v1'
plan 28

# only_v1 COMMAND...: what it sends is RoCEv1.
only_v1()
{
	local side
	for side in 1 2; do
		count_wire $side
	done
	"$@"
	for side in 1 2; do
		[ "$(on_wire $side ipv4)$(on_wire $side ipv6)" = 00 ] || fail "xr$side sent RoCEv2"
		[ "$(on_wire $side v1)" -gt 0 ] || fail "xr$side sent no RoCEv1"
		end_count_wire $side
	done
}

# The programs that are told nothing, or not even an index, use the first GID.
first_gid()
{
	talk tcp:18515 "ibv_$1_pingpong" -d xr1 -g 0 -c -n 100 \
		-- "ibv_$1_pingpong" -d xr2 -g 0 -c -n 100 10.0.0.1
	grep -q 'usec/iter' "$scratch/client" || { show_talk; fail "no result"; }
}

cm_programs()
{
	cm_mode 'IB/RoCE v1'
	"$@"
}

udaddy_by_address()
{
	talk cm:7174 udaddy -b "$(address 1 "$1")" -c 2 -C 50 -- udaddy -s "$(address 1 "$1")" -c 2 -C 50
}

back_to_v2()
{
	cm_mode 'RoCE v2'
	count_wire 2
	rping_by_address 4
	[ "$(on_wire 2 v1)" = 0 ] || fail "RoCEv1 was sent"
	[ "$(on_wire 2 ipv4)" -gt 0 ] || fail "no RoCEv2 was sent"
	end_count_wire 2
	rmdir /sys/kernel/config/rdma_cm/xr1 /sys/kernel/config/rdma_cm/xr2
}

# Two kinds at once on one device.
both_at_once()
{
	local v1
	(transfer 4 -n 100 -s 1) &
	v1=$!
	gid_type='RoCE v2'
	scratch=$(mktemp -d)
	transfer 4 -n 100 -s 2
	rm -rf "$scratch"
	wait "$v1" || fail "RoCEv1"
}

# ---- frames ------------------------------------------------------------------------

# A datagram needs no connection, so only its GRH says whom it is for.
datagram_to()
{
	local drop=$1 before
	shift
	victim 1
	before=$(counter 1 "$drop")
	in_side 2 "$tests/frame.py" eth0 dmac="$(mac_of 1)" src=10.0.0.2 qpn="$ud" \
		qkey=0x11111111 data=01020304 "$@"
	sleep 0.2
	[ "$(counter 1 "$drop")" -gt "$before" ] || { show_counters 1; fail "$drop did not count"; }
	verdict
}

make_pair 4200

for transport in rc uc ud srq; do
	run "ibv_${transport}_pingpong, the GID of an IPv4 address" only_v1 pingpong $transport 4 -n 100
done
run "ibv_rc_pingpong, the GID of an IPv6 address" only_v1 pingpong rc 6
run "ibv_rc_pingpong, the first GID" only_v1 first_gid rc
run "ibv_ud_pingpong, the first GID" only_v1 first_gid ud
run "rping, IPv4" only_v1 cm_programs rping_by_address 4
run "rping, IPv6" only_v1 cm_programs rping_by_address 6
run "udaddy" only_v1 cm_programs udaddy_by_address 4
run "rdma_cm back to RoCEv2" back_to_v2
run "RC, all operations, path MTU 4096" only_v1 transfer 4 -m 5 -n 100 -s 1
run "RC, all operations, path MTU 256" only_v1 transfer 6 -m 1 -n 50 -s 2
run "UC" only_v1 transfer 4 -t uc -n 100 -s 3
run "UD" only_v1 transfer 4 -t ud -n 100 -m 5 -s 4
run "ib_write_bw" only_v1 perftest ib_write_bw 4
run "RoCEv1 and RoCEv2 at once" both_at_once
run "a plain frame is taken" taken
run "a frame with a class, a hop limit of 0 and a trailer is taken" \
	taken tclass=0xff hops=0 trailer=10
run "a priority-tagged frame is taken" taken tag=0x6000
run "a frame for another MAC" not_taken '' dmac=02:00:00:00:00:77
run "a frame from another GID" not_taken drop_address src=10.0.0.3
run "a frame for another GID" not_taken drop_address dst=10.0.0.77
run "a GRH of another version" not_taken drop_l3 version=4
run "a GRH with another next header" not_taken drop_l3 next=17
run "a GRH that says more than there is" not_taken drop_l3 paylen=400
run "a datagram for another GID" datagram_to drop_address dst=10.0.0.77
run "a frame of a VLAN that is not there" not_taken '' tag=7
finish
