# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# GIDs: a device has one for each address of its netdev and each RoCE version, in
# an order that nobody promises, and a moment after the address. So look them up.

# Tables are long and mostly empty; tests give few addresses.
gids_to_look_at=64

# Which of an address's two GIDs tests use that don't say.
gid_type=${GID_TYPE:-RoCE v2}

# gid_of ADDRESS: the address as sysfs writes a GID.
gid_of()
{
	local address=$1 octets head tail group gid='' missing i
	if [ "${address#*:}" = "$address" ]; then
		IFS=. read -r -a octets <<< "$address"
		printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' "${octets[@]}"
		return
	fi
	head=${address%%::*} tail=
	[ "${address#*::}" = "$address" ] || tail=${address#*::}
	IFS=: read -r -a head <<< "$head"
	IFS=: read -r -a tail <<< "$tail"
	missing=$((8 - ${#head[@]} - ${#tail[@]}))
	for group in "${head[@]}" $(for ((i = 0; i < missing; i++)); do echo 0; done) "${tail[@]}"; do
		printf -v group %04x "0x$group"
		gid=$gid:$group
	done
	printf '%s\n' "${gid#:}"
}

# link_local SIDE: the address that eth0 gave itself.
link_local()
{
	in_side "$1" ip -6 -o addr show dev eth0 scope link |
		sed -n '1s/.*inet6 \([^/ ]*\).*/\1/p'
}

# gid_index SIDE ADDRESS [TYPE]: prints the index of it.
gid_index()
{
	local folder=/sys/class/infiniband/xr$1/ports/1 wanted i gid type
	wanted=$(gid_of "$2")
	for ((i = 0; i < gids_to_look_at; i++)); do
		read -r gid 2> /dev/null < "$folder/gids/$i" || return
		[ "$gid" = "$wanted" ] || continue
		read -r type 2> /dev/null < "$folder/gid_attrs/types/$i" || continue
		[ "$type" = "${3:-$gid_type}" ] || continue
		printf '%d\n' "$i"
		return
	done
	return 1
}

# count_gids SIDE TYPE
count_gids()
{
	cat "/sys/class/infiniband/xr$1/ports/1/gid_attrs/types"/{0..63} 2> /dev/null |
		grep -c -x "$2"
}

wait_for_gids()
{
	local family
	# iWARP goes by addresses of the netdev, which are there at once.
	[[ $LINK_TYPE != xiwarp && $LINK_TYPE != siw ]] || return 0
	for family in 4 6; do
		wait_for 10 gid_index "$1" "$(address "$1" "$family")" || return
	done
}
