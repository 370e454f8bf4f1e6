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
# not have skip and say why, and no more do than with the kernel's own driver.
#
# GID_TYPE and ADDRESS say by which GID it talks (RoCE v2, 10.0.0.1).

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_pyverbs

modules='addr atomic buf cq cq_events cqex device dmah fork mr odp pd qp qpex rdmacm
	relaxed_ordering shared_pd srq'

# What passes on rxe, by version of rdma-core and kernel: 44 and 56 on 6.12, 65 on 7.3;
# and test_resize_cq, which fails there on 6.12.
rxe_passes='44:87 56:103 65:135'

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

make_pair 4200
prepare_pyverbs
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
