// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes and states of a queue pair. iWARP's states are the connection's;
 * what the verbs call RESET, INIT and RTR is one to us, and RTS is only reached
 * through the CM.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include "ep.h"
#include "progress.h"
#include "qp.h"
#include "run.h"
#include "rx.h"

/* How long a responder waits for an initiator that promised nothing. */
#define GO_FIRST_NS	(100 * NSEC_PER_MSEC)

static const u8 verbs_states[XIWARP_STATES] = {
	[XIWARP_RTS]		= IB_QPS_RTS,
	[XIWARP_CLOSING]	= IB_QPS_SQD,
	[XIWARP_TERMINATE]	= IB_QPS_SQE,
	[XIWARP_ERROR]		= IB_QPS_ERR,
};

enum ib_qp_state xiwarp_qp_verbs_state(const struct xiwarp_qp *qp)
{
	u8 state = READ_ONCE(qp->conn.state);

	return state == XIWARP_IDLE ? qp->idle_state : verbs_states[state];
}

/* ---- connection ---------------------------------------------------------------- */

static void init_engine(struct xiwarp_qp *qp,
			const struct xiwarp_mpa_agreed *agreed,
			struct xiwarp_rd *rd)
{
	const struct xiwarp_rdmap_cfg cfg = {
		.rx_markers = agreed->rx_markers,
		.crc = agreed->crc,
		.waits_for_first = agreed->waits_for_first,
		.rtr_send = agreed->waits_for_first ? 0 : agreed->rtr,
		.ird = agreed->ird,
		.ord = agreed->ord,
		.mulpdu = XIWARP_MIN_MULPDU,
	};

	xiwarp_framer_init(&qp->framer, agreed->tx_markers, agreed->crc);
	xiwarp_rdmap_init(&qp->rdmap, &cfg, &qp->sq, rd);
	memset(&qp->seen, 0, sizeof(qp->seen));
	kfree(qp->rd);
	qp->rd = rd;
	qp->ird = agreed->ird;
	qp->ord = agreed->ord;
	qp->is_soft = agreed->is_soft;
	qp->emss = 0;
	qp->retry_at = XIWARP_NEVER;
	qp->go_first_at = XIWARP_NEVER;
	xiwarp_rx_forget_wait(qp);
}

int xiwarp_qp_begin(struct xiwarp_qp *qp, const struct xiwarp_mpa_agreed *agreed)
{
	struct xiwarp_rd *rd = NULL;
	int err;

	if (agreed->ird) {
		rd = kcalloc(agreed->ird, sizeof(*rd), GFP_KERNEL_ACCOUNT);
		if (!rd)
			return -ENOMEM;
	}
	err = xrdma_engine_own(&qp->engine);
	if (err)
		goto free;
	if (qp->conn.state != XIWARP_IDLE || qp->ep) {
		err = -EINVAL;
		goto disown;
	}
	init_engine(qp, agreed, rd);
	return 0;

disown:
	xiwarp_qp_disown(qp);
free:
	kfree(rd);
	return err;
}

void xiwarp_qp_commit(struct xiwarp_qp *qp, struct xiwarp_ep *ep)
{
	xiwarp_ep_get(ep);
	qp->ep = ep;
	/*
	 * RFC 5044 wants the initiator to send first. Those that promise an RTR will;
	 * others may be programs that wait for us, and know no better than to do so
	 * for ever.
	 */
	if (xiwarp_rdmap_waits_for_first(&qp->rdmap) && !ep->awaits_first)
		qp->go_first_at = ktime_get_ns() + GO_FIRST_NS;
	xiwarp_qp_end(qp, XIWARP_IN_ESTABLISHED);
	xiwarp_qp_disown(qp);
}

void xiwarp_qp_cancel(struct xiwarp_qp *qp)
{
	xiwarp_qp_disown(qp);
}

void xiwarp_qp_abort(struct xiwarp_qp *qp, const struct xiwarp_ep *ep)
{
	/* Who destroys it ends the stream himself. */
	if (xrdma_engine_own(&qp->engine))
		return;
	if (qp->ep == ep)
		xiwarp_qp_end(qp, XIWARP_IN_ABORT);
	xiwarp_qp_disown(qp);
}

