#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# coverage.sh BUILD SOURCE...: lines of each source that the programs in BUILD
# did not reach. Runs where the compiler ran.

build=$1
shift
for src; do
	name=$(basename "$src" .c)
	if [ ! -f "$build/core/$name.gcda" ]; then
		echo "$name.c: never run"
		continue
	fi
	${GCOV:-gcov} --stdout -o "$build/core" "$src" | awk -F: -v src="$src" '
		$3 == "Source" { mine = $4 == src }
		{ count = $1; gsub(/ /, "", count) }
		!mine || count == "-" { next }
		count ~ /^[#=]/ { text[++missed] = $0 }
		{ lines++ }
		END {
			sub(/.*\//, "", src)
			printf "%s: %d of %d lines reached\n", src, lines - missed, lines
			for (i = 1; i <= missed; i++)
				print "    " text[i]
		}'
done
