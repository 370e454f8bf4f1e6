#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# No memory, over iWARP: faults.sh tells more.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             (no device)
#	  eth0  10.0.0.1/24 ------ veth -------- eth0

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_faults

plan 9
make_wire 1500 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
faults_everywhere || bail_out "cannot load kfaults"

run "opening a device" faults context
run "PD" faults pd
run "CQ" faults cq
run "SRQ" faults srq
run "RC QP" faults rc
run "RC QP with an SRQ" faults rc_of_srq
run "region" faults mr
in_side 1 ip link add dummy0 type dummy
in_side 1 ip link set dummy0 up
# They do a thousand things for a new device.
beside=
run "rdma link add" faults link dummy0
run "nothing is left" nothing_holds_the_module
finish
