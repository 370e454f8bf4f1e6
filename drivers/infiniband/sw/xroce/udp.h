/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RoCEv2: packets to and from UDP. */
#ifndef XROCE_UDP_H
#define XROCE_UDP_H

#include <linux/types.h>
#include "core/icrc.h"

#define XROCE_UDP_BYTES	8	/* header */

struct net;
struct sk_buff;
struct sock;
struct xroce_av;
struct xroce_route;

/* encap_rcv of the sockets. Softirq; takes the skb. Returns 0. */
int xroce_udp_receive(struct sock *sk, struct sk_buff *skb);

/*
 * Buffers of several packets would be cut before they come to a socket. These
 * hooks take them whole out of the local input of a namespace.
 */
int xroce_udp_hook(struct net *net);
void xroce_udp_unhook(struct net *net);

/* Write IP and UDP headers to @net, without lengths and identification. */
void xroce_udp_fill_headers(u8 *net, const struct xroce_av *av,
			    const struct xroce_route *route);

/* The lengths of a packet of @len bytes, BTH to ICRC; @id: IPv4 only. */
void xroce_udp_set_length(u8 *net, enum xroce_l3 l3, u32 len, u16 id);

/* @skb has its headers and is to be cut into @npkts packets of @seg bytes. */
void xroce_udp_set_segments(struct sk_buff *skb, enum xroce_l3 l3, u32 seg,
			    u32 npkts);

/*
 * Takes the skb, which has its headers and its route. Return: 0 if the network
 * layer took it, else it is lost.
 */
int xroce_udp_send(struct net *net, struct sk_buff *skb, enum xroce_l3 l3);

#endif
