/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Holes in what came, at the responder: how long they have been there, which of them
 * the peer knows of, and how much patience packets that overtake each other deserve.
 */
#ifndef XROCE_CORE_HOLES_H
#define XROCE_CORE_HOLES_H

#include <linux/types.h>

/* So many are remembered; more of them wait until they are the oldest. */
#define XROCE_HOLES	128U

/**
 * struct xroce_hole - packets that did not come
 * @at: when a later one did, ns
 * @psn: the first
 * @n: how many
 * @told: of how many the peer was told, or has no need to be
 */
struct xroce_hole {
	u64 at;
	u32 psn;
	u16 n;
	u16 told;
};

/**
 * struct xroce_holes - all zero is "none"
 * @ring: by number, XROCE_HOLES of them, lent by the owner; NULL: nothing is remembered;
 *	entries before @first are history
 * @first: free running: the oldest that may be open
 * @end: free running
 * @seen_psn: one past the newest packet that came; may be behind the expected one
 * @patience: ns that a hole may take to fill itself
 */
struct xroce_holes {
	struct xroce_hole *ring;
	u32 first;
	u32 end;
	u32 seen_psn;
	u64 patience;
};

/* A packet came at @now that stands behind @epsn, the expected one. */
void xroce_holes_see(struct xroce_holes *holes, u32 epsn, u32 psn, u64 now);

/* Has the one at @epsn had its time? Also if nothing is known of it. */
bool xroce_holes_is_due(const struct xroce_holes *holes, u32 epsn, u64 now);

/* The next one that has had its time and of which the peer is to be told; or NULL. */
struct xroce_hole *xroce_holes_untold(struct xroce_holes *holes, u32 epsn,
				      u64 now);

/* When the next one has had its time, later than @after; U64_MAX if there is none. */
u64 xroce_holes_deadline(const struct xroce_holes *holes, u32 epsn, u64 after);

/* Of a packet that was said to be missing a copy came: it was only late. */
void xroce_holes_note_copy(struct xroce_holes *holes, u32 psn);

/* One of which the peer had been told was filled. */
void xroce_holes_note_filled(struct xroce_holes *holes);

/*
 * How the peer is told of holes behind the oldest one. IBTA has no word for that: an
 * acknowledgement says how far all came, and a NAK what is missing there. So it is told
 * by acknowledgements of PSNs so long ago that whoever does not know takes them for
 * strays and drops them (IBTA 9.7.5.1): the first PSN that is missing less
 * XROCE_HOLE_PAST, less XROCE_HOLE_STEP for each one more.
 */
#define XROCE_HOLE_PAST		(1U << 22)
#define XROCE_HOLE_STEP		(1U << 16)
#define XROCE_HOLE_MOST		32U

/* What to put into the acknowledgement for @n packets, at most XROCE_HOLE_MOST. */
u32 xroce_hole_write(u32 psn, u32 n);

/*
 * Read @said, given that the hole lies within XROCE_HOLE_STEP / 2 of @una_psn. Return:
 * packets, the first of which is *@psn, or 0 if it does not tell of a hole.
 */
u32 xroce_hole_read(u32 said, u32 una_psn, u32 *psn);

#endif
