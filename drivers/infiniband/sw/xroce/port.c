// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The port (see port.h). The core has checked port numbers, there is only 1. */
#include <linux/if_vlan.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <rdma/ib_mad.h>
#include "core/drop.h"
#include "core/wire.h"
#include "device.h"
#include "port.h"
#include "stats.h"

/*
 * Addresses of the netdev and what lies above it, each twice: v1 and v2. As many as
 * RoCE NICs have: an entry is three files in sysfs, for each network namespace.
 */
#define GID_TABLE_LEN	256
/* RoCEv1 and v2; so many of the first entries are of the link-local address. */
#define GID_TYPES	2

/*
 * What stands before and after the payload of the largest packet, a WRITE ONLY
 * with immediate data over IPv6: BTH, RETH, ImmDt and the ICRC.
 */
#define MAX_OVERHEAD	(sizeof(struct ipv6hdr) + sizeof(struct udphdr) + \
			 XROCE_BTH_BYTES + 16 + 4 + XROCE_ICRC_BYTES)

enum ib_mtu xroce_dev_mtu(const struct net_device *ndev)
{
	unsigned int netdev_mtu = READ_ONCE(ndev->mtu);
	enum ib_mtu mtu;

	for (mtu = IB_MTU_4096; mtu >= IB_MTU_256; mtu--) {
		if (netdev_mtu >= ib_mtu_enum_to_int(mtu) + MAX_OVERHEAD)
			return mtu;
	}
	return 0;
}

bool xroce_port_is_active(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev) &&
	       xroce_dev_mtu(ndev);
}

/* ---- queries ---------------------------------------------------------------- */

static u32 read_drops(const struct xroce_dev *dev, enum xroce_drop reason)
{
	return xrdma_stats_read(&dev->stats, XROCE_STAT_DROP + reason - 1);
}

static void fill_state(const struct xroce_dev *dev, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_DOWN;
	if (READ_ONCE(dev->is_leaving) || !netif_running(dev->ndev)) {
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	} else if (!xroce_port_is_active(dev->ndev)) {
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	} else {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	}
}

int xroce_query_port(struct ib_device *ibdev, u32 port_num,
		     struct ib_port_attr *attr)
{
	struct xroce_dev *dev = to_xroce_dev(ibdev);

	fill_state(dev, attr);
	/* The core asks at each event of the port. */
	WRITE_ONCE(dev->congest.mbps, xrdma_port_fill_speed(dev->ndev, attr));
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = xroce_dev_mtu(dev->ndev) ?: IB_MTU_256;
	attr->gid_tbl_len = GID_TABLE_LEN;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = XROCE_MAX_MESSAGE;
	attr->pkey_tbl_len = 1;
	attr->bad_pkey_cntr = read_drops(dev, XROCE_DROP_PKEY);
	attr->qkey_viol_cntr = read_drops(dev, XROCE_DROP_QKEY);
	attr->max_vl_num = 1;
	return 0;
}

int xroce_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
		     u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

int xroce_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			     struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE |
				    RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = GID_TABLE_LEN;
	immutable->pkey_tbl_len = 1;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer xroce_get_link_layer(struct ib_device *ibdev,
					  u32 port_num)
{
	return IB_LINK_LAYER_ETHERNET;
}

/*
 * The netdev by which the verbs core finds the addresses. It knows VLANs as what lies
 * above a device's netdev, not as that netdev.
 */
static struct net_device *gid_netdev(const struct xroce_dev *dev)
{
	return is_vlan_dev(dev->ndev) ? vlan_dev_real_dev(dev->ndev) : dev->ndev;
}

struct net_device *xroce_get_netdev(struct ib_device *ibdev, u32 port_num)
{
	struct xroce_dev *dev = to_xroce_dev(ibdev);

	/* No new user may hold up a netdev that is going away. */
	if (READ_ONCE(dev->is_leaving))
		return NULL;
	dev_hold(gid_netdev(dev));
	return gid_netdev(dev);
}

/*
 * Of what the core finds for a device on a VLAN only the VLAN's own is ours, and
 * the first GIDs, since the VLAN has the MAC that they are made from.
 */
int xroce_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct xroce_dev *dev = to_xroce_dev(attr->device);
	bool is_ours;

	rcu_read_lock();
	is_ours = attr->index < GID_TYPES ||
		  xroce_dev_is_near_rcu(dev, rcu_dereference(attr->ndev));
	rcu_read_unlock();
	return is_ours ? 0 : -EADDRNOTAVAIL;
}

int xroce_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}
