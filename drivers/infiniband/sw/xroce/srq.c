// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues (see srq.h). */
#include <linux/idr.h>
#include <linux/uaccess.h>
#include <rdma/uverbs_ioctl.h>
#include "device.h"
#include "srq.h"

static DEFINE_IDA(numbers);

static void tell(struct xroce_srq *srq, enum ib_event_type type)
{
	struct ib_event event = {
		.device = srq->ibsrq.device,
		.element.srq = &srq->ibsrq,
		.event = type,
	};

	if (srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&event, srq->ibsrq.srq_context);
}

int xroce_srq_take(struct xroce_srq *srq, struct xroce_rqe *rqe)
{
	bool hit_limit;
	int err;

	if (READ_ONCE(srq->has_failed))
		return -EIO;
	err = xroce_rq_take(&srq->rq, rqe, &hit_limit);
	/* Several QPs may find out at once, one tells. */
	if (err == -EIO && !xchg(&srq->has_failed, true))
		tell(srq, IB_EVENT_SRQ_ERR);
	if (hit_limit)
		tell(srq, IB_EVENT_SRQ_LIMIT_REACHED);
	return err;
}

static struct ib_ucontext *udata_context(struct ib_udata *udata)
{
	struct xroce_ucontext *uc =
		rdma_udata_to_drv_context(udata, struct xroce_ucontext, ibuc);

	return uc ? &uc->ibuc : NULL;
}

static int respond(const struct xroce_srq *srq, struct ib_udata *udata)
{
	struct xroce_create_srq_resp resp = { .srq_num = srq->number };

	xroce_ring_info(&srq->rq.ring, &resp.mi);
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static int check_init(const struct ib_srq_init_attr *init,
		      const struct ib_udata *udata)
{
	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > XROCE_MAX_SRQ_WR ||
	    init->attr.max_sge > XROCE_MAX_SGE ||
	    init->attr.srq_limit > init->attr.max_wr)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct xroce_create_srq_resp))
		return -EINVAL;
	return 0;
}

int xroce_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata)
{
	struct xroce_srq *srq = to_xroce_srq(ibsrq);
	int number, err;

	err = check_init(init, udata);
	if (err)
		return err;
	number = ida_alloc_min(&numbers, 1, GFP_KERNEL);
	if (number < 0)
		return number;
	srq->number = number;
	err = xroce_rq_create(&srq->rq, udata_context(udata),
			      init->attr.max_wr, init->attr.max_sge);
	if (err)
		goto free_number;
	srq->rq.limit = init->attr.srq_limit;
	if (udata) {
		err = respond(srq, udata);
		if (err)
			goto destroy_rq;
	}
	init->attr.max_wr = xroce_ring_capacity(&srq->rq.ring);
	return 0;

destroy_rq:
	xroce_rq_destroy(&srq->rq);
free_number:
	ida_free(&numbers, number);
	return err;
}

int xroce_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct xroce_srq *srq = to_xroce_srq(ibsrq);

	xroce_rq_destroy(&srq->rq);
	ida_free(&numbers, srq->number);
	return 0;
}

/* Tell user space, at the address that the command names, what to map. */
static int respond_resize(const struct xroce_ring *ring, struct ib_udata *udata)
{
	struct xroce_modify_srq_cmd cmd;
	struct xroce_mmap_info info;

	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	if (ib_copy_from_udata(&cmd, udata, sizeof(cmd)))
		return -EFAULT;
	xroce_ring_info(ring, &info);
	if (copy_to_user(u64_to_user_ptr(cmd.mmap_info_addr), &info,
			 sizeof(info)))
		return -EFAULT;
	return 0;
}

static int resize(struct xroce_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct xroce_ring ring;
	int err;

	if (!max_wr || max_wr > XROCE_MAX_SRQ_WR)
		return -EINVAL;
	err = xroce_rq_create_ring(&srq->rq, &ring, udata_context(udata),
				   max_wr);
	if (err)
		return err;
	/* Before the switch: if it fails, user space goes on with the old ring. */
	if (udata)
		err = respond_resize(&ring, udata);
	mutex_lock(&srq->rq.resize_mutex);
	if (!err)
		err = xroce_rq_replace_ring(&srq->rq, &ring);
	mutex_unlock(&srq->rq.resize_mutex);
	xroce_ring_destroy(&ring);
	return err;
}

int xroce_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct xroce_srq *srq = to_xroce_srq(ibsrq);
	unsigned long flags;
	u32 max_wr;
	int err;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EOPNOTSUPP;
	max_wr = mask & IB_SRQ_MAX_WR ? attr->max_wr :
					xroce_ring_capacity(&srq->rq.ring);
	if (mask & IB_SRQ_LIMIT && attr->srq_limit > max_wr)
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR) {
		err = resize(srq, max_wr, udata);
		if (err)
			return err;
	}
	if (mask & IB_SRQ_LIMIT) {
		spin_lock_irqsave(&srq->rq.lock, flags);
		srq->rq.limit = attr->srq_limit;
		spin_unlock_irqrestore(&srq->rq.lock, flags);
	}
	return 0;
}

int xroce_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct xroce_srq *srq = to_xroce_srq(ibsrq);

	attr->max_wr = xroce_ring_capacity(&srq->rq.ring);
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = READ_ONCE(srq->rq.limit);
	return 0;
}

int xroce_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr)
{
	struct xroce_srq *srq = to_xroce_srq(ibsrq);
	int err = ibsrq->uobject ? -EINVAL : 0;	/* users fill their own ring */

	for (; wr && !err; wr = wr->next) {
		err = xroce_rq_post(&srq->rq, wr);
		if (err)
			break;
	}
	if (err)
		*bad_wr = wr;
	return err;
}
