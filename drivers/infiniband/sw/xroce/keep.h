/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets that came before their turn. The engine says which to keep and when their
 * turn is; their bytes are here. All functions are called by the owner.
 */
#ifndef XROCE_KEEP_H
#define XROCE_KEEP_H

#include <linux/types.h>

struct sk_buff;
struct xroce_qp;

/**
 * struct xroce_keep - what a QP keeps
 * @slots: by PSN, XROCE_KEEP of them; NULL until the first is needed
 * @bits: the engine's, as many; NULL until then
 * @bytes: counted towards its own budget and the device's
 */
struct xroce_keep {
	struct sk_buff **slots;
	u64 *bits;
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

/* Forget all. Also on the way to destruction. */
void xroce_keep_purge(struct xroce_qp *qp);

#endif
