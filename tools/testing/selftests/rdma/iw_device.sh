#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What an iWARP device says about itself, and where it can be.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             (no device)
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0
#
# Promises: the port's state follows the netdev and the GID its MAC; "rdma dev" and
# "ibv_devinfo -v" show sane values; a second device on a netdev is refused, one of
# xroce is not; counters exist; the module loads by alias and unloads.

LINK_TYPE=xiwarp
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need ibv_devinfo ibverbs-utils
need_helper iw_queues

plan 13

by_alias()
{
	modprobe -r xiwarp 2> /dev/null || true
	! is_loaded || fail "xiwarp stays loaded"
	add_link 1 xr1 eth0 || fail "rdma link add does not load xiwarp"
	is_loaded
}

# value NAME: from ibv_devinfo -v
value()
{
	sed -n "s/^[[:space:]]*$1:[[:space:]]*//p" "$scratch/devinfo" | head -n 1
}

is()
{
	[ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2'"
}

at_least()
{
	[ "$(value "$1")" -ge "$2" ] || fail "$1 is '$(value "$1")', less than $2"
}

devinfo()
{
	in_side 1 ibv_devinfo -v -d xr1 > "$scratch/devinfo"
	cat "$scratch/devinfo"
}

port_values()
{
	devinfo
	is transport 'iWARP (1)'
	is state 'PORT_ACTIVE (4)'
	is link_layer Ethernet
	is max_msg_sz 0xffffffff
	is phys_port_cnt 1
}

limits_are_usable()
{
	devinfo
	at_least max_qp 1024
	at_least max_qp_wr 16384
	at_least max_sge 6
	at_least max_cqe 65535
	at_least max_mr 4096
	at_least max_srq 64
	at_least max_srq_wr 16384
	at_least max_qp_rd_atom 16
	at_least max_qp_init_rd_atom 16
}

link_is()
{
	in_side 1 rdma link show xr1/1 | grep -q "state $1 physical_state $2 netdev eth0"
}

port_follows()
{
	local side=$1 phys_state=$2
	in_side "$side" ip link set eth0 down
	wait_for 10 link_is DOWN "$phys_state" || fail "$(in_side 1 rdma link show xr1/1)"
	in_side "$side" ip link set eth0 up
	wait_for 10 link_is ACTIVE LINK_UP || fail "$(in_side 1 rdma link show xr1/1)"
}

has_gid()
{
	[ "$(cat /sys/class/infiniband/xr1/ports/1/gids/0)" = "$1:0000:0000:0000:0000:0000" ]
}

gid_follows_mac()
{
	in_side 1 ip link set eth0 address 02:aa:bb:cc:dd:ee
	wait_for 10 has_gid 02aa:bbcc:ddee || fail "$(cat /sys/class/infiniband/xr1/ports/1/gids/0)"
}

second_is_refused()
{
	! add_link 1 xr1b eth0 2> "$scratch/error" || fail "it worked"
	cat "$scratch/error"
	grep -q 'File exists' "$scratch/error"
}

beside_xroce()
{
	in_side 1 rdma link add roce type xroce netdev eth0 || fail "no xroce beside it"
	in_side 1 rdma link show | grep -q roce/1
	rdma link del roce
}

on_lo()
{
	add_link 1 lo0 lo || fail "not on lo"
	in_side 1 rdma link show lo0/1 | grep -q ACTIVE
	rdma link del lo0
}

counters_exist()
{
	local name
	for name in tx_fpdus rx_fpdus connects_sent tcp_retransmits fault_crc fault_no_buffer; do
		in_side 1 rdma statistic show link xr1/1 | grep -q -w "$name" ||
			fail "rdma statistic does not show $name"
		[ "$(counter 1 "$name")" -ge 0 ] || fail "sysfs does not have $name"
	done
}

queues()
{
	in_side 1 timeout -k 5 "$limit" "$(helper iw_queues)" xr1
}

unload_all()
{
	unload
	! is_loaded || fail "xiwarp stays loaded"
}

make_wire 1500 || bail_out "cannot make two namespaces with a veth pair"
run "rdma link add loads the module" by_alias
run "ibv_devinfo: the port" port_values
run "ibv_devinfo: limits" limits_are_usable
run "the port goes down and up with the netdev" port_follows 1 DISABLED
run "the port goes down and up with the carrier" port_follows 2 POLLING
run "the GID follows the MAC" gid_follows_mac
run "a second device on a netdev is refused" second_is_refused
run "beside xroce on one netdev" beside_xroce
run "on lo" on_lo
run "counters exist" counters_exist
run "queues and memory of any size" queues
run "rdma link del" rdma link del xr1
run "the module can be unloaded" unload_all
finish
