# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run.sh and the tests' library
#
# The same cases by the kernel's own sockets: streams by iperf3 (TCP) and limit.c (UDP,
# as Debian's iperf3 has no segments), messages and latencies by qperf.

stream_seconds=2

# It writes a MiB at most at once.
run_iperf3()
{
	converse 5201 iperf3 -s -1 -- iperf3 -c "$(address 1 4)" -t $stream_seconds \
		-l $(($1 < 1 << 20 ? $1 : 1 << 20)) -f K || return
	awk '/receiver/ { for (i = 2; i <= NF; i++) if ($i == "KBytes/sec") print $(i - 1) / 1024, "MiB/s" }' \
		"$scratch/client"
}

# Datagrams as the MTU allows, many at a time or one by one
run_udp_stream()
{
	local limit_program
	limit_program=$(bench_program limit)
	converse 5202 "$limit_program" receive 5202 -- "$limit_program" send "$(address 1 4)" 5202 \
		$((mtu - 28)) "$1" $stream_seconds || return
	cat "$scratch/client"
}

# qperf's "bw = 166 MB/sec", "latency = 110 us"
run_qperf()
{
	converse 19765 qperf -- qperf "$(address 1 4)" -t $stream_seconds -m "$2" --unify_units "$1" ||
		return
	awk -v size="$2" '
	BEGIN { us["ns"] = 0.001; us["us"] = 1; us["ms"] = 1000; us["sec"] = 1000000 }
	$1 == "latency" { print $3 * us[$4], "us" }
	$1 ~ /^(bw|recv_bw)$/ { bytes = $3 }
	END { if (bytes) print bytes / size, "messages/s" }' "$scratch/client"
}

# run_sockets CASE CONTENDER: cases that say more than OPERATION_SIZE[_lat] have no like here
run_sockets()
{
	local part size protocol=${2%-plain}
	IFS=_ read -r -a part <<< "$1"
	size=$(bytes_of "${part[1]}")
	case ${part[*]:2} in
	lat) run_qperf "${protocol}_lat" "$size" ;;
	?*) return 0 ;;
	'')
		if [ "$size" -lt 4096 ]; then
			run_qperf "${protocol}_bw" "$size"
		elif [ "$protocol" = tcp ]; then
			run_iperf3 "$size"
		elif [ "$2" = udp ]; then
			run_udp_stream 64
		else
			run_udp_stream 1
		fi
		;;
	esac > "$scratch/values" || return
	awk -v size="$size" -v seconds=$stream_seconds '
	$2 == "messages/s" { print $1 * seconds, size }
	$2 == "MiB/s" { print $1 * seconds * 1048576 / size, size }
	$2 == "us" { print seconds * 1000000 / $1, size }' "$scratch/values" > "$scratch/work"
	cat "$scratch/values"
}
