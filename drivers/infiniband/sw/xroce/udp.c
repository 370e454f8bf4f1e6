// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RoCEv2: packets to and from UDP (see udp.h; annex A17). */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/xfrm.h>
#include "av.h"
#include "batch.h"
#include "core/wire.h"
#include "route.h"
#include "rx.h"
#include "udp.h"

/* ---- receive ------------------------------------------------------------------ */

/* Headers that the ICRC rules know, and lengths that agree with each other. */
static bool headers_fit(struct xroce_incoming *in)
{
	const struct sk_buff *skb = in->skb;
	u32 udp_len = ntohs(udp_hdr(skb)->len);
	u32 net_len = skb_transport_offset(skb) - skb_network_offset(skb);

	if (in->l3 == XROCE_L3_IPV4) {
		if (net_len != sizeof(struct iphdr) ||
		    ip_is_fragment(ip_hdr(skb)))
			return false;
	} else if (net_len != sizeof(struct ipv6hdr)) {
		return false;
	}
	if (skb_is_gso(skb)) {
		in->end = skb->len;
		in->seg = skb_shinfo(skb)->gso_size;
		return in->seg >= XROCE_BTH_BYTES + XROCE_ICRC_BYTES;
	}
	if (udp_len > skb->len || udp_len <= sizeof(struct udphdr) ||
	    (in->l3 == XROCE_L3_IPV4 &&
	     ntohs(ip_hdr(skb)->tot_len) != udp_len + sizeof(struct iphdr)))
		return false;
	in->end = udp_len;
	in->seg = udp_len - sizeof(struct udphdr);
	return true;
}

/*
 * The UDP checksum was left to a netdev that did not need it: nothing but memory of
 * this host, or of the one that it is a guest of, lies between the sender and us.
 * So does xroce with buffers of several packets. A single one is some program's that
 * plays RoCE over a socket, maybe to see whether we look.
 */
static bool never_left_host(const struct sk_buff *skb)
{
	return xroce_shortcut && skb_is_gso(skb) &&
	       skb->ip_summed == CHECKSUM_PARTIAL;
}

int xroce_udp_receive(struct sock *sk, struct sk_buff *skb)
{
	struct xroce_incoming in = { .bth = sizeof(struct udphdr) };

	xroce_rx_begin(&in, skb);
	in.l3 = ip_hdr(skb)->version == 4 ? XROCE_L3_IPV4 : XROCE_L3_IPV6;
	in.is_trusted = never_left_host(skb);
	if (headers_fit(&in))
		xroce_rx_buffer(&in);
	else
		xroce_rx_drop(&in, XROCE_DROP_L3);
	consume_skb(skb);
	return 0;
}

/* ---- whole buffers of packets ------------------------------------------------- */

#if IS_ENABLED(CONFIG_NETFILTER)

/* @l3_bytes: IP header, at skb->data; no options, no extension headers */
static unsigned int take_buffer(struct sk_buff *skb, u32 l3_bytes)
{
	const struct udphdr *udp;

	if (!(skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4) ||
	    !pskb_may_pull(skb, l3_bytes + sizeof(*udp)))
		return NF_ACCEPT;
	udp = (void *)(skb->data + l3_bytes);
	if (udp->dest != htons(XROCE_UDP_PORT))
		return NF_ACCEPT;
	skb_set_transport_header(skb, l3_bytes);
	__skb_pull(skb, l3_bytes);
	xroce_udp_receive(NULL, skb);
	return NF_STOLEN;
}

