#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# run.sh [TEST...]: run tests of this folder, all if none is named, and print one
# total. A test that dies, or reports fewer results than it planned, counts as
# one failure more. Needs root and the modules; see Documentation/testing.rst.

here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0 skipped=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

all_tests()
{
	local file name
	for file in "$here"/*.sh; do
		name=$(basename "$file" .sh)
		case $name in
		run | lib) ;;
		*) printf '%s\n' "$name" ;;
		esac
	done
}

# count PATTERN: lines of the log that match it
count()
{
	grep -c -E "$1" "$log"
}

# tally NAME STATUS
tally()
{
	local plan skip ok bad
	if grep -q '^1\.\.0 # SKIP' "$log"; then
		skipped=$((skipped + 1))
		return
	fi
	skip=$(count '^ok .*# SKIP')
	ok=$(($(count '^ok ') - skip))
	bad=$(count '^not ok ')
	plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -n 1)
	if [ $((ok + bad + skip)) != "${plan:-0}" ] || [ "${plan:-0}" = 0 ] ||
	   { [ "$2" != 0 ] && [ "$bad" = 0 ]; }; then
		echo "not ok - $1: status $2, $((ok + bad + skip)) of ${plan:-0} tests reported"
		bad=$((bad + 1))
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

[ $# -gt 0 ] || mapfile -t tests < <(all_tests)
[ $# = 0 ] || tests=("$@")
for name in "${tests[@]}"; do
	name=$(basename "$name" .sh)
	start=$SECONDS
	echo "# $name"
	timeout -k 10 "${TEST_SECONDS:-900}" "$here/$name.sh" 2>&1 | tee "$log"
	tally "$name" "${PIPESTATUS[0]}"
	echo "# $name: $((SECONDS - start)) s"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
