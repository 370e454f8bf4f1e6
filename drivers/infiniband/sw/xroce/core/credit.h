/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * End-to-end credits (IBTA 9.7.7.2): how many receive requests a peer has, as an
 * acknowledgement says it. From 2 on a code is the next power of two, or half as much
 * again.
 */
#ifndef XROCE_CORE_CREDIT_H
#define XROCE_CORE_CREDIT_H

#include <linux/types.h>

#define XROCE_CREDIT_MOST	0x1e	/* 32768 requests */
#define XROCE_CREDIT_UNLIMITED	0x1f	/* no word about them */

/* @code: not UNLIMITED */
static inline u32 xroce_credit_count(u8 code)
{
	if (code < 2)
		return code;
	return (code & 1 ? 3U : 2U) << (code / 2 - 1);
}

/* The largest code that promises no more than @n. */
static inline u8 xroce_credit_code(u32 n)
{
	u8 code = XROCE_CREDIT_MOST;

	while (xroce_credit_count(code) > n)
		code--;
	return code;
}

#endif
