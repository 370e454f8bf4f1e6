// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send requests into trusted slots (see wqe.h).
 *
 * A mapped slot is copied once and only the copy is judged. What can't be sent
 * gets a fault and takes its turn in the queue, so that it completes in order.
 */
#include "core/psn.h"
#include "qp.h"
#include "wqe.h"

/* What the verbs call an opcode, and who may post it where. */
static const struct {
	u8 op;
	bool is_valid;
	u8 services;	/* BIT(enum xroce_service) */
} wr_ops[] = {
#define ROW(ib, xr, on) [IB_WR_##ib] = { XROCE_WR_##xr, true, on }
#define RC	BIT(XROCE_RC)
#define RC_UC	(BIT(XROCE_RC) | BIT(XROCE_UC))
#define ANY	(BIT(XROCE_RC) | BIT(XROCE_UC) | BIT(XROCE_UD))
	ROW(RDMA_WRITE,			WRITE,		RC_UC),
	ROW(RDMA_WRITE_WITH_IMM,	WRITE_IMM,	RC_UC),
	ROW(SEND,			SEND,		ANY),
	ROW(SEND_WITH_IMM,		SEND_IMM,	ANY),
	ROW(RDMA_READ,			READ,		RC),
	ROW(ATOMIC_CMP_AND_SWP,		CMP_SWAP,	RC),
	ROW(ATOMIC_FETCH_AND_ADD,	FETCH_ADD,	RC),
	ROW(SEND_WITH_INV,		SEND_INV,	RC),
	ROW(RDMA_READ_WITH_INV,		READ,		RC),
	ROW(ATOMIC_WRITE,		ATOMIC_WRITE,	RC),
	ROW(FLUSH,			FLUSH,		RC),
	ROW(LOCAL_INV,			LOCAL_INV,	RC_UC),
	ROW(BIND_MW,			BIND_MW,	RC_UC),
	ROW(REG_MR,			REG_MR,		RC_UC),
#undef ROW
#undef RC
#undef RC_UC
#undef ANY
};

static bool is_atomic(const struct xroce_wr *wr)
{
	return wr->op == XROCE_WR_CMP_SWAP || wr->op == XROCE_WR_FETCH_ADD;
}

static bool may_be_inline(const struct xroce_wr *wr)
{
	return wr->op < XROCE_WR_READ;
}

/*
 * REG_MR names its region by a pointer, and READ with invalidate is about regions of
 * REG_MR. Windows can be had by users alone, and struct ib_send_wr has no operands for
 * FLUSH.
 */
static bool may_post(const struct xroce_qp *qp, u32 opcode)
{
	if (qp->is_user)
		return opcode != IB_WR_REG_MR && opcode != IB_WR_RDMA_READ_WITH_INV;
	return opcode != IB_WR_BIND_MW && opcode != IB_WR_FLUSH;
}

/* Sets op; a fault if @opcode is not for this QP. */
static void set_op(const struct xroce_qp *qp, u32 opcode, struct xroce_wr *wr)
{
	if (opcode < ARRAY_SIZE(wr_ops) && wr_ops[opcode].is_valid &&
	    wr_ops[opcode].services & BIT(qp->service) &&
	    may_post(qp, opcode))
		wr->op = wr_ops[opcode].op;
	else
		wr->fault = XROCE_LOC_QP_OP_ERR;
}

static void set_flags(const struct xroce_qp *qp, u32 flags, struct xroce_wr *wr)
{
	if (qp->sq_sig_all || flags & IB_SEND_SIGNALED)
		wr->flags |= XROCE_WR_SIGNALED;
	if (flags & IB_SEND_SOLICITED)
		wr->flags |= XROCE_WR_SOLICITED;
	if (flags & IB_SEND_FENCE)
		wr->flags |= XROCE_WR_FENCE;
	if (flags & IB_SEND_INLINE && may_be_inline(wr))
		wr->flags |= XROCE_WR_INLINE;
}

/* The longest message of this QP; a datagram must fit in one packet. */
static u64 max_length(const struct xroce_qp *qp)
{
	enum ib_mtu mtu;

	if (qp->service != XROCE_UD)
		return XROCE_MAX_MESSAGE;
	mtu = xroce_dev_mtu(xroce_qp_dev(qp)->ndev);
	return mtu ? ib_mtu_enum_to_int(mtu) : 0;
}

