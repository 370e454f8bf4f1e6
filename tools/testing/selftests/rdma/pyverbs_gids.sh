#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# rdma-core's own tests by the GIDs that pyverbs.sh does not take: RoCEv1, and RoCEv2 over
# IPv6. Topology and promises are there.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_pyverbs

# by TYPE ADDRESS: a result of ours is a note here, for theirs are nested in it.
by()
{
	local status=0
	GID_TYPE=$1 ADDRESS=$2 CASE_SECONDS=300 "$tests/pyverbs.sh" > "$scratch/output" 2>&1 ||
		status=$?
	sed -e '/^1\.\.[0-9]/d' -e '/^KTAP/d' -e 's/^\(not \)\?ok /# &/' "$scratch/output"
	[ "$status" = 0 ] || fail "status $status"
}

plan 2
CASE_SECONDS=1500
run "RoCEv1" by 'IB/RoCE v1' 10.0.0.1
run "RoCEv2 over IPv6" by 'RoCE v2' fd00::1
finish
