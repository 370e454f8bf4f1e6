# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# RDMA devices and the module they come from.

case $LINK_TYPE in
rxe) module=rdma_rxe ;;
*) module=$LINK_TYPE ;;
esac

# need_link_type: skip where the driver is not to be had.
need_link_type()
{
	need_root
	need rdma iproute2
	need ip iproute2
	modprobe -q -a ib_uverbs rdma_ucm ib_umad
	is_loaded || modprobe -n -q "$module" ||
		skip_all "module $module is not installed for $(uname -r)"
}

is_loaded()
{
	[ -d "/sys/module/$module" ]
}

# add_link SIDE NAME NETDEV
add_link()
{
	in_side "$1" rdma link add "$2" type "$LINK_TYPE" netdev "$3"
}

device_exists()
{
	[ -e "/sys/class/infiniband/$1" ]
}

# The end of a device is complete when this returns.
unload()
{
	modprobe -r "$module"
}

# Is there a socket on RoCEv2's port in the namespace of SIDE?
port_is_bound()
{
	in_side "$1" ss -Huan 'sport = :4791' | grep -q .
}

# siw, which Debian leaves out: of the kernel's, or what scripts/build-siw has made.
has_siw()
{
	[ -e "${TOOLS:-$tests}/siw-$(uname -r).ko" ] || modprobe -q -n siw
}

load_siw()
{
	[ ! -d /sys/module/siw ] || return 0
	modprobe -q siw || {
		modprobe -q -a ib_core iw_cm libcrc32c crc32c_generic
		insmod "${TOOLS:-$tests}/siw-$(uname -r).ko"
	}
}
