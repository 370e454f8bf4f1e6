#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Sockets that the kernel carries by RDMA: RDS and SMC-R.
#
#	first namespace (RDS lives there alone)
#	  device xk0, which talks to itself
#	  xkd0  10.97.0.1/24
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  SMC server                             SMC client
#
# Promises: what one end sends comes to the other, byte for byte, and by our devices, not
# by TCP or a short cut. SMC-R of version 1 takes RoCEv1 GIDs only.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need python3 python3
plan 2

program=$tests/sockets.py

bytes_sent()
{
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/tx_bytes"
}

# A device with RDS on it can't be removed before its connections have ended.
end_rds()
{
	modprobe -q -r rds_rdma rds
}

rds()
{
	local before sent
	modprobe -q rds_rdma || skip "no rds_rdma here"
	before=$(bytes_sent xk0)
	bounded python3 "$program" rds 10.97.0.1 || fail "RDS"
	sent=$(($(bytes_sent xk0) - before))
	[ $sent -gt 1000000 ] || fail "only $sent bytes went by the device"
	wait_for 20 end_rds || fail "RDS does not end: $(grep rds /proc/modules)"
}

smc()
{
	local before sent
	modprobe -q smc || skip "no smc here"
	before=$(bytes_sent xr2)
	talk tcp:3000 python3 "$program" smc-server 10.0.0.1 3000 \
		-- python3 "$program" smc-client 10.0.0.1 3000
	sent=$(($(bytes_sent xr2) - before))
	[ $sent -gt 4194304 ] || fail "only $sent bytes went by the device"
}

at_exit 'remove_alone xk0 xkd0'
add_alone xk0 xkd0 10.97.0.1 || bail_out "cannot make a device on a dummy"
run "RDS" rds
make_pair 4200
run "SMC-R" smc
finish
