#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What verbs promise users in the kernel: kverbs, a module for this test, talks by QPs of
# a device that are connected with each other.
#
#	first namespace
#	  device xv0, which talks to itself
#	  xvd0  10.96.0.1/24
#
# Promises: fast registration with any size of pages, and with gaps; its limits;
# invalidation by its user, by a peer and after a READ; inline data of the kernel's; every
# opcode on every type of QP is refused or completes; drains end; completions are dealt
# with on the CPU of their CQ's vector; events are moderated; a QP sends no faster than its
# rate limit.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
modprobe -q -n kverbs || skip_all "kverbs is not built: make TESTS=m"
plan 12

check()
{
	mark_log
	echo "$1" > /sys/module/kverbs/parameters/run || { log_since_mark; fail "status $?"; }
}

no_objects()
{
	local kind
	for kind in qp mr; do
		! rdma resource show $kind dev xv0 | grep -q kverbs ||
			fail "left: $(rdma resource show $kind dev xv0)"
	done
}

# For the largest pages
echo 1 > /proc/sys/vm/compact_memory || true
at_exit 'modprobe -r kverbs; remove_alone xv0 xvd0'
add_alone xv0 xvd0 10.96.0.1 || bail_out "cannot make a device on a dummy"
modprobe kverbs device=xv0 || bail_out "cannot load kverbs"
run "fast registration: sizes of pages" check page-sizes
run "fast registration: gaps" check gaps
run "fast registration: limits" check limits
run "invalidation: by the user and by the peer" check invalidation
run "invalidation: with a READ" check read-with-invalidation
run "inline data" check inline-data
run "every opcode on every type of QP" check opcodes
run "drains" check drain
run "completion vectors" check vectors
run "completion events, moderated" check moderation
run "rate limit" check rate-limit
run "nothing is left" no_objects
finish