/* @sum: of the SGEs, or the inline bytes. */
static void set_length(const struct xroce_qp *qp, u64 sum, struct xroce_wr *wr)
{
	if (is_atomic(wr) || wr->op == XROCE_WR_ATOMIC_WRITE) {
		wr->length = sizeof(u64);
		if (sum < sizeof(u64))
			wr->fault = XROCE_LOC_LEN_ERR;
	} else if (sum > max_length(qp)) {
		wr->length = 0;
		wr->fault = XROCE_LOC_LEN_ERR;
	} else {
		wr->length = sum;
	}
}

/* IBA 10.2.5: a controlled Q_Key in the request means "use the QP's own". */
static u32 effective_qkey(const struct xroce_qp *qp, u32 qkey)
{
	return qkey & BIT(31) ? qp->attr.qkey : qkey;
}

static void clear(struct xroce_swqe *swqe)
{
	memset(swqe, 0, sizeof(*swqe));
}

/* ---- mapped ring ---------------------------------------------------------- */

static void user_operands(struct xroce_qp *qp, const struct xroce_send_wr *from,
			  struct xroce_swqe *swqe)
{
	struct xroce_wr *wr = &swqe->wr;

	wr->imm = from->ex.imm_data;
	if (wr->op == XROCE_WR_SEND_INV || wr->op == XROCE_WR_LOCAL_INV)
		wr->inv_rkey = from->ex.invalidate_rkey;

	if (qp->service == XROCE_UD) {
		swqe->dest_qp = from->wr.ud.remote_qpn & XROCE_PSN_MASK;
		swqe->qkey = effective_qkey(qp, from->wr.ud.remote_qkey);
		swqe->av = xroce_av_find(&xroce_qp_dev(qp)->ahs,
					 from->wr.ud.ah_num, qp->ibqp.pd);
		if (!swqe->av)
			wr->fault = XROCE_LOC_QP_OP_ERR;
	} else if (is_atomic(wr)) {
		bool is_swap = wr->op == XROCE_WR_CMP_SWAP;

		wr->remote_va = from->wr.atomic.remote_addr;
		wr->rkey = from->wr.atomic.rkey;
		wr->compare = from->wr.atomic.compare_add;
		wr->swap_add = is_swap ? from->wr.atomic.swap :
					 from->wr.atomic.compare_add;
	} else if (wr->op == XROCE_WR_FLUSH) {
		wr->remote_va = from->wr.flush.remote_addr;
		wr->rkey = from->wr.flush.rkey;
		wr->flush_type = from->wr.flush.type;
		wr->flush_level = from->wr.flush.level;
	} else if (wr->op == XROCE_WR_BIND_MW) {
		swqe->bind = (struct xrdma_bind){
			.addr = from->wr.mw.addr,
			.length = from->wr.mw.length,
			.lkey = from->wr.mw.mr_lkey,
			.old_rkey = from->wr.mw.mw_rkey,
			.new_rkey = from->wr.mw.rkey,
			.access = from->wr.mw.access,
		};
	} else {
		wr->remote_va = from->wr.rdma.remote_addr;
		wr->rkey = from->wr.rdma.rkey;
	}
}

static void user_payload(struct xroce_qp *qp, const void *data,
			 const struct xroce_dma_info *dma,
			 struct xroce_swqe *swqe)
{
	struct xroce_wr *wr = &swqe->wr;

	switch (wr->op) {
	case XROCE_WR_FLUSH:
		set_length(qp, dma->length, wr);
		return;
	case XROCE_WR_ATOMIC_WRITE:
		/* The provider puts the 8 bytes where SGEs or inline data are. */
		wr->flags |= XROCE_WR_INLINE;
		memcpy(swqe->sge, data, sizeof(u64));
		set_length(qp, sizeof(u64), wr);
		return;
	case XROCE_WR_LOCAL_INV:
	case XROCE_WR_BIND_MW:
		return;
	}
	if (wr->flags & XROCE_WR_INLINE) {
		u32 length = dma->length;

		if (length > qp->max_inline) {
			wr->fault = XROCE_LOC_LEN_ERR;
			return;
		}
		memcpy(swqe->sge, data, length);
		set_length(qp, length, wr);
		return;
	}
	if (dma->num_sge > qp->max_send_sge) {
		wr->fault = XROCE_LOC_QP_OP_ERR;
		return;
	}
	swqe->num_sge = dma->num_sge;
	/* struct ib_sge is the ABI's SGE (abi_check.c). */
	memcpy(swqe->sge, data, dma->num_sge * sizeof(struct ib_sge));
	/* Not dma->length: providers before 64 sum it wrongly (wr_set_sge_list). */
	set_length(qp, xrdma_sge_sum(swqe->sge, swqe->num_sge), wr);
}

