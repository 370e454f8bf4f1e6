#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The runner counts what it should, above all tests that did not get to speak.

here=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
n=0

# $1: file name, $2...: its lines
program()
{
	name=$1
	shift
	{ echo '#!/bin/sh'; printf '%s\n' "$@"; } >"$dir/$name"
	chmod +x "$dir/$name"
}

# $1: test, $2: wanted exit status, $3: wanted last line, $4...: arguments
test_case()
{
	n=$((n + 1))
	name=$1 want=$2 line=$3
	shift 3
	(cd "$dir" && FUZZ_SECONDS=1 "$here/run.sh" "$@") >"$dir/log" 2>&1
	if [ $? -eq "$want" ] && [ "$(tail -n 1 "$dir/log")" = "$line" ]; then
		echo "ok $n $name"
	else
		sed 's/^/# /' "$dir/log"
		echo "not ok $n $name"
	fi
}

program good 'echo 1..2; echo ok 1 a; echo ok 2 b "# SKIP" why'
program bad 'echo 1..2; echo ok 1 a; echo not ok 2 b; exit 1'
program crash 'echo 1..2; echo ok 1 a; kill -SEGV $$'
program late 'echo 1..1; echo ok 1 a; exit 1'
program silent 'exit 0'
program fuzzer 'exit 0'
program finder 'exit 77'

echo 1..8
test_case run__adds_up 0 '2 passed, 0 failed, 2 skipped' ./good ./good
test_case run__failure 1 '2 passed, 1 failed, 1 skipped' ./good ./bad
test_case run__crash_is_a_failure 1 '1 passed, 1 failed, 0 skipped' ./crash
test_case run__bad_status_is_a_failure 1 '1 passed, 1 failed, 0 skipped' ./late
test_case run__silence_is_a_failure 1 '0 passed, 1 failed, 0 skipped' ./silent
test_case run__missing_program_is_a_failure 1 '0 passed, 1 failed, 0 skipped' ./none
test_case run__fuzzers 1 '1 passed, 1 failed, 0 skipped' -- ./fuzzer ./finder
test_case run__fuzzer_without_runtime 0 '1 passed, 0 failed, 2 skipped' ./good -- skip:x
