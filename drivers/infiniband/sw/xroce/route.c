// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The cached route of a QP (see route.h). */
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include "core/wire.h"
#include "qp.h"
#include "route.h"

enum {
	SEGMENT_NEVER,
	SEGMENT_AUTO,
	SEGMENT_ALWAYS,
};

static int segment = SEGMENT_AUTO;
module_param(segment, int, 0644);
MODULE_PARM_DESC(segment, "Give the network stack several packets at once (RoCEv2): 0 never, 1 unless the netdev cuts IPv4 packets in hardware (default), 2 always");

void xroce_route_reset(struct xroce_route *route)
{
	dst_release(route->dst);
	route->dst = NULL;
	xroce_av_put(route->av);
	route->av = NULL;
}

/*
 * An address of this host at another netdev is found only if none is asked for (but
 * the VRF, if there is one); the way to it is the loopback netdev.
 */
static bool is_local_ipv4(struct net *net, const struct net_device *ndev,
			  const struct xroce_av *av)
{
	__be32 address;

	memcpy(&address, av->dgid.raw + 12, sizeof(address));
	return inet_addr_type_dev_table(net, ndev, address) == RTN_LOCAL;
}

static bool is_local_ipv6(struct net *net, const struct xroce_av *av)
{
	const struct in6_addr *address = (const void *)av->dgid.raw;

	return !(ipv6_addr_type(address) & IPV6_ADDR_LINKLOCAL) &&
	       ipv6_chk_addr(net, address, NULL, 0);
}

static struct dst_entry *lookup_ipv4(struct net *net, const struct xroce_av *av,
				     int oif)
{
	struct flowi4 flow = {
		.flowi4_oif = oif,
		.flowi4_proto = IPPROTO_UDP,
	};
	struct rtable *rt;

	memcpy(&flow.saddr, av->sgid.raw + 12, 4);
	memcpy(&flow.daddr, av->dgid.raw + 12, 4);
	xrdma_flowi4_set_tos(&flow, av->tclass);
	rt = ip_route_output_key(net, &flow);
	return IS_ERR(rt) ? NULL : &rt->dst;
}

static struct dst_entry *lookup_ipv6(struct net *net, const struct xroce_av *av,
				     int oif)
{
	struct flowi6 flow = {
		.flowi6_oif = oif,
		.flowi6_proto = IPPROTO_UDP,
		.flowlabel = ip6_make_flowinfo(av->tclass,
					       htonl(av->flow_label)),
	};
	struct dst_entry *dst;

	memcpy(&flow.saddr, &av->sgid, 16);
	memcpy(&flow.daddr, &av->dgid, 16);
	dst = ip6_route_output(net, NULL, &flow);
	if (!dst->error)
		return dst;
	dst_release(dst);
	return NULL;
}

static struct dst_entry *lookup(const struct xroce_qp *qp,
				const struct xroce_av *av)
{
	struct dst_entry *dst = NULL;
	struct net_device *ndev;

	rcu_read_lock();
	ndev = xroce_av_egress_rcu(av, xroce_qp_dev(qp));
	if (av->l3 == XROCE_L3_IPV4)
		dst = lookup_ipv4(dev_net(ndev), av,
				  is_local_ipv4(dev_net(ndev), ndev, av) ?
				  l3mdev_master_ifindex_rcu(ndev) :
				  ndev->ifindex);
	else if (av->l3 == XROCE_L3_IPV6)
		dst = lookup_ipv6(dev_net(ndev), av,
				  is_local_ipv6(dev_net(ndev), av) ?
				  l3mdev_master_ifindex_rcu(ndev) :
				  ndev->ifindex);
	rcu_read_unlock();
	return dst;
}

static u32 cookie_of(const struct xroce_av *av, const struct dst_entry *dst)
{
	return av->l3 == XROCE_L3_IPV6 ?
	       rt6_get_cookie(dst_rt6_info(dst)) : 0;
}

/* Both ends of a connection come to the same port number (annex A17). */
static __be16 source_port(const struct xroce_qp *qp, const struct xroce_av *av)
{
	u32 label = av->flow_label;

	if (!label)
		label = rdma_calc_flow_label(qp->ibqp.qp_num,
					     qp->attr.dest_qp_num ?: 1);
	return htons(rdma_flow_label_to_udp_sport(label));
}

static bool is_local(const struct xroce_av *av, const struct dst_entry *dst)
{
	if (av->l3 == XROCE_L3_IPV6)
		return dst_rt6_info(dst)->rt6i_flags & RTF_LOCAL;
	return container_of(dst, struct rtable, dst)->rt_type == RTN_LOCAL;
}

/* Cuts buffers by itself, in a way that is not known: a device with a driver below. */
static int segments_in_hardware(struct net_device *ndev,
				struct netdev_nested_priv *priv)
{
	return ndev->dev.parent && ndev->features & NETIF_F_GSO_UDP_L4;
}

static bool is_above_hardware(struct net_device *ndev)
{
	struct netdev_nested_priv none = {};
	bool is_above;

	rcu_read_lock();
	is_above = segments_in_hardware(ndev, &none) ||
		   netdev_walk_all_lower_dev_rcu(ndev, segments_in_hardware,
						 &none);
	rcu_read_unlock();
	return is_above;
}

/* IPv6 has no identification that could be counted in another way than ours. */
static bool may_segment(const struct xroce_av *av, const struct dst_entry *dst)
{
	if (segment != SEGMENT_AUTO)
		return segment == SEGMENT_ALWAYS;
	return av->l3 == XROCE_L3_IPV6 || !is_above_hardware(dst->dev);
}

static bool is_fresh(const struct xroce_route *route, const struct xroce_av *av)
{
	return route->av == av && route->dst &&
	       dst_check(route->dst, route->cookie);
}

bool xroce_route_find(struct xroce_qp *qp, struct xroce_av *av)
{
	struct xroce_route *route = &qp->route;
	struct dst_entry *dst;

	if (is_fresh(route, av))
		return true;
	dst = lookup(qp, av);
	xroce_route_reset(route);
	if (!dst)
		return false;
	refcount_inc(&av->ref);
	route->av = av;
	route->dst = dst;
	route->cookie = cookie_of(av, dst);
	route->sport = source_port(qp, av);
	route->is_local = is_local(av, dst);
	route->may_segment = may_segment(av, dst);
	return true;
}
