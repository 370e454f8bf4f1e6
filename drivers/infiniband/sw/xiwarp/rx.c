// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The receiving half (see rx.h). The engine says step by step what the next bytes
 * are; payload goes from the packet straight to its place. Its CRC is computed
 * over the packet, since a program may write to its memory meanwhile.
 */
#include <linux/ktime.h>
#include <linux/skbuff.h>
#include <net/tcp.h>
#include "complete.h"
#include "ep.h"
#include "mem.h"
#include "progress.h"
#include "qp.h"
#include "rx.h"
#include "stats.h"
#include "trace.h"

/* How long a SEND may wait for a receive, how often to look for one. */
#define RECV_PATIENCE_NS	(3 * NSEC_PER_SEC)
#define RECV_POLL_NS		(1 * NSEC_PER_MSEC)

static u32 continue_crc(const struct xiwarp_step *step, const void *data,
			unsigned int n)
{
	return step->need_crc ? xiwarp_crc(step->crc, data, n) : step->crc;
}

/* ---- placing ----------------------------------------------------------------- */

/* These return 0; -EACCES: it was refused; -EAGAIN: the bytes have to wait. */

static int refuse(struct xiwarp_qp *qp, enum xiwarp_mem mem)
{
	xiwarp_rdmap_refuse(&qp->rdmap, mem);
	return -EACCES;
}

static int wait_for_pages(struct xiwarp_qp *qp, const struct xrdma_want *want)
{
	if (!xrdma_paging_wait(qp->paging, qp->ibqp.pd, want))
		return refuse(qp, XIWARP_MEM_ACCESS);
	qp->awaits_pages = true;
	return -EAGAIN;
}

static int place_in_mr(struct xiwarp_qp *qp, const struct xiwarp_place *place,
		       const void *data, unsigned int n)
{
	const struct xrdma_want want = {
		.key = place->rkey,
		.access = IB_ACCESS_REMOTE_WRITE,
		.va = place->va,
		.length = n,
		.ahead = place->check_len - n,
		.is_write = true,
	};
	struct xrdma_mr *mr;
	enum xiwarp_mem mem;
	int err;

	mem = xiwarp_mem_get(qp, place->rkey, IB_ACCESS_REMOTE_WRITE, place->va,
			     place->check_len, &mr);
	if (mem != XIWARP_MEM_OK)
		return refuse(qp, mem);
	/* xrdma_mr_copy() only reads when it copies to memory. */
	err = xrdma_mr_copy(mr, place->va, (void *)data, n, XRDMA_TO_MEM);
	xrdma_mr_put(mr);
	return err ? wait_for_pages(qp, &want) : 0;
}

static int place_in_list(struct xiwarp_qp *qp, const struct ib_sge *sge,
			 u32 num_sge, u64 length, u32 offset, const void *data,
			 unsigned int n)
{
	const struct xrdma_sgl sgl = {
		.sge = sge,
		.num_sge = num_sge,
		.length = length,
	};
	struct xrdma_want want;
	int err;

	err = xrdma_sgl_copy(&xiwarp_qp_dev(qp)->keys, qp->ibqp.pd, &sgl, offset,
			     (void *)data, n, XRDMA_TO_MEM, &want);
	if (err == -EAGAIN)
		return wait_for_pages(qp, &want);
	return err ? refuse(qp, XIWARP_MEM_ACCESS) : 0;
}

static int place(struct xiwarp_qp *qp, const struct xiwarp_place *place,
		 const void *data, unsigned int n)
{
	const struct xiwarp_recv *recv = &qp->recv;
	const struct xiwarp_swqe *swqe;

	switch (place->where) {
	case XIWARP_TO_MR:
		return place_in_mr(qp, place, data, n);
	case XIWARP_TO_RECV:
		return place_in_list(qp, recv->sge, recv->num_sge, recv->length,
				     place->offset, data, n);
	default: /* XIWARP_TO_WR */
		swqe = to_xiwarp_swqe(place->wr);
		return place_in_list(qp, swqe->sge, swqe->num_sge,
				     swqe->wr.length, place->offset, data, n);
	}
}

/* ---- messages ------------------------------------------------------------------- */

/*
 * No receive is posted. A program that has an SRQ for many peers, or is late, gets
 * some time, in which TCP holds the peer back; since posting rings no bell, look
 * again and again. Return: false when that time is over.
 */
