// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The life of a device: "rdma link add" makes it; "rdma link del", the end of
 * its netdev or of this module unregister it, in whatever order or at the same
 * time.
 *
 * A device is in the list before it is registered (QP1 works while registering)
 * until the verbs core has let go of it. The netdev can go away at any moment,
 * also while we register: both sides meet under RTNL, see is_leaving.
 *
 * The device's id is rxe's, so what the verbs core finds by id may be rxe's
 * device: we only ever use our own list.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/if_arp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <linux/wait_bit.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/rdma_netlink.h>
#include "device.h"
#include "net.h"
#include "ops.h"
#include "port.h"
#include "stats.h"

static LIST_HEAD(devices);
static DEFINE_SPINLOCK(devices_lock);	/* for writers of the list */

/* That dealloc_driver() has yet to be done with; it sleeps in our code. */
static atomic_t num_devices = ATOMIC_INIT(0);

/* ---- finding ------------------------------------------------------------- */

struct xroce_dev *xroce_dev_on_rcu(const struct net_device *ndev)
{
	struct xroce_dev *dev;

	list_for_each_entry_rcu(dev, &devices, node,
				lockdep_is_held(&devices_lock)) {
		if (dev->ndev == ndev)
			return dev;
	}
	return NULL;
}

/*
 * Every address is there once for each kind of packet, so one kind will do. The
 * reference to the device holds up its end: a table entry that we let go of as
 * the last, while the device is unregistered, would be freed after its table.
 */
bool xroce_dev_has_gid(struct xroce_dev *dev, const union ib_gid *gid)
{
	const struct ib_gid_attr *attr;
	bool found = false;

	if (!ib_device_try_get(&dev->ibdev))
		return false;
	attr = rdma_find_gid_by_port(&dev->ibdev, gid,
				     IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (!IS_ERR(attr)) {
		found = true;
		rdma_put_gid_attr(attr);
	}
	ib_device_put(&dev->ibdev);
	return found;
}

/* 2: @ndev is the device's own; 1: it lies above that (VLAN, bond, bridge). */
static int nearness(const struct xroce_dev *dev, const struct net_device *ndev)
{
	if (dev->ndev == ndev)
		return 2;
	return netdev_has_upper_dev_all_rcu(dev->ndev,
					    (struct net_device *)ndev);
}

bool xroce_dev_is_near_rcu(const struct xroce_dev *dev,
			   const struct net_device *ndev)
{
	return nearness(dev, ndev);
}

struct xroce_dev *xroce_dev_next_near_rcu(struct xroce_dev *dev, struct net *net,
					  const struct net_device *ndev)
{
	dev = dev ? list_next_entry(dev, node) :
		    list_first_entry(&devices, struct xroce_dev, node);
	list_for_each_entry_from_rcu(dev, &devices, node) {
		if (!READ_ONCE(dev->is_leaving) &&
		    net_eq(dev_net(dev->ndev), net) && nearness(dev, ndev))
			return dev;
	}
	return NULL;
}

struct xroce_dev *xroce_dev_find_rcu(struct net *net, const union ib_gid *dgid,
				     const struct net_device *ndev)
{
	bool is_group = rdma_is_multicast_addr((struct in6_addr *)dgid->raw);
	struct xroce_dev *dev, *best = NULL;
	int best_score = 0;

	list_for_each_entry_rcu(dev, &devices, node) {
		int score = nearness(dev, ndev);

		if (READ_ONCE(dev->is_leaving) ||
		    !net_eq(dev_net(dev->ndev), net))
			continue;
		if (!is_group)
			score = xroce_dev_has_gid(dev, dgid) ? score + 1 : 0;
		if (score <= best_score)
			continue;
		best = dev;
		best_score = score;
		if (dev->ndev == ndev)
			break;	/* nothing is nearer */
	}
	return best;
}

/* ---- making ---------------------------------------------------------------- */

/* Each refusal says what to do about it; a loop of attempts can't flood the log. */
static int check_netdev(struct net_device *ndev)
{
	if (ndev->type != ARPHRD_ETHER && ndev->type != ARPHRD_LOOPBACK &&
	    ndev->type != ARPHRD_NONE) {
		pr_err_ratelimited("%s is neither Ethernet nor loopback nor tun: not supported\n",
				   netdev_name(ndev));
		return -EOPNOTSUPP;
	}
	return xrdma_check_free(ndev, RDMA_DRIVER_RXE, "rxe", KBUILD_MODNAME);
}

/* CMs tell hosts apart by it: a device without a MAC of its own invents one. */
static __be64 make_guid(const struct net_device *ndev)
{
	u8 mac[ETH_ALEN];
	__be64 guid;

	if (ndev->addr_len == ETH_ALEN && is_valid_ether_addr(ndev->dev_addr))
		ether_addr_copy(mac, ndev->dev_addr);
	else
		eth_random_addr(mac);
	addrconf_addr_eui48((u8 *)&guid, mac);
	return guid;
}

static void init_ibdev(struct xroce_dev *dev)
{
	struct ib_device *ibdev = &dev->ibdev;

	strscpy(ibdev->node_desc, "xroce", sizeof(ibdev->node_desc));
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->node_guid = dev->guid;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	/* The provider's doorbell, and arming: not on by default. */
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	ib_mark_name_assigned_by_user(ibdev);
}

static struct xroce_dev *alloc_dev(struct net_device *ndev, struct net *net)
{
	struct xroce_dev *dev;

	dev = ib_alloc_device_with_net(xroce_dev, ibdev, net);
	if (!dev)
		return NULL;
	INIT_LIST_HEAD(&dev->node);
	xrdma_table_init(&dev->keys, XRDMA_KEY_MIN, XRDMA_KEY_MAX);
	dev->keys.is_random = true;
	xrdma_table_init(&dev->ahs, 1, XROCE_MAX_AH);
	xrdma_table_init(&dev->gsi, 1, 1);
	xroce_groups_init(&dev->groups);
	xroce_congest_init(&dev->congest);
	xa_init_flags(&dev->counters, XA_FLAGS_ALLOC1);
	dev->guid = make_guid(ndev);
	dev->ndev = ndev;
	netdev_hold(ndev, &dev->tracker, GFP_KERNEL);
	atomic_inc(&num_devices);
	/* From here on ib_dealloc_device() undoes all of it. */
	ib_set_device_ops(&dev->ibdev, &xroce_ops);
	init_ibdev(dev);

	if (xrdma_stats_init(&dev->stats, XROCE_STAT_COUNT) ||
	    xrdma_stats_init(&dev->bound, XROCE_STAT_COUNT)) {
		ib_dealloc_device(&dev->ibdev);
		return NULL;
	}
	return dev;
}

static int open_sockets(struct xroce_dev *dev, struct net *net)
{
	struct xroce_net *sockets = xroce_net_get(net);

	if (!IS_ERR(sockets)) {
		dev->sockets = sockets;
		return 0;
	}
	if (PTR_ERR(sockets) == -EADDRINUSE)
		pr_err_ratelimited("UDP port 4791 is taken in the network namespace of %s: another RoCE driver? 'rmmod rdma_rxe' frees it\n",
				   netdev_name(dev->ndev));
	return PTR_ERR(sockets);
}

/* Into the list, unless the netdev is gone or has a device. */
static int publish(struct xroce_dev *dev, struct net *net)
{
	struct net_device *ndev = dev->ndev;
	struct xroce_dev *other;
	int err = 0;

	rtnl_lock();
	spin_lock(&devices_lock);
	other = xroce_dev_on_rcu(ndev);
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
		dev->is_active = xroce_port_is_active(ndev);
		list_add_tail_rcu(&dev->node, &devices);
	}
	spin_unlock(&devices_lock);
	rtnl_unlock();
	return err;
}

