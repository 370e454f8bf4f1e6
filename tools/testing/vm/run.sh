#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What scripts/vm promises, tried out: each line below boots one guest without
# our modules (but the bad options, which boot none). Prints KTAP.
#
# shellcheck disable=SC2016 # it is the guest that expands
#
# VM_OPTIONS holds options for all of them, such as "--kernel 6.1".

project=$(cd "$(dirname "$0")/../../.." && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

count=0
failed=0

# vm ARG...: leaves status, $scratch/stdout and $scratch/stderr.
vm()
{
	# shellcheck disable=SC2086 # a list of words
	"$project/scripts/vm" --no-modules ${VM_OPTIONS:-} "$@" \
		> "$scratch/stdout" 2> "$scratch/stderr" < /dev/null
	status=$?
}

# check NAME CONDITION...: one line of the report; on failure what was seen.
check()
{
	local name=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count $name"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $count $name"
	echo "# exit status $status"
	head -n 20 "$scratch/stdout" | cat -A | sed 's/^/# stdout: /'
	tail -n 20 "$scratch/stderr" | cat -A | sed 's/^/# stderr: /'
}

returned()
{
	[ "$status" = "$1" ]
}

# returned_saying STATUS stdout|stderr TEXT
returned_saying()
{
	returned "$1" && [ "$(cat "$scratch/$2")" = "$3" ]
}

# returned_showing STATUS PATTERN: on standard error
returned_showing()
{
	returned "$1" && grep -q -e "$2" "$scratch/stderr"
}

one_line_of_error()
{
	returned 2 && [ "$(wc -l < "$scratch/stderr")" = 1 ] && [ ! -s "$scratch/stdout" ]
}

test_exit_status()
{
	vm true
	check "success is returned" returned 0
	vm sh -c 'exit 37'
	check "an exit status is returned" returned 37
	vm no-such-program
	check "an unknown program gives 127" returned 127
	vm sh -c 'kill -KILL $$'
	check "death by a signal gives 128 and its number" returned 137
}

test_arguments()
{
	local odd="it's \"odd\" \$HOME \\n *"
	# shellcheck disable=SC2016 # the guest's shell expands it
	vm -- sh -c 'printf "<%s>" "$@"' - '' 'two words' "$odd" $'two\nlines' --help
	check "arguments arrive unchanged" returned_saying 0 stdout \
		"<><two words><$odd><"$'two\nlines'"><--help>"
}

test_output()
{
	vm sh -c 'echo out; echo err >&2; echo again > /dev/stdout'
	check "standard output is passed on" returned_saying 0 stdout $'out\nagain'
	check "standard error is passed on" returned_saying 0 stderr err
	vm seq 1 20000
	check "nothing of a long output is lost" returned_saying 0 stdout "$(seq 1 20000)"
}

test_folders()
{
	local out=$scratch/out
	vm --out "$out" sh -c 'echo from the guest > "$OUT/file" && chmod 640 "$OUT/file"'
	check "what is in \$OUT arrives" grep -q -x 'from the guest' "$out/file"
	cd "$project/tools" || exit
	vm sh -c 'pwd; cmp testing/vm/run.sh "$1" && ! touch x 2>/dev/null' - "$project/tools/testing/vm/run.sh"
	check "the project is there, read-only, and the current folder" \
		returned_saying 0 stdout "$project/tools"
	cd "$project" || exit
}

test_guest()
{
	vm --cpus 1 --memory 700 sh -c 'nproc; awk "/MemTotal/ { print (\$2 > 500000 && \$2 < 720000) }" /proc/meminfo'
	check "processors and memory are as asked for" returned_saying 0 stdout $'1\n1'
	vm sh -c 'id -u; ulimit -l; cat /sys/class/net/lo/flags; test -c /dev/infiniband/rdma_cm && ping -c 1 -q 127.0.0.1 > /dev/null'
	check "the guest is set up for RDMA" returned_saying 0 stdout $'0\nunlimited\n0x9'
}

# The same work takes as long each time, and a sleep its time.
test_count()
{
	vm --count sh -c 'nproc
		loop() { i=0; start=$(date +%s%N); while [ $i -lt 50000 ]; do i=$((i + 1)); done
			echo $((($(date +%s%N) - start) / 1000)); }
		loop > /dev/null; first=$(loop) second=$(loop)
		echo $((first > 10000 && (first - second) * 20 < first && (second - first) * 20 < first))
		start=$(date +%s); sleep 2; echo $(($(date +%s) - start >= 2))'
	check "a clock can count instructions" returned_saying 0 stdout $'1\n1\n1'
}

test_time_out()
{
	vm --timeout 3 sh -c 'echo started; sleep 1000'
	check "a time-out gives 124" returned_saying 124 stdout started
	vm --timeout 3 sh -c 'trap "" TERM; while :; do sleep 1; done'
	check "a command that ignores it, too" returned 124
}

# cycle LOCK MODULE: a script that says what lockdep would
cycle()
{
	printf 'echo "%s" > /dev/kmsg\n' "WARNING: possible circular locking dependency detected" \
		"-> #0 ($1){++++}-{4:4}:" "       some_function+0x1/0x2 [$2]" "Call Trace:" " </TASK>"
}

test_trouble()
{
	vm sh -c 'echo "WARNING: CPU: 0 PID: 1 at nowhere" > /dev/kmsg'
	check "a warning gives 125 and the log" returned_showing 125 'at nowhere'
	vm sh -c 'echo c > /proc/sysrq-trigger'
	check "a crash gives 125 and the log" returned_showing 125 'sysrq triggered crash'
	vm sh -c 'echo b > /proc/sysrq-trigger; sleep 100'
	check "a guest that just disappears gives 125" returned_showing 125 'died or hung'
	vm sh -c "$(cycle nvmet_config_sem rdma_cm)"
	check "a lock cycle of the kernel's own does not" returned 0
	vm sh -c "$(cycle nvmet_config_sem xroce)"
	check "but with a module of ours in it" returned_showing 125 'circular'
	vm sh -c 'echo "all is well" > /dev/kmsg; exit 3'
	check "an ordinary line does not" returned 3
}

test_bad_options()
{
	vm --kernel 5.10 true
	check "an unknown kernel gives 2" one_line_of_error
	vm --suite etch true
	check "an unknown suite gives 2" one_line_of_error
	vm --cpus many true
	check "a number that is none gives 2" one_line_of_error
	vm --frobnicate true
	check "an unknown option gives 2" one_line_of_error
	vm --timeout
	check "a missing value gives 2" one_line_of_error
}

echo "KTAP version 1"
echo "1..26"
test_bad_options
test_exit_status
test_arguments
test_output
test_folders
test_guest
test_count
test_time_out
test_trouble
[ "$failed" = 0 ]
