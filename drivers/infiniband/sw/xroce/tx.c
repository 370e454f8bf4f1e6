// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* From bursts to packets (see tx.h): headers and payload. */
#include "batch.h"
#include "direct.h"
#include "qp.h"
#include "route.h"
#include "stats.h"
#include "tx.h"

/**
 * struct outgoing - what the packets of one burst share
 * @qp: sender
 * @batch: where they go
 * @burst: from the engine
 * @av: where to
 * @swqe: requester: the slot of burst->wr
 * @mr: the one pinned region that has all payload, with a reference; or NULL
 * @va: where it begins there
 */
struct outgoing {
	struct xroce_qp *qp;
	struct xroce_batch *batch;
	const struct xroce_burst *burst;
	const struct xroce_av *av;
	struct xroce_swqe *swqe;
	struct xrdma_mr *mr;
	u64 va;
};

/* ---- payload ------------------------------------------------------------------ */

/* Memory that was present a moment ago (paging.h) is not, or can't be had. */
static int absent(struct xroce_qp *qp, const struct xrdma_want *want)
{
	return xrdma_paging_wait(qp->paging, qp->ibqp.pd, want) ? -EAGAIN :
								     -EACCES;
}

static struct xrdma_sgl list_of(const struct xroce_swqe *swqe)
{
	return (struct xrdma_sgl){
		.sge = swqe->sge,
		.num_sge = swqe->num_sge,
		.length = swqe->wr.length,
		.data = swqe->wr.flags & XROCE_WR_INLINE ? (void *)swqe->sge : NULL,
	};
}

static int copy_from_wr(const struct outgoing *out, u32 offset, u8 *to,
			u32 length)
{
	struct xroce_qp *qp = out->qp;
	struct xrdma_sgl sgl = list_of(out->swqe);
	struct xrdma_want want;
	int err;

	err = xrdma_sgl_copy(&xroce_qp_dev(qp)->keys, qp->ibqp.pd, &sgl, offset,
			     to, length, XRDMA_FROM_MEM, &want);
	return err == -EAGAIN ? absent(qp, &want) : err;
}

static int copy_from_mr(const struct outgoing *out, u32 offset, u8 *to,
			u32 length)
{
	const struct xroce_burst *burst = out->burst;
	u64 va = burst->va + (offset - burst->offset);
	struct xrdma_mr *mr;
	int err;

	mr = xrdma_mr_get_remote(&xroce_qp_dev(out->qp)->keys,
				 out->qp->ibqp.pd, &out->qp->windows,
				 burst->rkey, IB_ACCESS_REMOTE_READ, va, length);
	if (!mr)
		return -EACCES;
	err = xrdma_mr_copy(mr, va, to, length, XRDMA_FROM_MEM);
	xrdma_mr_put(mr);
	if (err)
		return absent(out->qp, &(struct xrdma_want){
			.key = burst->rkey,
			.access = IB_ACCESS_REMOTE_READ,
			.va = va,
			.length = length,
			.ahead = burst->bytes - (offset - burst->offset) - length,
		});
	return 0;
}

/* Of several packets: look the region up once. */
static void get_region(struct outgoing *out)
{
	const struct xroce_burst *burst = out->burst;
	struct xroce_dev *dev = xroce_qp_dev(out->qp);
	const struct ib_pd *pd = out->qp->ibqp.pd;
	struct xrdma_sgl sgl;

	if (burst->npkts == 1)
		return;
	if (burst->source == XROCE_FROM_WR) {
		sgl = list_of(out->swqe);
		out->mr = xrdma_sgl_get(&dev->keys, pd, &sgl, burst->offset,
					burst->bytes, 0, &out->va);
	} else if (burst->source == XROCE_FROM_MR) {
		out->va = burst->va;
		out->mr = xrdma_mr_get_remote(&dev->keys, pd, &out->qp->windows,
					      burst->rkey, IB_ACCESS_REMOTE_READ,
					      burst->va, burst->bytes);
	}
	/* Packets leave meanwhile, so it must be one that has no lock. */
	if (out->mr && !xrdma_mr_is_steady(out->mr)) {
		xrdma_mr_put(out->mr);
		out->mr = NULL;
	}
}

static void put_region(struct outgoing *out)
{
	if (out->mr)
		xrdma_mr_put(out->mr);
}

/* @i: packet of the burst */
static int copy_payload(const struct outgoing *out, u32 i, u8 *to, u32 length)
{
	const struct xroce_burst *burst = out->burst;
	u32 offset = burst->offset + i * burst->pmtu;

	if (!length)
		return 0;
	if (out->mr)
		return xrdma_mr_copy(out->mr, out->va + i * burst->pmtu, to, length,
				     XRDMA_FROM_MEM);
	switch (burst->source) {
	case XROCE_FROM_WR:
		return copy_from_wr(out, offset, to, length);
	case XROCE_FROM_MR:
		return copy_from_mr(out, offset, to, length);
	default:
		return 0;
	}
}

