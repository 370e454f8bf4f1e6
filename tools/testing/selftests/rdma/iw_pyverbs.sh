#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What rdma-core's own tests have for iWARP.
#
#	namespace xr1
#	  device xr1, which talks to itself
#	  eth0  10.0.0.1/24 fd00::1/64
#
# Promises: no test fails of those that iWARP allows. It has neither datagrams nor GIDs
# of addresses, and connects by rdma_cm alone; some tests of that want an InfiniBand QP's
# ACK time-out or its states.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

# Since rdma-core 65: it takes a QP to RTS by hand.
export PYVERBS_SKIP='test_modify_rc_qp_rd_atomic=iWARP connects by rdma_cm alone'

need_link_type
need_pyverbs
plan 13
make_pair 4200
prepare_pyverbs
for module_name in addr cq device fork pd qp; do
	run "pyverbs test_$module_name" one_module $module_name 0
done
for module_name in addr cq device fork pd qp; do
	run "pyverbs test_$module_name, no GID named" one_module $module_name any
done
run "pyverbs test_rdmacm" one_module rdmacm 0 \
	CMTestCase.test_rdmacm_{sync_traffic,async_read,async_write,async_reject_traffic}
finish
