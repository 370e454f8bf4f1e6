/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets of one QP on their way to the network as one buffer, which the stack or
 * the netdev cuts again (SKB_GSO_UDP_L4), or takes whole to a receiver on this
 * host. Bytes of transport packets go in, headers below them are added here.
 */
#ifndef XROCE_BATCH_H
#define XROCE_BATCH_H

#include <linux/types.h>
#include "core/burst.h"
#include "core/icrc.h"

struct sk_buff;
struct xroce_av;
struct xroce_qp;

/* What stays on this host takes the short way: module parameter. */
extern bool xroce_shortcut;

/* IPv6 and UDP, the longest. */
#define XROCE_MAX_L3_BYTES	48

/**
 * struct xroce_batch - a buffer that is being filled; belongs to the QP's owner
 * @qp: sender
 * @av: where to; valid while @skb is
 * @skb: the buffer, NULL = none yet
 * @burst: that its first packet is one of; still so when it was not sent
 * @nth: which packet of @burst that is
 * @departs: when it may leave, ns; 0 = at once
 * @seg: bytes of its packets, all but the last
 * @len: bytes so far
 * @npkts: packets so far
 * @is_closed: the last packet was shorter, so it is the last
 * @is_single: no other packet may follow
 * @is_local: to this host, no ICRC
 * @id: IPv4 identification of the first packet
 * @room: where the next packet can go
 * @room_len: bytes there
 * @net: headers below the transport packet, without lengths
 */
struct xroce_batch {
	struct xroce_qp *qp;
	const struct xroce_av *av;
	struct sk_buff *skb;
	struct xroce_burst burst;
	u32 nth;
	u64 departs;
	u32 seg;
	u32 len;
	u32 npkts;
	bool is_closed;
	bool is_single;
	bool is_local;
	u16 id;
	u8 *room;
	u32 room_len;
	u8 net[XROCE_MAX_L3_BYTES] __aligned(8);
};

/* Packets to @av, a route to which @qp has, need not leave this host. Bottom halves off. */
bool xroce_batch_stays_here(const struct xroce_qp *qp, const struct xroce_av *av);

/* Headers below the transport packet, without lengths and identification. */
void xroce_batch_fill_net(const struct xroce_qp *qp, const struct xroce_av *av, u8 *net);

/* Nothing in it. Owner of @qp, bottom halves off, until it is flushed. */
void xroce_batch_init(struct xroce_batch *batch, struct xroce_qp *qp);

/**
 * xroce_batch_add - make room for one more packet
 * @batch: sent first, if the packet doesn't fit to those in it
 * @av: where to; its route is qp->route (RoCEv2)
 * @burst: what the packet is one of
 * @nth: which one
 * @len: bytes, BTH to ICRC
 * @more: bytes of packets that are known to follow
 *
 * Return: where the packet's @len bytes go, to be followed by
 * xroce_batch_seal() or xroce_batch_cancel(); NULL when packets were dropped, those
 * of @batch->burst from @batch->nth on: no memory, queue full.
 */
u8 *xroce_batch_add(struct xroce_batch *batch, const struct xroce_av *av,
		    const struct xroce_burst *burst, u32 nth, u32 len, u32 more);

/* The packet is complete but for the ICRC in its last four bytes. */
void xroce_batch_seal(struct xroce_batch *batch, u8 *bth, u32 hdr_len, u32 len);

/* There is no packet after all. */
void xroce_batch_cancel(struct xroce_batch *batch);

/*
 * Packet @nth of @burst can't be built now; what is in the batch leaves. Return:
 * -ENOBUFS, as if it had been dropped.
 */
int xroce_batch_lose(struct xroce_batch *batch, const struct xroce_burst *burst,
		     u32 nth);

/* No other packet goes into the same buffer. */
void xroce_batch_close(struct xroce_batch *batch);

/*
 * Send what is in it. Return: 0, or -ENOBUFS: dropped, @batch->burst tells what.
 */
int xroce_batch_flush(struct xroce_batch *batch);

#endif
