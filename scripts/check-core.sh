#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# check-core.sh [DIR...]: what the pure cores may include. A file under core/
# includes headers of this list and its own neighbours, nothing else; it has no
# floating point and does not ask whether it is built for the kernel.

top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "$top"/drivers/infiniband/sw/*/core

allowed='
linux/types.h linux/limits.h linux/bits.h linux/bitfield.h linux/build_bug.h
linux/errno.h linux/string.h linux/minmax.h linux/math.h linux/math64.h
linux/unaligned.h linux/crc32.h linux/crc32c.h asm/byteorder.h
'

check_file()
{
	sed -E -e 's://.*::' -e 's:/\*[^*]*\*/::g' "$1" | awk -v file="$1" \
		-v dir="$(dirname "$1")" -v allowed="$allowed" '
	function bad(what) { printf "%s:%d: %s\n", file, NR, what; failed = 1 }
	BEGIN { n = split(allowed, list); for (i = 1; i <= n; i++) ok[list[i]] = 1 }
	/^[ \t]*\/?\*/ { next }
	/^[ \t]*#[ \t]*include/ {
		name = $0
		sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
		sub(/[ \t]+$/, "", name)
		if (name ~ /^<.*>$/) {
			if (!(substr(name, 2, length(name) - 2) in ok))
				bad("includes " name)
		} else if (name ~ /^"[^\/"]+"$/) {
			path = dir "/" substr(name, 2, length(name) - 2)
			if ((getline line < path) < 0)
				bad("includes " name ", not a header of core/")
			close(path)
		} else {
			bad("includes " name)
		}
		next
	}
	/(^|[^A-Za-z0-9_])(float|double)([^A-Za-z0-9_]|$)/ { bad("floating point") }
	/__KERNEL__|UNIT_TEST|LINUX_VERSION_CODE/ { bad("depends on where it is built") }
	END { exit failed }'
}

failed=0
for file in $(find "$@" -name '*.[ch]' | sort); do
	check_file "$file" || failed=1
done
exit $failed
