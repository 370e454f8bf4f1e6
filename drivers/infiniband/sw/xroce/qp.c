// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: creation and destruction (see qp.h). Attributes: modify.c. */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include "complete.h"
#include "post.h"
#include "qp.h"
#include "run.h"
#include "wqe.h"

/* 0 and 1 are the management QPs, the last one means "multicast". */
#define QPN_MIN		2
#define QPN_MAX		(XROCE_MULTICAST_QPN - 1)

struct xrdma_table xroce_qps;

void xroce_qp_init(void)
{
	xrdma_table_init(&xroce_qps, QPN_MIN, QPN_MAX);
}

void xroce_qp_exit(void)
{
	xrdma_table_fini(&xroce_qps);
}

/* ---- what may be created --------------------------------------------------------- */

static int check_type(const struct xroce_dev *dev,
		      const struct ib_qp_init_attr *init, bool is_user)
{
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		return 0;
	case IB_QPT_GSI:
		return is_user ? -EOPNOTSUPP : 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int check_caps(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (cap->max_send_wr > XROCE_MAX_QP_WR ||
	    cap->max_send_sge > XROCE_MAX_SGE ||
	    cap->max_inline_data > XROCE_MAX_INLINE)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > XROCE_MAX_QP_WR ||
			   cap->max_recv_sge > XROCE_MAX_SGE))
		return -EINVAL;
	return 0;
}

static int check_init(const struct xroce_dev *dev,
		      const struct ib_qp_init_attr *init, bool is_user)
{
	int err;

	if (init->create_flags & ~IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK ||
	    (init->create_flags && init->qp_type != IB_QPT_UD))
		return -EOPNOTSUPP;
	err = check_type(dev, init, is_user);
	if (err)
		return err;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	return check_caps(init);
}

/* ---- queues ------------------------------------------------------------------------ */

/* Room for SGEs or inline bytes in a send slot, whichever needs more. */
static u32 payload_room(const struct ib_qp_cap *cap)
{
	u32 room = max_t(u32, cap->max_send_sge * sizeof(struct ib_sge),
			 cap->max_inline_data);

	return ALIGN(max_t(u32, room, sizeof(struct ib_sge)),
		     sizeof(struct ib_sge));
}

static int create_sq(struct xroce_qp *qp, struct ib_ucontext *ucontext,
		     struct ib_qp_cap *cap)
{
	u32 room = payload_room(cap);
	u32 slots = roundup_pow_of_two(max(cap->max_send_wr, 1U) + 1);
	int err;

	if (qp->is_user) {
		err = xroce_ring_create(&qp->ring, ucontext, slots - 1,
					XROCE_SEND_SLOT_BYTES(room));
		if (err)
			return err;
		slots = qp->ring.mask + 1;
	}
	qp->sq.stride = sizeof(struct xroce_swqe) + room;
	qp->sq.mask = slots - 1;
	qp->slots = kvcalloc(slots, qp->sq.stride, GFP_KERNEL_ACCOUNT);
	if (!qp->slots) {
		xroce_ring_destroy(&qp->ring);
		return -ENOMEM;
	}
	qp->sq.base = qp->slots;
	qp->max_inline = min_t(u32, room, XROCE_MAX_INLINE);
	qp->max_send_sge = min_t(u32, room / sizeof(struct ib_sge),
				 XROCE_MAX_SGE);
	cap->max_send_wr = qp->sq.mask;
	cap->max_send_sge = qp->max_send_sge;
	cap->max_inline_data = qp->max_inline;
	return 0;
}

static void destroy_sq(struct xroce_qp *qp)
{
	kvfree(qp->slots);
	xroce_ring_destroy(&qp->ring);
}

static int create_rq(struct xroce_qp *qp, struct ib_ucontext *ucontext,
		     struct ib_qp_init_attr *init)
{
	struct ib_qp_cap *cap = &init->cap;
	u32 max_sge = init->srq ? to_xroce_srq(init->srq)->rq.max_sge :
				  cap->max_recv_sge;
	int err;

	qp->rqe = kzalloc(struct_size(qp->rqe, sge, max_sge),
			  GFP_KERNEL_ACCOUNT);
	if (!qp->rqe)
		return -ENOMEM;
	if (init->srq) {
		qp->srq = to_xroce_srq(init->srq);
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
		return 0;
	}
	err = xroce_rq_create(&qp->rq, ucontext, cap->max_recv_wr,
			      cap->max_recv_sge);
	if (err) {
		kfree(qp->rqe);
		return err;
	}
	cap->max_recv_wr = xroce_ring_capacity(&qp->rq.ring);
	cap->max_recv_sge = qp->rq.max_sge;
	return 0;
}

static void destroy_rq(struct xroce_qp *qp)
{
	if (!qp->srq)
		xroce_rq_destroy(&qp->rq);
	kfree(qp->rqe);
}

/* ---- creation ------------------------------------------------------------------------ */

static const u8 services[] = {
	[IB_QPT_GSI]	= XROCE_UD,
	[IB_QPT_RC]	= XROCE_RC,
	[IB_QPT_UC]	= XROCE_UC,
	[IB_QPT_UD]	= XROCE_UD,
};

