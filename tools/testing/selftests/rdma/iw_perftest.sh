#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# perftest over iWARP: what iw_traffic.sh leaves out.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers                                clients
#
# Promises: each of its programs that iWARP allows does all message sizes (-a), and but
# for WRITEs, which it has none for, waits for events (-e); SENDs go in both directions
# (-b).

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need ib_write_bw perftest

tests_of_perftest='
ib_write_bw -a -n 5
ib_write_lat -a -n 5
ib_read_bw -a -n 5
ib_read_lat -a -n 5
ib_send_bw -a -n 5
ib_send_lat -a -n 5
ib_read_bw -e
ib_read_lat -e
ib_send_lat -e
ib_send_bw -b
'
plan "$(grep -c . <<< "$tests_of_perftest")"
make_pair 1500
run_perftest_by_cm "$tests_of_perftest"
finish
