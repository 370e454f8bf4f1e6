# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What the reports share.

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

function number(x)
{
	return x >= 100 || x <= -100 ? sprintf("%.0f", x) : sprintf("%.3g", x)
}
