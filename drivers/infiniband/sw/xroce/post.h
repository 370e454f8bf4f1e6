/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Posting work: kernel requests and the user's doorbell. */
#ifndef XROCE_POST_H
#define XROCE_POST_H

#include <rdma/ib_verbs.h>

struct xroce_qp;

/* ib_device_ops. @wr NULL: a user rang the doorbell of the mapped ring. */
int xroce_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);
int xroce_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr);

/* Take what user space has put into the mapped send ring. Any context. */
void xroce_sq_take(struct xroce_qp *qp);

#endif
