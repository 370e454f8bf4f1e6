#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What verbs promise, over iWARP (iw_verbs.c).
#
#	namespace xr1                          namespace xr2
#	  device xr1, two QPs of it              (not used)
#	    talk to each other
#	  eth0  10.0.0.1/24 ------ veth -------- eth0
#
# Promises: requests may be posted before there is a connection, and are flushed after its
# end; SRQs tell of their limit and of a QP's last request; events come for messages that
# solicit them and for no other; whatever is posted is seen, and its end is told to who waits
# for it; attributes are what was agreed on; a region is found at
# the address it was given; messages have as many pieces as there may be.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper iw_verbs

cases='
early:requests before there is a connection
late:requests after its end
srq_limit:the limit of an SRQ
last_wqe:the last request of a QP with an SRQ
solicited:solicited events
bursts:small requests in bursts
queried:attributes
iova:a region at another address
gathered:six pieces in a message
inline:inline bytes
'
plan 10

verbs()
{
	in_side 1 timeout -k 5 "$limit" "$(helper iw_verbs)" "$1" xr1 10.0.0.1
}

make_pair 1500
while IFS=: read -r name description; do
	[ -z "$name" ] || run "$description" verbs "$name"
done <<< "$cases"
finish
