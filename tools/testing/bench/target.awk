# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What was reached of each line of the file "targets", the first argument; then come
# results of tools/testing/bench/run.sh. Behind median.awk.

BEGIN { FS = "\t+" }

FNR == NR {
	if (NF == 8)
		targets[++num_targets] = $0
	next
}

{
	value[$1, $2, $3, $4, $6] = $5
	if ($4 > rounds)
		rounds = $4
}

# Values of the rounds, or their ratios to @other ("=CASE": of the same in that case)
function collect(place, case, unit, ours, other,    round, mine, theirs)
{
	count = 0
	for (round = 1; round <= rounds; round++) {
		mine = place SUBSEP case SUBSEP ours SUBSEP round SUBSEP unit
		theirs = place SUBSEP case SUBSEP other SUBSEP round SUBSEP unit
		if (other ~ /^=/)
			theirs = place SUBSEP substr(other, 2) SUBSEP ours SUBSEP round SUBSEP unit
		if (!(mine in value))
			continue
		if (other == "-")
			list[++count] = value[mine]
		else if (theirs in value && value[theirs])
			list[++count] = value[mine] / value[theirs]
	}
	return count
}

function judge(place, case, unit, ours, other, bound, wanted,    middle, reached)
{
	if (!collect(place, case, unit, ours, other)) {
		printf " | not measured |\n"
		return
	}
	middle = median(list, count)
	reached = bound == "least" ? middle >= wanted : middle <= wanted
	printf "%s (%s to %s, %d rounds) | %s |\n", number(middle), number(list[1]),
		number(list[count]), count, reached ? "reached" : "**missed**"
}

function against(other)
{
	sub(/^=/, "", other)
	return other == "-" ? "" : " x " other
}

END {
	print "\nTargets: medians of the rounds' values or ratios\n"
	print "| target | topology | case | unit | wanted | is | |"
	print "|---|---|---|---|---|---|---|"
	for (i = 1; i <= num_targets; i++) {
		split(targets[i], t, FS)
		num_places = split(t[2], places, " ")
		num_cases = split(t[3], cases, " ")
		for (p = 1; p <= num_places; p++)
			for (c = 1; c <= num_cases; c++) {
				split(t[8], goal, " ")
				printf "| %s | %s | %s %s | %s | at %s %s%s | ", t[1], places[p], t[5],
					cases[c], t[4], t[7], goal[1], against(t[6])
				judge(places[p], cases[c], t[4], t[5], t[6], t[7], goal[1])
			}
	}
}
