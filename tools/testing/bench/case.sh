# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run.sh and the tests' library
#
# What is measured of it. A case prints lines of a value and its unit.

# name, program, its options; bw: MiB/s, rate: messages/s, lat: us; e: CPU too
cases_known='
write_64k	bw	ib_write_bw -s 65536 -n 2000
read_64k	bw	ib_read_bw -s 65536 -n 2000
send_64k	bw	ib_send_bw -s 65536 -n 2000
write_64k_e	bwe	ib_write_bw -s 65536 -n 2000 -e
send_64k_e	bwe	ib_send_bw -s 65536 -n 2000 -e
write_64k_b	bw	ib_write_bw -s 65536 -n 1000 -b
write_64k_q16	bw	ib_write_bw -s 65536 -n 150 -q 16 -t 16
write_64k_q1024	bw	ib_write_bw -s 65536 -n 5 -q 1024 -t 2
write_4k	bw	ib_write_bw -s 4096 -n 10000
write_1m	bw	ib_write_bw -s 1048576 -n 150 -t 16
write_64b	rate	ib_write_bw -s 64 -n 20000
send_64b	rate	ib_send_bw -s 64 -n 20000
read_64b	rate	ib_read_bw -s 64 -n 10000
write_64b_q16	rate	ib_write_bw -s 64 -n 1500 -q 16
send_64b_q16	rate	ib_send_bw -s 64 -n 1500 -q 16
ud_64b		rate	ib_send_bw -s 64 -n 10000 -c UD
send_lat	lat	ib_send_lat -s 64 -n 1000
write_lat	lat	ib_write_lat -s 64 -n 1000
read_lat	lat	ib_read_lat -s 64 -n 1000
send_lat_e	lat	ib_send_lat -s 64 -n 1000 -e
'

case_row()
{
	awk -F '\t+' -v name="$1" '$1 == name { print $2 "\t" $3 }' <<< "$cases_known"
}

client_side()
{
	if [ "$topology" = self ]; then echo 1; else echo 2; fi
}

# converse PORT SERVER... -- CLIENT...: as talk(), on the sides of the topology
converse()
{
	local port=$1 server=() pid status
	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	(exec_side 1 timeout -k 5 "$limit" "${server[@]}") > "$scratch/server" 2>&1 < /dev/null &
	pid=$!
	wait_for 30 is_listening "$port"
	in_side "$(client_side)" timeout -k 5 "$limit" "$@" > "$scratch/client" 2>&1 < /dev/null
	status=$?
	kill $pid 2> /dev/null
	wait $pid
	return $status
}

is_listening()
{
	in_side 1 ss -Htln "sport = :$1" | grep -q .
}

# Jiffies that all processors were busy so far.
busy_jiffies()
{
	awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat
}

perftest_pair()
{
	local program=$1 client
	shift
	client=$(client_side)
	set -- -F "$@"
	converse 18515 "$program" -d xr1 -x "$(gid_index 1 "$(address 1 4)")" "$@" \
		-- "$program" -d "xr$client" -x "$(gid_index "$client" "$(address "$client" 4)")" "$@" \
		"$(address 1 4)"
}

# Numbers of the client's last line
row()
{
	awk '/^ *#bytes/ { seen = 1; next } seen && $1 ~ /^[0-9]+$/ { row = $0 } END { print row }' \
		"$scratch/client"
}

run_perftest()
{
	local kind=$1 before after
	shift
	case $kind in
	lat)
		perftest_pair "$@" || return
		row | awk '{ print $5, "us"; print $8, "us_99%" }'
		;;
	rate)
		perftest_pair "$@" || return
		row | awk '{ print $5 * 1000000, "messages/s" }'
		;;
	bw)
		perftest_pair "$@" || return
		row | awk '{ print $4, "MiB/s" }'
		;;
	bwe)
		before=$(busy_jiffies)
		perftest_pair "$@" || return
		after=$(busy_jiffies)
		row | awk -v busy=$((after - before)) \
			'{ print $4, "MiB/s"; print busy / 100 / ($1 * $2 / 2 ^ 30), "cpu_s/GiB" }'
		;;
	esac
}

# qperf's "bw = 166 MB/sec", "latency = 110 us"
run_qperf()
{
	local kind=$1 protocol=$2 size test
	shift 2
	size=$(size_of "$@")
	case $kind in
	lat) test=${protocol}_lat ;;
	*) test=${protocol}_bw ;;
	esac
	converse 19765 qperf -- qperf "$(address 1 4)" -t 2 -m "$size" --unify_units "$test" || return
	awk -v kind="$kind" -v size="$size" '
	$1 == "latency" { print $3 * ($4 == "sec" ? 1000000 : 1), "us" }
	$1 ~ /^(bw|recv_bw)$/ { bytes = $3 }
	END {
		if (kind == "lat" || !bytes) exit
		if (kind == "rate") print bytes / size, "messages/s"
		else print bytes / 2 ^ 20, "MiB/s"
	}' "$scratch/client"
}

# The number behind -s
size_of()
{
	while [ $# -gt 1 ]; do
		[ "$1" != -s ] || echo "$2"
		shift
	done
}

# run_case CASE CONTENDER
run_case()
{
	local kind command words
	IFS=$'\t' read -r kind command <<< "$(case_row "$1")"
	[ -n "$kind" ] || { echo "bench: no such case: $1" >&2; return 2; }
	read -r -a words <<< "$command"
	case $2 in
	tcp | udp) run_qperf "$kind" "$2" "${words[@]:1}" ;;
	*) run_perftest "$kind" "${words[@]}" ;;
	esac
}
