#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Programs that connect through rdma_cm.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#	  servers                                clients
#
# Promises: the utilities of librdmacm work over IPv4 and IPv6: RC and UD, many
# connections, sockets over RDMA, and a file that arrives as it was.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need rping rdmacm-utils
need ucmatose rdmacm-utils

plan 18

udaddy_by_address()
{
	local address
	address=$(address 1 "$1")
	talk cm:7174 udaddy -b "$address" -c 2 -C 50 -- udaddy -s "$address" -c 2 -C 50
	grep -q 'return status 0' "$scratch/client" || { show_talk; fail "status"; }
}

make_pair 4200

run "rping, IPv4" rping_by_address 4
run "rping, IPv6" rping_by_address 6
run "rping, 65000 bytes" rping_by_address 4 -C 20 -S 65000
run "rping, a link-local address" link_local_rping
run "rping, to its own host" to_itself
run "rping, one client after the other" persistent_rping
run "rping, nobody listens" nobody_listens
run "ucmatose, IPv4, 4 connections" ucmatose_by_address 4 -c 4 -C 50 -S 5000
run "ucmatose, IPv6" ucmatose_by_address 6 -c 1 -C 50
run "udaddy, IPv4" udaddy_by_address 4
run "udaddy, IPv6" udaddy_by_address 6
run "rdma_server and rdma_client" rdma_client_server
run "cmtime, 30 connections" many_connections
run "rstream" stream rstream 4
run "rstream, verified, IPv6" stream rstream 6 -T v
run "rstream, nonblocking" stream rstream 4 -T n
run "riostream, verified" stream riostream 4 -T v
run "rcopy" copy_file
finish