/* ---- packets ----------------------------------------------------------------------- */

static void fill_header(const struct outgoing *out, u32 i, struct xroce_pkt *pkt)
{
	xroce_burst_packet(out->burst, i, pkt);
	if (out->qp->service != XROCE_UD)
		return;
	pkt->dest_qp = out->swqe->dest_qp;
	pkt->qkey = out->swqe->qkey;
	pkt->src_qp = out->qp->ibqp.qp_num;
}

/* Return: as xroce_tx_burst(). */
static int build_packet(const struct outgoing *out, u32 i, u32 more)
{
	struct xroce_batch *batch = out->batch;
	struct xroce_pkt pkt;
	u32 len;
	u8 *bth;
	int err;

	fill_header(out, i, &pkt);
	len = pkt.hdr_len + pkt.payload_len + pkt.pad + XROCE_ICRC_BYTES;
	bth = xroce_batch_add(batch, out->av, out->burst, i, len, more);
	if (!bth)
		return -ENOBUFS;
	xroce_wire_build(&pkt, bth);
	err = copy_payload(out, i, bth + pkt.hdr_len, pkt.payload_len);
	if (err) {
		xroce_batch_cancel(batch);
		return err == -EAGAIN ? xroce_batch_lose(batch, out->burst, i) :
					-EACCES;
	}
	memset(bth + pkt.hdr_len + pkt.payload_len, 0, pkt.pad);
	/* Over the copy: a program that writes to the buffer can't break it. */
	xroce_batch_seal(batch, bth, pkt.hdr_len, len);
	/* One by one: should a netdev cut badly, that gets through. */
	if (out->burst->is_again)
		xroce_batch_close(batch);
	return 0;
}

static int build_packets(struct outgoing *out, u32 *sent)
{
	const struct xroce_burst *burst = out->burst;
	u32 more;
	int err = 0;

	get_region(out);
	for (*sent = 0; *sent < burst->npkts; (*sent)++) {
		more = (burst->npkts - 1 - *sent) *
		       (burst->pmtu + XROCE_BTH_BYTES + XROCE_ICRC_BYTES);
		err = build_packet(out, *sent, more);
		if (err)
			break;
	}
	put_region(out);
	return err;
}

/* Behind what is in the batch. */
static int send_direct(const struct outgoing *out, struct sk_buff *skb)
{
	if (xroce_batch_flush(out->batch)) {
		kfree_skb(skb);
		return -ENOBUFS;
	}
	xroce_direct_send(out->qp, skb, out->av);
	return 0;
}

int xroce_tx_burst(struct xroce_batch *batch, const struct xroce_burst *burst,
		   u32 *sent)
{
	struct xroce_qp *qp = batch->qp;
	struct outgoing out = {
		.qp = qp,
		.batch = batch,
		.burst = burst,
		.av = qp->av,
	};
	struct sk_buff *direct;

	if (burst->wr)
		out.swqe = to_xroce_swqe(burst->wr);
	if (qp->service == XROCE_UD)
		out.av = out.swqe->av;
	/* RoCEv1 has no routes: one L2 domain. */
	if (out.av->l3 != XROCE_L3_GRH &&
	    !xroce_route_find(qp, (struct xroce_av *)out.av)) {
		xroce_qp_count_lost(qp, XROCE_STAT_TX_NO_ROUTE, burst->npkts);
		return 0;
	}
	direct = xroce_direct_make(qp, burst, out.av, out.swqe);
	return direct ? send_direct(&out, direct) : build_packets(&out, sent);
}

void xroce_tx_cnp(struct xroce_qp *qp, u8 tclass, u8 sl)
{
	struct xroce_burst burst = {
		.first = {
			.opcode = XROCE_CNP_OPCODE,
			.becn = true,
			.pkey = XROCE_DEFAULT_PKEY,
			.dest_qp = qp->attr.dest_qp_num,
		},
		.npkts = 1,
		.is_last = true,
	};
	struct xroce_av av = *qp->av;
	struct xroce_batch batch;
	struct outgoing out = {
		.qp = qp,
		.batch = &batch,
		.burst = &burst,
		.av = &av,
	};
	u32 sent;

	if (!xroce_route_find(qp, qp->av))
		return;
	av.tclass = tclass;
	av.sl = sl;
	xroce_batch_init(&batch, qp);
	build_packets(&out, &sent);
	xroce_batch_flush(&batch);
}
