#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Connections of iWARP as TCP's: many at a time, of any congestion control, ended in
# every way.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#
# Promises: a thousand connects at once meet a backlog of 128 and are all accepted, in
# their order; TCP's congestion control and TOS are what the system and the program say,
# its keepalive, its user time-out and MPA's CRC what the module's parameters say; what TCP
# sends again is told; a device and its netdev go at once while a startup hangs, in either
# role; a listener without an address is reached through every device.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need rping rdmacm-utils
need ss iproute2
need nc netcat-openbsd
need_helper iw_many

plan 17

# ---- many ------------------------------------------------------------------------

has_result()
{
	grep -q ' connections in ' "$scratch/client"
}

# many N AT-ONCE: with a backlog of 128
many()
{
	local client
	(exec_side 1 "$(helper iw_many)" listen 10.0.0.1 128) > "$scratch/server" 2>&1 &
	wait_for 20 listens_by_cm 7192 || fail "no listener: $(cat "$scratch/server")"
	mkfifo "$scratch/hold.$1"
	(exec_side 2 timeout -k 5 "$limit" "$(helper iw_many)" connect 10.0.0.1 "$1" "$2") \
		> "$scratch/client" 2>&1 < "$scratch/hold.$1" &
	client=$!
	exec {hold}> "$scratch/hold.$1"
	wait_for "$limit" has_result || { show_talk; show_counters 1; fail "no result"; }
	note "$(tail -n 1 "$scratch/client")"
	exec {hold}>&-
	grep -q "^$1 connections .* 0 failed" "$scratch/client" ||
		{ tail -n 5 "$scratch/client"; show_counters 1; fail "not all came about"; }
	wait $client || fail "the client failed"
	! grep -q 'out of order' "$scratch/server" ||
		{ head -n 5 "$scratch/server"; fail "requests come in another order than they were made"; }
}

# ---- TCP ---------------------------------------------------------------------------

# congestion_control NAME: streams by it, as ss sees.
congestion_control()
{
	local client
	modprobe -q tcp_diag
	modprobe -q "tcp_$1" || skip "no tcp_$1"
	# Else namespaces may not have it.
	sysctl -q -w net.ipv4.tcp_allowed_congestion_control="reno cubic $1"
	for side in 1 2; do
		in_side $side sysctl -q -w "net.ipv4.tcp_congestion_control=$1" net.ipv4.tcp_ecn=1
	done
	serve cm:7174 rping -s -a 10.0.0.1 -P -S 20000
	(exec_side 2 timeout "$limit" rping -c -a 10.0.0.1 -C 1000000 -S 20000) > "$scratch/client" 2>&1 &
	client=$!
	wait_for 20 uses_congestion_control "$1" || { in_side 2 ss -tin; fail "TCP does not use $1"; }
	kill $client
	ask rping -c -a 10.0.0.1 -V -C 300 -S 20000
}

uses_congestion_control()
{
	in_side 2 ss -tinH 'dport = :7174' | grep -q -w "$1"
}

# The option of rdma_cm that perftest sets. The last two bits are ECN's, if TCP has that.
type_of_service()
{
	in_background 1 ib_send_bw -R -F -D 30
	wait_for 20 is_ready cm:18515
	in_background 2 ib_send_bw -R -F -D 30 --tos=96 10.0.0.1
	wait_for 20 has_tos '0x6[0-3]' || { in_side 2 ss -tin --tos; fail "TCP has another TOS"; }
}

in_background()
{
	(exec_side "$1" timeout "$limit" "${@:2}") > "$scratch/side.$1" 2>&1 &
	server_pid=$!
}

has_tos()
{
	in_side 2 ss -tinH --tos 'dport = :18515' | grep -q "tos:$1"
}

# parameter NAME VALUE: until the end of the case
parameter()
{
	local file=/sys/module/xiwarp/parameters/$1
	# shellcheck disable=SC2064 # the value that it has now
	trap "echo $(cat "$file") > $file; end_background" EXIT
	echo "$2" > "$file"
}

crc_is()
{
	rdma resource show qp link xr2/1 -dd | tr -s '[:space:]' ' ' |
		grep -q "state RTS.* drv_crc $1 "
}

with_crc()
{
	parameter crc "$1"
	in_background 1 rping -s -a 10.0.0.1 -P
	wait_for 20 is_ready cm:7174
	in_background 2 rping -c -a 10.0.0.1 -C 1000000 -V
	wait_for 20 crc_is "$2" || { rdma resource show qp -dd; fail "it is not $2"; }
}

# keepalive 4|6
keepalive()
{
	parameter keepalive Y
	in_background 1 rping -s -a "$(address 1 "$1")" -P
	wait_for 20 is_ready cm:7174
	in_background 2 rping -c -a "$(address 1 "$1")" -C 1000000
	wait_for 20 probes || { in_side 2 ss -tino; fail "there are no probes"; }
}

# Its timer is seen when no other runs.
probes()
{
	in_side 2 ss -tinoH 'dport = :7174' | grep -q 'timer:(keepalive'
}

