/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that a QP needs only when packets are lost. Foremost packets that came before
 * their turn: the engine says which to keep and when their turn is; their bytes are here.
 * All functions are called by the owner.
 */
#ifndef XROCE_KEEP_H
#define XROCE_KEEP_H

#include <linux/types.h>

struct sk_buff;
struct xroce_gap;
struct xroce_kept;
struct xroce_qp;

/**
 * struct xroce_keep - what a QP keeps; pointers are NULL until the first is needed
 * @slots: by PSN, XROCE_KEEP of them
 * @kept: lent to the responder
 * @gaps: lent to the requester
 * @bytes: of packets, counted towards its own budget and the device's
 */
struct xroce_keep {
	struct sk_buff **slots;
	struct xroce_kept *kept;
	struct xroce_gap *gaps;
	u32 bytes;
};

/*
 * Keep the packet of @len bytes at @off of @skb, with a reference of its own.
 * Return: false if budget or memory do not allow it: it is lost, then.
 */
bool xroce_keep_add(struct xroce_qp *qp, struct sk_buff *skb, u32 off, u32 len,
		    u32 psn);

/* The packet that was kept for @psn, with its place in the skb's xroce_rx_cb. */
struct sk_buff *xroce_keep_take(struct xroce_qp *qp, u32 psn);

/* Where the requester may note what the peer says to be missing, or NULL. */
struct xroce_gap *xroce_keep_gaps(struct xroce_qp *qp);

/* The turn of what is kept will never come. */
void xroce_keep_purge(struct xroce_qp *qp);

/* The same, and the engine, which begins anew, gives back what it was lent. */
void xroce_keep_release(struct xroce_qp *qp);

#endif
