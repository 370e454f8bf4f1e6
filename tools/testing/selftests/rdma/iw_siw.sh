#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# xiwarp and siw, the kernel's own software iWARP, in both roles.
#
#	namespace xr1                          namespace xr2
#	  device xr1, of one driver              device xr2, of the other
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers                                clients
#
# Promises: every message of RDMAP goes in both directions, whoever is the server,
# over IPv4 and IPv6, with CRCs, which are on the wire, and without; READs are as many at a time as both can;
# refusals and disappearances are noticed by the other side, and what one does wrong
# costs the connection and nothing else. siw is built by scripts/build-siw.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need rping rdmacm-utils
need ib_write_bw perftest
need_helper iw_end
need python3 python3

has_siw || skip_all "no siw for this kernel: scripts/build-siw"

messages='
ib_write_bw
ib_read_bw
ib_send_bw
ib_write_lat
ib_read_lat
ib_send_lat
ib_read_bw -o 1
ib_write_bw -s 1000000 -n 10
ib_read_bw -s 1000000 -n 10
ib_send_bw -b -n 200
'
wrongs='write-key write-beyond read-key read-beyond send-too-long'

plan $((2 * (17 + 6 + 2 + 5) + 2))

# drivers SIDE1 SIDE2
drivers()
{
	local side=0 driver
	for driver; do
		side=$((side + 1))
		! device_exists xr$side || rdma link del xr$side
	done
	side=0
	for driver; do
		side=$((side + 1))
		in_side $side rdma link add xr$side type "$driver" netdev eth0 ||
			bail_out "no $driver device"
	done
}

# The client is killed under way; the server must notice and take the next.
goes_away()
{
	local client
	serve cm:7174 rping -s -a 10.0.0.1 -P
	(exec_side 2 rping -c -a 10.0.0.1 -C 1000000) > /dev/null 2>&1 &
	client=$!
	sleep 1
	kill -KILL $client
	ask rping -c -a 10.0.0.1 -C 10 -V
	kill "$server_pid"
}

# The server's address is named: siw's listeners without one know no namespaces, and
# refuse to be beside ours.
perftest_by_address()
{
	local program=$1
	shift
	has_option -n "$@" || set -- -n 50 "$@"
	set -- -F -R "$@"
	talk cm:18515 "$program" "$@" --bind_source_ip 10.0.0.1 -- "$program" "$@" 10.0.0.1
	has_perftest_result
}

# As many READs at a time as the ends say, whatever the other's number is.
reads_at_a_time()
{
	serve cm:18515 ib_read_bw -F -R -n 50 -o "$1" --bind_source_ip 10.0.0.1
	ask ib_read_bw -F -R -n 50 -o "$2" 10.0.0.1
	server_ends
	has_perftest_result
}

does_wrong()
{
	(exec_side 1 "$(helper iw_end)" listen 10.0.0.1) > "$scratch/listener" 2>&1 &
	wait_for 20 grep -q '^listening' "$scratch/listener" || fail "$(cat "$scratch/listener")"
	in_side 2 timeout -k 5 "$limit" "$(helper iw_end)" wrong 10.0.0.1 "$1" > "$scratch/wrong" 2>&1 ||
		{ cat "$scratch/wrong"; fail "$1"; }
	note "$(tr '\n' ' ' < "$scratch/wrong")"
	grep -q ', 0 clean' "$scratch/wrong" || fail "memory was changed"
}

# xiwarp wants them; siw does as it is told.
with_crc()
{
	local file=/sys/module/xiwarp/parameters/crc
	# shellcheck disable=SC2064 # its name
	trap "echo N > $file; end_background" EXIT
	echo Y > $file
	"$@"
}

# has_crcs WANTED: what is on the wire, where a few FPDUs go each way: the right CRC in all
# of them, or, since nobody looks at it, in none.
has_crcs()
{
	local wanted=$1 watcher
	(exec_side 2 "$tests/iw_fpdus.py" eth0 7174) > "$scratch/fpdus" 2>&1 &
	watcher=$!
	wait_for 20 grep -q '^watching' "$scratch/fpdus" || { cat "$scratch/fpdus"; fail "nobody watches"; }
	rping_by_address 4 -C 5
	kill "$watcher"
	wait "$watcher" || { cat "$scratch/fpdus"; fail "the watcher failed"; }
	note "$(tr '\n' ' ' < "$scratch/fpdus")"
	[ "$(grep -c '^to the .*: [1-9]' "$scratch/fpdus")" = 2 ] || fail "no FPDUs in one direction"
	! awk -v wanted="$wanted" '/^to / && $6 != (wanted == "all" ? $4 : 0)' "$scratch/fpdus" |
		grep . || fail "not $wanted of them are right"
}

# all_messages CLIENT-TO-SERVER
all_messages()
{
	local who=$1 line words wrong
	run "$who: rping, IPv4" rping_by_address 4 -C 20
	run "$who: rping, IPv6" rping_by_address 6 -C 20
	run "$who: rping, 60000 bytes" rping_by_address 4 -C 10 -S 60000
	run "$who: ucmatose, 4 connections" ucmatose_by_address 4 -c 4 -C 20 -S 3000
	run "$who: rdma_server and rdma_client" rdma_client_server
	run "$who: rstream, verified" stream rstream 4 -T v
	run "$who: a client that goes away" goes_away
	while read -r line; do
		[ -n "$line" ] || continue
		read -r -a words <<< "$line"
		run "$who: $line" perftest_by_address "${words[@]}"
	done <<< "$messages"
	run "$who: CRC, rping" with_crc rping_by_address 4 -C 20
	run "$who: CRC, on the wire" with_crc has_crcs all
	run "$who: no CRC, on the wire" has_crcs none
	run "$who: CRC, ib_write_bw" with_crc perftest_by_address ib_write_bw -s 100000
	run "$who: CRC, ib_read_bw" with_crc perftest_by_address ib_read_bw -s 100000
	run "$who: CRC, ib_send_bw" with_crc perftest_by_address ib_send_bw -s 100000
	run "$who: 1 READ at a time, 16" reads_at_a_time 1 16
	run "$who: 16 READs at a time, 1" reads_at_a_time 16 1
	for wrong in $wrongs; do
		run "$who: $wrong" does_wrong "$wrong"
	done
}

# unload, of both
unload_both()
{
	local side
	for side in 1 2; do
		rdma link del xr$side
	done
	rmmod siw
	unload
}

make_wire 1500 || bail_out "cannot make two namespaces with a veth pair"
# siw misses an RTR that comes before it has looked up from sending its Reply.
in_side 2 tc qdisc add dev eth0 root netem delay 2ms || bail_out "no netem"
modprobe xiwarp
load_siw || bail_out "siw can't be loaded"
drivers xiwarp siw
all_messages "siw to xiwarp"
drivers siw xiwarp
all_messages "xiwarp to siw"
run "xiwarp to siw: nobody listens" nobody_listens
run "both modules can be unloaded" unload_both
finish
