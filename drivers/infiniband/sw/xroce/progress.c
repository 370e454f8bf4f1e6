// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One run of a QP (see progress.h): packets in, timers, answers out, requests out,
 * completions, state changes. Everything here belongs to the owner.
 */
#include <linux/ktime.h>
#include "batch.h"
#include "complete.h"
#include "congest.h"
#include "core/psn.h"
#include "local.h"
#include "paging.h"
#include "post.h"
#include "progress.h"
#include "qp.h"
#include "respond.h"
#include "rx.h"
#include "stats.h"
#include "trace.h"
#include "tx.h"

/* Packets or completions of one kind in one run. */
#define BUDGET		64
/* Packets asked of an engine at once. */
#define BURST		16

#define FLUSH_POLL_MIN_NS	(1 * NSEC_PER_MSEC)
#define FLUSH_POLL_MAX_NS	(128 * NSEC_PER_MSEC)

static bool sends_requests(const struct xroce_qp *qp)
{
	return qp->attr.qp_state == IB_QPS_RTS || qp->attr.qp_state == IB_QPS_SQD;
}

static unsigned int receive(struct xroce_qp *qp)
{
	struct sk_buff *skb;
	unsigned int n = 0;

	while (n < BUDGET && !xrdma_paging_is_waiting(qp->paging) &&
	       (skb = xroce_rx_next(qp)))
		n += xroce_qp_receive(qp, skb);
	if (xrdma_paging_is_waiting(qp->paging))
		xroce_rx_detach(qp);
	return n;
}

/*
 * Acknowledgements and CNPs leave at once, what READs fetch at the QP's rate, as far as
 * its memory is present.
 */
static u32 answers_allowed(struct xroce_qp *qp, u64 now)
{
	u32 n = BURST;

	if (qp->resp.rd_pending)
		n = xroce_congest_allows(qp, BURST, now);
	return n ? xroce_paging_answers(qp, n) : 0;
}

/* Answers come before requests: they free the peer's window. */
static unsigned int send_answers(struct xroce_qp *qp)
{
	/* Acknowledgements are not paced. */
	u64 now = qp->resp.rd_pending ? ktime_get_ns() : 0;
	struct xroce_resp_done done;
	struct xroce_batch batch;
	struct xroce_burst burst;
	unsigned int n = 0;
	u32 sent, max;

	if (!qp->srq)
		qp->resp.recvs = xroce_rq_posted(&qp->rq);
	xroce_batch_init(&batch, qp);
	while (n < BUDGET && (max = answers_allowed(qp, now)) &&
	       xroce_resp_output(&qp->resp, max, &burst)) {
		qp->congest.departs = 0;
		if (burst.source == XROCE_FROM_MR)
			xroce_congest_sent(qp, &burst, now);
		if (xroce_tx_burst(&batch, &burst, &sent) == -EACCES) {
			/* The peer expects the NAK behind what it got. */
			burst.first.psn = xroce_psn_add(burst.first.psn, sent);
			done = xroce_resp_read_failed(&qp->resp, &burst);
			xroce_qp_fault(qp, &done);
		}
		n += burst.npkts;
	}
	xroce_batch_flush(&batch);
	return n;
}

/* Nothing to send is not held up. */
static u32 requests_allowed(struct xroce_qp *qp, u64 now)
{
	u32 n;

	if (qp->req.cur == qp->req.posted &&
	    qp->req.repair_at == XROCE_NEVER && !qp->req.gaps.unsent)
		return BURST;
	n = xroce_congest_allows(qp, BURST, now);
	return n ? xroce_paging_requests(qp, n) : 0;
}

/* A buffer was not sent: what it has, and all that was handed out since. */
static void take_back(struct xroce_qp *qp, const struct xroce_batch *batch,
		      u64 now)
{
	xroce_req_unsent(&qp->req, &batch->burst, batch->nth, now);
}

