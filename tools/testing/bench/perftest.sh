# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run.sh and the tests' library
#
# Cases by perftest. A case is OPERATION_SIZE[_HOW...], say write_64k_q16_d1.

# how, and what perftest is told then; N is the number in it
hows='
lat	
qN	-q N
dN	-t N
b	-b
e	-e
inline	-I SIZE
ud	-c UD
uc	-c UC
'

# Enough for a second or two: bytes, messages, and what latency needs
most_bytes=$((128 << 20)) most_messages=20000 latencies=1000

# "64k" to 65536
bytes_of()
{
	case $1 in
	*b) echo "${1%b}" ;;
	*k) echo $((${1%k} << 10)) ;;
	*m) echo $((${1%m} << 20)) ;;
	*) return 1 ;;
	esac
}

is_perftest()
{
	[[ $1 =~ ^(write|read|send)_[0-9]+[bkm](_[a-z0-9]+)*$ ]]
}

# option_of HOW SIZE
option_of()
{
	local row n=${1##*[a-z]}
	row=$(grep -P "^${1/%$n/${n:+N}}\t" <<< "$hows") || return
	row=${row#*$'\t'}
	row=${row/N/$n}
	printf '%s\n' "${row/SIZE/$2}"
}

has_how()
{
	[[ _$1_ == *_"$2"_* ]]
}

# How many at each queue pair; one at a time takes longer.
iterations_of()
{
	local size=$2 qps=1 n=$((most_bytes / $2))
	! has_how "$1" lat || { echo $latencies; return; }
	[ $n -lt $most_messages ] || n=$most_messages
	! has_how "$1" d1 || [ "$size" -ge 65536 ] || n=$((n / 4))
	[[ ! $1 =~ _q([0-9]+) ]] || qps=${BASH_REMATCH[1]}
	n=$((n / qps))
	echo $((n > 5 ? n : 5))
}

# perftest_command CASE: program and options
perftest_command()
{
	local part how size option
	IFS=_ read -r -a part <<< "$1"
	size=$(bytes_of "${part[1]}") || return
	if has_how "$1" lat; then
		printf 'ib_%s_lat -H' "${part[0]}"
	else
		printf 'ib_%s_bw' "${part[0]}"
	fi
	printf ' -s %d -n %d' "$size" "$(iterations_of "$1" "$size")"
	for how in "${part[@]:2}"; do
		option=$(option_of "$how" "$size") ||
			{ echo "bench: what is _$how in $1?" >&2; return 1; }
		printf ' %s' "$option"
	done
	echo
}

# How a side is told which address to use: by GID, or by connection manager.
perftest_place()
{
	case $LINK_TYPE in
	xiwarp | siw) printf '%s\n' -R ;;
	*) printf '%s\n' -x "$(gid_index "$1" "$(address "$1" 4)")" ;;
	esac
}

# perftest_pair PROGRAM OPTION...
perftest_pair()
{
	local program=$1 client server_place client_place
	shift
	client=$(client_side)
	set -- -F "$@"
	mapfile -t server_place < <(at_server perftest_place 1)
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

# The latencies of a histogram, one a line, at some places of their order
quantiles()
{
	awk '$1 ~ /^[0-9]+,$/ && NF == 2 { print $2 }' "$scratch/client" | sort -n | awk '
	{ us[NR] = $1 }
	END {
		n = split("0 25 50 75 90 95 99 99.9", places, " ")
		for (i = 1; NR && i <= n; i++)
			print us[int(1 + (NR - 1) * places[i] / 100)], "us_" places[i] "%"
	}'
}

# Who sends of the two
senders_of()
{
	case $1 in
	*_b | *_b_*) echo 2 ;;
	read_*) echo 1 ;;
	*_lat | *_lat_*) echo 2 ;;
	*) echo 1 ;;
	esac
}

# run_perftest CASE: values; messages and bytes of each go to $scratch/work.
run_perftest()
{
	local command words
	command=$(perftest_command "$1") || return
	read -r -a words <<< "$command"
	perftest_pair "${words[@]}" || return
	row | awk -v senders="$(senders_of "$1")" '{ print $2 * senders, $1 }' > "$scratch/work"
	if has_how "$1" lat; then
		row | awk '{ print $5, "us" }'
		quantiles
	else
		row | awk '$1 < 4096 { print $5 * 1000000, "messages/s"; next } { print $4, "MiB/s" }'
	fi
}
