// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Holes at the responder (see holes.h). They are found in the order of their PSNs, so
 * the ring is sorted by PSN and by time.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include "holes.h"
#include "psn.h"

#define LEAST_PATIENCE_NS	50000ULL
#define MOST_PATIENCE_NS	10000000ULL
/* No packet is kept that stands so far behind the expected one. */
#define MOST_AHEAD		(1U << 15)

static struct xroce_hole *hole_at(struct xroce_holes *holes, u32 i)
{
	return &holes->ring[i % XROCE_HOLES];
}

static u32 end_of(const struct xroce_hole *hole)
{
	return xroce_psn_add(hole->psn, hole->n);
}

static void push(struct xroce_holes *holes, u32 psn, u32 n, u64 now)
{
	if (!holes->ring || holes->end - holes->first == XROCE_HOLES)
		return;
	*hole_at(holes, holes->end++) = (struct xroce_hole){
		.at = now,
		.psn = psn,
		.n = (u16)min_t(u32, n, U16_MAX),
	};
}

/* What lies before @epsn is filled. */
static void pass(struct xroce_holes *holes, u32 epsn)
{
	while (holes->first != holes->end &&
	       !xroce_psn_before(epsn, end_of(hole_at(holes, holes->first))))
		holes->first++;
}

void xroce_holes_see(struct xroce_holes *holes, u32 epsn, u32 psn, u64 now)
{
	pass(holes, epsn);
	/* It is not kept up with what comes in its turn. */
	if (xroce_psn_dist(holes->seen_psn, epsn) > MOST_AHEAD)
		holes->seen_psn = epsn;
	if (xroce_psn_before(psn, holes->seen_psn))
		return;
	if (psn != holes->seen_psn)
		push(holes, holes->seen_psn,
		     xroce_psn_dist(psn, holes->seen_psn), now);
	holes->seen_psn = xroce_psn_add(psn, 1);
}

/* The one that has @epsn, among those that are not passed; or NULL. */
static const struct xroce_hole *find(const struct xroce_holes *holes, u32 epsn)
{
	u32 i;

	for (i = holes->first; i != holes->end; i++) {
		const struct xroce_hole *hole = &holes->ring[i % XROCE_HOLES];

		if (xroce_psn_before(epsn, hole->psn))
			break;
		if (xroce_psn_before(epsn, end_of(hole)))
			return hole;
	}
	return NULL;
}

bool xroce_holes_is_due(const struct xroce_holes *holes, u32 epsn, u64 now)
{
	const struct xroce_hole *hole = find(holes, epsn);

	return !hole || now >= hole->at + holes->patience;
}

struct xroce_hole *xroce_holes_untold(struct xroce_holes *holes, u32 epsn,
				      u64 now)
{
	u32 i;

	pass(holes, epsn);
	for (i = holes->first; i != holes->end; i++) {
		struct xroce_hole *hole = hole_at(holes, i);

		if (now < hole->at + holes->patience)
			break;
		if (hole->told < hole->n)
			return hole;
	}
	return NULL;
}

u64 xroce_holes_deadline(const struct xroce_holes *holes, u32 epsn, u64 after)
{
	u32 i;

	for (i = holes->first; i != holes->end; i++) {
		const struct xroce_hole *hole = &holes->ring[i % XROCE_HOLES];

		if (hole->at + holes->patience > after &&
		    xroce_psn_before(epsn, end_of(hole)))
			return hole->at + holes->patience;
	}
	return U64_MAX;
}

void xroce_holes_note_copy(struct xroce_holes *holes, u32 psn)
{
	u32 i;

	for (i = 0; holes->ring && i < XROCE_HOLES; i++) {
		struct xroce_hole *hole = &holes->ring[i];

		if (!hole->told || xroce_psn_dist(psn, hole->psn) >= hole->n)
			continue;
		/* Each teaches its lesson once. */
		hole->psn = xroce_psn_add(psn, 1);
		hole->n = 0;
		holes->patience = clamp(2 * holes->patience, LEAST_PATIENCE_NS,
					MOST_PATIENCE_NS);
		return;
	}
}

void xroce_holes_note_filled(struct xroce_holes *holes)
{
	if (holes->patience > LEAST_PATIENCE_NS)
		holes->patience -= holes->patience / 16;
	else
		holes->patience = 0;
}

u32 xroce_hole_write(u32 psn, u32 n)
{
	return xroce_psn_add(psn, XROCE_PSN_MASK + 1 - XROCE_HOLE_PAST -
				  (n - 1) * XROCE_HOLE_STEP);
}

u32 xroce_hole_read(u32 said, u32 una_psn, u32 *psn)
{
	u32 half = XROCE_HOLE_STEP / 2;
	u32 past = xroce_psn_dist(xroce_psn_add(una_psn, half), said);
	u32 more;

	if (past < XROCE_HOLE_PAST)
		return 0;
	more = (past - XROCE_HOLE_PAST) / XROCE_HOLE_STEP;
	if (more >= XROCE_HOLE_MOST)
		return 0;
	*psn = xroce_psn_add(said, XROCE_HOLE_PAST + more * XROCE_HOLE_STEP);
	return more + 1;
}
