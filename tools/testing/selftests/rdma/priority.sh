#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Priorities, classes and flows of what is sent.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers                                clients, a qdisc with eight classes
#
# Promises: a service level is the priority by which qdiscs (prio, ets, mqprio) sort; on a VLAN it is the
# PCP, through whichever priority the VLAN's map makes it from; a traffic class is
# the DSCP of the packets and without a service level gives the priority as it does
# for sockets, also when rdma_cm's "type of service" sets it. This holds for RoCEv1
# and v2, requests and answers. Source ports tell flows apart: by the flow label, or
# the numbers of the QPs, alike in both directions. In a class of its own, by traffic
# class or service level, nothing of what is sent is lost to a flood that shares the
# link; without one it is.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" = xroce ] || skip_all "the kernel's own driver has no priorities"
need ibv_rc_pingpong ibverbs-utils
need ib_write_bw perftest
need tcpdump tcpdump

plan 25

# ---- classes --------------------------------------------------------------------------

# On eth0 of both sides: a class 1:N+1 for each priority N, of the qdisc named.
sorter=prio
make_classes()
{
	local side words
	case $sorter in
	prio) words='bands 8' ;;
	ets) words='bands 8 strict 8' ;;
	mqprio)
		# Classes are queues of the netdev here.
		words='num_tc 8 map 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0
			queues 1@0 1@1 1@2 1@3 1@4 1@5 1@6 1@7 hw 0'
		;;
	esac
	[ "$sorter" = mqprio ] || words+=' priomap 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0'
	modprobe -q "sch_$sorter" || true
	for side in 1 2; do
		# shellcheck disable=SC2086 # a list of words
		in_side $side tc qdisc replace dev eth0 root handle 1: "$sorter" $words ||
			skip "no $sorter here"
	done
}

drop_classes()
{
	local side
	for side in 1 2; do
		in_side $side tc qdisc del dev eth0 root
	done
}

# packets_of SIDE PRIORITY
packets_of()
{
	in_side "$1" tc -s class show dev eth0 classid "1:$(($2 + 1))" |
		awk '/Sent .* pkt/ { sum += $4 } END { print sum + 0 }'
}

show_classes()
{
	local side
	for side in 1 2; do
		in_side $side tc -s class show dev eth0 | grep -A1 class
	done
}

# sorted_by PRIORITY COMMAND...: what it sends is of that priority, on both sides.
sorted_by()
{
	local priority=$1 side
	shift
	make_classes
	"$@"
	for side in 1 2; do
		[ "$(packets_of $side "$priority")" -ge 50 ] ||
			{ show_classes; fail "xr$side sent $(packets_of $side "$priority") with priority $priority"; }
	done
	drop_classes
}

# sorted_by_qdisc NAME PRIORITY COMMAND...
sorted_by_qdisc()
{
	sorter=$1
	sorted_by "${@:2}"
}

v1_pingpong()
{
	gid_type='IB/RoCE v1'
	pingpong "$@"
}

# ---- traffic class --------------------------------------------------------------------

# egress PRIO PROTOCOL MATCH...: count packets that xr2 sends.
egress()
{
	local prio=$1 protocol=$2
	shift 2
	in_side 2 tc filter add dev eth0 egress prio "$prio" protocol "$protocol" u32 "$@" action ok
}

# with_tos BYTE PROTOCOL COMMAND...: all packets that xr2 sends bear its DSCP, but for MADs,
# of which the kernel decides.
with_tos()
{
	local byte=$1 protocol=$2 port class qpn right mads others
	shift 2
	# The QPN is in the second word behind the UDP header.
	case $protocol in
	ip) port='ip dport' class='ip tos' qpn=32 ;;
	ipv6) port='ip6 dport' class='ip6 priority' qpn=52 ;;
	esac
	in_side 2 tc qdisc add dev eth0 clsact
	# shellcheck disable=SC2086 # pairs of words
	{
		egress 1 "$protocol" match $port 4791 0xffff match u32 1 0xffffff at $qpn
		egress 2 "$protocol" match $port 4791 0xffff match $class "$byte" 0xfc
		egress 3 "$protocol" match $port 4791 0xffff
	}
	"$@"
	mads=$(filter_hits 1) right=$(filter_hits 2) others=$(filter_hits 3)
	in_side 2 tc qdisc del dev eth0 clsact
	note "$right packets with $byte, $others without, $mads MADs"
	[ "$right" -ge 40 ] || fail "$right packets with $byte"
	[ "$others" -le "${own_words:-0}" ] || fail "$others packets with another"
}

filter_hits()
{
	in_side 2 tc -s filter show dev eth0 egress prio "$1" |
		awk '/Sent .* pkt/ { sum += $4 } END { print sum + 0 }'
}

# ---- VLAN --------------------------------------------------------------------------------