# vanished_peer 4|6
vanished_peer()
{
	local client status=0
	parameter user_timeout 2000
	in_background 1 rping -s -a "$(address 1 "$1")" -P
	wait_for 20 is_ready cm:7174
	in_background 2 rping -c -a "$(address 1 "$1")" -C 1000000
	client=$server_pid
	wait_for 20 crc_is 0 || fail "there is no connection"
	in_side 2 tc qdisc add dev eth0 root netem loss 100%
	wait_for 20 not kill -0 "$client" || status=1
	in_side 2 tc qdisc del dev eth0 root
	[ $status = 0 ] || { in_side 2 ss -tino; fail "nobody notices"; }
}

# The most of a QP of side 2.
retransmits()
{
	rdma resource show qp link xr2/1 -dd |
		sed -n 's/.*tcp_retransmits \([0-9]*\).*/\1/p' | sort -n | tail -n 1
}

has_retransmitted()
{
	[ "$(retransmits)" -gt 0 ]
}

lossy_wire()
{
	local before client
	before=$(counter 2 tcp_retransmits)
	trap "end_background; in_side 2 tc qdisc del dev eth0 root" EXIT
	in_side 2 tc qdisc add dev eth0 root netem loss 5%
	in_background 1 rping -s -a 10.0.0.1 -P -S 20000
	wait_for 20 is_ready cm:7174
	in_background 2 rping -c -a 10.0.0.1 -C 1000000 -S 20000 -V
	client=$server_pid
	wait_for 30 has_retransmitted || { rdma resource show qp -dd; fail "no QP tells of it"; }
	kill "$client"
	wait_for 20 counts_more_than "$before" || fail "the device does not count them"
}

counts_more_than()
{
	[ "$(counter 2 tcp_retransmits)" -gt "$1" ]
}

# An IPv6 listener without an address takes IPv4, too.
both_families()
{
	in_background 1 rping -s -a :: -P
	wait_for 20 is_ready cm:7174
	ask rping -c -a 10.0.0.1 -C 10 -V
	ask rping -c -a fd00::1 -C 10 -V
}

# ---- ends ----------------------------------------------------------------------------

# Half a Request, and no more of it.
half_startup()
{
	(exec_side 1 timeout "$limit" rping -s -a 10.0.0.1 -C 1) > "$scratch/server" 2>&1 &
	wait_for 20 is_ready cm:7174
	(exec_side 2 bash -c 'exec 3<> /dev/tcp/10.0.0.1/7174; printf "MPA ID Req" >&3; sleep 60') &
	wait_for 10 startup_hangs 7174 || fail "no TCP connection"
}

# A server that takes the Request and says nothing.
half_reply()
{
	(exec_side 2 nc -l 10.0.0.2 7176) > /dev/null 2>&1 < <(sleep 60) &
	wait_for 20 nc_listens
	(exec_side 1 timeout "$limit" rping -c -a 10.0.0.2 -p 7176 -C 1) > "$scratch/client" 2>&1 &
	wait_for 10 startup_hangs 7176 || fail "no TCP connection"
}

nc_listens()
{
	in_side 2 ss -Htln 'sport = :7176' | grep -q .
}

startup_hangs()
{
	in_side 1 ss -Htn state established "( sport = :$1 or dport = :$1 )" | grep -q .
}

# at_once PREPARE COMMAND...
at_once()
{
	local start
	"$1"
	shift
	start=$EPOCHREALTIME
	limited 30 "$@" || fail "hangs: $*"
	wait_for 20 not device_exists xr1 || { show_stuck; fail "the device is still there"; }
	note "took $(since "$start") s"
	[ "$(since "$start" | cut -d . -f 1)" -lt 5 ] || fail "took $(since "$start") s"
}

again()
{
	drop_wire 2> /dev/null || true
	make_pair 1500
}

# ---- wildcard --------------------------------------------------------------------------

# Two devices on side 1, a server without an address.
wildcard()
{
	ip link add eth1 netns xr1 type veth peer name eth1 netns xr2
	for side in 1 2; do
		in_side $side ip addr add "10.0.9.$side/24" dev eth1
		in_side $side ip link set eth1 up
	done
	add_link 1 xr1b eth1
	add_link 2 xr2b eth1
	(exec_side 1 timeout "$limit" rping -s -P) > "$scratch/server" 2>&1 &
	wait_for 20 is_ready cm:7174
	ask rping -c -a 10.0.0.1 -C 10 -V
	ask rping -c -a 10.0.9.1 -C 10 -V
	[ "$(cat /sys/class/infiniband/xr1b/ports/1/hw_counters/connects_accepted)" -gt 0 ] ||
		fail "the second device accepted nothing"
	rdma link del xr1b
	rdma link del xr2b
}

server_pid=$$
make_pair 1500
run "connections, one after the other" many $((200 / patience)) 1
run "1000 connections at once" many $((1000 / patience)) 1000
run "congestion control bbr" congestion_control bbr
run "congestion control dctcp, with ECN" congestion_control dctcp
run "type of service" type_of_service
run "CRC" with_crc Y 1
run "no CRC" with_crc N 0
run "keepalive" keepalive 4
run "keepalive, IPv6" keepalive 6
run "retransmits" lossy_wire
run "a peer that vanishes" vanished_peer 4
run "a peer that vanishes, IPv6" vanished_peer 6
run "a listener of both families" both_families
run "a listener without an address, two devices" wildcard
run "rdma link del during a startup as responder" at_once half_startup rdma link del xr1
again
run "netdev gone during a startup as responder" at_once half_startup ip -n xr1 link del eth0
again
run "netdev gone during a startup as initiator" at_once half_reply ip -n xr1 link del eth0
finish
