# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Which packets leave a netdev: counted by filters of tc.

# A filter for each kind of RoCE, and its handle.
declare -A wire_filters=(
	[v1]='1 protocol 0x8915 u32 match u32 0 0'
	[ipv4]='2 protocol ip u32 match ip protocol 17 0xff match ip dport 4791 0xffff'
	[ipv6]='3 protocol ipv6 u32 match ip6 protocol 17 0xff match ip6 dport 4791 0xffff'
)

# count_wire SIDE [NETDEV]: begin to count.
count_wire()
{
	local side=$1 netdev=${2:-eth0} kind
	in_side "$side" tc qdisc add dev "$netdev" clsact
	for kind in "${!wire_filters[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		in_side "$side" tc filter add dev "$netdev" egress prio ${wire_filters[$kind]} action ok
	done
}

end_count_wire()
{
	in_side "$1" tc qdisc del dev "${2:-eth0}" clsact
}

# on_wire SIDE v1|ipv4|ipv6 [NETDEV]: packets of that kind so far; a batch that the
# netdev is to cut counts as the packets that it becomes.
on_wire()
{
	in_side "$1" tc -s filter show dev "${3:-eth0}" egress prio "${wire_filters[$2]%% *}" |
		awk '/Sent .* pkt/ { sum += $4 } END { print sum + 0 }'
}
