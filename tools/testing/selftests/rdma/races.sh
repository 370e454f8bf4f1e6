#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Calls that meet in the kernel.
#
#	namespace xr1: device xr1 on eth0, a veth whose other end is in xr2
#
# Promises: a QP goes through its states in any order while a program posts to it,
# and works afterwards; receives posted while it fails come back flushed, all of
# them; objects may be resized by several threads at once, and looked at with
# rdma(8) while they come and go; programs may be killed while their QPs are busy. The
# kernel lives and its log stays silent.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper races
[ "$LINK_TYPE" = xroce ] || skip_all "the kernel's own driver does not survive it"

seed=${SEED:-$RANDOM}
seconds=${RACE_SECONDS:-5}
plan 8

race()
{
	mark_log
	timeout -k 5 $((seconds * 5 + 60 * patience)) "$(helper races)" xr1 "$(gid_index 1 10.0.0.1)" \
		"$seconds" "$1" "$seed" > "$scratch/race" 2>&1 ||
		{ show_counters 1; cat "$scratch/race"; fail "the program failed"; }
	note "$(cat "$scratch/race")"
	log_since_mark > "$scratch/kernel"
	[ ! -s "$scratch/kernel" ] || { cat "$scratch/kernel"; fail "the log is not silent"; }
}

# What there was to see is counted: a look at nothing shows nothing.
looked_at()
{
	local pid looks=0 seen=0
	race objects &
	pid=$!
	while kill -0 $pid 2> /dev/null; do
		for object in cq qp mr srq pd; do
			rdma resource show $object -dd > "$scratch/objects" 2>&1 || true
			seen=$((seen + $(grep -c races "$scratch/objects" || true)))
		done
		looks=$((looks + 1))
	done
	wait $pid
	note "$looks looks, $seen objects"
	[ $seen -gt 0 ] || fail "saw no object"
}

# Programs that are killed while all their QPs are busy, one end or both.
killed_in_traffic()
{
	local i busy=0 before one two options=(-q 8 -t 8 -b -D 60)
	command -v ib_write_bw > /dev/null || skip "no perftest"
	one=$(gid_index 1 10.0.0.1) two=$(gid_index 2 10.0.0.2)
	# On a slow machine they need longer to begin.
	for ((i = 0; i < 20 || (i < 60 && busy < 5); i++)); do
		before=$(counter 2 tx_packets)
		serve tcp:18515 ib_write_bw -d xr1 -x "$one" "${options[@]}"
		# Some before they are connected.
		in_side 2 timeout -s KILL "$((i / 20 * patience)).$((i % 10))5" \
			ib_write_bw -d xr2 -x "$two" "${options[@]}" 10.0.0.1 > /dev/null 2>&1 || true
		# timeout(1) would leave its child.
		pkill -KILL -P "$server_pid" || true
		wait_for 20 not kill -0 "$server_pid" || fail "the server does not end"
		[ $(($(counter 2 tx_packets) - before)) -lt 100 ] || busy=$((busy + 1))
	done
	note "$busy of $i in traffic"
	[ $busy -ge 5 ] || fail "too few had begun"
	wait_for 20 no_qps || fail "left: $(rdma resource show qp)"
}

no_qps()
{
	! rdma resource show qp | grep -q 'type RC'
}

make_pair 1500
note "seed $seed"

run "states of a QP while requests are posted" race states
run "receives posted around the way to ERR" race flush
run "a CQ and an SRQ resized by three threads" race resize
run "depths of READs that change while they come" race depths
run "a thousand QPs and regions at once" race crowd
run "objects that rdma(8) looks at" looked_at
run "programs that are killed in traffic" killed_in_traffic
run "traffic works as before" pingpong rc 4
finish
