// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Payload that is not copied before its receiver copies it (see direct.h). */
#include "batch.h"
#include "direct.h"
#include "place.h"
#include "qp.h"
#include "rx.h"
#include "stats.h"

/* Less is copied as fast as it is looked up. */
#define LEAST_BYTES	1024
/* A copy fits into one buffer. */
#define MAX_BYTES	65536

/* ---- memory --------------------------------------------------------------------- */

static void put_pieces(struct xroce_direct *direct)
{
	while (direct->num)
		xrdma_mr_put(direct->pieces[--direct->num].mr);
}

static void release(struct sk_buff *skb)
{
	put_pieces((struct xroce_direct *)skb->head);
}

/* Takes the reference. Fast registrations change, and memory on demand goes. */
static bool add_piece(struct xroce_direct *direct, struct xrdma_mr *mr, u64 va,
		      u32 length)
{
	if (!mr)
		return false;
	if (!xrdma_mr_is_steady(mr) || direct->num == XROCE_PIECES) {
		xrdma_mr_put(mr);
		return false;
	}
	direct->pieces[direct->num++] = (struct xroce_piece){ mr, va, length };
	return true;
}

static bool gather_sge(struct xroce_direct *direct, const struct xroce_qp *qp,
		       const struct ib_sge *sge, u32 offset, u32 length)
{
	u64 va = sge->addr + offset;

	if (va < sge->addr)
		return false;
	return add_piece(direct, xrdma_mr_get(&xroce_qp_dev(qp)->keys, qp->ibqp.pd,
					      sge->lkey, 0, va, length), va, length);
}

static bool gather_list(struct xroce_direct *direct, const struct xroce_qp *qp,
			const struct xroce_swqe *swqe)
{
	u32 offset = direct->burst.offset, left = direct->burst.bytes;
	const struct ib_sge *sge = swqe->sge;
	u32 i, n;

	for (i = 0; i < swqe->num_sge && left; i++, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		n = min(left, sge->length - offset);
		if (!gather_sge(direct, qp, sge, offset, n))
			return false;
		left -= n;
		offset = 0;
	}
	return !left;
}

static bool gather_region(struct xroce_direct *direct, const struct xroce_qp *qp)
{
	const struct xroce_burst *burst = &direct->burst;

	return add_piece(direct,
			 xrdma_mr_get_remote(&xroce_qp_dev(qp)->keys, qp->ibqp.pd,
					     &qp->windows, burst->rkey,
					     IB_ACCESS_REMOTE_READ, burst->va,
					     burst->bytes),
			 burst->va, burst->bytes);
}

static bool gather(struct xroce_direct *direct, const struct xroce_qp *qp,
		   const struct xroce_swqe *swqe)
{
	if (direct->burst.source == XROCE_FROM_MR)
		return gather_region(direct, qp);
	return gather_list(direct, qp, swqe);
}

static int show_pieces(const struct xroce_direct *direct, u32 offset, u32 length,
		       struct xrdma_sink *sink)
{
	const struct xroce_piece *piece = direct->pieces;
	int err = 0;
	u32 n;

	for (; offset >= piece->length; piece++)
		offset -= piece->length;
	for (; length && !err; length -= n, offset = 0, piece++) {
		n = min(length, piece->length - offset);
		err = xrdma_mr_show(piece->mr, piece->va + offset, n, sink);
	}
	return err;
}

int xroce_direct_show(const struct sk_buff *skb, u32 offset, u32 length,
		      struct xrdma_sink *sink)
{
	const struct xroce_direct *direct = xroce_direct_of(skb);

	if (direct->num)
		return show_pieces(direct, offset, length, sink);
	return xroce_place_show(skb, skb_headlen(skb) + offset, length, sink);
}

/* ---- a copy ---------------------------------------------------------------------- */

static int take_in_page(void *to, u32 done, const void *data, u32 n)
{
	memcpy(to + done, data, n);
	return 0;
}

static bool add_page(struct sk_buff *skb, u32 offset, u32 length)
{
	struct page *page = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
	struct xrdma_sink sink = { .take = take_in_page };

	if (!page)
		return false;
	sink.to = page_address(page);
	show_pieces(xroce_direct_of(skb), offset, length, &sink);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, 0, length, PAGE_SIZE);
	return true;
}

