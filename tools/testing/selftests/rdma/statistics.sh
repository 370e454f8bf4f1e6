#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What a device tells about what it does.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#
# Promises: counters bound to QPs, by hand or automatically, count what these QPs do,
# and the port's go on to count everything; the performance management agent tells
# sysfs and other hosts the same numbers; details of objects are shown; changes of
# state, drops and losses can be traced; speed, firmware and parent are told.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" = xroce ] || skip_all "it is about what only xroce tells"
need ibv_rc_pingpong ibverbs-utils
need python3 python3
need_helper victim

frame_version=4
plan 15

# ---- counters of QPs ---------------------------------------------------------------

# counter_of QPN NAME: what the counter that QPN is bound to counts. (rdma's own filter
# finds no counters of several QPs.)
counter_of()
{
	rdma statistic qp show link xr1/1 | awk -v qpn="$1" -v name="$2" '
	$1 == "link" { value = "" }
	{ for (i = 1; i < NF; i++) if ($i == name) value = $(i + 1) }
	/LQPN:/ { gsub(/.*LQPN: *<|>.*/, ""); if ("," $0 "," ~ "," qpn ",") print value }'
}

manual()
{
	local before
	victim 3
	before=$(counter 1 rx_write_requests)
	rdma statistic qp bind link xr1/1 lqpn "${rc[0]}"
	write_frame qpn="${rc[0]}" psn="$psn"
	write_frame qpn="${rc[1]}" psn="$psn"
	write_frame qpn="${rc[0]}" psn=$((psn + 1))
	sleep 0.2
	rdma statistic qp show link xr1/1
	[ "$(counter_of "${rc[0]}" rx_write_requests)" = 2 ] || fail "the QP's counter is not 2"
	[ "$(counter_of "${rc[0]}" rx_packets)" = 2 ] || fail "the QP's packets are not 2"
	[ "$(counter 1 rx_write_requests)" = $((before + 3)) ] || fail "the port's is not 3 more"
	# A drop is told of the QP that it happened to.
	write_frame qpn="${rc[0]}" psn=$((psn + 2)) src=10.0.0.7
	sleep 0.2
	[ "$(counter_of "${rc[0]}" drop_address)" = 1 ] || fail "no drop_address at the QP"
	verdict
	note "$(rdma statistic qp show link xr1/1)"
	# It outlives the QP in the port's.
	[ "$(counter 1 rx_write_requests)" = $((before + 3)) ] || fail "the port forgot with the QP"
}

two_qps_one_counter()
{
	local cntn
	victim 2
	rdma statistic qp bind link xr1/1 lqpn "${rc[0]}"
	cntn=$(rdma statistic qp show link xr1/1 lqpn "${rc[0]}" | sed -n 's/.*cntn \([0-9]*\).*/\1/p' | head -n 1)
	echo "counter '$cntn'"
	rdma statistic qp bind link xr1/1 lqpn "${rc[1]}" cntn "$cntn"
	write_frame qpn="${rc[0]}" psn="$psn"
	write_frame qpn="${rc[1]}" psn="$psn"
	sleep 0.2
	[ "$(counter_of "${rc[1]}" rx_write_requests)" = 2 ] ||
		{ rdma statistic qp show link xr1/1; fail "together they are not 2"; }
	rdma statistic qp unbind link xr1/1 cntn "$cntn" lqpn "${rc[0]}"
	write_frame qpn="${rc[0]}" psn=$((psn + 1))
	sleep 0.2
	[ "$(counter_of "${rc[1]}" rx_write_requests)" = 2 ] || fail "an unbound QP counts there"
	verdict
}

automatic()
{
	rdma statistic qp set link xr1/1 auto type on
	trap 'rdma statistic qp set link xr1/1 auto off; end_background' EXIT
	victim 3
	write_frame qpn="${rc[0]}" psn="$psn"
	write_frame qpn="${rc[2]}" psn="$psn"
	sleep 0.2
	rdma statistic qp show link xr1/1 > "$scratch/shown"
	grep -E 'cntn|LQPN|rx_write_requests' "$scratch/shown"
	# One for the type, that is RC.
	[ "$(counter_of "${rc[1]}" rx_write_requests)" = 2 ] || fail "RC's counter is not 2"
	[ "$(counter_of "$uc" rx_write_requests)" = 0 ] || fail "UC's counter is not 0"
	verdict
}

