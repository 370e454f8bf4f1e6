# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scratch: ktap.sh
#
# The module kverbs, and a device for it.

make_kverbs_device()
{
	at_exit 'modprobe -r kverbs; remove_alone xv0 xvd0'
	# For the largest pages
	echo 1 > /proc/sys/vm/compact_memory || true
	add_alone xv0 xvd0 10.96.0.1 && modprobe kverbs device=xv0
}

# kverbs CASE. The newest kernels resize CQs of programs alone.
kverbs()
{
	mark_log
	echo "$1" 2> "$scratch/error" > /sys/module/kverbs/parameters/run && return
	[ "$1" != resize ] || ! grep -q 'not supported' "$scratch/error" ||
		skip "this kernel has no call for it"
	cat "$scratch/error"
	log_since_mark
	fail "it fails"
}

no_kverbs_objects()
{
	local kind
	for kind in qp mr; do
		! rdma resource show $kind dev xv0 | grep -q kverbs ||
			fail "left: $(rdma resource show $kind dev xv0)"
	done
}
