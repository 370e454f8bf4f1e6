#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# xroce and the kernel's own driver, rxe, which before 7.3 knows the first network
# namespace only.
#
#	namespace xr1                          first namespace
#	  device xr1, xroce                      device xr2, rxe
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  xr-eth  10.0.0.2/24 fd00::2/64
#
# and the same with the sides exchanged: servers are on side 1. Promises: every
# operation of RC, UC and UD in both directions, with every path MTU, over IPv4 and
# IPv6, by rdma_cm too, moves data as they were, with receives that come late, and
# with packets lost or doubled on the way.
#
# rxe of 7.3 fails (a warning of rxe_mr_copy) when it is asked once more for a READ and its
# newest request was one of no bytes. Without losses the timers are long, so that a slow
# machine does not ask again; with duplicates on the way that can't be helped.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" = xroce ] || skip_all "it takes two drivers"
modprobe -n -q rdma_rxe || skip_all "no rdma_rxe for this kernel"
need ibv_rc_pingpong ibverbs-utils
need rping rdmacm-utils
need ib_write_bw perftest
need_helper transfer

seed=${SEED:-$RANDOM}
plan $((2 * 28 + 1))

# The side that is in the first namespace.
rxe_side=2

in_side()
{
	local side=$1
	shift
	if [ "$side" = 0 ] || [ "$side" = $rxe_side ]; then
		"$@"
	else
		ip netns exec xr-peer "$@"
	fi
}

exec_side()
{
	local side=$1
	shift
	[ "$side" = 0 ] || [ "$side" = $rxe_side ] || exec ip netns exec xr-peer "$@"
	exec "$@"
}

netdev_of()
{
	if [ "$1" = $rxe_side ]; then echo xr-eth; else echo eth0; fi
}

take_down()
{
	rdma link del xr1
	rdma link del xr2
	ip link del xr-eth
	ip netns del xr-peer
} 2> /dev/null

number()
{
	local netdev
	netdev=$(netdev_of "$1")
	in_side "$1" sysctl -q -w "net.ipv6.conf.$netdev.accept_dad=0"
	in_side "$1" ip addr add "$(address "$1" 4)/24" dev "$netdev"
	in_side "$1" ip addr add "$(address "$1" 6)/64" dev "$netdev" nodad
	in_side "$1" ip link set "$netdev" up
}

# set_up SIDE: which is rxe's.
set_up()
{
	take_down
	rxe_side=$1
	ip netns add xr-peer
	ip -n xr-peer link set lo up
	ip link add xr-eth mtu 4200 type veth peer name eth0 netns xr-peer mtu 4200 || return
	number 1
	number 2
	in_side "$rxe_side" rdma link add "xr$rxe_side" type rxe netdev xr-eth || return
	in_side $((3 - rxe_side)) rdma link add "xr$((3 - rxe_side))" type xroce netdev eth0 || return
	wait_for_gids 1 && wait_for_gids 2
}

show_counters()
{
	(cd "/sys/class/infiniband/xr$1/ports/1/hw_counters" &&
		grep -v -x -H 0 ./* | sed "s/^\.\//xr$1 /")
}

# with_netem OPTIONS COMMAND...: on both ends of the wire.
with_netem()
{
	local side options=$1
	shift
	for side in 1 2; do
		# shellcheck disable=SC2086 # a list of words
		in_side $side tc qdisc add dev "$(netdev_of $side)" root netem $options
	done
	trap 'for side in 1 2; do in_side $side tc qdisc del dev "$(netdev_of $side)" root; done; end_background' EXIT
	"$@"
}

ucmatose_by_address()
{
	talk cm:7471 ucmatose -b "$(address 1 "$1")" -c 2 -C 50 -S 5000 \
		-- ucmatose -s "$(address 1 "$1")" -c 2 -C 50 -S 5000
}

udaddy_by_address()
{
	talk cm:7174 udaddy -b "$(address 1 "$1")" -c 2 -C 50 -- udaddy -s "$(address 1 "$1")" -c 2 -C 50
}

modprobe rdma_rxe || bail_out "cannot load rdma_rxe"
at_exit 'take_down; modprobe -r rdma_rxe'

for rxe in 2 1; do
	set_up $rxe || bail_out "cannot make the two devices"
	roles="xroce serves rxe"
	[ $rxe = 2 ] || roles="rxe serves xroce"
	for family in 4 6; do
		for transport in rc uc ud; do
			run "$roles: ibv_${transport}_pingpong, IPv$family" pingpong $transport $family -n 100
		done
		run "$roles: rping, IPv$family" rping_by_address $family
	done
	run "$roles: ibv_srq_pingpong" pingpong srq 4 -n 50 -q 4
	run "$roles: ucmatose" ucmatose_by_address 4
	run "$roles: udaddy" udaddy_by_address 6
	for mtu in 1 2 3 4 5; do
		run "$roles: RC, path MTU $((128 << mtu))" transfer 4 -u 17 -m $mtu -s "$seed" -n 60
	done
	run "$roles: RC, IPv6" transfer 6 -u 17 -m 5 -s "$seed" -n 60
	run "$roles: RC, messages up to 1 MiB" transfer 4 -u 17 -m 5 -s "$seed" -n 10 -q 2 -S 1048576
	run "$roles: UC" transfer 4 -t uc -l -s "$seed" -n 60
	run "$roles: UD" transfer 6 -t ud -l -s "$seed" -n 100 -m 5
	for program in ib_write_bw ib_read_bw ib_send_lat ib_atomic_bw; do
		run "$roles: $program" perftest $program 4 -n 100
	done
	run "$roles: RC, 1% loss" with_netem "loss 1%" transfer 4 -m 3 -s "$seed" -n 20 -q 2 -S 16384
	run "$roles: RC, 2% duplicates" with_netem "duplicate 2%" transfer 4 -m 3 -s "$seed" -n 20 -q 2 -S 16384
	run "$roles: RC, delay of 2 ms, 5% out of order" \
		with_netem "delay 2ms reorder 95% 50%" transfer 4 -m 3 -s "$seed" -n 10 -q 2 -S 8192
	run "$roles: rping, 1% loss" with_netem "loss 1%" rping_by_address 4 -C 30
done
note "seed $seed"
take_down
run "both can be unloaded" eval 'modprobe -r rdma_rxe; unload'
finish
