# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What is measured: a driver, or the kernel's own sockets.
#
#	xroce  rxe		as modprobe finds them
#	xroce@FOLDER		the modules in FOLDER
#	xroce+PARAMETER=VALUE	with a module parameter
#	tcp  udp		sockets, no RDMA

in_use='' parameter='' old_value=''

driver_of()
{
	local name=${1%%[@+]*}
	printf '%s\n' "$name"
}

drop_links()
{
	local side
	for side in 1 2; do
		! device_exists xr$side || rdma link del xr$side
	done
}

# load CONTENDER
load()
{
	local folder
	case $1 in
	xroce@*)
		folder=${1#*@}
		modprobe -q -r xroce
		modprobe -q -r xrdma
		modprobe -q -a ib_uverbs udp_tunnel ip6_udp_tunnel &&
			insmod "$folder/xrdma.ko" && insmod "$folder/xroce.ko" && files=$folder
		;;
	xroce | xroce+*)
		[ "$files" = '' ] || { modprobe -q -r xroce; modprobe -q -r xrdma; }
		files=''
		modprobe xroce
		;;
	rxe) modprobe rdma_rxe ;;
	esac
}

# Side effects must stay: so this is not for a subshell.
set_parameter()
{
	local folder=/sys/module/xroce/parameters
	[ -z "$parameter" ] || printf '%s\n' "$old_value" > "$folder/$parameter"
	parameter=''
	case $1 in
	*+*=*)
		parameter=${1#*+}
		local value=${parameter#*=}
		parameter=${parameter%%=*}
		old_value=$(cat "$folder/$parameter") && printf '%s\n' "$value" > "$folder/$parameter"
		;;
	esac
}

# use_contender CONTENDER: its devices are there, no others
use_contender()
{
	[ "$in_use" != "$1" ] || return 0
	drop_links
	in_use=''
	# shellcheck disable=SC2034 # lib/link.sh uses it
	LINK_TYPE=$(driver_of "$1")
	case $LINK_TYPE in
	tcp | udp) ;;
	*)
		load "$1" && set_parameter "$1" && add_links || return
		;;
	esac
	in_use=$1
}
files=''
