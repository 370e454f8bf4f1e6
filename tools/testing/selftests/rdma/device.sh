#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What a device says about itself.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             (no device)
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0
#
# Promises: a GID of each RoCE version for every address of the netdev, gone with
# the address; the port's state and MTU follow the netdev; "rdma link", "rdma
# dev" and "ibv_devinfo -v" show sane values; counters exist and count.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need ibv_devinfo ibverbs-utils
need ibv_rc_pingpong ibverbs-utils

plan 18

# ---- GIDs ------------------------------------------------------------------------

has_both_gids()
{
	gid_index 1 "$1" 'RoCE v2' && gid_index 1 "$1" 'IB/RoCE v1'
}

has_no_gid()
{
	! gid_index 1 "$1" 'RoCE v2' && ! gid_index 1 "$1" 'IB/RoCE v1'
}

gids_of()
{
	wait_for 10 has_both_gids "$1" || fail "not both GIDs of $1"
}

first_gid_is_v1()
{
	local type
	type=$(cat /sys/class/infiniband/xr1/ports/1/gid_attrs/types/0)
	[ "$type" = 'IB/RoCE v1' ] || fail "GID 0 is of type $type"
}

gids_follow_addresses()
{
	in_side 1 ip addr add 10.1.1.1/24 dev eth0
	wait_for 10 has_both_gids 10.1.1.1 || fail "no GIDs of a new address"
	in_side 1 ip addr del 10.1.1.1/24 dev eth0
	wait_for 10 has_no_gid 10.1.1.1 || fail "the GIDs of an old address stay"
	has_both_gids 10.0.0.1 || fail "those of another address went with them"
}

gids_name_the_netdev()
{
	local index
	index=$(gid_index 1 10.0.0.1)
	[ "$(in_side 1 cat "/sys/class/infiniband/xr1/ports/1/gid_attrs/ndevs/$index")" = eth0 ]
}

# ---- the port ----------------------------------------------------------------------

link_is()
{
	in_side 1 rdma link show xr1/1 | grep -q "state $1 physical_state $2 netdev eth0"
}

port_follows_netdev()
{
	link_is ACTIVE LINK_UP || fail "not active: $(in_side 1 rdma link show xr1/1)"
	in_side 1 ip link set eth0 down
	wait_for 10 link_is DOWN DISABLED ||
		fail "netdev down: $(in_side 1 rdma link show xr1/1)"
	in_side 1 ip link set eth0 up
	wait_for 10 link_is ACTIVE LINK_UP ||
		fail "netdev up again: $(in_side 1 rdma link show xr1/1)"
}

port_follows_carrier()
{
	in_side 2 ip link set eth0 down
	wait_for 10 link_is DOWN POLLING ||
		fail "no carrier: $(in_side 1 rdma link show xr1/1)"
	in_side 2 ip link set eth0 up
	wait_for 10 link_is ACTIVE LINK_UP ||
		fail "carrier again: $(in_side 1 rdma link show xr1/1)"
}

# IPv6 addresses go when an interface goes down.
addresses_are_back()
{
	in_side 1 ip addr replace fd00::1/64 dev eth0 nodad
	gids_of fd00::1
	gids_of 10.0.0.1
}

# value NAME: from ibv_devinfo -v
value()
{
	sed -n "s/^[[:space:]]*$1:[[:space:]]*//p" "$scratch/devinfo" | head -n 1
}

devinfo()
{
	in_side 1 ibv_devinfo -v -d xr1 > "$scratch/devinfo"
	cat "$scratch/devinfo"
}

