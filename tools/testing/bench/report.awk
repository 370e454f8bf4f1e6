# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Results of tools/testing/bench/run.sh: medians, spread, and the first contender
# against each of the others as the median of the ratios of the rounds. A table for each
# topology and each first contender. Behind median.awk.
#
#	topology case contender round value unit first-contender

# Of the first contender to @other; 0 if they have no round in common
function ratio(key, first, other,    round, n, list)
{
	for (round = 1; round <= rounds; round++)
		if ((key, first, round) in value && (key, other, round) in value &&
		    value[key, other, round])
			list[++n] = value[key, first, round] / value[key, other, round]
	return n ? median(list, n) : 0
}

BEGIN { FS = "\t" }

{
	table = $1 SUBSEP $7
	key = table SUBSEP $2 SUBSEP $6
	if (!(table in seen)) {
		seen[table] = 1
		tables[++num_tables] = table
	}
	if (!(key in seen)) {
		seen[key] = 1
		keys[table, ++num_keys[table]] = key
	}
	if (!((table, $3) in seen)) {
		seen[table, $3] = 1
		# The first one may have failed at first.
		if ($3 == $7 && num_contenders[table]) {
			contenders[table, ++num_contenders[table]] = contenders[table, 1]
			contenders[table, 1] = $3
		} else {
			contenders[table, ++num_contenders[table]] = $3
		}
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
		return 0
	middle = median(list, count)
	return 1
}

# "128 (81 to 130) x 1.85"
function cell(key, first, contender,    text, times)
{
	if (!collect(key, contender))
		return ""
	text = number(middle)
	if (count > 1)
		text = text " (" number(list[1]) " to " number(list[count]) ")"
	if (contender != first && (times = ratio(key, first, contender)))
		text = text " x " number(times)
	return text
}

# Most of a distribution is for pictures and for results.tsv.
function is_for_people(unit)
{
	return unit !~ /^us_(0|25|50|75|90|95|99\.9)%$/
}

function print_table(table,    part, i, c, line)
{
	split(table, part, SUBSEP)
	printf "\n%s, and %s against the others\n\n", part[1], part[2]
	line = "| case | unit |"
	for (c = 1; c <= num_contenders[table]; c++)
		line = line " " contenders[table, c] " |"
	print line
	gsub(/[^|]+/, "---", line)
	print line
	for (i = 1; i <= num_keys[table]; i++) {
		split(keys[table, i], part, SUBSEP)
		if (!is_for_people(part[4]))
			continue
		line = "| " part[3] " | " part[4] " |"
		for (c = 1; c <= num_contenders[table]; c++)
			line = line " " cell(keys[table, i], part[2], contenders[table, c]) " |"
		print line
	}
}

function print_json(    t, i, c, table, key, part, contender, comma)
{
	printf "{\"kernel\": \"%s\", \"rounds\": %d, \"results\": [", kernel, rounds
	for (t = 1; t <= num_tables; t++)
		for (i = 1; i <= num_keys[tables[t]]; i++)
			for (c = 1; c <= num_contenders[tables[t]]; c++) {
				table = tables[t]
				key = keys[table, i]
				contender = contenders[table, c]
				if (!collect(key, contender))
					continue
				split(key, part, SUBSEP)
				printf "%s\n\t{\"topology\": \"%s\", \"case\": \"%s\", \"unit\": \"%s\", \"contender\": \"%s\", ",
					comma, part[1], part[3], part[4], contender
				printf "\"first\": \"%s\", \"median\": %s, \"least\": %s, \"most\": %s, \"ratio\": %.4g}",
					part[2], middle, list[1], list[count], ratio(key, part[2], contender)
				comma = ","
			}
	print "\n]}"
}

END {
	if (format == "json") {
		print_json()
		exit
	}
	printf "Kernel %s, up to %d rounds: median (least to most) x the first contender against it\n",
		kernel, rounds
	for (t = 1; t <= num_tables; t++)
		print_table(tables[t])
}
