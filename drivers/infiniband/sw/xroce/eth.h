/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RoCEv1: packets to and from Ethernet, ethertype 0x8915 (annex A16). */
#ifndef XROCE_ETH_H
#define XROCE_ETH_H

struct sk_buff;
struct xroce_av;
struct xroce_dev;

/* Hook into all netdevs, for QPs of all namespaces. */
void xroce_eth_init(void);
/* Waits for packets in progress. */
void xroce_eth_exit(void);

/* Put the GRH in front of a whole transport packet. */
void xroce_eth_put_grh(struct sk_buff *skb, const struct xroce_av *av);

/* Takes the skb. Bottom halves off. Return: 0 if it left, else it is lost. */
int xroce_eth_send(struct xroce_dev *dev, struct sk_buff *skb,
		   const struct xroce_av *av);

#endif
