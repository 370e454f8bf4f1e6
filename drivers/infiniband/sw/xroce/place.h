/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From a received packet's payload to memory. */
#ifndef XROCE_PLACE_H
#define XROCE_PLACE_H

#include <linux/types.h>

struct ib_pd;
struct sk_buff;
struct xrdma_mr;
struct xrdma_sgl;
struct xrdma_sink;
struct xrdma_want;
struct xroce_qp;

/**
 * struct xroce_payload - of one packet
 * @length: bytes
 * @skb: the buffer
 * @at: where in @skb, but for @is_direct
 * @is_direct: they are part of the payload of a run (direct.h)
 * @from: where in that
 * @early: bytes of the run that may be placed before the turn of their packet
 * @placed: bytes of the run that are in memory
 */
struct xroce_payload {
	u32 length;
	struct sk_buff *skb;
	u32 at;
	bool is_direct;
	u32 from;
	u32 early;
	u32 placed;
};

/* With packets of its run before it: the range of their message was looked at then. */
bool xroce_payload_is_placed(const struct xroce_payload *payload);

/*
 * Place it at @va of @mr, a region with a reference, where its message may fill @room
 * bytes. Context: any. Return: 0, -EAGAIN: memory is not present, -EFAULT: the buffer
 * is shorter than it was.
 */
int xroce_place_in_mr(struct xroce_payload *payload, struct xrdma_mr *mr, u64 va,
		      u64 room);

/*
 * Place it at @offset of @sgl, whose keys must be of @pd and allow local writing.
 * Context: any. Return: the same, and as xrdma_sgl_copy(), which sets @want.
 */
int xroce_place_in_list(struct xroce_payload *payload, struct xroce_qp *qp,
			const struct ib_pd *pd, const struct xrdma_sgl *sgl, u64 offset,
			struct xrdma_want *want);

/* Show bytes of @skb. Return: what @sink's function returned, or -EFAULT if it ends. */
int xroce_place_show(const struct sk_buff *skb, u32 at, u32 length,
		     struct xrdma_sink *sink);

#endif
