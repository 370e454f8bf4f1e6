// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Posting work (see post.h). */
#include "post.h"
#include "qp.h"
#include "run.h"
#include "stream.h"
#include "wqe.h"

/* Requests to copy at a time with interrupts off. */
#define TAKE_AT_ONCE	64U

static struct xroce_swqe *next_slot(const struct xroce_qp *qp)
{
	return to_xroce_swqe(xroce_sq_wr(&qp->sq, qp->posted));
}

/* Slots that may be filled: one always stays free, as in the mapped ring. */
static u32 free_slots(const struct xroce_qp *qp)
{
	return qp->sq.mask - (qp->posted - smp_load_acquire(&qp->reaped));
}

static void publish(struct xroce_qp *qp)
{
	smp_store_release(&qp->posted, qp->posted + 1);
}

static bool takes_sends(const struct xroce_qp *qp)
{
	switch (READ_ONCE(qp->attr.qp_state)) {
	case IB_QPS_RTS:
	case IB_QPS_SQD:
	case IB_QPS_SQE:	/* flushed */
	case IB_QPS_ERR:	/* flushed */
		return true;
	default:
		return false;
	}
}

/* Return: slots filled, at most TAKE_AT_ONCE. */
static u32 take_some(struct xroce_qp *qp)
{
	unsigned long flags;
	u32 i, n = 0;

	spin_lock_irqsave(&qp->post_lock, flags);
	if (takes_sends(qp)) {
		/* Whatever the index says, it is masked and slots are bounded. */
		n = (xroce_ring_producer(&qp->ring) - qp->posted) &
		    qp->ring.mask;
		n = min3(n, free_slots(qp), TAKE_AT_ONCE);
	}
	for (i = 0; i < n; i++) {
		xroce_wqe_from_user(qp, xroce_ring_slot(&qp->ring, qp->posted),
				    next_slot(qp));
		publish(qp);
	}
	spin_unlock_irqrestore(&qp->post_lock, flags);
	return n;
}

/*
 * What the provider has put into the ring and is refused must not be there when
 * requests are taken again.
 */
static void take_back(struct xroce_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->post_lock, flags);
	if (!takes_sends(qp))
		smp_store_release(&xroce_ring_header(&qp->ring)->producer_index,
				  qp->posted & qp->ring.mask);
	spin_unlock_irqrestore(&qp->post_lock, flags);
}

void xroce_sq_take(struct xroce_qp *qp)
{
	while (take_some(qp) == TAKE_AT_ONCE)
		;
}

/* The program's: send what it has put into the mapped ring. */
static void answer_doorbell(struct xroce_qp *qp)
{
	xroce_stream_note(qp);
	xroce_sq_take(qp);
	if (xroce_stream_is_for_others(qp))
		xroce_qp_kick_elsewhere(qp);
	else
		xroce_qp_kick(qp);
}

static int post_one(struct xroce_qp *qp, const struct ib_send_wr *wr)
{
	int err;

	if (!free_slots(qp))
		return -ENOMEM;
	err = xroce_wqe_from_kernel(qp, wr, next_slot(qp));
	if (err)
		return err;
	publish(qp);
	return 0;
}

static int post_kernel(struct xroce_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&qp->post_lock, flags);
	for (; wr; wr = wr->next) {
		err = takes_sends(qp) ? post_one(qp, wr) : -EINVAL;
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&qp->post_lock, flags);
	return err;
}

int xroce_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr)
{
	struct xroce_qp *qp = to_xroce_qp(ibqp);
	int err;

	if (!takes_sends(qp)) {
		if (qp->is_user)
			take_back(qp);
		*bad_wr = wr;
		return -EINVAL;
	}
	if (qp->is_user) {
		answer_doorbell(qp);
		return 0;
	}
	err = post_kernel(qp, wr, bad_wr);
	xroce_qp_kick(qp);
	return err;
}

int xroce_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr)
{
	struct xroce_qp *qp = to_xroce_qp(ibqp);
	int err = 0;

	if (READ_ONCE(qp->attr.qp_state) == IB_QPS_RESET || qp->srq || qp->is_user) {
		*bad_wr = wr;
		return -EINVAL;
	}
	for (; wr; wr = wr->next) {
		err = xroce_rq_post(&qp->rq, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	/* Looked at after posting: the flush may have come and gone between. */
	if (READ_ONCE(qp->attr.qp_state) == IB_QPS_ERR)
		xroce_qp_kick(qp);
	return err;
}
