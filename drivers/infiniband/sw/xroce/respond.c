// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a received packet does to a QP (see respond.h): the address and key checks
 * that need no engine, then what the engine's verdict asks for.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <rdma/ib_addr.h>
#include "complete.h"
#include "direct.h"
#include "keep.h"
#include "place.h"
#include "progress.h"
#include "qp.h"
#include "respond.h"
#include "rx.h"
#include "stats.h"

/**
 * struct arrival - one packet of a received buffer
 * @qp: its QP
 * @skb: the buffer
 * @pkt: parsed
 * @off: offset of the BTH in @skb
 * @len: from there to the ICRC inclusive
 * @payload: of @pkt
 * @held: region that a WRITE before it went to, with a reference, or NULL
 * @held_key: its key then
 * @now: ns
 * @want: memory that is not present, if an attempt failed with -EAGAIN
 * @must_wait: it is to be taken once more when that is there
 */
struct arrival {
	struct xroce_qp *qp;
	struct sk_buff *skb;
	struct xroce_pkt pkt;
	u32 off;
	u32 len;
	struct xroce_payload payload;
	struct xrdma_mr *held;
	u32 held_key;
	u64 now;
	struct xrdma_want want;
	bool must_wait;
};

/* ---- checks before the engine (roce-protocol: 1.12, silent drops) ------------ */

static bool is_from_peer(const struct xroce_av *av, const struct sk_buff *skb)
{
	enum xroce_l3 l3 = xroce_rx_cb((void *)skb)->l3;

	if (!av || av->l3 != l3)
		return false;
	/* A GRH is an IPv6 header in all but name. */
	if (l3 == XROCE_L3_IPV4) {
		const struct iphdr *ip = ip_hdr(skb);

		return !memcmp(&ip->saddr, av->dgid.raw + 12, 4) &&
		       !memcmp(&ip->daddr, av->sgid.raw + 12, 4);
	}
	return !memcmp(&ipv6_hdr(skb)->saddr, &av->dgid, 16) &&
	       !memcmp(&ipv6_hdr(skb)->daddr, &av->sgid, 16);
}

/*
 * IP delivers to our addresses only and connected QPs know theirs; a datagram
 * with a GRH may name any. One to a group was queued for members only.
 */
static bool is_for_us(const struct xroce_qp *qp, struct sk_buff *skb)
{
	const struct ib_grh *grh = (void *)skb_network_header(skb);

	return xroce_rx_cb(skb)->l3 != XROCE_L3_GRH ||
	       rdma_is_multicast_addr((struct in6_addr *)grh->dgid.raw) ||
	       xroce_dev_has_gid(xroce_qp_dev(qp), &grh->dgid);
}

static bool takes_responses(enum ib_qp_state state)
{
	return state == IB_QPS_RTS || state == IB_QPS_SQD;
}

static bool takes_requests(enum ib_qp_state state)
{
	return takes_responses(state) || state == IB_QPS_RTR ||
	       state == IB_QPS_SQE;
}

static u32 expected_qkey(const struct xroce_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_GSI ? XROCE_GSI_QKEY : qp->attr.qkey;
}

static bool pkey_matches(u16 pkey)
{
	/* One full-member default partition: any membership fits. */
	return (pkey & 0x7fff) == (XROCE_DEFAULT_PKEY & 0x7fff);
}

/* Any connected QP may get one, by whatever port and partition. */
static bool is_cnp(const struct xroce_qp *qp, const struct xroce_pkt *pkt)
{
	return pkt->info->op == XROCE_OP_CNP && qp->service != XROCE_UD;
}

static enum xroce_drop admit(const struct arrival *in)
{
	const struct xroce_qp *qp = in->qp;
	const struct xroce_pkt *pkt = &in->pkt;
	enum ib_qp_state state = qp->attr.qp_state;

	if (pkt->info->service != qp->service && !is_cnp(qp, pkt))
		return XROCE_DROP_SERVICE;
	if (pkt->info->is_response ? !takes_responses(state) :
				     !takes_requests(state))
		return XROCE_DROP_STATE;
	if (qp->service == XROCE_UD ? !is_for_us(qp, in->skb) :
				      !is_from_peer(qp->av, in->skb))
		return XROCE_DROP_ADDRESS;
	if (!pkey_matches(pkt->pkey))
		return XROCE_DROP_PKEY;
	if (qp->service == XROCE_UD && pkt->qkey != expected_qkey(qp))
		return XROCE_DROP_QKEY;
	return XROCE_DROP_NONE;
}

/* ---- requests --------------------------------------------------------------------- */

