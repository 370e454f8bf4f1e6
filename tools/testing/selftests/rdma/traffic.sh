#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Programs as Debian ships them talk RoCEv2 from one namespace to the other.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers                                clients
#
# Promises: RC, UC and UD, with and without a shared receive queue and with
# rdma_cm, work over IPv4 and IPv6; programs that can check the data find them
# right; WRITE, READ and SEND move what perftest asks for. Nothing is dropped,
# and both devices count the same packets.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need ibv_rc_pingpong ibverbs-utils
need rping rdmacm-utils
need ib_write_bw perftest

plan 21

# arrived SIDE: what reached it, also after the program was gone
arrived()
{
	echo $(($(counter "$1" rx_packets) + $(counter "$1" drop_no_qp)))
}

# agree FROM TO
agree()
{
	local sent received
	sent=$(counter "$1" tx_packets)
	received=$(arrived "$2")
	[ "$sent" -gt 0 ] || fail "xr$1 counts no packets"
	[ "$sent" = "$received" ] || fail "xr$1 sent $sent packets, xr$2 received $received"
	# Bytes of what was dropped are not counted.
	[ "$(counter "$2" drop_no_qp)" = 0 ] || return 0
	[ "$(counter "$1" tx_bytes)" = "$(counter "$2" rx_bytes)" ] ||
		fail "xr$1 sent $(counter "$1" tx_bytes) bytes, xr$2 received $(counter "$2" rx_bytes)"
}

counters_agree()
{
	agree 1 2
	agree 2 1
}

# total NAME: of both sides
total()
{
	echo $(($(counter 1 "$1") + $(counter 2 "$1")))
}

# The last acknowledgement may find that the program or its QP is gone. A host that stalls for
# longer than some round trips makes the other send again, and a program that moves to
# another processor may overtake its own packets: veth has a queue for each. Then the
# copies are stale or duplicates. Nothing else may be dropped, and few at that.
nothing_dropped()
{
	local reason dropped expected='no_qp qp_state' excused
	excused=$(($(total local_ack_timeout_err) + $(total tail_probes) +
		$(total out_of_sequence)))
	[ $excused = 0 ] || expected+=' stale duplicate out_of_order'
	dropped=$(($(sum_of_drops 1) + $(sum_of_drops 2)))
	for reason in $expected; do
		dropped=$((dropped - $(total "drop_$reason")))
	done
	note "$(total local_ack_timeout_err) timeouts, $(total out_of_sequence) overtaken," \
		"$(total retransmitted_packets) of $(total tx_packets) sent again"
	[ $dropped = 0 ] || { show_counters 1; show_counters 2; fail "$dropped packets dropped"; }
	[ $excused != 0 ] || [ "$(total retransmitted_packets)" = 0 ] || fail "sent again"
	[ "$(total retransmitted_packets)" -lt $(($(total tx_packets) / 20)) ] ||
		fail "more than one in twenty was sent again"
}

make_pair 4200

for family in 4 6; do
	run "ibv_rc_pingpong, IPv$family" pingpong rc $family
	run "ibv_uc_pingpong, IPv$family" pingpong uc $family
	run "ibv_ud_pingpong, IPv$family" pingpong ud $family
	run "ibv_srq_pingpong, IPv$family" pingpong srq $family -n 50 -q 4
	run "ibv_rc_pingpong with events, IPv$family" pingpong rc $family -e
	run "rping, IPv$family" rping_by_address $family
	run "ib_write_bw, IPv$family" perftest ib_write_bw $family
	run "ib_read_bw, IPv$family" perftest ib_read_bw $family
	run "ib_send_lat, IPv$family" perftest ib_send_lat $family
done
run "ibv_rc_pingpong with ibv_wr_*()" pingpong rc 4 -N
if [ "$LINK_TYPE" = xroce ]; then
	run "nothing was dropped or sent twice" nothing_dropped
	run "what one side sent the other received" counters_agree
else
	run "nothing was dropped or sent twice" skip "$LINK_TYPE does not count it"
	run "what one side sent the other received" skip "$LINK_TYPE does not count it"
fi
finish
