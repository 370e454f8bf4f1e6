/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Shared receive queues. */
#ifndef XIWARP_SRQ_H
#define XIWARP_SRQ_H

#include <rdma/ib_verbs.h>
#include "rq.h"

struct xiwarp_srq {
	struct ib_srq ibsrq;
	struct xiwarp_rq rq;
};

static inline struct xiwarp_srq *to_xiwarp_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct xiwarp_srq, ibsrq);
}

/* xiwarp_rq_take() plus the SRQ_LIMIT_REACHED event. Any context. */
bool xiwarp_srq_take(struct xiwarp_srq *srq, struct xiwarp_recv *recv);

/* ib_device_ops */
int xiwarp_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		      struct ib_udata *udata);
int xiwarp_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		      enum ib_srq_attr_mask mask, struct ib_udata *udata);
int xiwarp_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int xiwarp_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int xiwarp_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr);

#endif