static unsigned int hook_ipv4(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	if (!skb_is_gso(skb) || ip_hdr(skb)->protocol != IPPROTO_UDP ||
	    ip_hdrlen(skb) != sizeof(struct iphdr))
		return NF_ACCEPT;
	if (!xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_DROP;
	return take_buffer(skb, sizeof(struct iphdr));
}

static unsigned int hook_ipv6(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	if (!skb_is_gso(skb) || ipv6_hdr(skb)->nexthdr != IPPROTO_UDP)
		return NF_ACCEPT;
	if (!xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_DROP;
	return take_buffer(skb, sizeof(struct ipv6hdr));
}

/* Behind every filter. */
static const struct nf_hook_ops hooks[] = {
	{
		.hook = hook_ipv4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	},
	{
		.hook = hook_ipv6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP6_PRI_LAST,
	},
};

int xroce_udp_hook(struct net *net)
{
	return nf_register_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

void xroce_udp_unhook(struct net *net)
{
	nf_unregister_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

#else

int xroce_udp_hook(struct net *net)
{
	return 0;
}

void xroce_udp_unhook(struct net *net)
{
}

#endif

/* ---- transmit ----------------------------------------------------------------- */

static void fill_udp(struct udphdr *udp, __be16 sport)
{
	udp->source = sport;
	udp->dest = htons(XROCE_UDP_PORT);
	udp->check = 0;
}

static void fill_ipv4(struct iphdr *ip, const struct xroce_av *av)
{
	memset(ip, 0, sizeof(*ip));
	ip->version = 4;
	ip->ihl = 5;
	ip->tos = av->tclass;
	ip->frag_off = htons(IP_DF);
	ip->ttl = av->hop_limit;
	ip->protocol = IPPROTO_UDP;
	memcpy(&ip->saddr, av->sgid.raw + 12, 4);
	memcpy(&ip->daddr, av->dgid.raw + 12, 4);
}

static void fill_ipv6(struct ipv6hdr *ip, const struct xroce_av *av)
{
	ip6_flow_hdr(ip, av->tclass, htonl(av->flow_label));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = av->hop_limit;
	memcpy(&ip->saddr, &av->sgid, 16);
	memcpy(&ip->daddr, &av->dgid, 16);
}

static struct udphdr *udp_of(u8 *net, enum xroce_l3 l3)
{
	return (void *)(net + xroce_icrc_l3_bytes(l3) - sizeof(struct udphdr));
}

void xroce_udp_fill_headers(u8 *net, const struct xroce_av *av,
			    const struct xroce_route *route)
{
	fill_udp(udp_of(net, av->l3), route->sport);
	if (av->l3 == XROCE_L3_IPV4)
		fill_ipv4((void *)net, av);
	else
		fill_ipv6((void *)net, av);
}

void xroce_udp_set_length(u8 *net, enum xroce_l3 l3, u32 len, u16 id)
{
	u32 udp_len = len + sizeof(struct udphdr);

	udp_of(net, l3)->len = htons(udp_len);
	if (l3 == XROCE_L3_IPV4) {
		struct iphdr *ip = (void *)net;

		ip->tot_len = htons(udp_len + sizeof(*ip));
		/* Covered by the ICRC, so it must be final here. */
		ip->id = htons(id);
	} else {
		((struct ipv6hdr *)net)->payload_len = htons(udp_len);
	}
}

void xroce_udp_set_segments(struct sk_buff *skb, enum xroce_l3 l3, u32 seg,
			    u32 npkts)
{
	u32 len = skb->len - skb_transport_offset(skb);
	struct udphdr *udp = udp_hdr(skb);

	skb_shinfo(skb)->gso_size = seg;
	skb_shinfo(skb)->gso_segs = npkts;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	/* Who cuts a buffer wants it so. The ICRC does not cover it. */
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	if (l3 == XROCE_L3_IPV4)
		udp->check = ~csum_tcpudp_magic(ip_hdr(skb)->saddr,
						ip_hdr(skb)->daddr, len,
						IPPROTO_UDP, 0);
	else
		udp->check = ~csum_ipv6_magic(&ipv6_hdr(skb)->saddr,
					      &ipv6_hdr(skb)->daddr, len,
					      IPPROTO_UDP, 0);
}

int xroce_udp_send(struct net *net, struct sk_buff *skb, enum xroce_l3 l3)
{
	if (l3 == XROCE_L3_IPV4) {
		skb->protocol = htons(ETH_P_IP);
		return ip_local_out(net, NULL, skb);
	}
	skb->protocol = htons(ETH_P_IPV6);
	return ip6_local_out(net, NULL, skb);
}
