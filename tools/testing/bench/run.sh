#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# run.sh ROUNDS TOPOLOGY MTUS CONTENDERS CASES LATER [SIDE]
#
# What scripts/bench does on the machine that is measured: see there for options.
# LATER: how many measurements come after these, elsewhere. SIDE: which of two hosts.
#
# Round after round, each case is measured for each contender in turn, so that what
# else the machine does meets all of them. Results go to $OUT/results.tsv, one line each:
#
#	topology-mtu case contender round value unit first-contender
#
# What is there already is not measured again.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/testing/bench/contender.sh
. "$here/contender.sh"
# shellcheck source=tools/testing/bench/place.sh
. "$here/place.sh"
# shellcheck source=tools/testing/bench/perftest.sh
. "$here/perftest.sh"
# shellcheck source=tools/testing/bench/sockets.sh
. "$here/sockets.sh"
# shellcheck source=tools/testing/bench/case.sh
. "$here/case.sh"
# shellcheck source=tools/testing/bench/todo.sh
. "$here/todo.sh"
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$here/../selftests/rdma/lib.sh"

arguments=("$@")
topology=$2
first=${4%% *}
later=$6 side=${7:-0}
results=$OUT/results.tsv
# shellcheck disable=SC2034 # for converse and the library
limit=${LIMIT:-90}

say()
{
	printf '# %s\n' "$*"
}

# seconds_left DONE TOTAL
seconds_left()
{
	[ "$1" != 0 ] || { echo '?'; return; }
	echo $((SECONDS * ($2 + later - $1) / $1))
}

# record ROUND MTU CASE CONTENDER: "value unit" lines of one measurement
record()
{
	local value unit
	while read -r value unit; do
		[ -n "$unit" ] || continue
		printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$topology-$2" "$3" "$4" "$1" "$value" "$unit" \
			"$first"
	done >> "$results"
}

# use CONTENDER: on both hosts, if there are two
use()
{
	at_server use_contender "$1" && use_contender "$1"
}

change_mtu()
{
	[ "$mtu" != "$1" ] || return 0
	mtu=$1
	at_server set_mtu "$1" && set_mtu "$1"
}

measure_one()
{
	local values status=nothing
	change_mtu "$2" && use "$4" && run_case "$3" "$4" > "$scratch/values_of_case" || status=failed
	values=$(cat "$scratch/values_of_case" 2> /dev/null)
	[ $status = nothing ] || { values=; tail -n 3 "$scratch/client" | sed 's/^/#   /'; } 2> /dev/null
	record "$@" <<< "$values"
	say "$2 $3 $4: $(tr '\n' ' ' <<< "${values:-$status}")"
	rm -f "$scratch/values_of_case" "$scratch/client"
}

# Nothing may read the list meanwhile: so it is an array.
measure()
{
	local list i one round=
	mapfile -t list < <(to_measure "$results" "${arguments[@]:0:5}")
	for ((i = 0; i < ${#list[@]}; i++)); do
		read -r -a one <<< "${list[i]}"
		[ "${round:-${one[0]}}" = "${one[0]}" ] || report
		round=${one[0]}
		measure_one "${one[@]}"
		say "$((i + 1)) of ${#list[@]}, $(seconds_left $((i + 1)) ${#list[@]}) s left"
	done
}

# awk_report PROGRAM VARIABLE=VALUE... -- FILE...
awk_report()
{
	local program=$1 variables=()
	shift
	while [ "$1" != -- ]; do
		variables+=(-v "$1")
		shift
	done
	shift
	awk -f "$here/median.awk" -f "$here/$program.awk" "${variables[@]}" "$@"
}

report()
{
	local kernel
	kernel=$(cat "$OUT/kernel")
	{
		awk_report report format=markdown kernel="$kernel" -- "$results"
		awk_report target -- "$here/targets" "$results"
	} > "$OUT/results.md"
	awk_report report format=json kernel="$kernel" -- "$results" > "$OUT/results.json"
	awk_report plot out="$OUT" -- "$results"
}

case $topology:$side in
wire:0) echo "bench: a wire has two hosts" >&2; exit 2 ;;
wire:*) be_one_host ;;
esac
modprobe -q -a ib_uverbs rdma_ucm ib_umad
if [ "$topology:$side:${8:-}" = wire:1:obey ]; then
	obey
	exit
fi
make_place || { echo "bench: cannot make the topology $topology" >&2; exit 2; }
if [ "$topology:$side" = wire:1 ]; then
	agent_arguments=$(printf '%q ' "$here/run.sh" "${arguments[@]}" obey)
	printf '#!/bin/sh\nexec %s\n' "$agent_arguments" > "$scratch/agent.sh"
	chmod +x "$scratch/agent.sh"
	socat "TCP-LISTEN:$agent_port,reuseaddr" "EXEC:$scratch/agent.sh"
	exit
fi
mtu='' server_pid=''
touch "$results"
uname -r > "$OUT/kernel"
measure
report
