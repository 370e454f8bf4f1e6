// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The send side, packet by packet.
 */
#include <linux/types.h>
#include "credit.h"
#include "holes.h"
#include "psn.h"
#include "requester.h"
#include "test.h"

#define SLOTS	16
#define PMTU	1024U
#define TIMEOUT	1000000ULL

static struct xroce_req req;
static struct xroce_wr ring[SLOTS];
static struct xroce_burst burst;
static u64 now;

static const struct xroce_req_cfg rc_cfg = {
	.service = XROCE_RC,
	.pkey = 0xffff,
	.pmtu = PMTU,
	.dest_qp = 0x123,
	.timeout_ns = TIMEOUT,
	.retry_cnt = 7,
	.rnr_retry = 7,
	.max_rd_atomic = 4,
	.window = 128,
};

static struct xroce_gap gaps[XROCE_GAPS];

static void begin(const struct xroce_req_cfg *cfg, u32 psn)
{
	const struct xroce_sq sq = {
		.base = ring,
		.stride = sizeof(ring[0]),
		.mask = SLOTS - 1,
	};

	memset(ring, 0, sizeof(ring));
	now = 1000;
	xroce_req_init(&req, cfg, &sq, psn);
	req.gaps.ring = gaps;
	/* Most tests are about a peer of the plain kind. */
	req.peer = XROCE_PEER_DROPS;
	req.drops = 64;
	/* and of a way that is known */
	req.ramp = req.cfg.window;
}

static struct xroce_wr *post(u8 op, u32 len, u8 flags)
{
	struct xroce_wr *wr = &ring[req.posted++ % SLOTS];

	*wr = (struct xroce_wr){
		.op = op,
		.length = len,
		.flags = flags,
		.remote_va = 0x10000,
		.rkey = 0x55,
	};
	return wr;
}

static bool out(u32 max_pkts)
{
	return xroce_req_output(&req, now, max_pkts, &burst);
}

/* Send all that may be sent; returns the number of packets. */
static u32 drain(void)
{
	u32 n = 0;

	while (out(1000))
		n += burst.npkts;
	return n;
}

static struct xroce_pkt response(u8 op, u8 pos, u32 psn)
{
	struct xroce_pkt pkt = {
		.psn = psn & XROCE_PSN_MASK,
		.syndrome = XROCE_CREDIT_UNLIMITED,
	};

	pkt.opcode = (u8)xroce_opcode_of(XROCE_RC, op, pos, 0);
	pkt.info = xroce_opcode_find(pkt.opcode);
	return pkt;
}

static u8 answer(u32 psn, u8 syndrome)
{
	struct xroce_pkt pkt = response(XROCE_OP_ACKNOWLEDGE, XROCE_POS_ONLY,
					psn);

	pkt.syndrome = syndrome;
	return xroce_req_input(&req, &pkt, now).act;
}

static u8 ack(u32 psn)
{
	return answer(psn, XROCE_CREDIT_UNLIMITED);
}

/* A READ response, placed if the requester wants it. */
static u8 read_response(u32 psn, u8 pos, u32 len)
{
	struct xroce_pkt pkt = response(XROCE_OP_READ_RESPONSE, pos, psn);
	struct xroce_req_verdict verdict;

	pkt.payload_len = len;
	verdict = xroce_req_input(&req, &pkt, now);
	if (verdict.act == XROCE_REQ_PLACE)
		xroce_req_placed(&req, &pkt, true, now);
	return verdict.act;
}

static u8 atomic_response(u32 psn)
{
	struct xroce_pkt pkt = response(XROCE_OP_ATOMIC_ACKNOWLEDGE,
					XROCE_POS_ONLY, psn);
	struct xroce_req_verdict verdict = xroce_req_input(&req, &pkt, now);

	if (verdict.act == XROCE_REQ_PLACE_ATOMIC)
		xroce_req_placed(&req, &pkt, true, now);
	return verdict.act;
}

/* The next completion: its status, or -1 if there is none. */
static int reap(const struct xroce_wr *want)
{
	struct xroce_wr *wr = xroce_req_reap(&req);

	if (!wr)
		return -1;
	CHECK(wr == want);
	CHECK(wr->is_done);
	return wr->status;
}

static void check_packet(u32 i, u8 opcode, u32 psn, u32 len)
{
	struct xroce_pkt pkt;

	xroce_burst_packet(&burst, i, &pkt);
	CHECK_EQ(pkt.opcode, opcode);
	CHECK_EQ(pkt.psn, psn & XROCE_PSN_MASK);
	CHECK_EQ(pkt.payload_len, len);
	CHECK_EQ(pkt.dest_qp, 0x123);
	CHECK_EQ(pkt.pkey, 0xffff);
}

static bool asks(u32 i)
{
	struct xroce_pkt pkt;

	xroce_burst_packet(&burst, i, &pkt);
	return pkt.ack_req;
}

TEST(output__segments_by_pmtu)
{
	static const struct {
		u32 len, npkts, last;
	} want[] = {
		{ 0, 1, 0 }, { 1, 1, 1 }, { PMTU - 1, 1, PMTU - 1 },
		{ PMTU, 1, PMTU }, { PMTU + 1, 2, 1 },
		{ 2 * PMTU, 2, PMTU }, { 2 * PMTU + 1, 3, 1 },
	};
	u32 i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		u32 n = want[i].npkts;

		test_context("length %u", want[i].len);
		begin(&rc_cfg, 100);
		post(XROCE_WR_SEND, want[i].len, 0);
		CHECK(out(100));
		CHECK_EQ(burst.npkts, n);
		CHECK_EQ(burst.bytes, want[i].len);
		CHECK(burst.is_last);
		CHECK_EQ(burst.source, want[i].len ? XROCE_FROM_WR :
						     XROCE_FROM_NOWHERE);
		check_packet(0, n == 1 ? 0x04 : 0x00, 100,
			     n == 1 ? want[i].last : PMTU);
		if (n == 3)
			check_packet(1, 0x01, 101, PMTU);
		if (n > 1)
			check_packet(n - 1, 0x02, 100 + n - 1, want[i].last);
		CHECK(asks(n - 1));
		CHECK(n == 1 || !asks(0));
		CHECK(!out(100));
	}
}

TEST(output__carries_on_in_the_middle)
{
	begin(&rc_cfg, 0xfffffe);
	post(XROCE_WR_WRITE_IMM, 5 * PMTU + 7, XROCE_WR_SOLICITED);
	CHECK(out(2));
	check_packet(0, 0x06, 0xfffffe, PMTU);
	check_packet(1, 0x07, 0xffffff, PMTU);
	CHECK_EQ(burst.first.dma_len, 5 * PMTU + 7);
	CHECK(!burst.is_last);
	CHECK(out(1));
	CHECK_EQ(burst.offset, 2 * PMTU);
	check_packet(0, 0x07, 0, PMTU);
	CHECK(!asks(0));
	CHECK(out(100));
	CHECK_EQ(burst.npkts, 3);
	CHECK_EQ(burst.offset, 3 * PMTU);
	check_packet(2, 0x09, 3, 7);
	CHECK(!burst.first.solicited);
	CHECK(burst.solicited_last);
	CHECK(!out(1));
	CHECK_EQ(ack(3), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
}

TEST(output__opcode_of_each_request)
{
	static const u8 only[] = {
		0x04, 0x05, 0x17, 0x0a, 0x0b, 0x0c, 0x13, 0x14, 0x1d, 0x1c,
	};
	u8 op;

	for (op = 0; op < sizeof(only); op++) {
		begin(&rc_cfg, 7);
		post(op, 8, 0);
		CHECK(out(1));
		CHECK_EQ(burst.first.opcode, only[op]);
		CHECK_EQ(burst.bytes, op < XROCE_WR_READ ||
				      op == XROCE_WR_ATOMIC_WRITE ? 8 : 0);
	}
}

TEST(output__read_takes_the_psns_of_its_answer)
{
	begin(&rc_cfg, 0xffffff);
	post(XROCE_WR_READ, 3 * PMTU + 1, 0);
	post(XROCE_WR_READ, 0, 0);
	post(XROCE_WR_FETCH_ADD, 8, 0);
	post(XROCE_WR_SEND, 1, 0);
	CHECK(out(1));
	check_packet(0, 0x0c, 0xffffff, 0);
	CHECK_EQ(burst.first.dma_len, 3 * PMTU + 1);
	CHECK(out(1));
	check_packet(0, 0x0c, 3, 0);
	CHECK(out(1));
	check_packet(0, 0x14, 4, 0);
	CHECK(out(1));
	check_packet(0, 0x04, 5, 1);
	CHECK_EQ(xroce_req_next_psn(&req), 6);
}

TEST(output__stops_at_the_window_and_asks)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.window = 10;
	begin(&cfg, 5);
	post(XROCE_WR_SEND, 20 * PMTU, 0);
	CHECK(out(8));
	CHECK(!asks(7));
	CHECK(out(8));
	CHECK_EQ(burst.npkts, 2);
	CHECK(!asks(0));
	CHECK(asks(1));
	CHECK(!out(8));
	CHECK_EQ(ack(5), XROCE_REQ_TAKEN);
	CHECK(out(8));
	CHECK_EQ(burst.npkts, 1);
	CHECK(asks(0));
}

TEST(output__a_read_fills_the_window)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.window = 4;
	begin(&cfg, 0);
	post(XROCE_WR_READ, 9 * PMTU, 0);
	post(XROCE_WR_SEND, 1, 0);
	CHECK(out(1));
	CHECK(!out(1));
	read_response(0, XROCE_POS_FIRST, PMTU);
	read_response(1, XROCE_POS_MIDDLE, PMTU);
	read_response(2, XROCE_POS_MIDDLE, PMTU);
	read_response(3, XROCE_POS_MIDDLE, PMTU);
	read_response(4, XROCE_POS_MIDDLE, PMTU);
	CHECK(!out(1));
	read_response(5, XROCE_POS_MIDDLE, PMTU);
	CHECK(out(1));
}

TEST(output__asks_every_32_packets)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 100 * PMTU, 0);
	CHECK(out(30));
	CHECK(!asks(29));
	CHECK(out(30));
	CHECK_EQ(burst.npkts, 2);
	CHECK(!asks(0));
	CHECK(asks(1));
	CHECK(out(100));
	CHECK_EQ(burst.npkts, 32);
	CHECK(asks(31));
}

TEST(output__tiny_window_is_raised_to_two)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.window = 0;
	begin(&cfg, 0);
	post(XROCE_WR_SEND, 5 * PMTU, 0);
	CHECK_EQ(drain(), 2);
}

TEST(output__fence_waits_for_reads)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_READ, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_SEND, 8, XROCE_WR_FENCE);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 2);
	CHECK_EQ(read_response(0, XROCE_POS_ONLY, 8), XROCE_REQ_PLACE);
	CHECK_EQ(drain(), 2);
}

