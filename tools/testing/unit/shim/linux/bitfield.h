/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_BITFIELD_H
#define SHIM_LINUX_BITFIELD_H

#include <linux/bits.h>

#define __shim_bf_shift(mask)	(__builtin_ffsll((long long)(mask)) - 1)
#define __shim_bf_max(mask)	((mask) >> __shim_bf_shift(mask))

#define FIELD_MAX(mask)	((typeof(mask))__shim_bf_max(mask))
#define FIELD_FIT(mask, val)	((val) <= __shim_bf_max(mask))
#define FIELD_GET(mask, reg)	\
	((typeof(mask))(((reg) & (mask)) >> __shim_bf_shift(mask)))
#define FIELD_PREP(mask, val)	\
	(((typeof(mask))(val) << __shim_bf_shift(mask)) & (mask))

#endif
