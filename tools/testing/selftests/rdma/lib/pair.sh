# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Two network namespaces, called sides 1 and 2:
#
#	namespace xr1                          namespace xr2
#	  device xr1                             device xr2
#	  eth0  10.0.0.1/24 fd00::1/64 --veth--  eth0  10.0.0.2/24 fd00::2/64
#
# Side 0 is the namespace that the test was started in.

# in_side SIDE COMMAND...: in its namespace. Those who ask the kernel by netlink alone
# need no /sys of that namespace, which takes as long to mount as they run.
in_side()
{
	local side=$1
	shift
	case $side:${1##*/} in
	0:*) "$@" ;;
	*:ip | *:ss | *:tc | *:rdma) nsenter --net="/run/netns/xr$side" "$@" ;;
	*) ip netns exec "xr$side" "$@" ;;
	esac
}

# exec_side SIDE COMMAND...: the same, but becomes the command: a signal to it
# reaches the command itself.
exec_side()
{
	local side=$1
	shift
	[ "$side" = 0 ] || exec ip netns exec "xr$side" "$@"
	exec "$@"
}

# address SIDE 4|6
address()
{
	case $2 in
	4) printf '10.0.0.%d\n' "$1" ;;
	6) printf 'fd00::%d\n' "$1" ;;
	esac
}

# make_wire MTU: the namespaces and the netdevs, no devices yet. If wire_queues is set,
# they have so many queues to send by.
make_wire()
{
	local mtu=$1 side queues=()
	[ -z "${wire_queues:-}" ] ||
		queues=(numtxqueues "$wire_queues" numrxqueues "$wire_queues")
	drop_wire 2> /dev/null
	at_exit drop_wire
	for side in 1 2; do
		ip netns add "xr$side" || return
		in_side $side ip link set lo up || return
	done
	ip link add eth0 netns xr1 mtu "$mtu" "${queues[@]}" type veth \
		peer name eth0 netns xr2 mtu "$mtu" "${queues[@]}" || return
	for side in 1 2; do
		bring_up $side || return
	done
	wait_for 10 has_carrier 1 && wait_for 10 has_carrier 2
}

bring_up()
{
	in_side "$1" ip addr add "$(address "$1" 4)/24" dev eth0 &&
		in_side "$1" ip addr add "$(address "$1" 6)/64" dev eth0 nodad &&
		in_side "$1" sysctl -q -w net.ipv6.conf.eth0.accept_dad=0 &&
		in_side "$1" ip link set eth0 up
}

# Nobody has to ask for a MAC any more, also when no answer would come in time, or none at
# all: whoever makes an address handle waits a second for it, and then fails.
fix_neighbours()
{
	local side mac family
	for side in 1 2; do
		mac=$(in_side $side cat /sys/class/net/eth0/address)
		for family in 4 6; do
			in_side $((3 - side)) ip neigh replace "$(address $side $family)" \
				lladdr "$mac" dev eth0 nud permanent || return
		done
	done
}

has_carrier()
{
	in_side "$1" ip link show eth0 | grep -q LOWER_UP
}

# make_pair MTU: with devices, and their addresses known to them.
make_pair()
{
	make_wire "$1" || bail_out "cannot make two namespaces with a veth pair"
	add_links || bail_out "cannot add the devices"
}

add_links()
{
	local side
	for side in 1 2; do
		add_link "$side" xr"$side" eth0 || return
	done
	for side in 1 2; do
		wait_for_gids "$side" || return
	done
}

drop_wire()
{
	local side pids
	for side in 1 2; do
		pids=$(ip netns pids xr$side)
		# shellcheck disable=SC2086 # a list of numbers
		[ -z "$pids" ] || kill -KILL $pids
		! device_exists xr$side || rdma link del xr$side
	done
	for side in 1 2; do
		ip -n xr$side link del eth0
		ip netns del xr$side
	done
}