static int add_in(const char *name, struct net_device *ndev, struct net *net)
{
	struct xroce_dev *dev;
	int err;

	dev = alloc_dev(ndev, net);
	if (!dev)
		return -ENOMEM;
	err = open_sockets(dev, net);
	if (!err)
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

void xroce_dealloc_driver(struct ib_device *ibdev)
{
	struct xroce_dev *dev = to_xroce_dev(ibdev);

	if (!list_empty(&dev->node)) {
		spin_lock(&devices_lock);
		list_del_rcu(&dev->node);
		spin_unlock(&devices_lock);
		/* Packets of other namespaces' sockets may be looking at us. */
		synchronize_net();
	}
	if (dev->sockets)
		xroce_net_put(dev->sockets);
	xa_destroy(&dev->counters);
	xrdma_stats_fini(&dev->bound);
	xrdma_stats_fini(&dev->stats);
	xrdma_table_fini(&dev->gsi);
	xrdma_table_fini(&dev->ahs);
	xrdma_table_fini(&dev->keys);
	netdev_put(dev->ndev, &dev->tracker);
	if (atomic_dec_and_test(&num_devices))
		wake_up_var(&num_devices);
}

static struct rdma_link_ops link_ops = {
	.type = "xroce",
	.newlink = newlink,
};

/* Some listed device, with a reference to its memory. */
static struct xroce_dev *get_first(void)
{
	struct xroce_dev *dev;

	spin_lock(&devices_lock);
	dev = list_first_entry_or_null(&devices, struct xroce_dev, node);
	if (dev)
		get_device(&dev->ibdev.dev);
	spin_unlock(&devices_lock);
	return dev;
}

void xroce_dev_init(void)
{
	rdma_link_register(&link_ops);
}

void xroce_dev_exit(void)
{
	struct xroce_dev *dev;

	/* Waits for newlink() in progress. */
	rdma_link_unregister(&link_ops);
	while ((dev = get_first())) {
		/* Also waits for whoever is unregistering it already. */
		ib_unregister_device(&dev->ibdev);
		put_device(&dev->ibdev.dev);
	}
	wait_var_event(&num_devices, !atomic_read(&num_devices));
	/* Whoever woke us may still be on his way out of our code. */
	synchronize_rcu_tasks();
}
