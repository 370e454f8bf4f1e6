/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Bookkeeping of the send ring, between input.c, output.c and rdmap.c: which
 * requests are finished, which READ the next response belongs to.
 *
 *     reap        una           sent        cur             posted
 *      | finished  | some are    | given out | not sent yet   |
 *                    rd_una: the READ or atomic that is answered next
 */
#ifndef XIWARP_CORE_SENDQ_H
#define XIWARP_CORE_SENDQ_H

#include "rdmap.h"

/* The oldest unanswered READ or atomic, but for the RTR's; NULL if none. */
struct xiwarp_wr *xiwarp_sendq_oldest_rd(struct xiwarp_rdmap *s);

/* @wr is over with @status. */
void xiwarp_sendq_finish(struct xiwarp_rdmap *s, struct xiwarp_wr *wr,
			 enum xiwarp_status status);

/*
 * The request at s->cur can't be sent: it fails with @status when all before it
 * have finished, and takes the stream with it.
 */
void xiwarp_sendq_fail_cur(struct xiwarp_rdmap *s, enum xiwarp_status status);

/* Something may have finished: note it, and let a failed request have its turn. */
void xiwarp_sendq_settle(struct xiwarp_rdmap *s);

#endif
