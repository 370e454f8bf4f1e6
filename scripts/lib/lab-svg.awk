# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# awk -f lab-svg.awk samples.csv > lab.svg. Columns: seconds, "rate ..." in Mbit/s for
# each flow, queue in KiB, and since the last sample: marks, CNPs, packets resent,
# drops. Three panels with a common axis of time.

BEGIN {
	FS = ","
	left = 70; width = 680; height = 220; gap = 60; top = 30
	split("#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf",
	      colours, " ")
}

NR == 1 {
	for (i = 2; i <= NF; i++) {
		names[i] = $i
		flows += $i ~ /^rate/
	}
	columns = NF
	next
}

{
	rows = NR - 1
	for (i = 1; i <= columns; i++) {
		at[rows, i] = $i
		if ($i > most[i])
			most[i] = $i
	}
}

# The largest value of the columns, and room above it.
function scale_of(first, last,    i, most_of_all)
{
	most_of_all = 1
	for (i = first; i <= last; i++)
		if (most[i] > most_of_all)
			most_of_all = most[i]
	return most_of_all * 1.05
}

# 1, 2 or 5 times a power of ten: about six of them in "range"
function step_of(range,    step)
{
	for (step = 0.01; step * 6 < range; step *= 10)
		;
	if (step / 5 * 6 >= range)
		return step / 5
	return step / 2 * 6 >= range ? step / 2 : step
}

function text(x, y, anchor, what)
{
	printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what
}

function line(x1, y1, x2, y2)
{
	printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
		x1, y1, x2, y2
}

function grid(base, range, title,    v, step)
{
	step = step_of(range)
	for (v = 0; v <= range; v += step) {
		line(left, base - v / range * height, left + width, base - v / range * height)
		text(left - 6, base - v / range * height + 4, "end", v)
	}
	step = step_of(most[1])
	for (v = 0; v <= most[1]; v += step) {
		line(left + v / most[1] * width, base, left + v / most[1] * width, base - height)
		text(left + v / most[1] * width, base + 16, "middle", v " s")
	}
	text(left, base - height - 8, "start", title)
}

function curve(base, range, column, colour,    r)
{
	printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" points=\"", colour
	for (r = 1; r <= rows; r++)
		printf "%.1f,%.1f ", left + at[r, 1] / most[1] * width,
			base - at[r, column] / range * height
	print "\"/>"
}

function panel(n, first, last, title,    base, range, i, colour)
{
	base = top + n * height + (n - 1) * gap
	range = scale_of(first, last)
	grid(base, range, title)
	for (i = first; i <= last; i++) {
		colour = colours[(i - first) % 10 + 1]
		curve(base, range, i, colour)
		printf "<g fill=\"%s\">", colour
		text(left + width + 10, base - height + 14 * (i - first + 1), "start", names[i])
		print "</g>"
	}
}

END {
	if (!rows || !most[1])
		exit 1
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"", 870,
		top + 3 * height + 2 * gap + 30
	print " font-family=\"sans-serif\" font-size=\"12\">"
	print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
	panel(1, 2, flows + 1, "rate, Mbit/s")
	panel(2, flows + 2, flows + 2, "queue, KiB")
	panel(3, flows + 3, columns, "packets in a sample")
	print "</svg>"
}