static void act_on(const struct arrival *in, struct xroce_resp_done done)
{
	struct xroce_qp *qp = in->qp;

	xroce_qp_count_drop(qp, done.drop);
	if (done.completes)
		xroce_complete_recv(qp, in->skb, &in->pkt, &done);
	xroce_qp_fault(qp, &done);
}

static int take_recv(struct xroce_qp *qp)
{
	bool hit_limit;

	if (qp->srq)
		return xroce_srq_take(qp->srq, qp->rqe);
	return xroce_rq_take(&qp->rq, qp->rqe, &hit_limit);
}

/* Room for payload: a datagram's first 40 bytes are the network header. */
static u64 recv_room(const struct xroce_qp *qp)
{
	u64 length = qp->rqe->length;

	if (qp->service != XROCE_UD)
		return length;
	return length > sizeof(struct ib_grh) ?
	       length - sizeof(struct ib_grh) : 0;
}

static enum xroce_fault need_recv(struct xroce_qp *qp)
{
	switch (take_recv(qp)) {
	case 0:
		break;
	case -ENOENT:
		xroce_qp_count(qp, XROCE_STAT_OUT_OF_BUFFER, 1);
		return XROCE_FAULT_RNR;
	default:
		return XROCE_FAULT_LOCAL_OP;
	}
	xroce_resp_recv(&qp->resp, recv_room(qp));
	return qp->rqe->is_bad ? XROCE_FAULT_LOCAL_OP : XROCE_FAULT_NONE;
}

/* Of a buffer of several packets: as it was, or would have been, before each one. */
static void set_lengths(const struct arrival *in, u8 *grh)
{
	const struct xroce_pkt *pkt = &in->pkt;
	u32 len = pkt->hdr_len + pkt->payload_len + pkt->pad + XROCE_ICRC_BYTES;
	struct iphdr *ip = (void *)(grh + sizeof(struct ib_grh) - sizeof(*ip));

	switch (xroce_rx_cb(in->skb)->l3) {
	case XROCE_L3_IPV4:
		ip->tot_len = htons(len + sizeof(struct udphdr) + sizeof(*ip));
		ip_send_check(ip);
		break;
	case XROCE_L3_IPV6:
		((struct ipv6hdr *)grh)->payload_len =
			htons(len + sizeof(struct udphdr));
		break;
	case XROCE_L3_GRH:
		((struct ib_grh *)grh)->paylen = htons(len);
		break;
	}
}

/* IBA 11.4.2.1: 40 bytes before a datagram; IPv4 uses the last 20 of them. */
static int place_network_header(struct arrival *in, const struct ib_pd *pd,
				const struct xrdma_sgl *sgl)
{
	u8 grh[sizeof(struct ib_grh)] __aligned(4) = {};

	if (xroce_rx_cb(in->skb)->l3 == XROCE_L3_IPV4)
		memcpy(grh + 20, skb_network_header(in->skb), 20);
	else
		memcpy(grh, skb_network_header(in->skb), sizeof(grh));
	if (xroce_rx_cb(in->skb)->is_many)
		set_lengths(in, grh);
	return xrdma_sgl_copy(&xroce_qp_dev(in->qp)->keys, pd, sgl, 0, grh,
			      min_t(u64, sizeof(grh), sgl->length), XRDMA_TO_MEM,
			      &in->want);
}

static enum xroce_fault do_recv(struct arrival *in,
				const struct xroce_resp_verdict *verdict)
{
	struct xroce_qp *qp = in->qp;
	const struct ib_pd *pd = qp->srq ? qp->srq->ibsrq.pd : qp->ibqp.pd;
	const struct xrdma_sgl sgl = {
		.sge = qp->rqe->sge,
		.num_sge = qp->rqe->num_sge,
		.length = qp->rqe->length,
	};
	u64 offset = verdict->offset;

	if (qp->service == XROCE_UD) {
		if (place_network_header(in, pd, &sgl))
			return XROCE_FAULT_LOCAL_KEY;
		offset += sizeof(struct ib_grh);
	}
	return xroce_place_in_list(&in->payload, qp, pd, &sgl, offset, &in->want) ?
	       XROCE_FAULT_LOCAL_KEY : XROCE_FAULT_NONE;
}

static int do_store(const struct arrival *in, struct xrdma_mr *mr, u64 va)
{
	u8 bytes[sizeof(u64)];

	if (skb_copy_bits(in->skb, in->payload.at, bytes, sizeof(bytes)))
		return -EFAULT;
	return xrdma_mr_store(mr, va, bytes);
}