static bool wait_for_recv(struct xiwarp_qp *qp)
{
	u64 now = ktime_get_ns();

	if (qp->recv_limit == XIWARP_NEVER) {
		xiwarp_count(xiwarp_qp_dev(qp), XIWARP_STAT_OUT_OF_BUFFER, 1);
		qp->recv_limit = now + RECV_PATIENCE_NS;
	}
	if (now >= qp->recv_limit)
		return false;
	qp->recv_poll_at = now + RECV_POLL_NS;
	return true;
}

/* Return: false if bytes have to wait for a receive. */
static bool take_recv(struct xiwarp_qp *qp)
{
	bool hit_limit, taken;

	taken = qp->srq ? xiwarp_srq_take(qp->srq, &qp->recv) :
			  xiwarp_rq_take(&qp->rq, &qp->recv, &hit_limit);
	if (!taken && wait_for_recv(qp))
		return false;
	xiwarp_rx_forget_wait(qp);
	if (!taken) {
		xiwarp_rdmap_deny(&qp->rdmap, XIWARP_FAULT_NO_BUFFER);
		return true;
	}
	qp->has_recv = true;
	if (qp->recv.is_bad)
		xiwarp_rdmap_deny(&qp->rdmap, XIWARP_FAULT_RECV_WR);
	else
		xiwarp_rdmap_recv(&qp->rdmap, qp->recv.length);
	return true;
}

bool xiwarp_rx_is_waiting(const struct xiwarp_qp *qp)
{
	return qp->recv_limit != XIWARP_NEVER || qp->awaits_pages;
}

void xiwarp_rx_forget_wait(struct xiwarp_qp *qp)
{
	qp->recv_limit = XIWARP_NEVER;
	qp->recv_poll_at = XIWARP_NEVER;
	qp->awaits_pages = false;
}

/* Return: false if the result has no place to go. */
static bool place_atomic(struct xiwarp_qp *qp, const struct xiwarp_done *done)
{
	const struct xiwarp_swqe *swqe = to_xiwarp_swqe(done->wr);
	const struct xrdma_sgl sgl = {
		.sge = swqe->sge,
		.num_sge = swqe->num_sge,
		.length = xrdma_sge_sum(swqe->sge, swqe->num_sge),
	};
	u64 value = done->value;

	return !xrdma_sgl_copy(&xiwarp_qp_dev(qp)->keys, qp->ibqp.pd, &sgl, 0,
			       &value, sizeof(value), XRDMA_TO_MEM, NULL);
}

static const enum ib_event_type events[] = {
	[XIWARP_EVENT_QP_REQ_ERR]	= IB_EVENT_QP_REQ_ERR,
	[XIWARP_EVENT_QP_ACCESS_ERR]	= IB_EVENT_QP_ACCESS_ERR,
	[XIWARP_EVENT_QP_FATAL]		= IB_EVENT_QP_FATAL,
};

static void fail(struct xiwarp_qp *qp, const struct xiwarp_done *done)
{
	struct xiwarp_dev *dev = xiwarp_qp_dev(qp);

	xiwarp_count(dev, XIWARP_STAT_FAULT + done->fault - 1, 1);
	/* Each fault owes one. */
	xiwarp_count(dev, XIWARP_STAT_TERMINATES_SENT, 1);
	if (done->completes) {
		xiwarp_complete_recv(qp, done);
	} else if (done->event && !qp->has_event) {
		xiwarp_qp_event(qp, events[done->event]);
	}
	/* If no event did, a completion tells. */
	qp->has_event = true;
	xiwarp_qp_end(qp, XIWARP_IN_FAULT);
}

static void note_terminate(struct xiwarp_qp *qp, const struct xiwarp_term *term)
{
	xiwarp_count(xiwarp_qp_dev(qp), XIWARP_STAT_TERMINATES_RECEIVED, 1);
	trace_xiwarp_terminate(qp->ibqp.device->index, qp->ibqp.qp_num,
			       term->layer, term->etype, term->code);
}

