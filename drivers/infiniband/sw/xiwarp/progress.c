// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One run of a QP (see progress.h): bytes in, bytes out, completions, changes of
 * the connection. Everything here belongs to the owner.
 */
#include <linux/ktime.h>
#include <net/tcp.h>
#include "complete.h"
#include "ep.h"
#include "post.h"
#include "progress.h"
#include "qp.h"
#include "rx.h"
#include "stats.h"
#include "trace.h"

/* Completions of one kind, bytes in, batches out in one run. */
#define BUDGET		64
#define RX_BUDGET	(128 * 1024)
#define TX_BATCHES	4

/* What a peer that is software takes, whatever TCP makes of it. */
#define SOFT_EMSS	(64 * 1024)

#define FLUSH_POLL_MIN_NS	(1 * NSEC_PER_MSEC)
#define FLUSH_POLL_MAX_NS	(128 * NSEC_PER_MSEC)

/* ---- changes of the connection ----------------------------------------------------- */

static void start_flush(struct xiwarp_qp *qp)
{
	qp->is_flushing = true;
	qp->flush_poll_ns = FLUSH_POLL_MIN_NS;
	qp->flush_poll_at = 0;
	xiwarp_rx_forget_wait(qp);
	xiwarp_rdmap_flush(&qp->rdmap);
}

/* All that was promised is in the socket: what ends now needs no RST. */
static bool is_complete(const struct xiwarp_qp *qp)
{
	return !qp->tx.bytes && xiwarp_rdmap_is_given_out(&qp->rdmap);
}

static void detach(struct xiwarp_qp *qp, bool reset)
{
	xiwarp_tx_drop(&qp->tx);
	qp->retry_at = XIWARP_NEVER;
	qp->go_first_at = XIWARP_NEVER;
	if (qp->ep)
		xiwarp_ep_release(qp->ep, reset);
	qp->ep = NULL;
}

static void carry_out(struct xiwarp_qp *qp, u32 todo)
{
	bool reset = todo & XIWARP_DO_RESET && !is_complete(qp);

	if (todo & XIWARP_DO_SHUTDOWN)
		qp->fin_due = true;
	if (todo & XIWARP_DO_FLUSH)
		start_flush(qp);
	if (todo & XIWARP_DO_EVENT && !qp->has_event) {
		qp->has_event = true;
		xiwarp_qp_event(qp, IB_EVENT_QP_FATAL);
	}
	if (!qp->ep)
		return;
	if (todo & XIWARP_DO_DISCONNECT)
		xiwarp_ep_event(qp->ep, IW_CM_EVENT_DISCONNECT, 0);
	if (todo & XIWARP_DO_CLOSE)
		xiwarp_ep_event(qp->ep, IW_CM_EVENT_CLOSE, 0);
	if (todo & XIWARP_DO_CLOSE_RESET)
		xiwarp_ep_event(qp->ep, IW_CM_EVENT_CLOSE, -ECONNRESET);
	if (todo & XIWARP_DO_RELEASE)
		detach(qp, reset);
}

static void change(struct xiwarp_qp *qp, u8 from, u32 todo)
{
	if (qp->conn.state != from)
		trace_xiwarp_qp_state(qp->ibqp.device->index, qp->ibqp.qp_num,
				      from, qp->conn.state);
	carry_out(qp, todo);
}

void xiwarp_qp_end(struct xiwarp_qp *qp, enum xiwarp_input in)
{
	u8 from = qp->conn.state;

	if (in == XIWARP_IN_LOST)
		xiwarp_count(xiwarp_qp_dev(qp), XIWARP_STAT_CONN_LOST, 1);
	change(qp, from, xiwarp_conn_input(&qp->conn, in, ktime_get_ns()));
}

static void expire(struct xiwarp_qp *qp)
{
	u8 from = qp->conn.state;
	u64 now = ktime_get_ns();

	if (now >= xiwarp_conn_deadline(&qp->conn))
		change(qp, from, xiwarp_conn_expire(&qp->conn, now));
}

void xiwarp_qp_detach(struct xiwarp_qp *qp)
{
	detach(qp, true);
}

