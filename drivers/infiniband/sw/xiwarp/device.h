/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The RDMA device on one netdev: its life, its attributes, its port. */
#ifndef XIWARP_DEVICE_H
#define XIWARP_DEVICE_H

#include <linux/netdevice.h>
#include <linux/stringify.h>
#include <rdma/ib_verbs.h>
#include <rdma/xiwarp-abi.h>
#include "xrdma.h"

/* Major, minor, patch level. */
#define XIWARP_VERSION_1	0
#define XIWARP_VERSION_2	1
#define XIWARP_VERSION_3	0
#define XIWARP_VERSION		__stringify(XIWARP_VERSION_1) "." \
				__stringify(XIWARP_VERSION_2) "." \
				__stringify(XIWARP_VERSION_3)

/* Limits that several files need. SGEs and inline bytes: what a slot holds. */
#define XIWARP_MAX_SGE		XIWARP_ABI_MAX_SGE
#define XIWARP_MAX_INLINE	XIWARP_ABI_MAX_INLINE
#define XIWARP_MAX_QP_WR	(1U << 17)
#define XIWARP_MAX_SRQ_WR	(1U << 20)
#define XIWARP_MAX_CQE		(1U << 22)
#define XIWARP_MAX_RD_ATOMIC	128
#define XIWARP_MAX_QP		((1U << 24) - 2)

/**
 * struct xiwarp_dev - one device
 * @ibdev: the verbs object
 * @ndev: its netdev, held until the device is gone
 * @tracker: of the reference to @ndev
 * @mac: what stands for a MAC where the netdev has none, constant
 * @keys: memory regions
 * @qps: queue pairs
 * @stats: enum xiwarp_stat
 * @ep_table: connections that wait for the ULP's answer
 * @eps_lock: @eps; interrupts off, a leaf
 * @eps: listeners and connections, which end before the device does
 * @takes_all: the first device of its namespace, see sock.c
 * @node: in the list of all devices; RTNL
 * @is_active: the port carried packets at the last netdev event; RTNL
 * @requests_due: endpoints that have yet to send their Request
 * @is_ending: the device is being unregistered: no new connections
 * @is_leaving: @ndev is going away and so is the device; written under RTNL
 */
struct xiwarp_dev {
	struct ib_device ibdev;
	struct net_device *ndev;
	netdevice_tracker tracker;
	u8 mac[ETH_ALEN];
	struct xrdma_table keys;
	struct xrdma_table qps;
	struct xrdma_stats stats;
	struct xrdma_table ep_table;
	spinlock_t eps_lock;
	struct list_head eps;
	bool takes_all;
	struct list_head node;
	bool is_active;
	atomic_t requests_due;
	bool is_ending;
	bool is_leaving;
};

static inline struct xiwarp_dev *to_xiwarp_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct xiwarp_dev, ibdev);
}

struct xiwarp_ucontext {
	struct ib_ucontext ibuc;
};

struct xiwarp_pd {
	struct ib_pd ibpd;
};

/* The verbs core's context of a command; NULL for kernel users. */
struct ib_ucontext *xiwarp_udata_context(struct ib_udata *udata);

/* Offers "rdma link add NAME type xiwarp netdev NDEV". */
int xiwarp_dev_init(void);
/* Unregisters every device of this module (and of no other) and waits for it. */
void xiwarp_dev_exit(void);

/* The device on @ndev, leaving or not; NULL if none. RTNL is held. */
struct xiwarp_dev *xiwarp_dev_on(const struct net_device *ndev);

/* ib_device_ops.dealloc_driver: also of a device that was made only in part. */
void xiwarp_dealloc_driver(struct ib_device *ibdev);

#endif
