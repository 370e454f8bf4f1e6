// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Any sequence of packets and owner's calls to both engines. The input is a
 * program: a byte of configuration or two, then steps. After each step the
 * invariants of both engines are asserted, and no verdict may lead an obedient
 * owner out of bounds.
 */
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "credit.h"
#include "psn.h"
#include "requester.h"
#include "responder.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define SLOTS		16
#define MAX_RD		8
#define MAX_STEPS	4000

static struct xroce_req req;
static struct xroce_resp resp;
static struct xroce_wr *ring;
static struct xroce_rd *rd;
static struct xroce_kept kept;
static struct xroce_gap gaps[XROCE_GAPS];
static u32 slots_rd;
static u32 reaped;
static u64 now;

static const u8 *input;
static size_t left;

#define expect(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "line %d: %s\n", __LINE__, #cond);	\
		abort();						\
	}								\
} while (0)

static u32 take(u32 bytes)
{
	u32 val = 0;

	while (bytes--) {
		val <<= 8;
		if (left) {
			val |= *input++;
			left--;
		}
	}
	return val;
}

static u32 take_len(void)
{
	switch (take(1) & 7) {
	case 0:
		return 0;
	case 1:
		return take(4);
	case 2:
		return 1U << 31;
	case 3:
		return req.cfg.pmtu;
	case 4:
		return take(2);
	default:
		return take(1);
	}
}

/* Near a place of interest, or anywhere. */
static u32 take_psn(u32 near)
{
	u8 how = (u8)take(1);

	if (how == 0xff)
		return take(3);
	return xroce_psn_add(near, (u32)(s32)((s8)how / 2));
}

/* --- invariants ------------------------------------------------------- */

static u32 rank(u32 index)
{
	return index - req.reap;
}

static void check_windows(void)
{
	u32 cur = xroce_psn_dist(req.cur_psn, req.una_psn);
	u32 max = xroce_psn_dist(req.max_psn, req.una_psn);
	u32 next = xroce_psn_dist(req.next_psn, req.una_psn);

	expect(rank(req.una) <= rank(req.cur));
	expect(rank(req.cur) <= rank(req.started));
	expect(rank(req.started) <= rank(req.posted));
	expect(rank(req.posted) <= SLOTS);
	if (req.is_broken) {
		expect(xroce_req_deadline(&req) == XROCE_NEVER);
		return;
	}
	expect(cur <= max && max <= next);
	expect(max <= XROCE_PSN_WINDOW);
	/* Whatever waits for an answer has a timer, waits on purpose, or is due. */
	if (cur && req.cfg.timeout_ns && req.repair_at)
		expect(xroce_req_deadline(&req) != XROCE_NEVER);
}

static void check_requests(void)
{
	u32 rds = 0, i;

	if (req.is_broken)
		return;
	for (i = req.una; i != req.started; i++) {
		const struct xroce_wr *wr = xroce_sq_wr(&req.sq, i);

		expect(!wr->is_done);
		expect(wr->op < XROCE_WR_OPS);
		if (i == req.una)
			expect(xroce_psn_dist(req.una_psn, wr->first_psn) <=
			       xroce_psn_dist(wr->last_psn, wr->first_psn));
		if (rank(i) < rank(req.cur) && wr->op >= XROCE_WR_READ &&
		    wr->op <= XROCE_WR_FLUSH)
			rds++;
	}
	expect(rds == req.rd_in_flight);
	if (req.una == req.started)
		expect(req.una_psn == req.next_psn &&
		       req.cur_psn == req.next_psn);
}

static void check_responder(void)
{
	u32 pending = 0, i;

	for (i = 0; i < slots_rd; i++)
		pending += rd[i].is_pending;
	expect(pending == resp.rd_pending);
	expect(resp.epsn <= XROCE_PSN_MASK && resp.msn <= XROCE_PSN_MASK);
	if (resp.in_message && resp.msg_op == XROCE_OP_SEND)
		expect(resp.has_recv && resp.recv_done <= resp.recv_len);
}

