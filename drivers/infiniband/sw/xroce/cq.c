// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues (see cq.h). We produce. What user space does with its index
 * can only make its own queue look full or lose its own completions.
 */
#include <linux/minmax.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include "cq.h"
#include "device.h"
#include "qp.h"
#include "run.h"

/* In a mapped slot flags are those of libibverbs, and one number differs. */
#define USER_WC_FLAGS		(IB_WC_GRH | IB_WC_WITH_IMM)
#define USER_WC_WITH_INV	BIT(3)

static u32 num_pending(const struct xroce_cq *cq)
{
	return (cq->ring.index - xroce_ring_consumer(&cq->ring)) &
	       cq->ring.mask;
}

/* ---- posting --------------------------------------------------------------- */

static void fill_user_slot(struct ib_uverbs_wc *slot, const struct ib_wc *wc)
{
	struct ib_uverbs_wc user = {
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.ex.imm_data = wc->ex.imm_data,
		.qp_num = wc->qp->qp_num,
		.src_qp = wc->src_qp,
		.wc_flags = wc->wc_flags & USER_WC_FLAGS,
		.pkey_index = wc->pkey_index,
		.slid = wc->slid,
		.sl = wc->sl,
		.dlid_path_bits = wc->dlid_path_bits,
		.port_num = wc->port_num,
	};

	BUILD_BUG_ON(sizeof(user) > XROCE_CQE_BYTES);
	if (wc->wc_flags & IB_WC_WITH_INVALIDATE) {
		user.wc_flags |= USER_WC_WITH_INV;
		user.ex.invalidate_rkey = wc->ex.invalidate_rkey;
	}
	*slot = user;
}

/* Caller holds cq->lock. Moderation: is there to be no event yet? */
static bool holds_back(struct xroce_cq *cq)
{
	if (!cq->event_count || !cq->event_us || ++cq->waiting >= cq->event_count)
		return false;
	if (cq->waiting == 1)
		hrtimer_start(&cq->timer, ns_to_ktime(cq->event_us * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_SOFT);
	return true;
}

/* Caller holds cq->lock. True if the consumer is to be told. */
static bool disarm(struct xroce_cq *cq, bool solicited)
{
	lockdep_assert_held(&cq->lock);
	if (!cq->notify || (cq->notify == IB_CQ_SOLICITED && !solicited))
		return false;
	if (holds_back(cq))
		return false;
	cq->waiting = 0;
	cq->notify = 0;
	return true;
}

/* IBTA 10.2.10.1.1: what completes to a failed CQ has failed. */
static void fail_users(struct ib_cq *ibcq)
{
	struct xroce_cq *cq = to_xroce_cq(ibcq);
	struct xroce_cq_user *user;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	list_for_each_entry(user, &cq->users, node) {
		WRITE_ONCE(user->qp->has_dead_cq, true);
		/* A run takes the lock that we hold. */
		xroce_qp_kick_later(user->qp);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
}

/* The end of what moderation holds back */
static void tell_of_waiting(struct xroce_cq *cq)
{
	unsigned long flags;
	bool tell;

	spin_lock_irqsave(&cq->lock, flags);
	tell = cq->notify && cq->waiting;
	if (tell) {
		cq->waiting = 0;
		cq->notify = 0;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (tell)
		xrdma_cq_tell(&cq->consumer);
}

static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	tell_of_waiting(container_of(timer, struct xroce_cq, timer));
	return HRTIMER_NORESTART;
}

bool xroce_cq_is_empty(struct xroce_cq *cq)
{
	unsigned long flags;
	bool is_empty;

	spin_lock_irqsave(&cq->lock, flags);
	is_empty = !num_pending(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return is_empty;
}

int xroce_cq_post(struct xroce_cq *cq, const struct ib_wc *wc, bool solicited)
{
	bool was_dead, tell = false;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&cq->lock, flags);
	was_dead = cq->is_dead;
	if (was_dead || num_pending(cq) == xroce_ring_capacity(&cq->ring)) {
		cq->is_dead = true;
		err = -EOVERFLOW;
	} else {
		void *slot = xroce_ring_slot(&cq->ring, cq->ring.index);

		if (cq->is_user)
			fill_user_slot(slot, wc);
		else
			*(struct ib_wc *)slot = *wc;
		xroce_ring_produce(&cq->ring);
		tell = disarm(cq, solicited);
	}
	spin_unlock_irqrestore(&cq->lock, flags);

	if (tell)
		xrdma_cq_tell(&cq->consumer);
	if (err && !was_dead)
		xrdma_cq_fail(&cq->consumer);
	return err;
}

void xroce_cq_attach(struct xroce_cq *cq, struct xroce_cq_user *user)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	list_add_tail(&user->node, &cq->users);
	if (cq->is_dead)
		WRITE_ONCE(user->qp->has_dead_cq, true);
	spin_unlock_irqrestore(&cq->lock, flags);
}

void xroce_cq_detach(struct xroce_cq *cq, struct xroce_cq_user *user)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	list_del(&user->node);
	spin_unlock_irqrestore(&cq->lock, flags);
}

void xroce_cq_settle(struct xroce_cq *cq)
{
	if (hrtimer_cancel(&cq->timer))
		tell_of_waiting(cq);
	xrdma_cq_settle(&cq->consumer);
}

/* ---- consuming ---------------------------------------------------------------- */

int xroce_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct xroce_cq *cq = to_xroce_cq(ibcq);
	unsigned long flags;
	u32 consumer;
	int i;

	if (cq->is_user)
		return -EOPNOTSUPP;

	spin_lock_irqsave(&cq->lock, flags);
	consumer = xroce_ring_consumer(&cq->ring);
	for (i = 0; i < num && consumer != cq->ring.index; i++) {
		wc[i] = *(struct ib_wc *)xroce_ring_slot(&cq->ring, consumer);
		consumer = (consumer + 1) & cq->ring.mask;
	}
	smp_store_release(&xroce_ring_header(&cq->ring)->consumer_index,
			  consumer);
	spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

