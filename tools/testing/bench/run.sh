#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What scripts/bench does on the machine that is measured: see there for options.
#
#	veth:  namespace xr1, server --veth-- namespace xr2, client
#	self:  server and client in namespace xr1, on one device
#
# Round after round, each case is measured for each contender in turn, so that what
# else the machine does meets all of them. Results go to $OUT, one line each.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/testing/bench/contender.sh
. "$here/contender.sh"
# shellcheck source=tools/testing/bench/case.sh
. "$here/case.sh"
# shellcheck source=tools/testing/selftests/rdma/lib.sh
. "$here/../selftests/rdma/lib.sh"

pairs=$1 topology=$2 mtu=$3
read -r -a contenders <<< "$4"
read -r -a cases <<< "$5"
results=$OUT/results.tsv
# shellcheck disable=SC2034 # for converse and the library
limit=${LIMIT:-60}

say()
{
	printf '# %s\n' "$*"
}

# seconds_left DONE TOTAL
seconds_left()
{
	[ "$1" != 0 ] || { echo '?'; return; }
	echo $((SECONDS * ($2 - $1) / $1))
}

# record CASE CONTENDER PAIR VALUES: "value unit" lines of one measurement
record()
{
	local value unit
	while read -r value unit; do
		[ -n "$value" ] || continue
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$topology-$mtu" "$1" "$2" "$3" "$value" "$unit"
	done >> "$results"
}

measure()
{
	local total=$((pairs * ${#cases[@]} * ${#contenders[@]})) done=0 pair case contender values
	for ((pair = 1; pair <= pairs; pair++)); do
		for case in "${cases[@]}"; do
			for contender in "${contenders[@]}"; do
				use_contender "$contender" && values=$(run_case "$case" "$contender") || values=
				record "$case" "$contender" $pair <<< "$values"
				done=$((done + 1))
				say "$case $contender: $(tr '\n' ' ' <<< "${values:-failed}")($done of $total, $(seconds_left $done $total) s left)"
			done
		done
	done
}

: > "$results"
modprobe -q -a ib_uverbs rdma_ucm ib_umad
make_wire "$mtu" || exit 2
measure
uname -r > "$OUT/kernel"
awk -f "$here/report.awk" -v format=markdown -v kernel="$(uname -r)" "$results" | tee "$OUT/results.md"
awk -f "$here/report.awk" -v format=json -v kernel="$(uname -r)" "$results" > "$OUT/results.json"
awk -f "$here/plot.awk" -v out="$OUT" "$results"
