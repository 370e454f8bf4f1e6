// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues (see srq.h). */
#include "srq.h"

bool xiwarp_srq_take(struct xiwarp_srq *srq, struct xiwarp_recv *recv)
{
	struct ib_event event = {
		.device = srq->ibsrq.device,
		.element.srq = &srq->ibsrq,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};
	bool hit_limit;

	if (!xiwarp_rq_take(&srq->rq, recv, &hit_limit))
		return false;
	if (hit_limit && srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&event, srq->ibsrq.srq_context);
	return true;
}

static int respond(const struct xiwarp_srq *srq, struct ib_udata *udata)
{
	struct xiwarp_create_srq_resp resp = {
		.num_rqe = xiwarp_rq_capacity(&srq->rq),
		.srq_offset = xrdma_shared_offset(srq->rq.mem),
	};

	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static int check_init(const struct ib_srq_init_attr *init,
		      const struct ib_udata *udata)
{
	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > XIWARP_MAX_SRQ_WR ||
	    init->attr.max_sge > XIWARP_MAX_SGE ||
	    init->attr.srq_limit > init->attr.max_wr)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct xiwarp_create_srq_resp))
		return -EINVAL;
	return 0;
}

int xiwarp_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		      struct ib_udata *udata)
{
	struct xiwarp_srq *srq = to_xiwarp_srq(ibsrq);
	int err;

	err = check_init(init, udata);
	if (err)
		return err;
	err = xiwarp_rq_create(&srq->rq, xiwarp_udata_context(udata),
			       init->attr.max_wr, init->attr.max_sge);
	if (err)
		return err;
	srq->rq.limit = init->attr.srq_limit;
	if (udata) {
		err = respond(srq, udata);
		if (err) {
			xiwarp_rq_destroy(&srq->rq);
			return err;
		}
	}
	init->attr.max_wr = xiwarp_rq_capacity(&srq->rq);
	return 0;
}

int xiwarp_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	xiwarp_rq_destroy(&to_xiwarp_srq(ibsrq)->rq);
	return 0;
}

/* The provider keeps the size it was told at first: no resizing. */
int xiwarp_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		      enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct xiwarp_rq *rq = &to_xiwarp_srq(ibsrq)->rq;
	unsigned long flags;

	if (mask & ~IB_SRQ_LIMIT)
		return -EOPNOTSUPP;
	if (mask & IB_SRQ_LIMIT) {
		if (attr->srq_limit > xiwarp_rq_capacity(rq))
			return -EINVAL;
		spin_lock_irqsave(&rq->lock, flags);
		rq->limit = attr->srq_limit;
		spin_unlock_irqrestore(&rq->lock, flags);
	}
	return 0;
}

int xiwarp_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	const struct xiwarp_rq *rq = &to_xiwarp_srq(ibsrq)->rq;

	attr->max_wr = xiwarp_rq_capacity(rq);
	attr->max_sge = rq->max_sge;
	attr->srq_limit = READ_ONCE(rq->limit);
	return 0;
}

int xiwarp_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr)
{
	struct xiwarp_rq *rq = &to_xiwarp_srq(ibsrq)->rq;
	int err = ibsrq->uobject ? -EINVAL : 0;	/* users fill their own ring */

	for (; wr && !err; wr = wr->next) {
		err = xiwarp_rq_post(rq, wr);
		if (err)
			break;
	}
	if (err)
		*bad_wr = wr;
	return err;
}