int xroce_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct xroce_cq *cq = to_xroce_cq(ibcq);
	unsigned long irq_flags;
	bool has_missed;

	spin_lock_irqsave(&cq->lock, irq_flags);
	/* Solicited does not take back a wish for any (IBA 11.4.2.2). */
	if (cq->notify != IB_CQ_NEXT_COMP)
		cq->notify = flags & IB_CQ_SOLICITED_MASK;
	has_missed = num_pending(cq);
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return flags & IB_CQ_REPORT_MISSED_EVENTS && has_missed;
}

int xroce_modify_cq(struct ib_cq *ibcq, u16 count, u16 period_us)
{
	struct xroce_cq *cq = to_xroce_cq(ibcq);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->event_count = count;
	cq->event_us = period_us;
	spin_unlock_irqrestore(&cq->lock, flags);
	tell_of_waiting(cq);
	return 0;
}

/* ---- life ------------------------------------------------------------------------ */

static struct ib_ucontext *udata_context(struct ib_udata *udata)
{
	struct xroce_ucontext *uc =
		rdma_udata_to_drv_context(udata, struct xroce_ucontext, ibuc);

	return uc ? &uc->ibuc : NULL;
}

static int create_ring(const struct xroce_cq *cq, struct xroce_ring *ring,
		       u32 cqe, struct ib_udata *udata)
{
	u32 slot_bytes = cq->is_user ? XROCE_CQE_BYTES : sizeof(struct ib_wc);

	if (!cqe || cqe > XROCE_MAX_CQE)
		return -EINVAL;
	return xroce_ring_create(ring, udata_context(udata), cqe, slot_bytes);
}

static int respond(const struct xroce_ring *ring, struct ib_udata *udata)
{
	struct xroce_create_cq_resp resp = {};

	BUILD_BUG_ON(sizeof(resp) != sizeof(struct xroce_resize_cq_resp));
	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	xroce_ring_info(ring, &resp.mi);
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

int xroce_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct ib_udata *udata)
{
	struct xroce_cq *cq = to_xroce_cq(ibcq);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (attr->comp_vector >= ibcq->device->num_comp_vectors)
		return -EINVAL;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize_mutex);
	INIT_LIST_HEAD(&cq->users);
	hrtimer_setup(&cq->timer, timer_fires, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	cq->is_user = udata;
	xrdma_cq_consumer_init(&cq->consumer, ibcq, attr->comp_vector, udata, fail_users);
	err = create_ring(cq, &cq->ring, attr->cqe, udata);
	if (err)
		return err;
	if (udata) {
		err = respond(&cq->ring, udata);
		if (err) {
			xroce_ring_destroy(&cq->ring);
			return err;
		}
	}
	ibcq->cqe = xroce_ring_capacity(&cq->ring);
	return 0;
}

int xroce_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct xroce_cq *cq = to_xroce_cq(ibcq);
	struct xroce_ring ring;
	unsigned long flags;

	/* Nobody completes to it any more. */
	hrtimer_cancel(&cq->timer);
	xrdma_cq_consumer_stop(&cq->consumer);
	/* Older cores let "rdma resource" look at it until we return. */
	spin_lock_irqsave(&cq->lock, flags);
	ring = cq->ring;
	cq->ring.mem = NULL;
	spin_unlock_irqrestore(&cq->lock, flags);
	xroce_ring_destroy(&ring);
	return 0;
}

/* Caller holds cq->lock; @first and @n: what @ring has got already. */
static int switch_ring(struct xroce_cq *cq, struct xroce_ring *ring, u32 first,
		       u32 n)
{
	u32 late = (cq->ring.index - first - n) & cq->ring.mask;

	lockdep_assert_held(&cq->lock);
	if (n + late > xroce_ring_capacity(ring))
		return -EINVAL;
	xroce_ring_copy(ring, n, &cq->ring, first + n, late);
	ring->index = n + late;
	smp_store_release(&xroce_ring_header(ring)->producer_index,
			  ring->index);
	swap(cq->ring, *ring);
	return 0;
}

/* The consumer waits for us, so only completions can come meanwhile. */
static int replace_ring(struct xroce_cq *cq, struct xroce_ring *ring, u32 cqe)
{
	unsigned long flags;
	u32 first, n;
	int err;

	spin_lock_irqsave(&cq->lock, flags);
	n = num_pending(cq);
	first = cq->ring.index - n;
	spin_unlock_irqrestore(&cq->lock, flags);
	if (n > cqe)
		return -EINVAL;

	/* Most of the work without the lock. */
	xroce_ring_copy(ring, 0, &cq->ring, first, n);

	spin_lock_irqsave(&cq->lock, flags);
	err = switch_ring(cq, ring, first, n);
	spin_unlock_irqrestore(&cq->lock, flags);
	return err;
}

int xroce_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct xroce_cq *cq = to_xroce_cq(ibcq);
	struct xroce_ring ring;
	int err;

	if (!cq->is_user)
		return -EOPNOTSUPP;
	err = create_ring(cq, &ring, cqe, udata);
	if (err)
		return err;
	/* Before the switch: if it fails, user space goes on with the old ring. */
	err = respond(&ring, udata);
	mutex_lock(&cq->resize_mutex);
	if (!err)
		err = replace_ring(cq, &ring, cqe);
	if (!err)
		ibcq->cqe = xroce_ring_capacity(&cq->ring);
	mutex_unlock(&cq->resize_mutex);
	xroce_ring_destroy(&ring);
	return err;
}
