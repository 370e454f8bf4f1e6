# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run.sh and the tests' library
#
# What is measured of it. A case prints lines of a value and its unit.

# name, what it gives, program, its options: bw is MiB/s, rate messages/s, lat us; with
# an e what the processors did for it, too; cost is what cost.c says
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
send_64b	ratee	ib_send_bw -s 64 -n 20000
read_64b	rate	ib_read_bw -s 64 -n 10000
write_64b_q16	rate	ib_write_bw -s 64 -n 1500 -q 16
send_64b_q16	rate	ib_send_bw -s 64 -n 1500 -q 16
ud_64b		rate	ib_send_bw -s 64 -n 10000 -c UD
send_lat	lat	ib_send_lat -s 64 -n 1000
write_lat	lat	ib_write_lat -s 64 -n 1000
read_lat	lat	ib_read_lat -s 64 -n 1000
send_lat_e	lat	ib_send_lat -s 64 -n 1000 -e
reg_4k		cost	mr 4096 500
reg_1m		cost	mr 1048576 100
reg_1g		cost	mr 1073741824 5
idle_qp		cost	qp 1000
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

# How a side is told which address to use: by GID, or by connection manager.
perftest_place()
{
	case $LINK_TYPE in
	xiwarp | siw) printf '%s\n' -R ;;
	*) printf '%s\n' -x "$(gid_index "$1" "$(address "$1" 4)")" ;;
	esac
}

perftest_pair()
{
	local program=$1 client server_place client_place
	shift
	client=$(client_side)
	set -- -F "$@"
	mapfile -t server_place < <(perftest_place 1)
	mapfile -t client_place < <(perftest_place "$client")
	# siw's listeners need an address to know their namespace
	[ "${server_place[0]}" != -R ] || server_place+=(--bind_source_ip "$(address 1 4)")
	converse 18515 "$program" -d xr1 "${server_place[@]}" "$@" \
		-- "$program" -d "xr$client" "${client_place[@]}" "$@" "$(address 1 4)"
}

# Numbers of the client's last line
row()
{
	awk '/^ *#bytes/ { seen = 1; next } seen && $1 ~ /^[0-9]+$/ { row = $0 } END { print row }' \
		"$scratch/client"
}

switches()
{
	awk '/^ctxt/ { print $2 }' /proc/stat
}

# effort BUSY SWITCHES: since then, per unit of work of the client's last line; for
# latencies and rates that is a message
effort()
{
	local busy=$(($(busy_jiffies) - $1)) switched=$(($(switches) - $2))
	row | awk -v busy=$busy -v switched=$switched -v per="$3" '
	{ messages = $2; bytes = $1 * $2 }
	per == "GiB" { print busy / 100 / (bytes / 2 ^ 30), "cpu_s/GiB" }
	per == "message" {
		print busy / 100 / (messages / 1000000), "cpu_s/1e6"
		print switched / messages, "switches"
	}'
}

run_perftest()
{
	local kind=$1 busy switched
	shift
	busy=$(busy_jiffies) switched=$(switches)
	perftest_pair "$@" || return
	case $kind in
	lat) row | awk '{ print $5, "us"; print $8, "us_99%" }' ;;
	rate*) row | awk '{ print $5 * 1000000, "messages/s" }' ;;
	bw*) row | awk '{ print $4, "MiB/s" }' ;;
	esac
	case $kind in
	ratee) effort "$busy" "$switched" message ;;
	bwe) effort "$busy" "$switched" GiB ;;
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
	BEGIN { us["ns"] = 0.001; us["us"] = 1; us["ms"] = 1000; us["sec"] = 1000000 }
	$1 == "latency" { print $3 * us[$4], "us" }
	$1 ~ /^(bw|recv_bw)$/ { bytes = $3 }
	END {
		if (kind == "lat" || !bytes) exit
		if (kind ~ /^rate/) print bytes / size, "messages/s"
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

run_cost()
{
	local program=${TOOLS:-/nonexistent}/cost
	[ -x "$program" ] || program=$here/cost
	in_side 1 timeout -k 5 "$limit" "$program" xr1 "$@"
}

# run_case CASE CONTENDER
run_case()
{
	local kind command words
	IFS=$'\t' read -r kind command <<< "$(case_row "$1")"
	[ -n "$kind" ] || { echo "bench: no such case: $1" >&2; return 2; }
	read -r -a words <<< "$command"
	case $kind:$2 in
	cost:tcp | cost:udp) ;;
	cost:*) run_cost "${words[@]}" ;;
	*:tcp | *:udp) run_qperf "$kind" "$2" "${words[@]:1}" ;;
	*) run_perftest "$kind" "${words[@]}" ;;
	esac
}
