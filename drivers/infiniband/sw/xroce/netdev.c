// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Netdev events. The verbs core follows addresses into the GID table by itself,
 * but it neither tells port events (newer kernels: only of devices that it knows
 * by netdev, which we avoid, see device.c) nor ends a device with its netdev.
 */
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>
#include "device.h"
#include "netdev.h"
#include "port.h"
#include "stats.h"
#include "trace.h"

/* One event for each real change, however many the netdev announces. */
static void refresh(struct xroce_dev *dev)
{
	bool is_active = xroce_port_is_active(dev->ndev);

	if (dev->is_active == is_active)
		return;
	dev->is_active = is_active;
	trace_xroce_port_state(dev->ibdev.index, is_active);
	if (!is_active)
		xroce_count(dev, XROCE_STAT_LINK_DOWNED, 1);
	xrdma_tell_port_event(&dev->ibdev, is_active ? IB_EVENT_PORT_ACTIVE :
						       IB_EVENT_PORT_ERR);
}

/* RTNL is held. */
static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);
	struct xroce_dev *dev;

	rcu_read_lock();
	dev = xroce_dev_on_rcu(ndev);
	if (!dev)
		goto unlock;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
		refresh(dev);
		break;
	case NETDEV_UNREGISTER:
		/* It ends or moves to another namespace: so does the device end. */
		WRITE_ONCE(dev->is_leaving, true);
		xrdma_unregister_soon(&dev->ibdev);
		break;
	}
unlock:
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
};

int xroce_netdev_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

void xroce_netdev_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