TEST(output__reads_stall_at_the_limit)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.max_rd_atomic = 2;
	begin(&cfg, 0);
	post(XROCE_WR_READ, 8, 0);
	post(XROCE_WR_CMP_SWAP, 8, 0);
	post(XROCE_WR_READ, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 2);
	CHECK_EQ(read_response(0, XROCE_POS_ONLY, 8), XROCE_REQ_PLACE);
	CHECK_EQ(drain(), 2);
	CHECK_EQ(atomic_response(1), XROCE_REQ_PLACE_ATOMIC);
	CHECK_EQ(ring[1].done_bytes, 8);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(reap(NULL), -1);
}

/* An acknowledgement that tells of receive requests */
static u8 credit(u32 psn, u32 msn, u32 n)
{
	struct xroce_pkt pkt = response(XROCE_OP_ACKNOWLEDGE, XROCE_POS_ONLY, psn);

	pkt.syndrome = xroce_credit_code(n);
	pkt.msn = msn & XROCE_PSN_MASK;
	return xroce_req_input(&req, &pkt, now).act;
}

TEST(credits__one_message_more_than_the_peer_has_requests)
{
	int i;

	begin(&rc_cfg, 10);
	for (i = 0; i < 10; i++)
		post(XROCE_WR_SEND, 8, 0);
	/* Nobody said how many yet. */
	CHECK(out(1));
	CHECK(out(1));
	CHECK_EQ(credit(10, 1, 2), XROCE_REQ_TAKEN);
	CHECK_EQ(drain(), 2);
	/* An acknowledgement of the last message alone; none left but the one more. */
	CHECK_EQ(credit(13, 4, 0), XROCE_REQ_TAKEN);
	CHECK_EQ(drain(), 1);
	/* The same once more, and more credit: there are new requests. */
	CHECK_EQ(credit(13, 4, 3), XROCE_REQ_DROP);
	CHECK_EQ(drain(), 3);
	CHECK_EQ(ack(17), XROCE_REQ_TAKEN);
	CHECK_EQ(drain(), 2);
}

TEST(credits__writes_and_reads_need_none)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(credit(0, 1, 0), XROCE_REQ_TAKEN);
	post(XROCE_WR_WRITE, 8, 0);
	post(XROCE_WR_READ, 8, 0);
	post(XROCE_WR_FETCH_ADD, 8, 0);
	post(XROCE_WR_WRITE_IMM, 8, 0);	/* the one more */
	post(XROCE_WR_WRITE, 8, 0);
	post(XROCE_WR_SEND_INV, 8, 0);	/* too many, and what follows waits */
	post(XROCE_WR_WRITE, 8, 0);
	CHECK_EQ(drain(), 5);
	CHECK_EQ(credit(1, 2, 0), XROCE_REQ_TAKEN);
	CHECK_EQ(drain(), 0);
	CHECK_EQ(read_response(2, XROCE_POS_ONLY, 8), XROCE_REQ_PLACE);
	CHECK_EQ(atomic_response(3), XROCE_REQ_PLACE_ATOMIC);
	CHECK_EQ(credit(5, 6, 0), XROCE_REQ_TAKEN);
	CHECK_EQ(drain(), 2);
}

TEST(credits__what_was_sent_is_sent_again_without)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(credit(0, 1, 3), XROCE_REQ_TAKEN);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 2);
	CHECK_EQ(answer(1, XROCE_NAK_PSN_SEQUENCE), XROCE_REQ_TAKEN);
	CHECK_EQ(drain(), 2);
}

/* A peer that counts no messages does not stop us. */
TEST(credits__that_never_come)
{
	u32 psn = 0;

	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(credit(psn++, 0, 0), XROCE_REQ_TAKEN);
	while (psn < 7) {
		post(XROCE_WR_SEND, 8, 0);
		post(XROCE_WR_SEND, 8, 0);
		CHECK_EQ(drain(), 1);
		CHECK_EQ(credit(psn++, 0, 0), XROCE_REQ_TAKEN);
		CHECK_EQ(drain(), 1);
		CHECK_EQ(credit(psn++, 0, 0), XROCE_REQ_TAKEN);
	}
}

TEST(credits__numbers_wrap)
{
	begin(&rc_cfg, 0);
	req.ssn = 0xffffff;
	req.lsn = 0xffffff;
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(credit(0, 0x1000000, 1), XROCE_REQ_TAKEN);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 2);
}

TEST(output__reads_without_credit_fail_in_their_turn)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.max_rd_atomic = 0;
	begin(&cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_READ, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(reap(NULL), -1);
	ack(0);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK(!out(1));
	CHECK_EQ(reap(&ring[1]), XROCE_LOC_QP_OP_ERR);
	CHECK(!out(1));
}

TEST(output__credit_may_vanish_under_a_started_read)
{
	struct xroce_req_cfg cfg = rc_cfg;

	begin(&cfg, 0);
	post(XROCE_WR_READ, 8, 0);
	CHECK_EQ(drain(), 1);
	cfg.max_rd_atomic = 0;
	xroce_req_reconfigure(&req, &cfg);
	now += TIMEOUT;
	xroce_req_expire(&req, now);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(read_response(0, XROCE_POS_ONLY, 8), XROCE_REQ_PLACE);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
}

TEST(output__what_a_service_does_not_offer)
{
	static const struct {
		u8 service, op, status;
		u32 len;
	} want[] = {
		{ XROCE_UC, XROCE_WR_READ, XROCE_LOC_QP_OP_ERR, 8 },
		{ XROCE_UC, XROCE_WR_FETCH_ADD, XROCE_LOC_QP_OP_ERR, 8 },
		{ XROCE_UC, XROCE_WR_SEND_INV, XROCE_LOC_QP_OP_ERR, 8 },
		{ XROCE_UC, XROCE_WR_ATOMIC_WRITE, XROCE_LOC_QP_OP_ERR, 8 },
		{ XROCE_UC, XROCE_WR_FLUSH, XROCE_LOC_QP_OP_ERR, 8 },
		{ XROCE_UD, XROCE_WR_BIND_MW, XROCE_LOC_QP_OP_ERR, 0 },
		{ XROCE_UD, XROCE_WR_LOCAL_INV, XROCE_LOC_QP_OP_ERR, 0 },
		{ XROCE_UD, XROCE_WR_WRITE, XROCE_LOC_QP_OP_ERR, 8 },
		{ XROCE_UD, XROCE_WR_SEND, XROCE_LOC_LEN_ERR, PMTU + 1 },
		{ XROCE_RC, XROCE_WR_SEND, XROCE_LOC_LEN_ERR, (1U << 31) + 1 },
		{ XROCE_RC, XROCE_WR_OPS, XROCE_LOC_QP_OP_ERR, 8 },
		{ XROCE_RC, 255, XROCE_LOC_QP_OP_ERR, 8 },
	};
	u32 i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct xroce_req_cfg cfg = rc_cfg;

		test_context("row %u", i);
		cfg.service = want[i].service;
		begin(&cfg, 0);
		post(want[i].op, want[i].len, 0);
		CHECK(!out(1));
		CHECK_EQ(reap(&ring[0]), want[i].status);
	}
}

TEST(output__fault_found_at_post_time_waits_its_turn)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_SEND, 8, 0)->fault = XROCE_LOC_PROT_ERR;
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(reap(NULL), -1);
	ack(0);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_LOC_PROT_ERR);
	CHECK_EQ(reap(NULL), -1);
	CHECK(!out(1));
	CHECK_EQ(ack(0), XROCE_REQ_DROP);
	xroce_req_flush(&req);
	CHECK_EQ(reap(&ring[2]), XROCE_WR_FLUSH_ERR);
}

TEST(output__atomic_write_and_flush)
{
	struct xroce_pkt pkt;
	struct xroce_wr *wr;

	begin(&rc_cfg, 0xffffff);
	post(XROCE_WR_ATOMIC_WRITE, 8, 0);
	wr = post(XROCE_WR_FLUSH, 3 * PMTU, 0);
	wr->flush_type = XROCE_FLUSH_PERSISTENT;
	wr->flush_level = XROCE_FLUSH_MR;
	post(XROCE_WR_SEND, 8, XROCE_WR_FENCE);
	CHECK(out(9));
	check_packet(0, 0x1d, 0xffffff, 8);
	CHECK_EQ(burst.source, XROCE_FROM_WR);
	CHECK_EQ(burst.offset, 0);
	CHECK_EQ(burst.first.dma_len, 8);
	CHECK_EQ(burst.first.va, 0x10000);
	CHECK_EQ(burst.first.rkey, 0x55);
	CHECK(asks(0));
	/* one PSN, no payload, whatever it flushes */
	CHECK(out(9));
	check_packet(0, 0x1c, 0, 0);
	CHECK_EQ(burst.source, XROCE_FROM_NOWHERE);
	xroce_burst_packet(&burst, 0, &pkt);
	CHECK_EQ(pkt.dma_len, 3 * PMTU);
	CHECK_EQ(pkt.flush_type, XROCE_FLUSH_PERSISTENT);
	CHECK_EQ(pkt.flush_level, XROCE_FLUSH_MR);
	CHECK_EQ(req.rd_in_flight, 2);
	CHECK(!out(9));

	CHECK_EQ(read_response(0xffffff, XROCE_POS_ONLY, 0), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK(!out(9));
	CHECK_EQ(read_response(0, XROCE_POS_ONLY, 0), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(req.rd_in_flight, 0);
	CHECK(out(9));
	check_packet(0, 0x04, 1, 8);
}

/* Like READs they need an answer of their own, and a slot at the peer. */
TEST(output__atomic_write_and_flush_are_like_reads)
{
	struct xroce_req_cfg cfg = rc_cfg;
	u32 i;

	for (i = 0; i < 2; i++) {
		u8 op = i ? XROCE_WR_FLUSH : XROCE_WR_ATOMIC_WRITE;

		test_context("op %u", op);
		cfg.max_rd_atomic = 1;
		begin(&cfg, 0);
		post(op, 8, 0);
		post(op, 8, 0);
		CHECK_EQ(drain(), 1);
		/* an acknowledgement implies that the answer was lost */
		CHECK_EQ(ack(0), XROCE_REQ_TAKEN);
		CHECK_EQ(reap(NULL), -1);
		CHECK_EQ(req.stats.implied_naks, 1);
		CHECK(out(9));
		check_packet(0, i ? 0x1c : 0x1d, 0, i ? 0 : 8);
		CHECK_EQ(read_response(0, XROCE_POS_ONLY, 0), XROCE_REQ_TAKEN);
		CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);

		cfg.max_rd_atomic = 0;
		begin(&cfg, 0);
		post(op, 8, 0);
		CHECK(!out(1));
		CHECK_EQ(reap(&ring[0]), XROCE_LOC_QP_OP_ERR);
	}
}

TEST(input__answers_to_flush_that_are_none)
{
	struct xroce_pkt pkt;

	begin(&rc_cfg, 0);
	post(XROCE_WR_FLUSH, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(read_response(0, XROCE_POS_ONLY, 8), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_LOC_LEN_ERR);

	begin(&rc_cfg, 0);
	post(XROCE_WR_FLUSH, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(read_response(0, XROCE_POS_FIRST, 0), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_BAD_RESP_ERR);

	begin(&rc_cfg, 0);
	post(XROCE_WR_ATOMIC_WRITE, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(atomic_response(0), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_BAD_RESP_ERR);

	begin(&rc_cfg, 0);
	post(XROCE_WR_ATOMIC_WRITE, 8, 0);
	CHECK_EQ(drain(), 1);
	pkt = response(XROCE_OP_READ_RESPONSE, XROCE_POS_ONLY, 0);
	pkt.syndrome = 0x62;
	CHECK_EQ(xroce_req_input(&req, &pkt, now).act, XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_BAD_RESP_ERR);
}

static bool execute(struct xroce_wr *want, u8 status)
{
	struct xroce_wr *wr;

	while (out(1000))
		;
	wr = xroce_req_local(&req);
	if (!wr)
		return false;
	CHECK(wr == want);
	xroce_req_executed(&req, wr, status);
	return true;
}

TEST(local__takes_no_psn_and_completes_in_order)
{
	begin(&rc_cfg, 0xffffff);
	post(XROCE_WR_BIND_MW, 0, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_BIND_MW, 0, 0);
	post(XROCE_WR_REG_MR, 0, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK(!out(9));
	CHECK(execute(&ring[0], XROCE_SUCCESS));
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK(out(9));
	check_packet(0, 0x04, 0xffffff, 8);
	CHECK(!out(9));
	CHECK(execute(&ring[2], XROCE_SUCCESS));
	CHECK(execute(&ring[3], XROCE_SUCCESS));
	CHECK_EQ(reap(NULL), -1);
	CHECK(out(9));
	check_packet(0, 0x04, 0, 8);
	CHECK(!execute(NULL, 0));
	ack(0xffffff);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[2]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[3]), XROCE_SUCCESS);
	CHECK_EQ(reap(NULL), -1);
	ack(0);
	CHECK_EQ(reap(&ring[4]), XROCE_SUCCESS);
}

TEST(local__is_not_repeated_with_what_is_sent_again)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_BIND_MW, 0, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK(execute(&ring[1], XROCE_SUCCESS));
	CHECK_EQ(drain(), 1);
	now += TIMEOUT;
	xroce_req_expire(&req, now);
	CHECK(out(9));
	check_packet(0, 0x04, 0, 8);
	CHECK(out(9));
	check_packet(0, 0x04, 1, 8);
	CHECK(!execute(NULL, 0));
	ack(1);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[2]), XROCE_SUCCESS);
}

