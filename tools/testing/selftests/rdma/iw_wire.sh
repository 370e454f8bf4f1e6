#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# iWARP on the wire, against a peer that is no driver.
#
#	namespace xr1                          namespace xr2
#	  device xr1: iw_end, a program of       iw_raw: a TCP socket and the
#	  verbs that does what its peer says     protocol, nothing else
#	  eth0  10.0.0.1/24 ------ veth ------   eth0  10.0.0.2/24
#
# Promises: both revisions of MPA, markers, CRC or none, each kind of RTR, in both
# roles; data arrive whole however TCP cuts them; immediate data and atomics of
# RFC 7306 are served; whatever is wrong is refused with the Terminate that the RFCs
# name and the right status, writes nothing and hurts nobody else.

LINK_TYPE=${LINK_TYPE:-xiwarp}
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper iw_raw
need_helper iw_end

raw()
{
	in_side 2 timeout -k 5 $((100 * patience)) "$(helper iw_raw)" "$@"
}

says_listening()
{
	grep -qs '^listening' "$1"
}

# talk_as_initiator CASE: with the iw_end that listens all the while.
talk_as_initiator()
{
	mark_log
	raw talk 10.0.0.1 "$1"
	check_log
}

# accept_as_responder CASE WANTED: iw_end connects and reports WANTED, a pattern.
accept_as_responder()
{
	local pid
	mark_log
	raw accept 10.0.0.2 "$1" > "$scratch/raw" 2>&1 &
	pid=$!
	wait_for 10 says_listening "$scratch/raw" || fail "iw_raw does not listen"
	in_side 1 timeout $((60 * patience)) "$(helper iw_end)" connect 10.0.0.2 hello \
		> "$scratch/end" 2>&1 || true
	wait $pid || { cat "$scratch/raw" "$scratch/end"; fail "iw_raw is not content"; }
	grep -q "$2" "$scratch/end" || { cat "$scratch/end"; fail "not '$2'"; }
	check_log
}

# No peer fills the kernel's log.
check_log()
{
	log_since_mark > "$scratch/kernel"
	[ ! -s "$scratch/kernel" ] || { cat "$scratch/kernel"; fail "the log is not silent"; }
}

make_wire 1500 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
in_side 1 "$(helper iw_end)" listen 10.0.0.1 > "$scratch/listener" 2>&1 &
at_exit "kill $!"
wait_for 10 says_listening "$scratch/listener" ||
	{ cat "$scratch/listener"; bail_out "iw_end does not listen"; }

mapfile -t cases < <("$(helper iw_raw)" cases)
plan $((${#cases[@]} + 10))
for case in "${cases[@]}"; do
	run "initiator: $case" talk_as_initiator "$case"
done
for case in plain crc markers rtr-read rtr-fpdu v1; do
	run "responder: $case" accept_as_responder "$case" '^RDMA_CM_EVENT_ESTABLISHED 0'
done
run "responder: reject" accept_as_responder reject '^RDMA_CM_EVENT_REJECTED.*sorry'
for case in no-rtr much-ord garbage; do
	run "responder: $case" accept_as_responder $case '^RDMA_CM_EVENT_\(CONNECT_ERROR\|UNREACHABLE\|REJECTED\)'
done
finish
