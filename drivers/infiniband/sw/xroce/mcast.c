// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups (see mcast.h). The first member of a group opens the netdev's
 * filter for its MAC address and joins at the IP level, so that neighbours and the
 * IP stack let the packets through; the last one undoes it. Sending to a group
 * needs neither; how members on the same host get a copy is told in rx.c.
 */
#include <linux/etherdevice.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/jhash.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/ip.h>
#include "device.h"
#include "mcast.h"
#include "qp.h"

void xroce_groups_init(struct xroce_groups *groups)
{
	groups->num = 0;
	hash_init(groups->table);
}

static u32 key_of(const union ib_gid *gid)
{
	return jhash(gid->raw, sizeof(gid->raw), 0);
}

const struct xroce_group *xroce_group_find_rcu(const struct xroce_dev *dev,
					       const union ib_gid *gid)
{
	const struct xroce_group *group;

	hash_for_each_possible_rcu(dev->groups.table, group, node, key_of(gid),
				   lockdep_rtnl_is_held()) {
		if (!memcmp(&group->gid, gid, sizeof(*gid)))
			return group;
	}
	return NULL;
}

static struct xroce_group *find(const struct xroce_dev *dev,
				const union ib_gid *gid)
{
	ASSERT_RTNL();
	return (struct xroce_group *)xroce_group_find_rcu(dev, gid);
}

static struct xroce_member *find_member(const struct xroce_group *group, u32 qpn)
{
	struct xroce_member *member;

	list_for_each_entry(member, &group->members, node) {
		if (member->qpn == qpn)
			return member;
	}
	return NULL;
}

/* ---- the netdev's side ------------------------------------------------------ */

static const struct in6_addr *to_ipv6(const union ib_gid *gid)
{
	return (const struct in6_addr *)gid->raw;
}

static bool is_ipv4(const union ib_gid *gid)
{
	return ipv6_addr_v4mapped(to_ipv6(gid));
}

static __be32 to_ipv4(const union ib_gid *gid)
{
	__be32 address;

	memcpy(&address, gid->raw + 12, sizeof(address));
	return address;
}

/* As the verbs core maps destinations (ib_resolve_eth_dmac()). */
static void mac_of(const union ib_gid *gid, u8 *mac)
{
	if (is_ipv4(gid))
		ip_eth_mc_map(to_ipv4(gid), mac);
	else
		ipv6_eth_mc_map(to_ipv6(gid), mac);
}

/* A netdev without the protocol has no packets of it to let through. */
static int join_ip(struct net_device *ndev, struct xroce_group *group)
{
	struct in_device *in_dev;
	int err;

	if (!is_ipv4(&group->gid)) {
		err = ipv6_dev_mc_inc(ndev, to_ipv6(&group->gid));
		group->has_joined = !err;
		return err == -ENOMEM ? err : 0;
	}
	in_dev = __in_dev_get_rtnl(ndev);
	if (in_dev)
		ip_mc_inc_group(in_dev, to_ipv4(&group->gid));
	group->has_joined = in_dev;
	return 0;
}

static void leave_ip(struct net_device *ndev, const union ib_gid *gid)
{
	struct in_device *in_dev;

	if (!is_ipv4(gid)) {
		ipv6_dev_mc_dec(ndev, to_ipv6(gid));
		return;
	}
	in_dev = __in_dev_get_rtnl(ndev);
	if (in_dev)
		ip_mc_dec_group(in_dev, to_ipv4(gid));
}

static int open_filter(struct net_device *ndev, const union ib_gid *gid)
{
	u8 mac[ETH_ALEN];

	if (ndev->addr_len != ETH_ALEN)
		return 0;
	mac_of(gid, mac);
	return dev_mc_add(ndev, mac);
}

static void close_filter(struct net_device *ndev, const union ib_gid *gid)
{
	u8 mac[ETH_ALEN];

	if (ndev->addr_len != ETH_ALEN)
		return;
	mac_of(gid, mac);
	dev_mc_del(ndev, mac);
}

static int open_netdev(struct xroce_dev *dev, struct xroce_group *group)
{
	int err;

	/* Memberships end with the netdev's stay in its namespace. */
	if (dev->is_leaving)
		return -ENODEV;
	err = open_filter(dev->ndev, &group->gid);
	if (err)
		return err;
	err = join_ip(dev->ndev, group);
	if (err)
		close_filter(dev->ndev, &group->gid);
	return err;
}

static void close_netdev(struct xroce_dev *dev, const struct xroce_group *group)
{
	if (dev->is_leaving)
		return;
	if (group->has_joined)
		leave_ip(dev->ndev, &group->gid);
	close_filter(dev->ndev, &group->gid);
}

/* ---- groups and members -------------------------------------------------------- */

static struct xroce_group *create_group(struct xroce_dev *dev,
					const union ib_gid *gid)
{
	struct xroce_group *group;
	int err;

	if (dev->groups.num == XROCE_MAX_GROUPS)
		return ERR_PTR(-ENOMEM);
	group = kzalloc_obj(*group, GFP_KERNEL);
	if (!group)
		return ERR_PTR(-ENOMEM);
	group->gid = *gid;
	INIT_LIST_HEAD(&group->members);
	err = open_netdev(dev, group);
	if (err) {
		kfree(group);
		return ERR_PTR(err);
	}
	hash_add_rcu(dev->groups.table, &group->node, key_of(gid));
	dev->groups.num++;
	return group;
}

static void destroy_group(struct xroce_dev *dev, struct xroce_group *group)
{
	hash_del_rcu(&group->node);
	dev->groups.num--;
	close_netdev(dev, group);
	kfree_rcu(group, rcu);
}

static int attach(struct xroce_dev *dev, const union ib_gid *gid,
		  struct xroce_member *member)
{
	struct xroce_group *group = find(dev, gid);

	if (!group) {
		group = create_group(dev, gid);
		if (IS_ERR(group))
			return PTR_ERR(group);
	}
	if (find_member(group, member->qpn))
		return -EEXIST;
	if (group->num_members == XROCE_MAX_MEMBERS)
		return -ENOMEM;
	list_add_tail_rcu(&member->node, &group->members);
	group->num_members++;
	return 0;
}

int xroce_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct xroce_member *member;
	int err;

	member = kzalloc_obj(*member, GFP_KERNEL);
	if (!member)
		return -ENOMEM;
	member->qpn = ibqp->qp_num;
	rtnl_lock();
	err = attach(to_xroce_dev(ibqp->device), gid, member);
	rtnl_unlock();
	if (err)
		kfree(member);
	return err;
}

int xroce_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct xroce_dev *dev = to_xroce_dev(ibqp->device);
	struct xroce_member *member = NULL;
	struct xroce_group *group;

	rtnl_lock();
	group = find(dev, gid);
	if (group)
		member = find_member(group, ibqp->qp_num);
	if (member) {
		list_del_rcu(&member->node);
		if (!--group->num_members)
			destroy_group(dev, group);
	}
	rtnl_unlock();
	if (!member)
		return -EINVAL;
	kfree_rcu(member, rcu);
	return 0;
}