TEST(local__failure_waits_for_the_ones_before)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_BIND_MW, 0, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK(execute(&ring[1], XROCE_MW_BIND_ERR));
	CHECK(!out(9));
	CHECK(!execute(NULL, 0));
	CHECK_EQ(reap(NULL), -1);
	ack(0);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_MW_BIND_ERR);
	CHECK(!out(9));
	CHECK(!execute(NULL, 0));
}

TEST(local__invalidation_waits_for_all_before)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_LOCAL_INV, 0, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK(!execute(NULL, 0));
	ack(0);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK(execute(&ring[1], XROCE_SUCCESS));
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK(out(9));
	check_packet(0, 0x04, 1, 8);
}

TEST(local__fence_and_hold)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_READ, 8, 0);
	post(XROCE_WR_BIND_MW, 0, XROCE_WR_FENCE);
	CHECK_EQ(drain(), 1);
	CHECK(!execute(NULL, 0));
	CHECK_EQ(read_response(0, XROCE_POS_ONLY, 8), XROCE_REQ_PLACE);
	xroce_req_hold(&req, true);
	CHECK(!execute(NULL, 0));
	CHECK(xroce_req_is_drained(&req));
	xroce_req_hold(&req, false);
	CHECK(execute(&ring[1], XROCE_SUCCESS));
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
}

TEST(local__fault_found_at_post_time_is_not_executed)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_BIND_MW, 0, 0)->fault = XROCE_LOC_QP_OP_ERR;
	CHECK(!execute(NULL, 0));
	CHECK_EQ(reap(&ring[0]), XROCE_LOC_QP_OP_ERR);
}

TEST(local__uc)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.service = XROCE_UC;
	begin(&cfg, 0);
	post(XROCE_WR_WRITE, 8, 0);
	post(XROCE_WR_BIND_MW, 0, 0);
	CHECK(execute(&ring[1], XROCE_SUCCESS));
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
}

TEST(output__uc_and_ud_are_done_when_sent)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.service = XROCE_UC;
	cfg.window = 2;
	begin(&cfg, 0xfffffe);
	post(XROCE_WR_SEND, 40 * PMTU, 0);
	post(XROCE_WR_WRITE, 8, 0);
	CHECK(out(35));
	CHECK_EQ(burst.npkts, 35);
	CHECK_EQ(burst.first.opcode, 0x20);
	CHECK(!asks(34));
	CHECK_EQ(reap(NULL), -1);
	CHECK(out(35));
	CHECK_EQ(burst.last_opcode, 0x22);
	CHECK(!asks(4));
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK(out(35));
	check_packet(0, 0x2a, 38, 8);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
	CHECK_EQ(ack(38), XROCE_REQ_DROP);

	cfg.service = XROCE_UD;
	begin(&cfg, 0xffffff);
	post(XROCE_WR_SEND, PMTU, 0);
	post(XROCE_WR_SEND_IMM, 0, 0);
	CHECK(out(4));
	check_packet(0, 0x64, 0xffffff, PMTU);
	CHECK(out(4));
	check_packet(0, 0x65, 0, 0);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
}

TEST(output__longest_write)
{
	struct xroce_req_cfg cfg = rc_cfg;
	u32 sent = 0;

	cfg.pmtu = 256;
	begin(&cfg, 0x800000);
	post(XROCE_WR_SEND, 1, 0);
	post(XROCE_WR_WRITE, 1U << 31, 0);
	post(XROCE_WR_SEND, 1, 0);
	CHECK(out(1));
	while (out(1000)) {
		sent += burst.npkts;
		if (sent < 1U << 23)
			ack(burst.first.psn + burst.npkts - 1);
		else if (burst.is_last)
			break;
	}
	CHECK_EQ(sent, 1U << 23);
	CHECK_EQ(burst.last_opcode, 0x08);
	CHECK(out(1));
	check_packet(0, 0x04, 0x800001 + (1 << 23), 1);
	ack(burst.first.psn);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[2]), XROCE_SUCCESS);
}

TEST(output__longest_read_is_alone)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.pmtu = 256;
	begin(&cfg, 5);
	post(XROCE_WR_SEND, 1, 0);
	post(XROCE_WR_READ, 1U << 31, 0);
	post(XROCE_WR_SEND, 1, 0);
	CHECK_EQ(drain(), 1);
	ack(5);
	CHECK_EQ(drain(), 1);
	check_packet(0, 0x0c, 6, 0);
	CHECK_EQ(read_response(6, XROCE_POS_FIRST, 256), XROCE_REQ_PLACE);
	now += TIMEOUT;
	xroce_req_expire(&req, now);
	CHECK_EQ(drain(), 1);
	check_packet(0, 0x0c, 7, 0);
	CHECK_EQ(burst.first.va, 0x10000 + 256);
	CHECK_EQ(burst.first.dma_len, (1U << 31) - 256);
	/* far ahead is not old */
	CHECK_EQ(read_response(6 + (1 << 23) - 1, XROCE_POS_LAST, 256),
		 XROCE_REQ_TAKEN);
	CHECK_EQ(read_response(6 + (1 << 23), XROCE_POS_LAST, 256),
		 XROCE_REQ_DROP);
}

TEST(input__ack_in_the_middle_and_of_many)
{
	begin(&rc_cfg, 0xfffffd);
	post(XROCE_WR_SEND, 3 * PMTU, 0);
	post(XROCE_WR_WRITE, 0, 0);
	post(XROCE_WR_SEND, 4 * PMTU, 0);
	CHECK_EQ(drain(), 8);
	CHECK_EQ(ack(0xfffffe), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(NULL), -1);
	CHECK_EQ(ack(1), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(reap(NULL), -1);
	CHECK_EQ(ack(4), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[2]), XROCE_SUCCESS);
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
}

TEST(input__ghosts_and_old_ones_are_dropped)
{
	begin(&rc_cfg, 10);
	CHECK_EQ(ack(9), XROCE_REQ_DROP);
	CHECK_EQ(ack(10), XROCE_REQ_DROP);
	post(XROCE_WR_SEND, 2 * PMTU, 0);
	CHECK_EQ(drain(), 2);
	CHECK_EQ(ack(12), XROCE_REQ_DROP);
	CHECK_EQ(answer(12, XROCE_NAK_PSN_SEQUENCE), XROCE_REQ_DROP);
	CHECK_EQ(ack(9), XROCE_REQ_DROP);
	CHECK_EQ(ack(10 + (1 << 23)), XROCE_REQ_DROP);
	CHECK_EQ(ack(10), XROCE_REQ_TAKEN);
	CHECK_EQ(ack(10), XROCE_REQ_DROP);
	CHECK_EQ(answer(10, XROCE_NAK_REMOTE_ACCESS), XROCE_REQ_DROP);
	CHECK_EQ(reap(NULL), -1);
}

TEST(input__reserved_syndromes_and_opcodes_are_dropped)
{
	struct xroce_pkt request = response(XROCE_OP_SEND, XROCE_POS_ONLY, 0);
	u32 i;

	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	for (i = 0x40; i < 0x60; i++)
		CHECK_EQ(answer(0, (u8)i), XROCE_REQ_DROP);
	for (i = 0x64; i < 0x80; i++)
		CHECK_EQ(answer(0, (u8)i), XROCE_REQ_DROP);
	CHECK_EQ(xroce_req_input(&req, &request, now).act, XROCE_REQ_DROP);
	CHECK_EQ(answer(0, 0), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
}

TEST(input__every_nak_code_fails_its_own_request)
{
	static const u8 status[] = {
		[1] = XROCE_REM_INV_REQ_ERR,
		[2] = XROCE_REM_ACCESS_ERR,
		[3] = XROCE_REM_OP_ERR,
	};
	u8 code;

	for (code = 1; code <= 3; code++) {
		begin(&rc_cfg, 0xffffff);
		post(XROCE_WR_SEND, 2 * PMTU, 0);
		post(XROCE_WR_WRITE, 3 * PMTU, 0);
		post(XROCE_WR_SEND, 8, 0);
		CHECK_EQ(drain(), 6);
		CHECK_EQ(answer(2, XROCE_NAK_PSN_SEQUENCE + code),
			 XROCE_REQ_TAKEN);
		CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
		CHECK_EQ(reap(&ring[1]), status[code]);
		CHECK_EQ(reap(NULL), -1);
		CHECK(!out(1));
		CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
		post(XROCE_WR_SEND, 8, 0);
		xroce_req_flush(&req);
		CHECK_EQ(reap(&ring[2]), XROCE_WR_FLUSH_ERR);
		CHECK_EQ(reap(&ring[3]), XROCE_WR_FLUSH_ERR);
		CHECK_EQ(reap(NULL), -1);
		CHECK(xroce_req_is_drained(&req));
	}
}

TEST(input__nak_within_a_read_fails_it)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_READ, 4 * PMTU, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(read_response(0, XROCE_POS_FIRST, PMTU), XROCE_REQ_PLACE);
	/* 1 was lost; 2 could not be read */
	CHECK_EQ(answer(2, XROCE_NAK_REMOTE_ACCESS), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_REM_ACCESS_ERR);
}

