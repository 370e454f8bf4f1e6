// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester's window and everything that ends or moves back a request:
 * acknowledgement, retry, RNR wait, timer, failure, flush.
 *
 * A rewind always goes to una_psn: whatever precedes the hole has just been
 * acknowledged. It may lie in the middle of a message.
 *
 *                 +--------------------- progress ----------------------+
 *                 v                                                     |
 *   output --> in flight --- sequence NAK, implied NAK, timer ---> recovering
 *                 |  ^                (costs a retry)
 *         RNR NAK |  | rnr_until has come
 *                 v  |
 *                waiting
 */
#include "recovery.h"
#include "wire.h"

#define RNR_FOREVER	7
#define RNR_UNIT_NS	10000ULL

/* IBTA 9.7.5.2.8, in units of 10 us; code 0 is the longest. */
static const u32 rnr_units[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12,
	16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072,
	4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static void start_timer(struct xroce_req *req, u64 now)
{
	bool is_outstanding = req->cur_psn != req->una_psn;

	req->timer = is_outstanding && req->cfg.timeout_ns ?
		     now + req->cfg.timeout_ns : XROCE_NEVER;
}

static void rewind(struct xroce_req *req)
{
	req->cur = req->una;
	req->cur_psn = req->una_psn;
	req->rd_in_flight = 0;
	req->ask_ack = true;
	req->timer = XROCE_NEVER;
}

static void finish_oldest(struct xroce_req *req, u8 status)
{
	struct xroce_wr *wr = xroce_req_oldest(req);

	wr->status = status;
	wr->is_done = true;
	if (req->started == req->una)
		req->started++;
	if (req->cur == req->una)
		req->cur++;
	else if (xroce_wr_is_rd(wr))
		req->rd_in_flight--;
	req->una++;
}

void xroce_req_finish_local(struct xroce_req *req)
{
	while (req->una != req->started &&
	       xroce_wr_is_local(xroce_req_oldest(req)))
		finish_oldest(req, XROCE_SUCCESS);
}

void xroce_req_ack(struct xroce_req *req, u32 n, u64 now)
{
	u32 end_psn = xroce_psn_add(xroce_req_oldest(req)->last_psn, 1);
	u32 una_psn = xroce_psn_add(req->una_psn, n);

	/* Acknowledged what has not been sent again yet: skip it. */
	if (n > xroce_req_ahead(req, req->cur_psn))
		req->cur_psn = una_psn;
	req->una_psn = una_psn;
	if (una_psn == end_psn) {
		finish_oldest(req, XROCE_SUCCESS);
		xroce_req_finish_local(req);
	}

	req->retry_left = req->cfg.retry_cnt;
	req->rnr_left = req->cfg.rnr_retry;
	req->is_recovering = false;
	req->rnr_until = XROCE_NEVER;
	start_timer(req, now);
}

bool xroce_req_ack_many(struct xroce_req *req, u32 n, u64 now)
{
	while (n) {
		const struct xroce_wr *wr = xroce_req_oldest(req);
		u32 step = xroce_req_ahead(req, wr->last_psn) + 1;

		if (xroce_req_settle(req) || xroce_wr_is_rd(wr))
			return false;
		step = step < n ? step : n;
		xroce_req_ack(req, step, now);
		n -= step;
	}
	return !xroce_req_settle(req);
}

static void retry(struct xroce_req *req)
{
	if (!req->retry_left) {
		xroce_req_break(req, XROCE_RETRY_EXC_ERR);
		return;
	}
	req->retry_left--;
	rewind(req);
	req->is_recovering = true;
	req->recover_psn = req->una_psn;
}

void xroce_req_recover(struct xroce_req *req, u32 *count)
{
	if (req->rnr_until != XROCE_NEVER)
		return;
	/* The same hole, reported again by what was sent before the rewind. */
	if (req->is_recovering && req->recover_psn == req->una_psn)
		return;
	(*count)++;
	retry(req);
}

void xroce_req_wait_rnr(struct xroce_req *req, u8 code, u64 now)
{
	/* Nothing was sent since the wait began: a copy of the same NAK. */
	if (req->rnr_until != XROCE_NEVER)
		return;
	req->stats.rnr_naks++;
	if (req->cfg.rnr_retry != RNR_FOREVER) {
		if (!req->rnr_left) {
			xroce_req_break(req, XROCE_RNR_RETRY_EXC_ERR);
			return;
		}
		req->rnr_left--;
	}
	rewind(req);
	/* The packet did arrive, so the next hole here is a new one. */
	req->is_recovering = false;
	req->rnr_until = now + rnr_units[code & XROCE_AETH_VALUE] * RNR_UNIT_NS;
}

u64 xroce_req_deadline(const struct xroce_req *req)
{
	/* The transport timer is off while waiting (IBTA 9.7.6.1.3). */
	return req->rnr_until != XROCE_NEVER ? req->rnr_until : req->timer;
}

void xroce_req_expire(struct xroce_req *req, u64 now)
{
	if (req->rnr_until != XROCE_NEVER) {
		if (now >= req->rnr_until)
			req->rnr_until = XROCE_NEVER;
		return;
	}
	if (req->timer == XROCE_NEVER || now < req->timer)
		return;
	req->stats.timeouts++;
	retry(req);
}

static void stop(struct xroce_req *req)
{
	req->is_broken = true;
	req->timer = XROCE_NEVER;
	req->rnr_until = XROCE_NEVER;
}

void xroce_req_break(struct xroce_req *req, u8 status)
{
	finish_oldest(req, status);
	stop(req);
}

bool xroce_req_settle(struct xroce_req *req)
{
	const struct xroce_wr *wr = xroce_req_oldest(req);

	if (req->una == req->posted || !wr->fault)
		return false;
	if (req->una == req->started && req->is_held)
		return false;
	xroce_req_break(req, wr->fault);
	return true;
}

/* Send nothing of the request @index and of later ones. */
static void hold_back(struct xroce_req *req, u32 index)
{
	while (req->cur != index) {
		const struct xroce_wr *wr = xroce_sq_wr(&req->sq, --req->cur);

		req->cur_psn = wr->first_psn;
		if (xroce_wr_is_rd(wr))
			req->rd_in_flight--;
	}
}

void xroce_req_fail(struct xroce_req *req, struct xroce_wr *wr,
		    enum xroce_status status)
{
	size_t slot = (size_t)((u8 *)wr - (u8 *)req->sq.base) / req->sq.stride;
	u32 index = req->reap + (((u32)slot - req->reap) & req->sq.mask);

	if (req->is_broken || index - req->reap >= req->posted - req->reap)
		return;
	/* UC, UD: it was finished by output(), or it has no earlier ones. */
	if (index - req->reap < req->una - req->reap) {
		wr->status = (u8)status;
		stop(req);
		return;
	}
	wr->fault = (u8)status;
	if (index - req->reap < req->cur - req->reap)
		hold_back(req, index);
	xroce_req_settle(req);
}

void xroce_req_flush(struct xroce_req *req)
{
	stop(req);
	while (req->una != req->posted)
		finish_oldest(req, XROCE_WR_FLUSH_ERR);
}

void xroce_req_restart(struct xroce_req *req)
{
	if (req->una != req->posted)
		return;
	req->is_broken = false;
	/* The failed request may have sent a part of its packets only. */
	req->una_psn = req->next_psn;
	rewind(req);
	req->max_psn = req->next_psn;
}

struct xroce_wr *xroce_req_reap(struct xroce_req *req)
{
	if (req->reap == req->una)
		return NULL;
	return xroce_sq_wr(&req->sq, req->reap++);
}
