/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From received buffers to packets in a QP's queue. */
#ifndef XROCE_RX_H
#define XROCE_RX_H

#include <linux/skbuff.h>
#include "core/icrc.h"
#include "core/wire.h"

struct sock;
struct xroce_qp;

#define XROCE_NO_VLAN		0xffff

/* Buffers that wait for the owner of a QP; more are dropped. */
#define XROCE_RX_BACKLOG	1024

/**
 * struct xroce_rx_cb - in skb->cb of a queued buffer: a run of packets for one QP
 * @off: first BTH, from skb->data
 * @len: bytes of the run
 * @seg: bytes from packet to packet, the last may be shorter
 * @vlan_id: of the VLAN netdev it came in by, or XROCE_NO_VLAN
 * @l3: enum xroce_l3
 */
struct xroce_rx_cb {
	u32 off;
	u32 len;
	u32 seg;
	u16 vlan_id;
	u8 l3;
};

static inline struct xroce_rx_cb *xroce_rx_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct xroce_rx_cb) > sizeof(skb->cb));
	return (struct xroce_rx_cb *)skb->cb;
}

/* encap_rcv of the UDP sockets. Softirq; takes the skb. Returns 0. */
int xroce_rx_udp(struct sock *sk, struct sk_buff *skb);

/*
 * Parse the packet at @off of @len bytes again; it was accepted before, so this
 * fails only if the buffer's bytes changed under us.
 */
bool xroce_rx_parse(const struct sk_buff *skb, u32 off, u32 len,
		    struct xroce_pkt *pkt);

#endif
