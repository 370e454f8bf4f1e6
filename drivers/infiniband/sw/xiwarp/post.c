// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting work (see post.h).
 *
 * A user's doorbell rings only if the slot before the first new one is empty
 * already. So a slot is emptied as soon as it is copied, and the next one is
 * looked at after that, with a full barrier between: either we see what was
 * posted, or its poster sees the empty slot and rings.
 */
#include "post.h"
#include "qp.h"
#include "run.h"
#include "wqe.h"

/* Requests to copy in one go. */
#define TAKE_AT_ONCE	64

static struct xiwarp_swqe *next_slot(const struct xiwarp_qp *qp)
{
	return to_xiwarp_swqe(xiwarp_sq_wr(&qp->sq, qp->posted));
}

static bool has_free_slot(const struct xiwarp_qp *qp)
{
	return qp->posted - smp_load_acquire(&qp->reaped) <= qp->sq.mask;
}

static void publish(struct xiwarp_qp *qp)
{
	smp_store_release(&qp->posted, qp->posted + 1);
}

/* Return: false if there is none. */
static bool take_one(struct xiwarp_qp *qp)
{
	struct xiwarp_sqe *slot = &qp->ring_slots[qp->ring_get & qp->sq.mask];

	if (!(smp_load_acquire(&slot->flags) & XIWARP_SLOT_VALID))
		return false;
	xiwarp_wqe_from_user(qp, slot, next_slot(qp));
	smp_store_mb(slot->flags, 0);
	qp->ring_get++;
	publish(qp);
	return true;
}

bool xiwarp_sq_take(struct xiwarp_qp *qp)
{
	unsigned int n = 0;

	while (n < TAKE_AT_ONCE && has_free_slot(qp) && take_one(qp))
		n++;
	return n == TAKE_AT_ONCE;
}

static bool takes_sends(const struct xiwarp_qp *qp)
{
	/* Unconnected or not: users' requests wait in their ring until it is. */
	return READ_ONCE(qp->conn.state) != XIWARP_IDLE;
}

static int post_one(struct xiwarp_qp *qp, const struct ib_send_wr *wr)
{
	int err;

	if (!has_free_slot(qp))
		return -ENOMEM;
	err = xiwarp_wqe_from_kernel(qp, wr, next_slot(qp));
	if (err)
		return err;
	publish(qp);
	return 0;
}

static int post_kernel(struct xiwarp_qp *qp, const struct ib_send_wr *wr,
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

/* A doorbell never fails: the provider could not take its requests back. */
int xiwarp_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	struct xiwarp_qp *qp = to_xiwarp_qp(ibqp);
	int err = 0;

	if (!qp->is_user)
		err = post_kernel(qp, wr, bad_wr);
	xiwarp_qp_kick(qp);
	return err;
}

int xiwarp_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	struct xiwarp_qp *qp = to_xiwarp_qp(ibqp);
	int err = 0;

	if (qp->srq || qp->is_user) {
		*bad_wr = wr;
		return -EINVAL;
	}
	for (; wr; wr = wr->next) {
		err = xiwarp_rq_post(&qp->rq, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	/* Looked at after posting: the flush may have come and gone between. */
	smp_mb();
	if (READ_ONCE(qp->conn.state) == XIWARP_ERROR)
		xiwarp_qp_kick(qp);
	return err;
}
