# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run.sh
#
# What is measured: a driver, the kernel's own sockets, or the machine.
#
#	xroce  rxe		as modprobe finds them
#	xiwarp  siw		the same; siw also as scripts/build-siw makes it
#	xroce@FOLDER		the modules in FOLDER; or xiwarp
#	xroce+PARAMETER=VALUE	with a module parameter
#	xroce:ALGORITHM		with that congestion control
#	tcp  udp		sockets, no RDMA
#	tcp-plain  udp-plain	the same without segmentation offload
#	limit			neither

in_use='' parameter='' old_value='' files='' offload=on

driver_of()
{
	local name=${1%%[@+:-]*}
	printf '%s\n' "$name"
}

drop_links()
{
	local side
	for side in 1 2; do
		! device_exists xr$side || rdma link del xr$side
	done
}

# load_from FOLDER DRIVER: '' is where modprobe looks. All of ours come from one folder.
load_from()
{
	if [ "$files" != "$1" ]; then
		modprobe -q -r xroce
		modprobe -q -r xiwarp
		modprobe -q -r xrdma
		files=$1
	fi
	[ ! -d "/sys/module/$2" ] || return 0
	if [ -z "$1" ]; then
		modprobe "$2"
		return
	fi
	modprobe -q -a ib_uverbs iw_cm udp_tunnel ip6_udp_tunnel
	{ [ -d /sys/module/xrdma ] || insmod "$1/xrdma.ko"; } && insmod "$1/$2.ko"
}

# load CONTENDER
load()
{
	case $1 in
	rxe) modprobe rdma_rxe ;;
	siw) load_siw ;;
	*@*) load_from "${1#*@}" "$(driver_of "$1")" ;;
	*) load_from '' "$(driver_of "$1")" ;;
	esac
}

# Side effects must stay: so this is not for a subshell. A parameter's file goes with
# its module, and is then as new.
set_parameter()
{
	local value=${1#*+}
	[ ! -w "$parameter" ] || printf '%s\n' "$old_value" > "$parameter"
	parameter=''
	case $1 in
	*+*=*)
		parameter=/sys/module/$(driver_of "$1")/parameters/${value%%=*}
		old_value=$(cat "$parameter") && printf '%s\n' "${value#*=}" > "$parameter"
		;;
	esac
}

# Of the new devices of both sides; the default is what none is named for.
set_algorithm()
{
	local side
	case $1 in *:*) ;; *) return 0 ;; esac
	for side in 1 2; do
		[ ! -e "/sys/class/infiniband/xr$side" ] ||
			echo "${1#*:}" > "/sys/class/infiniband/xr$side/ecn/roce_rp/algorithm" || return
	done
}

# set_offload on|off: segmentation and joining, by hardware and by the kernel
set_offload()
{
	local s netdev
	[ "$offload" != "$1" ] || return 0
	for s in $(own_sides); do
		for netdev in eth0 lo; do
			in_side "$s" ethtool -K $netdev tso "$1" gso "$1" gro "$1" || return
		done
	done > "$scratch/ethtool" 2>&1
	offload=$1
}

# use_contender CONTENDER: its devices are there, no others. On this host.
use_contender()
{
	[ "$in_use" != "$1" ] || return 0
	drop_links
	in_use=''
	# shellcheck disable=SC2034 # lib/link.sh uses it
	LINK_TYPE=$(driver_of "$1")
	case $1 in
	*-plain) set_offload off ;;
	*) set_offload on ;;
	esac
	case $LINK_TYPE in
	tcp | udp | limit) ;;
	*)
		load "$1" && set_parameter "$1" && add_links && set_algorithm "$1" || return
		;;
	esac
	in_use=$1
}
