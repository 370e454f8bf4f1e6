/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The one port of a device: what its netdev makes of it. */
#ifndef XROCE_PORT_H
#define XROCE_PORT_H

#include <rdma/ib_verbs.h>

struct net_device;

/* The netdev runs, has a link, and its MTU is large enough for any packet. */
bool xroce_port_is_active(const struct net_device *ndev);

/* ib_device_ops */
int xroce_query_port(struct ib_device *ibdev, u32 port_num,
		     struct ib_port_attr *attr);
int xroce_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
		     u16 *pkey);
int xroce_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			     struct ib_port_immutable *immutable);
enum rdma_link_layer xroce_get_link_layer(struct ib_device *ibdev,
					  u32 port_num);
struct net_device *xroce_get_netdev(struct ib_device *ibdev, u32 port_num);
int xroce_add_gid(const struct ib_gid_attr *attr, void **context);
int xroce_del_gid(const struct ib_gid_attr *attr, void **context);

#endif
