/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The RDMA device on one netdev: its life, its attributes, its port. */
#ifndef XROCE_DEVICE_H
#define XROCE_DEVICE_H

#include <linux/netdevice.h>
#include <linux/stringify.h>
#include <rdma/ib_verbs.h>
#include "congest.h"
#include "mcast.h"
#include "pma.h"
#include "xrdma.h"

/* Major, minor, patch level. */
#define XROCE_VERSION_1		0
#define XROCE_VERSION_2		1
#define XROCE_VERSION_3		0
#define XROCE_VERSION		__stringify(XROCE_VERSION_1) "." \
				__stringify(XROCE_VERSION_2) "." \
				__stringify(XROCE_VERSION_3)

/* Limits that several files need. Those of rings are what fits in 2^20 slots. */
#define XROCE_MAX_SGE		32
#define XROCE_MAX_INLINE	512
#define XROCE_MAX_QP_WR		((1U << 20) - 1)
#define XROCE_MAX_SRQ_WR	((1U << 20) - 1)
#define XROCE_MAX_CQE		((1U << 20) - 1)
#define XROCE_MAX_RD_ATOMIC	128
#define XROCE_MAX_AH		((1U << 24) - 2)

struct xroce_net;

/**
 * struct xroce_dev - one device
 * @ibdev: the verbs object
 * @ndev: its netdev, held until the device is gone
 * @tracker: of the reference to @ndev
 * @guid: EUI-64 of the device, constant
 * @keys: memory regions
 * @ahs: address handles that user space names by number
 * @gsi: QP1, at index 1, if it exists
 * @groups: multicast groups with members here
 * @stats: enum xroce_stat, all that happened
 * @bound: the part of it that is in counters of QPs
 * @counters: struct xroce_counter by number
 * @next_counter: where to look for a free number
 * @pma: what the management agent has cleared
 * @node: in the list of all devices, RCU
 * @sockets: of the namespace that @ndev was in when the device was made
 * @congest: congestion control
 * @kept_bytes: of packets that came before their turn, all QPs
 * @is_active: the port carried packets at the last netdev event; RTNL
 * @has_on_demand: a region of memory on demand has been registered once
 * @is_leaving: @ndev is going away and so is the device; written under RTNL
 */
struct xroce_dev {
	struct ib_device ibdev;
	struct net_device *ndev;
	netdevice_tracker tracker;
	__be64 guid;
	struct xrdma_table keys;
	struct xrdma_table ahs;
	struct xrdma_table gsi;
	struct xroce_groups groups;
	struct xrdma_stats stats;
	struct xroce_congest congest;
	atomic_long_t kept_bytes;
	struct xrdma_stats bound;
	struct xarray counters;
	u32 next_counter;
	struct xroce_pma pma;
	struct list_head node;
	struct xroce_net *sockets;
	bool is_active;
	bool has_on_demand;
	bool is_leaving;
};

static inline struct xroce_dev *to_xroce_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct xroce_dev, ibdev);
}

struct xroce_ucontext {
	struct ib_ucontext ibuc;
};

struct xroce_pd {
	struct ib_pd ibpd;
};

/* Offers "rdma link add NAME type xroce netdev NDEV". */
void xroce_dev_init(void);
/* Unregisters every device of this module (and of no other) and waits for it. */
void xroce_dev_exit(void);

/*
 * The device on @ndev itself, leaving or not; NULL if none. Caller holds
 * rcu_read_lock(); the memory is valid until it is released.
 */
struct xroce_dev *xroce_dev_on_rcu(const struct net_device *ndev);

/* Frames and groups that come in by @ndev are for @dev: it is on it or below it. */
bool xroce_dev_is_near_rcu(const struct xroce_dev *dev,
			   const struct net_device *ndev);

/*
 * The devices in @net near @ndev, one after the other: the next after @dev, the
 * first if that is NULL; NULL at the end. Caller holds rcu_read_lock().
 */
struct xroce_dev *xroce_dev_next_near_rcu(struct xroce_dev *dev, struct net *net,
					  const struct net_device *ndev);

/*
 * The device that owns address @dgid in @net, for packets to QP1 and for counting
 * drops: the one on @ndev (or below it) if there are several.
 * Groups have no owner, only @ndev counts for them. Softirq or process.
 * Caller holds rcu_read_lock(); the result is valid until it is released.
 */
struct xroce_dev *xroce_dev_find_rcu(struct net *net, const union ib_gid *dgid,
				     const struct net_device *ndev);

/* ib_device_ops.dealloc_driver: also of a device that was made only in part. */
void xroce_dealloc_driver(struct ib_device *ibdev);

/* @gid is an address of @dev. Any context. */
bool xroce_dev_has_gid(struct xroce_dev *dev, const union ib_gid *gid);

/* Path MTU limit of the port now, as enum ib_mtu; 0 if the netdev's is too small. */
enum ib_mtu xroce_dev_mtu(const struct net_device *ndev);

#endif
