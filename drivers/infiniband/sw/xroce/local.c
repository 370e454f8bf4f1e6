// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requests that send nothing (see local.h). */
#include "local.h"
#include "qp.h"

static u8 execute(struct xroce_qp *qp, const struct xroce_swqe *swqe)
{
	struct xrdma_table *keys = &xroce_qp_dev(qp)->keys;
	const struct ib_pd *pd = qp->ibqp.pd;
	int err;

	switch (swqe->wr.op) {
	case XROCE_WR_BIND_MW:
		err = xrdma_mw_bind(keys, pd, &qp->windows, &swqe->bind);
		return err ? XROCE_MW_BIND_ERR : XROCE_SUCCESS;
	case XROCE_WR_REG_MR:
		err = xrdma_mr_fast_reg(swqe->reg.mr, pd, swqe->reg.key,
					swqe->reg.access);
		break;
	default:
		err = xrdma_invalidate(keys, pd, &qp->windows,
				       swqe->wr.inv_rkey);
	}
	return err ? XROCE_LOC_PROT_ERR : XROCE_SUCCESS;
}

bool xroce_execute_local(struct xroce_qp *qp)
{
	struct xroce_wr *wr = xroce_req_local(&qp->req);

	if (!wr)
		return false;
	xroce_req_executed(&qp->req, wr, execute(qp, to_xroce_swqe(wr)));
	return true;
}
