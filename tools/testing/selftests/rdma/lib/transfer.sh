# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scratch, limit and patience are set by the other parts
#
# Data between the two sides, every byte compared (transfer.c).

# transfer 4|6 [OPTION...]
transfer()
{
	local family=$1 one two
	local pinned=()
	shift
	# A program that moves to another CPU overtakes its own packets: veth has a queue
	# for each. What UC loses by that is no fault.
	[[ " $* " != *" -t u"* ]] || pinned=(taskset -c 0)
	# A slow kernel needs time to answer; options given come last and win.
	[ "$patience" = 1 ] || set -- -u 17 "$@"
	one=$(gid_index 1 "$(address 1 "$family")") || fail "no such GID on xr1"
	two=$(gid_index 2 "$(address 2 "$family")") || fail "no such GID on xr2"
	"${pinned[@]}" timeout -k 5 "$limit" "$(helper transfer)" "$@" xr1 "$one" xr2 "$two" \
		> "$scratch/transfer" 2>&1 ||
		{ cat "$scratch/transfer"; show_counters 1; show_counters 2; fail "transfer $*"; }
	note "$(cat "$scratch/transfer")"
}
