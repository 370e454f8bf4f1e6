# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Programs of the host, by the Debian package that has them.

host_programs='
mmdebstrap	mmdebstrap
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

	[ "$(uname -m)" = x86_64 ] || die "this needs an x86-64 machine"
	PATH=$PATH:/usr/sbin:/sbin
	[ "$(id -u)" = 0 ] || host_programs=$host_programs'newuidmap uidmap'
	while read -r program package; do
		[ -z "$program" ] || command -v "$program" > /dev/null || missing="$missing $package"
	done <<< "$host_programs"
	if [ -z "$missing" ]; then
		[ "$(id -u)" = 0 ] || become_root
		return
	fi
	if [ "$(id -u)" != 0 ] || ! [ -e /etc/debian_version ]; then
		die "programs are missing here: apt-get install$missing"
	fi
	# shellcheck disable=SC2086 # a list of words
	locked host-packages install_packages $missing
}

# Root folders have files of several owners, and entering them takes privileges.
# A user has both in a user namespace, so all goes on in one.
become_root()
{
	exec unshare --user --map-root-user --map-auto "$0" "${INVOCATION[@]}"
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
