/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RoCEv1: packets to and from Ethernet, ethertype 0x8915 (annex A16). */
#ifndef XROCE_ETH_H
#define XROCE_ETH_H

#include <linux/types.h>

struct sk_buff;
struct xroce_av;
struct xroce_dev;

/* Hook into all netdevs, for QPs of all namespaces. */
void xroce_eth_init(void);
/* Waits for packets in progress. */
void xroce_eth_exit(void);

/* Write the GRH to @net, without length. */
void xroce_eth_fill_grh(u8 *net, const struct xroce_av *av);
/* The length of a packet of @len bytes, BTH to ICRC. */
void xroce_eth_set_length(u8 *net, u32 len);

/* The peer has the MAC of this very netdev. Bottom halves off. */
bool xroce_eth_is_local(const struct xroce_dev *dev, const struct xroce_av *av);

/* Takes the skb, which has its GRH. Bottom halves off. Return: 0 if it left, else it is lost. */
int xroce_eth_send(struct xroce_dev *dev, struct sk_buff *skb,
		   const struct xroce_av *av);

#endif
