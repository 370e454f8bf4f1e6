#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Where a device can sit.
#
#	namespace xr1                          namespace xr2
#	  device xr1, on something on eth0       device xr2, likewise
#	  eth0 ---------------- veth ----------- eth0
#
# Promises: RC, UD and rdma_cm work over IPv4 and IPv6, and RC as RoCEv1, from a
# device on a bridge, on a bond or its slave, on a VLAN, on a macvlan, by the addresses
# of VLANs above the device's netdev, on lo, and between two devices of one host; without
# IPv6, without a link-local address and with a device of xiwarp on the same netdev; RC
# and UD from one on tun and on WireGuard.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" = xroce ] || skip_all "the kernel's own driver works on few of them"
need ibv_rc_pingpong ibverbs-utils
need rping rdmacm-utils
need python3 python3

plan 18

# The network that programs meet in.
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
	# Not by sysctl, which reads the dots of names in its own way.
	in_side "$1" tee "/proc/sys/net/ipv6/conf/$2/accept_dad" <<< 0 > /dev/null
	in_side "$1" ip addr add "$(address "$1" 4)/24" dev "$2"
	in_side "$1" ip addr add "$(address "$1" 6)/64" dev "$2" nodad
	in_side "$1" ip link set "$2" up
}

is_pingable()
{
	in_side 2 ping -q -c 1 -W 1 "$(address 1 "$1")"
}

# at SIDE1-NETDEV SIDE2-NETDEV: devices there, and all kinds of traffic.
at()
{
	add_link 1 xr1 "$1" || fail "no device on $1"
	add_link 2 xr2 "$2" || fail "no device on $2"
	all_traffic
}

all_traffic()
{
	wait_for 10 is_pingable 4 || fail "no ping by IPv4"
	wait_for 10 is_pingable 6 || fail "no ping by IPv6"
	wait_for_gids 1 || { show_gids 1; fail "no GIDs on xr1"; }
	wait_for_gids 2 || { show_gids 2; fail "no GIDs on xr2"; }
	pingpong rc 4 -n 100
	pingpong rc 6 -n 100
	pingpong ud 4 -n 100
	"${rping:-rping_by_address}" 4 -C 20
	"${rping:-rping_by_address}" 6 -C 20
	gid_type='IB/RoCE v1'
	pingpong rc 4 -n 100
	pingpong ud 6 -n 100
}

show_gids()
{
	grep . "/sys/class/infiniband/xr$1/ports/1/gids/"{0..9} "/sys/class/infiniband/xr$1/ports/1/gid_attrs/ndevs/"{0..9} 2> /dev/null |
		grep -v 0000:0000:0000:0000:0000:0000:0000:0000 || true
}

# fresh: a wire without addresses of network 0 in the way.
fresh()
{
	make_wire 4200 || fail "no wire"
	net=20
}

# both COMMAND ARG...: in each namespace
both()
{
	in_side 1 "$@" && in_side 2 "$@"
}

bridge()
{
	fresh
	both ip link add br0 type bridge || skip "no bridges"
	both ip link set eth0 master br0
	number 1 br0
	number 2 br0
	at br0 br0
}

bond()
{
	fresh
	both ip link set eth0 down
	both ip link add bond0 type bond mode active-backup miimon 100 || skip "no bonds"
	both ip link set eth0 master bond0
	number 1 bond0
	number 2 bond0
	at "$1" bond0
}

vlan_device()
{
	fresh
	both ip link add link eth0 name eth0.5 type vlan id 5 || skip "no VLANs"
	number 1 eth0.5
	number 2 eth0.5
	at eth0.5 eth0.5
	# What belongs to the netdev below is not the VLAN's.
	! gid_index 1 10.0.0.1 || fail "it has the GID of eth0's address"
	[ "$(in_side 1 cat "/sys/class/infiniband/xr1/ports/1/gid_attrs/ndevs/$(gid_index 1 "$(address 1 4)")")" = eth0.5 ] ||
		fail "the GID names another netdev"
	[ "$(cat /sys/class/infiniband/xr1/parent)" = eth0.5 ] || fail "the parent is not eth0.5"
}

