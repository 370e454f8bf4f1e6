/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Shared receive queues. */
#ifndef XROCE_SRQ_H
#define XROCE_SRQ_H

#include <rdma/ib_verbs.h>
#include "rq.h"

struct xroce_srq {
	struct ib_srq ibsrq;
	struct xroce_rq rq;
	u32 number;
	bool has_failed;
};

static inline struct xroce_srq *to_xroce_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct xroce_srq, ibsrq);
}

/*
 * xroce_rq_take() plus the events SRQ_LIMIT_REACHED and SRQ_ERR. A damaged ring is the
 * end of an SRQ, whatever is written into it later. Any context.
 */
int xroce_srq_take(struct xroce_srq *srq, struct xroce_rqe *rqe);

/* ib_device_ops */
int xroce_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata);
int xroce_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata);
int xroce_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int xroce_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int xroce_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr);

#endif
