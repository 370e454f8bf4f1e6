#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory that nobody has pinned (on_demand.c).
#
#	namespace xr1                          namespace xr2
#	  device xr1, two QPs of it              (not used)
#	    talk to each other
#	  eth0 ---------------- veth ----------- eth0
#
# Promises: requests find what the process has at an address at that time, whatever it
# had there before: pages that were never touched, replaced, copied after fork or are
# unmapped all the time; what it does not have, or may not write, is refused as memory
# without rights is; a region of all addresses reaches the process and nothing else.
# Nothing is lost by waiting for pages, not even datagrams. Programs and devices may go
# while packets wait.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" != xiwarp ] || skip_all "iWARP's provider has no on-demand memory"
need_helper on_demand

plan 19

on_demand()
{
	local index
	index=$(gid_index 1 10.0.0.1) || fail "no GID on xr1"
	bounded "$(helper on_demand)" "$1" xr1 "$index"
}

start_endless()
{
	local index
	index=$(gid_index 1 10.0.0.1) || fail "no GID on xr1"
	rm -f "$scratch/endless"
	"$(helper on_demand)" endless xr1 "$index" > "$scratch/endless" 2>&1 &
	endless=$!
	wait_for 30 grep -q '^endless' "$scratch/endless" || fail "$(cat "$scratch/endless")"
}

killed()
{
	local i
	mark_log
	for ((i = 0; i < 5; i++)); do
		start_endless
		sleep 0.3
		kill -0 "$endless" || fail "it has ended: $(cat "$scratch/endless")"
		kill -KILL "$endless"
		wait "$endless" || true
	done
	wait_for 20 nothing_is_left || fail "$(rdma resource show qp link xr1/1)"
	log_since_mark > "$scratch/kernel"
	[ ! -s "$scratch/kernel" ] || { cat "$scratch/kernel"; fail "the log is not silent"; }
}

nothing_is_left()
{
	! rdma resource show qp link xr1/1 | grep -q on_demand
}

# Verbs fail from then on, which is what ends it.
without_its_device()
{
	local i
	for ((i = 0; i < 5; i++)); do
		start_endless
		sleep 0.3
		timeout $((60 * patience)) rdma link del xr1 || fail "rdma link del: $?"
		wait_for 20 not kill -0 "$endless" || fail "it does not end: $(cat "$scratch/endless")"
		add_link 1 xr1 eth0
		wait_for_gids 1
	done
}

make_pair 4200
run "pages that were never touched" on_demand untouched
run "pages that were replaced" on_demand replaced
run "pages that are copied after fork" on_demand forked
run "memory that is not there or can't be written" on_demand absent
run "atomics" on_demand atomics
run "messages from and to such memory" on_demand messages
run "the whole address space" on_demand implicit
run "pages that come and go all the time" on_demand disturbed
run "pages of a file" on_demand of_a_file
run "more pages than are fetched at a time" on_demand many_pages
run "datagrams" on_demand datagrams
run "messages without acknowledgement" on_demand unacknowledged
run "a datagram from memory that is not there" on_demand absent_datagram
run "what is refused" on_demand refused
run "advice" on_demand advised
run "the end of a program while packets wait" killed
run "the end of a device while packets wait" without_its_device
run "ibv_rc_pingpong -o" pingpong rc 4 -o
run "traffic works as before" pingpong rc 4
finish
