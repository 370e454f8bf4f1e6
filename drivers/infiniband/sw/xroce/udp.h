/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RoCEv2: packets to and from UDP. */
#ifndef XROCE_UDP_H
#define XROCE_UDP_H

#include <linux/types.h>

struct net;
struct sk_buff;
struct sock;
struct xroce_av;
struct xroce_route;

/* encap_rcv of the sockets. Softirq; takes the skb. Returns 0. */
int xroce_udp_receive(struct sock *sk, struct sk_buff *skb);

/* Put IP and UDP headers in front of a whole transport packet. */
void xroce_udp_put_headers(struct sk_buff *skb, const struct xroce_av *av,
			   struct xroce_route *route);

/* Takes the skb. Return: 0 if the network layer took it, else it is lost. */
int xroce_udp_send(struct net *net, struct sk_buff *skb,
		   const struct xroce_av *av, const struct xroce_route *route);

#endif