bool xroce_direct_detach(struct sk_buff *skb)
{
	struct xroce_direct *direct = (struct xroce_direct *)skb->head;
	u32 bytes = direct->burst.bytes, offset;

	if (!direct->num)
		return true;
	BUILD_BUG_ON(MAX_BYTES > MAX_SKB_FRAGS * PAGE_SIZE);
	for (offset = 0; offset < bytes; offset += PAGE_SIZE) {
		if (!add_page(skb, offset, min_t(u32, bytes - offset, PAGE_SIZE)))
			return false;
	}
	skb->truesize -= bytes;
	skb->destructor = NULL;
	put_pieces(direct);
	return true;
}

/* ---- sending --------------------------------------------------------------------- */

static bool may_be_direct(const struct xroce_qp *qp, const struct xroce_burst *burst,
			  const struct xroce_av *av, const struct xroce_swqe *swqe)
{
	if (qp->service != XROCE_RC || burst->source == XROCE_FROM_NOWHERE ||
	    burst->bytes < LEAST_BYTES || burst->bytes > MAX_BYTES ||
	    burst->is_again || qp->congest.departs)
		return false;
	if (burst->source == XROCE_FROM_WR && swqe->wr.flags & XROCE_WR_INLINE)
		return false;
	return xroce_batch_stays_here(qp, av);
}

/* As on a wire, from the network header on. */
static u32 wire_bytes(const struct xroce_burst *burst, enum xroce_l3 l3)
{
	struct xroce_pkt pkt;
	u32 i, bytes = 0;

	for (i = 0; i < burst->npkts; i += max(burst->npkts - 1, 1U)) {
		xroce_burst_packet(burst, i, &pkt);
		bytes += pkt.hdr_len + pkt.pad;
	}
	if (burst->npkts > 2)
		bytes += (burst->npkts - 2) * XROCE_BTH_BYTES;
	return bytes + burst->bytes +
	       burst->npkts * (XROCE_ICRC_BYTES + xroce_icrc_l3_bytes(l3));
}

/* A buffer that begins with @direct, and room for @bytes more. */
static struct sk_buff *buffer_for(const struct xroce_direct *direct, u32 bytes)
{
	struct sk_buff *skb = alloc_skb(sizeof(*direct) + bytes,
					GFP_ATOMIC | __GFP_NOWARN);

	if (!skb)
		return NULL;
	skb_reserve(skb, sizeof(*direct));
	*(struct xroce_direct *)skb->head = *direct;
	skb->destructor = release;
	/* What its receiver has queued counts towards a limit. */
	skb->truesize += direct->burst.bytes;
	return skb;
}

struct sk_buff *xroce_direct_make(const struct xroce_qp *qp,
				  const struct xroce_burst *burst,
				  const struct xroce_av *av,
				  const struct xroce_swqe *swqe)
{
	u32 l3_bytes = xroce_icrc_l3_bytes(av->l3);
	struct xroce_direct direct;
	struct sk_buff *skb;

	if (!may_be_direct(qp, burst, av, swqe))
		return NULL;
	direct.burst = *burst;
	direct.burst.wr = NULL;
	direct.num = 0;
	skb = gather(&direct, qp, swqe) ? buffer_for(&direct, l3_bytes) : NULL;
	if (!skb) {
		put_pieces(&direct);
		return NULL;
	}
	/* Its receiver looks at the addresses. */
	xroce_batch_fill_net(qp, av, skb_put_zero(skb, l3_bytes));
	skb_reset_network_header(skb);
	return skb;
}

void xroce_direct_send(struct xroce_qp *qp, struct sk_buff *skb,
		       const struct xroce_av *av)
{
	const struct xroce_burst *burst = &xroce_direct_of(skb)->burst;
	u32 npkts = burst->npkts, bytes = wire_bytes(burst, av->l3);
	struct xroce_dev *dev = xroce_qp_dev(qp);
	struct net_device *ndev = dev->ndev;

	rcu_read_lock();
	if (av->l3 == XROCE_L3_GRH)
		ndev = xroce_av_egress_rcu(av, dev);
	xroce_rx_direct(skb, ndev, av->l3, bytes);
	rcu_read_unlock();
	xroce_qp_count(qp, XROCE_STAT_TX_PACKETS, npkts);
	xroce_qp_count(qp, XROCE_STAT_TX_DIRECT, npkts);
	xroce_qp_count(qp, XROCE_STAT_TX_BYTES, bytes);
}