static void check_all(void)
{
	check_windows();
	check_requests();
	check_responder();
}

/* --- requester -------------------------------------------------------- */

static void post(void)
{
	struct xroce_wr *wr = xroce_sq_wr(&req.sq, req.posted);
	u32 bits = take(1);

	if (rank(req.posted) == SLOTS)
		return;
	*wr = (struct xroce_wr){
		.wr_id = req.posted,
		.op = bits & 15,
		.flags = (bits >> 4 & 1) * XROCE_WR_FENCE,
		.length = take_len(),
		.fault = bits >> 5 == 7 ? XROCE_LOC_PROT_ERR : 0,
	};
	req.posted++;
}

static void check_packets(const struct xroce_burst *burst)
{
	u32 i, bytes = 0;

	expect(burst->npkts && burst->first.info);
	for (i = 0; i < burst->npkts; i += burst->npkts > 9 ?
					   burst->npkts - 1 : 1) {
		struct xroce_pkt pkt;

		xroce_burst_packet(burst, i, &pkt);
		expect(pkt.payload_len <= burst->pmtu);
		expect(pkt.psn <= XROCE_PSN_MASK);
		bytes += pkt.payload_len;
	}
	if (burst->npkts <= 9)
		expect(bytes == burst->bytes);
}

/* A local request is handed out once, when nothing may go before it. */
static void execute(u32 bits)
{
	struct xroce_wr *wr = xroce_req_local(&req);
	u32 una = req.una;

	if (!wr)
		return;
	expect(wr->op >= XROCE_WR_LOCAL_INV && wr->op < XROCE_WR_OPS);
	expect(wr == xroce_sq_wr(&req.sq, req.started));
	expect(wr->op != XROCE_WR_LOCAL_INV || una == req.started);
	xroce_req_executed(&req, wr, bits >> 6 == 3 ? XROCE_MW_BIND_ERR : 0);
	expect(req.is_broken || xroce_req_local(&req) != wr);
}

static void send(void)
{
	u32 bits = take(1);
	u32 max = 1 + (bits & 0x3f);
	struct xroce_burst burst;

	if (!xroce_req_output(&req, now, max, &burst)) {
		/* What is due goes out when it is asked for. */
		expect(req.repair_at || xroce_req_deadline(&req) != XROCE_NEVER);
		execute(bits);
		return;
	}
	expect(burst.npkts <= max);
	expect(burst.source != XROCE_FROM_MR);
	check_packets(&burst);
	if (burst.source == XROCE_FROM_WR) {
		expect(burst.offset <= burst.wr->length);
		expect(burst.bytes <= burst.wr->length - burst.offset);
	}
	if (bits >> 6 == 3 && take(1) & 1)
		xroce_req_fail(&req, burst.wr, XROCE_LOC_PROT_ERR);
	else if (bits >> 6 == 2)
		xroce_req_unsent(&req, &burst, take(1) % burst.npkts, now);
}

static void answer(void)
{
	static const u8 opcodes[] = { 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x11,
				      0x04 };
	u32 bits = take(1);
	struct xroce_req_verdict verdict;
	struct xroce_pkt pkt = {
		.opcode = opcodes[bits & 7],
		.psn = take_psn(bits & 8 ? req.cur_psn : req.una_psn),
	};

	pkt.info = xroce_opcode_find(pkt.opcode);
	pkt.syndrome = bits & 0x10 ? (u8)take(1) : XROCE_CREDIT_UNLIMITED;
	pkt.payload_len = bits & 0x20 ? take(2) : req.cfg.pmtu;
	if (bits & 0x40 && rank(req.una) < rank(req.started))
		pkt.payload_len = xroce_sq_wr(&req.sq, req.una)->length %
				  req.cfg.pmtu;
	verdict = xroce_req_input(&req, &pkt, now);
	if (xroce_req_wants_gaps(&req) && pkt.psn & 1)
		req.gaps.ring = gaps;
	if (verdict.act == XROCE_REQ_DROP)
		expect(verdict.drop && verdict.drop < XROCE_DROPS);
	if (verdict.act < XROCE_REQ_PLACE)
		return;
	expect(verdict.wr == xroce_sq_wr(&req.sq, req.una));
	if (verdict.act == XROCE_REQ_PLACE) {
		expect(verdict.wr->op == XROCE_WR_READ);
		expect(verdict.offset <= verdict.wr->length);
		expect(pkt.payload_len <= verdict.wr->length - verdict.offset);
		expect(verdict.offset == verdict.wr->done_bytes);
	} else {
		expect(verdict.wr->op == XROCE_WR_CMP_SWAP ||
		       verdict.wr->op == XROCE_WR_FETCH_ADD);
	}
	xroce_req_placed(&req, &pkt, !(bits & 0x80) || take(1) & 7, now);
}

