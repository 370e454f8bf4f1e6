// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: creation and destruction (see qp.h). Attributes: modify.c. */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/uverbs_ioctl.h>
#include "ep.h"
#include "progress.h"
#include "qp.h"
#include "run.h"

struct xiwarp_qp *xiwarp_qp_get(struct xiwarp_dev *dev, u32 qpn)
{
	struct xrdma_ref *ref = xrdma_ref_get(&dev->qps, qpn);

	return ref ? ref->obj : NULL;
}

void xiwarp_qp_put(struct xiwarp_qp *qp)
{
	xrdma_ref_put(qp->ref);
}

/* ---- what may be created --------------------------------------------------------- */

static int check_init(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (init->create_flags || init->qp_type != IB_QPT_RC)
		return -EOPNOTSUPP;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	if (cap->max_send_wr > XIWARP_MAX_QP_WR ||
	    cap->max_send_sge > XIWARP_MAX_SGE ||
	    cap->max_inline_data > XIWARP_MAX_INLINE)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > XIWARP_MAX_QP_WR ||
			   cap->max_recv_sge > XIWARP_MAX_SGE))
		return -EINVAL;
	return 0;
}

/* ---- queues ------------------------------------------------------------------------ */

static int create_sq(struct xiwarp_qp *qp, struct ib_ucontext *ucontext,
		     struct ib_qp_cap *cap)
{
	u32 slots = roundup_pow_of_two(max(cap->max_send_wr, 1U));

	if (qp->is_user) {
		qp->ring = xrdma_shared_alloc(ucontext, (size_t)slots *
					      sizeof(*qp->ring_slots));
		if (!qp->ring)
			return -ENOMEM;
		qp->ring_slots = qp->ring->buf;
	}
	qp->slots = kvcalloc(slots, sizeof(*qp->slots), GFP_KERNEL_ACCOUNT);
	if (!qp->slots) {
		xrdma_shared_free(qp->ring);
		return -ENOMEM;
	}
	qp->sq.base = qp->slots;
	qp->sq.stride = sizeof(*qp->slots);
	qp->sq.mask = slots - 1;
	cap->max_send_wr = slots;
	cap->max_send_sge = XIWARP_MAX_SGE;
	cap->max_inline_data = XIWARP_MAX_INLINE;
	return 0;
}

static void destroy_sq(struct xiwarp_qp *qp)
{
	kvfree(qp->slots);
	xrdma_shared_free(qp->ring);
}

static int create_rq(struct xiwarp_qp *qp, struct ib_ucontext *ucontext,
		     struct ib_qp_init_attr *init)
{
	struct ib_qp_cap *cap = &init->cap;
	int err;

	if (init->srq) {
		qp->srq = to_xiwarp_srq(init->srq);
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
		return 0;
	}
	err = xiwarp_rq_create(&qp->rq, ucontext, cap->max_recv_wr,
			       XIWARP_MAX_SGE);
	if (err)
		return err;
	cap->max_recv_wr = xiwarp_rq_capacity(&qp->rq);
	cap->max_recv_sge = XIWARP_MAX_SGE;
	return 0;
}

static void destroy_rq(struct xiwarp_qp *qp)
{
	if (!qp->srq)
		xiwarp_rq_destroy(&qp->rq);
}

/* ---- creation ------------------------------------------------------------------------ */

static void init_fields(struct xiwarp_qp *qp, const struct ib_qp_init_attr *init,
			bool is_user)
{
	qp->is_user = is_user;
	qp->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->access = XIWARP_QP_ACCESS;
	spin_lock_init(&qp->post_lock);
	xiwarp_qp_run_init(qp);
}

