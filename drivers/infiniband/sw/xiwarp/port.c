// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The port (see port.h). The core has checked port numbers, there is only 1. */
#include <linux/etherdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include "device.h"
#include "port.h"

/* One: the MAC. What iWARP connects by is IP addresses. */
#define GID_TABLE_LEN	1

/* iWARP has none, but without one rdma_cm takes no device for a loopback address. */
#define PKEY_TABLE_LEN	1
#define DEFAULT_PKEY	0xffff

bool xiwarp_port_is_active(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

static void fill_state(const struct xiwarp_dev *dev, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_DOWN;
	if (READ_ONCE(dev->is_leaving) || !netif_running(dev->ndev)) {
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	} else if (!xiwarp_port_is_active(dev->ndev)) {
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	} else {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	}
}

int xiwarp_query_port(struct ib_device *ibdev, u32 port_num,
		      struct ib_port_attr *attr)
{
	struct xiwarp_dev *dev = to_xiwarp_dev(ibdev);
	enum ib_mtu mtu = iboe_get_mtu(READ_ONCE(dev->ndev->mtu));

	fill_state(dev, attr);
	xrdma_port_fill_speed(dev->ndev, attr);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = mtu ?: IB_MTU_256;
	attr->gid_tbl_len = GID_TABLE_LEN;
	attr->pkey_tbl_len = PKEY_TABLE_LEN;
	attr->port_cap_flags = IB_PORT_CM_SUP | IB_PORT_DEVICE_MGMT_SUP;
	attr->max_msg_sz = U32_MAX;
	return 0;
}

/*
 * The MAC and zeros, as all iWARP devices have it: older kernels' rdma_cm finds
 * the device of an address by it.
 */
int xiwarp_query_gid(struct ib_device *ibdev, u32 port_num, int index,
		     union ib_gid *gid)
{
	struct xiwarp_dev *dev = to_xiwarp_dev(ibdev);
	const struct net_device *ndev = dev->ndev;

	if (index)
		return -EINVAL;
	memset(gid, 0, sizeof(*gid));
	if (ndev->addr_len == ETH_ALEN && is_valid_ether_addr(ndev->dev_addr))
		ether_addr_copy(gid->raw, ndev->dev_addr);
	else
		ether_addr_copy(gid->raw, dev->mac);
	return 0;
}

int xiwarp_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index, u16 *pkey)
{
	if (index >= PKEY_TABLE_LEN)
		return -EINVAL;
	*pkey = DEFAULT_PKEY;
	return 0;
}

int xiwarp_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			      struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	immutable->gid_tbl_len = GID_TABLE_LEN;
	immutable->pkey_tbl_len = PKEY_TABLE_LEN;
	return 0;
}

enum rdma_link_layer xiwarp_get_link_layer(struct ib_device *ibdev,
					   u32 port_num)
{
	return IB_LINK_LAYER_ETHERNET;
}

struct net_device *xiwarp_get_netdev(struct ib_device *ibdev, u32 port_num)
{
	struct xiwarp_dev *dev = to_xiwarp_dev(ibdev);

	/* No new user may hold up a netdev that is going away. */
	if (READ_ONCE(dev->is_leaving))
		return NULL;
	dev_hold(dev->ndev);
	return dev->ndev;
}