TEST(input__nak_behind_an_unanswered_read_repeats_the_read)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_READ, 2 * PMTU, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 2);
	CHECK_EQ(answer(2, XROCE_NAK_REMOTE_OPERATION), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(NULL), -1);
	CHECK(out(1));
	check_packet(0, 0x0c, 0, 0);
}

TEST(input__sequence_nak_rewinds_into_a_message)
{
	begin(&rc_cfg, 0xfffffe);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_WRITE, 5 * PMTU, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 7);
	CHECK_EQ(answer(1, XROCE_NAK_PSN_SEQUENCE), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(req.stats.seq_naks, 1);
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
	CHECK(out(2));
	check_packet(0, 0x07, 1, PMTU);
	CHECK_EQ(burst.offset, 2 * PMTU);
	CHECK(asks(0));
	CHECK(!asks(1));
	/* the same hole again, by a copy or by what was in flight */
	CHECK_EQ(answer(1, XROCE_NAK_PSN_SEQUENCE), XROCE_REQ_TAKEN);
	CHECK_EQ(req.stats.seq_naks, 1);
	CHECK(out(9));
	check_packet(0, 0x08, 3, PMTU);
	CHECK(out(9));
	check_packet(0, 0x04, 4, 8);
	CHECK_EQ(req.stats.resent, 4);
	CHECK_EQ(req.retry_left, 6);
	ack(1);
	CHECK_EQ(req.retry_left, 7);
	/* a hole further on is a new one */
	CHECK_EQ(answer(2, XROCE_NAK_PSN_SEQUENCE), XROCE_REQ_TAKEN);
	CHECK_EQ(req.stats.seq_naks, 2);
	CHECK_EQ(req.retry_left, 6);
}

TEST(input__skips_what_is_acknowledged_meanwhile)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8 * PMTU, 0);
	post(XROCE_WR_SEND, 8 * PMTU, 0);
	CHECK_EQ(drain(), 16);
	answer(2, XROCE_NAK_PSN_SEQUENCE);
	CHECK(out(1));
	check_packet(0, 0x01, 2, PMTU);
	/* the peer had kept the rest */
	ack(10);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK(out(1));
	check_packet(0, 0x01, 11, PMTU);
	ack(15);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK(!out(1));
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
}

