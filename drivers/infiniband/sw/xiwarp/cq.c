// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues (see cq.h). We produce. A mapped slot is free when its flags
 * are 0; what user space writes there can only make its own queue look full or
 * lose its own completions. The same goes for the word that arms the CQ.
 *
 * Ordering: a completion is visible before its slot is VALID, and that before
 * the control word is read; user space arms, then polls once more.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "cq.h"

/* ---- the mapped form of a completion ---------------------------------------- */

/* enum ib_wc_status to enum xiwarp_abi_status; what is not here is GENERAL_ERR */
static const u8 user_status[] = {
	[IB_WC_SUCCESS]			= XIWARP_ABI_SUCCESS + 1,
	[IB_WC_LOC_LEN_ERR]		= XIWARP_ABI_LOC_LEN_ERR + 1,
	[IB_WC_LOC_PROT_ERR]		= XIWARP_ABI_LOC_PROT_ERR + 1,
	[IB_WC_LOC_QP_OP_ERR]		= XIWARP_ABI_LOC_QP_OP_ERR + 1,
	[IB_WC_WR_FLUSH_ERR]		= XIWARP_ABI_WR_FLUSH_ERR + 1,
	[IB_WC_BAD_RESP_ERR]		= XIWARP_ABI_BAD_RESP_ERR + 1,
	[IB_WC_LOC_ACCESS_ERR]		= XIWARP_ABI_LOC_ACCESS_ERR + 1,
	[IB_WC_REM_ACCESS_ERR]		= XIWARP_ABI_REM_ACCESS_ERR + 1,
	[IB_WC_REM_INV_REQ_ERR]		= XIWARP_ABI_REM_INV_REQ_ERR + 1,
};

static u16 to_user_status(enum ib_wc_status status)
{
	if (status < ARRAY_SIZE(user_status) && user_status[status])
		return user_status[status] - 1;
	return XIWARP_ABI_GENERAL_ERR;
}

/* The provider's table ends with RECEIVE and it does not look whether we do. */
static u8 to_user_opcode(enum ib_wc_opcode opcode)
{
	switch (opcode) {
	case IB_WC_RDMA_WRITE:
		return XIWARP_ABI_WRITE;
	case IB_WC_RDMA_READ:
		return XIWARP_ABI_READ;
	case IB_WC_FETCH_ADD:
		return XIWARP_ABI_FETCH_ADD;
	case IB_WC_COMP_SWAP:
		return XIWARP_ABI_CMP_SWAP;
	case IB_WC_RECV:
	case IB_WC_RECV_RDMA_WITH_IMM:
		return XIWARP_ABI_RECEIVE;
	default:
		return XIWARP_ABI_SEND;
	}
}

static void fill_user_slot(struct xiwarp_cqe *slot, const struct ib_wc *wc)
{
	slot->wr_id = wc->wr_id;
	slot->opcode = to_user_opcode(wc->opcode);
	slot->status = to_user_status(wc->status);
	slot->bytes = wc->byte_len;
	slot->imm_data = 0;
	if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
		slot->inval_stag = wc->ex.invalidate_rkey;
	slot->qp_id = wc->qp->qp_num;
	smp_store_release(&slot->flags, XIWARP_SLOT_VALID);
}

/* ---- posting --------------------------------------------------------------- */

/* Return: false if the slot is still taken. */
static bool put_mapped(struct xiwarp_cq *cq, const struct ib_wc *wc)
{
	struct xiwarp_cqe *slot = &cq->slots[cq->put & cq->mask];

	if (smp_load_acquire(&slot->flags))
		return false;
	fill_user_slot(slot, wc);
	return true;
}

static bool put_unmapped(struct xiwarp_cq *cq, const struct ib_wc *wc)
{
	if (cq->put - cq->get > cq->mask)
		return false;
	cq->wcs[cq->put & cq->mask] = *wc;
	return true;
}