/* ---- receiving ------------------------------------------------------------------------ */

/* Everything that came is dealt with, or waits for a receive; does more come? */
static void check_end(struct xiwarp_qp *qp, struct sock *sk)
{
	if (sk->sk_err || (sk->sk_state == TCP_CLOSE && !sock_flag(sk, SOCK_DONE)))
		xiwarp_qp_end(qp, XIWARP_IN_LOST);
	else if (xiwarp_rx_is_waiting(qp))
		return;
	else if (sk->sk_shutdown & RCV_SHUTDOWN || sock_flag(sk, SOCK_DONE))
		xiwarp_qp_end(qp, xiwarp_rdmap_may_end(&qp->rdmap) ?
			      XIWARP_IN_FIN : XIWARP_IN_CUT);
}

static bool receive(struct xiwarp_qp *qp, struct sock *sk)
{
	/* The bytes before may be all that there are. */
	if (xiwarp_rx_is_waiting(qp))
		xiwarp_rx_settle(qp);
	if (!skb_queue_empty(&sk->sk_receive_queue) &&
	    !xrdma_paging_is_waiting(qp->paging) &&
	    xiwarp_rx_run(qp, sk, RX_BUDGET))
		return true;
	if (qp->ep)
		check_end(qp, sk);
	return false;
}

/* ---- sending --------------------------------------------------------------------------- */

static void update_mulpdu(struct xiwarp_qp *qp, const struct sock *sk)
{
	u32 emss = qp->is_soft ? SOFT_EMSS : tcp_sk(sk)->mss_cache;

	if (emss == qp->emss)
		return;
	qp->emss = emss;
	xiwarp_rdmap_set_mulpdu(&qp->rdmap,
				xiwarp_fpdu_mulpdu(emss, qp->framer.has_markers));
}

/* What is posted after a disconnect is not sent any more. */
static void take_posted(struct xiwarp_qp *qp)
{
	if (qp->conn.state != XIWARP_RTS)
		return;
	if (qp->is_user)
		xiwarp_sq_take(qp);
	qp->rdmap.posted = smp_load_acquire(&qp->posted);
}

/* One batch. Return: 1, 0 if there is nothing to send (now), an error of the stream. */
static int send_batch(struct xiwarp_qp *qp, struct sock *sk)
{
	bool made;
	int err;

	take_posted(qp);
	made = xiwarp_tx_fill(qp);
	err = xiwarp_tx_push(&qp->tx, sk);
	if (err)
		return err;
	xiwarp_rdmap_sent(&qp->rdmap);
	/* What failed on the way owes a Terminate. */
	if (xiwarp_rdmap_has_fault(&qp->rdmap)) {
		xiwarp_rx_settle(qp);
		return 1;
	}
	/* Slots are free again: who waits for one rings no bell. */
	return xiwarp_complete_sends(qp, BUDGET) || made;
}

/* Return: true if the budget is used up. */
static bool send(struct xiwarp_qp *qp, struct sock *sk)
{
	unsigned int batches = 0;
	int more;

	qp->retry_at = XIWARP_NEVER;
	update_mulpdu(qp, sk);
	/* What was left last time. */
	more = xiwarp_tx_push(&qp->tx, sk) ?: 1;
	while (more > 0 && batches++ < TX_BATCHES)
		more = send_batch(qp, sk);
	if (more == -EAGAIN) {
		xiwarp_count(xiwarp_qp_dev(qp), XIWARP_STAT_SNDBUF_FULL, 1);
		/* It was short of memory: no acknowledgement will call us. */
		if (tcp_rtx_and_write_queues_empty(sk))
			qp->retry_at = ktime_get_ns() + XIWARP_RETRY_NS;
		return false;
	}
	if (more < 0) {
		xiwarp_qp_end(qp, XIWARP_IN_LOST);
		return false;
	}
	if (!more && qp->fin_due && is_complete(qp))
		xiwarp_sock_shutdown_locked(sk);
	return more;
}

/* ---- the end ------------------------------------------------------------------------------ */

