// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive queues (see rq.h). User space fills slots while we read them: a slot
 * is copied once, and only the copy is judged.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "rq.h"

int xiwarp_rq_create(struct xiwarp_rq *rq, struct ib_ucontext *ucontext,
		     u32 max_wr, u32 max_sge)
{
	u32 slots = roundup_pow_of_two(max(max_wr, 1U));

	rq->mem = xrdma_shared_alloc(ucontext,
				     (size_t)slots * sizeof(*rq->slots));
	if (!rq->mem)
		return -ENOMEM;
	rq->slots = rq->mem->buf;
	spin_lock_init(&rq->lock);
	rq->mask = slots - 1;
	rq->max_sge = max_sge;
	return 0;
}

void xiwarp_rq_destroy(struct xiwarp_rq *rq)
{
	xrdma_shared_free(rq->mem);
	rq->mem = NULL;
}

/* ---- taking ------------------------------------------------------------------ */

static struct xiwarp_rqe *slot_at(const struct xiwarp_rq *rq, u32 index)
{
	return &rq->slots[index & rq->mask];
}

/* Nothing but VALID is ever posted; other flags mean that somebody scribbles. */
static bool is_posted(const struct xiwarp_rq *rq, u32 index)
{
	return smp_load_acquire(&slot_at(rq, index)->flags) ==
	       XIWARP_SLOT_VALID;
}

static void copy_slot(const struct xiwarp_rqe *slot, u32 max_sge,
		      struct xiwarp_recv *recv)
{
	struct xiwarp_rqe rqe;

	memcpy(&rqe, slot, sizeof(rqe));
	barrier();	/* the slot may say something else by now */

	recv->wr_id = rqe.wr_id;
	recv->is_bad = rqe.num_sge > max_sge;
	recv->num_sge = recv->is_bad ? 0 : rqe.num_sge;
	/* struct ib_sge is the ABI's SGE (abi_check.c). */
	memcpy(recv->sge, rqe.sge, recv->num_sge * sizeof(recv->sge[0]));
	recv->length = xrdma_sge_sum(recv->sge, recv->num_sge);
}

/* Slots are filled in order: the last of those that must remain tells. */
static bool crosses_limit(struct xiwarp_rq *rq)
{
	if (!rq->limit || is_posted(rq, rq->get + rq->limit - 1))
		return false;
	rq->limit = 0;
	return true;
}

bool xiwarp_rq_take(struct xiwarp_rq *rq, struct xiwarp_recv *recv,
		    bool *hit_limit)
{
	struct xiwarp_rqe *slot;
	unsigned long flags;
	bool taken;

	*hit_limit = false;
	spin_lock_irqsave(&rq->lock, flags);
	taken = is_posted(rq, rq->get);
	if (taken) {
		slot = slot_at(rq, rq->get);
		copy_slot(slot, rq->max_sge, recv);
		smp_store_release(&slot->flags, 0);
		rq->get++;
		*hit_limit = crosses_limit(rq);
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return taken;
}

/* ---- kernel posters ------------------------------------------------------------ */

static void fill_slot(struct xiwarp_rqe *slot, const struct ib_recv_wr *wr)
{
	slot->wr_id = wr->wr_id;
	slot->num_sge = wr->num_sge;
	memcpy(slot->sge, wr->sg_list, wr->num_sge * sizeof(wr->sg_list[0]));
	smp_store_release(&slot->flags, XIWARP_SLOT_VALID);
}

int xiwarp_rq_post(struct xiwarp_rq *rq, const struct ib_recv_wr *wr)
{
	struct xiwarp_rqe *slot;
	unsigned long flags;
	int err = 0;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;

	spin_lock_irqsave(&rq->lock, flags);
	slot = slot_at(rq, rq->put);
	if (slot->flags) {
		err = -ENOMEM;
	} else {
		fill_slot(slot, wr);
		rq->put++;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}