/* Caller holds cq->lock. True if the consumer is to be told. */
static bool disarm(struct xiwarp_cq *cq, bool solicited)
{
	u32 wanted = XIWARP_NOTIFY_NEXT;

	lockdep_assert_held(&cq->lock);
	if (!cq->mem) {
		if (!cq->notify ||
		    (cq->notify == IB_CQ_SOLICITED && !solicited))
			return false;
		cq->notify = 0;
		return true;
	}
	/* User space stores the word, then looks at the slots. */
	smp_mb();
	if (solicited)
		wanted |= XIWARP_NOTIFY_SOLICITED;
	if (!(READ_ONCE(cq->ctrl->notify) & wanted))
		return false;
	WRITE_ONCE(cq->ctrl->notify, 0);
	return true;
}

int xiwarp_cq_post(struct xiwarp_cq *cq, const struct ib_wc *wc, bool solicited)
{
	bool was_dead, tell = false;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&cq->lock, flags);
	was_dead = cq->is_dead;
	if (was_dead || !(cq->mem ? put_mapped(cq, wc) : put_unmapped(cq, wc))) {
		cq->is_dead = true;
		err = -EOVERFLOW;
	} else {
		cq->put++;
		tell = disarm(cq, solicited);
	}
	spin_unlock_irqrestore(&cq->lock, flags);

	if (tell)
		xrdma_cq_tell(&cq->consumer);
	if (err && !was_dead)
		xrdma_cq_fail(&cq->consumer);
	return err;
}

/* ---- consuming: kernel users; user space does it by itself ------------------- */

int xiwarp_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct xiwarp_cq *cq = to_xiwarp_cq(ibcq);
	unsigned long flags;
	int i;

	if (cq->mem)
		return -EOPNOTSUPP;

	spin_lock_irqsave(&cq->lock, flags);
	for (i = 0; i < num && cq->get != cq->put; i++)
		wc[i] = cq->wcs[cq->get++ & cq->mask];
	spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

/* The word in mapped memory, from inside the kernel (the command exists). */
static void arm_user(struct xiwarp_cq *cq, enum ib_cq_notify_flags flags)
{
	u32 armed = XIWARP_NOTIFY_SOLICITED;

	if ((flags & IB_CQ_SOLICITED_MASK) == IB_CQ_NEXT_COMP)
		armed |= XIWARP_NOTIFY_NEXT;
	smp_store_mb(cq->ctrl->notify, armed);
}

static u32 count_pending(const struct xiwarp_cq *cq)
{
	if (!cq->mem)
		return cq->wcs ? cq->put - cq->get : 0;
	/* User space keeps its index to itself; the youngest slot tells. */
	return !!READ_ONCE(cq->slots[(cq->put - 1) & cq->mask].flags);
}