static void expire(void)
{
	u64 deadline = xroce_req_deadline(&req);
	u32 bits = take(1);

	now += bits & 0x7f;
	if (bits & 0x80 && deadline != XROCE_NEVER && deadline > now)
		now = deadline;
	xroce_req_expire(&req, now);
	deadline = xroce_req_deadline(&req);
	expect(deadline == XROCE_NEVER || deadline > now);
}

static void reap(void)
{
	struct xroce_wr *wr = xroce_req_reap(&req);

	if (!wr)
		return;
	expect(wr->is_done);
	expect(wr->wr_id == reaped);
	if (wr->status == XROCE_SUCCESS && wr->op == XROCE_WR_READ)
		expect(wr->done_bytes == wr->length);
	reaped++;
}

static void take_req_cfg(struct xroce_req_cfg *cfg)
{
	u32 bits = take(2);

	cfg->timeout_ns = bits & 1 ? 100 : 0;
	cfg->retry_cnt = bits >> 1 & 7;
	cfg->rnr_retry = bits >> 4 & 7;
	cfg->max_rd_atomic = bits >> 7 & 7;
	cfg->window = bits >> 10;
}

static void change_requester(void)
{
	struct xroce_req_cfg cfg = req.cfg;

	switch (take(1) & 7) {
	case 0:
		xroce_req_flush(&req);
		break;
	case 1:
		xroce_req_restart(&req);
		break;
	case 2:
		xroce_req_hold(&req, !req.is_held);
		break;
	case 3:
		take_req_cfg(&cfg);
		xroce_req_reconfigure(&req, &cfg);
		break;
	default:
		xroce_req_is_drained(&req);
		break;
	}
}

/* --- responder -------------------------------------------------------- */

/* What the verdict lets the owner do stays within what it was to check. */
static void check_verdict(const struct xroce_pkt *pkt,
			  const struct xroce_resp_verdict *verdict)
{
	expect(pkt->payload_len <= resp.cfg.pmtu);
	if (verdict->act == XROCE_RESP_RECV) {
		expect(resp.has_recv && verdict->offset <= resp.recv_len);
		expect(pkt->payload_len <= resp.recv_len - verdict->offset);
		return;
	}
	expect(verdict->access && (resp.cfg.access & verdict->access));
	expect(verdict->check_len <= XROCE_MAX_MESSAGE);
	if (verdict->check_len)
		expect(verdict->check_va + verdict->check_len >
		       verdict->check_va);
	if (verdict->act == XROCE_RESP_WRITE) {
		expect(verdict->va >= verdict->check_va);
		expect(pkt->payload_len <= verdict->check_len);
		expect(verdict->va - verdict->check_va <=
		       verdict->check_len - pkt->payload_len);
	}
	if (verdict->act == XROCE_RESP_ATOMIC ||
	    verdict->act == XROCE_RESP_ATOMIC_WRITE)
		expect(!(verdict->va & 7) && verdict->check_len == 8);
	if (verdict->act == XROCE_RESP_ATOMIC_WRITE)
		expect(pkt->payload_len == 8);
	if (verdict->act != XROCE_RESP_FLUSH)
		expect(!verdict->is_whole);
}

