# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # patience is set by wait.sh
#
# Reporting in KTAP (Documentation/dev-tools/ktap.rst of the kernel).

# Folder for this test's files; gone at its end.
scratch=$(mktemp -d) || exit 1
planned=0 count=0 failures=0
SKIP=4

# Commands to be done at the end, last first.
at_exit_commands=()

at_exit()
{
	at_exit_commands=("$*" "${at_exit_commands[@]}")
}

leave()
{
	local status=$? command
	trap - EXIT
	for command in "${at_exit_commands[@]}"; do
		limited 60 eval "$command" > /dev/null 2>&1
	done
	rm -rf "$scratch"
	exit "$status"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

# plan N: that many calls of "run" follow.
plan()
{
	planned=$1
	printf 'KTAP version 1\n1..%d\n' "$planned"
}

# skip_all REASON: this machine can't do any of it.
skip_all()
{
	printf 'KTAP version 1\n1..0 # SKIP %s\n' "$*"
	exit $SKIP
}

# bail_out REASON: what all tests stand on does not work.
bail_out()
{
	printf 'Bail out! %s\n' "$*"
	exit 1
}

note()
{
	printf '# %s\n' "$*"
}

# For use inside a test.
fail()
{
	printf '%s\n' "$*"
	exit 1
}

skip()
{
	printf '%s\n' "$*"
	exit "$SKIP"
}

# run DESCRIPTION COMMAND [ARG...]: one test. The command runs in a subshell with
# errexit on and passes by returning 0; what it says is shown if it fails. What
# it left running in the background ends with it. Lines of nested KTAP and notes
# are passed on. After one that hangs in the kernel, nothing more can be tested.
run()
{
	local description=$1 log=$scratch/log start=$EPOCHREALTIME status case
	shift
	count=$((count + 1))
	set +e
	(
		case=$BASHPID
		watch_case $case &
		disown
		trap end_background EXIT
		set -e
		"$@"
	) > "$log" 2>&1
	status=$?
	grep -E '^(# |  (KTAP|1\.\.|ok|not ok))' "$log"
	case $status in
	0)
		printf 'ok %d %s\n' $count "$description"
		;;
	"$SKIP")
		printf 'ok %d %s # SKIP %s\n' $count "$description" "$(tail -n 1 "$log")"
		;;
	*)
		failures=$((failures + 1))
		grep -v -E '^  (KTAP|1\.\.|ok|not ok)' "$log" | tail -n 80 | tr -d '\r' |
			sed 's/^/#   /'
		printf '# status %d after %s s\n' $status "$(since "$start")"
		printf 'not ok %d %s\n' $count "$description"
		[ ! -e "$scratch/hangs" ] || bail_out "$description hangs"
		;;
	esac
}

# watch_case PID: a case takes no longer than that. If it does, the log says what it
# waits for, and it is left alone: what it started may never end.
watch_case()
{
	local end=$((SECONDS + ${CASE_SECONDS:-300} * patience))
	while kill -0 "$1" 2> /dev/null; do
		[ $SECONDS -lt $end ] || {
			echo "takes longer than ${CASE_SECONDS:-300} s"
			show_stuck
			: > "$scratch/hangs"
			kill -KILL "$1"
		}
		nap 1
	done
}

# timeout(1) hands the signal on, and follows it up with SIGKILL.
end_background()
{
	local pids
	set +e
	pids=$(jobs -p)
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "$pids" ] || {
		kill $pids
		wait_for 20 not kill -0 $pids || { show_stuck; kill -KILL $pids; }
	} 2> /dev/null
}

# Call it last.
finish()
{
	if [ $count != "$planned" ]; then
		note "planned $planned tests but ran $count"
		exit 1
	fi
	[ $failures = 0 ]
	exit
}

# since START: seconds since then ($EPOCHREALTIME), with tenths.
since()
{
	local tenths=$(((${EPOCHREALTIME/[.,]/} - ${1/[.,]/}) / 100000))
	printf '%d.%d\n' $((tenths / 10)) $((tenths % 10))
}

need_root()
{
	[ "$(id -u)" = 0 ] || skip_all "needs root"
}

# need PROGRAM PACKAGE
need()
{
	command -v "$1" > /dev/null || skip_all "$1 is not here: install $2"
}
