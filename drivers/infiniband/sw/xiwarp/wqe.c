// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send requests into trusted slots (see wqe.h).
 *
 * A mapped slot is copied once and only the copy is judged. What can't be sent
 * gets a fault and takes its turn in the queue, so that it completes in order.
 */
#include <linux/string.h>
#include "qp.h"
#include "wqe.h"

/* Which requests there are: by opcode of the ABI, and of the kernel's verbs. */
struct op_row {
	u8 op;
	bool is_valid;
};

#define ROW(name, xiwarp_op) [name] = { XIWARP_WR_##xiwarp_op, true }

/* What user space may post. */
static const struct op_row user_ops[] = {
	ROW(XIWARP_ABI_WRITE,		WRITE),
	ROW(XIWARP_ABI_READ,		READ),
	ROW(XIWARP_ABI_SEND,		SEND),
	ROW(XIWARP_ABI_SEND_INV,	SEND_INV),
};

static const struct op_row kernel_ops[] = {
	ROW(IB_WR_RDMA_WRITE,		WRITE),
	ROW(IB_WR_RDMA_WRITE_WITH_IMM,	WRITE_IMM),
	ROW(IB_WR_SEND,			SEND),
	ROW(IB_WR_RDMA_READ,		READ),
	ROW(IB_WR_ATOMIC_CMP_AND_SWP,	CMP_SWAP),
	ROW(IB_WR_ATOMIC_FETCH_AND_ADD,	FETCH_ADD),
	ROW(IB_WR_SEND_WITH_INV,	SEND_INV),
	ROW(IB_WR_RDMA_READ_WITH_INV,	READ_INV),
	ROW(IB_WR_LOCAL_INV,		LOCAL_INV),
	ROW(IB_WR_REG_MR,		REG_MR),
};

#undef ROW

static void set_op(const struct op_row *rows, u32 n, u32 opcode,
		   struct xiwarp_wr *wr)
{
	if (opcode < n && rows[opcode].is_valid)
		wr->op = rows[opcode].op;
	else
		wr->fault = XIWARP_LOC_QP_OP_ERR;
}

static bool may_be_inline(const struct xiwarp_wr *wr)
{
	return wr->op < XIWARP_WR_READ;
}

static bool is_atomic(const struct xiwarp_wr *wr)
{
	return wr->op == XIWARP_WR_CMP_SWAP || wr->op == XIWARP_WR_FETCH_ADD;
}

static void set_length(u64 sum, struct xiwarp_wr *wr)
{
	if (is_atomic(wr)) {
		wr->length = sizeof(u64);
		if (sum < sizeof(u64))
			wr->fault = XIWARP_LOC_LEN_ERR;
	} else if (sum > U32_MAX) {
		wr->fault = XIWARP_LOC_LEN_ERR;
	} else {
		wr->length = sum;
	}
}

/* Where the peer's answer goes: it is named on the wire, but only matched. */
static void set_sink(const struct xiwarp_swqe *swqe, struct xiwarp_wr *wr)
{
	if (!xiwarp_wr_is_rd(wr) || !swqe->num_sge)
		return;
	wr->sink_stag = swqe->sge[0].lkey;
	if (swqe->num_sge > 1)
		return;
	wr->sink_to = swqe->sge[0].addr;
	if (wr->length > U64_MAX - wr->sink_to)
		wr->fault = XIWARP_LOC_PROT_ERR;
}

static void set_sges(const void *sges, u32 n, struct xiwarp_swqe *swqe)
{
	swqe->num_sge = n;
	/* struct ib_sge is the ABI's SGE (abi_check.c). */
	memcpy(swqe->sge, sges, n * sizeof(struct ib_sge));
	set_length(xrdma_sge_sum(swqe->sge, n), &swqe->wr);
	set_sink(swqe, &swqe->wr);
}

/* ---- mapped ring ---------------------------------------------------------- */

static u8 user_flags(const struct xiwarp_qp *qp, u16 flags)
{
	u8 to = 0;

	if (qp->sq_sig_all || flags & XIWARP_SLOT_SIGNALED)
		to |= XIWARP_WR_SIGNALED;
	if (flags & XIWARP_SLOT_SOLICITED)
		to |= XIWARP_WR_SOLICITED;
	if (flags & XIWARP_SLOT_FENCE)
		to |= XIWARP_WR_FENCE;
	if (flags & XIWARP_SLOT_INLINE)
		to |= XIWARP_WR_INLINE;
	return to;
}

static void user_payload(const struct xiwarp_sqe *sqe, struct xiwarp_swqe *swqe)
{
	struct xiwarp_wr *wr = &swqe->wr;

	if (wr->flags & XIWARP_WR_INLINE) {
		if (sqe->sge[0].length > XIWARP_MAX_INLINE) {
			wr->fault = XIWARP_LOC_LEN_ERR;
			return;
		}
		wr->length = sqe->sge[0].length;
		memcpy(swqe->data, &sqe->sge[1], wr->length);
		return;
	}
	if (sqe->num_sge > XIWARP_MAX_SGE) {
		wr->fault = XIWARP_LOC_QP_OP_ERR;
		return;
	}
	set_sges(sqe->sge, sqe->num_sge, swqe);
}