static void check_done(const struct xroce_resp_done *done)
{
	if (done->completes)
		expect(!resp.has_recv);
	if (done->to_error)
		expect(resp.is_broken);
	expect(done->drop < XROCE_DROPS);
}

static void take_request(struct xroce_pkt *pkt)
{
	static const u8 base[] = { [XROCE_RC] = 0, [XROCE_UC] = 0x20,
				   [XROCE_UD] = 0x64 };
	u32 bits = take(1);

	memset(pkt, 0, sizeof(*pkt));
	do
		pkt->opcode = base[resp.cfg.service] +
			      (resp.cfg.service == XROCE_UD ? bits & 1 :
							      bits & 0x1f);
	while (!xroce_opcode_find(pkt->opcode) && bits--);
	pkt->info = xroce_opcode_find(pkt->opcode);
	pkt->ack_req = bits & 0x20;
	pkt->psn = bits & 0x40 ? take_psn(resp.epsn) : resp.epsn;
	pkt->payload_len = bits & 0x80 ? take(2) : resp.cfg.pmtu;
	pkt->va = (u64)take(1) << 56 | take_psn(0) << 3;
	pkt->rkey = take(1) & 1;
	pkt->dma_len = take_len();
	if (pkt->info && pkt->info->op == XROCE_OP_FLUSH) {
		pkt->flush_type = (u8)take(1) & 15;
		pkt->flush_level = pkt->rkey ? (u8)take(1) & 3 : 0;
		pkt->payload_len = bits & 0x80 ? pkt->payload_len : 0;
	}
	if (pkt->info && pkt->info->op == XROCE_OP_ATOMIC_WRITE && bits & 1)
		pkt->payload_len = pkt->dma_len = 8;
}

/* @how: what the owner can do */
static void try_request(const struct xroce_pkt *pkt, u8 how)
{
	struct xroce_resp_verdict verdict;
	struct xroce_resp_done done;

	verdict = xroce_resp_check(&resp, pkt);
	if (verdict.act == XROCE_RESP_NEED_RECV) {
		expect(!resp.has_recv);
		if (how & 1) {
			done = xroce_resp_fail(&resp, pkt, XROCE_FAULT_RNR);
			check_done(&done);
			return;
		}
		xroce_resp_recv(&resp, how & 2 ? U64_MAX : take(2));
		verdict = xroce_resp_check(&resp, pkt);
		expect(verdict.act != XROCE_RESP_NEED_RECV);
	}
	if (verdict.act == XROCE_RESP_KEEP) {
		expect(xroce_psn_dist(pkt->psn, resp.epsn) < resp.cfg.keep);
		xroce_resp_keep(&resp, how & 1 ? &kept : NULL, pkt->psn, now);
		return;
	}
	if (verdict.act == XROCE_RESP_DROP) {
		expect(verdict.drop && verdict.drop < XROCE_DROPS);
		return;
	}
	if (verdict.act == XROCE_RESP_FAULT) {
		done = xroce_resp_fail(&resp, pkt, verdict.fault);
		check_done(&done);
		return;
	}
	check_verdict(pkt, &verdict);
	if (how >> 2 == 0x3f)
		done = xroce_resp_fail(&resp, pkt,
				       2 + take(1) % (XROCE_FAULTS - 2));
	else
		done = xroce_resp_commit(&resp, pkt, 5);
	check_done(&done);
}

static void request(void)
{
	struct xroce_pkt pkt;
	u8 how = (u8)take(1);
	u32 psn;

	take_request(&pkt);
	if (!pkt.info || pkt.info->is_response)
		return;
	try_request(&pkt, how);
	/* Kept packets are what the fuzzer says now: as hostile as any. */
	while (resp.n_kept && xroce_resp_next_kept(&resp, now, &psn)) {
		take_request(&pkt);
		pkt.psn = psn;
		if (pkt.info && !pkt.info->is_response)
			try_request(&pkt, (u8)take(1));
		if (resp.epsn == psn)
			break;
	}
	expect(resp.n_kept <= XROCE_KEEP);
}

