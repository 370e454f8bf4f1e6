#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# run.sh [TEST...]: run tests of this folder, all but the long ones if none is named,
# and print one total. "long" stands for the long ones. A test that dies, or reports fewer results than it planned, counts as
# one failure more. Needs root and the modules; see Documentation/testing.rst.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/testing/selftests/rdma/lib/wait.sh
. "$here/lib/wait.sh"
passed=0 failed=0 skipped=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# What takes minutes on a slow machine; and sockets, since rds_rdma leaves objects behind
# when it is unloaded, which the debug kernel reports.
long_tests='interop iw_largest iw_middleware iw_perftest iw_places iw_siw middleware netns places priority pyverbs_gids soak sockets'

# Users in the kernel come last: some kernels have a lock cycle in nvmet, and once it
# has reported one, lockdep watches no more.
last_tests='iw_ulp ulp'

short_tests()
{
	local file name
	for file in "$here"/*.sh; do
		name=$(basename "$file" .sh)
		case $name in
		run | lib) ;;
		*) [[ " $long_tests $last_tests " = *" $name "* ]] || printf '%s\n' "$name" ;;
		esac
	done
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $last_tests
}

# count_results: of the log, "passed failed skipped reported planned". A result with
# nested results counts as these, and as a failure if it failed and none of them did.
count_results()
{
	awk '
	function tally() {
		if (/^ *not ok /) failed++
		else if (/# SKIP/) skipped++
		else passed++
	}
	/^ +(ok|not ok) / { tally(); nested++; if (/^ *not ok /) nested_failed++ }
	/^(ok|not ok) / {
		reported++
		if (!nested) tally()
		else if (/^not ok / && !nested_failed) failed++
		nested = nested_failed = 0
	}
	/^1\.\.[0-9]+$/ { planned = substr($0, 4) }
	END { print passed + 0, failed + 0, skipped + 0, reported + 0, planned + 0 }
	' "$log"
}

# tally NAME STATUS
tally()
{
	local ok bad skip reported planned
	if grep -q '^1\.\.0 # SKIP' "$log"; then
		skipped=$((skipped + 1))
		return
	fi
	read -r ok bad skip reported planned < <(count_results)
	if [ "$reported" != "$planned" ] || [ "$planned" = 0 ] ||
	   { [ "$2" != 0 ] && [ "$bad" = 0 ]; }; then
		echo "not ok - $1: status $2, $reported of $planned tests reported"
		bad=$((bad + 1))
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

tests=()
[ $# -gt 0 ] || mapfile -t tests < <(short_tests)
for name; do
	# shellcheck disable=SC2206 # a list of words
	if [ "$name" = long ]; then tests+=($long_tests); else tests+=("$name"); fi
done
for name in "${tests[@]}"; do
	name=$(basename "$name" .sh)
	start=$SECONDS
	echo "# $name"
	timeout -k 10 "${TEST_SECONDS:-$((900 * patience))}" "$here/$name.sh" 2>&1 | tee "$log"
	tally "$name" "${PIPESTATUS[0]}"
	echo "# $name: $((SECONDS - start)) s"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
