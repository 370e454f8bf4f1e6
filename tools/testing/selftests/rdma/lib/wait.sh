# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Waiting with a bound.

# A kernel that watches its own memory is several times slower.
patience=1
[ ! -e /sys/kernel/debug/kmemleak ] || patience=5
export PATIENCE=$patience

# A program that takes longer than this hangs.
limit=${LIMIT:-$((90 * patience))}

# nap SECONDS: sleep(1) without a process, which costs a slow machine more than the
# nap: read from where nothing ever comes.
exec {nothing}<> <(:)
nap()
{
	read -r -t "$1" -u "$nothing" || true
}

# wait_for SECONDS COMMAND [ARG...]: until the command succeeds.
wait_for()
{
	local end=$((SECONDS + $1 * patience + 1))
	shift
	until "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		nap 0.05
	done
}

# still SECONDS COMMAND...: true if the command holds for that long.
still()
{
	local end=$((SECONDS + $1 + 1))
	shift
	while "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 0
		nap 0.2
	done
	return 1
}

not()
{
	! "$@"
}

bounded()
{
	timeout -k 5 "$limit" "$@"
}

# limited SECONDS COMMAND...: like the command, but fails if it takes longer and
# says what hangs. What not even SIGKILL ends is left behind.
limited()
{
	local seconds=$1 pid
	shift
	"$@" &
	pid=$!
	wait_for "$seconds" not kill -0 $pid || {
		echo "hangs after $seconds s: $*"
		show_stuck
		kill -KILL $pid
		return 124
	}
	wait $pid
}
