# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scratch, patience and tests are set by the other parts
#
# rdma-core's own tests, as Debian ships them. One process per module: in one for all,
# pyverbs crashes on the way out of tests for other hardware.

suite=${PYVERBS_TESTS:-/usr/share/doc/rdma-core/tests}

need_pyverbs()
{
	need python3 python3
	[ -d "$suite" ] || skip_all "no $suite: install python3-pyverbs"
	python3 -c 'import pyverbs.device' 2> /dev/null ||
		skip_all "no pyverbs: install python3-pyverbs"
}

prepare_pyverbs()
{
	# Some tests want huge pages.
	at_exit sysctl -q -w "vm.nr_hugepages=$(sysctl -n vm.nr_hugepages)"
	sysctl -q -w vm.nr_hugepages=16
	mkdir "$scratch/suite"
	cp -r "$suite" "$scratch/suite/tests"
	find "$scratch/suite" -name '*.gz' -exec gunzip -f {} +
	has_module pd || bail_out "cannot unpack $suite"
}

has_module()
{
	[ -e "$scratch/suite/tests/test_$1.py" ]
}

# one_module NAME GID-INDEX|any [TEST...]: all of it, or some of its tests. "any" leaves
# it to the tests, which take none of iWARP.
one_module()
{
	local name=$1 gid=$2 names=tests.test_$1 status=0
	has_module "$name" || skip "rdma-core of this suite has no test_$name"
	local gids=(--gid "$gid")
	[ "$gid" != any ] || gids=()
	shift 2
	[ $# -eq 0 ] || names=$(IFS=,; echo "${*/#/tests.test_$name.}")
	# A segfault after the last test is pyverbs' own; what counts is the tests.
	in_side 1 timeout -k 5 $((300 * patience)) python3 "$tests/pyverbs_ktap.py" "$scratch/suite" \
		"$names" --dev xr1 "${gids[@]}" > "$scratch/module" 2> "$scratch/module.err" ||
		status=$?
	tee -a "$scratch/all" < "$scratch/module"
	grep -q '^# end of tests' "$scratch/module" ||
		{ tail -n 40 "$scratch/module.err"; fail "it died, status $status"; }
	! grep -q '^  not ok' "$scratch/module" || { tail -n 100 "$scratch/module.err"; fail "test_$name"; }
	! grep -q '^  1\.\.0' "$scratch/module" || fail "there are no tests in it"
}
