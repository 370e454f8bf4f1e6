# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# The debug kernel: Debian's source of 7.3 with scripts/debug.config, built in
# the builder of 7.3. An interrupted build goes on where it was.

debug_config=$PROJECT/scripts/debug.config
debug_objects=2200

debug_source_version()
{
	local headers
	headers=$(basename "$(echo "$CACHE"/builders/7.3/usr/src/linux-headers-*-common)" -common)
	printf '%s\n' "${headers#linux-headers-}"
}

debug_key()
{
	printf '%s-%s\n' "$(debug_source_version)" "$(hash_of < "$debug_config")"
}

have_debug_kernel()
{
	have_builder 7.3 && have_once kernels/debug "$(debug_key)"
}

need_debug_kernel()
{
	need_builder 7.3
	once build/debug-source "$(debug_source_version)" fetch_debug_source
	once kernels/debug "$(debug_key)" build_debug_kernel
}

fetch_debug_source()
{
	step "Fetching the kernel's source (two minutes)" fetch_debug_source_quietly "$1"
}

fetch_debug_source_quietly()
{
	local dir=$1 source=trixie-backports
	open_source "$source" || return
	(cd "$dir" && private_apt "$CACHE/apt/$source" download "linux-source-7.3/$source") &&
		dpkg-deb --fsys-tarfile "$dir"/linux-source-7.3_*.deb |
			tar -x -O --wildcards './usr/src/linux-source-7.3.tar.xz' |
			tar -xJ -C "$dir" --strip-components=1 &&
		rm "$dir"/linux-source-7.3_*.deb
}

build_debug_kernel()
{
	local objects=$CACHE/build/debug-kernel log=$CACHE/logs/debug-kernel.log

	mkdir -p "$objects"
	step "Configuring the debug kernel" in_builder 7.3 \
		sh -c "$configure_script" sh "$CACHE/build/debug-source" "$objects" "$debug_config"
	say "Building the debug kernel, once (20 to 30 minutes on two idle processors) ..."
	watched_make "$objects" "$log" || {
		grep -E -m 20 'rror|\*\*\*' "$log" >&2
		die "the debug kernel does not build; the whole log is $log"
	}
	step "Installing the debug kernel's modules" install_debug_kernel "$objects" "$1"
}

# Every line of the fragment must have survived the dependencies, or a checker
# could be missing without anybody knowing.
# shellcheck disable=SC2016 # expanded by the shell that runs it
configure_script='
	set -e
	cd "$1"
	make -s O="$2" tinyconfig
	cat "$3" >> "$2/.config"
	make -s O="$2" olddefconfig 2>&1 | grep -v reassigning || true
	grep -E "^CONFIG_|^# CONFIG_" "$3" > /tmp/wanted
	if grep -v -x -F -f "$2/.config" /tmp/wanted; then
		echo "^ not in the configuration that came out"
		exit 1
	fi'

watched_make()
{
	local objects=$1 log=$2 pid start=$SECONDS
	: > "$log"
	in_builder 7.3 make -C "$CACHE/build/debug-source" O="$objects" \
		-j "$(nproc)" WERROR=0 bzImage modules > "$log" 2>&1 &
	pid=$!
	while sleep 5 && kill -0 "$pid" 2>/dev/null; do
		(((SECONDS - start) % 60 < 5)) || continue
		say "  $(((SECONDS - start) / 60)) min: $(grep -c -E '^  (CC|AS) ' "$log") of about $debug_objects files"
	done
	wait "$pid"
}

install_debug_kernel()
{
	local objects=$1 dir=$2 version
	version=$(cat "$objects/include/config/kernel.release")
	in_builder 7.3 make -s -C "$CACHE/build/debug-source" O="$objects" \
		INSTALL_MOD_PATH="$CACHE/build/debug-modules" modules_install || return
	rm -rf "$dir/modules"
	mv "$CACHE/build/debug-modules/lib/modules" "$dir/modules" || return
	rm -f "$dir/modules/$version/build" "$dir/modules/$version/source"
	cp "$objects/arch/x86/boot/bzImage" "$dir/vmlinuz"
	printf '%s\n' "$version" > "$dir/version"
}
