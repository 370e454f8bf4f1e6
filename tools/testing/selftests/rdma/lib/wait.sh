# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Waiting with a bound.

# A kernel that watches its own memory is several times slower.
patience=1
[ ! -e /sys/kernel/debug/kmemleak ] || patience=5

# A program that takes longer than this hangs.
limit=${LIMIT:-$((90 * patience))}

# wait_for SECONDS COMMAND [ARG...]: until the command succeeds.
wait_for()
{
	local end=$((SECONDS + $1 * patience + 1))
	shift
	until "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# still SECONDS COMMAND...: true if the command holds for that long.
still()
{
	local end=$((SECONDS + $1 + 1))
	shift
	while "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 0
		sleep 0.2
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