TEST(input__ack_past_a_read_implies_its_loss)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_READ, 4 * PMTU, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 3);
	CHECK_EQ(read_response(1, XROCE_POS_FIRST, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(ack(5), XROCE_REQ_TAKEN);
	CHECK_EQ(req.stats.implied_naks, 1);
	CHECK_EQ(reap(NULL), -1);
	CHECK(out(1));
	check_packet(0, 0x0c, 2, 0);
	CHECK_EQ(burst.first.va, 0x10000 + PMTU);
	CHECK_EQ(burst.first.dma_len, 3 * PMTU);
	ack(5);
	CHECK_EQ(req.stats.implied_naks, 1);
	CHECK(out(1));
	check_packet(0, 0x04, 5, 8);
	CHECK(!out(1));
	/* MIDDLE instead of FIRST is as good */
	CHECK_EQ(read_response(2, XROCE_POS_MIDDLE, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(read_response(3, XROCE_POS_FIRST, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(read_response(4, XROCE_POS_LAST, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(ring[1].done_bytes, 4 * PMTU);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	/* what was acknowledged behind it was not forgotten */
	CHECK_EQ(reap(&ring[2]), XROCE_SUCCESS);
	CHECK_EQ(ack(5), XROCE_REQ_DROP);
}

TEST(input__gap_among_read_responses)
{
	begin(&rc_cfg, 0xffffff);
	post(XROCE_WR_READ, 3 * PMTU + 5, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(read_response(0xffffff, XROCE_POS_FIRST, PMTU),
		 XROCE_REQ_PLACE);
	CHECK_EQ(read_response(1, XROCE_POS_MIDDLE, PMTU), XROCE_REQ_TAKEN);
	CHECK_EQ(read_response(2, XROCE_POS_LAST, 5), XROCE_REQ_TAKEN);
	CHECK_EQ(req.stats.implied_naks, 1);
	CHECK(out(1));
	check_packet(0, 0x0c, 0, 0);
	CHECK_EQ(burst.first.dma_len, 2 * PMTU + 5);
	CHECK_EQ(read_response(0, XROCE_POS_FIRST, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(read_response(0, XROCE_POS_FIRST, PMTU), XROCE_REQ_DROP);
	CHECK_EQ(read_response(1, XROCE_POS_MIDDLE, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(read_response(2, XROCE_POS_LAST, 5), XROCE_REQ_PLACE);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
}

TEST(input__late_answer_overtakes_the_repetition)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_READ, 2 * PMTU, 0);
	post(XROCE_WR_READ, 8, 0);
	CHECK_EQ(drain(), 2);
	now += TIMEOUT;
	xroce_req_expire(&req, now);
	CHECK_EQ(read_response(0, XROCE_POS_FIRST, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(read_response(1, XROCE_POS_LAST, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK(out(1));
	check_packet(0, 0x0c, 2, 0);
	CHECK_EQ(req.rd_in_flight, 1);
	CHECK_EQ(read_response(2, XROCE_POS_ONLY, 8), XROCE_REQ_PLACE);
	CHECK_EQ(req.rd_in_flight, 0);
}

TEST(input__answer_acknowledges_what_is_before)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_FETCH_ADD, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_READ, 0, 0);
	CHECK_EQ(drain(), 4);
	CHECK_EQ(atomic_response(1), XROCE_REQ_PLACE_ATOMIC);
	CHECK_EQ(read_response(3, XROCE_POS_ONLY, 0), XROCE_REQ_PLACE);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[2]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[3]), XROCE_SUCCESS);
}

TEST(input__answer_of_the_wrong_kind)
{
	static const u8 op[] = {
		XROCE_WR_SEND, XROCE_WR_WRITE, XROCE_WR_FETCH_ADD,
	};
	u32 i;

	for (i = 0; i < 3; i++) {
		begin(&rc_cfg, 0);
		post(op[i], 8, 0);
		CHECK_EQ(drain(), 1);
		CHECK_EQ(read_response(0, XROCE_POS_ONLY, 8),
			 XROCE_REQ_TAKEN);
		CHECK_EQ(reap(&ring[0]), XROCE_BAD_RESP_ERR);
	}
	for (i = 0; i < 2; i++) {
		begin(&rc_cfg, 0);
		post(i ? XROCE_WR_READ : XROCE_WR_SEND, 8, 0);
		CHECK_EQ(drain(), 1);
		CHECK_EQ(atomic_response(0), XROCE_REQ_TAKEN);
		CHECK_EQ(reap(&ring[0]), XROCE_BAD_RESP_ERR);
	}
}

TEST(input__nak_syndrome_in_an_answer)
{
	struct xroce_pkt pkt;

	begin(&rc_cfg, 0);
	post(XROCE_WR_READ, 8, 0);
	CHECK_EQ(drain(), 1);
	pkt = response(XROCE_OP_READ_RESPONSE, XROCE_POS_ONLY, 0);
	pkt.payload_len = 8;
	pkt.syndrome = 0x62;
	CHECK_EQ(xroce_req_input(&req, &pkt, now).act, XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_BAD_RESP_ERR);

	begin(&rc_cfg, 0);
	post(XROCE_WR_CMP_SWAP, 8, 0);
	CHECK_EQ(drain(), 1);
	pkt = response(XROCE_OP_ATOMIC_ACKNOWLEDGE, XROCE_POS_ONLY, 0);
	pkt.syndrome = 0x20;
	CHECK_EQ(xroce_req_input(&req, &pkt, now).act, XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_BAD_RESP_ERR);
}

TEST(input__read_response_of_the_wrong_length)
{
	static const struct {
		u8 pos;
		u32 len;
	} bad[] = {
		{ XROCE_POS_FIRST, PMTU - 1 }, { XROCE_POS_FIRST, PMTU + 1 },
		{ XROCE_POS_MIDDLE, 0 }, { XROCE_POS_ONLY, PMTU },
		{ XROCE_POS_LAST, 2 * PMTU }, { XROCE_POS_LAST, 5 },
	};
	u32 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		test_context("row %u", i);
		begin(&rc_cfg, 0);
		post(XROCE_WR_READ, 2 * PMTU, 0);
		CHECK_EQ(drain(), 1);
		CHECK_EQ(read_response(0, bad[i].pos, bad[i].len),
			 XROCE_REQ_TAKEN);
		CHECK_EQ(reap(&ring[0]), XROCE_LOC_LEN_ERR);
	}
	for (i = PMTU - 1; i <= PMTU + 1; i += 2) {
		begin(&rc_cfg, 0);
		post(XROCE_WR_READ, 2 * PMTU, 0);
		CHECK_EQ(drain(), 1);
		read_response(0, XROCE_POS_FIRST, PMTU);
		read_response(1, XROCE_POS_LAST, i);
		CHECK_EQ(reap(&ring[0]), XROCE_LOC_LEN_ERR);
	}
	/* no more after the last */
	begin(&rc_cfg, 0);
	post(XROCE_WR_READ, 2 * PMTU, 0);
	CHECK_EQ(drain(), 1);
	read_response(0, XROCE_POS_FIRST, PMTU);
	read_response(1, XROCE_POS_MIDDLE, PMTU);
	CHECK_EQ(reap(&ring[0]), XROCE_LOC_LEN_ERR);
}

TEST(placed__sink_that_fails)
{
	struct xroce_pkt pkt = response(XROCE_OP_READ_RESPONSE,
					XROCE_POS_ONLY, 0);

	begin(&rc_cfg, 0);
	post(XROCE_WR_READ, 8, 0);
	CHECK_EQ(drain(), 1);
	pkt.payload_len = 8;
	CHECK_EQ(xroce_req_input(&req, &pkt, now).act, XROCE_REQ_PLACE);
	xroce_req_placed(&req, &pkt, false, now);
	CHECK_EQ(reap(&ring[0]), XROCE_LOC_PROT_ERR);
	xroce_req_placed(&req, &pkt, true, now);
	CHECK_EQ(reap(NULL), -1);
}

TEST(rnr__waits_as_long_as_the_code_says)
{
	static const u32 us_x10[32] = {
		6553600, 100, 200, 300, 400, 600, 800, 1200, 1600, 2400, 3200,
		4800, 6400, 9600, 12800, 19200, 25600, 38400, 51200, 76800,
		102400, 153600, 204800, 307200, 409600, 614400, 819200,
		1228800, 1638400, 2457600, 3276800, 4915200,
	};
	u32 i;

	for (i = 0; i < 32; i++) {
		u64 until;

		begin(&rc_cfg, 0);
		post(XROCE_WR_SEND, 8, 0);
		post(XROCE_WR_SEND, 2 * PMTU, 0);
		post(XROCE_WR_SEND, 8, 0);
		CHECK_EQ(drain(), 4);
		until = now + us_x10[i] * 100ULL;
		CHECK_EQ(answer(1, (u8)(XROCE_AETH_RNR_NAK | i)),
			 XROCE_REQ_TAKEN);
		CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
		CHECK_EQ(xroce_req_deadline(&req), until);
		now = until - 1;
		CHECK(!out(1));
		xroce_req_expire(&req, now);
		CHECK(!out(1));
		/* what the peer says of the packets behind costs nothing */
		answer(1, XROCE_NAK_PSN_SEQUENCE);
		answer(1, (u8)(XROCE_AETH_RNR_NAK | i));
		CHECK_EQ(xroce_req_deadline(&req), until);
		CHECK_EQ(req.retry_left, 7);
		CHECK_EQ(req.stats.rnr_naks, 1);
		now = until;
		xroce_req_expire(&req, now);
		CHECK(out(1));
		check_packet(0, 0x00, 1, PMTU);
		CHECK(asks(0));
		CHECK_EQ(xroce_req_deadline(&req), now + TIMEOUT);
	}
}

TEST(rnr__output_notices_that_the_time_has_come)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	answer(0, XROCE_AETH_RNR_NAK | 1);
	now += 10000;
	CHECK(out(1));
	CHECK_EQ(xroce_req_deadline(&req), now + TIMEOUT);
}

TEST(rnr__budget)
{
	struct xroce_req_cfg cfg = rc_cfg;
	u32 rnr_retry, i;

	for (rnr_retry = 0; rnr_retry < 7; rnr_retry++) {
		cfg.rnr_retry = (u8)rnr_retry;
		begin(&cfg, 0);
		post(XROCE_WR_SEND, 8, 0);
		for (i = 0; i <= rnr_retry; i++) {
			CHECK_EQ(reap(NULL), -1);
			CHECK_EQ(drain(), 1);
			answer(0, XROCE_AETH_RNR_NAK | 1);
			now += 10000;
			xroce_req_expire(&req, now);
		}
		CHECK(!out(1));
		CHECK_EQ(reap(&ring[0]), XROCE_RNR_RETRY_EXC_ERR);
	}
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	for (i = 0; i < 1000; i++) {
		CHECK_EQ(drain(), 1);
		answer(0, XROCE_AETH_RNR_NAK | 1);
		now += 10000;
		xroce_req_expire(&req, now);
	}
	CHECK_EQ(reap(NULL), -1);
}

TEST(rnr__progress_refills_and_ends_the_wait)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.rnr_retry = 1;
	begin(&cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 2);
	answer(0, XROCE_AETH_RNR_NAK | 14);
	CHECK_EQ(req.rnr_left, 0);
	/* a copy of the packet was taken after all */
	ack(0);
	CHECK_EQ(req.rnr_left, 1);
	CHECK(out(1));
	check_packet(0, 0x04, 1, 8);
}

TEST(rnr__hole_after_the_wait_is_a_new_one)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 2 * PMTU, 0);
	CHECK_EQ(drain(), 2);
	answer(0, XROCE_NAK_PSN_SEQUENCE);
	CHECK_EQ(drain(), 2);
	answer(0, XROCE_AETH_RNR_NAK | 1);
	now += 10000;
	CHECK_EQ(drain(), 2);
	answer(0, XROCE_NAK_PSN_SEQUENCE);
	CHECK_EQ(req.stats.seq_naks, 2);
	CHECK_EQ(drain(), 2);
}

TEST(expire__gives_up_after_exactly_retry_cnt)
{
	struct xroce_req_cfg cfg = rc_cfg;
	u32 retry_cnt;

	for (retry_cnt = 0; retry_cnt <= 7; retry_cnt++) {
		u32 sent = 0;

		cfg.retry_cnt = (u8)retry_cnt;
		begin(&cfg, 0);
		post(XROCE_WR_SEND, 8, 0);
		post(XROCE_WR_SEND, 8, 0);
		while (out(1)) {
			sent += burst.first.psn == 0;
			if (out(1))
				CHECK_EQ(burst.first.psn, 1);
			now += TIMEOUT - 1;
			xroce_req_expire(&req, now);
			CHECK(!out(1));
			now++;
			CHECK_EQ(xroce_req_deadline(&req), now);
			xroce_req_expire(&req, now);
		}
		CHECK_EQ(sent, retry_cnt + 1);
		CHECK_EQ(req.stats.timeouts, retry_cnt + 1);
		CHECK_EQ(reap(&ring[0]), XROCE_RETRY_EXC_ERR);
		CHECK_EQ(reap(NULL), -1);
		xroce_req_flush(&req);
		CHECK_EQ(reap(&ring[1]), XROCE_WR_FLUSH_ERR);
	}
}

TEST(expire__progress_restarts_timer_and_budget)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 4 * PMTU, 0);
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
	CHECK_EQ(drain(), 4);
	CHECK_EQ(xroce_req_deadline(&req), now + TIMEOUT);
	now += TIMEOUT;
	xroce_req_expire(&req, now);
	CHECK_EQ(req.retry_left, 6);
	CHECK_EQ(drain(), 4);
	now += 5;
	ack(1);
	CHECK_EQ(req.retry_left, 7);
	CHECK_EQ(xroce_req_deadline(&req), now + TIMEOUT);
	now += 5;
	ack(1);
	CHECK_EQ(xroce_req_deadline(&req), now - 5 + TIMEOUT);
	ack(3);
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
}

TEST(expire__timeout_zero_is_never)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.timeout_ns = 0;
	begin(&cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
	xroce_req_expire(&req, XROCE_NEVER - 1);
	CHECK(!out(1));

	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	xroce_req_reconfigure(&req, &cfg);
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
	/* and back again, with a packet on its way */
	xroce_req_reconfigure(&req, &rc_cfg);
	CHECK(xroce_req_deadline(&req) <= now);
	xroce_req_expire(&req, now);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(xroce_req_deadline(&req), now + TIMEOUT);
}

TEST(restart__only_after_a_flush)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK_EQ(drain(), 1);
	xroce_req_restart(&req);
	ack(0);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
}

TEST(fail__waits_for_the_ones_before)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 2 * PMTU, 0);
	post(XROCE_WR_READ, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK(out(9));
	CHECK(out(9));
	CHECK(out(9));
	xroce_req_fail(&req, burst.wr, XROCE_LOC_PROT_ERR);
	CHECK(!out(9));
	CHECK_EQ(reap(NULL), -1);
	/* what is before may still be repeated */
	answer(1, XROCE_NAK_PSN_SEQUENCE);
	CHECK(out(9));
	check_packet(0, 0x02, 1, PMTU);
	CHECK(out(9));
	check_packet(0, 0x0c, 2, 0);
	CHECK(!out(9));
	CHECK_EQ(read_response(2, XROCE_POS_ONLY, 8), XROCE_REQ_PLACE);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[2]), XROCE_LOC_PROT_ERR);
	CHECK_EQ(reap(NULL), -1);
}

TEST(fail__in_the_middle_and_of_the_oldest)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_SEND, 5 * PMTU, 0);
	CHECK(out(1));
	CHECK(out(2));
	CHECK(out(2));
	xroce_req_fail(&req, burst.wr, XROCE_LOC_PROT_ERR);
	CHECK(!out(1));
	/* an acknowledgement into the failing one ends the one before */
	ack(1);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_LOC_PROT_ERR);

	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK(out(1));
	xroce_req_fail(&req, burst.wr, XROCE_LOC_PROT_ERR);
	CHECK_EQ(reap(&ring[0]), XROCE_LOC_PROT_ERR);
	xroce_req_fail(&req, &ring[0], XROCE_LOC_PROT_ERR);
	CHECK_EQ(reap(NULL), -1);
}

TEST(fail__read_and_what_was_sent_behind_it)
{
	struct xroce_wr *read;

	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	read = post(XROCE_WR_READ, 2 * PMTU, 0);
	post(XROCE_WR_FETCH_ADD, 8, 0);
	CHECK_EQ(drain(), 3);
	xroce_req_fail(&req, read, XROCE_LOC_QP_OP_ERR);
	CHECK_EQ(req.rd_in_flight, 0);
	CHECK(!out(1));
	CHECK_EQ(xroce_req_deadline(&req), now + TIMEOUT);
	/* its turn comes before that of the peer's complaint */
	CHECK_EQ(answer(1, XROCE_NAK_REMOTE_ACCESS), XROCE_REQ_TAKEN);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(read), XROCE_LOC_QP_OP_ERR);
	CHECK_EQ(reap(NULL), -1);
}

TEST(fail__uc_request_that_was_handed_out)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.service = XROCE_UC;
	begin(&cfg, 0xffffff);
	post(XROCE_WR_SEND, 2 * PMTU, 0);
	post(XROCE_WR_SEND, 8, 0);
	CHECK(out(9));
	xroce_req_fail(&req, burst.wr, XROCE_LOC_PROT_ERR);
	CHECK(!out(9));
	CHECK_EQ(reap(&ring[0]), XROCE_LOC_PROT_ERR);
	CHECK_EQ(reap(NULL), -1);
	xroce_req_flush(&req);
	CHECK_EQ(reap(&ring[1]), XROCE_WR_FLUSH_ERR);
	/* SQE to RTS */
	xroce_req_restart(&req);
	post(XROCE_WR_SEND, 8, 0);
	CHECK(out(9));
	check_packet(0, 0x24, 1, 8);
	CHECK_EQ(reap(&ring[2]), XROCE_SUCCESS);
	/* in the middle of a message, not finished yet */
	post(XROCE_WR_SEND, 9 * PMTU, 0);
	CHECK(out(2));
	xroce_req_fail(&req, burst.wr, XROCE_LOC_PROT_ERR);
	CHECK_EQ(reap(&ring[3]), XROCE_LOC_PROT_ERR);
	post(XROCE_WR_SEND, 8, 0);
	xroce_req_restart(&req);
	CHECK(!out(1));
}

