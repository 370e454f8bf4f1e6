#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory that the kernel and programs share: regions (memory.c), and the rings that
# programs map (mapping.c).
#
#	first namespace     namespace xr1                     namespace xr2
#	  the programs        device xr1, two QPs of it         (no device)
#	                        talk to each other
#	                      eth0 ----------- veth ------------ eth0
#
# Promises: registration refuses what it must, with the right error; a key gives
# what its region, its PD and its rights allow, to the byte and also where 64-bit
# addresses wrap, and nothing once the region is gone; atomics are atomic for the
# CPU, too. No object is made whose answer can't be written. A ring is mapped whole or
# not at all, by its own context, and what is mapped stays until it is unmapped: beyond
# the ring's object, the device and the module.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need_helper memory
need_helper mapping

plan 37

memory()
{
	local index
	index=$(gid_index 1 10.0.0.1) || fail "no GID on xr1"
	bounded "$(helper memory)" "$1" xr1 "$index"
}

mapping()
{
	bounded "$(helper mapping)" "$1" xr1
}

# The program has rings mapped and touches them until it is told to end.
start_mapping()
{
	rm -f "$scratch/mapping"
	timeout -k 5 "$limit" "$(helper mapping)" removal xr1 > "$scratch/mapping" 2>&1 &
	program=$!
	wait_for 30 grep -q '^mapped' "$scratch/mapping" || fail "mapping: $(cat "$scratch/mapping")"
	rdma link del xr1
	wait_for 10 grep -q '^the device has gone' "$scratch/mapping" ||
		fail "it does not notice: $(cat "$scratch/mapping")"
}

end_mapping()
{
	local status=0
	still 1 kill -0 "$program" || fail "it has died: $(cat "$scratch/mapping")"
	kill "$program"
	wait "$program" || status=$?
	[ "$status" = 0 ] || fail "it ended with status $status: $(cat "$scratch/mapping")"
}

removal()
{
	start_mapping
	end_mapping
	add_link 1 xr1 eth0
}

# Mappings do not keep the module: nothing of it is called for them.
unloading()
{
	start_mapping
	unload || fail "cannot unload the module"
	! is_loaded || fail "the module is still there"
	end_mapping
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"
wait_for_gids 1 || bail_out "the device has no GIDs"

run "registration: ranges that are refused" memory bad-ranges
run "registration: access that is refused" memory bad-access
run "registration: memory that is not there" memory bad-memory
run "registration: RLIMIT_MEMLOCK" memory memlock
run "registration: memory stays when it is unmapped" memory unmapped
run "registration: an iova unlike the address" memory iova
run "registration: huge pages" memory huge-pages
run "registration: 2 GiB" memory two-gib
run "registration: more than 4 GiB" memory four-gib
run "registration: more than 16 GiB" memory sixteen-gib
run "limits: WRITE" memory limits-of-write
run "limits: READ" memory limits-of-read
run "limits: where addresses wrap" memory wraps
run "limits: SGEs" memory local-limits
run "keys: wrong ones" memory wrong-keys
run "keys: of another PD" memory other-pd
run "keys: remote rights" memory rights
run "keys: local rights" memory local-rights
run "keys: of regions that are gone" memory dead-keys
run "keys: none needed for no bytes" memory no-bytes
run "atomics: results and errors" memory atomics
run "atomics: against the CPU" memory atomics-and-cpu
run "rings: mapped twice, the same memory" mapping same-memory
run "rings: wrong sizes" mapping wrong-sizes
run "rings: wrong offsets" mapping wrong-offsets
run "rings: no private mapping" mapping private
run "rings: a mapping does not grow" mapping growing
run "rings: not by another context" mapping another-context
run "rings: answers that can't be written" mapping bad-answers
run "rings: CQ destroyed while mapped" mapping destroy-cq
run "rings: SRQ destroyed while mapped" mapping destroy-srq
run "rings: QP destroyed while mapped" mapping destroy-qp
run "rings: CQ resized while mapped" mapping resize-cq
run "rings: context closed while mapped" mapping dead-context
run "rings: a child has them, too" mapping inherited
run "rings: rdma link del while mapped" removal
run "rings: module unloaded while mapped" unloading
finish
