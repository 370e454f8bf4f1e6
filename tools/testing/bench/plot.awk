# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Results of tools/testing/bench/run.sh as pictures in the folder "out": for each kind
# of message throughput against its size, and against the number of queue pairs, if
# more than one was measured. Medians; a line for each contender.
#
#	topology case contender round value unit
#
# Cases say what they are by their names: OPERATION_SIZE[_qNUMBER].

function sort(list, n,    i, j, v)
{
	for (i = 2; i <= n; i++) {
		v = list[i]
		for (j = i - 1; j > 0 && list[j] > v; j--)
			list[j + 1] = list[j]
		list[j + 1] = v
	}
}

# "64k" to 65536
function bytes_of(size)
{
	return size * (size ~ /k$/ ? 1024 : size ~ /m$/ ? 1048576 : 1)
}

function short(n)
{
	return n >= 1048576 ? n / 1048576 "M" : n >= 1024 ? n / 1024 "k" : n
}

# note PICTURE X: the value at that place
function note(picture, x, contender, value)
{
	if (!(picture in pictures))
		pictures[picture] = ++num_pictures
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
	split("#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b", colours, " ")
}

$6 == "MiB/s" || $6 == "messages/s" {
	n = split($2, part, "_")
	if (n < 2 || n > 3 || part[2] !~ /^[0-9]+[bkm]$/ || (n == 3 && part[3] !~ /^q[0-9]+$/))
		next
	size = bytes_of(part[2])
	value = $6 == "MiB/s" ? $5 : $5 * size / 1048576
	qps = n == 3 ? substr(part[3], 2) + 0 : 1
	if (n == 2)
		note($1 "-" part[1] "-size", size, $3, value)
	note($1 "-" part[1] "-" part[2] "-qps", qps, $3, value)
}

function median(picture, x, contender,    i, n, list)
{
	n = num_values[picture, x, contender]
	for (i = 1; i <= n; i++)
		list[i] = values[picture, x, contender, i]
	sort(list, n)
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

function value_at(picture, x, contender)
{
	return num_values[picture, x, contender] ? median(picture, x, contender) : 0
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
		text(across(x), top + height + 18, "middle", short(x))
	}
	for (i = 0; i <= 4; i++)
		text(left - 6, down(highest * i / 4) + 4, "end", sprintf("%.3g", highest * i / 4))
	text(left, top - 12, "start", "MiB/s: " picture)
}

function curve(picture, c, ordered, n,    i, x, points, name)
{
	name = names[picture, c]
	for (i = 1; i <= n; i++) {
		x = ordered[i]
		if (num_values[picture, x, name])
			points = points sprintf("%.1f,%.1f ", across(x), down(median(picture, x, name)))
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
	for (picture in pictures)
		if (num_xs[picture] > 1)
			draw(picture)
}
