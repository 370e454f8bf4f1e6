# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Builders: root folders with a compiler. One for each kernel, of the suite that
# kernel comes from, with the kernel's headers and whatever compiler these ask
# for; and one of sid, for test programs. Test programs for bookworm and trixie
# are compiled in the builders of 6.1 and 6.12.

# A kernel is named 6.12, or 6.12-rt for another flavour than Debian's generic one.
kernels='6.1 6.12 7.3'
flavours='cloud rt'

all_kernels()
{
	local kernel flavour
	for kernel in $kernels; do
		printf '%s\n' "$kernel"
		for flavour in $flavours; do
			printf '%s-%s\n' "$kernel" "$flavour"
		done
	done
}

builder_source()
{
	case ${1%%-*} in
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	7.3) echo trixie-backports ;;
	sid) echo sid ;;
	esac
}

builder_of_suite()
{
	case $1 in
	bookworm) echo 6.1 ;;
	trixie) echo 6.12 ;;
	sid) echo sid ;;
	esac
}

builder_packages()
{
	echo make gcc libc6-dev libibverbs-dev librdmacm-dev
	case $1 in
	7.3-*) echo "linux-headers-${1#*-}-amd64/trixie-backports" perl ;;
	*-*) echo "linux-headers-${1#*-}-amd64" perl ;;
	# What W=1 needs to check kernel-doc: perl, for the newest python3.
	6.1 | 6.12) echo linux-headers-amd64 perl ;;
	# The debug kernel is built in this one, hence the rest.
	7.3) echo linux-headers-amd64/trixie-backports \
		bc bison cpio flex kmod libelf-dev libssl-dev python3 rsync xz-utils ;;
	esac
}

builder_key()
{
	(builder_source "$1"; builder_packages "$1") | hash_of
}

have_builder()
{
	have_once "builders/$1" "$(builder_key "$1")"
}

need_builder()
{
	once "builders/$1" "$(builder_key "$1")" make_builder "$1"
}

make_builder()
{
	step "Making the build root for $1 (one to three minutes)" fill_builder "$@"
}

fill_builder()
{
	local source
	source=$(builder_source "$1")
	open_source "$source" && make_root "$source" "$2" "$(builder_packages "$1")"
}

# in_builder BUILDER COMMAND [ARG...]: as root in the builder, with the project
# read-only and $CACHE/build and $CACHE/tools writable, all at their own paths,
# in the caller's folder if it is one of these.
in_builder()
{
	local builder=$1
	shift
	mkdir -p "$CACHE/build" "$CACHE/tools"
	# A mount namespace of its own, so that an interrupted build leaves no mounts.
	unshare --mount --pid --fork --kill-child \
		sh "$PROJECT/scripts/lib/enter-root.sh" \
		"$CACHE/builders/$builder" "$PROJECT" "$CACHE" "$@"
}
