#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Users in the kernel: block devices over NVMe, files over NFS.
#
#	first namespace (targets live there alone)
#	  device xu0, which talks to itself
#	  xud0  10.99.0.1/24
#
# Promises: what is written through nvme-rdma is read again, byte for byte, also by
# the target, though packets are lost; the same for NFS over RDMA; no memory of either
# stays registered. A disk that goes while it is read and written is an error for who does.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
plan 6

address=10.99.0.1
nvmet=/sys/kernel/config/nvmet
nqn=xrdma-test
megabytes=24

remove_all()
{
	[ ! -e /sys/class/nvme ] || for_each_controller disconnect
	remove_target
	umount -f "$scratch/mnt" 2> /dev/null
	tc qdisc del dev lo root 2> /dev/null
	remove_alone xu0 xud0 2> /dev/null
}

# ---- NVMe ------------------------------------------------------------------------

need_nvme()
{
	modprobe -q -a nvmet-rdma nvme-rdma || skip "no nvmet-rdma or nvme-rdma here"
	[ -d "$nvmet" ] || skip "configfs is not mounted"
}

make_target()
{
	dd if=/dev/zero of="$scratch/disk" bs=1M count=$((megabytes + 8)) status=none
	mkdir "$nvmet/subsystems/$nqn"
	echo 1 > "$nvmet/subsystems/$nqn/attr_allow_any_host"
	mkdir "$nvmet/subsystems/$nqn/namespaces/1"
	printf '%s' "$scratch/disk" > "$nvmet/subsystems/$nqn/namespaces/1/device_path"
	# Without O_DIRECT, which a tmpfs may not have.
	echo 1 > "$nvmet/subsystems/$nqn/namespaces/1/buffered_io"
	echo 1 > "$nvmet/subsystems/$nqn/namespaces/1/enable"
	mkdir "$nvmet/ports/1"
	echo rdma > "$nvmet/ports/1/addr_trtype"
	echo ipv4 > "$nvmet/ports/1/addr_adrfam"
	echo "$address" > "$nvmet/ports/1/addr_traddr"
	echo 4420 > "$nvmet/ports/1/addr_trsvcid"
	ln -s "$nvmet/subsystems/$nqn" "$nvmet/ports/1/subsystems/$nqn"
}

remove_target()
{
	[ -d "$nvmet/ports/1" ] || return 0
	rm -f "$nvmet/ports/1/subsystems/$nqn"
	rmdir "$nvmet/ports/1"
	echo 0 > "$nvmet/subsystems/$nqn/namespaces/1/enable"
	rmdir "$nvmet/subsystems/$nqn/namespaces/1" "$nvmet/subsystems/$nqn"
}

# connect_nvme QUEUES
connect_nvme()
{
	echo "transport=rdma,traddr=$address,trsvcid=4420,nqn=$nqn,nr_io_queues=$1" \
		> /dev/nvme-fabrics || return 1
	wait_for 20 find_disk
}

find_disk()
{
	local controller
	for controller in /sys/class/nvme/nvme*; do
		grep -q -s -x "$nqn" "$controller/subsysnqn" || continue
		disk=/dev/$(basename "$controller")n1
		[ -b "$disk" ] && return 0
	done
	return 1
}

for_each_controller()
{
	local controller
	for controller in /sys/class/nvme/nvme*; do
		! grep -q -s -x "$nqn" "$controller/subsysnqn" || "$1" "$controller"
	done
}

disconnect()
{
	echo 1 > "$1/delete_controller"
}

# Random bytes there and back, in requests of BYTES.
there_and_back()
{
	dd if="$scratch/data" of="$disk" bs="$1" oflag=direct conv=fsync status=none &&
		dd if="$disk" of="$scratch/back" bs="$1" iflag=direct \
			count=$((megabytes * 1048576 / $1)) status=none &&
		cmp "$scratch/data" "$scratch/back"
}

verify()
{
	head -c $((megabytes * 1048576)) /dev/urandom > "$scratch/data"
	there_and_back 1048576 || fail "requests of 1 MiB"
	there_and_back 12288 || fail "requests of 12 KiB"
	cmp -n $((megabytes * 1048576)) "$scratch/data" "$scratch/disk" ||
		fail "the target has something else"
	if command -v fio > /dev/null; then
		local block
		block=$(blockdev --getss "$disk")
		fio --name=verify --filename="$disk" "--size=${megabytes}m" --rw=randwrite \
			"--bsrange=$block-256k" "--blockalign=$block" --iodepth=16 --ioengine=libaio \
			--direct=1 --verify=crc32c --verify_state_save=0 > "$scratch/fio" 2>&1 ||
			fail "fio: $(cat "$scratch/fio")"
	else
		note "no fio: its random requests are left out"
	fi
}

nvme()
{
	need_nvme
	make_target
	connect_nvme "$1" || { remove_target; fail "cannot connect"; }
	verify
	for_each_controller disconnect
	remove_target
}