/* Memory that a request changes; what a READ fetches is looked at when it is sent. */
static struct xrdma_want wanted(const struct xroce_resp_verdict *verdict, u32 length)
{
	return (struct xrdma_want){
		.key = verdict->rkey,
		.access = verdict->access,
		.va = verdict->va,
		.length = length,
		.ahead = verdict->check_len - length,
		.is_write = true,
	};
}

static void let_go(struct arrival *in)
{
	if (in->held)
		xrdma_mr_put(in->held);
	in->held = NULL;
}

/*
 * Key and range of a message are looked at with its first packet, and the region that
 * had the key then still has it.
 */
static bool goes_on(const struct arrival *in, const struct xroce_resp_verdict *verdict)
{
	return in->held && verdict->act == XROCE_RESP_WRITE &&
	       !(in->pkt.info->pos & XROCE_POS_FIRST) &&
	       verdict->rkey == in->held_key;
}

/* With a reference, which is @in's if it is held. */
static struct xrdma_mr *get_region(struct arrival *in,
				   const struct xroce_resp_verdict *verdict, u64 length)
{
	struct xroce_qp *qp = in->qp;
	struct xrdma_mr *mr;

	if (goes_on(in, verdict))
		return in->held;
	let_go(in);
	mr = xrdma_mr_get_remote(&xroce_qp_dev(qp)->keys, qp->ibqp.pd, &qp->windows,
				 verdict->rkey, verdict->access, verdict->check_va,
				 length);
	if (mr && verdict->act == XROCE_RESP_WRITE && xrdma_mr_is_steady(mr)) {
		in->held = mr;
		in->held_key = verdict->rkey;
	}
	return mr;
}

static enum xroce_fault do_memory(struct arrival *in,
				  const struct xroce_resp_verdict *verdict,
				  u64 *old)
{
	const struct xroce_pkt *pkt = &in->pkt;
	struct xrdma_mr *mr;
	u64 length = verdict->is_whole ? XRDMA_WHOLE : verdict->check_len;
	int err = 0;

	if (!length && verdict->act != XROCE_RESP_FLUSH)
		return XROCE_FAULT_NONE;
	if (xroce_payload_is_placed(&in->payload))
		return XROCE_FAULT_NONE;
	mr = get_region(in, verdict, length);
	if (!mr)
		return XROCE_FAULT_REMOTE_ACCESS;

	switch (verdict->act) {
	case XROCE_RESP_WRITE:
		err = xroce_place_in_mr(&in->payload, mr, verdict->va, length);
		break;
	case XROCE_RESP_ATOMIC:
		err = xrdma_mr_atomic(mr, verdict->va,
				      pkt->info->op == XROCE_OP_CMP_SWAP ?
				      XRDMA_CMP_SWAP : XRDMA_FETCH_ADD,
				      pkt->compare, pkt->swap_add, old);
		break;
	case XROCE_RESP_ATOMIC_WRITE:
		err = do_store(in, mr, verdict->va);
		break;
	case XROCE_RESP_FLUSH:
		xrdma_mr_flush(mr, verdict->check_va, length);
		break;
	}
	if (mr != in->held)
		xrdma_mr_put(mr);
	if (err == -EAGAIN)
		in->want = wanted(verdict, verdict->act == XROCE_RESP_WRITE ?
					   pkt->payload_len : sizeof(u64));
	return err ? XROCE_FAULT_REMOTE_ACCESS : XROCE_FAULT_NONE;
}

/* SEND with invalidate: the data are there first (IBTA 9.4.1.1). */
static enum xroce_fault do_invalidate(const struct arrival *in)
{
	struct xroce_qp *qp = in->qp;

	if (xrdma_invalidate(&xroce_qp_dev(qp)->keys, qp->ibqp.pd, &qp->windows,
			     in->pkt.inv_rkey))
		return XROCE_FAULT_INVALIDATE;
	return XROCE_FAULT_NONE;
}

static void count_request(const struct xroce_qp *qp,
			  const struct xroce_pkt *pkt)
{
	if (!(pkt->info->pos & XROCE_POS_FIRST))
		return;
	switch (pkt->info->op) {
	case XROCE_OP_WRITE:
	case XROCE_OP_ATOMIC_WRITE:
		xroce_qp_count(qp, XROCE_STAT_RX_WRITE_REQUESTS, 1);
		break;
	case XROCE_OP_READ_REQUEST:
		xroce_qp_count(qp, XROCE_STAT_RX_READ_REQUESTS, 1);
		break;
	case XROCE_OP_CMP_SWAP:
	case XROCE_OP_FETCH_ADD:
		xroce_qp_count(qp, XROCE_STAT_RX_ATOMIC_REQUESTS, 1);
		break;
	}
}