TEST(flush__from_any_state)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_SEND, 8, 0);
	post(XROCE_WR_READ, 8 * PMTU, 0);
	post(XROCE_WR_SEND, 200 * PMTU, 0);
	post(XROCE_WR_READ, 8, 0);
	drain();
	ack(0);
	xroce_req_flush(&req);
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK_EQ(reap(&ring[1]), XROCE_WR_FLUSH_ERR);
	CHECK_EQ(reap(&ring[2]), XROCE_WR_FLUSH_ERR);
	CHECK_EQ(reap(&ring[3]), XROCE_WR_FLUSH_ERR);
	CHECK_EQ(reap(NULL), -1);
	CHECK_EQ(xroce_req_deadline(&req), XROCE_NEVER);
	CHECK_EQ(read_response(1, XROCE_POS_FIRST, PMTU), XROCE_REQ_DROP);
	/* posting in the error state */
	post(XROCE_WR_WRITE, 0, 0);
	CHECK(!out(1));
	xroce_req_flush(&req);
	CHECK_EQ(reap(&ring[4]), XROCE_WR_FLUSH_ERR);
}

TEST(hold__started_requests_finish)
{
	begin(&rc_cfg, 0);
	CHECK(xroce_req_is_drained(&req));
	post(XROCE_WR_SEND, 4 * PMTU, 0);
	post(XROCE_WR_SEND, 8, 0)->fault = XROCE_LOC_PROT_ERR;
	CHECK(out(2));
	xroce_req_hold(&req, true);
	CHECK(!xroce_req_is_drained(&req));
	CHECK(out(9));
	CHECK_EQ(burst.npkts, 2);
	CHECK(!out(9));
	answer(1, XROCE_NAK_PSN_SEQUENCE);
	CHECK(out(9));
	CHECK_EQ(burst.npkts, 3);
	ack(3);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(reap(&ring[0]), XROCE_SUCCESS);
	CHECK(!out(9));
	CHECK_EQ(reap(NULL), -1);
	CHECK_EQ(xroce_req_next_psn(&req), 4);
	xroce_req_hold(&req, false);
	CHECK(!out(9));
	CHECK_EQ(reap(&ring[1]), XROCE_LOC_PROT_ERR);
}

TEST(ring__indices_wrap)
{
	u32 i;

	begin(&rc_cfg, 0);
	req.posted = req.reap = req.una = req.cur = req.started = 0xfffffff0;
	for (i = 0; i < 64; i++) {
		struct xroce_wr *wr = post(XROCE_WR_SEND, 8, 0);

		CHECK(out(1));
		CHECK(burst.wr == wr);
		ack(i);
		CHECK_EQ(reap(wr), XROCE_SUCCESS);
	}
}

/* ---- a peer that keeps what stands behind a hole ----------------------- */

#define KEEPS	XROCE_PEER_KEEPS
#define DROPS	XROCE_PEER_DROPS

/* @n packets in flight from PSN 0 on; the peer is @peer. */
static void fly(u8 peer, u32 n)
{
	begin(&rc_cfg, 0);
	req.peer = peer;
	while (n--)
		post(XROCE_WR_WRITE, 8, 0);
	drain();
}

/* The next packet is a repair of @psn and asks. */
static void check_repair(u32 psn)
{
	CHECK(out(100));
	CHECK(burst.is_repair);
	CHECK_EQ(burst.npkts, 1);
	CHECK_EQ(burst.first.psn, psn);
	CHECK(burst.first.ack_req);
}

static u8 nak(u32 psn)
{
	return answer(psn, XROCE_NAK_PSN_SEQUENCE);
}

TEST(repair__only_the_hole_and_new_goes_on)
{
	fly(KEEPS, 8);
	CHECK_EQ(nak(2), XROCE_REQ_TAKEN);
	check_repair(2);
	CHECK(!out(100));
	post(XROCE_WR_WRITE, 8, 0);
	CHECK(out(100));
	CHECK(!burst.is_repair);
	CHECK_EQ(burst.first.psn, 8);
	/* the same hole once more is no news */
	nak(2);
	CHECK(!out(100));
	ack(8);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(req.stats.resent, 1);
	CHECK_EQ(req.stats.seq_naks, 1);
}

TEST(burst__knows_what_was_lost_before)
{
	fly(DROPS, 4);
	CHECK(!burst.is_again);
	nak(2);
	CHECK(out(1));
	CHECK_EQ(burst.first.psn, 2);
	CHECK(burst.is_again);
	/* the rest was not lost, it came too early */
	ack(2);
	CHECK(out(1));
	CHECK(!burst.is_again);
	/* nor was what the peer had no room for */
	answer(3, XROCE_AETH_RNR_NAK | 1);
	now += 1000000;
	CHECK(out(1));
	CHECK_EQ(burst.first.psn, 3);
	CHECK(!burst.is_again);
	fly(KEEPS, 2);
	nak(0);
	check_repair(0);
	CHECK(burst.is_again);
}

TEST(repair__in_the_middle_of_a_message)
{
	begin(&rc_cfg, 0xfffffe);
	req.peer = KEEPS;
	post(XROCE_WR_WRITE, 5 * PMTU, 0);
	drain();
	nak(0);
	check_repair(0);
	CHECK_EQ(burst.first.opcode, 0x07);
	CHECK_EQ(burst.offset, 2 * PMTU);
	CHECK_EQ(burst.bytes, PMTU);
	CHECK(!burst.is_last);
	nak(2);
	check_repair(2);
	CHECK_EQ(burst.first.opcode, 0x08);
	CHECK(burst.is_last);
	ack(2);
	CHECK(xroce_req_is_drained(&req));
}

TEST(repair__unknown_peer_shows_that_it_keeps)
{
	fly(XROCE_PEER_UNKNOWN, 8);
	post(XROCE_WR_WRITE, 8, 0);
	nak(2);
	check_repair(2);
	/* what is new waits for the answer */
	CHECK(!out(100));
	nak(5);
	CHECK_EQ(req.peer, KEEPS);
	check_repair(5);
	CHECK_EQ(drain(), 1);
	ack(8);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(req.stats.resent, 2);
}

TEST(repair__unknown_peer_shows_that_it_drops)
{
	fly(XROCE_PEER_UNKNOWN, 8);
	nak(2);
	check_repair(2);
	ack(2);
	CHECK_EQ(req.peer, DROPS);
	CHECK_EQ(drain(), 5);
	CHECK_EQ(req.stats.resent, 6);
	ack(7);
	CHECK(xroce_req_is_drained(&req));
}

TEST(repair__not_of_what_is_to_be_sent_again_anyhow)
{
	fly(DROPS, 8);
	req.drops = 1;
	nak(2);
	CHECK(out(1));
	CHECK_EQ(burst.npkts, 1);
	/* lost, too: all that was sent again is missing */
	nak(3);
	CHECK_EQ(req.peer, XROCE_PEER_UNKNOWN);
	CHECK_EQ(drain(), 5);
	ack(7);
	CHECK(xroce_req_is_drained(&req));
}

TEST(repair__two_holes_side_by_side_prove_nothing)
{
	fly(XROCE_PEER_UNKNOWN, 8);
	nak(2);
	check_repair(2);
	nak(3);
	CHECK_EQ(req.peer, XROCE_PEER_UNKNOWN);
	check_repair(3);
	ack(7);
	CHECK_EQ(req.peer, KEEPS);
	CHECK_EQ(req.stats.resent, 2);
}

/* Twice as many each time: all of a burst that was lost, or it drops. */
static u32 repair_in_growing_steps(u32 steps)
{
	u32 psn = 0, i;

	begin(&rc_cfg, 0);
	req.peer = XROCE_PEER_UNKNOWN;
	post(XROCE_WR_WRITE, 100 * PMTU, 0);
	drain();
	for (i = 0; i < steps; i++) {
		nak(psn);
		CHECK(out(100));
		CHECK(burst.is_repair);
		CHECK_EQ(burst.first.psn, psn);
		CHECK_EQ(burst.npkts, 1U << i);
		CHECK(!out(100));
		psn += burst.npkts;
	}
	return psn;
}

TEST(repair__who_never_jumps_drops)
{
	nak(repair_in_growing_steps(6));
	CHECK_EQ(req.peer, DROPS);
	CHECK_EQ(drain(), 100 - 63);
}

TEST(repair__a_burst_that_was_lost_proves_nothing)
{
	u32 psn = repair_in_growing_steps(6);

	CHECK_EQ(req.peer, XROCE_PEER_UNKNOWN);
	/* 50 were lost */
	ack(99);
	CHECK_EQ(req.peer, KEEPS);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(req.stats.resent, psn);
}

TEST(repair__who_drops_is_tested_again)
{
	fly(DROPS, 8);
	req.drops = 1;
	nak(2);
	CHECK_EQ(drain(), 6);
	ack(3);
	nak(5);
	CHECK_EQ(req.peer, XROCE_PEER_UNKNOWN);
	check_repair(5);
	ack(7);
	CHECK_EQ(req.peer, KEEPS);
}

TEST(repair__jump_while_going_back_shows_that_it_keeps)
{
	fly(DROPS, 8);
	nak(2);
	CHECK(out(2));
	ack(7);
	CHECK_EQ(req.peer, KEEPS);
	CHECK(xroce_req_is_drained(&req));
}

TEST(repair__tail_that_is_gone_comes_back_in_ever_larger_parts)
{
	fly(KEEPS, 8);
	now += TIMEOUT;
	xroce_req_expire(&req, now);
	check_repair(0);
	ack(0);
	CHECK(out(100));
	CHECK(burst.is_repair);
	CHECK_EQ(burst.first.psn, 1);
	/* one message at a time */
	CHECK_EQ(burst.npkts, 1);
	ack(1);
	CHECK_EQ(req.peer, KEEPS);
	CHECK(out(100));
	CHECK_EQ(burst.first.psn, 2);
	ack(7);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(req.stats.timeouts, 1);
}

TEST(repair__each_read_for_itself)
{
	begin(&rc_cfg, 0);
	req.peer = KEEPS;
	post(XROCE_WR_READ, 3 * PMTU, 0);
	post(XROCE_WR_WRITE, 8, 0);
	drain();
	read_response(0, XROCE_POS_FIRST, PMTU);
	ack(3);
	CHECK_EQ(req.stats.implied_naks, 1);
	check_repair(1);
	CHECK_EQ(burst.first.dma_len, 2 * PMTU);
	CHECK(!out(100));
	read_response(1, XROCE_POS_FIRST, PMTU);
	read_response(2, XROCE_POS_LAST, PMTU);
	/* with the acknowledgement of what was behind it */
	CHECK(xroce_req_is_drained(&req));
}