# A region is made valid and void once, however often packets are sent again.
nvme_with_loss()
{
	local shortcut=/sys/module/$module/parameters/shortcut status=0 megabytes=6 dropped
	modprobe -q sch_netem || true
	tc qdisc replace dev lo root netem loss 3% || skip "no netem"
	[ ! -e "$shortcut" ] || echo N > "$shortcut"
	(nvme 1) || status=$?
	[ ! -e "$shortcut" ] || echo Y > "$shortcut"
	dropped=$(tc -s qdisc show dev lo | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p')
	tc qdisc del dev lo root
	[ $status = 0 ] || return $status
	[ "$dropped" -gt 0 ] || fail "nothing was lost"
}

# read_and_write: until that fails, which it does when the disk goes
read_and_write()
{
	local offset=0
	while dd if="$scratch/data" of="$disk" bs=64k count=16 seek="$offset" oflag=direct \
			status=none && dd if="$disk" of=/dev/null bs=64k count=16 \
			skip="$offset" iflag=direct status=none; do
		offset=$(((offset + 16) % 256))
		echo >> "$scratch/rounds"
	done
}

has_rounds()
{
	[ "$(wc -l < "$scratch/rounds")" -ge "$1" ]
}

# The controller goes first: whoever is in the middle hears of it.
nvme_disconnected()
{
	local i pids
	need_nvme
	mark_log
	head -c 1M /dev/urandom > "$scratch/data"
	for i in 1 2; do
		make_target
		connect_nvme "$(nproc)" || { remove_target; fail "cannot connect"; }
		: > "$scratch/rounds"
		pids=()
		for _ in 1 2 3; do
			read_and_write > /dev/null 2>&1 &
			pids+=($!)
		done
		wait_for 30 has_rounds 10 || fail "nothing is read and written"
		if [ $i = 1 ]; then for_each_controller disconnect; else remove_target; fi
		[ $i = 1 ] || for_each_controller disconnect
		for pid in "${pids[@]}"; do
			wait_for 60 not kill -0 "$pid" || fail "who reads and writes hangs"
		done
		remove_target
		wait_for 20 no_qps || fail "QPs stay: $(rdma resource show qp dev xu0)"
	done
	log_since_mark | grep -E 'WARNING|BUG|Call Trace|blocked for more' && fail "a report"
	return 0
}

# What was sent and received through fast regions went through REG_MR.
no_regions_stay()
{
	local left
	left=$(rdma resource show mr dev xu0 | grep -c -E 'comm \[?(nvme|kworker|nfs|rpc)' || :)
	wait_for 10 no_qps || fail "QPs stay: $(rdma resource show qp dev xu0)"
	[ "$left" = 0 ] || fail "$left regions stay: $(rdma resource show mr dev xu0)"
}

no_qps()
{
	! rdma resource show qp dev xu0 | grep -q 'type RC'
}

# ---- NFS ---------------------------------------------------------------------------

need_nfs()
{
	need rpc.nfsd nfs-kernel-server
	need mount.nfs4 nfs-common
	modprobe -q -a nfsd rpcrdma nfs || skip "no NFS over RDMA here"
}

start_nfs()
{
	mkdir -p "$scratch/export" "$scratch/mnt" /run/rpc_pipefs /var/lib/nfs/v4recovery
	mount -t nfsd nfsd /proc/fs/nfsd 2> /dev/null
	rpcbind 2> /dev/null
	exportfs -o rw,no_root_squash,fsid=0,insecure "$address:$scratch/export" || return 1
	rpc.mountd && rpc.nfsd --rdma=20049 -N 3 2 || return 1
	# Or the first open waits 90 s for clients of the time before.
	echo Y > /proc/fs/nfsd/v4_end_grace
	mount -t nfs4 -o rdma,port=20049,vers=4.2,sec=sys "$address:/" "$scratch/mnt"
}

nfs()
{
	(need_nfs) || skip "no NFS tools or modules here"
	start_nfs || fail "cannot mount"
	head -c $((megabytes * 1048576)) /dev/urandom > "$scratch/data"
	cp "$scratch/data" "$scratch/mnt/file" && sync "$scratch/mnt/file"
	echo 3 > /proc/sys/vm/drop_caches
	cmp "$scratch/data" "$scratch/mnt/file" || fail "read something else"
	cmp "$scratch/data" "$scratch/export/file" || fail "the server has something else"
	umount "$scratch/mnt"
	rpc.nfsd 0
}

at_exit remove_all
add_alone xu0 xud0 $address || bail_out "cannot make a device on a dummy"
run "nvme-rdma, one queue" nvme 1
run "nvme-rdma, a queue for each CPU" nvme "$(nproc)"
run "nvme-rdma, 3% lost" nvme_with_loss
run "nvme-rdma, disconnected while it is used" nvme_disconnected
run "no regions or connections stay" no_regions_stay
run "NFS over RDMA" nfs
finish