u32 xiwarp_cq_pending(struct xiwarp_cq *cq)
{
	unsigned long flags;
	u32 n;

	spin_lock_irqsave(&cq->lock, flags);
	n = count_pending(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

int xiwarp_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct xiwarp_cq *cq = to_xiwarp_cq(ibcq);
	unsigned long irq_flags;
	bool has_missed;

	spin_lock_irqsave(&cq->lock, irq_flags);
	if (cq->mem)
		arm_user(cq, flags);
	else if (cq->notify != IB_CQ_NEXT_COMP)
		/* Solicited does not take back a wish for any (IBA 11.4.2.2). */
		cq->notify = flags & IB_CQ_SOLICITED_MASK;
	has_missed = count_pending(cq);
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return flags & IB_CQ_REPORT_MISSED_EVENTS && has_missed;
}

/* ---- life ------------------------------------------------------------------------ */

static int create_user_slots(struct xiwarp_cq *cq, struct ib_ucontext *ucontext,
			     u32 slots)
{
	cq->mem = xrdma_shared_alloc(ucontext, (size_t)slots *
				     sizeof(*cq->slots) + sizeof(*cq->ctrl));
	if (!cq->mem)
		return -ENOMEM;
	cq->slots = cq->mem->buf;
	cq->ctrl = (void *)(cq->slots + slots);
	return 0;
}

static int create_kernel_slots(struct xiwarp_cq *cq, u32 slots)
{
	cq->wcs = kvcalloc(slots, sizeof(*cq->wcs), GFP_KERNEL);
	return cq->wcs ? 0 : -ENOMEM;
}

static int respond(const struct xiwarp_cq *cq, struct ib_udata *udata)
{
	struct xiwarp_create_cq_resp resp = {
		.num_cqe = cq->mask + 1,
		.cq_offset = xrdma_shared_offset(cq->mem),
	};

	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

int xiwarp_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	struct xiwarp_cq *cq = to_xiwarp_cq(ibcq);
	u32 slots;
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (attr->comp_vector >= ibcq->device->num_comp_vectors)
		return -EINVAL;
	if (!attr->cqe || attr->cqe > XIWARP_MAX_CQE)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct xiwarp_create_cq_resp))
		return -EINVAL;

	spin_lock_init(&cq->lock);
	xrdma_cq_consumer_init(&cq->consumer, ibcq, attr->comp_vector, udata, NULL);
	slots = roundup_pow_of_two(attr->cqe);
	cq->mask = slots - 1;
	err = udata ? create_user_slots(cq, xiwarp_udata_context(udata), slots) :
		      create_kernel_slots(cq, slots);
	if (err)
		return err;
	if (udata) {
		err = respond(cq, udata);
		if (err) {
			xrdma_shared_free(cq->mem);
			return err;
		}
	}
	ibcq->cqe = slots;
	return 0;
}

int xiwarp_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct xiwarp_cq *cq = to_xiwarp_cq(ibcq);
	struct xrdma_shared *mem;
	struct ib_wc *wcs;
	unsigned long flags;

	/* Nobody completes to it any more. */
	xrdma_cq_consumer_stop(&cq->consumer);
	/* Older cores let "rdma resource" look at it until we return. */
	spin_lock_irqsave(&cq->lock, flags);
	mem = cq->mem;
	wcs = cq->wcs;
	cq->mem = NULL;
	cq->wcs = NULL;
	spin_unlock_irqrestore(&cq->lock, flags);
	xrdma_shared_free(mem);
	kvfree(wcs);
	return 0;
}

/* Caller holds cq->lock. @wcs: takes the place of cq->wcs, which it gets. */
static int replace_slots(struct xiwarp_cq *cq, struct ib_wc **wcs, u32 slots)
{
	u32 n = cq->put - cq->get;
	u32 i;

	lockdep_assert_held(&cq->lock);
	if (n > slots)
		return -EINVAL;
	for (i = 0; i < n; i++)
		(*wcs)[i] = cq->wcs[(cq->get + i) & cq->mask];
	cq->get = 0;
	cq->put = n;
	cq->mask = slots - 1;
	swap(cq->wcs, *wcs);
	return 0;
}

/* For kernel users, as far as their kernel has a call for it; the provider has none. */
int xiwarp_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct xiwarp_cq *cq = to_xiwarp_cq(ibcq);
	struct ib_wc *wcs;
	unsigned long flags;
	u32 slots;
	int err;

	if (cq->mem)
		return -EOPNOTSUPP;
	if (!cqe || cqe > XIWARP_MAX_CQE)
		return -EINVAL;
	slots = roundup_pow_of_two(cqe);
	wcs = kvcalloc(slots, sizeof(*wcs), GFP_KERNEL);
	if (!wcs)
		return -ENOMEM;
	spin_lock_irqsave(&cq->lock, flags);
	err = replace_slots(cq, &wcs, slots);
	if (!err)
		ibcq->cqe = slots;
	spin_unlock_irqrestore(&cq->lock, flags);
	kvfree(wcs);
	return err;
}
