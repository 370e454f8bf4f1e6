/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Runs of packets to a QP of this host, which gets their payload where it lies: one
 * copy, from the sender's memory to the receiver's. What a peer would read in the
 * headers is in the burst. Reliable connections only: a request completes when its
 * receiver has acknowledged, so nobody changes the payload before that.
 */
#ifndef XROCE_DIRECT_H
#define XROCE_DIRECT_H

#include <linux/skbuff.h>
#include "core/burst.h"

struct xrdma_mr;
struct xrdma_sink;
struct xroce_av;
struct xroce_qp;
struct xroce_swqe;

/**
 * struct xroce_piece - payload in a row
 * @mr: pinned memory, with a reference
 * @va: first byte, as @mr counts
 * @length: bytes
 */
struct xroce_piece {
	struct xrdma_mr *mr;
	u64 va;
	u32 length;
};

#define XROCE_PIECES	8

/**
 * struct xroce_direct - a run on its way, at skb->head
 * @burst: its packets; its sender's request may be gone
 * @num: entries of @pieces; 0: the payload is in the buffer, behind the network header
 * @pieces: the payload, in order
 */
struct xroce_direct {
	struct xroce_burst burst;
	u32 num;
	struct xroce_piece pieces[XROCE_PIECES];
};

/**
 * xroce_direct_make - a buffer for @burst without its payload
 * @qp: sender, which has a route; the caller is its owner
 * @burst: of it
 * @av: where to
 * @swqe: requester: the slot of burst->wr
 *
 * Return: NULL if it must be sent packet by packet.
 */
struct sk_buff *xroce_direct_make(const struct xroce_qp *qp,
				  const struct xroce_burst *burst,
				  const struct xroce_av *av,
				  const struct xroce_swqe *swqe);

/* Hand it over, and @skb with it. Owner of @qp, bottom halves off. */
void xroce_direct_send(struct xroce_qp *qp, struct sk_buff *skb,
		       const struct xroce_av *av);

/* Of a buffer whose xroce_rx_cb says that it is one. */
static inline const struct xroce_direct *xroce_direct_of(const struct sk_buff *skb)
{
	return (const struct xroce_direct *)skb->head;
}

/*
 * Show @length bytes of the payload of @skb from @offset on. Any context. Return: as its
 * function, or -EFAULT.
 */
int xroce_direct_show(const struct sk_buff *skb, u32 offset, u32 length,
		      struct xrdma_sink *sink);

/*
 * Its receiver has to wait, perhaps for long: copy the payload and let the sender's
 * memory go. Bottom halves off. Return: false without memory.
 */
bool xroce_direct_detach(struct sk_buff *skb);

#endif
