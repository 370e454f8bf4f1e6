/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What "rdma resource show -dd" tells of our objects. */
#ifndef XIWARP_RESTRACK_H
#define XIWARP_RESTRACK_H

struct ib_cq;
struct ib_mr;
struct ib_qp;
struct sk_buff;

/* ib_device_ops. Values are snapshots, read without ownership. */
int xiwarp_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp);
int xiwarp_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq);
int xiwarp_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr);

#endif