# A server that listens to all addresses: the address of a VLAN is one of the device
# below it, too, and the core binds a listener to the first device that has it.
rping_to_any()
{
	local any
	case $1 in
	4) any=0.0.0.0 ;;
	6) any=:: ;;
	esac
	talk cm:7174 rping -s -a "$any" -C 20 -V -- rping -c -v -a "$(address 1 "$1")" -C 20 -V
}

# Both at once: packets find the right one.
vlan_device_beside()
{
	local index rping=rping_to_any
	fresh
	both ip link add link eth0 name eth0.5 type vlan id 5 || skip "no VLANs"
	number 1 eth0.5
	number 2 eth0.5
	in_side 1 rdma link add xr-below type xroce netdev eth0
	at_exit rdma link del xr-below
	trap 'rdma link del xr-below; end_background' EXIT
	at eth0.5 eth0.5
	index=$(gid_index 1 "$(address 1 4)" 'RoCE v2')
	[ "$(in_side 1 cat "/sys/class/infiniband/xr1/ports/1/gid_attrs/ndevs/$index")" = eth0.5 ] ||
		fail "the GID names another netdev"
}

vlan_addresses()
{
	fresh
	both ip link add link eth0 name eth0.5 type vlan id 5 || skip "no VLANs"
	number 1 eth0.5
	number 2 eth0.5
	count_vlan 2
	at eth0 eth0
	[ "$(vlan_frames 2)" -gt 500 ] || fail "only $(vlan_frames 2) frames were of VLAN 5"
}

count_vlan()
{
	in_side "$1" tc qdisc add dev eth0 clsact
	in_side "$1" tc filter add dev eth0 egress prio 1 protocol 802.1Q flower vlan_id 5 action ok
}

vlan_frames()
{
	in_side "$1" tc -s filter show dev eth0 egress | awk '/Sent .* pkt/ { sum += $4 } END { print sum + 0 }'
}

# A device here and addresses of the VLAN there.
vlan_of_different_kinds()
{
	fresh
	both ip link add link eth0 name eth0.5 type vlan id 5 || skip "no VLANs"
	number 1 eth0.5
	number 2 eth0.5
	at eth0 eth0.5
}

vlan_on_bond()
{
	fresh
	both ip link set eth0 down
	both ip link add bond0 type bond mode active-backup miimon 100 || skip "no bonds"
	both ip link set eth0 master bond0
	both ip link set bond0 up
	both ip link add link bond0 name bond0.7 type vlan id 7 || skip "no VLANs"
	number 1 bond0.7
	number 2 bond0.7
	at bond0 bond0.7
}

macvlan()
{
	fresh
	both ip link add link eth0 name mv0 type macvlan mode bridge || skip "no macvlans"
	number 1 mv0
	number 2 mv0
	at mv0 mv0
}

# rdma_cm takes the device that a program binds to, or one that has the address.
beside_xiwarp()
{
	fresh
	modprobe -q xiwarp || skip "no xiwarp"
	number 1 eth0
	number 2 eth0
	in_side 1 rdma link add xr-wire1 type xiwarp netdev eth0
	in_side 2 rdma link add xr-wire2 type xiwarp netdev eth0
	at eth0 eth0
	in_side 1 rdma link del xr-wire1
	in_side 2 rdma link del xr-wire2
}

# The kernel has no GIDs of version 1 for these, and rdma_cm before 7.3 none at all.
tun()
{
	fresh
	modprobe -q tun || skip "no tun"
	[ -e /dev/net/tun ] || { mkdir -p /dev/net; mknod /dev/net/tun c 10 200; }
	"$tests/tunnel.py" xr1 xr2 &
	wait_for 10 in_side 1 ip link show tun0 || skip "no tun"
	wait_for 10 in_side 2 ip link show tun0
	layer_three tun0
}

wireguard()
{
	fresh
	modprobe -q wireguard && both ip link add wg0 type wireguard || skip "no WireGuard"
	"$tests/wireguard.py" wg0 xr1 10.0.0.1 xr2 10.0.0.2 || fail "no peers"
	layer_three wg0
}