# pcp_of_vlan PCP COMMAND...: what xr2 sends in VLAN 5 has that.
pcp_of_vlan()
{
	local pcp=$1 right all
	shift
	in_side 2 tc qdisc add dev eth0 clsact
	in_side 2 tc filter add dev eth0 egress prio 1 protocol 802.1Q flower vlan_id 5 vlan_prio "$pcp" action ok
	in_side 2 tc filter add dev eth0 egress prio 2 protocol 802.1Q flower vlan_id 5 action ok
	"$@"
	right=$(filter_hits 1)
	all=$(filter_hits 2)
	in_side 2 tc qdisc del dev eth0 clsact
	note "$right frames of priority $pcp, $all others"
	[ "$right" -ge 50 ] || fail "$right frames with PCP $pcp"
}

# The network of the VLAN.
in_vlan()
{
	address()
	{
		case $2 in
		4) printf '10.0.5.%d\n' "$1" ;;
		6) printf 'fd00:5::%d\n' "$1" ;;
		esac
	}
	"$@"
}

make_vlan()
{
	local side
	for side in 1 2; do
		in_side $side ip link add link eth0 name eth0.5 type vlan id 5 \
			egress-qos-map 2:5 3:3 6:4 || return
		in_side $side tee /proc/sys/net/ipv6/conf/eth0.5/accept_dad <<< 0 > /dev/null
		in_side $side ip addr add "10.0.5.$side/24" dev eth0.5
		in_side $side ip addr add "fd00:5::$side/64" dev eth0.5 nodad
		in_side $side ip link set eth0.5 up
	done
	(in_vlan wait_for_gids 1 && in_vlan wait_for_gids 2)
}

# ---- flows ----------------------------------------------------------------------------------

# source_ports COMMAND...: prints those of RoCEv2 packets in both directions.
source_ports()
{
	local pid
	(exec_side 2 tcpdump -n -U -i eth0 -w "$scratch/ports" 'udp dst port 4791') > "$scratch/tcpdump" 2>&1 &
	pid=$!
	wait_for 20 grep -q 'listening on' "$scratch/tcpdump" || fail "tcpdump does not start"
	"$@" > "$scratch/said" 2>&1 || { cat "$scratch/said"; fail "$*"; }
	sleep 0.5
	kill $pid
	wait $pid || true
	tcpdump -n -r "$scratch/ports" 2> /dev/null | sed -n 's/.*IP6* \([^ ]*\)\.\([0-9]*\) > .*/\1 \2/p' | sort | uniq -c
}

# Both directions of a connection have one source port, two connections have two.
ports_of_connections()
{
	local ports
	source_ports perftest ib_write_bw 4 -q 2 -n 50 > "$scratch/list"
	cat "$scratch/list"
	for side in 1 2; do
		awk -v a="10.0.0.$side" '$2 == a { print $3 }' "$scratch/list" | sort -u > "$scratch/ports.$side"
	done
	cmp "$scratch/ports.1" "$scratch/ports.2" || fail "not the same in both directions"
	ports=$(wc -l < "$scratch/ports.1")
	[ "$ports" = 2 ] || fail "$ports ports for two connections"
	[ "$(head -n 1 "$scratch/ports.1")" -ge 49152 ] || fail "a port below 0xc000"
}

# 0x1face gives 0xfac9, which is 64201: see rdma_flow_label_to_udp_sport().
port_of_a_flow_label()
{
	ib_write_bw --help | grep -q flow_label || skip "this perftest has no flow labels"
	source_ports perftest ib_write_bw 6 -n 50 --flow_label=129742 > "$scratch/list"
	cat "$scratch/list"
	[ "$(awk '{ print $3 }' "$scratch/list" | sort -u)" = 64201 ] || fail "not the port of the label"
}

# ---- beside a flood -----------------------------------------------------------------------

# 20 Mbit/s of xr2's, in two classes; the second has little room. What programs tell each
# other by TCP is in the first.
make_bottleneck()
{
	modprobe -q -a sch_tbf sch_prio cls_flower || true
	in_side 2 tc qdisc replace dev eth0 root handle 1: tbf rate 20mbit burst 16kb limit 1mb ||
		skip "no tbf"
	# shellcheck disable=SC2068 # words
	in_side 2 tc qdisc add dev eth0 parent 1:1 handle 2: prio bands 2 priomap $@
	in_side 2 tc qdisc add dev eth0 parent 2:1 handle 21: pfifo limit 1000
	in_side 2 tc qdisc add dev eth0 parent 2:2 handle 22: pfifo limit 30
	in_side 2 tc filter add dev eth0 parent 2: protocol ip flower ip_proto tcp classid 2:1
}

dropped_by()
{
	in_side 2 tc -s -j qdisc show dev eth0 | python3 -c "
import json, sys
print(sum(q['drops'] for q in json.load(sys.stdin) if q['handle'] == '$1'))"
}

start_flood()
{
	in_side 2 python3 -c "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('10.0.0.1', 9))
while True:
    try: s.send(bytes(1400))
    except OSError: pass" &
	flood=$!
	wait_for 20 is_flooded || fail "the flood is not too much for the link"
}

