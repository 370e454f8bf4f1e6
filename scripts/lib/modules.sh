# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Our modules, built for one kernel in the builder of its suite, from a copy of
# the sources: the tree stays clean and each kernel keeps its own objects.
#
# In modules_folder K: src (the copy, with objects), modules (the stripped .ko),
# modules.cpio (these and depmod's results as the initramfs wants them).

# One set of flags for all builds, so that nothing is built twice: W=1 warnings are errors.
W=${W:-1e}

module_sources='Makefile Kbuild include drivers scripts/compat-probe
	tools/testing/selftests/rdma/kverbs tools/testing/selftests/rdma/kfaults'

# Two clones may share a cache, but not their objects.
modules_folder()
{
	printf '%s/build/%s/%s\n' "$CACHE" "$(printf '%s' "$PROJECT" | hash_of)" "$1"
}

builder_of_kernel()
{
	if [ "$1" = debug ]; then echo 7.3; else echo "$1"; fi
}

need_modules()
{
	[ -e "$PROJECT/Makefile" ] || die "there is no Makefile here yet, so no modules"
	locked "build_$(printf '%s' "$PROJECT" | hash_of)_$1" build_modules "$1"
}

build_modules()
{
	local kernel=$1 dir key
	dir=$(modules_folder "$1")
	key="$(kernel_version "$kernel") W=$W"
	mkdir -p "$dir/src"
	if ! copy_sources "$dir" || [ "$(cat "$dir/key" 2>/dev/null)" != "$key" ]; then
		rm -f "$dir/key"
		[ "$(kernel_version "$kernel")" = "$(cat "$dir/version" 2>/dev/null)" ] ||
			start_afresh "$dir"
		kernel_version "$kernel" > "$dir/version"
		make_modules "$kernel" "$dir"
		pack_modules "$kernel" "$dir" || die "cannot pack the modules"
		printf '%s\n' "$key" > "$dir/key"
	fi
}

# Objects of another version of the kernel are of no use.
start_afresh()
{
	rm -rf "$1/src" "$1/sources"
	mkdir "$1/src"
	copy_sources "$1" || true
}

# Returns 0 if nothing had changed. Files that went away in the tree go away in
# the copy; others there are objects and stay.
copy_sources()
{
	local dir=$1 changed
	list_sources | sort > "$dir/sources.new"
	[ ! -e "$dir/sources" ] ||
		comm -23 "$dir/sources" "$dir/sources.new" | (cd "$dir/src" && xargs -r -d '\n' rm -f)
	# By content and without times: what changes becomes newer than its object.
	changed=$(rsync -rlpc --out-format=%n --files-from="$dir/sources.new" "$PROJECT/" "$dir/src/" |
		grep -v '/$' || true)
	if cmp -s "$dir/sources" "$dir/sources.new" && [ -z "$changed" ]; then
		return 0
	fi
	mv "$dir/sources.new" "$dir/sources"
	return 1
}

# Without the objects that a make in the tree itself may have left there.
list_sources()
{
	(
		cd "$PROJECT" || exit
		# shellcheck disable=SC2086 # a list of words
		git ls-files --cached --others --exclude-standard -- $module_sources 2>/dev/null |
			while read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done |
			grep . ||
		find $module_sources -type f ! -name '*.o' ! -name '*.ko' ! -name '*.mod' \
			! -name '*.mod.c' ! -name '.*.cmd' ! -name '*.symvers' ! -name modules.order
	)
}

make_modules()
{
	local kernel=$1 dir=$2 log=$2/log
	say "Building the modules for $kernel ..."
	if ! in_builder "$(builder_of_kernel "$kernel")" make -C "$dir/src" --no-print-directory \
			-j "$(nproc)" KDIR="$(kernel_build_dir "$kernel")" W="$W" TESTS=m \
			modules > "$log" 2>&1; then
		cat "$log" >&2
		die "the modules do not build for $kernel"
	fi
	! grep -q -i -E 'warning|error' "$log" || cat "$log" >&2
}

pack_modules()
{
	local kernel=$1 dir=$2 version tree=$2/tree
	version=$(kernel_version "$kernel")
	rm -rf "$dir/modules" "$tree"
	mkdir -p "$dir/modules" "$tree/lib/modules" "$tree/vm/modules/$version"
	find "$dir/src" -name '*.ko' -exec cp -t "$dir/modules" {} +
	# shellcheck disable=SC2016 # expanded by the shell inside
	in_builder "$(builder_of_kernel "$kernel")" \
		sh -c 'strip --strip-debug "$1"/*.ko' sh "$dir/modules" || return
	# Hard links: depmod wants to see all modules, and writes new files only.
	cp -al "$CACHE/kernels/$kernel/modules/$version" "$tree/lib/modules/" || return
	(cd "$tree/lib/modules/$version" && find . -maxdepth 1 -name 'modules.*' \
		! -name 'modules.builtin*' ! -name modules.order -delete) || return
	cp -r "$dir/modules" "$tree/lib/modules/$version/updates"
	depmod -b "$tree" "$version" || return
	(cd "$tree/lib/modules/$version" && find updates modules.* -type f -newer "$dir/version" \
		! -name 'modules.builtin' ! -name modules.builtin.modinfo ! -name modules.order |
		cpio -p -d --quiet "$tree/vm/modules/$version") || return
	(cd "$tree" && find vm | cpio -o -H newc --quiet -F "$dir/modules.cpio.new") || return
	mv "$dir/modules.cpio.new" "$dir/modules.cpio"
	rm -rf "$tree"
}