# layer_three NETDEV: what has no MAC addresses.
layer_three()
{
	number 1 "$1"
	number 2 "$1"
	wait_for 10 is_pingable 4 || fail "no ping"
	add_link 1 xr1 "$1"
	add_link 2 xr2 "$1"
	wait_for_gids 1 || { show_gids 1; fail "no GIDs"; }
	wait_for_gids 2
	pingpong rc 4 -n 50 -m 1024
	pingpong rc 6 -n 50 -m 1024
	pingpong ud 4 -n 50 -s 500
}

loopback_netdev()
{
	local index
	fresh
	add_link 1 xr1 lo
	index=$(index_on xr1 0000:0000:0000:0000:0000:ffff:7f00:0001) || fail "no GID for 127.0.0.1"
	self_pingpong 1 rc "$index" 127.0.0.1
	self_pingpong 1 ud "$index" 127.0.0.1
	index=$(index_on xr1 0000:0000:0000:0000:0000:0000:0000:0001) || fail "no GID for ::1"
	self_pingpong 1 rc "$index" 127.0.0.1
}

# index_on DEVICE GID [TYPE]
index_on()
{
	local folder=/sys/class/infiniband/$1/ports/1 i
	for ((i = 0; i < 16; i++)); do
		[ "$(cat "$folder/gids/$i" 2> /dev/null)" = "$2" ] || continue
		[ "$(cat "$folder/gid_attrs/types/$i" 2> /dev/null)" = "${3:-RoCE v2}" ] || continue
		echo $i
		return
	done
	return 1
}

# self_pingpong SIDE rc|ud INDEX TCP-ADDRESS [DEVICE INDEX]: with another device, or itself.
self_pingpong()
{
	local side=$1 program=ibv_$2_pingpong server
	exec_side "$side" timeout -k 5 60 "$program" -d xr1 -g "$3" -c -n 100 > "$scratch/server" 2>&1 &
	server=$!
	wait_for 10 listens "$side" || fail "no server"
	in_side "$side" timeout -k 5 60 "$program" -d "${5:-xr1}" -g "${6:-$3}" -c -n 100 "$4" > "$scratch/client" 2>&1 ||
		{ show_talk; fail "client of $program"; }
	wait $server || { show_talk; fail "server"; }
}

listens()
{
	in_side "$1" ss -Htln 'sport = :18515' | grep -q .
}

# Both ends of a wire in one namespace. The verbs core asks for the peer's MAC on the
# wire, where IPv4 does not answer its own host unless told to.
two_devices()
{
	local one two
	fresh
	in_side 1 ip link add va type veth peer name vb
	in_side 1 sysctl -q -w net.ipv4.conf.all.accept_local=1 net.ipv4.conf.va.rp_filter=0 \
		net.ipv4.conf.vb.rp_filter=0 net.ipv4.conf.all.rp_filter=0 \
		net.ipv6.conf.va.accept_dad=0 net.ipv6.conf.vb.accept_dad=0
	in_side 1 ip addr add 10.0.30.1/24 dev va
	in_side 1 ip addr add 10.0.30.2/24 dev vb
	in_side 1 ip addr add fd00:30::1/64 dev va nodad
	in_side 1 ip addr add fd00:30::2/64 dev vb nodad
	in_side 1 ip link set va up
	in_side 1 ip link set vb up
	add_link 1 xr1 va
	add_link 1 xr2 vb
	wait_for 10 index_on xr1 "$(gid_of 10.0.30.1)" && wait_for 10 index_on xr2 "$(gid_of 10.0.30.2)"
	wait_for 10 index_on xr1 "$(gid_of fd00:30::1)" && wait_for 10 index_on xr2 "$(gid_of fd00:30::2)"
	one=$(index_on xr1 "$(gid_of 10.0.30.1)") two=$(index_on xr2 "$(gid_of 10.0.30.2)")
	self_pingpong 1 rc "$one" 127.0.0.1 xr2 "$two"
	self_pingpong 1 ud "$one" 127.0.0.1 xr2 "$two"
	one=$(index_on xr1 "$(gid_of fd00:30::1)") two=$(index_on xr2 "$(gid_of fd00:30::2)")
	self_pingpong 1 rc "$one" 127.0.0.1 xr2 "$two"
	one=$(index_on xr1 "$(gid_of 10.0.30.1)" 'IB/RoCE v1') two=$(index_on xr2 "$(gid_of 10.0.30.2)" 'IB/RoCE v1')
	self_pingpong 1 rc "$one" 127.0.0.1 xr2 "$two"
}

