# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# The module kverbs, and a device for it.

make_kverbs_device()
{
	at_exit 'modprobe -r kverbs; remove_alone xv0 xvd0'
	# For the largest pages
	echo 1 > /proc/sys/vm/compact_memory || true
	add_alone xv0 xvd0 10.96.0.1 && modprobe kverbs device=xv0
}

# kverbs CASE
kverbs()
{
	mark_log
	echo "$1" > /sys/module/kverbs/parameters/run || { log_since_mark; fail "status $?"; }
}

no_kverbs_objects()
{
	local kind
	for kind in qp mr; do
		! rdma resource show $kind dev xv0 | grep -q kverbs ||
			fail "left: $(rdma resource show $kind dev xv0)"
	done
}
