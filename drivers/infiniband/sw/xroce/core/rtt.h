/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The round trip of a requester: measured from a packet that asks for an
 * acknowledgement to the first one that covers it, smoothed as TCP does (RFC
 * 6298). What was sent twice is not measured (Karn).
 */
#ifndef XROCE_CORE_RTT_H
#define XROCE_CORE_RTT_H

#include <linux/types.h>

#define XROCE_RTT_STAMPS	8

/**
 * struct xroce_rtt - estimate; all zero is "nothing measured"
 * @smoothed: ns, 0 = unknown
 * @variation: ns
 * @least: shortest sample, without the queues that we make ourselves
 * @stamps: when the packet before @psns was sent, oldest first from @first on
 * @psns: by the same numbers
 * @first: free running
 * @end: free running
 */
struct xroce_rtt {
	u64 smoothed;
	u64 variation;
	u64 least;
	u64 stamps[XROCE_RTT_STAMPS];
	u32 psns[XROCE_RTT_STAMPS];
	u32 first;
	u32 end;
};

/* The packet before @psn asks for an acknowledgement; for the first time. */
void xroce_rtt_sent(struct xroce_rtt *rtt, u32 psn, u64 now);

/* Everything before @una_psn is acknowledged. Return: a new sample, or 0. */
u64 xroce_rtt_acked(struct xroce_rtt *rtt, u32 una_psn, u64 now);

/* Something is sent again: which copy an answer means can't be known. */
static inline void xroce_rtt_forget(struct xroce_rtt *rtt)
{
	rtt->first = rtt->end;
}

/* A sample that may be too short: better than none. */
void xroce_rtt_guess(struct xroce_rtt *rtt, u64 sample);

/* Silence for so long means that something was lost; 0 = can't tell. */
u64 xroce_rtt_patience(const struct xroce_rtt *rtt);

#endif