# Two netdevs that no wire joins, and a neighbour that was told by hand.
two_devices_apart()
{
	local one two side
	fresh
	in_side 1 ip link add va type dummy
	in_side 1 ip link add vb type dummy
	in_side 1 ip addr add 10.0.30.1/24 dev va
	in_side 1 ip addr add 10.0.30.2/24 dev vb
	in_side 1 ip link set va up
	in_side 1 ip link set vb up
	in_side 1 ip neigh add 10.0.30.2 lladdr "$(in_side 1 cat /sys/class/net/vb/address)" dev va nud permanent
	in_side 1 ip neigh add 10.0.30.1 lladdr "$(in_side 1 cat /sys/class/net/va/address)" dev vb nud permanent
	add_link 1 xr1 va
	add_link 1 xr2 vb
	wait_for 10 index_on xr1 "$(gid_of 10.0.30.1)" && wait_for 10 index_on xr2 "$(gid_of 10.0.30.2)"
	one=$(index_on xr1 "$(gid_of 10.0.30.1)") two=$(index_on xr2 "$(gid_of 10.0.30.2)")
	self_pingpong 1 rc "$one" 127.0.0.1 xr2 "$two"
	self_pingpong 1 ud "$one" 127.0.0.1 xr2 "$two"
}

without_ipv6()
{
	fresh
	both sysctl -q -w net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.eth0.disable_ipv6=1
	number_ipv4 1
	number_ipv4 2
	add_link 1 xr1 eth0
	add_link 2 xr2 eth0
	wait_for 10 gid_index 1 "$(address 1 4)"
	wait_for 10 gid_index 2 "$(address 2 4)"
	pingpong rc 4 -n 100
	pingpong ud 4 -n 100
	rping_by_address 4 -C 20
	gid_type='IB/RoCE v1'
	pingpong rc 4 -n 100
	first_gid
}

number_ipv4()
{
	in_side "$1" ip addr add "$(address "$1" 4)/24" dev eth0
}

# RoCEv1 needs no address: the first GID works even where no link-local address is.
first_gid()
{
	talk tcp:18515 ibv_rc_pingpong -d xr1 -g 0 -n 100 -- ibv_rc_pingpong -d xr2 -g 0 -n 100 "$(address 1 4)"
}

without_link_local()
{
	fresh
	both ip -6 addr flush dev eth0 scope link
	number 1 eth0
	number 2 eth0
	both ip -6 addr flush dev eth0 scope link
	add_link 1 xr1 eth0
	add_link 2 xr2 eth0
	wait_for_gids 1
	wait_for_gids 2
	pingpong rc 4 -n 100
	rping_by_address 4 -C 20
	gid_type='IB/RoCE v1'
	first_gid
}

run "a bridge" bridge
run "a bond" bond bond0
run "a bond's slave" bond eth0
run "a VLAN" vlan_device
run "a VLAN beside a device below it" vlan_device_beside
run "addresses of a VLAN above the netdev" vlan_addresses
run "a VLAN at one end, addresses of it at the other" vlan_of_different_kinds
run "a VLAN on a bond" vlan_on_bond
run "a macvlan" macvlan
run "tun" tun
run "WireGuard" wireguard
run "lo" loopback_netdev
run "two devices of one namespace, joined by a wire" two_devices
run "two devices of one namespace, apart" two_devices_apart
run "without IPv6" without_ipv6
run "without a link-local address" without_link_local
run "xiwarp on the same netdev" beside_xiwarp
run "all can be unloaded" eval 'drop_wire || true; unload'
finish
