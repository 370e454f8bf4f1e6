# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set or used by run.sh and the tests' library
#
# What is measured of it. A case prints lines of a value and its unit. Most are
# perftest's, see perftest.sh; these are the others.

# name, which program here does it, its arguments
cases_known='
reg_4k		cost	mr 4096 500
reg_1m		cost	mr 1048576 100
reg_1g		cost	mr 1073741824 3
reg_8g		cost	mr 8589934592 1
mrs		cost	mrs 2000
qps		cost	qps 1000
idle_qp		cost	qp 10000
active_qp	pairs	active 5000
pairs		pairs	rate 500
share_4k_q16	pairs	share 16 4096 8 5
share_4k_q1024	pairs	share 1024 4096 8 10
share_64b_q16	pairs	share 16 64 8 5
share_64b_q1024	pairs	share 1024 64 8 10
share_64k_q16	pairs	share 16 65536 2 5
share_64k_q1024	pairs	share 1024 65536 2 30
connections	connect	40 40
connections_q1	connect	40 1
memcpy_64k	limit	memcpy 65536
copy_64k	limit	copy 65536
crc32_64k	limit	crc32 65536
crc32c_64k	limit	crc32c 65536
'

# "PROGRAM ARG..."
case_row()
{
	awk -F '\t+' -v name="$1" '$1 == name { print $2, $3 }' <<< "$cases_known"
}

bench_program()
{
	local program=${TOOLS:-/nonexistent}/$1
	[ -x "$program" ] || program=$here/$1
	printf '%s\n' "$program"
}

run_cost()
{
	local client
	client=$(client_side)
	in_side "$client" timeout -k 5 "$limit" "$(bench_program cost)" "xr$client" "$@"
}

# Both devices must be this host's; the program is of neither namespace.
run_pairs()
{
	local client
	client=$(client_side)
	[ "$topology" != wire ] || return 0
	timeout -k 5 "$limit" "$(bench_program pairs)" xr1 "$(gid_index 1 "$(address 1 4)")" \
		"xr$client" "$(gid_index "$client" "$(address "$client" 4)")" "$@"
}

run_limit()
{
	modprobe -q -a algif_hash crc32 crc32c
	modprobe -q -a crc32_pclmul crc32c_intel
	timeout -k 5 "$limit" "$(bench_program limit)" "$@"
}

# run_connect N AT-ONCE: by rdma_cm. Connections are idle while the kernel's memory is
# looked at; both ends of each are this host's.
run_connect()
{
	local before result=$scratch/result
	rm -f "$result" "$scratch/hold"
	mkfifo "$scratch/hold"
	begin_server_cm || return
	before=$(slab_and_all)
	in_side "$(client_side)" timeout -k 5 "$limit" "$(bench_program iw_many)" connect \
		"$(address 1 4)" "$1" "$2" > "$result" 2>&1 < "$scratch/hold" &
	exec {hold}> "$scratch/hold"
	wait_for "$limit" grep -q 'connections in' "$result"
	echo "$before $(slab_and_all) $(cat "$result")" | awk '
		/ 0 failed/ {
			print $5 / $8, "connections/s"
			print ($3 - $1) * 1024 / $5 / 2, "B_of_slab"
			print ($4 - $2) * 1024 / $5 / 2, "B_of_memory"
		}'
	exec {hold}>&-
	wait $!
	end_server
	awk '/ended in/ { print $1 / $4, "ends/s" }' "$result"
}

slab_and_all()
{
	# What RCU still holds shall not count for the next.
	sleep 1
	printf '%d %d\n' "$(awk '/^Slab:/ { print $2 }' /proc/meminfo)" "$(kernel_kib)"
}

begin_server_cm()
{
	(exec_side 1 timeout -k 5 "$limit" "$(bench_program iw_many)" listen "$(address 1 4)" 128) \
		> "$scratch/server" 2>&1 < /dev/null &
	server_pid=$!
	wait_for 30 listens_by_cm 7192
}

# values CASE CONTENDER
values()
{
	local words
	if is_perftest "$1"; then
		case $2 in
		tcp* | udp*) run_sockets "$1" "$2" ;;
		limit) ;;
		*) run_perftest "$1" ;;
		esac
		return
	fi
	read -r -a words <<< "$(case_row "$1")"
	case ${words[0]:-}:$2 in
	:*) echo "bench: no such case: $1" >&2; return 2 ;;
	limit:limit) run_limit "${words[@]:1}" ;;
	limit:* | *:limit | *:tcp* | *:udp*) ;;
	connect:*) [ "$topology" = wire ] || run_connect "${words[@]:1}" ;;
	*) "run_${words[0]}" "${words[@]:1}" ;;
	esac
}

# run_case CASE CONTENDER: and what it took, where work is counted. Programs' beginning
# and end are in it.
run_case()
{
	local before
	rm -f "$scratch/work"
	before=$(effort_so_far)
	values "$1" "$2" || return
	[ -s "$scratch/work" ] || return 0
	echo "$before $(effort_so_far) $(cat "$scratch/work")" | awk '
	{
		seconds = ($3 - $1) / 100
		messages = $5
		if ($6 >= 4096) print seconds / (messages * $6 / 2 ^ 30), "cpu_s/GiB"
		print seconds / (messages / 1000000), "cpu_s/1e6"
		print ($4 - $2) / messages, "switches"
	}'
}
