/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a received packet does to a QP: checks, placement, completion. */
#ifndef XROCE_RESPOND_H
#define XROCE_RESPOND_H

#include <linux/types.h>

struct sk_buff;
struct xroce_qp;

/* Owner, bottom halves off. Takes the skb. Return: packets in it. */
unsigned int xroce_qp_receive(struct xroce_qp *qp, struct sk_buff *skb);

#endif
