// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bookkeeping of the send ring. Requests finish in any order that the protocol
 * makes (a SEND when the socket has it, a READ when its data came) and are
 * reaped in posting order.
 */
#include "abort.h"
#include "sendq.h"

struct xiwarp_wr *xiwarp_sendq_oldest_rd(struct xiwarp_rdmap *s)
{
	for (; s->rd_una != s->cur; s->rd_una++) {
		struct xiwarp_wr *wr = xiwarp_sq_wr(&s->sq, s->rd_una);

		if (xiwarp_wr_is_rd(wr) && !wr->is_done)
			return wr;
	}
	return NULL;
}

void xiwarp_sendq_finish(struct xiwarp_rdmap *s, struct xiwarp_wr *wr,
			 enum xiwarp_status status)
{
	wr->status = (u8)status;
	wr->is_done = true;
	if (xiwarp_wr_is_rd(wr))
		s->rd_in_flight--;
	xiwarp_sendq_settle(s);
}

void xiwarp_sendq_fail_cur(struct xiwarp_rdmap *s, enum xiwarp_status status)
{
	xiwarp_sq_wr(&s->sq, s->cur)->status = (u8)status;
	s->is_failed = true;
	xiwarp_sendq_settle(s);
}

void xiwarp_sendq_settle(struct xiwarp_rdmap *s)
{
	while (s->una != s->cur && xiwarp_sq_wr(&s->sq, s->una)->is_done)
		s->una++;
	/* Slots before una may hold other requests by now. */
	if ((s32)(s->sent - s->una) < 0)
		s->sent = s->una;
	if ((s32)(s->rd_una - s->una) < 0)
		s->rd_una = s->una;
	if (!s->is_failed || s->una != s->cur || s->is_broken)
		return;
	xiwarp_sq_wr(&s->sq, s->cur)->is_done = true;
	s->is_failed = false;
	s->una = ++s->cur;
	s->sent = s->una;
	s->rd_una = s->una;
	xiwarp_abort(s, XIWARP_FAULT_LOCAL, NULL, 0, 0);
}

void xiwarp_rdmap_sent(struct xiwarp_rdmap *s)
{
	for (; s->sent != s->cur; s->sent++) {
		struct xiwarp_wr *wr = xiwarp_sq_wr(&s->sq, s->sent);

		if (xiwarp_wr_is_rd(wr) || wr->is_done)
			continue;
		wr->status = XIWARP_SUCCESS;
		wr->is_done = true;
	}
	xiwarp_sendq_settle(s);
}

struct xiwarp_wr *xiwarp_rdmap_reap(struct xiwarp_rdmap *s)
{
	return s->reap == s->una ? NULL : xiwarp_sq_wr(&s->sq, s->reap++);
}

void xiwarp_rdmap_flush(struct xiwarp_rdmap *s)
{
	u32 i;

	s->is_broken = true;
	s->is_fault_due = false;
	for (i = s->una; i != s->posted; i++) {
		struct xiwarp_wr *wr = xiwarp_sq_wr(&s->sq, i);

		if (i - s->una < s->cur - s->una && wr->is_done)
			continue;
		/* The one that failed tells why, even if it had no turn. */
		if (!s->is_failed || i != s->cur)
			wr->status = XIWARP_WR_FLUSH_ERR;
		wr->is_done = true;
	}
	s->is_failed = false;
	s->cur = s->posted;
	s->sent = s->posted;
	s->rd_una = s->posted;
	s->una = s->posted;
	s->rd_in_flight = 0;
	s->rd_count = 0;
}

bool xiwarp_rdmap_is_given_out(const struct xiwarp_rdmap *s)
{
	if (s->is_broken)
		return !s->is_term_due;
	return s->cur == s->posted && !s->rd_count;
}

bool xiwarp_rdmap_is_drained(const struct xiwarp_rdmap *s)
{
	return s->una == s->posted && !s->rd_count;
}
