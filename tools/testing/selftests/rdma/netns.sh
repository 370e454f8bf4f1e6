#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Network namespaces, and changes under traffic.
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#
# Promises: devices in exclusive mode belong to one namespace, can be moved to the
# netdev's and back, and work there with rdma_cm; a netdev that moves ends its
# device. An address, a MAC, a name or an MTU that changes under traffic costs
# retries at most, if it is as before within the time of the retries; events tell
# of ports and GIDs.

# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$(dirname "$0")/lib.sh"

need_link_type
[ "$LINK_TYPE" = xroce ] || skip_all "it is about what the kernel's own driver can't do"
need ibv_rc_pingpong ibverbs-utils
need rping rdmacm-utils
need ibv_asyncwatch ibverbs-utils
need_helper transfer
need_helper events

plan 16

# ---- exclusive mode --------------------------------------------------------------------

# The mode can be changed only while there is one namespace.
exclusive()
{
	add_links_there
	! rdma dev show xr1 > /dev/null 2>&1 || fail "the first namespace sees xr1"
	in_side 1 rdma dev show xr1 || fail "xr1 is not in its namespace"
	! in_side 2 rdma dev show xr1 > /dev/null 2>&1 || fail "another namespace sees it"
	in_side 1 ibv_devinfo -d xr1 > "$scratch/info" || { cat "$scratch/info"; fail "ibv_devinfo"; }
	! in_side 2 ibv_devinfo -d xr1 > /dev/null 2>&1 || fail "a program of another namespace opens it"
}

# On older kernels devices are born in the first namespace.
add_links_there()
{
	local side
	for side in 1 2; do
		add_link $side xr$side eth0
		in_side $side rdma dev show xr$side > /dev/null 2>&1 || rdma dev set xr$side netns xr$side ||
			fail "xr$side can't go to its namespace"
	done
}

# sysfs of other namespaces can't be read: look from inside.
exclusive_pingpong()
{
	local server client
	server=$(index_of 1 10.0.0.1) client=$(index_of 2 10.0.0.2)
	talk tcp:18515 "ibv_$1_pingpong" -d xr1 -g "$server" -c -n 100 \
		-- "ibv_$1_pingpong" -d xr2 -g "$client" -c -n 100 10.0.0.1
}

index_of()
{
	# shellcheck disable=SC2016 # for the shell inside
	in_side "$1" sh -c 'mount -t sysfs sysfs /sys; cd /sys/class/infiniband/$0/ports/1
		for i in 0 1 2 3 4 5 6 7 8 9; do
			[ "$(cat gids/$i)" != "$1" ] || [ "$(cat gid_attrs/types/$i)" != "RoCE v2" ] || echo $i
		done 2> /dev/null' "xr$1" "$(gid_of "$2")"
}

exclusive_traffic()
{
	exclusive_pingpong rc
	exclusive_pingpong ud
}

exclusive_rping()
{
	talk_in_exclusive rping -s -a 10.0.0.1 -C 20 -V -- rping -c -a 10.0.0.1 -C 20 -V
}

# "rdma resource" of the first namespace does not see the server's.
talk_in_exclusive()
{
	local server=() pid
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	exec_side 1 timeout -k 5 "$limit" "${server[@]}" > "$scratch/server" 2>&1 &
	pid=$!
	sleep 1
	in_side 2 timeout -k 5 "$limit" "$@" > "$scratch/client" 2>&1 || { show_talk; fail "client"; }
	wait $pid || { show_talk; fail "server"; }
}

# Its QP1 goes and comes back.
there_and_back()
{
	local i
	for ((i = 0; i < 3; i++)); do
		in_side 1 rdma dev set xr1 netns xr2 || fail "to xr2"
		in_side 2 rdma dev set xr1 netns xr1 || fail "and back"
	done
	exclusive_pingpong rc
	exclusive_rping
}

shared_again()
{
	local side
	for side in 1 2; do
		in_side $side rdma link del xr$side
	done
	drop_wire 2> /dev/null || true
	rdma system set netns shared || fail "no way back"
	make_wire 4200 || fail "no wire"
	add_links
	pingpong rc 4
	rping_by_address 4 -C 10
}

# ---- netdevs that move --------------------------------------------------------------------

moving_netdev()
{
	in_side 1 ip link set eth0 netns xr2 name moved
	wait_for 10 not device_exists xr1 || fail "the device stays"
	in_side 2 ip link set moved netns xr1 name eth0
	bring_up 1
	wait_for 10 has_carrier 1
	add_link 1 xr1 eth0
	wait_for_gids 1
	pingpong rc 4
}

# ---- changes under traffic -----------------------------------------------------------------

received_since()
{
	[ "$(counter 1 rx_packets)" -gt $(($1 + 200)) ]
}

