/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From service level and traffic class to what qdiscs and VLANs sort packets by. */
#ifndef XROCE_PRIO_H
#define XROCE_PRIO_H

#include <linux/types.h>

struct net_device;
struct xroce_av;

/*
 * skb->priority of packets to @av that leave by @ndev. A service level is the
 * priority, or on a VLAN the PCP that is wanted; without one the traffic class
 * decides as it does for sockets. 0 if there is neither. Caller holds rcu_read_lock().
 */
u32 xroce_priority_rcu(const struct xroce_av *av, struct net_device *ndev);

#endif