static void finish(struct xiwarp_qp *qp, const struct xiwarp_done *done)
{
	struct xiwarp_dev *dev = xiwarp_qp_dev(qp);

	if (done->has_inv && !xiwarp_mem_invalidate(qp, done->inv_stag)) {
		xiwarp_rdmap_deny(&qp->rdmap, done->what == XIWARP_GOT_RECV ?
				  XIWARP_FAULT_INVALIDATE : XIWARP_FAULT_SINK);
		return;
	}
	switch (done->what) {
	case XIWARP_GOT_RECV:
		xiwarp_count(dev, XIWARP_STAT_RX_SENDS, 1);
		xiwarp_complete_recv(qp, done);
		break;
	case XIWARP_GOT_ATOMIC:
		if (!place_atomic(qp, done)) {
			xiwarp_rdmap_deny(&qp->rdmap, XIWARP_FAULT_SINK);
			return;
		}
		break;
	case XIWARP_GOT_READ:
		xiwarp_count(dev, XIWARP_STAT_RX_READ_RESPONSES, 1);
		break;
	case XIWARP_GOT_REQUEST:
		xiwarp_count(dev, XIWARP_STAT_RX_READ_REQUESTS, 1);
		break;
	case XIWARP_GOT_TERMINATE:
		note_terminate(qp, done->term);
		break;
	}
	xiwarp_rdmap_commit(&qp->rdmap);
	if (done->is_first)
		xiwarp_ep_first_fpdu(qp->ep);
	if (done->what == XIWARP_GOT_TERMINATE)
		xiwarp_qp_end(qp, XIWARP_IN_TERMINATED);
}

/* ---- the steps -------------------------------------------------------------------- */

/*
 * One step; @left bytes at @data are next, maybe none. Return: how many of them
 * it took, or -1 if nothing can be done without bytes, a receive or memory.
 */
static int do_step(struct xiwarp_qp *qp, const u8 *data, unsigned int left)
{
	struct xiwarp_rdmap *rdmap = &qp->rdmap;
	struct xiwarp_step step;
	unsigned int n;
	int err;

	xiwarp_rdmap_input(rdmap, &step);
	n = min(step.len, left);
	switch (step.act) {
	case XIWARP_STEP_TAKE:
		if (!n)
			return -1;
		memcpy(step.buf, data, n);
		xiwarp_rdmap_took(rdmap, n);
		return n;
	case XIWARP_STEP_PLACE:
		if (!n)
			return -1;
		err = place(qp, &step.place, data, n);
		if (err)
			return err == -EAGAIN ? -1 : 0;
		xiwarp_rdmap_passed(rdmap, n, continue_crc(&step, data, n));
		return n;
	case XIWARP_STEP_SKIP:
		if (!n)
			return -1;
		xiwarp_rdmap_passed(rdmap, n, continue_crc(&step, data, n));
		return n;
	case XIWARP_STEP_RECV:
		return take_recv(qp) ? 0 : -1;
	case XIWARP_STEP_DONE:
		finish(qp, &step.done);
		return 0;
	case XIWARP_STEP_FAULT:
		fail(qp, &step.done);
		return 0;
	default: /* XIWARP_STEP_STOP: what comes is of no interest */
		return left ?: -1;
	}
}

/* All of it, and what needs no bytes behind it. Return: how many bytes were not taken. */
static unsigned int feed(struct xiwarp_qp *qp, const u8 *data, unsigned int len)
{
	int n;

	while ((n = do_step(qp, data, len)) >= 0) {
		data += n;
		len -= n;
	}
	return len;
}

/* For tcp_read_sock(): all bytes are taken unless they wait for something. */
static int actor(read_descriptor_t *desc, struct sk_buff *skb,
		 unsigned int offset, size_t len)
{
	struct xiwarp_qp *qp = desc->arg.data;
	struct skb_seq_state state;
	unsigned int n, left, done = 0;
	const u8 *data;

	skb_prepare_seq_read(skb, offset, offset + len, &state);
	while ((n = skb_seq_read(done, &data, &state))) {
		left = feed(qp, data, n);
		done += n - left;
		if (left) {
			skb_abort_seq_read(&state);
			break;
		}
	}
	desc->count -= min(desc->count, (size_t)done);
	return done;
}

void xiwarp_rx_settle(struct xiwarp_qp *qp)
{
	feed(qp, NULL, 0);
}

bool xiwarp_rx_run(struct xiwarp_qp *qp, struct sock *sk, unsigned int budget)
{
	read_descriptor_t desc = {
		.arg.data = qp,
		.count = budget,
	};

	qp->awaits_pages = false;
	tcp_read_sock(sk, &desc, actor);
	return !desc.count;
}
