// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester's window and everything that ends or moves back a request:
 * acknowledgement, retry, RNR wait, timer, failure, flush.
 *
 * A peer that keeps what stands behind a hole gets only what is missing; how it
 * acknowledges that tells whether it does:
 *
 *	packets     1 2 . 4 5 6           . = lost, peer says "3 is missing"
 *	repair      3
 *	answer      "all up to 6"         it keeps: one repair for each hole
 *	            "all up to 3"         it does not: go back to 4
 *
 * Until that is known nothing new is sent behind a hole. What is new goes on
 * meanwhile if the peer keeps.
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
 *
 * Silence of more than a round trip is not waited out: the oldest packet, if it is not a
 * READ of a stranger's, is sent again, ever less often. That costs no retry. Those are for the transport timer,
 * whose length the user chose, and for what the peer says.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include "holes.h"
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

/* Packets in flight that will do for a round trip of so many ns. */
#define SHORT_WINDOW	128U
#define SHORT_RTT_NS	1000000ULL

/*
 * A peer that does not keep answers so time and again. So does one that keeps if many
 * packets in a row were lost: as many as are sent again until then, twice as many each
 * time, are those of a long buffer.
 */
#define MAX_STRIKES	6
/* It is found out anew after 1, 2, 4 ... and at most so many holes. */
#define MAX_DROPS	64
/* Silence: packets resent at once, twice as many each time. */
#define MAX_REPAIR	32U
#define MAX_PROBE_SHIFT	8
/* Reordering that is waited for. */
#define LEAST_REORDER_NS	50000ULL
#define MOST_REORDER_NS		10000000ULL
/* What can't be sent is tried again after so long. */
#define PAUSE_NS	100000ULL
#define MAX_PAUSE_SHIFT	6

u32 xroce_req_window(const struct xroce_req *req)
{
	u64 pkts = div_u64(req->rtt.least * SHORT_WINDOW, SHORT_RTT_NS);

	pkts = max_t(u64, pkts, SHORT_WINDOW);
	/* What a peer keeps behind a hole has left the network. */
	if (req->peer == XROCE_PEER_KEEPS &&
	    (req->is_recovering || xroce_gaps_has_any(&req->gaps)))
		pkts *= 2;
	pkts = min_t(u64, pkts, min(req->ramp, req->cfg.window));
	if (req->cc)
		pkts = min_t(u64, pkts, req->cc->window / req->cfg.pmtu);
	return (u32)max_t(u64, pkts, 1);
}

static bool is_outstanding(const struct xroce_req *req)
{
	return req->cur_psn != req->una_psn;
}

static void stop_timers(struct xroce_req *req)
{
	req->timer = XROCE_NEVER;
	req->probe_at = XROCE_NEVER;
}

/*
 * A READ or its like that was not lost, only answered late, is executed once more; and
 * rxe, if the newest request is of no bytes, fails for it. So not those of a peer of which
 * nothing is known: they have the transport timer, and the answers that follow.
 */
static bool may_probe(const struct xroce_req *req)
{
	return req->peer == XROCE_PEER_KEEPS || !xroce_wr_is_rd(xroce_req_oldest(req));
}

void xroce_req_watch(struct xroce_req *req, u64 now)
{
	u64 patience = xroce_rtt_patience(&req->rtt);

	if (!req->cfg.timeout_ns || !is_outstanding(req))
		return;
	if (req->timer == XROCE_NEVER)
		req->timer = now + req->cfg.timeout_ns;
	if (req->probe_at == XROCE_NEVER && patience && may_probe(req))
		req->probe_at = now + (patience << req->probe_shift);
}

static void restart_timers(struct xroce_req *req, u64 now)
{
	stop_timers(req);
	xroce_req_watch(req, now);
}

/* Send the oldest @pkts packets again at @at. */
static void plan_repair(struct xroce_req *req, u32 pkts, u64 at)
{
	req->repair_at = at;
	req->repair_pkts = pkts;
}

