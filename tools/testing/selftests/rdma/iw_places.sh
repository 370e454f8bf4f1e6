#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Where an iWARP device can sit.
#
#	namespace xr1                          namespace xr2
#	  device xr1, on something on eth0       device xr2, likewise
#	  eth0 ---------------- veth ----------- eth0
#
# Promises: rping and perftest work over IPv4, rping over IPv6, from a device on a
# bridge, on a bond, on a VLAN, on a macvlan, on tun, on lo; and beside xroce on one netdev.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need rping rdmacm-utils
need ib_write_bw perftest
need nc netcat-openbsd
need socat socat

plan 8

net=0
address()
{
	case $2 in
	4) printf '10.0.%d.%d\n' $net "$1" ;;
	6) printf 'fd00:0:0:%d::%d\n' $net "$1" ;;
	esac
}

# number SIDE NETDEV: addresses of the present network
number()
{
	in_side "$1" tee "/proc/sys/net/ipv6/conf/$2/accept_dad" <<< 0 > /dev/null
	in_side "$1" ip addr add "$(address "$1" 4)/24" dev "$2"
	in_side "$1" ip addr add "$(address "$1" 6)/64" dev "$2" nodad
	in_side "$1" ip link set "$2" up
}

is_pingable()
{
	in_side 2 ping -q -c 1 -W 1 "$(address 1 "$1")"
}

# between NETDEV: devices on it at both sides, and traffic.
between()
{
	number 1 "$1"
	number 2 "$1"
	add_link 1 xr1 "$1" || fail "no device on $1"
	add_link 2 xr2 "$1" || fail "no device on $1"
	traffic
}

traffic()
{
	wait_for 10 is_pingable 4 || fail "no ping by IPv4"
	wait_for 10 is_pingable 6 || fail "no ping by IPv6"
	rping_by_address 4 -C 20
	rping_by_address 6 -C 20
	perftest ib_write_bw 4 -R -n 50
	perftest ib_read_lat 4 -R -n 50
}

fresh()
{
	make_wire 1500 || fail "no wire"
	net=20
}

both()
{
	in_side 1 "$@" && in_side 2 "$@"
}

bridge()
{
	fresh
	both ip link add br0 type bridge || skip "no bridges"
	both ip link set eth0 master br0
	between br0
}

bond()
{
	fresh
	both ip link set eth0 down
	both ip link add bond0 type bond mode active-backup miimon 100 || skip "no bonds"
	both ip link set eth0 master bond0
	between bond0
}

vlan()
{
	fresh
	both ip link add link eth0 name eth0.5 type vlan id 5 || skip "no VLANs"
	between eth0.5
}

macvlan()
{
	fresh
	both ip link add link eth0 name mv0 type macvlan mode bridge || skip "no macvlans"
	between mv0
}

# A netdev without a link layer, as WireGuard's.
tunnel()
{
	fresh
	modprobe -q tun || skip "no tun"
	[ -e /dev/net/tun ] || { mkdir -p /dev/net; mknod /dev/net/tun c 10 200; }
	for side in 1 2; do
		exec_side $side socat "TUN:10.0.20.$side/24,tun-name=tun7,iff-no-pi,iff-up" \
			"UDP:10.0.0.$((3 - side)):5555,bind=10.0.0.$side:5555" &
	done
	wait_for 10 is_pingable 4 || fail "no ping"
	for side in 1 2; do
		in_side $side ip link set tun7 mtu 1400
		add_link $side xr$side tun7 || fail "no device on tun"
	done
	rping_by_address 4 -C 20
	perftest ib_write_bw 4 -R -n 50
}

loopback()
{
	local address
	fresh
	add_link 1 xr1 lo
	for address in 127.0.0.1 ::1; do
		serve cm:7174 rping -s -a $address -C 10 -V
		in_side 1 timeout -k 5 "$limit" rping -c -a $address -C 10 -V
		server_ends
	done
}

# Each has its own connections, by the device that they name.
beside_xroce()
{
	fresh
	net=0
	for side in 1 2; do
		in_side $side rdma link add xo$side type xroce netdev eth0
		add_link $side xr$side eth0
	done
	traffic
	[ "$(counter 1 connects_accepted)" -gt 0 ] || [ "$(counter 2 connects_accepted)" -gt 0 ] ||
		note "rdma_cm took xroce"
	for side in 1 2; do
		rdma link del xo$side
	done
}

wildcard_ports()
{
	fresh
	net=0
	for side in 1 2; do
		add_link $side xr$side eth0
	done
	# TCP's own listener on that port keeps it; another port is free.
	(exec_side 1 nc -l -k 10.0.0.1 7174) > /dev/null 2>&1 &
	wait_for 10 tcp_listens
	! in_side 1 timeout 10 rping -s -a 10.0.0.1 -C 1 > "$scratch/server" 2>&1 ||
		fail "rping listens on a port of TCP's"
	cat "$scratch/server"
	talk cm:7181 rping -s -a 10.0.0.1 -p 7181 -C 10 -V \
		-- rping -c -a 10.0.0.1 -p 7181 -C 10 -V
}

tcp_listens()
{
	in_side 1 ss -Htln "sport = :7174" | grep -q .
}

server_pid=$$
run "bridge" bridge
run "bond" bond
run "VLAN" vlan
run "macvlan" macvlan
run "tun" tunnel
run "lo" loopback
run "beside xroce" beside_xroce
run "a port that TCP has" wildcard_ports
finish
