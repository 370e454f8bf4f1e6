#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# SCSI over RDMA: LIO's targets, the kernel's initiators and libiscsi's.
#
#	first namespace (targets live there alone)
#	  device xs0, which talks to itself
#	  xsd0  10.98.0.1/24
#
# Promises: what is written by SRP and by iSER is read again, byte for byte, also by the
# target; libiscsi, an initiator in user space, finds what the kernel's finds; nothing
# stays when they end. The ports of iWARP are TCP's, so LIO's TCP portal and iSER can't have
# one port of one address there, unless the portal's socket is in another namespace.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
plan 5

address=10.98.0.1
target=/sys/kernel/config/target
iqn=iqn.2026-11.test:xrdma
srp_port=5555
megabytes=16

# ---- the disk behind the targets --------------------------------------------------

remove_all()
{
	remove_srp
	remove_iser
	remove_disk
	remove_alone xs0 xsd0
}

need_lio()
{
	modprobe -q -a target_core_mod target_core_file sd_mod "$@" ||
		skip "one of these modules is not here: target_core_file sd_mod $*"
	[ -d "$target" ] || skip "configfs is not mounted"
}

make_disk()
{
	[ ! -d "$target/core/fileio_0/xrdma" ] || return 0
	truncate -s "${megabytes}M" "$scratch/disk"
	mkdir -p "$target/core/fileio_0/xrdma"
	echo "fd_dev_name=$scratch/disk,fd_dev_size=$((megabytes * 1048576))" \
		> "$target/core/fileio_0/xrdma/control"
	echo 1 > "$target/core/fileio_0/xrdma/enable"
}

remove_disk()
{
	rmdir "$target/core/fileio_0/xrdma" "$target/core/fileio_0"
}

# LIO's, of which there is one at a time.
find_disk()
{
	local block
	for block in /sys/block/sd*; do
		grep -q -s LIO-ORG "$block/device/vendor" || continue
		disk=/dev/$(basename "$block")
		[ -b "$disk" ] && [ "$(blockdev --getsize64 "$disk")" = $((megabytes * 1048576)) ] &&
			return 0
	done
	return 1
}

verify()
{
	head -c $((megabytes * 1048576)) /dev/urandom > "$scratch/data"
	there_and_back 1048576 || fail "requests of 1 MiB"
	there_and_back 12288 || fail "requests of 12 KiB"
	sync "$scratch/disk"
	cmp "$scratch/data" "$scratch/disk" || fail "the target has something else"
}

# Random bytes there and back, in requests of BYTES.
there_and_back()
{
	dd if="$scratch/data" of="$disk" bs="$1" oflag=direct conv=fsync status=none &&
		dd if="$disk" of="$scratch/back" bs="$1" iflag=direct status=none &&
		cmp "$scratch/data" "$scratch/back"
}

no_qps()
{
	! rdma resource show qp dev xs0 | grep -q 'type RC'
}

# ---- SRP ---------------------------------------------------------------------------

make_srp_target()
{
	local name gid
	remove_srp
	modprobe -a ib_srpt ib_srp || return
	gid=$(head -n 1 /sys/class/infiniband/xs0/ports/1/gids/0)
	# Initiators go by their address at a port that is named by half of its GID alone.
	name=$target/srpt/${gid:20}/${gid:20}
	mkdir "$target/srpt" && echo "$srp_port" > "$target/srpt/discovery_auth/rdma_cm_port" &&
		mkdir -p "$name" && mkdir "$name/lun/lun_0" "$name/acls/$address" \
		"$name/acls/$address/lun_0" &&
		ln -s "$target/core/fileio_0/xrdma" "$name/lun/lun_0/disk" &&
		ln -s "$name/lun/lun_0" "$name/acls/$address/lun_0/lun" &&
		echo 1 > "$name/enable"
}