is_flooded()
{
	[ "$(dropped_by 22:)" -gt 100 ]
}

# beside_flood COMMAND...: in $lost, what was lost of what it sent
beside_flood()
{
	local before status=0
	start_flood
	before=$(counter 2 tx_dropped)
	("$@") || status=$?
	lost=$(($(counter 2 tx_dropped) - before))
	kill "$flood"
	wait "$flood" 2> /dev/null || true
	note "$lost of RoCE lost, $(dropped_by 21:) drops in the first class, $(dropped_by 22:) in the second"
	return $status
}

# in_class MAP COMMAND...
in_class()
{
	# shellcheck disable=SC2086 # words
	make_bottleneck $1
	in_side 2 tc filter add dev eth0 parent 2: protocol ip flower ip_tos 0x68/0xfc classid 2:1
	beside_flood "${@:2}" || fail "${*:2}"
	[ "$(dropped_by 21:)" = 0 ] || fail "its class dropped"
	[ "$lost" = 0 ] || fail "$lost packets were dropped"
	drop_bottleneck
}

drop_bottleneck()
{
	in_side 2 tc qdisc del dev eth0 root
}

# Or the cases before show nothing. It takes its time.
in_no_class()
{
	make_bottleneck 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
	for _ in 1 2 3 4 5; do
		beside_flood perftest ib_write_bw 4 -n 20 -s 4096 || note "it gave up"
		[ "$lost" = 0 ] || break
	done
	drop_bottleneck
	[ "$lost" -gt 0 ] || fail "nothing was lost: the flood does no harm"
}

make_pair 4200
fix_neighbours || bail_out "cannot name neighbours"
make_vlan || bail_out "no VLANs"

for sl in 0 3 7; do
	run "service level $sl, RC" sorted_by $sl pingpong rc 4 -n 100 -l $sl
done
run "service level 5, UD, IPv6" sorted_by 5 pingpong ud 6 -n 100 -l 5
run "service level 4, RoCEv1" sorted_by 4 v1_pingpong rc 4 -n 100 -l 4
run "traffic class 0x68 is the TOS byte" with_tos 0x68 ip perftest ib_write_bw 4 -n 50 --tclass=104
run "traffic class 0x68, IPv6" with_tos 0x68 ipv6 perftest ib_write_bw 6 -n 50 --tclass=104
run "traffic class 0x10 is interactive" sorted_by 6 perftest ib_send_bw 4 -n 100 --tclass=16
run "traffic class 0x08 is bulk" sorted_by 2 perftest ib_send_bw 4 -n 100 --tclass=8
run "a service level goes before a class" sorted_by 3 perftest ib_send_bw 4 -n 100 --tclass=16 -S 3
# perftest first connects another QP, for words with its server, without a type.
own_words=40
run "rdma_cm's type of service is the TOS byte" with_tos 0x10 ip perftest ib_send_bw 4 -n 50 -R -T 16
run "rdma_cm's type of service is interactive" sorted_by 6 perftest ib_send_bw 4 -n 100 -R -T 16
run "VLAN: service level 3 is PCP 3" in_vlan pcp_of_vlan 3 pingpong rc 4 -n 100 -l 3
run "VLAN: service level 5 is PCP 5, by another priority" in_vlan pcp_of_vlan 5 pingpong rc 6 -n 100 -l 5
run "VLAN: rdma_cm's type of service" in_vlan pcp_of_vlan 4 perftest ib_send_bw 4 -n 100 -R -T 16
no_priority_but_3='1 1 1 0 1 1 1 1 1 1 1 1 1 1 1 1'
run "a flood beside the class of a DSCP" in_class "${no_priority_but_3/0/1}" \
	perftest ib_write_bw 4 -n 200 -s 4096 --tclass=104
run "a flood beside the class of a service level" in_class "$no_priority_but_3" \
	perftest ib_write_bw 4 -n 200 -s 4096 -S 3
run "a flood in the same class" in_no_class
run "ets: service level 5" sorted_by_qdisc ets 5 pingpong rc 4 -n 100 -l 5
run "ets: traffic class 0x10 is interactive" sorted_by_qdisc ets 6 perftest ib_send_bw 4 -n 100 --tclass=16
run "source ports of connections" ports_of_connections
run "the source port of a flow label" port_of_a_flow_label
# The netdevs so far have one queue.
wire_queues=8
make_pair 4200
fix_neighbours || bail_out "cannot name neighbours"
run "mqprio: service level 5" sorted_by_qdisc mqprio 5 pingpong rc 4 -n 100 -l 5
run "mqprio: service level 3, UD, IPv6" sorted_by_qdisc mqprio 3 pingpong ud 6 -n 100 -l 3
run "mqprio: traffic class 0x10 is interactive" sorted_by_qdisc mqprio 6 perftest ib_send_bw 4 -n 100 --tclass=16
finish
