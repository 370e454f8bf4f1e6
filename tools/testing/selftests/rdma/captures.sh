#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Frames as real cards send them.
#
#	namespace xr1                          namespace xr2
#	  device xr1: victims                    replay
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0
#
# Promises: packets that were captured from cards, with their addresses ours, pass
# every check up to the search for their QP. Packets of their kind for a QP that is
# there are taken: any source port, checksum, identification, reserved bit, padding or
# trailer; and those that are damaged are not.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" = xroce ] || skip_all "it is about xroce's counters"
need python3 python3
need_helper victim

plan 25

# replay VERSION DESTINATION HEX...: as it was captured; for a QP that is not here.
replay()
{
	local version=$1 destination=$2 before drops
	shift 2
	case $destination in
	*:*) in_side 1 ip addr replace "$destination/128" dev eth0 nodad ;;
	*) in_side 1 ip addr replace "$destination/32" dev eth0 ;;
	esac
	wait_for 10 gid_index 1 "$destination" || fail "no GID for $destination"
	before=$(counter 1 drop_no_qp) drops=$(sum_of_drops 1)
	in_side 2 "$tests/frame.py" eth0 v="$version" dmac="$(mac_of 1)" hex="$(tr -d ' \n' <<< "$*")"
	sleep 0.2
	[ "$(counter 1 drop_no_qp)" = $((before + 1)) ] || { show_counters 1; fail "drop_no_qp did not count it"; }
	[ "$(sum_of_drops 1)" = $((drops + 1)) ] || { show_counters 1; fail "another drop counted too"; }
}

# A SEND changes no memory that the victim looks at.
empty_send()
{
	local before drops
	victim 1
	before=$(counter 1 rx_packets) drops=$(sum_of_drops 1)
	write_frame op=0x24 qpn="$uc" data=
	sleep 0.2
	[ "$(counter 1 rx_packets)" = $((before + 1)) ] || { show_counters 1; fail "it was not received"; }
	[ "$(sum_of_drops 1)" = "$drops" ] || { show_counters 1; fail "it was dropped"; }
	verdict
	[[ $said = *'alive 1' ]] || fail "the QP died"
}

make_pair 4200
# Sources that are not ours may come from anywhere.
in_side 1 sysctl -q -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.eth0.rp_filter=0
in_side 1 ip route add default via 10.0.0.2
in_side 1 ip -6 route add default via fd00::2
frame_version=4

run "ACK of a ConnectX, IPv4" replay 4 192.168.250.117 \
	'45 02 00 30 36 31 40 00 40 11 8e 50 c0 a8 fa 72 c0 a8 fa 75 cf 21 12 b7 00 1c 00 00' \
	'11 40 ff ff 00 00 0d 1e 00 46 6f 1e 00 0e 6f 02 8d 64 38 3d'
run "CNP of a ConnectX-4, source port 0" replay 4 10.0.18.1 \
	'45 c2 00 3c 71 8c 40 00 40 11 91 61 0a 00 11 01 0a 00 12 01 00 00 12 b7 00 28 00 00' \
	'81 00 ff ff 40 00 01 18 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 82 fd 00 2a'
run "RoCEv1 WRITE" replay 1 15.0.0.2 \
	'60 20 00 00 00 28 1b 40 00 00 00 00 00 00 00 00 00 00 ff ff 0f 00 00 02' \
	'00 00 00 00 00 00 00 00 00 00 ff ff 0f 00 00 02 0a 70 ff ff 00 00 01 0a 80 a7 88 bc' \
	'00 00 55 d4 c0 72 60 00 00 00 47 b3 00 00 00 05 00 00 00 00 01 00 00 00 e3 d8 56 bb'
run "RoCEv1 ACK" replay 1 15.0.0.2 \
	'60 20 00 00 00 14 1b 40 00 00 00 00 00 00 00 00 00 00 ff ff 0f 00 00 02' \
	'00 00 00 00 00 00 00 00 00 00 ff ff 0f 00 00 02 11 40 ff ff 00 00 01 09 00 a7 88 c0' \
	'00 00 00 05 25 f0 c0 38'
run "UC SEND with a UDP checksum, IPv6" replay 6 2023::1024 \
	'6e 21 fa ce 00 2c 11 ff 20 22 00 00 00 00 00 00 00 00 00 00 00 00 10 23' \
	'20 23 00 00 00 00 00 00 00 00 00 00 00 00 10 24 c0 00 12 b7 00 2c e7 c5' \
	'24 60 ff ff 00 00 00 d3 00 cf 17 10 46 30 81 8b e2 89 35 d9 0e 9a 95 50 54 01 be 88 5e 50 00 00 3e 5b 74 3b'

run "WRITE, IPv4" taken
run "WRITE from source port 0" taken sport=0
run "WRITE from source port 4791" taken sport=4791
run "WRITE with a UDP checksum" taken udpsum=1
run "WRITE with ECN and DSCP" taken tclass=0xc2
run "WRITE with TTL 1" taken hops=1
run "WRITE, migrated, solicited" taken bth1=0xc0
run "WRITE of a limited member of the partition" taken pkey=0x7fff
run "WRITE with 100 bytes behind the packet" taken trailer=100
run "WRITE, priority-tagged" taken tag=0xe000
run "WRITE of five bytes, padded" taken data=0000000001
frame_version=1 gid_type='IB/RoCE v1'
run "RoCEv1 WRITE of five bytes, ECN, migrated" taken data=0000000001 tclass=2 bth1=0x40
frame_version=4 gid_type='RoCE v2'
run "SEND without data, 58 bytes and padding" empty_send
run "WRITE with a wrong ICRC" not_taken drop_icrc icrc=1
run "WRITE with the ICRC in the other order" not_taken drop_icrc icrc=0x01000000
run "WRITE with a length that is too small" not_taken drop_icrc paylen=40
run "WRITE of another partition" not_taken drop_pkey pkey=0x8001
run "WRITE of version 1 of the transport" not_taken drop_version bth1=0x41
run "WRITE of an opcode that is not defined" not_taken drop_opcode op=0xff
run "traffic works as before" pingpong rc 4
finish
