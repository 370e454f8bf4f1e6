# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# QEMU: trixie's, from a root folder of its own, wherever this runs. Before
# version 8.1 its emulation with one thread per processor can execute a breakpoint
# that the guest has just taken back. Linux patches its code that way, and a guest
# on bookworm's QEMU dies of "Oops: int3" now and then. The same root folder has the
# static busybox that becomes the initramfs.

# shellcheck disable=SC2034 # qemu.sh uses it
need_emulator()
{
	local root=$CACHE/emulator/root
	once emulator 2 make_emulator
	# With its own C library, and so without chroot, which would want root.
	emulator=("$root/lib64/ld-linux-x86-64.so.2"
		--library-path "$root/usr/lib/x86_64-linux-gnu"
		"$root/usr/bin/qemu-system-x86_64"
		-L "$root/usr/share/qemu" -L "$root/usr/share/seabios")
}

have_emulator()
{
	have_once emulator 2
}

make_emulator()
{
	step "Making a root folder with QEMU (one to two minutes)" fill_emulator "$1"
}

fill_emulator()
{
	open_source trixie && make_root trixie "$1/root" "qemu-system-x86 busybox-static" || return
	slim_down "$1/root"
	"$1/root/lib64/ld-linux-x86-64.so.2" --library-path "$1/root/usr/lib/x86_64-linux-gnu" \
		"$1/root/usr/bin/qemu-system-x86_64" --version
}
