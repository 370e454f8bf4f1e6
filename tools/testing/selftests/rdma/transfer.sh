#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Every operation, every byte compared.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#
# Promises: SEND and WRITE with and without immediate data, READ and atomics, of
# random lengths cut in random pieces, in both directions at once, arrive as they
# were sent: with every path MTU, over IPv4 and IPv6, on RC, UC and UD, around the
# wrap of packet sequence numbers, and with receives that come late (RC).

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper transfer

seed=${SEED:-$RANDOM}
plan 14

make_pair 4200
note "seed $seed"

mtu=1
for bytes in 256 512 1024 2048 4096; do
	run "RC, path MTU $bytes, IPv4" transfer 4 -m $mtu -s "$seed" -n 100
	run "RC, path MTU $bytes, IPv6" transfer 6 -m $mtu -s "$seed" -n 50
	mtu=$((mtu + 1))
done
run "RC, messages up to 1 MiB" transfer 4 -m 5 -s "$seed" -n 20 -q 2 -S 1048576
run "RC, 32 QPs" transfer 4 -m 3 -s "$seed" -n 20 -q 32 -S 4096
run "UC" transfer 4 -t uc -s "$seed" -n 100
run "UD" transfer 4 -t ud -s "$seed" -n 200 -m 5
finish
