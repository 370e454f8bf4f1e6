#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Everything at once, and for long.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#
# Promises: QPs of every kind, many with short messages and few with long ones, programs
# that connect and disconnect all the time and programs that are killed in the middle, all
# beside each other for SOAK_SECONDS (120; for hours by hand), with and without loss: no
# byte is wrong, nobody waits for ever, the kernel's log stays silent, and no object and no
# memory to speak of is left.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper transfer
need rping rdmacm-utils
need ib_write_bw perftest
[ "$LINK_TYPE" = xroce ] || skip_all "the kernel's own driver does not survive it"

soak_s=${SOAK_SECONDS:-120}
# A case has that and some time for its end.
CASE_SECONDS=$((soak_s + 300))
seed=${SEED:-$RANDOM}
plan 4

# ---- workers: one round each --------------------------------------------------------------

# move OPTION...: another seed each time
move()
{
	local one two family=$((4 + RANDOM % 2 * 2))
	one=$(gid_index 1 "$(address 1 $family)") &&
		two=$(gid_index 2 "$(address 2 $family)") || return
	timeout -k 5 "$limit" "$(helper transfer)" -u 18 -T 60 -s $RANDOM "$@" xr1 "$one" xr2 "$two"
}

short_messages()
{
	move -q 32 -n 30 -S 4096 -m $((1 + RANDOM % 5))
}

long_messages()
{
	move -q 4 -w 2 -n 10 -S 1048576 -m 5
}

datagrams()
{
	move -t ud -l -q 8 -n 100 -m 5
}

unreliable()
{
	move -t uc -l -q 8 -n 50 -S 16384
}

connects()
{
	in_side 2 timeout -k 5 "$limit" rping -c -a 10.0.0.1 -p 7900 -C 3 -S 1000 -V
}

# The server of a client that was killed would wait for the next.
dies()
{
	local server status
	(exec_side 1 timeout -k 5 "$limit" ib_write_bw -d xr1 -x "$(gid_index 1 10.0.0.1)" \
		-p 18600 -q 8 -t 8 -b -D 30) &
	server=$!
	wait_for 30 listens_at 18600 || return
	in_side 2 timeout -s KILL "1.$RANDOM" ib_write_bw -d xr2 -x "$(gid_index 2 10.0.0.2)" \
		-p 18600 -q 8 -t 8 -b -D 30 10.0.0.1
	status=$?
	pkill -KILL -P $server
	wait $server
	[ $status = 137 ] || [ $status = 124 ]
}

listens_at()
{
	in_side 1 ss -Htln "sport = :$1" | grep -q .
}

workers='short_messages long_messages datagrams unreliable connects dies'

# ---- the whole ------------------------------------------------------------------------------

# work NAME: rounds of it until the time is over, or one fails
work()
{
	local end=$((SECONDS + soak_s))
	while [ $SECONDS -lt $end ] && [ ! -e "$scratch/broken" ]; do
		"$1" > "$scratch/$1.log" 2>&1 || {
			status=$?
			{ echo "$1: status $status"; tail -n 30 "$scratch/$1.log"; } >> "$scratch/broken"
			return 1
		}
		echo >> "$scratch/$1.rounds"
	done
}

# KiB that the kernel has in slabs, and in pages of vmalloc()
kernel_memory()
{
	echo 3 > /proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}

everything()
{
	local name pids=() pid before
	rm -f "$scratch/broken" "$scratch"/*.rounds
	before=$(kernel_memory)
	mark_log
	(exec_side 1 rping -s -a 10.0.0.1 -p 7900 -P) > "$scratch/rping" 2>&1 &
	for name in $workers; do
		work "$name" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || true
	done
	[ ! -e "$scratch/broken" ] || { cat "$scratch/broken"; fail "a worker failed"; }
	for name in $workers; do
		[ -s "$scratch/$name.rounds" ] || fail "$name: not one round"
		note "$name: $(wc -l < "$scratch/$name.rounds") rounds"
	done
	log_since_mark > "$scratch/kernel"
	[ ! -s "$scratch/kernel" ] || { cat "$scratch/kernel"; fail "the log is not silent"; }
	note "$(($(kernel_memory) - before)) KiB of kernel memory more"
}

with_loss()
{
	local side
	modprobe -q sch_netem || true
	for side in 1 2; do
		in_side $side tc qdisc replace dev eth0 root netem loss 0.2% || skip "no netem"
	done
	everything
	for side in 1 2; do
		in_side $side tc qdisc del dev eth0 root
	done
}

nothing_is_left()
{
	wait_for 20 no_objects || fail "left: $(rdma resource show qp; rdma resource show mr)"
	rdma link del xr1
	rdma link del xr2
	wait_for 10 modprobe -r "$module" || fail "$module stays"
	add_links || fail "no devices again"
}

no_objects()
{
	! rdma resource show qp | grep -q 'type [RU][CD]' && ! rdma resource show mr | grep -q .
}

make_pair 4200
fix_neighbours || bail_out "cannot name neighbours"
note "seed $seed, $soak_s s"
RANDOM=$seed
run "everything at once" everything
run "everything at once, 0.2 % lost" with_loss
run "nothing is left" nothing_is_left
run "traffic works as before" pingpong rc 4
finish
