// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RoCEv2: packets to and from UDP (see udp.h; annex A17). */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include "av.h"
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

int xroce_udp_receive(struct sock *sk, struct sk_buff *skb)
{
	struct xroce_incoming in = { .bth = sizeof(struct udphdr) };

	xroce_rx_begin(&in, skb);
	in.l3 = ip_hdr(skb)->version == 4 ? XROCE_L3_IPV4 : XROCE_L3_IPV6;
	if (headers_fit(&in))
		xroce_rx_buffer(&in);
	else
		xroce_rx_drop(&in, XROCE_DROP_L3);
	consume_skb(skb);
	return 0;
}

/* ---- transmit ----------------------------------------------------------------- */

static void put_udp(struct sk_buff *skb, __be16 sport)
{
	struct udphdr *udp = udp_hdr(skb);

	udp->source = sport;
	udp->dest = htons(XROCE_UDP_PORT);
	udp->len = htons(skb->len - skb_transport_offset(skb));
	udp->check = 0;
}

static void put_ipv4(struct sk_buff *skb, const struct xroce_av *av, u16 id)
{
	struct iphdr *ip = ip_hdr(skb);

	memset(ip, 0, sizeof(*ip));
	ip->version = 4;
	ip->ihl = 5;
	ip->tos = av->tclass;
	ip->tot_len = htons(skb->len);
	/* Covered by the ICRC, so it must be final here. */
	ip->id = htons(id);
	ip->frag_off = htons(IP_DF);
	ip->ttl = av->hop_limit;
	ip->protocol = IPPROTO_UDP;
	memcpy(&ip->saddr, av->sgid.raw + 12, 4);
	memcpy(&ip->daddr, av->dgid.raw + 12, 4);
	skb->protocol = htons(ETH_P_IP);
}

static void put_ipv6(struct sk_buff *skb, const struct xroce_av *av)
{
	struct ipv6hdr *ip = ipv6_hdr(skb);

	ip6_flow_hdr(ip, av->tclass, htonl(av->flow_label));
	ip->payload_len = htons(skb->len - sizeof(*ip));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = av->hop_limit;
	memcpy(&ip->saddr, &av->sgid, 16);
	memcpy(&ip->daddr, &av->dgid, 16);
	skb->protocol = htons(ETH_P_IPV6);
}

void xroce_udp_put_headers(struct sk_buff *skb, const struct xroce_av *av,
			   struct xroce_route *route)
{
	unsigned int l3_bytes = xroce_icrc_l3_bytes(av->l3);

	skb_push(skb, l3_bytes);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, l3_bytes - sizeof(struct udphdr));
	put_udp(skb, route->sport);
	if (av->l3 == XROCE_L3_IPV4)
		put_ipv4(skb, av, route->ip_id++);
	else
		put_ipv6(skb, av);
}

int xroce_udp_send(struct net *net, struct sk_buff *skb,
		   const struct xroce_av *av, const struct xroce_route *route)
{
	skb_dst_set(skb, dst_clone(route->dst));
	if (av->l3 == XROCE_L3_IPV4)
		return ip_local_out(net, NULL, skb);
	return ip6_local_out(net, NULL, skb);
}
