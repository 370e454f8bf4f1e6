# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # scratch is set by ktap.sh
#
# The programs that Debian ships, as they are run between the two sides.

iterations=${ITERATIONS:-200}

# Stand-ins for some of them, with the reason in each.
! command -v rping > /dev/null || PATH=$tests/lib/bin:$PATH

# pingpong rc|uc|ud|srq 4|6 [OPTION...]: data are checked. The programs meet by
# TCP over IPv4, which is all their server listens on.
pingpong()
{
	local program=ibv_$1_pingpong family=$2 server client
	shift 2
	server=$(gid_index 1 "$(address 1 "$family")") || fail "no such GID on xr1"
	client=$(gid_index 2 "$(address 2 "$family")") || fail "no such GID on xr2"
	# Options given come last, so they win.
	set -- -c -n "$iterations" "$@"
	talk tcp:18515 "$program" -d xr1 -g "$server" "$@" \
		-- "$program" -d xr2 -g "$client" "$@" "$(address 1 4)"
	# They complain about data, yet return 0.
	! grep -i invalid "$scratch/server" "$scratch/client" || { show_talk; fail "wrong data"; }
	grep -q 'usec/iter' "$scratch/client" || { show_talk; fail "no result"; }
}

# lossy_pingpong ARG...: as pingpong. A side that has all it wants ends, and nobody
# repeats its last acknowledgement, if that was lost: then once more.
lossy_pingpong()
{
	local round
	for round in 1 2 3 4 5; do
		(trap end_background EXIT; pingpong "$@") > "$scratch/round" 2>&1 && return
		grep -q 'transport retry counter exceeded' "$scratch/round" || break
	done
	cat "$scratch/round"
	fail "round $round of a pingpong"
}

# rping_by_address 4|6 [OPTION...]: SENDs, WRITEs and READs; data are checked.
rping_by_address()
{
	local address times=100 i
	address=$(address 1 "$1")
	shift
	for ((i = 1; i < $#; i++)); do
		[ "${!i}" != -C ] || { i=$((i + 1)); times=${!i}; }
	done
	set -- -C "$times" -V "$@"
	talk cm:7174 rping -s -a "$address" "$@" -- rping -c -v -a "$address" "$@"
	[ "$(grep -c '^ping data:' "$scratch/client")" = "$times" ] ||
		{ show_talk; fail "fewer than $times pings came back"; }
}

# cm_mode TYPE: of which RoCE version rdma_cm's connections are from now on.
cm_mode()
{
	local side folder
	for side in 1 2; do
		folder=/sys/kernel/config/rdma_cm/xr$side
		[ -d "$folder" ] || mkdir "$folder" || fail "no configfs for rdma_cm"
		echo "$1" > "$folder/ports/1/default_roce_mode"
	done
}

# has_option OPTION ARG...
has_option()
{
	local wanted=$1 option
	shift
	for option; do
		[ "$option" != "$wanted" ] || return 0
	done
	return 1
}

# perftest PROGRAM 4|6 [OPTION...]
perftest()
{
	local program=$1 family=$2 server client
	shift 2
	# The CM picks its own GIDs, and its listener is the one to wait for.
	! has_option -R "$@" || { perftest_cm "$program" "$family" "$@"; return; }
	server=$(gid_index 1 "$(address 1 "$family")") || fail "no such GID on xr1"
	client=$(gid_index 2 "$(address 2 "$family")") || fail "no such GID on xr2"
	has_option -n "$@" || set -- -n "$iterations" "$@"
	set -- -F "$@"
	# They exchange what they need over IPv4: the GID says how RDMA goes, and
	# bookworm's have no --ipv6-addr.
	talk tcp:18515 "$program" -d xr1 -x "$server" "$@" \
		-- "$program" -d xr2 -x "$client" "$@" "$(address 1 4)"
	has_perftest_result
}

# run_perftest_by_cm LINES: a case for each command line in it
run_perftest_by_cm()
{
	local line words
	while read -r line; do
		[ -n "$line" ] || continue
		read -r -a words <<< "$line"
		has_option -n "${words[@]}" || words+=(-n 50)
		run "$line" perftest "${words[0]}" 4 -R "${words[@]:1}"
	done <<< "$1"
}

perftest_cm()
{
	local program=$1 family=$2
	shift 2
	has_option -n "$@" || set -- -n "$iterations" "$@"
	set -- -F "$@"
	talk cm:18515 "$program" "$@" -- "$program" "$@" "$(address 1 "$family")"
	has_perftest_result
}

has_perftest_result()
{
	[ -n "$(perftest_result)" ] || { show_talk; fail "no result"; }
}

# ---- results, from the client's output ------------------------------------------

pingpong_result()
{
	sed -n 's/.* = *\([0-9.]*\) usec\/iter$/\1 us per exchange/p' "$scratch/client"
}

# perftest's last line of numbers: those after "#bytes #iterations".
perftest_row()
{
	awk '/^ *#bytes/ { seen = 1; next } seen && $1 ~ /^[0-9]+$/ { row = $0 } END { print row }' \
		"$scratch/client"
}

perftest_result()
{
	local head row
	head=$(grep '^ *#bytes' "$scratch/client" | tail -n 1)
	row=$(perftest_row)
	[ -n "$row" ] || return 0
	case $head in
	*'BW average[MiB/sec]'*) awk '{ printf "%s MiB/s\n", $4 }' <<< "$row" ;;
	*'t_typical[usec]'*) awk '{ printf "%s us typical\n", $5 }' <<< "$row" ;;
	*) awk '{ printf "%s us average\n", $3 }' <<< "$row" ;;
	esac
}

# qperf_test NAME: by rdma_cm, with the server that is there. It tells its port before it
# listens there: a quicker client is rejected.
qperf_test()
{
	local try
	for try in 1 2 3 4 5; do
		in_side 2 timeout -k 5 "$limit" qperf 10.0.0.1 -t 1 -cm 1 "$1" \
			> "$scratch/client" 2>&1 < /dev/null || true
		cat "$scratch/client"
		! grep -q -E '^ +(bw|latency|msg_rate) ' "$scratch/client" || return 0
		grep -q 'Event rejected' "$scratch/client" || fail "no result of $1"
	done
	fail "$1 was rejected $try times"
}