# is NAME VALUE, at_least NAME VALUE
is()
{
	[ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2'"
}

at_least()
{
	[ "$(value "$1")" -ge "$2" ] || fail "$1 is '$(value "$1")', less than $2"
}

mtu_follows_netdev()
{
	local netdev path
	while read -r netdev path; do
		in_side 1 ip link set eth0 mtu "$netdev"
		devinfo > /dev/null
		is active_mtu "$path"
		is max_mtu '4096 (5)'
	done <<-END
		9000 4096 (5)
		4200 4096 (5)
		4100 2048 (4)
		1500 1024 (3)
		1280 1024 (3)
	END
	in_side 1 ip link set eth0 mtu 4200
}

# ---- ibv_devinfo -v -----------------------------------------------------------------

port_values()
{
	devinfo
	is state 'PORT_ACTIVE (4)'
	is link_layer Ethernet
	is transport 'InfiniBand (0)'
	is phys_state 'LINK_UP (5)'
	is port_cap_flags 0x04010000
	is max_msg_sz 0x80000000
	is pkey_tbl_len 1
	at_least gid_tbl_len 64
	is phys_port_cnt 1
}

limits_are_usable()
{
	devinfo
	at_least max_qp 1024
	at_least max_qp_wr 16384
	at_least max_sge 16
	at_least max_cq 1024
	# What libfabric's verbs;ofi_rxm asks for.
	at_least max_cqe 65535
	at_least max_mr 4096
	at_least max_pd 1024
	at_least max_ah 1024
	at_least max_srq 64
	at_least max_srq_wr 16384
	at_least max_srq_sge 16
	at_least max_qp_rd_atom 16
	at_least max_qp_init_rd_atom 16
	is atomic_cap 'ATOMIC_GLOB (2)'
	is max_mr_size 0xffffffffffffffff
	[ $(($(value page_size_cap) & 0x1000)) != 0 ] || fail "no pages of 4 KiB"
}

# Of the MAC, with the bit flipped: a device and its host keep it for ever.
guid_is_of_the_mac()
{
	local mac guid
	devinfo
	mac=$(in_side 1 cat /sys/class/net/eth0/address)
	IFS=: read -r -a mac <<< "$mac"
	guid=$(printf '%02x%s:%sff:fe%s:%s%s' $((0x${mac[0]} ^ 2)) "${mac[@]:1}")
	is node_guid "$guid"
	is sys_image_guid "$guid"
}

dev_in_rdma_tool()
{
	in_side 1 rdma dev show xr1
	in_side 1 rdma dev show xr1 | grep -q "xr1: node_type ca .*node_guid .*sys_image_guid"
}

is_everywhere_in_shared_mode()
{
	rdma system | grep -q 'netns shared' || skip "rdma devices are not shared between namespaces"
	ibv_devinfo -d xr1 > /dev/null || fail "not from the first namespace"
	in_side 2 ibv_devinfo -d xr1 > /dev/null || fail "not from another namespace"
}

# ---- counters -------------------------------------------------------------------------

counters_exist()
{
	local name
	in_side 1 rdma statistic show link xr1/1
	for name in tx_packets rx_packets tx_bytes rx_bytes retransmitted_packets \
			out_of_sequence local_ack_timeout_err drop_icrc drop_no_qp; do
		in_side 1 rdma statistic show link xr1/1 | grep -q -w "$name" ||
			fail "rdma statistic does not show $name"
		[ "$(counter 1 "$name")" -ge 0 ] || fail "sysfs does not have $name"
	done
}

# talks_to_itself: 100 messages of 4 packets at MTU 1024, each way.
counters_count()
{
	local index before after
	index=$(gid_index 1 10.0.0.1)
	before=$(counter 1 tx_packets)
	(exec_side 1 timeout -k 5 "$limit" ibv_rc_pingpong -d xr1 -g "$index" -n 100) &
	wait_for 20 is_listening
	in_side 1 timeout -k 5 "$limit" ibv_rc_pingpong -d xr1 -g "$index" -n 100 10.0.0.1
	wait
	after=$(counter 1 tx_packets)
	[ $((after - before)) -ge 800 ] || fail "$((after - before)) packets for 800 and their acks"
	[ "$after" = "$(counter 1 rx_packets)" ] || fail "sent $after, received $(counter 1 rx_packets)"
	[ "$(counter 1 tx_bytes)" -ge $((200 * 4096)) ] || fail "$(counter 1 tx_bytes) bytes"
}

is_listening()
{
	in_side 1 ss -Htln 'sport = :18515' | grep -q .
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
add_link 1 xr1 eth0 || bail_out "cannot add the device"

run "GIDs of an IPv4 address" gids_of 10.0.0.1
run "GIDs of an IPv6 address" gids_of fd00::1
run "GIDs of the link-local address" gids_of "$(link_local 1)"
run "GID 0 is RoCE v1" first_gid_is_v1
run "GIDs come and go with addresses" gids_follow_addresses
run "GIDs name their netdev" gids_name_the_netdev
run "the port goes down and up with the netdev" port_follows_netdev
run "the port goes down and up with the carrier" port_follows_carrier
run "GIDs are there again" addresses_are_back
run "the port's MTU follows the netdev's" mtu_follows_netdev
run "ibv_devinfo: the port" port_values
run "ibv_devinfo: limits" limits_are_usable
run "ibv_devinfo: GUIDs" guid_is_of_the_mac
run "rdma dev" dev_in_rdma_tool
run "every namespace sees it in shared mode" is_everywhere_in_shared_mode
run "rdma link" link_is ACTIVE LINK_UP
run "counters exist" counters_exist
run "counters count" counters_count
finish
