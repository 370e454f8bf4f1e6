// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive queues (see rq.h). User space fills slots while we read them: a slot
 * is copied once, and only the copy is judged.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include "rq.h"

static u32 slot_bytes(u32 max_sge)
{
	return sizeof(struct xroce_recv_wqe) +
	       max_sge * sizeof(struct xroce_sge);
}

int xroce_rq_create(struct xroce_rq *rq, struct ib_ucontext *ucontext,
		    u32 max_wr, u32 max_sge)
{
	if (max_sge > XROCE_MAX_SGE)
		return -EINVAL;
	spin_lock_init(&rq->lock);
	mutex_init(&rq->resize_mutex);
	rq->max_sge = max_sge;
	rq->limit = 0;
	return xroce_rq_create_ring(rq, &rq->ring, ucontext, max_wr);
}

void xroce_rq_destroy(struct xroce_rq *rq)
{
	xroce_ring_destroy(&rq->ring);
}

/* ---- taking ------------------------------------------------------------------ */

u32 xroce_rq_posted(const struct xroce_rq *rq)
{
	return (xroce_ring_producer(&rq->ring) - rq->ring.index) &
	       rq->ring.mask;
}

static void copy_slot(const struct xroce_rq *rq, const void *slot,
		      struct xroce_rqe *rqe)
{
	struct xroce_recv_wqe wqe;

	memcpy(&wqe, slot, sizeof(wqe));
	barrier();	/* the slot may say something else by now */

	rqe->wr_id = wqe.wr_id;
	rqe->is_bad = wqe.dma.num_sge > rq->max_sge;
	rqe->num_sge = rqe->is_bad ? 0 : wqe.dma.num_sge;
	memcpy(rqe->sge, slot + sizeof(wqe),
	       rqe->num_sge * sizeof(rqe->sge[0]));
	barrier();
	/* Not dma.length: it is the poster's word against the SGEs'. */
	rqe->length = xrdma_sge_sum(rqe->sge, rqe->num_sge);
}

/* Caller holds rq->lock. */
static int take(struct xroce_rq *rq, struct xroce_rqe *rqe, bool *hit_limit)
{
	u32 posted = xroce_rq_posted(rq);

	lockdep_assert_held(&rq->lock);
	if (!xroce_ring_is_sound(&rq->ring))
		return -EIO;
	if (!posted)
		return -ENOENT;
	copy_slot(rq, xroce_ring_slot(&rq->ring, rq->ring.index), rqe);
	xroce_ring_consume(&rq->ring);
	if (posted - 1 < rq->limit) {
		rq->limit = 0;
		*hit_limit = true;
	}
	return 0;
}

int xroce_rq_take(struct xroce_rq *rq, struct xroce_rqe *rqe, bool *hit_limit)
{
	unsigned long flags;
	int err;

	*hit_limit = false;
	spin_lock_irqsave(&rq->lock, flags);
	err = take(rq, rqe, hit_limit);
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

void xroce_rq_clear(struct xroce_rq *rq)
{
	unsigned long flags;

	spin_lock_irqsave(&rq->lock, flags);
	rq->ring.index = xroce_ring_producer(&rq->ring);
	smp_store_release(&xroce_ring_header(&rq->ring)->consumer_index,
			  rq->ring.index);
	spin_unlock_irqrestore(&rq->lock, flags);
}

/* ---- kernel posters: we write the producer index, nobody else -------------- */

static void fill_slot(void *slot, const struct ib_recv_wr *wr)
{
	struct xroce_recv_wqe *wqe = slot;

	wqe->wr_id = wr->wr_id;
	wqe->dma.num_sge = wr->num_sge;
	/* struct ib_sge is the ABI's SGE (abi_check.c). */
	memcpy(wqe + 1, wr->sg_list, wr->num_sge * sizeof(wr->sg_list[0]));
}

int xroce_rq_post(struct xroce_rq *rq, const struct ib_recv_wr *wr)
{
	struct xroce_queue_header *header;
	unsigned long flags;
	u32 producer;
	int err = 0;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;

	spin_lock_irqsave(&rq->lock, flags);
	header = xroce_ring_header(&rq->ring);
	producer = header->producer_index;
	if (xroce_rq_posted(rq) == xroce_ring_capacity(&rq->ring)) {
		err = -ENOMEM;
	} else {
		fill_slot(xroce_ring_slot(&rq->ring, producer), wr);
		smp_store_release(&header->producer_index,
				  (producer + 1) & rq->ring.mask);
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

/* ---- resizing ----------------------------------------------------------------- */

int xroce_rq_create_ring(const struct xroce_rq *rq, struct xroce_ring *ring,
			 struct ib_ucontext *ucontext, u32 max_wr)
{
	return xroce_ring_create(ring, ucontext, max_wr,
				 slot_bytes(rq->max_sge));
}

/* Slots to copy at a time with interrupts off. */
#define COPY_LOCKED	64

/*
 * Caller holds rq->lock. @ring has the first @n requests from index @first on;
 * copy the @late ones behind them and go on with it.
 */
static void switch_ring(struct xroce_rq *rq, struct xroce_ring *ring, u32 first,
			u32 n, u32 late)
{
	struct xroce_queue_header *header = xroce_ring_header(ring);

	lockdep_assert_held(&rq->lock);
	xroce_ring_copy(ring, n, &rq->ring, first + n, late);
	n += late;
	/* What was taken meanwhile is taken from @ring too. */
	ring->index = min((rq->ring.index - first) & rq->ring.mask, n);
	header->consumer_index = ring->index;
	smp_store_release(&header->producer_index, n);
	swap(rq->ring, *ring);
}

/*
 * Slots are written by posters only, so most are copied without the lock. A
 * poster who goes on meanwhile, or a hostile index, ends with the room in @ring.
 */
int xroce_rq_replace_ring(struct xroce_rq *rq, struct xroce_ring *ring)
{
	u32 first, late, n = 0;
	unsigned long flags;

	spin_lock_irqsave(&rq->lock, flags);
	first = rq->ring.index;
	for (;;) {
		late = (xroce_ring_producer(&rq->ring) - first - n) &
		       rq->ring.mask;
		if (n + late > xroce_ring_capacity(ring)) {
			spin_unlock_irqrestore(&rq->lock, flags);
			return -EINVAL;
		}
		if (late <= COPY_LOCKED)
			break;
		spin_unlock_irqrestore(&rq->lock, flags);
		xroce_ring_copy(ring, n, &rq->ring, first + n, late);
		n += late;
		cond_resched();
		spin_lock_irqsave(&rq->lock, flags);
	}
	switch_ring(rq, ring, first, n, late);
	spin_unlock_irqrestore(&rq->lock, flags);
	return 0;
}
