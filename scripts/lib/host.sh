# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Programs of the host, by the Debian package that has them.

host_programs='
mmdebstrap	mmdebstrap
busybox	busybox-static
mkfs.erofs	erofs-utils
depmod	kmod
zstd	zstd
xz	xz-utils
cpio	cpio
rsync	rsync
flock	util-linux
'

# Sets the machine up, or says how to.
need_host_programs()
{
	local program package missing=

	PATH=$PATH:/usr/sbin:/sbin
	while read -r program package; do
		[ -n "$program" ] || continue
		command -v "$program" > /dev/null || missing="$missing $package"
	done <<< "$host_programs"
	# Only the static busybox runs without a C library beside it.
	if [ -z "${missing##*busybox*}" ] || is_static "$(command -v busybox)"; then
		:
	else
		missing="$missing busybox-static"
	fi
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ] || ! [ -e /etc/debian_version ]; then
		die "missing here: apt-get install$missing"
	fi
	# shellcheck disable=SC2086 # a list of words
	locked host-packages install_packages $missing
}

is_static()
{
	! LC_ALL=C grep -q -a 'ld-linux' "$1"
}

install_packages()
{
	export DEBIAN_FRONTEND=noninteractive
	step "Installing$(printf ' %s' "$@") (about a minute)" \
		install_packages_quietly "$@"
}

install_packages_quietly()
{
	local apt=(apt-get -o DPkg::Lock::Timeout=600)

	"${apt[@]}" install -y --no-install-recommends "$@" ||
		{ "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "$@"; }
}
