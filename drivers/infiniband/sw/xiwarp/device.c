// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The life of a device: "rdma link add" makes it; "rdma link del", the end of
 * its netdev or of this module unregister it, in whatever order or at the same
 * time.
 *
 * A device is in the list before it is registered until the verbs core has let
 * go of it. The netdev can go away at any moment, also while we register: both
 * sides meet under RTNL, see is_leaving.
 *
 * The device's id is siw's, so what the verbs core finds by id may be siw's
 * device: we only ever use our own list.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/wait_bit.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>
#include <rdma/iw_cm.h>
#include <rdma/rdma_netlink.h>
#include <rdma/uverbs_ioctl.h>
#include "device.h"
#include "ep.h"
#include "ops.h"
#include "port.h"
#include "stats.h"

static LIST_HEAD(devices);		/* RTNL */

/* That dealloc_driver() has yet to be done with; it sleeps in our code. */
static atomic_t num_devices = ATOMIC_INIT(0);

struct ib_ucontext *xiwarp_udata_context(struct ib_udata *udata)
{
	struct xiwarp_ucontext *uc =
		rdma_udata_to_drv_context(udata, struct xiwarp_ucontext, ibuc);

	return uc ? &uc->ibuc : NULL;
}

struct xiwarp_dev *xiwarp_dev_on(const struct net_device *ndev)
{
	struct xiwarp_dev *dev;

	ASSERT_RTNL();
	list_for_each_entry(dev, &devices, node) {
		if (dev->ndev == ndev)
			return dev;
	}
	return NULL;
}

/* ---- making ---------------------------------------------------------------- */

/* Each refusal says what to do about it; a loop of attempts can't flood the log. */
static int check_netdev(struct net_device *ndev)
{
	if (ndev->type != ARPHRD_ETHER && ndev->type != ARPHRD_LOOPBACK &&
	    ndev->type != ARPHRD_IEEE802 && ndev->type != ARPHRD_NONE) {
		pr_err_ratelimited("%s is neither Ethernet nor loopback nor tun: not supported\n",
				   netdev_name(ndev));
		return -EOPNOTSUPP;
	}
	return xrdma_check_free(ndev, RDMA_DRIVER_SIW, "siw", KBUILD_MODNAME);
}

static void init_ibdev(struct xiwarp_dev *dev)
{
	struct ib_device *ibdev = &dev->ibdev;

	strscpy(ibdev->node_desc, "xiwarp", sizeof(ibdev->node_desc));
	ibdev->node_type = RDMA_NODE_RNIC;
	addrconf_addr_eui48((u8 *)&ibdev->node_guid, dev->mac);
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	/* The provider's doorbell: not on by default. */
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND);
	/* Ports are TCP's own: nobody need reserve them for us. */
	ibdev->iw_driver_flags = IW_F_NO_PORT_MAP;
	strscpy(ibdev->iw_ifname, netdev_name(dev->ndev),
		sizeof(ibdev->iw_ifname));
	ib_mark_name_assigned_by_user(ibdev);
}

static void choose_mac(struct xiwarp_dev *dev)
{
	const struct net_device *ndev = dev->ndev;

	if (ndev->addr_len == ETH_ALEN && is_valid_ether_addr(ndev->dev_addr))
		ether_addr_copy(dev->mac, ndev->dev_addr);
	else
		eth_random_addr(dev->mac);
}

static struct xiwarp_dev *alloc_dev(struct net_device *ndev, struct net *net)
{
	struct xiwarp_dev *dev;

	dev = ib_alloc_device_with_net(xiwarp_dev, ibdev, net);
	if (!dev)
		return NULL;
	INIT_LIST_HEAD(&dev->node);
	INIT_LIST_HEAD(&dev->eps);
	spin_lock_init(&dev->eps_lock);
	xrdma_table_init(&dev->keys, XRDMA_KEY_MIN, XRDMA_KEY_MAX);
	xrdma_table_init(&dev->qps, 1, XIWARP_MAX_QP);
	xrdma_table_init(&dev->ep_table, 1, XIWARP_MAX_QP);
	dev->ndev = ndev;
	netdev_hold(ndev, &dev->tracker, GFP_KERNEL);
	choose_mac(dev);
	atomic_inc(&num_devices);
	/* From here on ib_dealloc_device() undoes all of it. */
	ib_set_device_ops(&dev->ibdev, &xiwarp_ops);
	init_ibdev(dev);

	if (xrdma_stats_init(&dev->stats, XIWARP_STAT_COUNT)) {
		ib_dealloc_device(&dev->ibdev);
		return NULL;
	}
	return dev;
}

