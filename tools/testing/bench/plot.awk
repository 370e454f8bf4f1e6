# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Results of tools/testing/bench/run.sh as pictures in the folder "out": for each kind
# of message throughput against its size, and against the number of queue pairs, latency
# against its size, if more than one was measured, and how latencies are distributed.
# Medians of the rounds; a line for each contender. Behind median.awk.
#
#	topology case contender round value unit first-contender
#
# Cases say what they are by their names: OPERATION_SIZE[_qNUMBER|_lat].

# "64k" to 65536
function bytes_of(size)
{
	return size * (size ~ /k$/ ? 1024 : size ~ /m$/ ? 1048576 : 1)
}

function short(n)
{
	return n >= 1048576 ? n / 1048576 "M" : n >= 1024 ? n / 1024 "k" : n
}

# note PICTURE UNIT X: the value at that place
function note(picture, unit, x, contender, value)
{
	units[picture] = unit
	if (!((picture, x) in places)) {
		places[picture, x] = 1
		xs[picture, ++num_xs[picture]] = x
	}
	if (!((picture, contender) in lines)) {
		lines[picture, contender] = 1
		names[picture, ++num_names[picture]] = contender
	}
	values[picture, x, contender, ++num_values[picture, x, contender]] = value
}

BEGIN {
	FS = "\t"
	left = 70; top = 40; width = 640; height = 300
	split("#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #17becf", colours, " ")
}

function note_throughput(size, qps, value)
{
	if (!qps)
		note($1 "-" part[1] "-size", "MiB/s", size, $3, value)
	note($1 "-" part[1] "-" part[2] "-qps", "MiB/s", qps ? qps : 1, $3, value)
}

# The 90th percentile is at 10, the 99th at 100: as many are slower than one in that.
function note_latency(unit, value)
{
	sub(/^us_/, "", unit)
	if (unit ~ /%$/)
		note($1 "-" $2 "-distribution", "us", 100 / (100 - unit), $3, value)
}

{
	n = split($2, part, "_")
	if (n < 2 || part[2] !~ /^[0-9]+[bkm]$/)
		next
	size = bytes_of(part[2])
}

$6 ~ /^us_/ { note_latency($6, $5) }
$6 == "us" && n == 3 { note($1 "-" part[1] "-latency", "us", size, $3, $5) }
$6 == "MiB/s" && n == 2 { note_throughput(size, 0, $5) }
$6 == "messages/s" && n == 2 { note_throughput(size, 0, $5 * size / 1048576) }
n == 3 && part[3] ~ /^q[0-9]+$/ && $6 == "MiB/s" { note_throughput(size, substr(part[3], 2), $5) }
n == 3 && part[3] ~ /^q[0-9]+$/ && $6 == "messages/s" {
	note_throughput(size, substr(part[3], 2), $5 * size / 1048576)
}

function median_at(picture, x, contender,    i, n, list)
{
	n = num_values[picture, x, contender]
	for (i = 1; i <= n; i++)
		list[i] = values[picture, x, contender, i]
	return median(list, n)
}

# What stands below a place
function label(picture, x)
{
	return picture ~ /-distribution$/ ? sprintf("%.4g%%", 100 - 100 / x) : short(x)
}

function value_at(picture, x, contender)
{
	return num_values[picture, x, contender] ? median_at(picture, x, contender) : 0
}

function text(x, y, anchor, what)
{
	printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what > file
}

function across(x)
{
	return left + width * (log(x) - log(least)) / (log(most) - log(least))
}

function down(value)
{
	return top + height * (1 - value / highest)
}

function axes(picture,    i, x)
{
	printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
		left, top, width, height > file
	for (i = 1; i <= num_xs[picture]; i++) {
		x = xs[picture, i]
		text(across(x), top + height + 18, "middle", label(picture, x))
	}
	for (i = 0; i <= 4; i++)
		text(left - 6, down(highest * i / 4) + 4, "end", sprintf("%.3g", highest * i / 4))
	text(left, top - 12, "start", units[picture] ": " picture)
}

function curve(picture, c, ordered, n,    i, x, points, name)
{
	name = names[picture, c]
	for (i = 1; i <= n; i++) {
		x = ordered[i]
		if (num_values[picture, x, name])
			points = points sprintf("%.1f,%.1f ", across(x), down(median_at(picture, x, name)))
	}
	printf "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"%s\"/>\n",
		colours[c], points > file
	printf "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", left + width + 10,
		top + 16 * c, colours[c], name > file
}

function draw(picture,    i, c, n, ordered, value)
{
	n = num_xs[picture]
	for (i = 1; i <= n; i++)
		ordered[i] = xs[picture, i] + 0
	sort(ordered, n)
	least = ordered[1]; most = ordered[n]; highest = 0
	for (i = 1; i <= n; i++)
		for (c = 1; c <= num_names[picture]; c++) {
			value = value_at(picture, ordered[i], names[picture, c])
			if (value > highest)
				highest = value
		}
	highest *= 1.05
	file = out "/" picture ".svg"
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
		left + width + 160, top + height + 30 > file
	axes(picture)
	for (c = 1; c <= num_names[picture]; c++)
		curve(picture, c, ordered, n)
	print "</svg>" > file
	close(file)
}

END {
	for (picture in units)
		if (num_xs[picture] > 1)
			draw(picture)
}
