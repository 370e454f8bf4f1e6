/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_MATH_H
#define SHIM_LINUX_MATH_H

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define __shim_round_mask(x, y)	((typeof(x))((y) - 1))
/* y: a power of two */
#define round_up(x, y)	((((x) - 1) | __shim_round_mask(x, y)) + 1)
#define round_down(x, y)	((x) & ~__shim_round_mask(x, y))

static inline unsigned long int_sqrt(unsigned long x)
{
	unsigned long root = 0, bit;

	for (bit = 1UL << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	return root;
}

#endif
