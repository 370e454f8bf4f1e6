/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send requests from untrusted or kernel form into trusted slots. What is wrong
 * with one is noted in it and completes in its turn.
 */
#ifndef XROCE_WQE_H
#define XROCE_WQE_H

#include <rdma/ib_verbs.h>
#include <rdma/xroce-abi.h>

struct xroce_qp;
struct xroce_swqe;

/* Bytes of a mapped send slot with @sge_bytes of SGEs or inline data. */
#define XROCE_SEND_SLOT_BYTES(sge_bytes) \
	(sizeof(struct xroce_send_wqe) + (sge_bytes))

/* From the mapped ring. Caller holds qp->post_lock. */
void xroce_wqe_from_user(struct xroce_qp *qp, const void *slot,
			 struct xroce_swqe *swqe);

/*
 * From a kernel request. Caller holds qp->post_lock.
 * Return: 0, -EINVAL when the request can't be represented.
 */
int xroce_wqe_from_kernel(struct xroce_qp *qp, const struct ib_send_wr *wr,
			  struct xroce_swqe *swqe);

#endif