/* ---- verbs ------------------------------------------------------------------------ */

void xiwarp_qp_reset(struct xiwarp_qp *qp)
{
	const struct xiwarp_mpa_agreed nothing = {};

	xiwarp_conn_init(&qp->conn);
	qp->idle_state = IB_QPS_RESET;
	qp->posted = 0;
	qp->reaped = 0;
	xrdma_paging_reset(qp->paging);
	init_engine(qp, &nothing, NULL);
	qp->has_recv = false;
	qp->fin_due = false;
	qp->cq_overflow = false;
	qp->has_event = false;
	qp->has_last_wqe = false;
	qp->is_flushing = false;
}

/* Which states the verbs may ask for, in which state of the connection. */
static int change_state(struct xiwarp_qp *qp, enum ib_qp_state to)
{
	switch (to) {
	case IB_QPS_RESET:
		xiwarp_qp_end(qp, XIWARP_IN_ABORT);
		xiwarp_qp_detach(qp);
		xiwarp_qp_reset(qp);
		return 0;
	case IB_QPS_INIT:
	case IB_QPS_RTR:
		if (qp->conn.state != XIWARP_IDLE)
			return -EINVAL;
		qp->idle_state = to;
		return 0;
	case IB_QPS_RTS:
		return qp->conn.state == XIWARP_RTS ? 0 : -EINVAL;
	case IB_QPS_SQD:
		if (qp->conn.state == XIWARP_IDLE)
			return -EINVAL;
		xiwarp_qp_end(qp, XIWARP_IN_DISCONNECT);
		return 0;
	case IB_QPS_ERR:
		xiwarp_qp_end(qp, XIWARP_IN_ABORT);
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * The rdma_cm asks for none where it has no connection yet, and never comes back;
 * and it knows no atomics.
 */
static u32 effective_access(u32 access)
{
	if (!access)
		return XIWARP_QP_ACCESS;
	if ((access & XIWARP_QP_ACCESS) ==
	    (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ))
		access |= IB_ACCESS_REMOTE_ATOMIC;
	return access;
}

static int modify_owned(struct xiwarp_qp *qp, const struct ib_qp_attr *attr,
			int mask)
{
	if (mask & IB_QP_CUR_STATE &&
	    attr->cur_qp_state != xiwarp_qp_verbs_state(qp))
		return -EINVAL;
	if (mask & IB_QP_PORT && attr->port_num != 1)
		return -EINVAL;
	if (mask & IB_QP_ACCESS_FLAGS)
		qp->access = effective_access(attr->qp_access_flags);
	return mask & IB_QP_STATE ? change_state(qp, attr->qp_state) : 0;
}

int xiwarp_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		     struct ib_udata *udata)
{
	struct xiwarp_qp *qp = to_xiwarp_qp(ibqp);
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	/* Those of InfiniBand mean nothing here, and do no harm. */
	err = xrdma_engine_own(&qp->engine);
	if (err)
		return err;
	err = modify_owned(qp, attr, mask);
	xiwarp_qp_disown(qp);
	/* Who gives up the QP gives up what is being made for it. */
	if (!err && mask & IB_QP_STATE &&
	    (attr->qp_state == IB_QPS_ERR || attr->qp_state == IB_QPS_RESET))
		xiwarp_ep_forget_qp(qp);
	return err;
}

int xiwarp_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init)
{
	struct xiwarp_qp *qp = to_xiwarp_qp(ibqp);
	int err;

	memset(attr, 0, sizeof(*attr));
	err = xrdma_engine_own(&qp->engine);
	if (err)
		return err;
	attr->qp_state = xiwarp_qp_verbs_state(qp);
	attr->qp_access_flags = qp->access;
	attr->max_rd_atomic = qp->ord;
	attr->max_dest_rd_atomic = qp->ird;
	xiwarp_qp_disown(qp);
	attr->cur_qp_state = attr->qp_state;
	attr->path_mtu = IB_MTU_4096;
	attr->port_num = 1;
	attr->cap = qp->cap;

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR :
					     IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	return 0;
}