static void send_request(struct xroce_qp *qp, struct xroce_batch *batch,
			 const struct xroce_burst *burst, u64 now)
{
	u32 sent;
	int err;

	err = xroce_tx_burst(batch, burst, &sent);
	/* The engine must know before it goes on whether it left. */
	if (!err && burst->is_repair)
		err = xroce_batch_flush(batch);
	if (err == -EACCES)
		xroce_req_fail(&qp->req, burst->wr, XROCE_LOC_PROT_ERR);
	else if (err)
		take_back(qp, batch, now);
}

static unsigned int send_requests(struct xroce_qp *qp, u64 now)
{
	struct xroce_batch batch;
	struct xroce_burst burst;
	unsigned int n = 0;
	u32 max;

	xroce_batch_init(&batch, qp);
	qp->req.posted = smp_load_acquire(&qp->posted);
	while (n < BUDGET && (max = requests_allowed(qp, now))) {
		if (!xroce_req_output(&qp->req, now, max, &burst)) {
			if (!xroce_execute_local(qp))
				break;
			n++;
			continue;
		}
		xroce_congest_sent(qp, &burst, now);
		send_request(qp, &batch, &burst, now);
		n += burst.npkts;
	}
	if (xroce_batch_flush(&batch))
		take_back(qp, &batch, now);
	return n;
}

/* ---- states ------------------------------------------------------------------ */

void xroce_qp_set_state(struct xroce_qp *qp, enum ib_qp_state state)
{
	if (qp->attr.qp_state != state)
		trace_xroce_qp_state(qp->ibqp.device->index, qp->ibqp.qp_num,
				     qp->attr.qp_state, state);
	WRITE_ONCE(qp->attr.qp_state, state);
}

void xroce_qp_set_error(struct xroce_qp *qp)
{
	xroce_qp_set_state(qp, IB_QPS_ERR);
	qp->flush_poll_ns = FLUSH_POLL_MIN_NS;
	qp->flush_poll_at = 0;
}

/* A request failed: RC goes to ERR, the others only stop sending. */
static void react_to_failure(struct xroce_qp *qp)
{
	if (qp->attr.qp_state == IB_QPS_ERR || qp->attr.qp_state == IB_QPS_RESET)
		return;
	if (READ_ONCE(qp->has_dead_cq) && !qp->to_error) {
		qp->to_error = true;
		xroce_qp_event(qp, IB_EVENT_QP_FATAL);
	}
	if (qp->to_error || (qp->req.is_broken && qp->service == XROCE_RC))
		xroce_qp_set_error(qp);
	else if (qp->req.is_broken && sends_requests(qp))
		xroce_qp_set_state(qp, IB_QPS_SQE);
	qp->to_error = false;
}

static unsigned int flush_sends(struct xroce_qp *qp)
{
	if (qp->is_user)
		xroce_sq_take(qp);
	qp->req.posted = smp_load_acquire(&qp->posted);
	xroce_req_flush(&qp->req);
	return xroce_complete_sends(qp, BUDGET);
}

/* Posting to a mapped receive queue rings no bell: look again, ever less often. */
static void plan_flush_poll(struct xroce_qp *qp, unsigned int flushed)
{
	if (!qp->is_user || qp->srq)
		return;
	if (flushed)
		qp->flush_poll_ns = FLUSH_POLL_MIN_NS;
	else if (ktime_get_ns() >= qp->flush_poll_at)
		qp->flush_poll_ns = min_t(u64, qp->flush_poll_ns * 2,
					  FLUSH_POLL_MAX_NS);
	qp->flush_poll_at = ktime_get_ns() + qp->flush_poll_ns;
}