static void keep(const struct arrival *in)
{
	struct xroce_qp *qp = in->qp;
	struct xroce_kept *kept = NULL;

	/* One that lies in its sender's memory is not kept: hardly ever one before it is lost. */
	if (!in->payload.is_direct &&
	    xroce_keep_add(qp, in->skb, in->off, in->len, in->pkt.psn))
		kept = qp->keep.kept;
	else
		xroce_qp_count_drop(qp, XROCE_DROP_OUT_OF_ORDER);
	xroce_resp_keep(&qp->resp, kept, in->pkt.psn, in->now);
}

/* Memory of @pd was not present: leave everything as it is and wait? */
static bool must_wait(struct arrival *in, const struct ib_pd *pd)
{
	if (in->want.length)
		in->must_wait = xrdma_paging_wait(in->qp->paging, pd, &in->want);
	return in->must_wait;
}

static const struct ib_pd *pd_of(const struct xroce_qp *qp, u8 act)
{
	return act == XROCE_RESP_RECV && qp->srq ? qp->srq->ibsrq.pd :
						   qp->ibqp.pd;
}

static void take_request(struct arrival *in)
{
	struct xroce_qp *qp = in->qp;
	struct xroce_resp *resp = &qp->resp;
	struct xroce_resp_verdict verdict = xroce_resp_check(resp, &in->pkt);
	enum xroce_fault fault = XROCE_FAULT_NONE;
	u64 old = 0;

	if (verdict.act == XROCE_RESP_NEED_RECV) {
		fault = need_recv(qp);
		if (!fault)
			verdict = xroce_resp_check(resp, &in->pkt);
	}
	if (!fault) {
		switch (verdict.act) {
		case XROCE_RESP_KEEP:
			keep(in);
			return;
		case XROCE_RESP_DROP:
			xroce_qp_count_drop(qp, verdict.drop);
			return;
		case XROCE_RESP_RECV:
			fault = do_recv(in, &verdict);
			if (!fault && in->pkt.info->hdrs & XROCE_HDR_IETH)
				fault = do_invalidate(in);
			break;
		case XROCE_RESP_FAULT:
			fault = verdict.fault;
			break;
		default:
			fault = do_memory(in, &verdict, &old);
		}
	}
	if (fault && must_wait(in, pd_of(qp, verdict.act)))
		return;
	if (fault) {
		act_on(in, xroce_resp_fail(resp, &in->pkt, fault));
		return;
	}
	count_request(qp, &in->pkt);
	act_on(in, xroce_resp_commit(resp, &in->pkt, old));
}

/* A packet at @off of @len bytes of the buffer, which was accepted before. */
static bool open_arrival(struct arrival *in, u32 off, u32 len)
{
	in->off = off;
	in->len = len;
	if (!xroce_rx_parse(in->skb, off, len, &in->pkt))
		return false;
	in->payload = (struct xroce_payload) {
		.length = in->pkt.payload_len,
		.skb = in->skb,
		.at = off + in->pkt.hdr_len,
	};
	in->want.length = 0;
	in->must_wait = false;
	return true;
}

/* From the packet at @off on, before all that came later. */
static void take_later(struct xroce_qp *qp, struct sk_buff *skb, u32 off)
{
	struct xroce_rx_cb *cb = xroce_rx_cb(skb);

	cb->len -= off - cb->off;
	cb->off = off;
	xroce_rx_put_back(qp, skb);
}

/* What was kept behind a hole that is filled now, until one has to wait. */
static void take_kept(struct xroce_qp *qp, u64 now)
{
	struct arrival in = { .qp = qp, .now = now };
	const struct xroce_rx_cb *cb;
	u32 psn;

	while (!in.must_wait && xroce_resp_next_kept(&qp->resp, now, &psn)) {
		in.skb = xroce_keep_take(qp, psn);
		cb = xroce_rx_cb(in.skb);
		if (open_arrival(&in, cb->off, cb->len) && in.pkt.psn == psn)
			take_request(&in);
		if (in.must_wait)
			take_later(qp, in.skb, cb->off);
		else
			consume_skb(in.skb);
	}
	let_go(&in);
}

/* ---- responses -------------------------------------------------------------------- */

