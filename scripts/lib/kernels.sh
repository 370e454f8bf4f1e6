# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Kernels to boot, by the names of builders.sh: $CACHE/kernels/K has version, vmlinuz, modules/VERSION (loose
# files, for depmod) and, made by need_boot_files, modules.erofs and initrd.

# Drivers of hardware that no guest here has.
unwanted_modules='
kernel/sound
kernel/drivers/gpu
kernel/drivers/media
kernel/drivers/staging
kernel/drivers/iio
kernel/drivers/usb
kernel/drivers/hid
kernel/drivers/hwmon
kernel/drivers/input
kernel/drivers/video
kernel/drivers/mtd
kernel/drivers/mmc
kernel/drivers/comedi
kernel/drivers/bluetooth
kernel/drivers/accel
kernel/drivers/platform
kernel/drivers/firmware
kernel/drivers/net/wireless
kernel/drivers/net/ethernet
kernel/drivers/net/usb
kernel/drivers/net/can
kernel/drivers/infiniband/hw
kernel/net/mac80211
kernel/net/wireless
kernel/net/bluetooth
'

# Enough to reach the root image and the folders of the host. In order; what a
# kernel has built in is skipped.
boot_modules='virtio_pci virtio_blk virtio_console crc32c_generic crc32c_intel erofs overlay 9pnet_virtio 9p'

need_kernel()
{
	if [ "$1" = debug ]; then
		need_debug_kernel
	else
		need_builder "$1"
		once "kernels/$1" "1-$(headers_version "$1")" fetch_kernel "$1"
	fi
	need_boot_files "$1"
}

have_kernel()
{
	if [ "$1" = debug ]; then
		have_debug_kernel
	else
		have_builder "$1" && have_once "kernels/$1" "1-$(headers_version "$1")"
	fi
}

headers_version()
{
	local headers
	headers=$(basename "$(echo "$CACHE/builders/$1"/usr/src/linux-headers-*-amd64)")
	printf '%s\n' "${headers#linux-headers-}"
}

kernel_version()
{
	cat "$CACHE/kernels/$1/version"
}

# The folder to give to make as KDIR, as seen in the builder.
kernel_build_dir()
{
	if [ "$1" = debug ]; then
		printf '%s\n' "$CACHE/build/debug-kernel"
	else
		printf '/usr/src/linux-headers-%s\n' "$(headers_version "$1")"
	fi
}

fetch_kernel()
{
	step "Fetching the kernel $1 (a minute)" fetch_kernel_quietly "$@"
}

fetch_kernel_quietly()
{
	local kernel=$1 dir=$2 source version package
	source=$(builder_source "$kernel")
	version=$(headers_version "$kernel")
	open_source "$source" || return
	# From 7.3 on the image's package is split.
	for package in $(existing_packages "$source" \
			"linux-image-$version" "linux-binary-$version" \
			"linux-modules-$version" "linux-base-$version"); do
		(cd "$dir" && private_apt "$CACHE/apt/$source" download "$package") || return
	done
	for package in "$dir"/linux-*.deb; do
		dpkg-deb -x "$package" "$dir/tree" || return
	done
	rm "$dir"/linux-*.deb
	arrange_kernel "$dir" "$version"
}

arrange_kernel()
{
	local dir=$1 version=$2 modules
	modules=$(find "$dir/tree" -type d -path "*/modules/$version" | head -n 1)
	[ -n "$modules" ] || { echo "no modules of $version"; return 1; }
	mkdir "$dir/modules"
	mv "$modules" "$dir/modules/$version"
	if [ -e "$dir/modules/$version/vmlinuz" ]; then
		mv "$dir/modules/$version/vmlinuz" "$dir/vmlinuz"
	else
		mv "$dir/tree/boot/vmlinuz-$version" "$dir/vmlinuz"
	fi
	rm -rf "$dir/tree"
	# shellcheck disable=SC2086 # a list of words
	(cd "$dir/modules/$version" && rm -rf build source $unwanted_modules) || return
	# Loading is quicker without, and the initramfs has no xz.
	find "$dir/modules" -name '*.ko.xz' -exec xz -d -T 0 {} + || return
	printf '%s\n' "$version" > "$dir/version"
}

# The parts that depend on this machine's programs.
need_boot_files()
{
	local dir=$CACHE/kernels/$1
	need_emulator
	[ "$(cat "$dir/boot.key" 2>/dev/null)" = "$(boot_key)" ] ||
		locked "kernels_$1" step "Preparing the kernel $1" make_boot_files "$dir"
}

boot_key()
{
	(echo "$boot_modules"; cat "$PROJECT/scripts/guest/initramfs") | hash_of
}

make_boot_files()
{
	local dir=$1 version
	version=$(cat "$dir/version")
	rm -rf "$dir/depmod"
	mkdir -p "$dir/depmod/lib"
	ln -s ../../modules "$dir/depmod/lib/modules"
	depmod -b "$dir/depmod" "$version" || return
	rm -f "$dir/modules.erofs"
	mkfs.erofs "$dir/modules.erofs" "$dir/modules" || return
	make_initramfs "$dir" "$version" || return
	boot_key > "$dir/boot.key"
}

make_initramfs()
{
	local dir=$1 version=$2 tree=$1/initramfs module
	rm -rf "$tree"
	mkdir -p "$tree/bin" "$tree/modules" "$tree/proc" "$tree/sys" "$tree/dev"
	cp "$CACHE/emulator/root/usr/bin/busybox" "$tree/bin/busybox"
	ln -s busybox "$tree/bin/sh"
	install -m 755 "$PROJECT/scripts/guest/initramfs" "$tree/init"
	for module in $boot_modules; do
		modprobe -d "$dir/depmod" -S "$version" --show-depends "$module" 2>/dev/null
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' > "$tree/files"
	while read -r module; do
		cp "$module" "$tree/modules/" || return
		basename "$module"
	done < "$tree/files" > "$tree/modules/order"
	rm "$tree/files"
	(cd "$tree" && find . | cpio -o -H newc --quiet | zstd -q -f -o "$dir/initrd") || return
	rm -rf "$tree"
}
