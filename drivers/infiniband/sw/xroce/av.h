/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Address vectors: where a QP or an address handle sends to. */
#ifndef XROCE_AV_H
#define XROCE_AV_H

#include <rdma/ib_verbs.h>
#include "core/icrc.h"
#include "xrdma.h"

struct xroce_dev;

/**
 * struct xroce_av - an address vector, constant after creation
 * @ref: one for the AH or QP, one for each work request that uses it
 * @rcu: frees it
 * @pd: PD of the address handle; NULL for a QP's own
 * @sgid_attr: held; its netdev is found by rdma_read_gid_attr_ndev_rcu()
 * @l3: enum xroce_l3
 * @is_group: @dgid is a multicast group
 * @sgid: source
 * @dgid: destination
 * @dmac: destination MAC as the verbs core resolved it
 * @tclass: traffic class
 * @hop_limit: never 0
 * @sl: service level
 * @flow_label: 20 bit
 */
struct xroce_av {
	refcount_t ref;
	struct rcu_head rcu;
	const struct ib_pd *pd;
	const struct ib_gid_attr *sgid_attr;
	enum xroce_l3 l3;
	bool is_group;
	union ib_gid sgid;
	union ib_gid dgid;
	u8 dmac[ETH_ALEN];
	u8 tclass;
	u8 hop_limit;
	u8 sl;
	u32 flow_label;
};

/*
 * What a program finds as the service level of a datagram that came. RoCE packets have
 * none, so ConnectX tells there what packet it was (bit 3: with a UDP header), and some
 * programs go by it. It is no priority for an address handle made from a completion.
 */
#define XROCE_SL_CAME_AS_GRH	0
#define XROCE_SL_CAME_AS_IPV6	9
#define XROCE_SL_CAME_AS_IPV4	10

struct xroce_ah {
	struct ib_ah ibah;
	struct xroce_av *av;
	struct xrdma_ref *ref;
	bool is_user;
};

static inline struct xroce_ah *to_xroce_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct xroce_ah, ibah);
}

/*
 * From validated verbs attributes (GRH with sgid_attr present). Any context with
 * @gfp GFP_ATOMIC. Return: an AV with one reference or an ERR_PTR (-EINVAL when
 * there is no GRH, -ENOMEM).
 */
struct xroce_av *xroce_av_create(const struct rdma_ah_attr *attr,
				 const struct ib_pd *pd, gfp_t gfp);
/* Any context. NULL is fine. */
void xroce_av_put(struct xroce_av *av);

/*
 * The netdev that packets leave by: that of the source GID (a VLAN, perhaps). When
 * the address was removed its entry is dead for good, but the address may be back:
 * the device's own then; also for what the core thinks is below it (port.c).
 * Caller holds rcu_read_lock().
 */
struct net_device *xroce_av_egress_rcu(const struct xroce_av *av,
				       const struct xroce_dev *dev);

/* A user's address handle by number, with a reference; NULL if none or of another PD. */
struct xroce_av *xroce_av_find(struct xrdma_table *ahs, u32 number,
			       const struct ib_pd *pd);

/* ib_device_ops */
int xroce_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata);
int xroce_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int xroce_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int xroce_destroy_ah(struct ib_ah *ibah, u32 flags);

#endif
