// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Payload goes to memory piece by piece as it lies (see place.h). Of a run that lies
 * elsewhere, as much at once as there is room for: the packets behind the first one
 * find theirs in place.
 */
#include <linux/skbuff.h>
#include "direct.h"
#include "place.h"
#include "qp.h"

bool xroce_payload_is_placed(const struct xroce_payload *payload)
{
	return payload->is_direct &&
	       payload->placed >= payload->from + payload->length;
}

/* ---- from --------------------------------------------------------------------- */

int xroce_place_show(const struct sk_buff *skb, u32 at, u32 length,
		     struct xrdma_sink *sink)
{
	struct skb_seq_state seq;
	u32 done = 0, n;
	const u8 *data;
	int err = 0;

	if (!length)
		return 0;
	skb_prepare_seq_read((struct sk_buff *)skb, at, at + length, &seq);
	while (!err && done < length) {
		n = skb_seq_read(done, &data, &seq);
		if (!n) {
			err = -EFAULT;
			break;
		}
		n = min(n, length - done);
		err = sink->take(sink->to, sink->done, data, n);
		sink->done += n;
		done += n;
	}
	skb_abort_seq_read(&seq);
	return err;
}

/* Bytes to place now, if @room is left; the engine has made sure of the packet's own. */
static u32 bytes_at_once(const struct xroce_payload *payload, u64 room)
{
	u64 left;

	if (!payload->is_direct || payload->early <= payload->from)
		return payload->length;
	left = payload->early - payload->from;
	return max_t(u32, min(left, room), payload->length);
}

static int show_run(struct xroce_payload *payload, u32 bytes, struct xrdma_sink *sink)
{
	int err = xroce_direct_show(payload->skb, payload->from, bytes, sink);

	if (!err)
		payload->placed = payload->from + bytes;
	return err;
}

/* What does not fit into memory that is present may do so packet by packet. */
static int show(struct xroce_payload *payload, u64 room, struct xrdma_sink *sink)
{
	u32 bytes = bytes_at_once(payload, room);
	int err;

	if (!payload->is_direct)
		return xroce_place_show(payload->skb, payload->at, bytes, sink);
	err = show_run(payload, bytes, sink);
	if (err != -EAGAIN || bytes == payload->length)
		return err;
	sink->done = 0;
	return show_run(payload, payload->length, sink);
}

/* ---- to ----------------------------------------------------------------------- */

struct in_mr {
	struct xrdma_mr *mr;
	u64 va;
};

static int take_in_mr(void *arg, u32 done, const void *data, u32 n)
{
	struct in_mr *to = arg;

	return xrdma_mr_copy(to->mr, to->va + done, (void *)data, n, XRDMA_TO_MEM);
}

int xroce_place_in_mr(struct xroce_payload *payload, struct xrdma_mr *mr, u64 va,
		      u64 room)
{
	struct in_mr to = { .mr = mr, .va = va };
	struct xrdma_sink sink = { .take = take_in_mr, .to = &to };

	return show(payload, room, &sink);
}

struct in_list {
	struct xrdma_table *keys;
	const struct ib_pd *pd;
	const struct xrdma_sgl *sgl;
	u64 offset;
	struct xrdma_want *want;
};

static int take_in_list(void *arg, u32 done, const void *data, u32 n)
{
	struct in_list *to = arg;

	return xrdma_sgl_copy(to->keys, to->pd, to->sgl, to->offset + done,
			      (void *)data, n, XRDMA_TO_MEM, to->want);
}

/* All in one region, which is looked up once? Return: 0 if it was. */
static int place_in_one(struct xroce_payload *payload, const struct in_list *to,
			u64 room)
{
	u32 bytes = bytes_at_once(payload, room);
	struct xrdma_mr *mr;
	int err;
	u64 va;

	mr = xrdma_sgl_get(to->keys, to->pd, to->sgl, to->offset, bytes,
			   IB_ACCESS_LOCAL_WRITE, &va);
	if (!mr)
		return -EAGAIN;
	err = xroce_place_in_mr(payload, mr, va, room);
	xrdma_mr_put(mr);
	return err;
}

int xroce_place_in_list(struct xroce_payload *payload, struct xroce_qp *qp,
			const struct ib_pd *pd, const struct xrdma_sgl *sgl, u64 offset,
			struct xrdma_want *want)
{
	struct in_list to = {
		.keys = &xroce_qp_dev(qp)->keys,
		.pd = pd,
		.sgl = sgl,
		.offset = offset,
		.want = want,
	};
	struct xrdma_sink sink = { .take = take_in_list, .to = &to };
	u64 room = sgl->length - offset;

	if (xroce_payload_is_placed(payload) || !place_in_one(payload, &to, room))
		return 0;
	return show(payload, room, &sink);
}
