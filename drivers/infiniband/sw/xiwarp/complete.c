// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completions and asynchronous events of a QP (see complete.h). */
#include "complete.h"
#include "qp.h"
#include "stats.h"

/* enum xiwarp_wr_op to the opcode of a completion */
static const u8 wc_opcodes[XIWARP_WR_OPS] = {
	[XIWARP_WR_SEND]	= IB_WC_SEND,
	[XIWARP_WR_SEND_INV]	= IB_WC_SEND,
	[XIWARP_WR_WRITE]	= IB_WC_RDMA_WRITE,
	[XIWARP_WR_WRITE_IMM]	= IB_WC_RDMA_WRITE,
	[XIWARP_WR_READ]	= IB_WC_RDMA_READ,
	[XIWARP_WR_READ_INV]	= IB_WC_RDMA_READ,
	[XIWARP_WR_CMP_SWAP]	= IB_WC_COMP_SWAP,
	[XIWARP_WR_FETCH_ADD]	= IB_WC_FETCH_ADD,
	[XIWARP_WR_LOCAL_INV]	= IB_WC_LOCAL_INV,
	[XIWARP_WR_REG_MR]	= IB_WC_REG_MR,
};

void xiwarp_qp_event(struct xiwarp_qp *qp, enum ib_event_type type)
{
	xrdma_qp_event(&qp->events, type);
}

static void post(struct xiwarp_qp *qp, struct ib_cq *ibcq, struct ib_wc *wc,
		 bool solicited)
{
	wc->qp = &qp->ibqp;
	wc->port_num = 1;
	if (!xiwarp_cq_post(to_xiwarp_cq(ibcq), wc,
			    solicited || wc->status != IB_WC_SUCCESS))
		return;
	xiwarp_count(xiwarp_qp_dev(qp), XIWARP_STAT_CQ_OVERFLOW, 1);
	if (qp->conn.state != XIWARP_RTS || qp->cq_overflow)
		return;
	/* The run that we are in ends the stream. */
	qp->cq_overflow = true;
}

/* ---- sends ------------------------------------------------------------------ */

static void count_send_error(struct xiwarp_qp *qp, u8 status)
{
	if (status == XIWARP_SUCCESS)
		return;
	xiwarp_count(xiwarp_qp_dev(qp), status == XIWARP_WR_FLUSH_ERR ?
		     XIWARP_STAT_REQ_CQE_FLUSH_ERROR :
		     XIWARP_STAT_REQ_CQE_ERROR, 1);
}

unsigned int xiwarp_complete_sends(struct xiwarp_qp *qp, unsigned int budget)
{
	unsigned int n = 0;
	struct xiwarp_wr *wr;

	while (n < budget && (wr = xiwarp_rdmap_reap(&qp->rdmap))) {
		struct ib_wc wc = {
			.wr_id = wr->wr_id,
			.status = wr->status,
			.opcode = wc_opcodes[wr->op],
			.byte_len = wr->length,
		};
		bool completes = wr->flags & XIWARP_WR_SIGNALED ||
				 wr->status != XIWARP_SUCCESS;

		count_send_error(qp, wr->status);
		/* Before the completion: who polls it may post at once. */
		smp_store_release(&qp->reaped, qp->reaped + 1);
		if (completes)
			post(qp, qp->ibqp.send_cq, &wc, false);
		n++;
	}
	return n;
}

/* ---- receives ----------------------------------------------------------------- */

void xiwarp_complete_recv(struct xiwarp_qp *qp, const struct xiwarp_done *done)
{
	struct ib_wc wc = {
		.wr_id = qp->recv.wr_id,
		.status = done->status,
		.opcode = done->has_imm ? IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV,
		.byte_len = done->byte_len,
	};

	if (done->has_imm) {
		wc.wc_flags |= IB_WC_WITH_IMM;
		wc.ex.imm_data = done->imm;
	} else if (done->has_inv) {
		wc.wc_flags |= IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = done->inv_stag;
	}
	qp->has_recv = false;
	if (done->status != XIWARP_SUCCESS)
		xiwarp_count(xiwarp_qp_dev(qp), XIWARP_STAT_RESP_CQE_ERROR, 1);
	post(qp, qp->ibqp.recv_cq, &wc, done->solicited);
}

static void flush_recv(struct xiwarp_qp *qp)
{
	struct ib_wc wc = {
		.wr_id = qp->recv.wr_id,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
	};

	qp->has_recv = false;
	xiwarp_count(xiwarp_qp_dev(qp), XIWARP_STAT_RESP_CQE_FLUSH_ERROR, 1);
	post(qp, qp->ibqp.recv_cq, &wc, false);
}

unsigned int xiwarp_flush_recvs(struct xiwarp_qp *qp, unsigned int budget)
{
	unsigned int n = 0;
	bool hit_limit;

	if (qp->has_recv) {
		flush_recv(qp);
		n++;
	}
	if (qp->srq)
		return n;
	while (n < budget && xiwarp_rq_take(&qp->rq, &qp->recv, &hit_limit)) {
		flush_recv(qp);
		n++;
	}
	return n;
}
