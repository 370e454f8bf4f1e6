#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Several packets given to the network as one buffer, and the way to one's own host.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#
# Promises: the netdevs carry fewer buffers than there are packets, over IPv4 and
# IPv6, and as many if "segment" is 0. Data arrive unharmed and no ICRC is wrong, be
# a buffer taken whole, cut by the sending stack, or cut and joined again by the
# receiver's. What a device sends to an address of its own host passes no netdev, and
# what was on no wire isn't checked for damage, unless "shortcut" is off; every byte is
# compared either way. Small requests that a program posts without waiting share
# buffers, unless "spread" is off. Memory of packets that wait in a queue is left alone.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need ethtool ethtool
need tc iproute2
need ib_write_bw perftest
need_helper transfer
[ "$LINK_TYPE" = xroce ] || skip_all "it sets xroce's parameters"

seed=${SEED:-$RANDOM}
parameters=/sys/module/xroce/parameters
plan 17

# buffers SIDE NETDEV: that the stack gave to the netdev
buffers()
{
	in_side "$1" cat "/sys/class/net/$2/statistics/tx_packets"
}

# moved FAMILY: moves data; sets packets (of xr1), passed (buffers of its eth0), drops
# (for the ICRC)
moved()
{
	local family=$1 packets_before passed_before drops_before
	shift
	drops_before=$(($(counter 1 drop_icrc) + $(counter 2 drop_icrc)))
	packets_before=$(counter 1 tx_packets)
	passed_before=$(buffers 1 eth0)
	transfer "$family" -m 3 -s "$seed" -n 40 -S 65536 "$@"
	packets=$(($(counter 1 tx_packets) - packets_before))
	passed=$(($(buffers 1 eth0) - passed_before))
	drops=$(($(counter 1 drop_icrc) + $(counter 2 drop_icrc) - drops_before))
	note "$packets packets in $passed buffers, $drops wrong ICRCs"
}

# The same, all ICRCs looked at
moved_checked()
{
	echo N > "$parameters/shortcut"
	moved "$@"
	echo Y > "$parameters/shortcut"
	[ $drops = 0 ] || fail "$drops wrong ICRCs"
}

in_few_buffers()
{
	moved_checked "$1"
	[ $((passed * 3)) -lt $packets ] || fail "$passed buffers for $packets packets"
}

one_by_one()
{
	echo 0 > "$parameters/segment"
	moved_checked "$1"
	echo 1 > "$parameters/segment"
	[ $passed -ge $packets ] || fail "$passed buffers for $packets packets"
}

# The stack cuts before the netdev, and counts what comes out.
cut_by_sender()
{
	in_side 1 ethtool -K eth0 tx-udp-segmentation off || skip "eth0 has no such feature"
	in_side 2 ethtool -K eth0 tx-udp-segmentation off
	moved_checked "$1"
	[ $passed -ge $packets ] || fail "$passed buffers for $packets packets: nothing was cut"
}

joined_by_receiver()
{
	in_side 1 ethtool -K eth0 gro on rx-gro-list off && in_side 2 ethtool -K eth0 gro on ||
		skip "eth0 has no such feature"
	moved_checked "$1"
}

# itself 4|6: device xr1 to itself; sets passed to what went through lo
itself()
{
	local gid before
	gid=$(gid_index 1 "$(address 1 "$1")") || fail "no such GID on xr1"
	before=$(buffers 1 lo)
	bounded "$(helper transfer)" -m 3 -s "$seed" -n 40 -S 65536 \
		xr1 "$gid" xr1 "$gid" || fail "transfer"
	passed=$(($(buffers 1 lo) - before))
	note "$passed buffers through lo"
	[ "$(counter 1 drop_icrc)" = 0 ] || fail "wrong ICRCs"
}

by_shortcut()
{
	itself "$1"
	[ $passed -lt 20 ] || fail "$passed buffers went through lo"
}

through_the_stack()
{
	echo N > "$parameters/shortcut"
	itself "$1"
	echo Y > "$parameters/shortcut"
	[ $passed -gt 40 ] || fail "only $passed buffers went through lo"
}

# Every large IPv4 buffer of side 1 gets another identification, which the ICRC covers.
damage_buffers()
{
	local length
	modprobe -q -a cls_u32 act_pedit act_csum || true
	in_side 1 tc qdisc add dev eth0 clsact || skip "no clsact"
	# 16 KiB and more: longer than a packet
	for length in '0x8000 0x8000' '0x4000 0xc000'; do
		# shellcheck disable=SC2086 # two words
		in_side 1 tc filter add dev eth0 egress protocol ip u32 match u16 $length at 2 \
			action pedit munge offset 4 u16 set 0x4242 pipe action csum ip4h ||
			skip "no pedit"
	done
}

repair_buffers()
{
	in_side 1 tc qdisc del dev eth0 clsact
}

trusted()
{
	damage_buffers
	echo Y > "$parameters/shortcut"
	moved 4
	repair_buffers
	[ "$drops" = 0 ] || fail "$drops buffers that were on no wire were looked at"
}

not_trusted()
{
	damage_buffers
	echo N > "$parameters/shortcut"
	moved 4
	echo Y > "$parameters/shortcut"
	repair_buffers
	[ "$drops" -gt 0 ] || fail "nobody looked"
}

messages=5000

# Sets passed: buffers for so many small messages
stream()
{
	local before
	before=$(buffers 2 eth0)
	perftest ib_write_bw 4 -s 64 -n $messages -t 64
	passed=$(($(buffers 2 eth0) - before))
	note "$passed buffers for $messages messages"
}

# What there is to share depends on how the two processors get on.
shared_by_messages()
{
	local i
	[ "$(nproc)" -gt 1 ] || skip "one processor"
	for ((i = 0; i < 10; i++)); do
		stream
		[ $passed -ge $((messages * 4 / 5)) ] || return 0
	done
	fail "never fewer than $passed buffers"
}

# Few are, when a softirq happens to run the QP elsewhere.
not_shared()
{
	local i
	echo N > "$parameters/spread"
	for ((i = 0; i < 5; i++)); do
		stream
		[ $passed -lt $((messages * 9 / 10)) ] || break
	done
	echo Y > "$parameters/spread"
	[ $i -lt 5 ] || fail "never more than $passed buffers"
}

# Buffers wait in the sender's queue while many more are filled.
kept_in_queue()
{
	in_side 1 tc qdisc add dev eth0 root netem delay 20ms limit 100000 ||
		skip "no netem"
	transfer 4 -m 3 -s "$seed" -n 200 -S 65536
	in_side 1 tc qdisc del dev eth0 root
}

make_pair 4200
at_exit "echo 1 > $parameters/segment; echo Y > $parameters/shortcut"
at_exit "echo Y > $parameters/spread"

for family in 4 6; do
	run "few buffers, IPv$family" in_few_buffers $family
	run "segment=0: packet by packet, IPv$family" one_by_one $family
	run "to itself, by the shortcut, IPv$family" by_shortcut $family
	run "to itself, shortcut=N, IPv$family" through_the_stack $family
done
run "small messages in a row share buffers" shared_by_messages
run "spread=N: message by message" not_shared
run "memory of what waits in a queue" kept_in_queue
run "what was on no wire is trusted" trusted
run "what was on no wire, shortcut=N" not_trusted
for family in 4 6; do
	run "cut by the sender's stack, IPv$family" cut_by_sender $family
	run "cut and joined again, IPv$family" joined_by_receiver $family
done
finish