static void take_response(struct arrival *in)
{
	struct xroce_qp *qp = in->qp;
	struct xroce_req_verdict verdict = xroce_req_input(&qp->req, &in->pkt,
							   in->now);
	const struct xroce_swqe *swqe;
	const struct ib_pd *pd = qp->ibqp.pd;
	struct xrdma_sgl sgl;
	int err;

	if (xroce_req_wants_gaps(&qp->req))
		qp->req.gaps.ring = xroce_keep_gaps(qp);
	if (verdict.act == XROCE_REQ_DROP)
		xroce_qp_count_drop(qp, verdict.drop);
	if (verdict.act != XROCE_REQ_PLACE &&
	    verdict.act != XROCE_REQ_PLACE_ATOMIC)
		return;

	swqe = to_xroce_swqe(verdict.wr);
	sgl = (struct xrdma_sgl){
		.sge = swqe->sge,
		.num_sge = swqe->num_sge,
		.length = xrdma_sge_sum(swqe->sge, swqe->num_sge),
	};
	if (verdict.act == XROCE_REQ_PLACE)
		err = xroce_place_in_list(&in->payload, qp, pd, &sgl, verdict.offset,
					  &in->want);
	else
		err = xrdma_sgl_copy(&xroce_qp_dev(qp)->keys, pd, &sgl, verdict.offset,
				     &in->pkt.orig, sizeof(in->pkt.orig),
				     XRDMA_TO_MEM, &in->want);
	if (err && must_wait(in, pd))
		return;
	xroce_req_placed(&qp->req, &in->pkt, !err, in->now);
}

static void receive_one(struct arrival *in)
{
	struct xroce_qp *qp = in->qp;
	enum xroce_drop drop = admit(in);

	if (drop) {
		xroce_qp_count_drop(qp, drop);
		return;
	}
	if (is_cnp(qp, &in->pkt)) {
		xroce_congest_cnp(qp, ktime_get_ns());
		return;
	}
	if (qp->service != XROCE_UD)
		xroce_congest_look(qp, in->skb);
	if (qp->attr.qp_state == IB_QPS_RTR && !qp->has_comm_est) {
		qp->has_comm_est = true;
		xroce_qp_event(qp, IB_EVENT_COMM_EST);
	}
	if (in->pkt.info->is_response)
		take_response(in);
	else
		take_request(in);
	/* One that was kept may just have waited. */
	if ((qp->resp.n_kept || qp->resp.has_taken_kept) && !in->must_wait)
		take_kept(qp, in->now);
}

/*
 * A WRITE with immediate waits for a receive request before its last packet: until then
 * the peer may do what it likes with the bytes of that.
 */
static u32 early_bytes(const struct xroce_burst *burst)
{
	struct xroce_pkt last;

	xroce_burst_packet(burst, burst->npkts - 1, &last);
	if (last.info->op == XROCE_OP_WRITE && last.info->hdrs & XROCE_HDR_IMMDT)
		return burst->bytes - last.payload_len;
	return burst->bytes;
}

/* Packets that were not built. */
static unsigned int receive_direct(struct xroce_qp *qp, struct sk_buff *skb)
{
	const struct xroce_burst *burst = &xroce_direct_of(skb)->burst;
	struct xroce_rx_cb *cb = xroce_rx_cb(skb);
	struct arrival in = {
		.qp = qp,
		.skb = skb,
		.payload = {
			.skb = skb,
			.is_direct = true,
			.early = early_bytes(burst),
		},
		.now = ktime_get_ns(),
	};
	u32 i, first = cb->off;

	for (i = first; i < burst->npkts; i++) {
		xroce_burst_packet(burst, i, &in.pkt);
		in.payload.length = in.pkt.payload_len;
		in.payload.from = i * burst->pmtu;
		in.want.length = 0;
		receive_one(&in);
		if (in.must_wait)
			break;
	}
	let_go(&in);
	if (in.must_wait) {
		cb->off = i;
		xroce_rx_put_back(qp, skb);
	} else {
		consume_skb(skb);
	}
	return i - first;
}

/* All packets of the buffer, until one must wait. Return: how many. */
static unsigned int receive_packets(struct xroce_qp *qp, struct sk_buff *skb)
{
	const struct xroce_rx_cb *cb = xroce_rx_cb(skb);
	struct arrival in = { .qp = qp, .skb = skb, .now = ktime_get_ns() };
	u32 off = cb->off, end = cb->off + cb->len, len;
	unsigned int n = 0;

	for (; off < end; off += len, n++) {
		len = min(cb->seg, end - off);
		if (!open_arrival(&in, off, len))
			continue;
		receive_one(&in);
		if (in.must_wait)
			break;
	}
	let_go(&in);
	if (in.must_wait)
		take_later(qp, skb, off);
	else
		consume_skb(skb);
	return n;
}

unsigned int xroce_qp_receive(struct xroce_qp *qp, struct sk_buff *skb)
{
	return xroce_rx_cb(skb)->is_direct ? receive_direct(qp, skb) :
					     receive_packets(qp, skb);
}