TEST(repair__receiver_that_is_not_ready)
{
	fly(KEEPS, 4);
	answer(1, XROCE_AETH_RNR_NAK | 1);
	CHECK(!out(100));
	now = xroce_req_deadline(&req);
	CHECK(out(100));
	CHECK(burst.is_repair);
	CHECK_EQ(burst.first.psn, 1);
	CHECK(!out(100));
	ack(3);
	CHECK(xroce_req_is_drained(&req));
}

/* ---- silence, reordering, drops of this host ------------------------------ */

static const struct xroce_req_cfg patient_cfg = {
	.service = XROCE_RC,
	.pmtu = PMTU,
	.timeout_ns = 268435456,
	.retry_cnt = 2,
	.rnr_retry = 7,
	.max_rd_atomic = 4,
	.window = 128,
};

/* A round trip of 1 ms is known. */
static void begin_patient(u8 peer)
{
	begin(&patient_cfg, 0);
	req.peer = peer;
	post(XROCE_WR_WRITE, 8, 0);
	drain();
	now += 1000000;
	ack(0);
	CHECK_EQ(req.rtt.smoothed, 1000000);
}

/* @n small WRITEs to a peer that keeps are on their way. */
static void send_patiently(u32 n)
{
	begin_patient(KEEPS);
	while (n--)
		post(XROCE_WR_WRITE, 8, 0);
	drain();
}

TEST(probe__silence_is_not_waited_out_and_costs_no_retry)
{
	u64 last = now;
	u32 i;

	begin_patient(DROPS);
	post(XROCE_WR_WRITE, 3 * PMTU, 0);
	drain();
	for (i = 0; i < 4; i++) {
		last = now;
		now = xroce_req_deadline(&req);
		CHECK(now - last >= 3000000ULL << i);
		xroce_req_expire(&req, now);
		check_repair(1);
	}
	CHECK_EQ(req.retry_left, 2);
	CHECK_EQ(req.stats.timeouts, 0);
	CHECK_EQ(req.stats.probes, 4);
	/* the transport timer still runs from the beginning */
	for (i = 0; i < 2; i++) {
		now = xroce_req_deadline(&req);
		xroce_req_expire(&req, now);
		drain();
	}
	ack(3);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(req.retry_left, 2);
}

static void let_read_be_silent(u8 peer)
{
	begin_patient(peer);
	post(XROCE_WR_READ, 3 * PMTU, 0);
	drain();
	now = xroce_req_deadline(&req);
	xroce_req_expire(&req, now);
}

/* rxe 7.3 fails when it is asked again for what it has yet to answer. */
TEST(probe__no_read_of_a_stranger)
{
	let_read_be_silent(DROPS);
	CHECK_EQ(req.stats.probes, 0);
	CHECK_EQ(req.stats.timeouts, 1);
	let_read_be_silent(XROCE_PEER_UNKNOWN);
	CHECK_EQ(req.stats.probes, 0);
	CHECK_EQ(req.stats.timeouts, 1);
	let_read_be_silent(KEEPS);
	CHECK_EQ(req.stats.probes, 1);
	CHECK_EQ(req.stats.timeouts, 0);
}

TEST(probe__retries_last_as_long_as_ever)
{
	begin_patient(KEEPS);
	post(XROCE_WR_WRITE, 8, 0);
	drain();
	now = 1001000;
	while (!req.is_broken) {
		now = xroce_req_deadline(&req);
		xroce_req_expire(&req, now);
		drain();
	}
	CHECK_EQ(req.stats.timeouts, 3);
	CHECK(now >= 1001000 + 3 * patient_cfg.timeout_ns);
	CHECK(now < 1001000 + 4 * patient_cfg.timeout_ns);
}

TEST(probe__answer_exactly_to_it_sends_a_peer_back)
{
	begin_patient(DROPS);
	post(XROCE_WR_WRITE, 3 * PMTU, 0);
	drain();
	now = xroce_req_deadline(&req);
	xroce_req_expire(&req, now);
	check_repair(1);
	ack(1);
	CHECK_EQ(drain(), 2);
	ack(3);
	CHECK(xroce_req_is_drained(&req));
}

TEST(reorder__holes_that_fill_themselves_are_waited_for)
{
	send_patiently(6);
	nak(2);
	check_repair(2);
	/* both copies arrive */
	now += 100000;
	ack(3);
	ack(3);
	CHECK_EQ(req.stats.spurious, 1);
	CHECK(req.reorder_ns >= 200000);
	nak(5);
	CHECK(!out(100));
	CHECK_EQ(xroce_req_deadline(&req), now + req.reorder_ns);
	/* it came */
	now += req.reorder_ns / 2;
	ack(6);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(req.stats.resent, 1);
}

TEST(reorder__an_idle_path_answers_soon)
{
	send_patiently(6);
	nak(2);
	check_repair(2);
	/* sooner than any answer so far: there is no queue any more */
	now += 100000;
	nak(4);
	CHECK_EQ(req.stats.spurious, 0);
	check_repair(4);
}

TEST(reorder__a_slow_peer_does_not_reorder)
{
	begin_patient(KEEPS);
	post(XROCE_WR_WRITE, 8, 0);
	drain();
	now = xroce_req_deadline(&req);
	xroce_req_expire(&req, now);
	check_repair(1);
	ack(1);
	ack(1);
	CHECK_EQ(req.stats.spurious, 0);
}

TEST(reorder__waits_no_longer_than_it_said)
{
	begin_patient(KEEPS);
	req.reorder_ns = 300000;
	post(XROCE_WR_WRITE, 8, 0);
	post(XROCE_WR_WRITE, 8, 0);
	drain();
	nak(1);
	CHECK(!out(100));
	now += 300000;
	CHECK_EQ(xroce_req_deadline(&req), now);
	xroce_req_expire(&req, now);
	check_repair(1);
	now += 1000000;
	ack(2);
	CHECK(req.reorder_ns < 300000);
}

TEST(reorder__a_copy_that_is_acknowledged_was_not_needed)
{
	begin_patient(KEEPS);
	post(XROCE_WR_WRITE, 8, 0);
	post(XROCE_WR_WRITE, 8, 0);
	drain();
	nak(1);
	check_repair(1);
	now += 1000000;
	ack(2);
	CHECK_EQ(req.reorder_ns, 0);
	now += 100000;
	CHECK_EQ(ack(2), XROCE_REQ_DROP);
	CHECK(req.reorder_ns > 0);
	CHECK_EQ(req.stats.spurious, 1);
	/* once for each repair */
	ack(2);
	CHECK_EQ(req.stats.spurious, 1);
}

TEST(unsent__goes_out_after_a_moment_and_costs_nothing)
{
	begin(&rc_cfg, 0);
	post(XROCE_WR_WRITE, 5 * PMTU, 0);
	post(XROCE_WR_READ, 8, 0);
	CHECK(out(3));
	CHECK(out(3));
	CHECK_EQ(burst.first.psn, 3);
	xroce_req_unsent(&req, &burst, 1, now);
	CHECK(!out(100));
	CHECK(xroce_req_deadline(&req) <= now + 100000);
	now = xroce_req_deadline(&req);
	CHECK(out(100));
	CHECK_EQ(burst.first.psn, 4);
	CHECK_EQ(burst.npkts, 1);
	CHECK(burst.is_last);
	CHECK(out(100));
	xroce_req_unsent(&req, &burst, 0, now);
	CHECK_EQ(req.rd_in_flight, 0);
	/* it was never sent: an answer to it is none */
	CHECK_EQ(read_response(5, XROCE_POS_ONLY, 8), XROCE_REQ_DROP);
	now = xroce_req_deadline(&req);
	CHECK(out(100));
	CHECK_EQ(burst.first.opcode, 0x0c);
	CHECK_EQ(req.rd_in_flight, 1);
	ack(4);
	read_response(5, XROCE_POS_ONLY, 8);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(req.stats.resent, 0);
	CHECK_EQ(req.retry_left, 7);
}

TEST(unsent__with_all_that_came_after_it)
{
	struct xroce_burst first;

	begin(&rc_cfg, 0);
	post(XROCE_WR_WRITE, 5 * PMTU, 0);
	post(XROCE_WR_READ, 8, 0);
	post(XROCE_WR_WRITE, 8, 0);
	CHECK(out(2));
	CHECK(out(3));
	first = burst;
	CHECK(out(100));
	CHECK(out(100));
	CHECK_EQ(burst.first.psn, 6);
	xroce_req_unsent(&req, &first, 1, now);
	CHECK_EQ(req.rd_in_flight, 0);
	CHECK_EQ(req.max_psn, 3);
	now = xroce_req_deadline(&req);
	CHECK_EQ(drain(), 4);
	ack(4);
	read_response(5, XROCE_POS_ONLY, 8);
	ack(6);
	CHECK(xroce_req_is_drained(&req));
	CHECK_EQ(req.stats.resent, 0);
}

TEST(unsent__a_repair)
{
	fly(KEEPS, 4);
	nak(1);
	check_repair(1);
	xroce_req_unsent(&req, &burst, 0, now);
	CHECK(!out(100));
	now += 100000;
	check_repair(1);
	ack(3);
	CHECK(xroce_req_is_drained(&req));
}

/* ---- holes behind the oldest ------------------------------------------------ */

static u8 tell(u32 psn, u32 n)
{
	return ack(xroce_hole_write(psn, n));
}

/* The next packets are @n repairs from @psn on. */
static void check_filled(u32 psn, u32 n)
{
	CHECK(out(100));
	CHECK(burst.is_repair);
	CHECK_EQ(burst.first.psn, psn);
	CHECK_EQ(burst.npkts, n);
}

TEST(hole__all_are_filled_at_once)
{
	begin(&rc_cfg, 0xfffff0);
	req.peer = KEEPS;
	post(XROCE_WR_WRITE, 100 * PMTU, 0);
	drain();
	nak(0xfffff2);
	CHECK_EQ(tell(0xffffff, 3), XROCE_REQ_TAKEN);
	CHECK_EQ(tell(9, 1), XROCE_REQ_TAKEN);
	check_repair(0xfffff2);
	check_filled(0xffffff, 3);
	check_filled(9, 1);
	CHECK(!out(100));
	/* a copy of the word, and the NAK for what is on its way */
	tell(9, 1);
	nak(0xffffff);
	nak(9);
	CHECK(!out(100));
	CHECK_EQ(req.stats.resent, 5);
	CHECK_EQ(req.stats.holes_heard, 3);
	ack(83);
	CHECK(xroce_req_is_drained(&req));
	CHECK(!xroce_gaps_has_any(&req.gaps));
}

