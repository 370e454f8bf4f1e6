# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What every test here begins with. A test is a bash script that runs as root,
# alone, on any machine that has the programs it names; it makes its own network
# namespaces, reports in KTAP and leaves nothing behind.
#
# LINK_TYPE=rxe runs a test on the kernel's own driver, to compare.

LINK_TYPE=${LINK_TYPE:-xroce}
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# shellcheck source=tools/testing/selftests/rdma/lib/ktap.sh
. "$tests/lib/ktap.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/wait.sh
. "$tests/lib/wait.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/stuck.sh
. "$tests/lib/stuck.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/link.sh
. "$tests/lib/link.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/kverbs.sh
. "$tests/lib/kverbs.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/pair.sh
. "$tests/lib/pair.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/gid.sh
. "$tests/lib/gid.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/alone.sh
. "$tests/lib/alone.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/counter.sh
. "$tests/lib/counter.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/faults.sh
. "$tests/lib/faults.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/talk.sh
. "$tests/lib/talk.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/programs.sh
. "$tests/lib/programs.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/pyverbs.sh
. "$tests/lib/pyverbs.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/rdmacm.sh
. "$tests/lib/rdmacm.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/transfer.sh
. "$tests/lib/transfer.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/victim.sh
. "$tests/lib/victim.sh"
# shellcheck source=tools/testing/selftests/rdma/lib/wire.sh
. "$tests/lib/wire.sh"

# The programs in C of this folder: built by "make", or handed to a guest.
helper()
{
	local program
	for program in "${TOOLS:-/nonexistent}/$1" "$tests/$1"; do
		[ ! -x "$program" ] || { printf '%s\n' "$program"; return; }
	done
	return 1
}

need_helper()
{
	helper "$1" > /dev/null || skip_all "$1 is not built: make -C $tests"
}
