# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What a kernel reports by itself, without our modules, is not held against them.

# Are all reports of this run such as the same boot shows without our modules?
reports_of_baseline()
{
	local known=$CACHE/kernels/$kernel/baseline-$suite
	[ $with_modules = yes ] || return 1
	[ -e "$known" ] || record_baseline "$known"
	[ -z "$(without_numbers < "$run/reports" | comm -23 - "$known")" ]
}

record_baseline()
{
	say "the kernel reported something; booting without our modules to compare"
	(
		unset OUT
		"$PROJECT/scripts/vm" --no-modules --record "$1.new" --suite "$suite" \
			$([ "$kernel" = debug ] && echo --debug || echo --kernel "$kernel") true
	) || true
	[ -e "$1.new" ] || : > "$1.new"
	mv "$1.new" "$1"
}
