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

plan 5

check()
{
	local index
	index=$(gid_index 1 10.0.0.1) || fail "no GID on xr1"
	bounded "$(helper flush)" "$1" xr1 "$index"
}

# What "memmap=64M!1G" on the kernel's command line made of plain memory becomes a DAX
# device: its owner is asked for the whole of it.
make_dax()
{
	local nd=/sys/bus/nd
	[ ! -e /dev/dax0.0 ] || return 0
	modprobe -q -a nd_e820 nd_pmem dax_pmem device_dax || true
	[ -d $nd/devices/namespace0.0 ] || return 0
	echo namespace0.0 > $nd/drivers/nd_pmem/unbind || true
	cat /proc/sys/kernel/random/uuid > $nd/devices/dax0.0/uuid
	echo pmem > $nd/devices/dax0.0/mode
	echo namespace0.0 > $nd/devices/dax0.0/namespace
	echo dax0.0 > $nd/drivers/dax_pmem/bind
}

on_persistent_memory()
{
	make_dax || fail "no DAX device comes of persistent memory"
	check persistent-memory
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
wait_for_gids 1 || bail_out "the device has no GIDs"

run "FLUSH: ranges and keys" check ranges
run "FLUSH: permission of the QP" check permission
run "FLUSH: persistence needs persistent memory" check persistence
run "FLUSH: persistent memory" on_persistent_memory
run "atomic WRITE" check words
finish
