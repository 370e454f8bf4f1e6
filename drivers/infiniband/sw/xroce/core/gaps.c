// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What is missing behind the oldest packet, at the requester (see gaps.h). */
#include <linux/limits.h>
#include <linux/minmax.h>
#include "gaps.h"
#include "psn.h"

static struct xroce_gap *gap_at(struct xroce_gaps *gaps, u32 i)
{
	return &gaps->ring[i % XROCE_GAPS];
}

static bool has(const struct xroce_gap *gap, u32 psn)
{
	return xroce_psn_dist(psn, gap->psn) < gap->n;
}

struct xroce_gap *xroce_gaps_find(struct xroce_gaps *gaps, u32 psn)
{
	u32 i;

	for (i = gaps->first; i != gaps->end; i++)
		if (has(gap_at(gaps, i), psn))
			return gap_at(gaps, i);
	return NULL;
}

static bool push(struct xroce_gaps *gaps, const struct xroce_gap *gap)
{
	if (!gaps->ring || gaps->end - gaps->first == XROCE_GAPS)
		return false;
	*gap_at(gaps, gaps->end++) = *gap;
	if (!gap->is_sent)
		gaps->unsent++;
	return true;
}

bool xroce_gaps_add(struct xroce_gaps *gaps, u32 psn, u32 n, u64 at)
{
	const struct xroce_gap gap = { .at = at, .psn = psn, .n = (u16)n };

	if (xroce_gaps_find(gaps, psn) ||
	    xroce_gaps_find(gaps, xroce_psn_add(psn, n - 1)))
		return false;
	return push(gaps, &gap);
}

void xroce_gaps_pass(struct xroce_gaps *gaps, u32 una_psn)
{
	while (xroce_gaps_has_any(gaps)) {
		const struct xroce_gap *gap = gap_at(gaps, gaps->first);

		if (xroce_psn_before(una_psn, xroce_psn_add(gap->psn, gap->n)))
			return;
		if (!gap->is_sent)
			gaps->unsent--;
		gaps->first++;
	}
}

struct xroce_gap *xroce_gaps_due(struct xroce_gaps *gaps, u64 now)
{
	u32 i;

	for (i = gaps->first; gaps->unsent && i != gaps->end; i++) {
		struct xroce_gap *gap = gap_at(gaps, i);

		if (!gap->is_sent && gap->at <= now)
			return gap;
	}
	return NULL;
}

void xroce_gaps_sent(struct xroce_gaps *gaps, struct xroce_gap *gap, u32 n,
		     u64 now)
{
	struct xroce_gap rest = *gap;

	gap->is_sent = true;
	gap->at = now;
	gaps->unsent--;
	if (n >= gap->n)
		return;
	rest.psn = xroce_psn_add(rest.psn, n);
	rest.n -= (u16)n;
	gap->n = (u16)n;
	/* If there is no room it is found when it is the oldest. */
	push(gaps, &rest);
}

void xroce_gaps_unsent(struct xroce_gaps *gaps, u32 psn)
{
	struct xroce_gap *gap = xroce_gaps_find(gaps, psn);

	if (!gap || !gap->is_sent)
		return;
	gap->is_sent = false;
	gap->at = 0;
	gaps->unsent++;
}

void xroce_gaps_ripen(struct xroce_gaps *gaps, u64 now)
{
	u32 i;

	for (i = gaps->first; gaps->unsent && i != gaps->end; i++)
		if (!gap_at(gaps, i)->is_sent && gap_at(gaps, i)->at <= now)
			gap_at(gaps, i)->at = 0;
}

u64 xroce_gaps_deadline(const struct xroce_gaps *gaps)
{
	u64 at = U64_MAX;
	u32 i;

	for (i = gaps->first; gaps->unsent && i != gaps->end; i++) {
		const struct xroce_gap *gap = &gaps->ring[i % XROCE_GAPS];

		if (!gap->is_sent && gap->at)
			at = min(at, gap->at);
	}
	return at;
}

void xroce_gaps_clear(struct xroce_gaps *gaps)
{
	gaps->first = gaps->end;
	gaps->unsent = 0;
}