TEST(hole__whose_repair_is_lost_is_filled_again)
{
	fly(KEEPS, 8);
	req.rtt.smoothed = 100000;
	req.cfg.timeout_ns = 1000000000;
	nak(2);
	tell(5, 1);
	check_repair(2);
	check_filled(5, 1);
	now += 100000;
	nak(5);
	CHECK(!out(100));
	now = xroce_req_deadline(&req);
	CHECK(now < 100000000);
	xroce_req_expire(&req, now);
	check_repair(5);
	CHECK_EQ(req.stats.probes, 1);
	CHECK_EQ(req.retry_left, 7);
}

TEST(hole__a_probe_teaches_no_patience)
{
	fly(KEEPS, 8);
	req.rtt.smoothed = 100000;
	req.cfg.timeout_ns = 1000000000;
	nak(2);
	check_repair(2);
	now = xroce_req_deadline(&req);
	xroce_req_expire(&req, now);
	check_repair(2);
	/* both arrived */
	ack(7);
	post(XROCE_WR_WRITE, 8, 0);
	drain();
	ack(7);
	CHECK_EQ(req.stats.probes, 1);
	CHECK_EQ(req.stats.spurious, 0);
	CHECK_EQ(req.reorder_ns, 0);
}

TEST(hole__the_word_proves_that_the_peer_keeps)
{
	fly(XROCE_PEER_UNKNOWN, 8);
	post(XROCE_WR_WRITE, 8, 0);
	nak(2);
	check_repair(2);
	CHECK(!out(100));
	tell(5, 1);
	CHECK_EQ(req.peer, KEEPS);
	check_filled(5, 1);
	/* what is new goes on */
	CHECK_EQ(drain(), 1);
}

TEST(hole__requests_that_are_read)
{
	begin(&rc_cfg, 0);
	req.peer = KEEPS;
	post(XROCE_WR_WRITE, 8, 0);
	post(XROCE_WR_READ, 4 * PMTU, 0);
	post(XROCE_WR_FETCH_ADD, 8, 0);
	post(XROCE_WR_WRITE, 2 * PMTU, 0);
	CHECK_EQ(drain(), 5);
	/* the READ with the PSNs of its answer, the atomic, the first of two */
	tell(1, 6);
	check_filled(1, 1);
	CHECK_EQ(burst.first.opcode, 0x0c);
	check_filled(5, 1);
	CHECK_EQ(burst.first.opcode, 0x14);
	check_filled(6, 1);
	CHECK(!out(100));
	/* no packet has such a PSN */
	tell(2, 1);
	CHECK(!out(100));
}

TEST(hole__nonsense_is_a_stray)
{
	fly(KEEPS, 8);
	CHECK_EQ(tell(8, 1), XROCE_REQ_DROP);
	CHECK_EQ(tell(7, 2), XROCE_REQ_DROP);
	CHECK_EQ(tell(0xffffff, 1), XROCE_REQ_DROP);
	CHECK_EQ(tell(3, 33), XROCE_REQ_DROP);
	CHECK(!out(100));
	CHECK_EQ(req.stats.holes_heard, 0);
}

TEST(hole__not_of_what_is_to_be_sent_again_anyhow)
{
	fly(KEEPS, 8);
	tell(5, 2);
	req.peer = DROPS;
	nak(2);
	/* from 2 on, and nothing out of turn */
	CHECK_EQ(drain(), 6);
	CHECK_EQ(req.stats.resent, 6);
	CHECK(!burst.is_repair);
}

TEST(hole__that_could_not_be_sent)
{
	fly(KEEPS, 8);
	tell(5, 2);
	check_filled(5, 1);
	xroce_req_unsent(&req, &burst, 0, now);
	CHECK(!out(100));
	now += 100000;
	check_filled(5, 1);
	check_filled(6, 1);
	CHECK(!out(100));
}

TEST(hole__late_packets_are_waited_for)
{
	fly(KEEPS, 8);
	req.reorder_ns = 50000;
	tell(5, 1);
	CHECK(!out(100));
	CHECK_EQ(xroce_req_deadline(&req), now + 50000);
	now += 50000;
	xroce_req_expire(&req, now);
	check_filled(5, 1);
}

TEST(hole__makes_room_in_the_window)
{
	begin(&rc_cfg, 0);
	req.peer = KEEPS;
	req.cfg.window = 1024;
	req.ramp = 1024;
	post(XROCE_WR_WRITE, 500 * PMTU, 0);
	CHECK_EQ(drain(), 128);
	tell(5, 1);
	check_filled(5, 1);
	CHECK_EQ(drain(), 128);
}

/* ---- window --------------------------------------------------------------- */

TEST(window__begins_small)
{
	begin(&rc_cfg, 0);
	req.ramp = 16;
	post(XROCE_WR_WRITE, 500 * PMTU, 0);
	CHECK_EQ(drain(), 16);
	CHECK(burst.ack_req_last);
	ack(15);
	CHECK_EQ(drain(), 32);
	ack(47);
	CHECK_EQ(drain(), 64);
	ack(111);
	CHECK_EQ(drain(), 128);
	ack(239);
	CHECK_EQ(drain(), 128);
}

TEST(window__grows_with_the_way)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.window = 1024;
	begin(&cfg, 0);
	post(XROCE_WR_WRITE, 2000 * PMTU, 0);
	CHECK_EQ(drain(), 128);
	now += 2000000;
	ack(127);
	CHECK_EQ(drain(), 256);
	/* a queue is no longer way */
	now += 100000000;
	ack(383);
	CHECK_EQ(drain(), 256);
	req.rtt.least = 100000000;
	ack(384);
	CHECK_EQ(drain(), 1024 - 255);
}

TEST(window__is_wider_while_the_peer_keeps)
{
	struct xroce_req_cfg cfg = rc_cfg;

	cfg.window = 1024;
	begin(&cfg, 0);
	req.peer = KEEPS;
	post(XROCE_WR_WRITE, 2000 * PMTU, 0);
	CHECK_EQ(drain(), 128);
	nak(10);
	check_repair(10);
	CHECK_EQ(drain(), 138);
	ack(127);
	CHECK_EQ(drain(), 0);
	ack(265);
	CHECK_EQ(drain(), 128);
}

TEST(window__obeys_congestion_control)
{
	static struct xroce_cc cc;

	begin(&rc_cfg, 0);
	xroce_cc_init(&cc, &xroce_cc_dcqcn, &xroce_cc_defaults, 1250000000, PMTU);
	req.cc = &cc;
	post(XROCE_WR_WRITE, 500 * PMTU, 0);
	CHECK_EQ(drain(), 128);
	xroce_cc_cnp(&cc, now);
	cc.window = 10 * PMTU;
	ack(127);
	CHECK_EQ(drain(), 10);
	CHECK(burst.ack_req_last);
	/* a packet may always fly */
	cc.window = 1;
	ack(137);
	CHECK_EQ(drain(), 1);
}

TEST(unsent__for_ever_ends_after_the_retries)
{
	u32 n = 0;

	begin(&rc_cfg, 0);
	post(XROCE_WR_WRITE, 8, 0);
	while (!req.is_broken && n++ < 1000) {
		if (out(100))
			xroce_req_unsent(&req, &burst, 0, now);
		now = xroce_req_deadline(&req);
		xroce_req_expire(&req, now);
	}
	CHECK(req.is_broken);
	CHECK_EQ(req.stats.timeouts, 8);
	CHECK(now >= 1000 + 8 * TIMEOUT);
	/* ever less often */
	CHECK(n < 40);
	CHECK_EQ(reap(&ring[0]), XROCE_RETRY_EXC_ERR);
}

TEST(peek__what_is_sent_next)
{
	struct xroce_wr *first, *last;
	u32 offset = 7;

	begin(&rc_cfg, 0xfffffe);
	CHECK(!xroce_req_peek(&req, &offset));
	first = post(XROCE_WR_WRITE, 5 * PMTU, 0);
	post(XROCE_WR_READ, 8, 0);
	post(XROCE_WR_LOCAL_INV, 0, 0);
	last = post(XROCE_WR_ATOMIC_WRITE, 8, 0);
	CHECK(xroce_req_peek(&req, &offset) == first);
	CHECK_EQ(offset, 0);
	CHECK(out(3));
	CHECK(xroce_req_peek(&req, &offset) == first);
	CHECK_EQ(offset, 3 * PMTU);
	CHECK(out(3));
	CHECK_EQ(burst.offset, 3 * PMTU);
	/* READs and local requests have no payload to send */
	CHECK(!xroce_req_peek(&req, &offset));
	CHECK(out(3));
	CHECK(!xroce_req_peek(&req, &offset));
	ack(2);
	read_response(3, XROCE_POS_ONLY, 8);
	xroce_req_executed(&req, xroce_req_local(&req), XROCE_SUCCESS);
	CHECK(xroce_req_peek(&req, &offset) == last);
	CHECK_EQ(offset, 0);
}

TEST(peek__nothing_of_what_fails)
{
	u32 offset;

	begin(&rc_cfg, 0);
	post(XROCE_WR_WRITE, 8, 0)->fault = XROCE_LOC_PROT_ERR;
	CHECK(!xroce_req_peek(&req, &offset));
	CHECK(!out(1));
	CHECK(!xroce_req_peek(&req, &offset));
}

/* After a rewind, what is sent once more. */
TEST(peek__what_is_sent_again)
{
	struct xroce_wr *wr;
	u32 offset;

	begin(&rc_cfg, 0);
	wr = post(XROCE_WR_WRITE, 4 * PMTU, 0);
	CHECK_EQ(drain(), 4);
	CHECK(!xroce_req_peek(&req, &offset));
	answer(1, XROCE_AETH_NAK | XROCE_NAK_PSN_SEQUENCE);
	CHECK(xroce_req_peek(&req, &offset) == wr);
	CHECK_EQ(offset, PMTU);
}

/* Memory on demand: an answer that can't be placed yet is given once more. */
TEST(answer__is_the_same_for_the_second_time)
{
	struct xroce_pkt pkt = response(XROCE_OP_READ_RESPONSE, XROCE_POS_FIRST, 0);
	struct xroce_req_verdict verdict;
	struct xroce_wr *wr;
	int i;

	begin(&rc_cfg, 0);
	wr = post(XROCE_WR_READ, 2 * PMTU, 0);
	drain();
	pkt.payload_len = PMTU;
	for (i = 0; i < 2; i++) {
		verdict = xroce_req_input(&req, &pkt, now);
		CHECK_EQ(verdict.act, XROCE_REQ_PLACE);
		CHECK(verdict.wr == wr);
		CHECK_EQ(verdict.offset, 0);
	}
	xroce_req_placed(&req, &pkt, true, now);
	CHECK_EQ(read_response(1, XROCE_POS_LAST, PMTU), XROCE_REQ_PLACE);
	CHECK_EQ(reap(wr), XROCE_SUCCESS);
}