static void init_fields(struct xroce_qp *qp, const struct ib_qp_init_attr *init,
			bool is_user)
{
	qp->is_user = is_user;
	qp->service = services[init->qp_type];
	qp->blocks_own_mcast = init->create_flags &
			       IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	qp->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->attr.qp_state = IB_QPS_RESET;
	qp->attr.path_mtu = IB_MTU_1024;
	spin_lock_init(&qp->post_lock);
	skb_queue_head_init(&qp->rx);
	xrdma_windows_init(&qp->windows);
	xrdma_qp_events_init(&qp->events, &qp->ibqp);
	xroce_qp_run_init(qp);
}

static int give_number(struct xroce_qp *qp, enum ib_qp_type type)
{
	struct xroce_dev *dev = xroce_qp_dev(qp);

	qp->ref = type == IB_QPT_GSI ?
		  xrdma_ref_add(&dev->gsi, qp, XROCE_GSI_QPN, GFP_KERNEL) :
		  xrdma_ref_add(&xroce_qps, qp, 0, GFP_KERNEL);
	if (IS_ERR(qp->ref))
		return PTR_ERR(qp->ref);
	qp->ibqp.qp_num = qp->ref->index;
	return 0;
}

static void take_number(struct xroce_qp *qp)
{
	struct xroce_dev *dev = xroce_qp_dev(qp);

	xrdma_ref_del(qp->ibqp.qp_type == IB_QPT_GSI ? &dev->gsi : &xroce_qps,
		      qp->ref);
}

static void attach_cqs(struct xroce_qp *qp, const struct ib_qp_init_attr *init)
{
	qp->send_user.qp = qp;
	qp->recv_user.qp = qp;
	xroce_cq_attach(to_xroce_cq(init->send_cq), &qp->send_user);
	xroce_cq_attach(to_xroce_cq(init->recv_cq), &qp->recv_user);
}

static void detach_cqs(struct xroce_qp *qp)
{
	xroce_cq_detach(to_xroce_cq(qp->ibqp.send_cq), &qp->send_user);
	xroce_cq_detach(to_xroce_cq(qp->ibqp.recv_cq), &qp->recv_user);
}

static int tell_user(struct xroce_qp *qp, struct ib_udata *udata)
{
	struct xroce_create_qp_resp resp = {};

	if (!qp->srq)
		xroce_ring_info(&qp->rq.ring, &resp.rq_mi);
	xroce_ring_info(&qp->ring, &resp.sq_mi);
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

/* Memory that it waited for is present. */
static void paged(void *qp)
{
	xroce_qp_kick(qp);
}

/* The user's response comes first: what can fail is done when the QP is found. */
int xroce_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		    struct ib_udata *udata)
{
	struct xroce_qp *qp = to_xroce_qp(ibqp);
	struct ib_ucontext *ucontext = NULL;
	int err;

	err = check_init(to_xroce_dev(ibqp->device), init, udata);
	if (err)
		return err;
	if (udata) {
		if (udata->inlen ||
		    udata->outlen < sizeof(struct xroce_create_qp_resp))
			return -EINVAL;
		ucontext = &rdma_udata_to_drv_context(udata,
					struct xroce_ucontext, ibuc)->ibuc;
	}

	init_fields(qp, init, udata);
	qp->paging = xrdma_paging_create(&xroce_qp_dev(qp)->keys, paged, qp);
	if (!qp->paging)
		return -ENOMEM;
	err = create_sq(qp, ucontext, &init->cap);
	if (err)
		goto undo_paging;
	err = create_rq(qp, ucontext, init);
	if (err)
		goto undo_sq;
	err = xroce_congest_create(qp);
	if (err)
		goto undo_rq;
	qp->attr.cap = init->cap;
	xroce_qp_reset(qp);
	if (udata) {
		err = tell_user(qp, udata);
		if (err)
			goto undo_congest;
	}
	err = give_number(qp, init->qp_type);
	if (err)
		goto undo_congest;
	attach_cqs(qp, init);
	return 0;

undo_congest:
	xroce_congest_destroy(qp);
undo_rq:
	destroy_rq(qp);
undo_sq:
	destroy_sq(qp);
undo_paging:
	xrdma_paging_destroy(qp->paging);
	return err;
}

/* ---- destruction --------------------------------------------------------------------- */

/*
 * Who may still know the QP, and why he is gone afterwards:
 *  - receivers with a reference from the QPN table: xrdma_ref_del() waits;
 *  - the owner of the engine: xroce_qp_stop() waits and we never give it back;
 *  - timer and work items, on their way out: xroce_qp_stop(), xroce_qp_reset() (that
 *    for on-demand memory) and events_stop() wait;
 *  - a CQ that fails: it was detached, under the CQ's lock;
 *  - posters and verbs callers: the verbs core holds them off, but for queries of
 *    "rdma resource", which come until the verbs object is gone: stopped, it fails
 *    them.
 * Packets that were sent refer to nothing of ours, but for regions (direct.h).
 */
int xroce_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct xroce_qp *qp = to_xroce_qp(ibqp);

	detach_cqs(qp);
	take_number(qp);
	xroce_qp_stop(qp);
	xrdma_qp_events_stop(&qp->events);
	xroce_cq_settle(to_xroce_cq(ibqp->send_cq));
	xroce_cq_settle(to_xroce_cq(ibqp->recv_cq));

	xroce_qp_reset(qp);
	xrdma_windows_unbind(&qp->windows);
	xroce_av_put(qp->av);
	kfree(qp->rd);
	xroce_congest_destroy(qp);
	destroy_rq(qp);
	destroy_sq(qp);
	xrdma_paging_destroy(qp->paging);
	return 0;
}
