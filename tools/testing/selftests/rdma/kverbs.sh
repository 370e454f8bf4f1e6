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

make_kverbs_device || bail_out "cannot make a device on a dummy"
run "fast registration: sizes of pages" kverbs page-sizes
run "fast registration: gaps" kverbs gaps
run "fast registration: limits" kverbs limits
run "invalidation: by the user and by the peer" kverbs invalidation
run "invalidation: with a READ" kverbs read-with-invalidation
run "inline data" kverbs inline-data
run "every opcode on every type of QP" kverbs opcodes
run "drains" kverbs drain
run "completion vectors" kverbs vectors
run "completion events, moderated" kverbs moderation
run "rate limit" kverbs rate-limit
run "nothing is left" no_kverbs_objects
finish
