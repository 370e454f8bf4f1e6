/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The iw_cm's verbs. */
#ifndef XIWARP_CM_H
#define XIWARP_CM_H

#include <rdma/iw_cm.h>

/* ib_device_ops */
int xiwarp_iw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int xiwarp_iw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int xiwarp_iw_reject(struct iw_cm_id *cm_id, const void *private_data,
		     u8 private_len);
int xiwarp_iw_create_listen(struct iw_cm_id *cm_id, int backlog);
int xiwarp_iw_destroy_listen(struct iw_cm_id *cm_id);
struct ib_qp *xiwarp_iw_get_qp(struct ib_device *ibdev, int qpn);
void xiwarp_iw_add_ref(struct ib_qp *ibqp);
void xiwarp_iw_rem_ref(struct ib_qp *ibqp);

#endif
