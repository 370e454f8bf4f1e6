// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The round trip of a requester (see rtt.h). */
#include <linux/minmax.h>
#include "psn.h"
#include "rtt.h"

/* Programs at the other end are scheduled, too. */
#define LEAST_SLACK_NS	2000000ULL

void xroce_rtt_sent(struct xroce_rtt *rtt, u32 psn, u64 now)
{
	u32 at = rtt->end % XROCE_RTT_STAMPS;

	if (rtt->end - rtt->first == XROCE_RTT_STAMPS)
		return;
	rtt->psns[at] = psn;
	rtt->stamps[at] = now;
	rtt->end++;
}

static void smooth(struct xroce_rtt *rtt, u64 sample)
{
	u64 off;

	if (!rtt->smoothed || sample < rtt->least)
		rtt->least = sample;
	if (!rtt->smoothed) {
		rtt->smoothed = sample;
		rtt->variation = sample / 2;
		return;
	}
	off = max(rtt->smoothed, sample) - min(rtt->smoothed, sample);
	rtt->variation += off / 4 - rtt->variation / 4;
	rtt->smoothed += sample / 8 - rtt->smoothed / 8;
}

u64 xroce_rtt_acked(struct xroce_rtt *rtt, u32 una_psn, u64 now)
{
	u64 sample = 0;

	for (; rtt->first != rtt->end; rtt->first++) {
		u32 at = rtt->first % XROCE_RTT_STAMPS;

		if (xroce_psn_before(una_psn, rtt->psns[at]))
			break;
		sample = max_t(u64, now - rtt->stamps[at], 1);
	}
	if (sample)
		smooth(rtt, sample);
	return sample;
}

void xroce_rtt_guess(struct xroce_rtt *rtt, u64 sample)
{
	if (!rtt->smoothed)
		smooth(rtt, max_t(u64, sample, 1));
}

u64 xroce_rtt_patience(const struct xroce_rtt *rtt)
{
	if (!rtt->smoothed)
		return 0;
	/* What was sent twice is not measured, so a queue may have grown unseen. */
	return rtt->smoothed + max(max(4 * rtt->variation, LEAST_SLACK_NS),
				   rtt->smoothed / 2);
}