# While QPs are bound and unbound the port's numbers never go back, nor get lost.
while_binding()
{
	local sent received i qpn
	sent=$(counter 2 tx_packets) received=$(($(counter 1 rx_packets) + $(counter 1 drop_no_qp)))
	(for ((i = 0; i < 200; i++)); do
		for qpn in $(rdma resource show qp link xr1/1 | sed -n 's/.*lqpn \([0-9]*\) type RC.*/\1/p'); do
			rdma statistic qp bind link xr1/1 lqpn "$qpn"
			cntn=$(rdma statistic qp show link xr1/1 lqpn "$qpn" |
				sed -n 's/.*cntn \([0-9]*\).*/\1/p' | head -n 1)
			rdma statistic qp unbind link xr1/1 cntn "$cntn" lqpn "$qpn"
		done
	done) > /dev/null 2>&1 &
	pingpong rc 4 -n 1000
	pingpong rc 4 -n 1000
	kill $! || true
	wait $! || true
	sent=$(($(counter 2 tx_packets) - sent))
	received=$(($(counter 1 rx_packets) + $(counter 1 drop_no_qp) - received))
	note "$sent packets sent, $received received"
	[ "$sent" = "$received" ] || fail "xr2 sent $sent packets, xr1 received $received"
}

# ---- the performance management agent -------------------------------------------------

pma_in_sysfs()
{
	local folder=/sys/class/infiniband/xr1/ports/1/counters
	pingpong rc 4
	[ "$(cat $folder/port_xmit_packets)" = "$(counter 1 tx_packets)" ] || fail "xmit_packets"
	[ "$(cat $folder/port_rcv_packets)" = "$(counter 1 rx_packets)" ] || fail "rcv_packets"
	[ "$(cat $folder/port_xmit_data)" = $(($(counter 1 tx_bytes) / 4)) ] || fail "xmit_data"
	[ "$(cat $folder/port_rcv_data)" = $(($(counter 1 rx_bytes) / 4)) ] || fail "rcv_data"
}

# pma get|set ATTRIBUTE [SELECT]: of xr1, asked by xr2. Over IPv6: the kernel's MAD layer
# looks for answers by a GID in the first 40 bytes, where IPv4 has none.
pma()
{
	"$tests/mad.py" xr2 "$(gid_index 2 fd00::2)" fd00::1 "$@"
}

# field OFFSET BYTES: of the last answer
field()
{
	printf '%d\n' "0x$(cut -c $(($1 * 2 + 1))-$((($1 + $2) * 2)) <<< "$data")"
}

pma_of_another_host()
{
	local data packets
	pma get 0x0001
	data=$(pma get 0x0012 | sed -n 's/^status 0 data //p')
	[ -n "$data" ] || { show_counters 1; show_counters 2; fail "no counters: $(pma get 0x0012)"; }
	packets=$(field 36 4)
	note "$packets packets received, $(field 32 4) sent"
	[ "$packets" -gt 100 ] || fail "too few packets"
	data=$(pma get 0x001d | sed -n 's/^status 0 data //p')
	[ "$(field 32 8)" -ge "$packets" ] || fail "the extended ones are fewer"
}

pma_cleared()
{
	local data before
	before=$(counter 1 rx_packets)
	data=$(pma set 0x0012 0xffff | sed -n 's/^status 0 data //p')
	[ "$(field 36 4)" -lt 10 ] || fail "not cleared"
	data=$(pma get 0x001d | sed -n 's/^status 0 data //p')
	[ "$(field 32 8)" -gt 100 ] || fail "the extended ones are cleared too"
	[ "$(counter 1 rx_packets)" -ge "$before" ] || fail "the hardware counters are cleared"
}

# The status is in the low 16 bits: 0x0c is "not for this attribute", 0x1c "bad value".
pma_refuses()
{
	[ "$(pma get 0x0099 | cut -d ' ' -f 2)" = 12 ] || fail "$(pma get 0x0099)"
	[ "$(pma set 0x0001 | cut -d ' ' -f 2)" = 12 ] || fail "$(pma set 0x0001)"
}

trace=/sys/kernel/tracing

# ---- traces -----------------------------------------------------------------------

traces()
{
	[ -d $trace/events/xroce ] || fail "no tracepoints"
	echo > $trace/trace
	echo 1 > $trace/events/xroce/enable
	trap 'echo 0 > $trace/events/xroce/enable; end_background' EXIT
	pingpong rc 4 -n 10
	victim 1
	write_frame qpn="${rc[0]}" psn="$psn" src=10.0.0.7
	write_frame qpn="${rc[0]}" psn="$psn" icrc=1
	sleep 0.2
	verdict
	in_side 1 ip link set eth0 down
	in_side 1 ip link set eth0 up
	wait_for 10 port_is_active
	cp $trace/trace "$scratch/trace"
	expect_trace 'xroce_qp_state: .*RESET -> INIT'
	expect_trace 'xroce_qp_state: .*INIT -> RTR'
	expect_trace 'xroce_qp_state: .*RTR -> RTS'
	expect_trace "xroce_drop: .*qpn=${rc[0]} drop_address"
	expect_trace 'xroce_drop: .*drop_icrc'
	expect_trace 'xroce_port_state: .*DOWN'
	expect_trace 'xroce_port_state: .*ACTIVE'
}

