/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The one port of a device: what its netdev makes of it. */
#ifndef XIWARP_PORT_H
#define XIWARP_PORT_H

#include <rdma/ib_verbs.h>

struct net_device;

/* The netdev runs and has a link. */
bool xiwarp_port_is_active(const struct net_device *ndev);

/* ib_device_ops */
int xiwarp_query_port(struct ib_device *ibdev, u32 port_num,
		      struct ib_port_attr *attr);
int xiwarp_query_gid(struct ib_device *ibdev, u32 port_num, int index,
		     union ib_gid *gid);
int xiwarp_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index, u16 *pkey);
int xiwarp_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			      struct ib_port_immutable *immutable);
enum rdma_link_layer xiwarp_get_link_layer(struct ib_device *ibdev,
					   u32 port_num);
struct net_device *xiwarp_get_netdev(struct ib_device *ibdev, u32 port_num);

#endif