/* What is read lies within a READ that was let in. */
static bool is_remembered(const struct xroce_burst *burst)
{
	u32 i;

	for (i = 0; i < slots_rd; i++) {
		const struct xroce_rd *slot = &rd[i];
		u64 at = burst->va - slot->va;

		if (slot->is_used && slot->rkey == burst->rkey &&
		    at <= slot->len && burst->bytes <= slot->len - at)
			return true;
	}
	return false;
}

static void resize(void)
{
	u32 n = take(1) % (MAX_RD + 1);
	struct xroce_rd *new = n ? malloc(n * sizeof(*new)) : NULL;

	if (xroce_resp_resize(&resp, new, n)) {
		free(rd);
		rd = new;
		slots_rd = n;
	} else {
		free(new);
	}
}

static void respond(void)
{
	u32 bits = take(1);
	u32 max = 1 + (bits & 0x3f);
	struct xroce_burst burst;
	struct xroce_resp_done done;

	if (!xroce_resp_output(&resp, max, &burst))
		return;
	expect(resp.cfg.service == XROCE_RC);
	expect(burst.npkts <= max && burst.first.info->is_response);
	check_packets(&burst);
	if (burst.source != XROCE_FROM_MR)
		return;
	expect(is_remembered(&burst));
	if (bits >> 6 == 3 && !take(1)) {
		done = xroce_resp_read_failed(&resp, &burst);
		check_done(&done);
	}
}

/* Answers come to an end, and silence is silence. */
static void drain_responder(void)
{
	struct xroce_burst burst;
	u32 n = 0;

	while (xroce_resp_output(&resp, U32_MAX, &burst))
		expect(n++ < 2 * MAX_RD + 2);
	expect(!resp.rd_pending && !resp.ack_pending && !resp.nak_pending);
}

/* --- the program ------------------------------------------------------ */

static void begin(void)
{
	struct xroce_sq sq = { ring, sizeof(*ring), SLOTS - 1 };
	u32 bits = take(1);
	u32 psn = take_psn(bits & 0x80 ? 0x7fffff : 0xffffff);
	struct xroce_req_cfg rq = {
		.service = (bits & 3) % 3,
		.pmtu = 256U << (bits >> 2 & 7) % 5,
	};
	struct xroce_resp_cfg rs = {
		.service = rq.service,
		.pmtu = rq.pmtu,
		.access = bits & 0x20 ? 0x30e : take(2),
		.min_rnr_timer = 1,
		.max_dest_rd_atomic = take(1) % (MAX_RD + 1),
		.keep = bits & 0x40 ? XROCE_KEEP : 0,
	};

	take_req_cfg(&rq);
	slots_rd = rs.max_dest_rd_atomic;
	rd = slots_rd ? malloc(slots_rd * sizeof(*rd)) : NULL;
	xroce_req_init(&req, &rq, &sq, psn);
	xroce_resp_init(&resp, &rs, rd, psn);
	memset(&kept, 0, sizeof(kept));
	memset(gaps, 0, sizeof(gaps));
	now = 1;
	reaped = 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static void (*const steps[])(void) = {
		post, send, answer, expire, reap, change_requester,
		request, respond, request, answer, send, request, post,
		resize, answer, drain_responder,
	};
	u32 n = 0;

	input = data;
	left = size;
	ring = calloc(SLOTS, sizeof(*ring));
	expect(ring);
	begin();
	while (left && n++ < MAX_STEPS) {
		steps[take(1) & 15]();
		check_all();
	}
	drain_responder();
	xroce_req_flush(&req);
	while (req.reap != req.una)
		reap();
	expect(reaped == req.posted);
	free(ring);
	free(rd);
	return 0;
}
