#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A network that loses, doubles, reorders and damages packets.
#
#	namespace xr1                              namespace xr2
#	  device xr1                                 device xr2
#	  eth0 -> netem ---------- veth ---------- netem <- eth0
#
# Promises: RC moves all data unharmed all the same, in either direction, with
# every operation; UC and UD lose messages but never change them; a damaged packet
# is dropped by its ICRC; what happened is counted. If nothing comes through, an
# RC QP gives up in the time its attributes say. A packet that the sender's own
# queue drops is a lost packet, not the end of the QP. No more memory is used for what
# came before its turn than is allowed, and it is given back when the netdev goes.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need tc iproute2
need rping rdmacm-utils
need ibv_rc_pingpong ibverbs-utils
need_helper transfer
[ "$LINK_TYPE" = xroce ] || skip_all "it reads xroce's counters"

seed=${SEED:-$RANDOM}
plan 22

# netem_on SIDE ARG...
netem_on()
{
	local side=$1
	shift
	modprobe -q sch_netem || true
	in_side "$side" tc qdisc replace dev eth0 root netem "$@" || skip "no netem"
}

off_on_both_sides()
{
	in_side 1 tc qdisc del dev eth0 root 2> /dev/null || true
	in_side 2 tc qdisc del dev eth0 root 2> /dev/null || true
}

on_both_sides()
{
	netem_on 1 "$@"
	netem_on 2 "$@"
}

# counts NAME COMMAND...: a counter of either device goes up. Chance decides what the
# network does to a run, and the sender's queue sees buffers of many packets: where
# nothing happened, another run may tell.
counts()
{
	local name=$1 before
	before=$(total "$name")
	shift
	for _ in {1..10}; do
		"$@"
		[ "$(total "$name")" = "$before" ] || return 0
	done
	fail "$name did not count in ten runs"
}

total()
{
	echo $(($(counter 1 "$1") + $(counter 2 "$1")))
}

lossy_transfer()
{
	local counted=$1 netem=$2
	shift 2
	# shellcheck disable=SC2086 # a list of words
	on_both_sides $netem
	counts "$counted" transfer 4 -s "$seed" "$@"
}

one_percent_pingpong()
{
	on_both_sides loss 1%
	counts retransmitted_packets lossy_pingpong rc 4 -n 300
}

# The server may never hear of the client's end: the message that says it is not
# repeated once the client is gone. That is the connection manager's way.
lossy_rping()
{
	on_both_sides loss 1%
	serve cm:7174 rping -s -a 10.0.0.1 -V -C 50 -S 20000
	ask rping -c -v -a 10.0.0.1 -V -C 50 -S 20000
	[ "$(grep -c '^ping data:' "$scratch/client")" = 50 ] ||
		{ show_talk; fail "fewer than 50 pings came back"; }
}

# UC and UD: some are lost, or the test shows nothing.
unreliable_transfer()
{
	on_both_sides "${@:2}"
	transfer 4 -t "$1" -l -n 500 -s "$seed" -S 8192
	! grep -q ' 0 lost' "$scratch/transfer" || fail "nothing was lost: netem does nothing"
}

# 8 tries, of 1 to 4 times 67 ms each.
gives_up_in_time()
{
	local start=$EPOCHREALTIME taken
	on_both_sides loss 100%
	! transfer_alone -n 1 -q 1 -T 60 || fail "it worked"
	taken=$(since "$start")
	cat "$scratch/transfer"
	grep -q 'transport retry counter exceeded' "$scratch/transfer" || fail "not given up"
	note "gave up after $taken s"
	awk -v t="$taken" 'BEGIN { exit !(t >= 0.4 && t < 4) }' || fail "after $taken s"
}

transfer_alone()
{
	timeout -k 5 "$limit" "$(helper transfer)" "$@" xr1 "$(gid_index 1 10.0.0.1)" \
		xr2 "$(gid_index 2 10.0.0.2)" > "$scratch/transfer" 2>&1
}

# One side hears nothing for a second, then all is well.
survives_silence()
{
	off_on_both_sides
	transfer_alone -n 3000 -q 2 -u 18 -s "$seed" &
	local pid=$!
	wait_for 20 is_moving || fail "nothing moves"
	on_both_sides loss 100%
	sleep 1
	off_on_both_sides
	wait "$pid" || { cat "$scratch/transfer"; fail "it did not survive"; }
	[ "$(counter 1 local_ack_timeout_err)" -gt 0 ] ||
		[ "$(counter 2 local_ack_timeout_err)" -gt 0 ] || fail "it was over before"
}

is_moving()
{
	[ "$(counter 1 rx_packets)" -gt $((packets_before + 100)) ]
}

# A queue of three packets at the sender, which says so when it drops. It is emptied
# more slowly than even a slow kernel fills it.
short_local_queue()
{
	local mbit=100
	[ "$patience" = 1 ] || mbit=10
	off_on_both_sides
	modprobe -q sch_tbf || true
	in_side 1 tc qdisc replace dev eth0 root tbf rate ${mbit}mbit burst 5kb limit 10kb ||
		skip "no tbf"
	counts tx_dropped transfer 4 -s "$seed" -n 30 -q 4 -u 16
	off_on_both_sides
}

# Many QPs with long messages of several pieces, and an egress that drops most of what
# they send at once.
many_through_a_short_queue()
{
	off_on_both_sides
	in_side 1 tc qdisc replace dev eth0 root tbf rate 200mbit burst 20kb limit 60kb ||
		skip "no tbf"
	counts tx_dropped transfer 4 -s "$seed" -n 2 -q 64 -w 1 -S 1048576 -m 5 -u 18 -T 60
	off_on_both_sides
}

