/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Send requests of users and kernel into trusted slots. */
#ifndef XIWARP_WQE_H
#define XIWARP_WQE_H

struct ib_send_wr;
struct xiwarp_qp;
struct xiwarp_sqe;
struct xiwarp_swqe;

/* A mapped slot, copied once. What is wrong with it is noted in wr.fault. */
void xiwarp_wqe_from_user(const struct xiwarp_qp *qp,
			  const struct xiwarp_sqe *slot,
			  struct xiwarp_swqe *swqe);

/* Return: 0, -EINVAL. Any context. */
int xiwarp_wqe_from_kernel(const struct xiwarp_qp *qp,
			   const struct ib_send_wr *wr,
			   struct xiwarp_swqe *swqe);

#endif
