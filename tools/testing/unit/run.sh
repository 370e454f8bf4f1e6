#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# run.sh PROGRAM... [-- FUZZER...]: run TAP programs, and fuzzers for
# FUZZ_SECONDS in all, as many at a time as there are processors, and print one
# total. A PROGRAM may have arguments in the same word. One that dies, or reports
# fewer tests than it planned, counts as one failure more.

passed=0 failed=0 skipped=0
jobs=${JOBS:-$(nproc)}
here=$(cd "$(dirname "$0")" && pwd)
logs=$(mktemp -d) || exit 2
trap 'rm -rf "$logs"' EXIT

# count PATTERN LOG: lines that match it
count()
{
	grep -c "$1" "$2"
}

# tally PROGRAM LOG: the status is in LOG.status
tally()
{
	local status skip ok bad plan
	status=$(cat "$2.status" 2> /dev/null) || status=none
	skip=$(count '^ok.*# SKIP' "$2")
	ok=$(($(count '^ok' "$2") - skip))
	bad=$(count '^not ok' "$2")
	plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$2" | head -n 1)
	cat "$2"
	if { [ "$status" != 0 ] && [ "$bad" -eq 0 ]; } ||
	   [ $((ok + bad + skip)) -ne "${plan:-0}" ] || [ "${plan:-0}" -eq 0 ]; then
		echo "not ok - $1: status $status, $((ok + bad + skip)) of ${plan:-0} tests reported"
		bad=$((bad + 1))
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

run_tap()
{
	# shellcheck disable=SC2086 # a program and its arguments
	timeout "${TEST_SECONDS:-300}" $1 $SIM_ARGS > "$2" 2>&1
	echo $? > "$2.status"
}

# run_fuzzer FUZZER LOG SECONDS
run_fuzzer()
{
	local name=${1##*/} corpus seeds=$here/fuzz/corpus/${1##*/}
	case $1 in
	skip:*)
		printf '1..1\nok 1 fuzz %s # SKIP no libFuzzer: needs clang and its libclang-rt-*-dev\n' \
			"${1#skip:}" > "$2"
		echo 0 > "$2.status"
		return
		;;
	esac
	corpus=$(dirname "$1")/corpus-$name
	mkdir -p "$corpus"
	[ -d "$seeds" ] || seeds=
	if "$1" -max_total_time="$3" -max_len="${FUZZ_MAX_LEN:-4096}" \
	     -timeout=10 -print_final_stats=1 -artifact_prefix="$corpus-" \
	     "$corpus" ${seeds:+"$seeds"} > "$2.out" 2>&1; then
		printf '1..1\nok 1 fuzz %s # %s runs in %d s\n' "$name" \
			"$(sed -n 's/.*number_of_executed_units: *//p' "$2.out")" "$3" > "$2"
	else
		{ tail -n 60 "$2.out" | sed 's/^/# /'; printf '1..1\nnot ok 1 fuzz %s\n' "$name"; } > "$2"
	fi
	echo 0 > "$2.status"
}

# start COMMAND...: in the background, when a processor is free
running=0
start()
{
	if [ "$running" -ge "$jobs" ]; then
		wait -n
		running=$((running - 1))
	fi
	"$@" &
	running=$((running + 1))
}

programs=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	programs+=("$1")
	shift
done
[ $# = 0 ] || shift

# The fuzzers first: they take a fixed time.
each=$((${FUZZ_SECONDS:-20} / ($# > 0 ? $# : 1)))
[ $each -gt 0 ] || each=1
n=0
for fuzzer; do
	start run_fuzzer "$fuzzer" "$logs/fuzz$((n++))" $each
done
for ((i = 0; i < ${#programs[@]}; i++)); do
	start run_tap "${programs[i]}" "$logs/$i"
done
wait

for ((i = 0; i < ${#programs[@]}; i++)); do
	tally "${programs[i]}" "$logs/$i"
done
n=0
for fuzzer; do
	tally "fuzz ${fuzzer##*/}" "$logs/fuzz$((n++))"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