static unsigned int flush_sends(struct xiwarp_qp *qp)
{
	if (qp->is_user)
		xiwarp_sq_take(qp);
	qp->rdmap.posted = smp_load_acquire(&qp->posted);
	xiwarp_rdmap_flush(&qp->rdmap);
	return xiwarp_complete_sends(qp, BUDGET);
}

/* Posting to a mapped receive queue rings no bell: look again, ever less often. */
static void plan_flush_poll(struct xiwarp_qp *qp, unsigned int flushed)
{
	u64 now = ktime_get_ns();

	if (!qp->is_user || qp->srq)
		return;
	if (flushed)
		qp->flush_poll_ns = FLUSH_POLL_MIN_NS;
	else if (now >= qp->flush_poll_at)
		qp->flush_poll_ns = min_t(u64, qp->flush_poll_ns * 2,
					  FLUSH_POLL_MAX_NS);
	qp->flush_poll_at = now + qp->flush_poll_ns;
}

static bool flush(struct xiwarp_qp *qp)
{
	unsigned int sends = flush_sends(qp);
	unsigned int recvs = xiwarp_flush_recvs(qp, BUDGET);

	if (qp->srq && !qp->has_last_wqe) {
		qp->has_last_wqe = true;
		xiwarp_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	}
	plan_flush_poll(qp, recvs);
	return sends >= BUDGET || recvs >= BUDGET;
}

/* ---- the run -------------------------------------------------------------------------------- */

static void count_progress(struct xiwarp_qp *qp)
{
	struct xiwarp_dev *dev = xiwarp_qp_dev(qp);

#define COUNT(member, stat) do {					\
	u64 delta = qp->rdmap.stats.member - qp->seen.member;		\
	if (delta)							\
		xiwarp_count(dev, XIWARP_STAT_##stat, delta);		\
} while (0)
	COUNT(rx_fpdus, RX_FPDUS);
	COUNT(rx_bytes, RX_BYTES);
	COUNT(tx_fpdus, TX_FPDUS);
	COUNT(tx_bytes, TX_BYTES);
#undef COUNT
	qp->seen = qp->rdmap.stats;
}

static void check_cq(struct xiwarp_qp *qp)
{
	if (!qp->cq_overflow || qp->conn.state != XIWARP_RTS)
		return;
	xiwarp_count(xiwarp_qp_dev(qp), XIWARP_STAT_TERMINATES_SENT, 1);
	xiwarp_rdmap_terminate(&qp->rdmap, XIWARP_FAULT_CQ_OVERFLOW);
	xiwarp_qp_end(qp, XIWARP_IN_FAULT);
}

u64 xiwarp_qp_deadline(struct xiwarp_qp *qp)
{
	u64 deadline = min(min(xiwarp_conn_deadline(&qp->conn), qp->retry_at),
			   min(qp->recv_poll_at, qp->go_first_at));

	if (qp->is_flushing && qp->is_user && !qp->srq)
		deadline = min(deadline, qp->flush_poll_at);
	return deadline;
}

static void check_go_first(struct xiwarp_qp *qp)
{
	if (qp->go_first_at == XIWARP_NEVER || ktime_get_ns() < qp->go_first_at)
		return;
	qp->go_first_at = XIWARP_NEVER;
	xiwarp_rdmap_go_first(&qp->rdmap);
}

bool xiwarp_qp_progress(struct xiwarp_qp *qp)
{
	struct sock *sk = xiwarp_ep_sk(qp->ep);
	bool has_more = false;

	if (qp->conn.state == XIWARP_IDLE)
		return false;
	if (sk) {
		check_go_first(qp);
		has_more |= receive(qp, sk);
		/* Before new ones are taken, which may need the slots. */
		has_more |= xiwarp_complete_sends(qp, BUDGET) >= BUDGET;
		if (qp->ep)
			has_more |= send(qp, sk);
		count_progress(qp);
		check_cq(qp);
	}
	has_more |= xiwarp_complete_sends(qp, BUDGET) >= BUDGET;
	expire(qp);
	if (qp->is_flushing)
		has_more |= flush(qp);
	return has_more;
}
