/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet sequence numbers: 24-bit modular arithmetic (IBTA 9.7.2).
 */
#ifndef XROCE_CORE_PSN_H
#define XROCE_CORE_PSN_H

#include <linux/types.h>

#define XROCE_PSN_MASK	0x00ffffffU
/* More PSNs than this in flight and "before" and "after" lose their meaning. */
#define XROCE_PSN_WINDOW	(1U << 23)

static inline u32 xroce_psn_add(u32 psn, u32 n)
{
	return (psn + n) & XROCE_PSN_MASK;
}

/* Signed distance from @b to @a: negative when @a is the older one. */
static inline s32 xroce_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/* From @b up to @a, where @a is known not to be the older one. */
static inline u32 xroce_psn_dist(u32 a, u32 b)
{
	return (a - b) & XROCE_PSN_MASK;
}

static inline bool xroce_psn_before(u32 a, u32 b)
{
	return xroce_psn_diff(a, b) < 0;
}

#endif