static bool has_device(const struct net *net)
{
	struct xiwarp_dev *dev;

	list_for_each_entry(dev, &devices, node) {
		if (net_eq(dev_net(dev->ndev), net))
			return true;
	}
	return false;
}

/* Into the list, unless the netdev is gone or has a device. */
static int publish(struct xiwarp_dev *dev, struct net *net)
{
	struct net_device *ndev = dev->ndev;
	struct xiwarp_dev *other;
	int err = 0;

	rtnl_lock();
	other = xiwarp_dev_on(ndev);
	if (other) {
		pr_err_ratelimited("%s has the device %s already: 'rdma link del %s' first\n",
				   netdev_name(ndev),
				   dev_name(&other->ibdev.dev),
				   dev_name(&other->ibdev.dev));
		err = -EEXIST;
	} else if (ndev->reg_state != NETREG_REGISTERED ||
		   !net_eq(dev_net(ndev), net)) {
		err = -ENODEV;
	} else {
		dev->is_active = xiwarp_port_is_active(ndev);
		dev->takes_all = !has_device(net);
		list_add_tail(&dev->node, &devices);
	}
	rtnl_unlock();
	return err;
}

static int add_in(const char *name, struct net_device *ndev, struct net *net)
{
	struct xiwarp_dev *dev;
	int err;

	dev = alloc_dev(ndev, net);
	if (!dev)
		return -ENOMEM;
	err = publish(dev, net);
	if (err) {
		ib_dealloc_device(&dev->ibdev);
		return err;
	}
	return xrdma_register(&dev->ibdev, name, ndev, &dev->is_leaving);
}

static int newlink(const char *name, struct net_device *ndev)
{
	struct net *net;
	int err;

	err = check_netdev(ndev);
	if (err)
		return err;
	net = maybe_get_net(dev_net(ndev));
	if (!net)
		return -ENODEV;
	err = add_in(name, ndev, net);
	put_net(net);
	return err;
}

/* ---- unmaking ---------------------------------------------------------------- */

void xiwarp_dealloc_driver(struct ib_device *ibdev)
{
	struct xiwarp_dev *dev = to_xiwarp_dev(ibdev);

	rtnl_lock();
	list_del_init(&dev->node);
	rtnl_unlock();
	/* Users are gone, TCP connections may not be. */
	xiwarp_ep_abort_all(dev);
	xiwarp_ep_wait_all(dev);
	xrdma_stats_fini(&dev->stats);
	xrdma_table_fini(&dev->ep_table);
	xrdma_table_fini(&dev->qps);
	xrdma_table_fini(&dev->keys);
	netdev_put(dev->ndev, &dev->tracker);
	if (atomic_dec_and_test(&num_devices))
		wake_up_var(&num_devices);
}

static struct rdma_link_ops link_ops = {
	.type = "xiwarp",
	.newlink = newlink,
};

/* Some listed device, with a reference to its memory. */
static struct xiwarp_dev *get_first(void)
{
	struct xiwarp_dev *dev;

	rtnl_lock();
	dev = list_first_entry_or_null(&devices, struct xiwarp_dev, node);
	if (dev)
		get_device(&dev->ibdev.dev);
	rtnl_unlock();
	return dev;
}

/*
 * A client like any other, but younger than the CMs, so that it hears of the end
 * before they do: what waits for the network then must not hold them up.
 */
static int add_client(struct ib_device *ibdev)
{
	return ibdev->ops.owner == THIS_MODULE ? 0 : -EOPNOTSUPP;
}

static void remove_client(struct ib_device *ibdev, void *data)
{
	struct xiwarp_dev *dev = to_xiwarp_dev(ibdev);

	WRITE_ONCE(dev->is_ending, true);
	xiwarp_ep_abort_all(dev);
}

static struct ib_client client = {
	.name = "xiwarp",
	.add = add_client,
	.remove = remove_client,
};

int xiwarp_dev_init(void)
{
	int err;

	err = ib_register_client(&client);
	if (err)
		return err;
	rdma_link_register(&link_ops);
	return 0;
}

void xiwarp_dev_exit(void)
{
	struct xiwarp_dev *dev;

	/* Waits for newlink() in progress. */
	rdma_link_unregister(&link_ops);
	while ((dev = get_first())) {
		/* Also waits for whoever is unregistering it already. */
		ib_unregister_device(&dev->ibdev);
		put_device(&dev->ibdev.dev);
	}
	wait_var_event(&num_devices, !atomic_read(&num_devices));
	ib_unregister_client(&client);
	/* Whoever woke us may still be on his way out of our code. */
	synchronize_rcu_tasks();
}