# Timers that fire all the time, of QPs that go: 16 of a program that ends anywhere, by a
# lost connection or killed.
destroyed_while_timers_fire()
{
	local i pid
	mark_log
	on_both_sides loss 50%
	for ((i = 0; i < 15; i++)); do
		transfer_alone -n 1000 -q 16 -u 1 -s "$i" -T 60 &
		pid=$!
		nap "0.$((i + 2 * patience))"
		pkill -KILL -P "$pid" || true
		wait "$pid" || true
	done
	off_on_both_sides
	wait_for 20 no_qps || fail "QPs are still there"
	log_since_mark > "$scratch/kernel"
	[ ! -s "$scratch/kernel" ] || { cat "$scratch/kernel"; fail "the log is not silent"; }
	[ "$(total local_ack_timeout_err)" -gt 0 ] || fail "no timer fired"
}

# A QP whose packets wait in a queue for 30 s: nobody waits for them.
qp_goes_at_once()
{
	local start
	netem_on 1 delay 30s
	netem_on 2 delay 30s
	transfer_alone -u 18 -T 60 &
	local pid=$!
	sleep 1
	start=$EPOCHREALTIME
	kill -KILL "$(pgrep -P "$pid" -x transfer || pgrep -x transfer)"
	wait_for 20 no_qps || fail "QPs are still there"
	note "took $(since "$start") s"
	[ "$(since "$start" | cut -d . -f 1)" -lt $((15 * patience)) ] || fail "took $(since "$start") s"
	off_on_both_sides
}

# keeps_little PARAMETER: of what came before its turn, 16 KiB or so
keeps_little()
{
	echo 16 > "/sys/module/xroce/parameters/$1"
	lossy_transfer keep_full 'delay 1ms loss 2%' -n 40 -q 2
	keep_much
}

# The defaults.
keep_much()
{
	echo 16384 > /sys/module/xroce/parameters/keep_qp
	echo 65536 > /sys/module/xroce/parameters/keep_device
}

# While packets are kept. What goes is the namespaces' only link: no test after this.
netdev_goes()
{
	netem_on 1 delay 50ms loss 20%
	netem_on 2 delay 50ms loss 20%
	transfer_alone -n 5000 -s "$seed" -T 60 &
	local pid=$!
	wait_for 30 some_are_kept || { cat "$scratch/transfer"; fail "nothing is kept"; }
	in_side 2 ip link del eth0
	wait_for 20 device_is_gone 1 || fail "xr1 is still there"
	wait_for 20 device_is_gone 2 || fail "xr2 is still there"
	kill -KILL "$(pgrep -P "$pid" -x transfer || pgrep -x transfer)" || true
	wait "$pid" || true
}

some_are_kept()
{
	rdma resource show qp link xr1/1 -dd > "$scratch/qps" 2> /dev/null
	rdma resource show qp link xr2/1 -dd >> "$scratch/qps" 2> /dev/null
	grep -q -E 'kept_packets [1-9]' "$scratch/qps"
}

device_is_gone()
{
	! device_exists "xr$1"
}

no_qps()
{
	! rdma resource show qp link xr1/1 | grep -q 'type RC'
}

make_pair 4200
fix_neighbours || bail_out "cannot name neighbours"
note "seed $seed"
packets_before=0
at_exit keep_much

run "RC, 1 % lost" lossy_transfer retransmitted_packets 'loss 1%' -n 60
run "RC, 5 % lost, path MTU 256" lossy_transfer retransmitted_packets 'loss 5%' -n 40 -m 1 -S 8192
run "RC, 5 % doubled" lossy_transfer duplicate_request 'duplicate 5%' -n 60
run "RC, a quarter reordered" lossy_transfer out_of_sequence 'delay 1ms reorder 75%' -n 30
run "RC, 1 % damaged" lossy_transfer drop_icrc 'corrupt 1%' -n 60
run "RC, all of it" lossy_transfer retransmitted_packets \
	'delay 1ms reorder 95% loss 1% duplicate 1% corrupt 0.5%' -n 40
run "RC, all of it, 16 QPs" lossy_transfer retransmitted_packets \
	'delay 1ms reorder 95% loss 1% duplicate 1% corrupt 0.5%' -n 10 -q 16
run "RC, long messages, 0.5 % lost" lossy_transfer retransmitted_packets 'loss 0.5%' \
	-n 10 -q 2 -S 1048576 -m 5
run "ibv_rc_pingpong, 1 % lost" one_percent_pingpong
run "rping, 1 % lost" lossy_rping
run "UC, 2 % lost" unreliable_transfer uc loss 2%
run "UC, all of it" unreliable_transfer uc delay 1ms reorder 95% loss 1% duplicate 1% corrupt 1%
run "UD, 2 % lost" unreliable_transfer ud loss 2%
packets_before=$(counter 1 rx_packets)
run "RC survives a second of silence" survives_silence
run "RC gives up when nothing comes through" gives_up_in_time
run "RC and a short queue of the sender" short_local_queue
run "64 QPs with long messages and a short queue" many_through_a_short_queue
run "QPs go while their timers fire" destroyed_while_timers_fire
run "QPs go although their packets wait in a queue" qp_goes_at_once
run "little memory for what a QP keeps" keeps_little keep_qp
run "little memory for what a device keeps" keeps_little keep_device
run "the netdev goes while packets are kept" netdev_goes
finish
