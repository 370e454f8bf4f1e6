# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What is to be measured yet: for scripts/bench and run.sh.

# measured RESULTS: as "topology-mtu case contender round first-contender"
measured()
{
	[ ! -e "$1" ] || awk -F '\t' '{ print $1, $2, $3, $4, $7 }' "$1" | sort -u
}

# all_of ROUNDS MTUS CONTENDERS CASES: in turn, as "round mtu case contender"
all_of()
{
	local round mtu case contender
	for ((round = 1; round <= $1; round++)); do
		for mtu in $2; do
			for case in $4; do
				for contender in $3; do
					printf '%d %d %s %s\n' $round "$mtu" "$case" "$contender"
				done
			done
		done
	done
}

# to_measure RESULTS ROUNDS TOPOLOGY MTUS CONTENDERS CASES: those that RESULTS hasn't
to_measure()
{
	all_of "$2" "$4" "$5" "$6" |
		awk -v topology="$3" -v first="${5%% *}" -v file=<(measured "$1") '
		BEGIN { while ((getline line < file) > 0) there[line] = 1 }
		!((topology "-" $2 " " $3 " " $4 " " $1 " " first) in there)'
}
