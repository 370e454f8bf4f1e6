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
need_helper on_demand

# where: what connects the two QPs
where()
{
	case $LINK_TYPE in
	xiwarp) echo 10.0.0.1 ;;
	*) gid_index 1 10.0.0.1 ;;
	esac
}

on_demand()
{
	local at
	at=$(where) || fail "no GID on xr1"
	in_side 1 timeout -k 5 "$limit" "$(helper on_demand)" "$1" xr1 "$at"
}

start_endless()
{
	local at
	at=$(where) || fail "no GID on xr1"
	rm -f "$scratch/endless"
	(exec_side 1 "$(helper on_demand)" endless xr1 "$at") > "$scratch/endless" 2>&1 &
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

cases='
untouched:pages that were never touched
replaced:pages that were replaced
forked:pages that are copied after fork
absent:memory that is not there or can not be written
messages:messages from and to such memory
implicit:the whole address space
disturbed:pages that come and go all the time
of_a_file:pages of a file
many_pages:more pages than are fetched at a time
advised:advice
'
# What iWARP's provider has not.
more='
atomics:atomics
datagrams:datagrams
unacknowledged:messages without acknowledgement
absent_datagram:a datagram from memory that is not there
refused:what is refused
'
if [ "$LINK_TYPE" = xiwarp ]; then
	plan 15
else
	plan 19
	cases+=$more
fi

make_pair 4200
while IFS=: read -r name description; do
	[ -z "$name" ] || run "$description" on_demand "$name"
done <<< "$cases"
run "the end of a program while packets wait" killed
run "the end of a device while packets wait" without_its_device
if [ "$LINK_TYPE" = xiwarp ]; then
	run "ib_write_bw --odp" perftest ib_write_bw 4 -R --odp
	run "ib_send_bw --odp" perftest ib_send_bw 4 -R --odp
	run "traffic works as before" rping_by_address 4
else
	run "ibv_rc_pingpong -o" pingpong rc 4 -o
	run "traffic works as before" pingpong rc 4
fi
finish
