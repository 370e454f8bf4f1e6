# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Results of tools/testing/bench/run.sh: medians, spread, and the first contender
# against each of the others as the median of the ratios of the rounds.
#
#	topology case contender round value unit

function sort(list, n,    i, j, v)
{
	for (i = 2; i <= n; i++) {
		v = list[i]
		for (j = i - 1; j > 0 && list[j] > v; j--)
			list[j + 1] = list[j]
		list[j + 1] = v
	}
}

function median(list, n)
{
	sort(list, n)
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# Of the first contender to @other; 0 if they have no round in common
function ratio(key, other,    round, n, list)
{
	for (round = 1; round <= rounds; round++)
		if ((key, first, round) in value && (key, other, round) in value &&
		    value[key, other, round])
			list[++n] = value[key, first, round] / value[key, other, round]
	return n ? median(list, n) : 0
}

function number(x)
{
	return x >= 100 ? sprintf("%.0f", x) : sprintf("%.3g", x)
}

BEGIN { FS = "\t" }

{
	key = $1 SUBSEP $2 SUBSEP $6
	if (!(key in seen)) {
		seen[key] = 1
		keys[++num_keys] = key
	}
	if (!($3 in known)) {
		known[$3] = 1
		contenders[++num_contenders] = $3
	}
	value[key, $3, $4] = $5
	if ($4 > rounds)
		rounds = $4
}

function collect(key, contender,    round)
{
	count = 0
	for (round = 1; round <= rounds; round++)
		if ((key, contender, round) in value)
			list[++count] = value[key, contender, round]
	if (!count)
		return ""
	middle = median(list, count)
	return middle
}

function markdown(    i, c, part, line)
{
	printf "Kernel %s, %d rounds: median (least to most), and %s against it\n\n", kernel, rounds, first
	line = "| topology | case | unit |"
	for (c = 1; c <= num_contenders; c++)
		line = line " " contenders[c] " |"
	print line
	line = "|---|---|---|"
	for (c = 1; c <= num_contenders; c++)
		line = line "---|"
	print line
	for (i = 1; i <= num_keys; i++) {
		split(keys[i], part, SUBSEP)
		line = "| " part[1] " | " part[2] " | " part[3] " |"
		for (c = 1; c <= num_contenders; c++) {
			if (collect(keys[i], contenders[c]) == "") {
				line = line " |"
				continue
			}
			line = line " " number(middle) " (" number(list[1]) " to " number(list[count]) ")"
			if (c > 1)
				line = line " x " number(ratio(keys[i], contenders[c]))
			line = line " |"
		}
		print line
	}
}

function json(    i, c, part, comma)
{
	printf "{\"kernel\": \"%s\", \"rounds\": %d, \"results\": [", kernel, rounds
	for (i = 1; i <= num_keys; i++) {
		split(keys[i], part, SUBSEP)
		for (c = 1; c <= num_contenders; c++) {
			if (collect(keys[i], contenders[c]) == "")
				continue
			printf "%s\n\t{\"topology\": \"%s\", \"case\": \"%s\", \"unit\": \"%s\", \"contender\": \"%s\", ",
				comma, part[1], part[2], part[3], contenders[c]
			printf "\"median\": %s, \"least\": %s, \"most\": %s, \"ratio\": %.4g}",
				middle, list[1], list[count], ratio(keys[i], contenders[c])
			comma = ","
		}
	}
	print "\n]}"
}

END {
	first = contenders[1]
	if (format == "json")
		json()
	else
		markdown()
}