static int tell_user(struct xiwarp_qp *qp, struct ib_udata *udata)
{
	struct xiwarp_create_qp_resp resp = {
		.qp_id = qp->ibqp.qp_num,
		.num_sqe = qp->sq.mask + 1,
		.sq_offset = xrdma_shared_offset(qp->ring),
	};

	if (!qp->srq) {
		resp.num_rqe = xiwarp_rq_capacity(&qp->rq);
		resp.rq_offset = xrdma_shared_offset(qp->rq.mem);
	}
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static int give_number(struct xiwarp_qp *qp)
{
	qp->ref = xrdma_ref_add(&xiwarp_qp_dev(qp)->qps, qp, 0, GFP_KERNEL);
	if (IS_ERR(qp->ref))
		return PTR_ERR(qp->ref);
	qp->ibqp.qp_num = qp->ref->index;
	return 0;
}

/* Memory that it waited for is present. */
static void paged(void *qp)
{
	xiwarp_qp_kick(qp);
}

int xiwarp_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		     struct ib_udata *udata)
{
	struct xiwarp_qp *qp = to_xiwarp_qp(ibqp);
	struct ib_ucontext *ucontext = xiwarp_udata_context(udata);
	int err;

	err = check_init(init);
	if (err)
		return err;
	if (udata && udata->outlen < sizeof(struct xiwarp_create_qp_resp))
		return -EINVAL;

	init_fields(qp, init, udata);
	xrdma_qp_events_init(&qp->events, ibqp);
	qp->paging = xrdma_paging_create(&xiwarp_qp_dev(qp)->keys, paged, qp);
	if (!qp->paging)
		return -ENOMEM;
	err = create_sq(qp, ucontext, &init->cap);
	if (err)
		goto undo_paging;
	err = create_rq(qp, ucontext, init);
	if (err)
		goto undo_sq;
	qp->cap = init->cap;
	xiwarp_qp_reset(qp);
	/* What iWARP calls idle is INIT to other RNICs, and so to programs. */
	qp->idle_state = IB_QPS_INIT;
	/* It can be found now, but nobody has heard of the number yet. */
	err = give_number(qp);
	if (err)
		goto undo_rq;
	if (udata) {
		err = tell_user(qp, udata);
		if (err)
			goto undo_number;
	}
	return 0;

undo_number:
	xrdma_ref_del(&xiwarp_qp_dev(qp)->qps, qp->ref);
undo_rq:
	destroy_rq(qp);
undo_sq:
	destroy_sq(qp);
undo_paging:
	xrdma_paging_destroy(qp->paging);
	return err;
}

/* ---- destruction --------------------------------------------------------------------- */

/* The engine is ours for good. */
static void end_stream(struct xiwarp_qp *qp)
{
	struct xiwarp_ep *ep = qp->ep;

	if (ep)
		xiwarp_ep_await_release(ep);
	xiwarp_qp_end(qp, XIWARP_IN_ABORT);
	xiwarp_qp_detach(qp);
	if (ep)
		xiwarp_ep_close_released(ep);
}

/*
 * Who may still know the QP, and why he is gone afterwards:
 *  - the connection: xiwarp_ep_forget_qp() ends what it was doing for the QP and
 *    tells the iw_cm, which then gives its reference back;
 *  - sockets' callbacks with a reference from the table: xrdma_ref_del() waits;
 *  - the owner of the engine: xrdma_engine_retire() waits and we never give it back;
 *  - the iw_cm, which modifies the QP that it has a reference to, and queries of
 *    "rdma resource": retired, it fails them;
 *  - the work item that fetches memory: xrdma_paging_reset() waits;
 *  - timer and work item, on their way out: xiwarp_qp_stop() waits;
 *  - posters and other verbs callers: the verbs core holds them off.
 * Bytes that the socket took are in pages of their own.
 */
int xiwarp_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct xiwarp_qp *qp = to_xiwarp_qp(ibqp);

	xrdma_engine_retire(&qp->engine);
	end_stream(qp);
	/* Nobody makes a connection for a QP in state ERROR, see claim_qp(). */
	xiwarp_ep_forget_qp(qp);
	xrdma_ref_del(&xiwarp_qp_dev(qp)->qps, qp->ref);
	xrdma_paging_reset(qp->paging);
	xiwarp_qp_stop(qp);
	xrdma_qp_events_stop(&qp->events);
	xrdma_cq_settle(&to_xiwarp_cq(ibqp->send_cq)->consumer);
	xrdma_cq_settle(&to_xiwarp_cq(ibqp->recv_cq)->consumer);

	xiwarp_tx_drop(&qp->tx);
	kfree(qp->rd);
	destroy_rq(qp);
	destroy_sq(qp);
	xrdma_paging_destroy(qp->paging);
	return 0;
}
