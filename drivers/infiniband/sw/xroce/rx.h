/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From received buffers to packets in a QP's queue. */
#ifndef XROCE_RX_H
#define XROCE_RX_H

#include <linux/skbuff.h>
#include "core/drop.h"
#include "core/icrc.h"
#include "core/wire.h"

struct net_device;
struct xroce_qp;

#define XROCE_NO_VLAN		0xffff

/* Memory of the buffers that wait for the owner of a QP; more are dropped. */
#define XROCE_RX_BACKLOG	(8 << 20)

/**
 * struct xroce_rx_cb - in skb->cb of a queued buffer: a run of packets for one QP
 * @off: first BTH, from skb->data; @is_direct: which packet is the first
 * @len: bytes of the run
 * @seg: bytes from packet to packet, the last may be shorter
 * @vlan_id: of the VLAN netdev it came in by, or XROCE_NO_VLAN
 * @l3: enum xroce_l3
 * @is_many: the network header is that of several packets, of this run or not
 * @is_direct: a struct xroce_direct instead of packets
 */
struct xroce_rx_cb {
	u32 off;
	u32 len;
	u32 seg;
	u16 vlan_id;
	u8 l3;
	bool is_many;
	bool is_direct;
};

static inline struct xroce_rx_cb *xroce_rx_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct xroce_rx_cb) > sizeof(skb->cb));
	return (struct xroce_rx_cb *)skb->cb;
}

/**
 * struct xroce_incoming - a received buffer
 * @skb: network header set
 * @ndev: where it came in; valid until the receive function returns
 * @l3: enum xroce_l3
 * @bth: offset of the first BTH from skb->data
 * @end: offset of the first byte after the last packet
 * @seg: bytes from packet to packet
 * @is_trusted: from this host; may have no ICRC
 * @is_fixed_id: all packets had the same IPv4 identification
 */
struct xroce_incoming {
	struct sk_buff *skb;
	struct net_device *ndev;
	enum xroce_l3 l3;
	u32 bth;
	u32 end;
	u32 seg;
	bool is_trusted;
	bool is_fixed_id;
};

/*
 * It may wait for its QP's owner: let go of what must not wait. Then fill in the
 * first fields of @in.
 */
void xroce_rx_begin(struct xroce_incoming *in, struct sk_buff *skb);

/*
 * Cut the buffer into runs of good packets for one QP each and queue them, with
 * references of their own. Softirq. Its network header and lengths were checked.
 */
void xroce_rx_buffer(struct xroce_incoming *in);

/*
 * A buffer from a QP of this host, without ICRCs: network header at skb->data, then
 * packets of @seg bytes. Takes the skb. Bottom halves off. Return: 0.
 */
int xroce_rx_local(struct sk_buff *skb, struct net_device *ndev,
		   enum xroce_l3 l3, u32 seg);

/*
 * The same for a struct xroce_direct, @bytes of packets on a wire. Its network header
 * is at skb->data.
 */
void xroce_rx_direct(struct sk_buff *skb, struct net_device *ndev, enum xroce_l3 l3,
		     u32 bytes);

/*
 * Give @skb, a packet to a multicast group that is about to leave by @ndev, to the
 * members on this host, as nobody below us brings it back. Network header and all
 * that follows are in it; @skb stays the caller's. Bottom halves off.
 */
void xroce_rx_own_multicast(struct sk_buff *skb, struct net_device *ndev,
			    enum xroce_l3 l3);

/* Count a drop for the device that the packet was for, if it was for one. */
void xroce_rx_drop(const struct xroce_incoming *in, enum xroce_drop reason);

/* The next buffer for @qp, NULL if none. Owner. */
struct sk_buff *xroce_rx_next(struct xroce_qp *qp);
/* @skb, or what is left of it, is the next again. Owner. */
void xroce_rx_put_back(struct xroce_qp *qp, struct sk_buff *skb);
/* They wait for long: none refers to a sender's memory any more. Owner. */
void xroce_rx_detach(struct xroce_qp *qp);
/* Drop all of them, as the QP's state takes none. Owner. */
void xroce_rx_purge(struct xroce_qp *qp);

/*
 * Parse the packet at @off of @len bytes again; it was accepted before, so this
 * fails only if the buffer's bytes changed under us.
 */
bool xroce_rx_parse(const struct sk_buff *skb, u32 off, u32 len,
		    struct xroce_pkt *pkt);

#endif
