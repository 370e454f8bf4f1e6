#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Loading and unloading.
#
#	namespace xr1                          namespace xr2
#	  device xr1, in turns                   device xr2, in turns
#	  eth0  ------------- veth -------------  eth0
#
# Promises: "rdma link add" loads the module by its alias; insmod in dependency
# order does too; rmmod works with idle devices and takes them away; twenty
# rounds of loading, using and unloading leave nothing behind.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
need ibv_rc_pingpong ibverbs-utils

plan 8

# Nobody uses what is built on it either, unless somebody else has a device.
unload_all()
{
	# Another test may have left it; it would hold xrdma.
	[ ! -d /sys/module/xiwarp ] || modprobe -r xiwarp
	modprobe -r "$module" || true
	! is_loaded || fail "$module stays loaded"
	[ "$LINK_TYPE" != xroce ] || ! [ -d /sys/module/xrdma ] || fail "xrdma stays loaded"
}

by_alias()
{
	unload_all
	add_link 1 xr1 eth0 || fail "rdma link add does not load $module"
	is_loaded || fail "not loaded"
	rdma link del xr1
}

by_modprobe()
{
	unload_all
	modprobe "$module"
	is_loaded
	unload_all
}

by_insmod()
{
	local verb path rest
	unload_all
	modprobe --show-depends "$module" > "$scratch/depends"
	cat "$scratch/depends"
	while read -r verb path rest; do
		[ "$verb" = insmod ] || continue
		# What is loaded already is refused, and that is all right.
		insmod "$path" 2> /dev/null || true
	done < "$scratch/depends"
	is_loaded || fail "not loaded"
	add_link 1 xr1 eth0
	rdma link del xr1
	rmmod "$module" || fail "rmmod $module"
	[ "$LINK_TYPE" != xroce ] || rmmod xrdma || fail "rmmod xrdma"
}

says_what_it_is()
{
	modinfo "$module"
	modinfo -F alias "$module" | grep -q "^rdma-link-$LINK_TYPE$" || fail "no alias"
	modinfo -F license "$module" | grep -q 'Dual BSD/GPL' || fail "licence"
	[ -n "$(modinfo -F description "$module")" ] || fail "no description"
}

with_idle_devices()
{
	add_links
	rmmod "$module" || fail "rmmod"
	! device_exists xr1 || fail "xr1 is still there"
	! device_exists xr2 || fail "xr2 is still there"
	! port_is_bound 1 || fail "port 4791 is bound"
}

# The socket comes with the first device of a namespace and goes with the last.
sockets_follow_devices()
{
	modprobe "$module"
	! port_is_bound 1 || fail "bound without a device"
	add_links
	port_is_bound 1 || fail "not bound with a device"
	port_is_bound 2 || fail "not bound with a device"
	in_side 1 ip link add dummy0 type dummy
	in_side 1 ip link set dummy0 up
	add_link 1 xr3 dummy0
	rdma link del xr1
	port_is_bound 1 || fail "not bound with the second device"
	rdma link del xr3
	! port_is_bound 1 || fail "bound without a device"
	port_is_bound 2 || fail "the other namespace lost it"
	rdma link del xr2
	! port_is_bound 2 || fail "bound without a device"
}

twenty_rounds()
{
	local i
	for ((i = 0; i < 20; i++)); do
		unload_all
		add_links || fail "round $i: add"
		[ $((i % 10)) != 0 ] || pingpong rc 4 -n 20
	done
	unload_all
}

leaves_nothing()
{
	unload_all
	[ ! -e "/sys/class/infiniband/xr1" ] || fail "xr1"
	! dmesg | grep -q 'unregister_netdevice: waiting' || fail "a netdev's references leaked"
	in_side 1 timeout $((20 * patience)) ip link del eth0 || fail "the netdev can't be removed"
}

make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"
run "modinfo" says_what_it_is
run "modprobe" by_modprobe
run "rdma link add loads it" by_alias
run "insmod in dependency order" by_insmod
run "rmmod with idle devices" with_idle_devices
run "sockets come and go with devices" sockets_follow_devices
run "twenty rounds" twenty_rounds
run "nothing is left" leaves_nothing
finish
