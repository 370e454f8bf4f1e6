#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Connections to peers of every kind, good and bad.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             (no device)
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  rping                                  iw_peer.py: iWARP over plain TCP
#
# Promises: a program that knows nothing of it, rping, talks to peers of both
# revisions of MPA in both roles, with CRC, markers, each kind of RTR, in pieces of
# any size; who is silent or sends nonsense delays nobody else and leaves the log
# silent; an address that never answers can be given up at once. (iw_wire.sh: what
# the protocol says.)

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need rping rdmacm-utils
need python3 python3
need_helper iw_hostile_rings

peer=$tests/iw_peer.py
plan 16

start_server()
{
	(exec_side 1 timeout -k 5 $((600 * patience)) rping -s -P) > "$scratch/rping" 2>&1 &
	rping_pid=$!
	at_exit kill $rping_pid
	wait_for 20 listens_by_cm 7174 || bail_out "rping does not listen"
}

as_peer()
{
	in_side 2 timeout -k 5 "$limit" "$peer" "$@"
}

# shellcheck disable=SC2120 # the arguments are options
good_ping()
{
	as_peer ping 10.0.0.1 "$@"
}

startup_gone_wrong()
{
	local case
	for case in badkey badrev badlen extra early; do
		as_peer "$case" 10.0.0.1 || fail "$case"
	done
	good_ping crc
}

silent_ones_delay_nobody()
{
	as_peer silent 10.0.0.1
}

# client CASE: rping connects to a server of that case.
client()
{
	local case=$1 status=0
	shift
	(exec_side 2 timeout -k 5 "$limit" "$peer" "$case" 10.0.0.2 7175) > "$scratch/peer" 2>&1 &
	server_pid=$!
	wait_for 20 in_side 2 bash -c 'ss -Htln "sport = :7175" | grep -q .' ||
		fail "the peer does not listen"
	in_side 1 timeout -k 5 "$limit" rping -c -a 10.0.0.2 -p 7175 -C 1 > "$scratch/client" 2>&1 || status=$?
	cat "$scratch/client" "$scratch/peer"
	[ "$status" != 124 ] || fail "rping hangs"
	"$@"
	wait "$server_pid" || fail "the peer is not content: $(tail -n 1 "$scratch/peer")"
}

says()
{
	grep -q -i "$1" "$scratch/client" || fail "rping does not say $1"
}

# SYNs go nowhere. The process is killed and must be gone, the device too.
black_hole()
{
	local pid start=$EPOCHREALTIME
	in_side 1 ip neigh replace 10.0.0.99 lladdr 02:00:00:00:00:99 dev eth0
	(exec_side 1 rping -c -a 10.0.0.99 -C 1) > "$scratch/hole" 2>&1 &
	pid=$!
	sleep 1
	start=$EPOCHREALTIME
	timeout 30 rdma link del xr1 || fail "rdma link del hangs"
	note "rdma link del took $(since "$start") s"
	[ "$(since "$start" | cut -d . -f 1)" -lt $((4 * patience)) ] || fail "rdma link del took $(since "$start") s"
	kill -KILL "$pid" 2> /dev/null || true
	wait_for 5 not kill -0 "$pid" || fail "the program does not end"
	add_link 1 xr1 eth0
}

# A pair of programs that write nonsense into their rings, beside honest traffic.
hostile_rings()
{
	(exec_side 1 timeout -k 5 "$limit" "$(helper iw_hostile_rings)" 10.0.0.1 7300 8 "${SEED:-$RANDOM}") &
	good_ping crc
	good_ping markers
	wait $! || fail "it did not end well"
	good_ping crc
}

log_is_silent()
{
	log_since_mark > "$scratch/kernel"
	[ ! -s "$scratch/kernel" ] || { cat "$scratch/kernel"; fail "the log is not silent"; }
}

make_wire 1500 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
start_server
mark_log

run "revision 2" good_ping
run "revision 1" good_ping v1
run "CRC" good_ping crc
run "markers" good_ping markers
run "markers and CRC, byte by byte" good_ping markers crc bytes
run "RTR: zero-length Write" good_ping rtr=write
run "RTR: zero-length Read" good_ping rtr=read crc
run "RTR: zero-length FPDU" good_ping rtr=fpdu
run "startup gone wrong" startup_gone_wrong
run "silent peers delay nobody" silent_ones_delay_nobody
run "a server of revision 1" client serve-v1
run "a server that rejects" client serve-reject says reject
run "a server that answers with garbage" client serve-garbage
run "hostile rings" hostile_rings
run "the log is silent" log_is_silent
run "an address that never answers" black_hole
finish
