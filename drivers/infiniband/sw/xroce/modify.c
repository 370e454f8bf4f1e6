// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes and states of a queue pair. Which transition needs what is the verbs
 * core's table (ib_modify_qp_is_ok); here each attribute is checked, then stored
 * while we own the engine, then the engine is set up.
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "post.h"
#include "progress.h"
#include "qp.h"
#include "run.h"
#include "rx.h"

/* Packets in flight without an answer. */
#define WINDOW		XROCE_KEEP

/* ---- checks ------------------------------------------------------------------------ */

static int check_path(struct xroce_qp *qp, const struct ib_qp_attr *attr,
		      int mask)
{
	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 ||
	     attr->path_mtu > xroce_dev_mtu(xroce_qp_dev(qp)->ndev)))
		return -EINVAL;
	if (mask & IB_QP_ALT_PATH)
		return -EINVAL;
	if (mask & IB_QP_PORT && attr->port_num != 1)
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index)
		return -EINVAL;
	return 0;
}

static int check_limits(const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_MAX_QP_RD_ATOMIC &&
	    attr->max_rd_atomic > XROCE_MAX_RD_ATOMIC)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	    attr->max_dest_rd_atomic > XROCE_MAX_RD_ATOMIC)
		return -EINVAL;
	if (mask & IB_QP_TIMEOUT && attr->timeout > 31)
		return -EINVAL;
	if (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31)
		return -EINVAL;
	if (mask & IB_QP_RETRY_CNT && attr->retry_cnt > 7)
		return -EINVAL;
	if (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7)
		return -EINVAL;
	if (mask & IB_QP_CAP)
		return -EOPNOTSUPP;
	return 0;
}

static int check_attr(struct xroce_qp *qp, const struct ib_qp_attr *attr,
		      int mask)
{
	enum ib_qp_state cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state :
							qp->attr.qp_state;
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : cur;
	int err;

	if (mask & ~(IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT))
		return -EOPNOTSUPP;
	if (mask & IB_QP_RATE_LIMIT && qp->service == XROCE_UD)
		return -EINVAL;
	/* The core's table knows it for raw packets only. */
	mask &= ~IB_QP_RATE_LIMIT;
	/* The claim must be true; SQE may have set in without the caller's knowing. */
	if (mask & IB_QP_CUR_STATE && cur != qp->attr.qp_state)
		return -EINVAL;
	if (!ib_modify_qp_is_ok(cur, next, qp->ibqp.qp_type, mask))
		return -EINVAL;
	if (cur == IB_QPS_SQD && next == IB_QPS_RTS && !qp->has_drained)
		return -EINVAL;
	err = check_path(qp, attr, mask);
	return err ?: check_limits(attr, mask);
}

/* ---- storing ------------------------------------------------------------------------- */

static int store_av(struct xroce_qp *qp, const struct ib_qp_attr *attr)
{
	struct xroce_av *av = xroce_av_create(&attr->ah_attr, NULL, GFP_KERNEL);

	if (IS_ERR(av))
		return PTR_ERR(av);
	if (qp->service != XROCE_UD)
		xroce_congest_mark_av(qp, av);
	xroce_av_put(qp->av);
	qp->av = av;
	rdma_copy_ah_attr(&qp->attr.ah_attr, &attr->ah_attr);
	/* The AV holds the GID; the copy is for query_qp alone. */
	rdma_destroy_ah_attr(&qp->attr.ah_attr);
	return 0;
}

static int store_rd_ring(struct xroce_qp *qp, u8 slots)
{
	struct xroce_rd *rd = NULL;

	if (slots) {
		rd = kcalloc(slots, sizeof(*rd), GFP_KERNEL_ACCOUNT);
		if (!rd)
			return -ENOMEM;
	}
	/* SQD: the responder is running and remembers. */
	if (qp->attr.qp_state != IB_QPS_INIT &&
	    !xroce_resp_resize(&qp->resp, rd, slots)) {
		kfree(rd);
		return -EBUSY;
	}
	kfree(qp->rd);
	qp->rd = rd;
	qp->attr.max_dest_rd_atomic = slots;
	return 0;
}

