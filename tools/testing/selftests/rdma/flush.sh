#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# FLUSH and atomic WRITE (flush.c).
#
#	first namespace     namespace xr1                     namespace xr2
#	  the program         device xr1, two QPs of it         (no device)
#	                        talk to each other
#	                      eth0 ----------- veth ------------ eth0
#
# Promises: a FLUSH succeeds for what its key names and allows, and nothing
# else; memory that forgets can't be registered as persistent; an atomic WRITE
# stores a word where a word is.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper flush

plan 4

check()
{
	local index
	index=$(gid_index 1 10.0.0.1) || fail "no GID on xr1"
	bounded "$(helper flush)" "$1" xr1 "$index"
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
wait_for_gids 1 || bail_out "the device has no GIDs"

run "FLUSH: ranges and keys" check ranges
run "FLUSH: permission of the QP" check permission
run "FLUSH: persistence needs persistent memory" check persistence
run "atomic WRITE" check words
finish
