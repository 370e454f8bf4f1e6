/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a device says about itself. */
#ifndef XIWARP_ATTR_H
#define XIWARP_ATTR_H

#include <rdma/ib_verbs.h>

/* ib_device_ops */
int xiwarp_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata);
int xiwarp_modify_device(struct ib_device *ibdev, int mask,
			 struct ib_device_modify *modify);
void xiwarp_get_dev_fw_str(struct ib_device *ibdev, char *str);

#endif