static void store_scalars(struct xroce_qp *qp, const struct ib_qp_attr *attr,
			  int mask)
{
	struct ib_qp_attr *own = &qp->attr;

#define STORE(flag, member) do {					\
	if (mask & IB_QP_##flag)					\
		own->member = attr->member;				\
} while (0)
	STORE(ACCESS_FLAGS, qp_access_flags);
	STORE(PKEY_INDEX, pkey_index);
	STORE(PORT, port_num);
	STORE(QKEY, qkey);
	STORE(PATH_MTU, path_mtu);
	STORE(TIMEOUT, timeout);
	STORE(RETRY_CNT, retry_cnt);
	STORE(RNR_RETRY, rnr_retry);
	STORE(RQ_PSN, rq_psn);
	STORE(SQ_PSN, sq_psn);
	STORE(MAX_QP_RD_ATOMIC, max_rd_atomic);
	STORE(MIN_RNR_TIMER, min_rnr_timer);
	STORE(PATH_MIG_STATE, path_mig_state);
	STORE(DEST_QPN, dest_qp_num);
	STORE(RATE_LIMIT, rate_limit);
#undef STORE
	/* A wish for one transition to SQD. */
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_SQD)
		own->en_sqd_async_notify = mask & IB_QP_EN_SQD_ASYNC_NOTIFY &&
					   attr->en_sqd_async_notify;
}

static int store_attr(struct xroce_qp *qp, const struct ib_qp_attr *attr,
		      int mask)
{
	int err;

	/* What can fail comes first. */
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC) {
		err = store_rd_ring(qp, attr->max_dest_rd_atomic);
		if (err)
			return err;
	}
	if (mask & IB_QP_AV) {
		err = store_av(qp, attr);
		if (err)
			return err;
	}
	store_scalars(qp, attr, mask);
	xroce_route_reset(&qp->route);
	return 0;
}

/* ---- engine --------------------------------------------------------------------------- */

static u32 pmtu_of(const struct xroce_qp *qp)
{
	/* Datagrams were measured when they were posted. */
	if (qp->service == XROCE_UD)
		return 4096;
	return ib_mtu_enum_to_int(qp->attr.path_mtu);
}

/* IBTA 9.7.6.1.3: 4.096 us * 2^timeout, 0 = never. */
static u64 timeout_ns(u8 timeout)
{
	return timeout ? 4096ULL << timeout : 0;
}

static struct xroce_req_cfg req_cfg(const struct xroce_qp *qp)
{
	return (struct xroce_req_cfg) {
		.service = qp->service,
		.pkey = XROCE_DEFAULT_PKEY,
		.pmtu = pmtu_of(qp),
		.dest_qp = qp->attr.dest_qp_num,
		.timeout_ns = timeout_ns(qp->attr.timeout),
		.retry_cnt = qp->attr.retry_cnt,
		.rnr_retry = qp->attr.rnr_retry,
		.max_rd_atomic = qp->attr.max_rd_atomic,
		.window = WINDOW,
	};
}

static struct xroce_resp_cfg resp_cfg(const struct xroce_qp *qp)
{
	return (struct xroce_resp_cfg) {
		.service = qp->service,
		.pkey = XROCE_DEFAULT_PKEY,
		.pmtu = pmtu_of(qp),
		.dest_qp = qp->attr.dest_qp_num,
		.access = qp->attr.qp_access_flags,
		.min_rnr_timer = qp->attr.min_rnr_timer,
		.max_dest_rd_atomic = qp->attr.max_dest_rd_atomic,
		.has_srq = qp->srq,
		.keep = qp->service == XROCE_RC ? XROCE_KEEP : 0,
	};
}

static void start_requester(struct xroce_qp *qp)
{
	struct xroce_req_cfg cfg = req_cfg(qp);

	xroce_req_init(&qp->req, &cfg, &qp->sq, qp->attr.sq_psn);
	memset(&qp->req_seen, 0, sizeof(qp->req_seen));
}

