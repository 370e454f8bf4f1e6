#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# rdma-core's own tests, as Debian ships them.
#
#	namespace xr1
#	  device xr1, which talks to itself
#	  eth0  10.0.0.1/24 fd00::1/64
#
# Promises: no test fails. Those of what the device or rdma-core's provider does
# not have skip and say why, and no more do than with the kernel's own driver. One
# process per module: in one for all, pyverbs crashes on the way out of tests for other
# hardware.
#
# GID_TYPE and ADDRESS say by which GID it talks (RoCE v2, 10.0.0.1).

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need python3 python3
suite=${PYVERBS_TESTS:-/usr/share/doc/rdma-core/tests}
[ -d "$suite" ] || skip_all "no $suite: install python3-pyverbs"
python3 -c 'import pyverbs.device' 2> /dev/null || skip_all "no pyverbs: install python3-pyverbs"

modules='addr atomic buf cq cq_events cqex device dmah fork mr odp pd qp qpex rdmacm
	relaxed_ordering shared_pd srq'

# What passes on rxe, by version of rdma-core and kernel: 44 and 56 on 6.12, 65 on 7.3;
# and test_resize_cq, which fails there on 6.12.
rxe_passes='44:87 56:103 65:135'

unpack()
{
	mkdir "$scratch/suite"
	cp -r "$suite" "$scratch/suite/tests"
	find "$scratch/suite" -name '*.gz' -exec gunzip -f {} +
	[ -e "$scratch/suite/tests/test_pd.py" ]
}

has_module()
{
	[ -e "$scratch/suite/tests/test_$1.py" ]
}

# one_module NAME GID-INDEX
one_module()
{
	local status=0
	has_module "$1" || skip "rdma-core of this suite has no test_$1"
	# A segfault after the last test is pyverbs' own; what counts is the tests.
	in_side 1 timeout -k 5 $((300 * patience)) python3 "$tests/pyverbs_ktap.py" "$scratch/suite" \
		"tests.test_$1" --dev xr1 --gid "$2" > "$scratch/module" 2> "$scratch/module.err" ||
		status=$?
	tee -a "$scratch/all" < "$scratch/module"
	grep -q '^# end of tests' "$scratch/module" ||
		{ tail -n 40 "$scratch/module.err"; fail "it died, status $status"; }
	! grep -q '^  not ok' "$scratch/module" || { tail -n 100 "$scratch/module.err"; fail "test_$1"; }
	! grep -q '^  1\.\.0' "$scratch/module" || fail "there are no tests in it"
}

as_many_as_rxe()
{
	local version passes wanted
	version=$(dpkg-query -W -f '${Version}' python3-pyverbs 2> /dev/null) ||
		skip "no dpkg to tell the version of pyverbs"
	wanted=$(tr ' ' '\n' <<< "$rxe_passes" | sed -n "s/^${version%%.*}://p")
	[ -n "$wanted" ] || skip "nobody has counted what passes with $version"
	passes=$(grep '^  ok ' "$scratch/all" | grep -c -v '# SKIP')
	note "$passes tests pass, $wanted on rxe"
	[ "$passes" -ge "$wanted" ] || fail "$passes tests pass, $wanted on rxe"
}

# Some tests want huge pages.
huge_pages=$(sysctl -n vm.nr_hugepages)
at_exit sysctl -q -w "vm.nr_hugepages=$huge_pages"
sysctl -q -w vm.nr_hugepages=16

make_pair 4200
unpack || bail_out "cannot unpack $suite"
index=$(gid_index 1 "${ADDRESS:-10.0.0.1}")
# shellcheck disable=SC2086 # a list of words
set -- $modules
plan $(($# + 2))
for module_name; do
	run "pyverbs test_$module_name" one_module "$module_name" "$index"
done
run "as many tests pass as on rxe" as_many_as_rxe
run "pyverbs test_qpex over IPv6" one_module qpex "$(gid_index 1 fd00::1)"
finish
