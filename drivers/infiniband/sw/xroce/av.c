// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address vectors and handles (see av.h). An AV is constant, so packets in
 * flight keep the one they began with, whatever becomes of the handle.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/xroce-abi.h>
#include "av.h"
#include "device.h"

/* IBA: 0 would be dropped by the first router. */
#define DEFAULT_HOP_LIMIT	64
#define MAX_SL			7
#define FLOW_LABEL_MASK		0xfffff

static bool is_ipv4(const union ib_gid *gid)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)gid->raw);
}

/* Both ends of a UDP packet speak one IP version, as the source GID says. */
static int choose_l3(const struct ib_gid_attr *sgid_attr,
		     const union ib_gid *dgid, enum xroce_l3 *l3)
{
	switch (sgid_attr->gid_type) {
	case IB_GID_TYPE_ROCE:
		*l3 = XROCE_L3_GRH;
		return 0;
	case IB_GID_TYPE_ROCE_UDP_ENCAP:
		if (is_ipv4(&sgid_attr->gid) != is_ipv4(dgid))
			return -EINVAL;
		*l3 = is_ipv4(dgid) ? XROCE_L3_IPV4 : XROCE_L3_IPV6;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Return: the priority that a service level asks for, or -EINVAL. */
static int priority_of(u8 sl)
{
	if (sl == XROCE_SL_CAME_AS_IPV4 || sl == XROCE_SL_CAME_AS_IPV6)
		return 0;
	return sl <= MAX_SL ? sl : -EINVAL;
}

struct xroce_av *xroce_av_create(const struct rdma_ah_attr *attr,
				 const struct ib_pd *pd, gfp_t gfp)
{
	const struct ib_global_route *grh = &attr->grh;
	struct xroce_av *av;
	int sl = priority_of(attr->sl);
	enum xroce_l3 l3;

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE ||
	    !(attr->ah_flags & IB_AH_GRH) || !grh->sgid_attr ||
	    sl < 0 || choose_l3(grh->sgid_attr, &grh->dgid, &l3))
		return ERR_PTR(-EINVAL);

	av = kzalloc_obj(*av, gfp);
	if (!av)
		return ERR_PTR(-ENOMEM);
	refcount_set(&av->ref, 1);
	av->pd = pd;
	rdma_hold_gid_attr(grh->sgid_attr);
	av->sgid_attr = grh->sgid_attr;
	av->l3 = l3;
	av->sgid = grh->sgid_attr->gid;
	av->dgid = grh->dgid;
	av->is_group = rdma_is_multicast_addr((struct in6_addr *)av->dgid.raw);
	ether_addr_copy(av->dmac, attr->roce.dmac);
	av->tclass = grh->traffic_class;
	av->hop_limit = grh->hop_limit ?: DEFAULT_HOP_LIMIT;
	av->sl = sl;
	av->flow_label = grh->flow_label & FLOW_LABEL_MASK;
	return av;
}

struct net_device *xroce_av_egress_rcu(const struct xroce_av *av,
				       const struct xroce_dev *dev)
{
	struct net_device *ndev = rdma_read_gid_attr_ndev_rcu(av->sgid_attr);

	return IS_ERR(ndev) || !xroce_dev_is_near_rcu(dev, ndev) ? dev->ndev :
								   ndev;
}

void xroce_av_put(struct xroce_av *av)
{
	if (!av || !refcount_dec_and_test(&av->ref))
		return;
	/* Now, not with the memory: the GID table may go before that. */
	rdma_put_gid_attr(av->sgid_attr);
	kfree_rcu(av, rcu);
}

struct xroce_av *xroce_av_find(struct xrdma_table *ahs, u32 number,
			       const struct ib_pd *pd)
{
	struct xroce_av *av = NULL;
	struct xrdma_ref *ref;
	struct xroce_ah *ah;

	ref = xrdma_ref_get(ahs, number);
	if (!ref)
		return NULL;
	ah = ref->obj;
	if (ah->ibah.pd == pd) {
		rcu_read_lock();
		do {
			av = READ_ONCE(ah->av);
			/* 0: modify_ah() has just put another in its place. */
		} while (!refcount_inc_not_zero(&av->ref));
		rcu_read_unlock();
	}
	xrdma_ref_put(ref);
	return av;
}

/* ---- verbs --------------------------------------------------------------------- */

static struct xrdma_table *ah_table(const struct xroce_ah *ah)
{
	return &to_xroce_dev(ah->ibah.device)->ahs;
}

/* A number for user space to name it by in work requests, and tell it. */
static int give_number(struct xroce_ah *ah, struct ib_udata *udata)
{
	struct xroce_create_ah_resp resp = {};
	int err;

	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	ah->ref = xrdma_ref_add(ah_table(ah), ah, 0, GFP_KERNEL);
	if (IS_ERR(ah->ref))
		return PTR_ERR(ah->ref);
	resp.ah_num = ah->ref->index;
	err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (err)
		xrdma_ref_del(ah_table(ah), ah->ref);
	return err;
}

int xroce_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata)
{
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL :
							     GFP_ATOMIC;
	struct xroce_ah *ah = to_xroce_ah(ibah);
	int err;

	ah->av = xroce_av_create(init->ah_attr, ibah->pd, gfp);
	if (IS_ERR(ah->av))
		return PTR_ERR(ah->av);
	ah->is_user = udata;
	if (udata) {
		/* A process: may sleep. */
		err = give_number(ah, udata);
		if (err) {
			xroce_av_put(ah->av);
			return err;
		}
	}
	return 0;
}

int xroce_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct xroce_ah *ah = to_xroce_ah(ibah);
	struct xroce_av *av;

	av = xroce_av_create(attr, ibah->pd, GFP_ATOMIC);
	if (IS_ERR(av))
		return PTR_ERR(av);
	xroce_av_put(xchg(&ah->av, av));
	return 0;
}

int xroce_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	const struct xroce_av *av = to_xroce_ah(ibah)->av;

	memset(attr, 0, sizeof(*attr));
	attr->type = ibah->type;
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_sl(attr, av->sl);
	rdma_ah_set_grh(attr, (union ib_gid *)&av->dgid, av->flow_label,
			av->sgid_attr->index, av->hop_limit, av->tclass);
	ether_addr_copy(attr->roce.dmac, av->dmac);
	return 0;
}

int xroce_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct xroce_ah *ah = to_xroce_ah(ibah);

	/* Only those of users have numbers, and they are destroyed by processes. */
	if (ah->is_user)
		xrdma_ref_del(ah_table(ah), ah->ref);
	xroce_av_put(ah->av);
	return 0;
}