void xroce_qp_reset(struct xroce_qp *qp)
{
	struct xroce_swqe *swqe;
	unsigned long flags;
	u32 i;

	/* Who posts next sees the state; nobody fills slots any more. */
	spin_lock_irqsave(&qp->post_lock, flags);
	xroce_qp_set_state(qp, IB_QPS_RESET);
	spin_unlock_irqrestore(&qp->post_lock, flags);
	xrdma_paging_reset(qp->paging);
	xroce_rx_purge(qp);
	for (i = qp->reaped; i != qp->posted; i++) {
		swqe = to_xroce_swqe(xroce_sq_wr(&qp->sq, i));
		xroce_av_put(swqe->av);
		swqe->av = NULL;
	}
	qp->posted = 0;
	qp->reaped = 0;
	if (qp->is_user)
		xroce_ring_reset(&qp->ring);
	if (!qp->srq)
		xroce_rq_clear(&qp->rq);
	xroce_route_reset(&qp->route);
	xroce_keep_release(qp);
	/* Not zeros: a QP that goes to ERR without RTS has sends to flush too. */
	start_requester(qp);
	xroce_congest_reset(qp);
	memset(&qp->resp, 0, sizeof(qp->resp));
	memset(&qp->resp_seen, 0, sizeof(qp->resp_seen));
	qp->to_error = false;
	qp->has_comm_est = false;
	qp->has_last_wqe = false;
	qp->has_drained = false;
}

static void start_responder(struct xroce_qp *qp)
{
	struct xroce_resp_cfg cfg = resp_cfg(qp);

	xroce_resp_init(&qp->resp, &cfg, qp->rd, qp->attr.rq_psn);
	memset(&qp->resp_seen, 0, sizeof(qp->resp_seen));
}

static void reconfigure(struct xroce_qp *qp)
{
	struct xroce_resp_cfg resp = resp_cfg(qp);
	struct xroce_req_cfg req = req_cfg(qp);

	xroce_req_reconfigure(&qp->req, &req);
	xroce_resp_reconfigure(&qp->resp, &resp);
	xroce_congest_reconfigure(qp);
}

/* SQE to RTS: what was posted meanwhile is flushed, what follows is sent. */
static void restart_requester(struct xroce_qp *qp)
{
	qp->req.posted = smp_load_acquire(&qp->posted);
	xroce_req_flush(&qp->req);
	xroce_req_restart(&qp->req);
}

static void change_state(struct xroce_qp *qp, enum ib_qp_state from,
			 enum ib_qp_state to)
{
	switch (to) {
	case IB_QPS_RESET:
		xroce_qp_reset(qp);
		return;
	case IB_QPS_RTR:
		start_responder(qp);
		xroce_congest_start(qp);
		break;
	case IB_QPS_RTS:
		if (from == IB_QPS_RTR)
			start_requester(qp);
		else if (from == IB_QPS_SQE)
			restart_requester(qp);
		reconfigure(qp);
		xroce_req_hold(&qp->req, false);
		break;
	case IB_QPS_SQD:
		if (from == IB_QPS_RTS) {
			qp->has_drained = false;
			qp->attr.sq_draining = 1;
			xroce_req_hold(&qp->req, true);
		}
		reconfigure(qp);
		break;
	case IB_QPS_ERR:
		xroce_qp_set_error(qp);
		return;
	default:
		break;
	}
	xroce_qp_set_state(qp, to);
}

/* ---- verbs ------------------------------------------------------------------------------ */

static int modify_owned(struct xroce_qp *qp, struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state from = qp->attr.qp_state;
	int err;

	err = check_attr(qp, attr, mask);
	if (err)
		return err;
	err = store_attr(qp, attr, mask);
	if (err)
		return err;
	change_state(qp, from, mask & IB_QP_STATE ? attr->qp_state : from);
	return 0;
}

int xroce_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata)
{
	struct xroce_qp *qp = to_xroce_qp(ibqp);
	int err;

	err = xrdma_engine_own(&qp->engine);
	if (err)
		return err;
	err = modify_owned(qp, attr, mask);
	xroce_qp_disown(qp);
	return err;
}

int xroce_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct xroce_qp *qp = to_xroce_qp(ibqp);
	int err;

	err = xrdma_engine_own(&qp->engine);
	if (err)
		return err;
	*attr = qp->attr;
	attr->cur_qp_state = attr->qp_state;
	if (attr->qp_state >= IB_QPS_RTR)
		attr->rq_psn = qp->resp.epsn;
	if (attr->qp_state >= IB_QPS_RTS && attr->qp_state != IB_QPS_ERR)
		attr->sq_psn = xroce_req_next_psn(&qp->req);
	xroce_qp_disown(qp);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR :
					     IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	return 0;
}
