/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Multicast groups of a device and the QPs in them. */
#ifndef XROCE_MCAST_H
#define XROCE_MCAST_H

#include <linux/hashtable.h>
#include <rdma/ib_verbs.h>

#define XROCE_MAX_GROUPS	8192
#define XROCE_MAX_MEMBERS	1024

struct xroce_dev;

/**
 * struct xroce_groups - the groups of a device; writers hold RTNL, readers RCU
 * @num: groups in @table
 * @table: struct xroce_group by GID
 */
struct xroce_groups {
	unsigned int num;
	DECLARE_HASHTABLE(table, 8);
};

/**
 * struct xroce_group - a group with at least one member
 * @node: in the table
 * @gid: constant
 * @num_members: in @members
 * @members: struct xroce_member
 * @has_joined: the IP stack knows of our membership
 * @rcu: frees it
 */
struct xroce_group {
	struct hlist_node node;
	union ib_gid gid;
	unsigned int num_members;
	struct list_head members;
	bool has_joined;
	struct rcu_head rcu;
};

/**
 * struct xroce_member - a QP in a group
 * @node: in the list of members
 * @qpn: its number; it may be gone
 * @rcu: frees it
 */
struct xroce_member {
	struct list_head node;
	u32 qpn;
	struct rcu_head rcu;
};

void xroce_groups_init(struct xroce_groups *groups);

/* The group of that GID, or NULL. Caller holds rcu_read_lock(). */
const struct xroce_group *xroce_group_find_rcu(const struct xroce_dev *dev,
					       const union ib_gid *gid);

/*
 * ib_device_ops. The core has checked that it is a UD QP and a multicast GID.
 * Return: 0, -EEXIST (is a member), -EINVAL (is none), -ENOMEM (too many).
 */
int xroce_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int xroce_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

#endif
