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
}

counters_agree()
{
	agree 1 2
	agree 2 1
}

# The last acknowledgement may find that the program is gone. A host that stalls for
# longer than the programs' timeout of 67 ms sends again, and the copies are stale or
# duplicates. Nothing else may be dropped.
nothing_dropped()
{
	local side drops timeouts reason
	timeouts=$(($(counter 1 local_ack_timeout_err) + $(counter 2 local_ack_timeout_err)))
	for side in 1 2; do
		drops=$(($(sum_of_drops "$side") - $(counter "$side" drop_no_qp)))
		[ "$timeouts" = 0 ] || for reason in stale duplicate qp_state; do
			drops=$((drops - $(counter "$side" "drop_$reason")))
		done
		[ "$drops" = 0 ] || { show_counters "$side"; fail "xr$side dropped packets"; }
		[ "$timeouts" != 0 ] || [ "$(counter "$side" retransmitted_packets)" = 0 ] ||
			fail "xr$side retransmitted"
	done
	[ "$timeouts" = 0 ] || echo "# $timeouts timeouts: this machine stalls"
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
