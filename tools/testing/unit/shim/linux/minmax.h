/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

/* As strict as the oldest supported kernel: both sides have the same type. */
#define __shim_cmp(x, y, op) ({				\
	__auto_type __x = (x);				\
	__auto_type __y = (y);				\
	(void)(&__x == &__y);				\
	(__typeof__(__x))(__x op __y ? __x : __y); })

#define min(x, y)	__shim_cmp(x, y, <)
#define max(x, y)	__shim_cmp(x, y, >)
#define min_t(type, x, y)	min((type)(x), (type)(y))
#define max_t(type, x, y)	max((type)(x), (type)(y))
#define clamp(val, lo, hi)	min(max(val, lo), hi)
#define clamp_t(type, val, lo, hi)	min_t(type, max_t(type, val, lo), hi)

#endif
