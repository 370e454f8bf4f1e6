#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Message sizes around the packet size.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0, MTU 4200  -------- veth --------  eth0, MTU 4200
#
# Promises: messages of 1, 4095, 4096 and 4097 bytes and of 1 MiB arrive whole
# with every path MTU from 256 to 4096 on RC; on UC with the least and the greatest,
# and up to 256 packets; UD takes messages up to the port's MTU and no longer ones.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need ibv_rc_pingpong ibverbs-utils

sizes='1 4095 4096 4097 1048576'
mtus='256 512 1024 2048 4096'
plan $((5 * 5 + 2 * 5 + 3 + 1))

# The programs post as many receives as they use, and no more memory is touched.
times()
{
	if [ "$1" -gt 65536 ]; then echo 4; else echo 20; fi
}

too_long_for_ud()
{
	local index
	index=$(gid_index 1 "$(address 1 4)") || fail "no such GID"
	! exec_ud -g "$index" -s 4097 || fail "it took 4097 bytes"
}

# The program compares with the port's MTU by itself.
exec_ud()
{
	in_side 1 timeout $((20 * patience)) ibv_ud_pingpong -d xr1 "$@" < /dev/null
}

make_pair 4200

for mtu in $mtus; do
	for size in $sizes; do
		n=$(times "$size")
		run "RC, $size bytes, path MTU $mtu" \
			pingpong rc 4 -m "$mtu" -s "$size" -n "$n" -r "$n"
	done
done
for mtu in 256 4096; do
	# Of more packets at once, queues on the way may drop some.
	for size in 1 4095 4096 4097 $((256 * mtu)); do
		n=$(times "$size")
		run "UC, $size bytes, path MTU $mtu" \
			pingpong uc 4 -m "$mtu" -s "$size" -n "$n" -r "$n"
	done
done
for size in 1 4095 4096; do
	run "UD, $size bytes" pingpong ud 4 -s "$size" -n 20 -r 20
done
run "UD, 4097 bytes are refused" too_long_for_ud
finish
