// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Priorities (see prio.h). rdma_cm gives both a class and a service level, which it
 * made of the class (cma.c: iboe_tos_to_sl()); then the class tells more.
 */
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <net/dcbnl.h>
#include <net/route.h>
#include "av.h"
#include "prio.h"

#define PRIORITIES	16	/* that prio_tc_map and VLANs can tell apart */

static struct net_device *real_dev(struct net_device *ndev)
{
	return is_vlan_dev(ndev) ? vlan_dev_real_dev(ndev) : ndev;
}

static u32 pcp_of(struct net_device *vlan, u32 priority)
{
	return vlan_dev_get_egress_qos_mask(vlan, priority) >> VLAN_PRIO_SHIFT;
}

/* The administrator's table of the netdev, or that of IP sockets. */
static u32 from_class(struct net_device *ndev, u8 tclass)
{
	u8 mask = 0;
#if IS_ENABLED(CONFIG_DCB)
	struct dcb_app app = {
		.selector = IEEE_8021QAZ_APP_SEL_DSCP,
		.protocol = tclass >> 2,
	};

	mask = dcb_ieee_getapp_mask(real_dev(ndev), &app);
#endif
	return mask ? fls(mask) - 1 : rt_tos2priority(tclass);
}

/* What rdma_cm makes of a class. */
static u32 sl_of_class(struct net_device *ndev, u8 tclass)
{
	u32 priority = rt_tos2priority(tclass);

	if (real_dev(ndev)->num_tc)
		return netdev_get_prio_tc_map(real_dev(ndev), priority);
	return is_vlan_dev(ndev) ? pcp_of(ndev, priority) : 0;
}

static u32 from_sl(struct net_device *ndev, u8 sl)
{
	u32 priority;

	if (!is_vlan_dev(ndev) || pcp_of(ndev, sl) == sl)
		return sl;
	for (priority = 0; priority < PRIORITIES; priority++) {
		if (pcp_of(ndev, priority) == sl)
			return priority;
	}
	return sl;
}

u32 xroce_priority_rcu(const struct xroce_av *av, struct net_device *ndev)
{
	if (!av->sl || sl_of_class(ndev, av->tclass) == av->sl)
		return from_class(ndev, av->tclass);
	return from_sl(ndev, av->sl);
}
