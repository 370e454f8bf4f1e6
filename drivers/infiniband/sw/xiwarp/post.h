/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Posting work. */
#ifndef XIWARP_POST_H
#define XIWARP_POST_H

#include <rdma/ib_verbs.h>

struct xiwarp_qp;

/*
 * Copy what a user has posted into free trusted slots, and free the slots of the
 * mapped ring. Return: true if there may be more. Owner.
 */
bool xiwarp_sq_take(struct xiwarp_qp *qp);

/* ib_device_ops */
int xiwarp_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr);
int xiwarp_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr);

#endif