remove_srp()
{
	local rport name
	for rport in /sys/class/srp_remote_ports/port-*/delete; do
		[ ! -e "$rport" ] || echo 1 > "$rport"
	done
	for name in "$target"/srpt/*/*/enable; do
		[ -e "$name" ] || continue
		name=${name%/enable}
		echo 0 > "$name/enable"
		rm -f "$name"/acls/*/lun_0/lun "$name"/lun/lun_0/disk
		rmdir "$name"/acls/*/lun_0 "$name"/acls/* "$name"/lun/lun_0 "$name" "${name%/*}"
	done
	[ ! -d "$target/srpt" ] || rmdir "$target/srpt"
	wait_for 10 modprobe -q -r ib_srp
	wait_for 10 modprobe -q -r ib_srpt
}

srp_login()
{
	local guid
	need_lio ib_srpt ib_srp
	make_disk
	make_srp_target || fail "no target"
	read -r guid < /sys/module/ib_srpt/parameters/srpt_service_guid
	guid=${guid#0x}
	echo "id_ext=$guid,ioc_guid=$guid,src=$address,dest=$address:$srp_port" \
		> /sys/class/infiniband_srp/srp-xs0-1/add_target || fail "no login"
	wait_for 20 find_disk || fail "no disk: $(lsblk)"
}

srp()
{
	srp_login
	verify
	remove_srp
	wait_for 10 no_qps || fail "QPs stay: $(rdma resource show qp dev xs0)"
}

# ---- iSER --------------------------------------------------------------------------

portal=$target/iscsi/$iqn/tpgt_1/np/$address:3260

make_iscsi_target()
{
	local tpg=$target/iscsi/$iqn/tpgt_1
	mkdir -p "$tpg" && mkdir "$tpg/lun/lun_0" &&
		ln -s "$target/core/fileio_0/xrdma" "$tpg/lun/lun_0/disk" &&
		echo 0 > "$tpg/attrib/authentication" &&
		echo 0 > "$tpg/attrib/demo_mode_write_protect" &&
		echo 1 > "$tpg/attrib/generate_node_acls" &&
		echo 1 > "$tpg/attrib/cache_dynamic_acls" &&
		echo 1 > "$tpg/enable"
}

# The TCP socket of a portal is of the namespace of who makes it.
make_portal()
{
	if [ "$LINK_TYPE" = xiwarp ]; then
		unshare --net mkdir "$portal"
	else
		mkdir "$portal"
	fi && echo 1 > "$portal/iser"
}

remove_iser()
{
	[ -d "$target/iscsi/$iqn" ] || return 0
	echo 0 > "$target/iscsi/$iqn/tpgt_1/enable"
	[ ! -d "$portal" ] || rmdir "$portal"
	rm -f "$target/iscsi/$iqn/tpgt_1/lun/lun_0/disk"
	rmdir "$target/iscsi/$iqn/tpgt_1/lun/lun_0" "$target/iscsi/$iqn/tpgt_1" \
		"$target/iscsi/$iqn"
}

one_port_for_both()
{
	need_lio iscsi_target_mod ib_isert
	make_disk
	make_iscsi_target || fail "no target"
	mkdir "$portal"
	if [ "$LINK_TYPE" = xiwarp ]; then
		! echo 1 2> /dev/null > "$portal/iser" || fail "iSER listens where TCP does"
	else
		echo 1 > "$portal/iser" || fail "iSER does not listen where TCP does"
	fi
	rmdir "$portal"
	remove_iser
}

# By libiscsi, which does without the kernel's initiator.
iser_in_user_space()
{
	command -v iscsi-readcapacity16 > /dev/null || skip "no libiscsi-bin"
	need_lio iscsi_target_mod ib_isert
	make_disk
	make_iscsi_target || fail "no target"
	make_portal || fail "no portal"
	bounded iscsi-inq "iser://$address/$iqn/0" > "$scratch/inquiry" 2>&1 ||
		fail "inquiry: $(cat "$scratch/inquiry")"
	grep -q LIO "$scratch/inquiry" || fail "$(cat "$scratch/inquiry")"
	bounded iscsi-readcapacity16 "iser://$address/$iqn/0" > "$scratch/capacity" 2>&1 ||
		fail "capacity: $(cat "$scratch/capacity")"
	grep -q "Total size:$((megabytes * 1048576))" "$scratch/capacity" ||
		fail "$(cat "$scratch/capacity")"
	remove_iser
	wait_for 10 no_qps || fail "QPs stay: $(rdma resource show qp dev xs0)"
}

start_iscsid()
{
	modprobe -q ib_iser || skip "no ib_iser"
	mkdir -p /etc/iscsi /run/lock
	echo "InitiatorName=iqn.2026-11.test:initiator" > /etc/iscsi/initiatorname.iscsi
	# On its way out it signals its process group.
	setsid iscsid -f > "$scratch/iscsid" 2>&1 &
	wait_for 10 iscsiadm -m iface
}

iser()
{
	local node=(iscsiadm -m node -T "$iqn" -p "$address:3260")
	command -v iscsiadm > /dev/null || skip "no open-iscsi"
	need_lio iscsi_target_mod ib_isert
	make_disk
	make_iscsi_target || fail "no target"
	make_portal || fail "no portal"
	start_iscsid || fail "iscsid: $(cat "$scratch/iscsid")"
	"${node[@]}" -I iser -o new
	bounded "${node[@]}" --login || fail "no login: $(cat "$scratch/iscsid")"
	wait_for 20 find_disk || fail "no disk: $(lsblk)"
	verify
	bounded "${node[@]}" --logout
	remove_iser
	wait_for 10 no_qps || fail "QPs stay: $(rdma resource show qp dev xs0)"
}

# The device ends under them.
surprise()
{
	srp_login
	limited 60 rdma link del xs0 || fail "rdma link del: $?"
	remove_srp
}

at_exit remove_all
add_alone xs0 xsd0 $address || bail_out "cannot make a device on a dummy"
run "SRP" srp
run "LIO's TCP portal and iSER on one port" one_port_for_both
run "iSER, libiscsi" iser_in_user_space
run "iSER" iser
run "the device ends under SRP" surprise
finish
