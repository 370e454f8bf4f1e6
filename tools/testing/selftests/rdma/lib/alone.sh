# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# A device that talks to itself, on a dummy netdev in the first namespace, where most
# users in the kernel live.

# add_alone DEVICE NETDEV ADDRESS: IPv4, in a network of 24 bits.
add_alone()
{
	modprobe -q dummy
	ip link add "$2" type dummy && ip addr add "$3/24" dev "$2" && ip link set "$2" up &&
		rdma link add "$1" type "$LINK_TYPE" netdev "$2" && wait_for 10 knows_address "$1" "$3"
}

# Addresses of iWARP are the netdev's, which are there at once.
knows_address()
{
	[ "$LINK_TYPE" = xiwarp ] ||
		grep -q -s "$(gid_of "$2")" "/sys/class/infiniband/$1/ports/1/gids"/*
}

remove_alone()
{
	rdma link del "$1"
	ip link del "$2"
}