void xiwarp_wqe_from_user(const struct xiwarp_qp *qp,
			  const struct xiwarp_sqe *slot,
			  struct xiwarp_swqe *swqe)
{
	struct xiwarp_wr *wr = &swqe->wr;
	struct xiwarp_sqe sqe;

	memcpy(&sqe, slot, sizeof(sqe));
	barrier();	/* judge the copy, not what the slot says by now */

	memset(swqe, 0, sizeof(*swqe));
	wr->wr_id = sqe.wr_id;
	set_op(user_ops, ARRAY_SIZE(user_ops), sqe.opcode, wr);
	wr->flags = user_flags(qp, sqe.flags);
	if (!may_be_inline(wr))
		wr->flags &= ~XIWARP_WR_INLINE;
	wr->remote_to = sqe.remote_addr;
	wr->rkey = sqe.rkey;
	if (wr->op == XIWARP_WR_SEND_INV)
		wr->inv_rkey = sqe.rkey;
	if (!wr->fault)
		user_payload(&sqe, swqe);
}

/* ---- kernel ---------------------------------------------------------------- */

static u8 kernel_flags(const struct xiwarp_qp *qp, int flags)
{
	u8 to = 0;

	if (qp->sq_sig_all || flags & IB_SEND_SIGNALED)
		to |= XIWARP_WR_SIGNALED;
	if (flags & IB_SEND_SOLICITED)
		to |= XIWARP_WR_SOLICITED;
	if (flags & IB_SEND_FENCE)
		to |= XIWARP_WR_FENCE;
	if (flags & IB_SEND_INLINE)
		to |= XIWARP_WR_INLINE;
	return to;
}

static int kernel_inline(const struct ib_send_wr *from, struct xiwarp_swqe *swqe)
{
	u64 sum = xrdma_sge_sum(from->sg_list, from->num_sge);
	u8 *to = swqe->data;
	int i;

	if (sum > XIWARP_MAX_INLINE)
		return -EINVAL;
	for (i = 0; i < from->num_sge; i++) {
		const struct ib_sge *sge = &from->sg_list[i];

		memcpy(to, (void *)(uintptr_t)sge->addr, sge->length);
		to += sge->length;
	}
	swqe->wr.length = sum;
	return 0;
}

static bool is_local(const struct xiwarp_wr *wr)
{
	return wr->op == XIWARP_WR_LOCAL_INV || wr->op == XIWARP_WR_REG_MR;
}

static void reg_operands(const struct ib_send_wr *from, struct xiwarp_swqe *swqe)
{
	const struct ib_reg_wr *reg = reg_wr(from);

	swqe->reg.mr = to_xrdma_mr(reg->mr);
	swqe->reg.key = reg->key;
	swqe->reg.access = reg->access;
}

/* The caller's struct may be no longer than its kind of request. */
static void kernel_operands(const struct ib_send_wr *from, struct xiwarp_wr *wr)
{
	if (wr->op == XIWARP_WR_SEND_INV || wr->op == XIWARP_WR_READ_INV ||
	    wr->op == XIWARP_WR_LOCAL_INV)
		wr->inv_rkey = from->ex.invalidate_rkey;
	/* That of the sink; rdma_rw names the key that it had the time before. */
	if (wr->op == XIWARP_WR_READ_INV && from->num_sge)
		wr->inv_rkey = from->sg_list[0].lkey;
	if (wr->op == XIWARP_WR_WRITE_IMM)
		wr->imm = from->ex.imm_data;

	if (is_atomic(wr)) {
		const struct ib_atomic_wr *atomic = atomic_wr(from);

		wr->remote_to = atomic->remote_addr;
		wr->rkey = atomic->rkey;
		wr->compare = atomic->compare_add;
		wr->swap_add = wr->op == XIWARP_WR_CMP_SWAP ?
			       atomic->swap : atomic->compare_add;
	} else if (wr->op >= XIWARP_WR_WRITE && wr->op <= XIWARP_WR_READ_INV) {
		wr->remote_to = rdma_wr(from)->remote_addr;
		wr->rkey = rdma_wr(from)->rkey;
	}
}

int xiwarp_wqe_from_kernel(const struct xiwarp_qp *qp,
			   const struct ib_send_wr *from,
			   struct xiwarp_swqe *swqe)
{
	struct xiwarp_wr *wr = &swqe->wr;

	if (from->num_sge < 0 || from->num_sge > XIWARP_MAX_SGE)
		return -EINVAL;

	memset(swqe, 0, sizeof(*swqe));
	wr->wr_id = from->wr_id;
	set_op(kernel_ops, ARRAY_SIZE(kernel_ops), from->opcode, wr);
	if (wr->fault)
		return -EINVAL;
	wr->flags = kernel_flags(qp, from->send_flags);
	if (!may_be_inline(wr))
		wr->flags &= ~XIWARP_WR_INLINE;
	kernel_operands(from, wr);
	if (wr->op == XIWARP_WR_REG_MR)
		reg_operands(from, swqe);
	if (is_local(wr))
		return 0;
	if (wr->flags & XIWARP_WR_INLINE)
		return kernel_inline(from, swqe);
	set_sges(from->sg_list, from->num_sge, swqe);
	return 0;
}