void xroce_wqe_from_user(struct xroce_qp *qp, const void *slot,
			 struct xroce_swqe *swqe)
{
	struct xroce_send_wqe wqe;

	lockdep_assert_held(&qp->post_lock);
	memcpy(&wqe, slot, sizeof(wqe));
	barrier();	/* judge the copy, not what the slot says by now */

	clear(swqe);
	swqe->wr.wr_id = wqe.wr.wr_id;
	set_op(qp, wqe.wr.opcode, &swqe->wr);
	set_flags(qp, wqe.wr.send_flags, &swqe->wr);
	if (!swqe->wr.fault)
		user_operands(qp, &wqe.wr, swqe);
	if (!swqe->wr.fault)
		user_payload(qp, slot + sizeof(wqe), &wqe.dma, swqe);
}

/* ---- kernel ---------------------------------------------------------------- */

static int kernel_operands(struct xroce_qp *qp, const struct ib_send_wr *from,
			   struct xroce_swqe *swqe)
{
	struct xroce_wr *wr = &swqe->wr;

	wr->imm = from->ex.imm_data;
	if (wr->op == XROCE_WR_SEND_INV || wr->op == XROCE_WR_LOCAL_INV)
		wr->inv_rkey = from->ex.invalidate_rkey;

	if (qp->service == XROCE_UD) {
		const struct ib_ud_wr *ud = ud_wr(from);

		if (!ud->ah || ud->ah->pd != qp->ibqp.pd)
			return -EINVAL;
		swqe->dest_qp = ud->remote_qpn & XROCE_PSN_MASK;
		swqe->qkey = effective_qkey(qp, ud->remote_qkey);
		swqe->av = to_xroce_ah(ud->ah)->av;
		refcount_inc(&swqe->av->ref);
	} else if (is_atomic(wr)) {
		const struct ib_atomic_wr *atomic = atomic_wr(from);

		wr->remote_va = atomic->remote_addr;
		wr->rkey = atomic->rkey;
		wr->compare = atomic->compare_add;
		wr->swap_add = wr->op == XROCE_WR_CMP_SWAP ?
			       atomic->swap : atomic->compare_add;
	} else if (wr->op == XROCE_WR_REG_MR) {
		const struct ib_reg_wr *reg = reg_wr(from);

		swqe->reg.mr = to_xrdma_mr(reg->mr);
		swqe->reg.key = reg->key;
		swqe->reg.access = reg->access;
	} else if (wr->op >= XROCE_WR_WRITE && wr->op < XROCE_WR_LOCAL_INV) {
		if (from->opcode == IB_WR_RDMA_READ_WITH_INV) {
			wr->flags |= XROCE_WR_INVALIDATE;
			wr->inv_rkey = from->ex.invalidate_rkey;
		}
		/* The caller's struct may be no longer than its kind of request. */
		wr->remote_va = rdma_wr(from)->remote_addr;
		wr->rkey = rdma_wr(from)->rkey;
	}
	return 0;
}

static int kernel_inline(struct xroce_qp *qp, const struct ib_send_wr *from,
			 struct xroce_swqe *swqe)
{
	u64 sum = xrdma_sge_sum(from->sg_list, from->num_sge);
	void *to = swqe->sge;
	int i;

	if (sum > qp->max_inline)
		return -EINVAL;
	for (i = 0; i < from->num_sge; i++) {
		const struct ib_sge *sge = &from->sg_list[i];

		memcpy(to, (void *)(uintptr_t)sge->addr, sge->length);
		to += sge->length;
	}
	set_length(qp, sum, &swqe->wr);
	return 0;
}

int xroce_wqe_from_kernel(struct xroce_qp *qp, const struct ib_send_wr *from,
			  struct xroce_swqe *swqe)
{
	struct xroce_wr *wr = &swqe->wr;

	lockdep_assert_held(&qp->post_lock);
	if (from->num_sge < 0 || from->num_sge > qp->max_send_sge)
		return -EINVAL;

	clear(swqe);
	wr->wr_id = from->wr_id;
	set_op(qp, from->opcode, wr);
	if (wr->fault)
		return -EINVAL;
	set_flags(qp, from->send_flags, wr);
	if (wr->flags & XROCE_WR_INLINE) {
		if (kernel_inline(qp, from, swqe))
			return -EINVAL;
	} else {
		swqe->num_sge = from->num_sge;
		memcpy(swqe->sge, from->sg_list,
		       from->num_sge * sizeof(struct ib_sge));
		set_length(qp, xrdma_sge_sum(swqe->sge, swqe->num_sge), wr);
	}
	return kernel_operands(qp, from, swqe);
}
