# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scripts/vm sets kernel, suite and the other options
#
# What a kernel reports by itself, without our modules, is not held against them.

# Are all reports of this run such as the same boot shows without our modules?
reports_of_baseline()
{
	local known=$CACHE/kernels/$kernel/baseline-$suite
	[ "$with_modules" = yes ] || return 1
	[ -e "$known" ] || record_baseline "$known"
	[ -z "$(without_numbers < "$run/reports" | comm -23 - "$known")" ]
}

record_baseline()
{
	say "the kernel reported something; booting without our modules to compare"
	local which=(--kernel "$kernel")
	[ "$kernel" != debug ] || which=(--debug)
	env -u OUT "$PROJECT/scripts/vm" --no-modules --record "$1.new" \
		"${which[@]}" --suite "$suite" true || true
	[ -e "$1.new" ] || : > "$1.new"
	mv "$1.new" "$1"
}
