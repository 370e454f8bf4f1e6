#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Programs that connect through rdma_cm, over iWARP.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers                                clients
#
# Promises: the utilities of librdmacm and perftest's programs with -R work as they
# do over RoCE, as far as iWARP has the operations; streams let others have their turn.
# More of perftest: iw_perftest.sh.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need rping rdmacm-utils
need ib_write_bw perftest

# Not --use-srq with more than one QP: over iWARP, perftest counts how many SENDs a peer
# may do by the receives that they met, as if each QP had its own, and then waits for ever.
# -q 2 -l 4 hangs if requests for connections come in another order than they were made.
# ib_send_bw -e hangs with an even number of messages: over iWARP, perftest holds the last
# one back until the peer has told by a WRITE, which is no event, that he has met some; it
# looks once, then waits for an event of what it has sent, which only the last would have.
tests_of_perftest='
ib_write_bw
ib_write_lat
ib_read_bw
ib_read_lat
ib_send_bw
ib_send_lat
ib_send_bw -e -n 51
ib_write_lat -I 64 -s 64
ib_send_lat -I 64 -s 64
ib_write_bw -q 4
ib_send_bw -q 2 -l 4 -n 40
ib_send_bw --use-srq
ib_write_bw -b
ib_read_bw -b
ib_read_bw -o 1
ib_read_bw -s 1000000 -n 10
ib_write_bw -s 1000000 -n 10
'

# Its own protocol is on port 19765 of TCP. Its other WRITEs have immediate data, which
# the provider has not.
qperf_rc()
{
	local test
	command -v qperf > /dev/null || skip "no qperf"
	serve tcp:19765 qperf
	for test in rc_lat rc_bw rc_bi_bw rc_rdma_read_bw rc_rdma_read_lat \
		    rc_rdma_write_poll_lat; do
		qperf_test $test
	done
	kill "$server_pid"
}

# Two connections that always have something to send, and one that asks and waits.
beside_streams()
{
	local port pids=()
	for port in 18601 18602; do
		(exec_side 1 ib_write_bw -R -F -p $port --run_infinitely) > "$scratch/stream.$port" 2>&1 &
		server_pid=$!
		pids+=($!)
		wait_for 20 is_ready cm:$port
		(exec_side 2 ib_write_bw -R -F -p $port --run_infinitely 10.0.0.1) > /dev/null 2>&1 &
		pids+=($!)
	done
	wait_for 30 streams_flow || fail "the streams don't flow"
	rping_by_address 4 -C 100
	streams_flow || fail "the streams have ended"
	kill "${pids[@]}"
}

# Both have sent more than ten MiB
streams_flow()
{
	[ "$(in_side 2 ss -tinH 'dport = :18601 or dport = :18602' |
		grep -c -E 'bytes_sent:[0-9]{8,}')" = 2 ]
}

plan $((19 + 17))

make_pair "${MTU:-1500}"

run "rping, IPv4" rping_by_address 4
run "rping, IPv6" rping_by_address 6
run "rping, 65000 bytes" rping_by_address 4 -C 20 -S 65000
run "rping, a link-local address" link_local_rping
run "rping, to its own host" to_itself
run "rping, to its own host, wildcard" to_itself_by_wildcard
run "rping, one client after the other" persistent_rping
run "rping, nobody listens" nobody_listens
run "ucmatose, IPv4, 4 connections" ucmatose_by_address 4 -c 4 -C 50 -S 5000
run "ucmatose, IPv6" ucmatose_by_address 6 -c 1 -C 50
run "rdma_server and rdma_client" rdma_client_server
run "rstream" stream rstream 4
run "rstream, verified, IPv6" stream rstream 6 -T v
run "rstream, nonblocking" stream rstream 4 -T n
run "riostream, verified" stream riostream 4 -T v
run "rcopy" copy_file
run "rping beside two streams" beside_streams
run "cmtime, 30 connections" many_connections_beside_tcp
run "qperf, RC through the CM" qperf_rc
run_perftest_by_cm "$tests_of_perftest"
finish