static void raise_last_wqe(struct xroce_qp *qp)
{
	if (!qp->srq || qp->has_last_wqe)
		return;
	qp->has_last_wqe = true;
	xroce_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

static bool flush(struct xroce_qp *qp)
{
	unsigned int sends = flush_sends(qp);
	unsigned int recvs = xroce_flush_recvs(qp, BUDGET);

	xroce_keep_purge(qp);
	qp->congest.held_until = 0;
	raise_last_wqe(qp);
	plan_flush_poll(qp, recvs);
	xroce_rx_purge(qp);
	return sends >= BUDGET || recvs >= BUDGET;
}

static void raise_drained(struct xroce_qp *qp)
{
	if (qp->attr.qp_state != IB_QPS_SQD || qp->has_drained ||
	    !xroce_req_is_drained(&qp->req))
		return;
	qp->has_drained = true;
	qp->attr.sq_draining = 0;
	if (qp->attr.en_sqd_async_notify)
		xroce_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/* ---- counters ------------------------------------------------------------------ */

static void count_progress(struct xroce_qp *qp)
{
#define COUNT(side, member, stat) do {					\
	u32 delta = qp->side.stats.member - qp->side##_seen.member;	\
	if (delta)							\
		xroce_qp_count(qp, XROCE_STAT_##stat, delta);		\
} while (0)
	COUNT(req, timeouts, LOCAL_ACK_TIMEOUT_ERR);
	COUNT(req, seq_naks, PACKET_SEQ_ERR);
	COUNT(req, rnr_naks, RNR_NAK_RETRY_ERR);
	COUNT(req, implied_naks, IMPLIED_NAK_SEQ_ERR);
	COUNT(req, resent, RETRANSMITTED);
	COUNT(req, probes, TAIL_PROBES);
	COUNT(req, spurious, SPURIOUS_RESENT);
	COUNT(resp, duplicates, DUPLICATE_REQUEST);
	COUNT(resp, out_of_sequence, OUT_OF_SEQUENCE);
	COUNT(resp, kept, KEPT);
	COUNT(resp, holes_told, HOLES_TOLD);
	COUNT(req, holes_heard, HOLES_HEARD);
#undef COUNT
	qp->req_seen = qp->req.stats;
	qp->resp_seen = qp->resp.stats;
}

/* ---- the run --------------------------------------------------------------------- */

/* Paging kicks it when its memory is there. */
static bool stands_still(const struct xroce_qp *qp)
{
	return qp->attr.qp_state != IB_QPS_ERR && xrdma_paging_is_waiting(qp->paging);
}

u64 xroce_qp_deadline(struct xroce_qp *qp)
{
	u64 at;

	if (stands_still(qp))
		return XROCE_NEVER;
	if (qp->attr.qp_state == IB_QPS_ERR)
		return qp->is_user && !qp->srq ? qp->flush_poll_at : XROCE_NEVER;
	at = xroce_resp_deadline(&qp->resp);
	if (sends_requests(qp))
		at = min(at, xroce_req_deadline(&qp->req));
	return xroce_congest_deadline(qp, at);
}

static bool send_side(struct xroce_qp *qp)
{
	u64 now = ktime_get_ns();
	unsigned int sent, completed;

	if (qp->attr.qp_state == IB_QPS_SQE)
		return flush_sends(qp) >= BUDGET;
	if (!sends_requests(qp))
		return false;
	if (now >= xroce_req_deadline(&qp->req))
		xroce_req_expire(&qp->req, now);
	sent = send_requests(qp, now);
	completed = xroce_complete_sends(qp, BUDGET);
	raise_drained(qp);
	return sent >= BUDGET || completed >= BUDGET;
}

bool xroce_qp_progress(struct xroce_qp *qp)
{
	bool has_more = false, owes_answers;

	if (qp->attr.qp_state == IB_QPS_RESET ||
	    qp->attr.qp_state == IB_QPS_INIT) {
		xroce_rx_purge(qp);
		return false;
	}
	if (stands_still(qp)) {
		xroce_rx_detach(qp);
		return false;
	}
	if (qp->attr.qp_state != IB_QPS_ERR) {
		qp->congest.held_until = 0;
		has_more |= receive(qp) >= BUDGET;
		xroce_congest_answer(qp);
		if (qp->resp.n_kept)
			xroce_resp_expire(&qp->resp, ktime_get_ns());
		owes_answers = send_answers(qp) >= BUDGET;
		has_more |= send_side(qp);
		count_progress(qp);
		/* The NAK that tells the peer why goes out first. */
		if (owes_answers)
			has_more = true;
		else
			react_to_failure(qp);
	}
	if (qp->attr.qp_state == IB_QPS_ERR)
		has_more |= flush(qp);
	else if (qp->attr.qp_state == IB_QPS_SQE)
		has_more |= flush_sends(qp) >= BUDGET;
	return has_more;
}
