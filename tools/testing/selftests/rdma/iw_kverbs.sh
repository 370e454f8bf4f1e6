#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What verbs promise users in the kernel, over iWARP: kverbs.sh tells more.
#
#	first namespace
#	  device xv0, whose QPs are connected by rdma_cm
#	  xvd0  10.96.0.1/24
#
# Promises: fast registration with any size of pages, and with gaps; a READ that
# invalidates; inline data of the kernel's; every opcode is refused or completes; drains
# end; completions are dealt with on the CPU of their CQ's vector, and stay when it
# changes its size.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
modprobe -q -n kverbs || skip_all "kverbs is not built: make TESTS=m"
plan 9
make_kverbs_device || bail_out "cannot make a device on a dummy"
run "fast registration: sizes of pages" kverbs page-sizes
run "fast registration: gaps" kverbs gaps
run "invalidation: with a READ" kverbs read-with-invalidation
run "inline data" kverbs inline-data
run "every opcode" kverbs opcodes
run "drains" kverbs drain
run "completion vectors" kverbs vectors
run "a CQ that changes its size" kverbs resize
run "nothing is left" no_kverbs_objects
finish
