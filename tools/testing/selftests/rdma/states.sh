#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# States of QPs, CQs and SRQs, and their events (states.c).
#
#	first namespace     namespace xr1                     namespace xr2
#	  the program         device xr1, two QPs of it         (no device)
#	                        talk to each other
#	                      eth0 ----------- veth ------------ eth0
#
# Promises: a drained QP starts nothing new and says when it is drained; depths of
# READs can be changed then and hold on both sides; what is posted in SQE and ERR is
# flushed; RESET forgets; a CQ that overflows takes its QPs with it; CQs and SRQs are
# resized under load and lose nothing; LAST_WQE_REACHED and SRQ_LIMIT_REACHED come
# once, as do SRQ_ERR and the events of a peer's bad requests.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper states
need_helper events

plan 18

check()
{
	local index
	index=$(gid_index 1 10.0.0.1) || fail "no GID on xr1"
	bounded "$(helper states)" "$1" xr1 "$index"
}

# What a program hears of a peer's bad requests: events CASE
events()
{
	bounded "$(helper events)" xr1 "$(gid_index 1 10.0.0.1)" "$1"
}

# Without them the messages behind the first would come too early, too.
credits()
{
	local before
	before=$(counter 1 out_of_sequence)
	check credits
	[ "$(counter 1 rnr_nak_retry_err)" -gt 0 ] || fail "nobody was told to wait"
	[ "$(counter 1 out_of_sequence)" = "$before" ] || fail "messages came too early"
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
wait_for_gids 1 || bail_out "the device has no GIDs"

run "SQD: drained, and on again" check drain
run "SQD: more and fewer READs" check grow
run "READs: no more than the device can" check limits
run "credits: no more messages than receive requests" credits
run "RNR: a region goes while its request waits" check dereg-in-rnr
run "SQE: flushed, and on again" check sqe
run "ERR: all is flushed, also what is posted late" check error
run "RESET: forgotten, and used again" check reset
run "inline data" check inline-data
run "CQ: overflow" check overflow
run "CQ: resized while completions come" check resize-cq
run "SRQ: LAST_WQE_REACHED" check last-wqe
run "SRQ: SRQ_LIMIT_REACHED" check srq-limit
run "SRQ: resized while requests are taken" check resize-srq
run "SRQ: SRQ_ERR of a damaged ring" check srq-error
run "events: a request that is not permitted" events forbidden
run "events: a key that is not there" events inaccessible
run "events: a bad receive request" events unusable
finish
