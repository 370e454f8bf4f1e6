// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* From bursts to packets (see tx.h): payload, headers, ICRC. */
#include <linux/skbuff.h>
#include "eth.h"
#include "prio.h"
#include "qp.h"
#include "route.h"
#include "rx.h"
#include "stats.h"
#include "tx.h"
#include "udp.h"

/**
 * struct outgoing - what the packets of one burst share
 * @qp: sender
 * @burst: from the engine
 * @av: where to
 * @swqe: requester: the slot of burst->wr
 * @l3_bytes: network and UDP header
 * @priority: for qdiscs and VLANs
 */
struct outgoing {
	struct xroce_qp *qp;
	const struct xroce_burst *burst;
	const struct xroce_av *av;
	struct xroce_swqe *swqe;
	unsigned int l3_bytes;
	u32 priority;
};

/* ---- payload ------------------------------------------------------------------ */

/* Memory that was present a moment ago (paging.h) is not, or can't be had. */
static int absent(struct xroce_qp *qp, const struct xrdma_want *want)
{
	return xroce_paging_wait(qp, qp->ibqp.pd, want) ? -EAGAIN : -EACCES;
}

static int copy_from_wr(const struct outgoing *out, u32 offset, u8 *to,
			u32 length)
{
	struct xroce_qp *qp = out->qp;
	struct xroce_swqe *swqe = out->swqe;
	struct xrdma_want want;
	struct xrdma_sgl sgl = {
		.sge = swqe->sge,
		.num_sge = swqe->num_sge,
		.length = swqe->wr.length,
	};
	int err;

	if (swqe->wr.flags & XROCE_WR_INLINE)
		sgl.data = swqe->sge;
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

	/* Looked up each time: the key may go away during a long READ. */
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

/* @i: packet of the burst */
static int copy_payload(const struct outgoing *out, u32 i, u8 *to, u32 length)
{
	const struct xroce_burst *burst = out->burst;
	u32 offset = burst->offset + i * burst->pmtu;

	if (!length)
		return 0;
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

/* Return: the packet, NULL without memory, -EACCES when a key is wrong. */
static struct sk_buff *build_packet(const struct outgoing *out, u32 i)
{
	struct xroce_pkt pkt;
	unsigned int hdr_len, body;
	struct sk_buff *skb;
	u8 *bth;
	u32 crc;
	int err;

	fill_header(out, i, &pkt);
	body = pkt.payload_len + pkt.pad;
	skb = alloc_skb(LL_MAX_HEADER + out->l3_bytes + XROCE_MAX_HDR_BYTES +
			body + XROCE_ICRC_BYTES, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, LL_MAX_HEADER + out->l3_bytes);
	skb->priority = out->priority;

	bth = skb_tail_pointer(skb);
	hdr_len = xroce_wire_build(&pkt, bth);
	skb_put(skb, hdr_len + body + XROCE_ICRC_BYTES);
	err = copy_payload(out, i, bth + hdr_len, pkt.payload_len);
	if (err) {
		kfree_skb(skb);
		return err == -EAGAIN ? NULL : ERR_PTR(-EACCES);
	}
	memset(bth + hdr_len + pkt.payload_len, 0, pkt.pad);

	if (out->av->l3 == XROCE_L3_GRH)
		xroce_eth_put_grh(skb, out->av);
	else
		xroce_udp_put_headers(skb, out->av, &out->qp->route);
	/* Over the copy: a program that writes to the buffer can't break it. */
	crc = xroce_icrc_headers(out->av->l3, skb->data, bth, hdr_len);
	crc = xroce_icrc_update(crc, bth + hdr_len, body);
	xroce_icrc_put(crc, bth + hdr_len + body);
	return skb;
}

static u32 priority_of(const struct outgoing *out)
{
	u32 priority;

	if (!out->av->sl && !out->av->tclass)
		return 0;
	rcu_read_lock();
	priority = xroce_priority_rcu(out->av,
		xroce_av_egress_rcu(out->av, xroce_qp_dev(out->qp)));
	rcu_read_unlock();
	return priority;
}

static void send_to_own_group(const struct outgoing *out, struct sk_buff *skb)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = xroce_av_egress_rcu(out->av, xroce_qp_dev(out->qp));
	xroce_rx_own_multicast(skb, ndev, out->av->l3);
	rcu_read_unlock();
}

/* Return: false if this host dropped it. */
static bool send_packet(const struct outgoing *out, struct sk_buff *skb)
{
	struct xroce_qp *qp = out->qp;
	struct xroce_dev *dev = xroce_qp_dev(qp);
	unsigned int bytes = skb->len;
	int err;

	if (out->av->is_group)
		send_to_own_group(out, skb);
	/* Monotonic: a bool in older kernels, an enum in newer ones. */
	if (qp->congest.departs)
		skb_set_delivery_time(skb, ns_to_ktime(qp->congest.departs), 1);
	if (out->av->l3 == XROCE_L3_GRH)
		err = xroce_eth_send(dev, skb, out->av);
	else
		err = xroce_udp_send(dev_net(dev->ndev), skb, out->av,
				     &qp->route);
	/* NET_XMIT_CN: another one had to go. */
	if (err && err != NET_XMIT_CN)
		return false;
	xroce_qp_count(qp, XROCE_STAT_TX_PACKETS, 1);
	xroce_qp_count(qp, XROCE_STAT_TX_BYTES, bytes);
	return true;
}

static int send_packets(struct outgoing *out, u32 *sent)
{
	struct sk_buff *skb;

	out->l3_bytes = xroce_icrc_l3_bytes(out->av->l3);
	out->priority = priority_of(out);
	for (*sent = 0; *sent < out->burst->npkts; (*sent)++) {
		skb = build_packet(out, *sent);
		if (IS_ERR(skb))
			return PTR_ERR(skb);
		if (!skb || !send_packet(out, skb)) {
			xroce_qp_count_lost(out->qp, XROCE_STAT_TX_DROPPED, 1);
			return -ENOBUFS;
		}
	}
	return 0;
}

int xroce_tx_burst(struct xroce_qp *qp, const struct xroce_burst *burst,
		   u32 *sent)
{
	struct outgoing out = { .qp = qp, .burst = burst, .av = qp->av };

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
	return send_packets(&out, sent);
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
	struct outgoing out = { .qp = qp, .burst = &burst, .av = &av };
	u32 sent;

	if (!xroce_route_find(qp, qp->av))
		return;
	av.tclass = tclass;
	av.sl = sl;
	send_packets(&out, &sent);
}