# under_traffic COMMAND...: while data move for some seconds; all of them arrive.
under_traffic()
{
	local pid before
	before=$(counter 1 rx_packets)
	(transfer 4 -n "${messages:-400}" -q 4 -S 16384 -u 16 -T 60 -s 1) > "$scratch/under" 2>&1 &
	pid=$!
	wait_for 20 received_since "$before" || { cat "$scratch/under"; fail "no traffic"; }
	"$@" || { kill $pid; fail "$*"; }
	wait $pid || { cat "$scratch/under"; fail "traffic did not survive"; }
	kill -0 $pid 2> /dev/null || cat "$scratch/under"
}

address_goes_and_comes()
{
	local i
	for ((i = 0; i < 3; i++)); do
		in_side 1 ip addr del 10.0.0.1/24 dev eth0
		sleep 0.3
		in_side 1 ip addr add 10.0.0.1/24 dev eth0
		sleep 0.3
	done
}

mac_changes()
{
	in_side 1 ip link set eth0 address 02:00:00:00:00:99 || return
	sleep 0.3
	in_side 1 ip link set eth0 address 02:00:00:00:00:88
}

name_changes()
{
	in_side 1 ip link set eth0 name renamed ||
		{ in_side 1 ip link set eth0 down && in_side 1 ip link set eth0 name renamed && in_side 1 ip link set renamed up; }
	sleep 0.3
	in_side 1 ip link set renamed name eth0 ||
		{ in_side 1 ip link set renamed down && in_side 1 ip link set renamed name eth0 && in_side 1 ip link set eth0 up; }
}

link_flaps()
{
	local i
	for ((i = 0; i < 3; i++)); do
		in_side 2 ip link set eth0 down
		sleep 0.3
		in_side 2 ip link set eth0 up
		sleep 0.5
	done
	in_side 2 ip addr replace fd00::2/64 dev eth0 nodad
}

# The QPs' path MTU is 1024: packets of 1024 bytes don't fit for a while.
mtu_falls_and_rises()
{
	in_side 1 ip link set eth0 mtu 600
	in_side 2 ip link set eth0 mtu 600
	sleep 0.7
	in_side 1 ip link set eth0 mtu 4200
	in_side 2 ip link set eth0 mtu 4200
}

# ---- events -----------------------------------------------------------------------------------

events_of_the_port()
{
	local pid
	stdbuf -oL ibv_asyncwatch -d xr1 > "$scratch/events" 2>&1 &
	pid=$!
	wait_for 10 grep -q 'async event' "$scratch/events" || fail "ibv_asyncwatch does not start"
	in_side 1 ip link set eth0 down
	sleep 0.5
	in_side 1 ip link set eth0 up
	wait_for 10 grep -q -i 'port.active' "$scratch/events" || { cat "$scratch/events"; fail "no PORT_ACTIVE"; }
	in_side 1 ip addr add 10.9.9.1/24 dev eth0
	wait_for 10 grep -q -i 'gid.*change' "$scratch/events" || { cat "$scratch/events"; fail "no GID_CHANGE"; }
	in_side 1 ip addr del 10.9.9.1/24 dev eth0
	kill $pid
	cat "$scratch/events"
	[ "$(grep -c -i -E 'port.err' "$scratch/events")" = 1 ] || fail "not one PORT_ERR"
	[ "$(grep -c -i 'port.active' "$scratch/events")" = 1 ] || fail "not one PORT_ACTIVE"
	in_side 1 ip addr replace fd00::1/64 dev eth0 nodad
}

# COMM_EST and SQ_DRAINED, each once.
events_of_qps()
{
	timeout -k 5 60 "$(helper events)" xr1 "$(gid_index 1 10.0.0.1)" "$1"
}

rdma system set netns exclusive ||
	skip_all "the mode can't be set: there are other network namespaces"
at_exit rdma system set netns shared
make_wire 4200 || bail_out "cannot make two namespaces with a veth pair"

run "devices of their own namespaces" exclusive
run "RC and UD in exclusive mode" exclusive_traffic
run "rdma_cm in exclusive mode" exclusive_rping
run "to another namespace and back" there_and_back
run "shared mode again" shared_again
run "a netdev that moves" moving_netdev
run "an address goes and comes back" under_traffic address_goes_and_comes
run "the MAC changes" under_traffic mac_changes
run "the name changes" under_traffic name_changes
run "the link goes down and up" under_traffic link_flaps
run "the MTU falls and rises again" under_traffic mtu_falls_and_rises
run "events of the port" events_of_the_port
run "the event of a first packet" events_of_qps established
run "the event of a drained queue" events_of_qps drained
run "traffic works as before" pingpong rc 4
run "all can be unloaded" unload
finish
