#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# run.sh PROGRAM... [-- FUZZER...]: run TAP programs, then fuzzers for
# FUZZ_SECONDS in all, and print one total. A program that dies, or reports
# fewer tests than it planned, counts as one failure more.

passed=0 failed=0 skipped=0
here=$(cd "$(dirname "$0")" && pwd)
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# $1: pattern; number of lines of the log that match it
count()
{
	grep -c "$1" "$log"
}

# $1: exit status, $2: program
tally()
{
	skip=$(count '^ok.*# SKIP')
	ok=$(($(count '^ok') - skip))
	bad=$(count '^not ok')
	plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -n 1)
	if [ "$1" -ne 0 ] && [ "$bad" -eq 0 ] ||
	   [ $((ok + bad + skip)) -ne "${plan:-0}" ] || [ "${plan:-0}" -eq 0 ]; then
		echo "not ok - $2: status $1, $((ok + bad + skip)) of ${plan:-0} tests reported"
		bad=$((bad + 1))
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

run_tap()
{
	timeout "${TEST_SECONDS:-300}" "$1" $SIM_ARGS >"$log" 2>&1
	status=$?
	cat "$log"
	tally $status "$1"
}

# $1: fuzzer, $2: seconds
run_fuzzer()
{
	name=${1##*/}
	case $1 in
	skip:*)
		echo "ok - fuzz ${1#skip:} # SKIP no libFuzzer: needs clang and its libclang-rt-*-dev"
		skipped=$((skipped + 1))
		return
		;;
	esac
	corpus=$(dirname "$1")/corpus-$name
	mkdir -p "$corpus"
	seeds=$here/fuzz/corpus/$name
	[ -d "$seeds" ] || seeds=
	if "$1" -max_total_time="$2" -max_len="${FUZZ_MAX_LEN:-4096}" \
	     -timeout=10 -print_final_stats=1 -artifact_prefix="$corpus-" \
	     "$corpus" $seeds >"$log" 2>&1; then
		runs=$(sed -n 's/.*number_of_executed_units: *//p' "$log")
		echo "ok - fuzz $name # $runs runs in $2 s"
		passed=$((passed + 1))
	else
		tail -n 60 "$log"
		echo "not ok - fuzz $name"
		failed=$((failed + 1))
	fi
}

while [ $# -gt 0 ] && [ "$1" != -- ]; do
	run_tap "$1"
	shift
done
[ $# -gt 0 ] && shift
each=$((${FUZZ_SECONDS:-20} / ($# > 0 ? $# : 1)))
[ $each -gt 0 ] || each=1
for fuzzer; do
	run_fuzzer "$fuzzer" $each
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