static void rewind(struct xroce_req *req)
{
	req->cur = req->una;
	req->cur_psn = req->una_psn;
	req->rd_in_flight = 0;
	req->ask_ack = true;
	req->repair_at = XROCE_NEVER;
	req->is_repaired = false;
	req->is_waiting = false;
	xroce_gaps_clear(&req->gaps);
	xroce_rtt_forget(&req->rtt);
	stop_timers(req);
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

static void tell_cc(struct xroce_req *req, u32 n, u64 rtt, u64 now)
{
	if (req->cc)
		xroce_cc_acked(req->cc, n * req->cfg.pmtu, rtt, now);
}

void xroce_req_ack(struct xroce_req *req, u32 n, u64 now)
{
	u32 end_psn = xroce_psn_add(xroce_req_oldest(req)->last_psn, 1);
	u32 una_psn = xroce_psn_add(req->una_psn, n);

	/* Acknowledged what has not been sent again yet: skip it. */
	if (n > xroce_req_ahead(req, req->cur_psn)) {
		req->cur_psn = una_psn;
		if (req->has_hole)
			req->peer = XROCE_PEER_KEEPS;
	}
	req->una_psn = una_psn;
	if (una_psn == end_psn) {
		finish_oldest(req, XROCE_SUCCESS);
		xroce_req_finish_local(req);
	}

	req->retry_left = req->cfg.retry_cnt;
	req->rnr_left = req->cfg.rnr_retry;
	req->is_recovering = false;
	req->is_waiting = false;
	req->rnr_until = XROCE_NEVER;
	if (xroce_psn_before(req->acked_psn, una_psn))
		req->acked_psn = una_psn;
	if (xroce_gaps_has_any(&req->gaps))
		xroce_gaps_pass(&req->gaps, una_psn);
	if (req->ramp < req->cfg.window)
		req->ramp += n;
	/* It was for what is acknowledged now. */
	req->repair_at = XROCE_NEVER;
	req->probe_shift = 0;
	req->pause_shift = 0;
	tell_cc(req, n, xroce_rtt_acked(&req->rtt, una_psn, now), now);
	restart_timers(req, now);
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

static bool has_retry(struct xroce_req *req)
{
	if (!req->retry_left) {
		xroce_req_break(req, XROCE_RETRY_EXC_ERR);
		return false;
	}
	req->retry_left--;
	return true;
}

/*
 * Nothing can be sent once more out of turn if it is all to be sent again. And the
 * answer to a READ would tell nothing of what the peer does.
 */
static bool must_go_back(const struct xroce_req *req)
{
	return !is_outstanding(req) || req->peer == XROCE_PEER_DROPS ||
	       (req->peer == XROCE_PEER_UNKNOWN &&
		xroce_wr_is_rd(xroce_req_oldest(req)));
}

static void retry(struct xroce_req *req, u64 at)
{
	if (!has_retry(req))
		return;
	/* It may have been an accident that it did not keep. */
	if (req->peer == XROCE_PEER_DROPS && ++req->strikes > req->drops) {
		req->peer = XROCE_PEER_UNKNOWN;
		req->strikes = 0;
	}
	if (must_go_back(req)) {
		rewind(req);
	} else {
		plan_repair(req, 1, at);
		stop_timers(req);
		req->is_waiting = req->peer == XROCE_PEER_UNKNOWN;
	}
	req->is_recovering = true;
	req->has_hole = false;
	req->recover_psn = req->una_psn;
}

/* The oldest packet was told of before, so that it is on its way. */
static bool is_filled(struct xroce_req *req, u64 now)
{
	const struct xroce_gap *gap = xroce_gaps_find(&req->gaps, req->una_psn);
	u64 patience = xroce_rtt_patience(&req->rtt);

	if (!gap)
		return false;
	req->is_recovering = true;
	req->recover_psn = req->una_psn;
	if (gap->is_sent && patience && req->probe_at != XROCE_NEVER)
		req->probe_at = max(gap->at + patience, now);
	return true;
}

void xroce_req_recover(struct xroce_req *req, u32 *count, u64 now)
{
	if (req->rnr_until != XROCE_NEVER)
		return;
	/* The same hole, reported again by what was sent before the rewind. */
	if (req->is_recovering && req->recover_psn == req->una_psn)
		return;
	(*count)++;
	if (is_filled(req, now))
		return;
	retry(req, req->reorder_ns ? now + req->reorder_ns : 0);
	if (req->cc)
		xroce_cc_lost(req->cc, false, now);
}

/* ---- resending what is missing --------------------------------------------------- */

u32 xroce_req_repair(struct xroce_req *req, u64 now)
{
	const struct xroce_wr *wr = xroce_req_oldest(req);
	u32 left;

	if (req->repair_at > now)
		return 0;
	req->repair_at = XROCE_NEVER;
	/* Rewound: it is sent in its turn. */
	if (!is_outstanding(req) || wr->fault)
		return 0;
	if (xroce_wr_is_rd(wr))
		return 1;
	left = min(xroce_req_ahead(req, wr->last_psn) + 1,
		   xroce_req_ahead(req, req->cur_psn));
	return min(req->repair_pkts, left);
}

void xroce_req_repaired(struct xroce_req *req, u32 n, u64 now)
{
	req->stats.resent += n;
	req->repair_pkts = n;
	req->repaired_psn = xroce_psn_add(req->una_psn, n);
	req->doubt_psn = req->max_psn;
	req->repaired_when = now;
	/* Who is slow to answer does not reorder; nor was a probe asked for. */
	req->copy_until = req->is_recovering && !req->probe_shift ?
			  now + 2 * req->rtt.smoothed + MOST_REORDER_NS : 0;
	/* An answer to a READ tells nothing of what was sent behind it. */
	req->is_repaired = !xroce_wr_is_rd(xroce_req_oldest(req));
	xroce_rtt_forget(&req->rtt);
	req->probe_at = XROCE_NEVER;
	xroce_req_watch(req, now);
}

/* Not lost, only late. */
static void wait_longer(struct xroce_req *req, u64 now)
{
	u64 want = max(2 * req->reorder_ns, req->rtt.smoothed / 4);

	req->stats.spurious++;
	req->reorder_ns = clamp(want, LEAST_REORDER_NS, MOST_REORDER_NS);
	if (!req->repair_at)
		req->repair_at = now + req->reorder_ns;
}

void xroce_req_note_copy(struct xroce_req *req, u64 now)
{
	if (now < req->copy_until) {
		req->copy_until = 0;
		wait_longer(req, now);
	}
}

/* More is acknowledged than was sent again. */
static void learn_that_it_keeps(struct xroce_req *req, u64 now)
{
	req->peer = XROCE_PEER_KEEPS;
	req->is_waiting = false;
	req->strikes = 0;
	req->drops = 0;
	if (req->reorder_ns > LEAST_REORDER_NS)
		req->reorder_ns -= req->reorder_ns / 8;
	else
		req->reorder_ns = 0;
}

static void go_back_to_hole(struct xroce_req *req)
{
	req->peer = XROCE_PEER_DROPS;
	req->strikes = 0;
	req->drops = clamp_t(u8, 2 * req->drops, 1, MAX_DROPS);
	rewind(req);
	req->is_recovering = true;
	req->has_hole = false;
	req->recover_psn = req->una_psn;
}

/* No more is acknowledged than was sent again, though more had been sent. */
static void learn_that_it_drops(struct xroce_req *req)
{
	bool is_sure = req->peer != XROCE_PEER_KEEPS && !req->is_recovering;

	if (is_sure || ++req->strikes >= MAX_STRIKES)
		go_back_to_hole(req);
	else if (!req->is_recovering)
		/* It says nothing of what is missing: all that was sent. */
		plan_repair(req, min(2 * req->repair_pkts, MAX_REPAIR), 0);
	else if (req->repair_at != XROCE_NEVER)
		/* Many in a row were lost, or it does drop. */
		req->repair_pkts = min(1U << req->strikes, MAX_REPAIR);
}

void xroce_req_learn(struct xroce_req *req, u32 una_psn, u64 now)
{
	s32 past;

	if (req->is_broken || req->una_psn == una_psn)
		return;
	if (!req->is_recovering)
		req->has_hole = false;
	if (!req->is_repaired)
		return;
	past = xroce_psn_diff(req->una_psn, req->repaired_psn);
	if (past < 0)
		return;
	req->is_repaired = false;
	xroce_rtt_guess(&req->rtt, now - req->repaired_when);
	if (past > 0)
		learn_that_it_keeps(req, now);
	else if (xroce_psn_before(req->una_psn, req->doubt_psn) &&
		 !xroce_gaps_find(&req->gaps, req->una_psn))
		learn_that_it_drops(req);
}

/* ---- what is missing behind the oldest ------------------------------------------ */

bool xroce_req_hear_of_hole(struct xroce_req *req, u32 said, u64 now)
{
	u32 psn, n = xroce_hole_read(said, req->una_psn, &psn);
	u32 sent = xroce_req_ahead(req, req->cur_psn);

	if (!n || xroce_req_ahead(req, psn) >= sent ||
	    xroce_req_ahead(req, psn) + n > sent)
		return false;
	req->stats.holes_heard++;
	req->peer = XROCE_PEER_KEEPS;
	req->is_waiting = false;
	req->strikes = 0;
	xroce_gaps_add(&req->gaps, psn, n,
		       req->reorder_ns ? now + req->reorder_ns : 0);
	if (req->cc)
		xroce_cc_lost(req->cc, false, now);
	return true;
}

/* The request that has @psn, which was sent and is not acknowledged. */
static struct xroce_wr *wr_of(const struct xroce_req *req, u32 psn)
{
	u32 i = req->una;

	while (xroce_wr_is_local(xroce_sq_wr(&req->sq, i)) ||
	       xroce_req_ahead(req, xroce_sq_wr(&req->sq, i)->last_psn) <
	       xroce_req_ahead(req, psn))
		i++;
	return xroce_sq_wr(&req->sq, i);
}

/* Of @gap, whose first packet is one of @wr. A READ is one packet of many PSNs. */
static u32 take_part(struct xroce_req *req, struct xroce_gap *gap, u64 now,
		     u32 max_pkts, const struct xroce_wr *wr)
{
	u32 psns = min_t(u32, gap->n, xroce_psn_dist(wr->last_psn, gap->psn) + 1);
	u32 n;

	if (xroce_wr_is_rd(wr)) {
		n = gap->psn == wr->first_psn;
	} else {
		psns = min(psns, max_pkts);
		n = psns;
	}
	xroce_gaps_sent(&req->gaps, gap, psns, now);
	return wr->fault ? 0 : n;
}

/* False: the gap is no more, or what it lacks is sent in its turn. */
static bool trim(const struct xroce_req *req, struct xroce_gap *gap)
{
	u32 done = 0;

	if (xroce_psn_before(gap->psn, req->una_psn))
		done = xroce_psn_dist(req->una_psn, gap->psn);
	if (done >= gap->n)
		return false;
	gap->psn = xroce_psn_add(gap->psn, done);
	gap->n -= (u16)done;
	return xroce_req_ahead(req, gap->psn) <
	       xroce_req_ahead(req, req->cur_psn);
}

u32 xroce_req_fill(struct xroce_req *req, u64 now, u32 max_pkts,
		   struct xroce_wr **wr, u32 *psn)
{
	struct xroce_gap *gap;
	u32 n;

	while ((gap = xroce_gaps_due(&req->gaps, now))) {
		if (!trim(req, gap)) {
			xroce_gaps_sent(&req->gaps, gap, gap->n, now);
			continue;
		}
		*psn = gap->psn;
		*wr = wr_of(req, gap->psn);
		n = take_part(req, gap, now, max_pkts, *wr);
		if (!n)
			continue;
		req->stats.resent += n;
		xroce_rtt_forget(&req->rtt);
		xroce_req_watch(req, now);
		return n;
	}
	return 0;
}

/* Let cur go back to @psn, which was handed out and not finished. */
static void go_back(struct xroce_req *req, u32 psn)
{
	req->cur_psn = psn;
	while (req->cur != req->una) {
		const struct xroce_wr *wr = xroce_sq_wr(&req->sq, req->cur - 1);

		if (xroce_req_ahead(req, wr->last_psn) < xroce_req_ahead(req, psn))
			return;
		req->cur--;
		if (xroce_wr_is_rd(wr))
			req->rd_in_flight--;
	}
}

void xroce_req_unsent(struct xroce_req *req, const struct xroce_burst *burst,
		      u32 sent, u64 now)
{
	u32 psn = xroce_psn_add(burst->first.psn, sent);

	if (req->cfg.service != XROCE_RC || req->is_broken)
		return;
	req->pause_until = now + (PAUSE_NS << req->pause_shift);
	if (req->pause_shift < MAX_PAUSE_SHIFT)
		req->pause_shift++;
	xroce_rtt_forget(&req->rtt);
	if (burst->is_repair && burst->first.psn != req->una_psn) {
		xroce_gaps_unsent(&req->gaps, burst->first.psn);
		return;
	}
	if (burst->is_repair) {
		req->is_repaired = false;
		plan_repair(req, req->repair_pkts, 0);
		return;
	}
	if (xroce_req_ahead(req, psn) >= xroce_req_ahead(req, req->cur_psn))
		return;
	go_back(req, psn);
	req->max_psn = xroce_req_ahead(req, psn) >
		       xroce_req_ahead(req, burst->max_psn) ?
		       psn : burst->max_psn;
	req->ask_ack = true;
	/* A host that never can send ends like a peer that never answers. */
	if (req->timer == XROCE_NEVER && req->cfg.timeout_ns)
		req->timer = now + req->cfg.timeout_ns;
	if (!is_outstanding(req))
		req->probe_at = XROCE_NEVER;
}

/* ---- waiting ----------------------------------------------------------------------- */

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
	if (req->peer == XROCE_PEER_KEEPS)
		plan_repair(req, 1, 0);
	else
		rewind(req);
	stop_timers(req);
	/* The packet did arrive, so the next hole here is a new one. */
	req->is_recovering = false;
	req->rnr_until = now + rnr_units[code & XROCE_AETH_VALUE] * RNR_UNIT_NS;
}

static u64 sooner(u64 a, u64 b)
{
	return b && b < a ? b : a;
}

u64 xroce_req_deadline(const struct xroce_req *req)
{
	u64 at;

	/* The transport timer is off while waiting (IBTA 9.7.6.1.3). */
	if (req->rnr_until != XROCE_NEVER)
		return req->rnr_until;
	at = min(req->timer, req->probe_at);
	at = min(at, xroce_gaps_deadline(&req->gaps));
	return sooner(sooner(at, req->repair_at), req->pause_until);
}

/* Rather than wait for the transport timer. */
static void probe(struct xroce_req *req, u64 now)
{
	req->stats.probes++;
	req->probe_at = XROCE_NEVER;
	if (req->probe_shift < MAX_PROBE_SHIFT)
		req->probe_shift++;
	plan_repair(req, 1, 0);
}

void xroce_req_expire(struct xroce_req *req, u64 now)
{
	if (req->pause_until <= now)
		req->pause_until = 0;
	if (req->rnr_until != XROCE_NEVER) {
		if (now < req->rnr_until)
			return;
		req->rnr_until = XROCE_NEVER;
	}
	if (req->repair_at <= now)
		req->repair_at = 0;
	xroce_gaps_ripen(&req->gaps, now);
	if (req->timer <= now) {
		req->stats.timeouts++;
		/* The first one may be anybody's: a lost packet's, a late program's. */
		if (req->cc && req->retry_left < req->cfg.retry_cnt)
			xroce_cc_lost(req->cc, true, now);
		retry(req, 0);
	} else if (req->probe_at <= now) {
		probe(req, now);
	}
}

static void stop(struct xroce_req *req)
{
	req->is_broken = true;
	req->rnr_until = XROCE_NEVER;
	req->repair_at = XROCE_NEVER;
	req->pause_until = 0;
	stop_timers(req);
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
	req->acked_psn = req->una_psn;
	rewind(req);
	req->max_psn = req->next_psn;
}

struct xroce_wr *xroce_req_reap(struct xroce_req *req)
{
	if (req->reap == req->una)
		return NULL;
	return xroce_sq_wr(&req->sq, req->reap++);
}
