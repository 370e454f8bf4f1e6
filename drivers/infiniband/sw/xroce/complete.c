// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completions and asynchronous events of a QP (see complete.h). */
#include "complete.h"
#include "qp.h"
#include "rx.h"
#include "stats.h"

/* enum xroce_wr_op to the opcode of a completion */
static const u8 wc_opcodes[XROCE_WR_OPS] = {
	[XROCE_WR_SEND]		= IB_WC_SEND,
	[XROCE_WR_SEND_IMM]	= IB_WC_SEND,
	[XROCE_WR_SEND_INV]	= IB_WC_SEND,
	[XROCE_WR_WRITE]	= IB_WC_RDMA_WRITE,
	[XROCE_WR_WRITE_IMM]	= IB_WC_RDMA_WRITE,
	[XROCE_WR_READ]		= IB_WC_RDMA_READ,
	[XROCE_WR_CMP_SWAP]	= IB_WC_COMP_SWAP,
	[XROCE_WR_FETCH_ADD]	= IB_WC_FETCH_ADD,
	[XROCE_WR_ATOMIC_WRITE]	= IB_WC_ATOMIC_WRITE,
	[XROCE_WR_FLUSH]	= IB_WC_FLUSH,
	[XROCE_WR_LOCAL_INV]	= IB_WC_LOCAL_INV,
	[XROCE_WR_BIND_MW]	= IB_WC_BIND_MW,
	[XROCE_WR_REG_MR]	= IB_WC_REG_MR,
};

void xroce_qp_event(struct xroce_qp *qp, enum ib_event_type type)
{
	xrdma_qp_event(&qp->events, type);
}

void xroce_qp_fault(struct xroce_qp *qp, const struct xroce_resp_done *done)
{
	switch (done->event) {
	case XROCE_EVENT_QP_REQ_ERR:
		xroce_qp_event(qp, IB_EVENT_QP_REQ_ERR);
		break;
	case XROCE_EVENT_QP_ACCESS_ERR:
		xroce_qp_event(qp, IB_EVENT_QP_ACCESS_ERR);
		break;
	case XROCE_EVENT_QP_FATAL:
		xroce_qp_event(qp, IB_EVENT_QP_FATAL);
		break;
	}
	if (done->to_error)
		qp->to_error = true;
}

static void post(struct xroce_qp *qp, struct ib_cq *ibcq, struct ib_wc *wc,
		 bool solicited)
{
	wc->qp = &qp->ibqp;
	wc->port_num = 1;
	if (!xroce_cq_post(to_xroce_cq(ibcq), wc,
			   solicited || wc->status != IB_WC_SUCCESS))
		return;
	xroce_qp_count(qp, XROCE_STAT_CQ_OVERFLOW, 1);
	/* The others of this CQ will hear of it, this one knows. */
	WRITE_ONCE(qp->has_dead_cq, true);
}

/* ---- sends ------------------------------------------------------------------ */

static void count_send_error(struct xroce_qp *qp, u8 status)
{
	if (status == XROCE_SUCCESS)
		return;
	xroce_qp_count(qp, status == XROCE_WR_FLUSH_ERR ?
		       XROCE_STAT_REQ_CQE_FLUSH_ERROR :
		       XROCE_STAT_REQ_CQE_ERROR, 1);
	if (status == XROCE_RETRY_EXC_ERR || status == XROCE_RNR_RETRY_EXC_ERR)
		xroce_qp_count(qp, XROCE_STAT_RETRY_EXCEEDED, 1);
}

/* The slot may be filled again, in the mapped ring too. */
static void release_slot(struct xroce_qp *qp)
{
	u32 reaped = qp->reaped + 1;

	smp_store_release(&qp->reaped, reaped);
	if (qp->is_user)
		smp_store_release(&xroce_ring_header(&qp->ring)->consumer_index,
				  reaped & qp->ring.mask);
}

/* A READ with invalidate has read: the key of what it filled is void now. */
static void invalidate_filled(struct xroce_qp *qp, struct xroce_wr *wr)
{
	if (wr->status != XROCE_SUCCESS || !(wr->flags & XROCE_WR_INVALIDATE))
		return;
	if (xrdma_invalidate(&xroce_qp_dev(qp)->keys, qp->ibqp.pd, &qp->windows,
			     wr->inv_rkey)) {
		wr->status = XROCE_LOC_PROT_ERR;
		qp->to_error = true;
	}
}

