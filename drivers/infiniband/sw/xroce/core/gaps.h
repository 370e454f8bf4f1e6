/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets that the peer told the requester are missing, besides the oldest one (see
 * holes.h for how). Each is sent once more, in the order in which they were told of;
 * what is lost again is found when it is the oldest.
 */
#ifndef XROCE_CORE_GAPS_H
#define XROCE_CORE_GAPS_H

#include <linux/types.h>

#define XROCE_GAPS	128U

/**
 * struct xroce_gap - consecutive packets
 * @at: ns: when they may be sent again; if @is_sent, when they were
 * @psn: the first
 * @n: how many
 * @is_sent: all of them were sent again
 */
struct xroce_gap {
	u64 at;
	u32 psn;
	u16 n;
	bool is_sent;
};

/**
 * struct xroce_gaps - all zero is "none"
 * @ring: by number, XROCE_GAPS of them, lent by the owner; NULL: nothing is remembered
 * @first: free running
 * @end: free running
 * @unsent: how many are to be sent
 */
struct xroce_gaps {
	struct xroce_gap *ring;
	u32 first;
	u32 end;
	u32 unsent;
};

static inline bool xroce_gaps_has_any(const struct xroce_gaps *gaps)
{
	return gaps->first != gaps->end;
}

/*
 * Packets are missing and may be sent at @at. False: that was known, or there is no room
 * to remember it.
 */
bool xroce_gaps_add(struct xroce_gaps *gaps, u32 psn, u32 n, u64 at);

/* All before @una_psn has arrived. */
void xroce_gaps_pass(struct xroce_gaps *gaps, u32 una_psn);

/* The gap that has @psn, or NULL. */
struct xroce_gap *xroce_gaps_find(struct xroce_gaps *gaps, u32 psn);

/* The next one to be sent at @now, or NULL. */
struct xroce_gap *xroce_gaps_due(struct xroce_gaps *gaps, u64 now);

/* The first @n packets of @gap were sent; the rest stays to be sent. */
void xroce_gaps_sent(struct xroce_gaps *gaps, struct xroce_gap *gap, u32 n,
		     u64 now);

/* Packets from @psn on were not sent after all. */
void xroce_gaps_unsent(struct xroce_gaps *gaps, u32 psn);

/* Those that are due at @now are from now on, without a deadline. */
void xroce_gaps_ripen(struct xroce_gaps *gaps, u64 now);

/* When the next one becomes due; U64_MAX if there is none. */
u64 xroce_gaps_deadline(const struct xroce_gaps *gaps);

/* Everything is sent again. */
void xroce_gaps_clear(struct xroce_gaps *gaps);

#endif