expect_trace()
{
	grep -q "$1" "$scratch/trace" || { tail -n 40 "$scratch/trace"; fail "no $1"; }
}

port_is_active()
{
	rdma link show xr1/1 | grep -q 'state ACTIVE'
}

# What leaves is lost by a queue that holds nothing.
traced_losses()
{
	echo > $trace/trace
	echo 1 > $trace/events/xroce/enable
	trap 'echo 0 > $trace/events/xroce/enable; in_side 2 tc qdisc del dev eth0 root; end_background' EXIT
	in_side 2 tc qdisc add dev eth0 root netem loss 20%
	lossy_pingpong rc 4 -n 100
	cp $trace/trace "$scratch/trace"
	in_side 2 tc qdisc replace dev eth0 root pfifo limit 1
	transfer 4 -n 50
	cp $trace/trace "$scratch/trace"
	in_side 2 tc -s qdisc show dev eth0
	grep -q 'dropped 0' <(in_side 2 tc -s qdisc show dev eth0) || expect_trace 'xroce_lost: .*tx_dropped'
}

# ---- objects, names --------------------------------------------------------------------

details()
{
	local name
	victim 1
	rdma resource show qp link xr1/1 lqpn "${rc[0]}" -dd > "$scratch/qp"
	cat "$scratch/qp"
	for name in sq_posted una_psn expected_psn retries_left rx_backlog; do
		grep -q "drv_$name\|$name" "$scratch/qp" || fail "no $name"
	done
	rdma resource show cq dev xr1 -dd | grep -q overflowed || fail "no details of CQs"
	rdma resource show mr dev xr1 -dd | grep -q pages || fail "no details of MRs"
	verdict
}

parent_is()
{
	[ "$(cat /sys/class/infiniband/xr1/parent)" = "$1" ]
}

names_follow()
{
	parent_is eth0 || fail "the parent is $(cat /sys/class/infiniband/xr1/parent)"
	in_side 1 ip link set eth0 down
	in_side 1 ip link set eth0 name another0
	parent_is another0 || fail "the parent is not another0"
	in_side 1 rdma link show xr1/1 | grep -q 'netdev another0' ||
		fail "$(in_side 1 rdma link show xr1/1)"
	in_side 1 ip link set another0 name eth0
	in_side 1 ip link set eth0 up
	in_side 1 ip addr replace fd00::1/64 dev eth0 nodad
	wait_for_gids 1
	wait_for 10 port_is_active
	pingpong rc 4 -n 10
}

speed_of_the_netdev()
{
	local speed
	speed=$(in_side 1 cat /sys/class/net/eth0/speed)
	note "eth0: $speed Mb/s; $(cat /sys/class/infiniband/xr1/ports/1/rate)"
	[ "$speed" = 10000 ] || skip "this kernel's veth has no speed"
	grep -q '^10 Gb/sec' /sys/class/infiniband/xr1/ports/1/rate || fail "not 10 Gb/sec"
}

firmware()
{
	local version
	version=$(modinfo -F version xroce)
	ibv_devinfo -d xr1 | grep -w fw_ver
	[ "$(ibv_devinfo -d xr1 | awk '/fw_ver/ { print $2 }')" = "$version" ] || fail "not $version"
	[ "$(cat /sys/class/infiniband/xr1/fw_ver)" = "xroce $version" ] ||
		fail "sysfs says $(cat /sys/class/infiniband/xr1/fw_ver)"
	rdma dev show xr1 | grep -q "fw xroce $version" || fail "$(rdma dev show xr1)"
}

make_pair 4200
fix_neighbours || bail_out "cannot name neighbours"
run "a counter for a QP" manual
run "a counter for two QPs" two_qps_one_counter
run "a counter for each type of QP" automatic
run "nothing gets lost while QPs are bound and unbound" while_binding
run "performance counters in sysfs" pma_in_sysfs
run "performance counters of another host" pma_of_another_host
run "performance counters, cleared" pma_cleared
run "what the performance agent refuses" pma_refuses
run "traces of states and drops" traces
run "traces of losses" traced_losses
run "details of objects" details
run "parent and netdev follow a change of name" names_follow
run "the speed is the netdev's" speed_of_the_netdev
run "the firmware version is the module's" firmware
run "traffic works as before" pingpong rc 4
finish