unsigned int xroce_complete_sends(struct xroce_qp *qp, unsigned int budget)
{
	unsigned int n = 0;
	struct xroce_wr *wr;

	while (n < budget && (wr = xroce_req_reap(&qp->req))) {
		struct ib_wc wc = {
			.wr_id = wr->wr_id,
			.opcode = wc_opcodes[wr->op],
			.byte_len = wr->length,
		};
		bool completes;

		invalidate_filled(qp, wr);
		wc.status = wr->status;
		completes = wr->flags & XROCE_WR_SIGNALED || wc.status;
		count_send_error(qp, wr->status);
		xroce_av_put(to_xroce_swqe(wr)->av);
		to_xroce_swqe(wr)->av = NULL;
		/* Before the completion: who polls it may post at once. */
		release_slot(qp);
		if (completes)
			post(qp, qp->ibqp.send_cq, &wc, false);
		n++;
	}
	return n;
}

/* ---- receives ----------------------------------------------------------------- */

static const u8 network_types[] = {
	[XROCE_L3_GRH]	= RDMA_NETWORK_ROCE_V1,
	[XROCE_L3_IPV4]	= RDMA_NETWORK_IPV4,
	[XROCE_L3_IPV6]	= RDMA_NETWORK_IPV6,
};

static const u8 user_sls[] = {
	[XROCE_L3_GRH]	= XROCE_SL_CAME_AS_GRH,
	[XROCE_L3_IPV4]	= XROCE_SL_CAME_AS_IPV4,
	[XROCE_L3_IPV6]	= XROCE_SL_CAME_AS_IPV6,
};

/* What only datagrams tell: where they came from. */
static void fill_datagram(const struct xroce_qp *qp, const struct sk_buff *skb,
			  const struct xroce_pkt *pkt, struct ib_wc *wc)
{
	const struct xroce_rx_cb *cb = xroce_rx_cb((void *)skb);

	wc->src_qp = pkt->src_qp;
	wc->byte_len += sizeof(struct ib_grh);
	wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
	wc->network_hdr_type = network_types[cb->l3];
	if (qp->is_user)
		wc->sl = user_sls[cb->l3];
	if (cb->vlan_id == XROCE_NO_VLAN)
		return;
	wc->wc_flags |= IB_WC_WITH_VLAN;
	wc->vlan_id = cb->vlan_id;
}

void xroce_complete_recv(struct xroce_qp *qp, const struct sk_buff *skb,
			 const struct xroce_pkt *pkt,
			 const struct xroce_resp_done *done)
{
	struct ib_wc wc = {
		.wr_id = qp->rqe->wr_id,
		.status = done->status,
		.opcode = done->is_write_imm ? IB_WC_RECV_RDMA_WITH_IMM :
					       IB_WC_RECV,
		.byte_len = done->byte_len,
		.src_qp = qp->attr.dest_qp_num,
	};

	if (done->has_imm) {
		wc.wc_flags |= IB_WC_WITH_IMM;
		wc.ex.imm_data = done->imm;
	}
	if (done->has_inv) {
		wc.wc_flags |= IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = done->inv_rkey;
	}
	if (qp->service == XROCE_UD)
		fill_datagram(qp, skb, pkt, &wc);
	if (done->status != XROCE_SUCCESS)
		xroce_qp_count(qp, XROCE_STAT_RESP_CQE_ERROR, 1);
	post(qp, qp->ibqp.recv_cq, &wc, done->solicited);
}

static void flush_recv(struct xroce_qp *qp)
{
	struct ib_wc wc = {
		.wr_id = qp->rqe->wr_id,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
	};

	xroce_qp_count(qp, XROCE_STAT_RESP_CQE_FLUSH_ERROR, 1);
	post(qp, qp->ibqp.recv_cq, &wc, false);
}

unsigned int xroce_flush_recvs(struct xroce_qp *qp, unsigned int budget)
{
	bool hit_limit;
	unsigned int n = 0;

	if (qp->resp.has_recv) {
		qp->resp.has_recv = false;
		flush_recv(qp);
		n++;
	}
	if (qp->srq)
		return n;
	while (n < budget && !xroce_rq_take(&qp->rq, qp->rqe, &hit_limit)) {
		flush_recv(qp);
		n++;
	}
	return n;
}
