# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Root images: a suite's user land, read-only; the guest writes to a tmpfs over it.
# Image SUITE has what most tests need, SUITE-full more programs that use RDMA.

image_packages='
bash util-linux mount kmod procps iproute2 iputils-ping ethtool tcpdump
iptables nftables netcat-openbsd socat iperf3 strace python3 gawk bsdextrautils
rdma-core ibverbs-utils ibverbs-providers rdmacm-utils infiniband-diags
perftest qperf python3-pyverbs
'

more_packages='
libfabric-bin fio ucx-utils openmpi-bin netpipe-openmpi
nfs-kernel-server nfs-common nvme-cli libiscsi-bin open-iscsi srptools
'

packages_of()
{
	case $1 in
	*-full) printf '%s' "$image_packages$more_packages" ;;
	*) printf '%s' "$image_packages" ;;
	esac
}

image_key()
{
	printf '1-%s\n' "$(packages_of "$1" | hash_of)"
}

have_image()
{
	have_once "images/$1" "$(image_key "$1")"
}

need_image()
{
	once "images/$1" "$(image_key "$1")" make_image "$1"
}

make_image()
{
	step "Making the root image of $1 (two to three minutes)" fill_image "$@"
}

fill_image()
{
	local suite=${1%-full} dir=$2 packages
	open_source "$suite" || return
	# shellcheck disable=SC2046,SC2086 # a list of words
	packages=$(existing_packages "$suite" $(packages_of "$1")) || return
	make_root "$suite" "$dir/root" "$packages" || return
	slim_down "$dir/root"
	printf '127.0.0.1 localhost vm\n::1 localhost\n' > "$dir/root/etc/hosts"
	: > "$dir/root/etc/resolv.conf"
	echo vm > "$dir/root/etc/hostname"
	mkfs.erofs "$dir/root.erofs" "$dir/root" || return
	rm -rf --one-file-system "$dir/root"
}

# For root folders in which nobody installs or reads anything any more.
slim_down()
{
	local root=$1
	rm -rf "$root"/usr/share/man/* "$root"/usr/share/locale/* \
		"$root"/var/cache/* "$root"/var/lib/apt/lists/*
	# rdma-core's test suite lives in its documentation.
	find "$root/usr/share/doc" -mindepth 1 -maxdepth 1 \
		! -name 'rdma-core*' ! -name 'python3-pyverbs*' -exec rm -rf {} +
}
