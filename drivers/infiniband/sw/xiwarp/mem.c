// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a peer may do with memory of ours (see mem.h). */
#include "mem.h"
#include "qp.h"

/* enum xrdma_refusal as the engine calls it */
static const u8 refusals[] = {
	[XRDMA_NO_KEY]		= XIWARP_MEM_STAG,
	[XRDMA_OTHER_PD]	= XIWARP_MEM_PD,
	[XRDMA_NO_ACCESS]	= XIWARP_MEM_ACCESS,
	[XRDMA_OUT_OF_RANGE]	= XIWARP_MEM_BOUNDS,
};

enum xiwarp_mem xiwarp_mem_get(const struct xiwarp_qp *qp, u32 rkey, u32 access,
			       u64 va, u64 length, struct xrdma_mr **mr)
{
	struct xrdma_table *keys = &xiwarp_qp_dev(qp)->keys;

	*mr = xrdma_mr_get_remote(keys, qp->ibqp.pd, NULL, rkey, access, va,
				  length);
	if (!*mr)
		return refusals[xrdma_mr_why(keys, qp->ibqp.pd, rkey, access)];
	if (!(access & ~qp->access))
		return XIWARP_MEM_OK;
	xrdma_mr_put(*mr);
	return XIWARP_MEM_ACCESS;
}

bool xiwarp_mem_invalidate(const struct xiwarp_qp *qp, u32 key)
{
	return !xrdma_invalidate(&xiwarp_qp_dev(qp)->keys, qp->ibqp.pd, NULL,
				 key);
}

enum xiwarp_status xiwarp_mem_local(const struct xiwarp_qp *qp,
				    const struct xiwarp_wr *wr)
{
	const struct xiwarp_swqe *swqe = to_xiwarp_swqe(wr);
	bool done;

	if (wr->op == XIWARP_WR_LOCAL_INV)
		done = xiwarp_mem_invalidate(qp, wr->inv_rkey);
	else
		done = !xrdma_mr_fast_reg(swqe->reg.mr, qp->ibqp.pd,
					  swqe->reg.key, swqe->reg.access);
	return done ? XIWARP_SUCCESS : XIWARP_LOC_QP_OP_ERR;
}
