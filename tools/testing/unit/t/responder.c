// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The receive side, packet by packet.
 */
#include <linux/limits.h>
#include <linux/types.h>
#include "credit.h"
#include "psn.h"
#include "responder.h"
#include "test.h"

#define PMTU	1024U
#define SLOTS	4
#define ALL	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
		 XROCE_ACCESS_REMOTE_ATOMIC | XROCE_ACCESS_FLUSH_GLOBAL | \
		 XROCE_ACCESS_FLUSH_PERSISTENT)

static struct xroce_resp resp;
static struct xroce_rd rd[SLOTS];
static struct xroce_burst burst;
static struct xroce_resp_verdict verdict;

static const struct xroce_resp_cfg rc_cfg = {
	.service = XROCE_RC,
	.pkey = 0xffff,
	.pmtu = PMTU,
	.dest_qp = 0x321,
	.access = ALL,
	.min_rnr_timer = 12,
	.max_dest_rd_atomic = SLOTS,
};

static void begin(const struct xroce_resp_cfg *cfg, u32 psn)
{
	memset(rd, 0xff, sizeof(rd));
	xroce_resp_init(&resp, cfg, rd, psn);
}

static struct xroce_pkt packet(u8 opcode, u32 psn, u32 len)
{
	return (struct xroce_pkt){
		.info = xroce_opcode_find(opcode),
		.opcode = opcode,
		.psn = psn & XROCE_PSN_MASK,
		.payload_len = len,
		.dma_len = len,
		.va = 0x10000,
		.rkey = 0x55,
		.ack_req = true,
	};
}

static u8 check(const struct xroce_pkt *pkt)
{
	verdict = xroce_resp_check(&resp, pkt);
	return verdict.act;
}

static struct xroce_resp_done commit(const struct xroce_pkt *pkt)
{
	return xroce_resp_commit(&resp, pkt, 77);
}

/* Take @pkt, which must be welcome, with a receive request if it needs one. */
static struct xroce_resp_done take(struct xroce_pkt pkt)
{
	if (check(&pkt) == XROCE_RESP_NEED_RECV) {
		xroce_resp_recv(&resp, 1 << 20);
		check(&pkt);
	}
	CHECK(verdict.act != XROCE_RESP_DROP);
	CHECK(verdict.act != XROCE_RESP_FAULT);
	CHECK(verdict.act != XROCE_RESP_NEED_RECV);
	return commit(&pkt);
}

/* The next answer: opcode and PSN; 0 if there is none. */
static u32 next(u32 *psn)
{
	if (!xroce_resp_output(&resp, 100, &burst))
		return 0;
	CHECK_EQ(burst.first.dest_qp, 0x321);
	*psn = burst.first.psn;
	return burst.first.opcode;
}

static void check_ack(u32 psn, u8 syndrome, u32 msn)
{
	u32 got = 0;

	CHECK_EQ(next(&got), 0x11);
	CHECK_EQ(got, psn);
	CHECK_EQ(burst.first.syndrome, syndrome);
	CHECK_EQ(burst.first.msn, msn);
	CHECK_EQ(burst.npkts, 1);
	CHECK_EQ(burst.bytes, 0);
}

static void check_silence(void)
{
	u32 psn;

	CHECK_EQ(next(&psn), 0);
}

static void check_answer(u8 opcode, u32 psn, u32 npkts, u32 bytes, u64 va)
{
	u32 got = 0;

	CHECK_EQ(next(&got), opcode);
	CHECK_EQ(got, psn);
	CHECK_EQ(burst.npkts, npkts);
	CHECK_EQ(burst.bytes, bytes);
	CHECK_EQ(burst.va, va);
}

/* @pkt ends the QP with @fault. */
static void check_fatal(const struct xroce_pkt *pkt, enum xroce_fault fault,
			u8 syndrome)
{
	struct xroce_resp_done done;

	CHECK_EQ(check(pkt), XROCE_RESP_FAULT);
	CHECK_EQ(verdict.fault, fault);
	done = xroce_resp_fail(&resp, pkt, fault);
	CHECK(done.to_error);
	check_ack(pkt->psn, syndrome, resp.msn);
	check_silence();
	CHECK_EQ(check(pkt), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_STATE);
	check_silence();
}

TEST(check__send_of_three_packets)
{
	struct xroce_resp_done done;
	struct xroce_pkt pkt = packet(0x00, 0xffffff, PMTU);

	begin(&rc_cfg, 0xffffff);
	pkt.ack_req = false;
	CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
	xroce_resp_recv(&resp, 3 * PMTU);
	CHECK_EQ(check(&pkt), XROCE_RESP_RECV);
	CHECK_EQ(verdict.offset, 0);
	CHECK(!commit(&pkt).completes);
	check_silence();

	pkt = packet(0x01, 0, PMTU);
	CHECK_EQ(check(&pkt), XROCE_RESP_RECV);
	CHECK_EQ(verdict.offset, PMTU);
	CHECK(!commit(&pkt).completes);
	check_ack(0, 0x1f, 0);

	pkt = packet(0x03, 1, 5);
	pkt.solicited = true;
	pkt.imm = (__be32)0x12345678;
	CHECK_EQ(check(&pkt), XROCE_RESP_RECV);
	CHECK_EQ(verdict.offset, 2 * PMTU);
	done = commit(&pkt);
	CHECK(done.completes && done.has_imm && done.solicited);
	CHECK(!done.has_inv && !done.is_write_imm && !done.to_error);
	CHECK_EQ(done.status, XROCE_SUCCESS);
	CHECK_EQ(done.byte_len, 2 * PMTU + 5);
	CHECK_EQ((u32)done.imm, 0x12345678);
	check_ack(1, 0x1f, 1);
	check_silence();
}

TEST(check__send_with_invalidate)
{
	struct xroce_pkt pkt = packet(0x17, 0, 0);
	struct xroce_resp_done done;

	begin(&rc_cfg, 0);
	pkt.inv_rkey = 0x99;
	done = take(pkt);
	CHECK(done.completes && done.has_inv && !done.has_imm);
	CHECK_EQ(done.inv_rkey, 0x99);
	CHECK_EQ(done.byte_len, 0);
	/* the key turns out to be bad: no answer, but the end */
	begin(&rc_cfg, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
	xroce_resp_recv(&resp, 8);
	CHECK_EQ(check(&pkt), XROCE_RESP_RECV);
	done = xroce_resp_fail(&resp, &pkt, XROCE_FAULT_INVALIDATE);
	CHECK(done.completes && done.to_error);
	CHECK_EQ(done.status, XROCE_REM_INV_REQ_ERR);
	check_silence();
}

TEST(check__write_asks_for_the_range_that_is_left)
{
	struct xroce_pkt pkt = packet(0x06, 0, PMTU);
	struct xroce_resp_done done;

	begin(&rc_cfg, 0);
	pkt.dma_len = 2 * PMTU + 9;
	CHECK_EQ(check(&pkt), XROCE_RESP_WRITE);
	CHECK_EQ(verdict.rkey, 0x55);
	CHECK_EQ(verdict.access, XROCE_ACCESS_REMOTE_WRITE);
	CHECK_EQ(verdict.check_va, 0x10000);
	CHECK_EQ(verdict.check_len, 2 * PMTU + 9);
	CHECK_EQ(verdict.va, 0x10000);
	commit(&pkt);
	pkt = packet(0x07, 1, PMTU);
	pkt.va = pkt.rkey = pkt.dma_len = 0;
	CHECK_EQ(check(&pkt), XROCE_RESP_WRITE);
	CHECK_EQ(verdict.rkey, 0x55);
	CHECK_EQ(verdict.check_va, 0x10000 + PMTU);
	CHECK_EQ(verdict.check_len, PMTU + 9);
	CHECK_EQ(verdict.va, 0x10000 + PMTU);
	commit(&pkt);
	pkt = packet(0x09, 2, 9);
	CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
	xroce_resp_recv(&resp, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_WRITE);
	CHECK_EQ(verdict.check_len, 9);
	done = commit(&pkt);
	CHECK(done.completes && done.is_write_imm && done.has_imm);
	CHECK_EQ(done.byte_len, 2 * PMTU + 9);
	check_ack(2, 0x1f, 1);
}

TEST(check__zero_length_needs_no_key)
{
	struct xroce_pkt pkt = packet(0x0a, 0, 0);

	begin(&rc_cfg, 0);
	pkt.va = ~0ULL;
	CHECK_EQ(check(&pkt), XROCE_RESP_WRITE);
	CHECK_EQ(verdict.check_len, 0);
	commit(&pkt);
	pkt = packet(0x0c, 1, 0);
	pkt.va = ~0ULL;
	CHECK_EQ(check(&pkt), XROCE_RESP_READ);
	CHECK_EQ(verdict.check_len, 0);
	commit(&pkt);
	check_answer(0x10, 1, 1, 0, ~0ULL);
	CHECK_EQ(burst.source, XROCE_FROM_NOWHERE);
	CHECK_EQ(burst.first.msn, 2);
}

TEST(check__lengths)
{
	static const struct {
		u8 first, opcode;
		u32 len, dma_len;
		u8 fault;
	} want[] = {
		{ 0, 0x00, PMTU - 1, 0, XROCE_FAULT_LENGTH },
		{ 0, 0x00, PMTU + 4, 0, XROCE_FAULT_LENGTH },
		{ 0, 0x04, PMTU + 1, 0, XROCE_FAULT_LENGTH },
		{ 0x00, 0x01, PMTU - 4, 0, XROCE_FAULT_LENGTH },
		{ 0x00, 0x02, 0, 0, XROCE_FAULT_LENGTH },
		{ 0x00, 0x02, PMTU + 1, 0, XROCE_FAULT_LENGTH },
		{ 0x00, 0x02, PMTU, 0, XROCE_FAULT_NONE },
		{ 0, 0x06, PMTU, PMTU, XROCE_FAULT_LENGTH },
		{ 0, 0x06, PMTU - 1, 9 * PMTU, XROCE_FAULT_LENGTH },
		{ 0, 0x06, PMTU, (1U << 31) + 1, XROCE_FAULT_LENGTH },
		{ 0, 0x06, PMTU, 1U << 31, XROCE_FAULT_NONE },
		{ 0, 0x06, PMTU, ~0U, XROCE_FAULT_LENGTH },
		{ 0, 0x0a, 8, 9, XROCE_FAULT_LENGTH },
		{ 0, 0x0a, 9, 8, XROCE_FAULT_LENGTH },
		{ 0, 0x0a, 0, 8, XROCE_FAULT_LENGTH },
		{ 0x06, 0x07, PMTU, 0, XROCE_FAULT_LENGTH },
		{ 0x06, 0x08, PMTU - 1, 0, XROCE_FAULT_LENGTH },
		{ 0x06, 0x08, 0, 0, XROCE_FAULT_LENGTH },
		{ 0x06, 0x08, PMTU, 0, XROCE_FAULT_NONE },
		{ 0, 0x0c, 4, 8, XROCE_FAULT_LENGTH },
		{ 0, 0x0c, 0, (1U << 31) + 1, XROCE_FAULT_LENGTH },
		{ 0, 0x0c, 0, 1U << 31, XROCE_FAULT_NONE },
		{ 0, 0x13, 8, 0, XROCE_FAULT_LENGTH },
	};
	u32 i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct xroce_pkt pkt;
		u32 psn = 5;

		test_context("row %u", i);
		begin(&rc_cfg, psn);
		xroce_resp_recv(&resp, 1 << 20);
		if (want[i].opcode != 0x04 && want[i].opcode != 0x13 &&
		    (want[i].opcode & 0xf) != 0xa &&
		    (want[i].opcode & 0xf) != 0xc &&
		    want[i].opcode != 0x00 && want[i].opcode != 0x06) {
			pkt = packet(want[i].first, psn++, PMTU);
			pkt.dma_len = 2 * PMTU;
			take(pkt);
			while (next(&(u32){ 0 }))
				;
		}
		pkt = packet(want[i].opcode, psn, want[i].len);
		pkt.dma_len = want[i].dma_len;
		if (want[i].fault)
			check_fatal(&pkt, want[i].fault, 0x61);
		else
			CHECK(check(&pkt) != XROCE_RESP_FAULT);
	}
}

TEST(check__message_longer_than_the_receive_request)
{
	struct xroce_resp_done done;
	struct xroce_pkt pkt = packet(0x00, 0, PMTU);

	begin(&rc_cfg, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
	xroce_resp_recv(&resp, PMTU + 4);
	CHECK_EQ(check(&pkt), XROCE_RESP_RECV);
	commit(&pkt);
	pkt = packet(0x02, 1, 5);
	CHECK_EQ(check(&pkt), XROCE_RESP_FAULT);
	CHECK_EQ(verdict.fault, XROCE_FAULT_RECV_TOO_SMALL);
	done = xroce_resp_fail(&resp, &pkt, verdict.fault);
	CHECK(done.completes && done.to_error);
	CHECK_EQ(done.status, XROCE_LOC_LEN_ERR);
	CHECK_EQ(done.event, XROCE_EVENT_NONE);
	check_ack(1, 0x61, 0);
}

TEST(check__send_beyond_the_longest_message)
{
	struct xroce_pkt pkt = packet(0x01, 0, PMTU);

	begin(&rc_cfg, 0);
	resp.in_message = true;
	resp.has_recv = true;
	resp.recv_len = ~0ULL;
	resp.recv_done = 1U << 31;
	CHECK_EQ(check(&pkt), XROCE_RESP_FAULT);
	CHECK_EQ(verdict.fault, XROCE_FAULT_LENGTH);
	resp.recv_done -= PMTU;
	CHECK_EQ(check(&pkt), XROCE_RESP_RECV);
}

TEST(check__range_that_wraps)
{
	static const struct {
		u64 va;
		u32 len;
		bool is_ok;
	} want[] = {
		{ ~0ULL - 7, 8, false }, { ~0ULL - 7, 9, false },
		{ ~0ULL, 1, false }, { ~0ULL - 8, 8, true },
		{ ~0ULL - (1ULL << 31) + 1, 1U << 31, false },
		{ ~0ULL - (1ULL << 31), 1U << 31, true },
	};
	u32 i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct xroce_pkt pkt = packet(0x0c, 0, 0);

		test_context("row %u", i);
		begin(&rc_cfg, 0);
		pkt.va = want[i].va;
		pkt.dma_len = want[i].len;
		if (want[i].is_ok)
			CHECK_EQ(check(&pkt), XROCE_RESP_READ);
		else
			check_fatal(&pkt, XROCE_FAULT_REMOTE_ACCESS, 0x62);
		begin(&rc_cfg, 0);
		pkt = packet(want[i].len > PMTU ? 0x06 : 0x0a, 0,
			     want[i].len > PMTU ? PMTU : want[i].len);
		pkt.va = want[i].va;
		pkt.dma_len = want[i].len;
		if (want[i].is_ok)
			CHECK_EQ(check(&pkt), XROCE_RESP_WRITE);
		else
			check_fatal(&pkt, XROCE_FAULT_REMOTE_ACCESS, 0x62);
	}
}

TEST(check__atomic_addresses)
{
	struct xroce_pkt pkt = packet(0x13, 0, 0);
	u32 i;

	for (i = 1; i < 8; i++) {
		begin(&rc_cfg, 0);
		pkt.va = 0x10000 + i;
		check_fatal(&pkt, XROCE_FAULT_MISALIGNED, 0x61);
	}
	begin(&rc_cfg, 0);
	pkt.va = ~7ULL;
	check_fatal(&pkt, XROCE_FAULT_REMOTE_ACCESS, 0x62);
	begin(&rc_cfg, 0);
	pkt.va = 0x10008;
	CHECK_EQ(check(&pkt), XROCE_RESP_ATOMIC);
	CHECK_EQ(verdict.check_len, 8);
	CHECK_EQ(verdict.access, XROCE_ACCESS_REMOTE_ATOMIC);
}

TEST(check__opcode_sequence)
{
	/* what may follow FIRST of a SEND and of a WRITE, and at the start */
	static const u8 starts[] = { 0x00, 0x04, 0x05, 0x06, 0x0a, 0x0b, 0x0c,
				     0x13, 0x14, 0x17 };
	static const u8 sends[] = { 0x01, 0x02, 0x03, 0x16 };
	static const u8 writes[] = { 0x07, 0x08, 0x09 };
	u32 state, i;

	for (state = 0; state < 3; state++) {
		for (i = 0; i < 0x18; i++) {
			const u8 *may = state == 0 ? starts :
					state == 1 ? sends : writes;
			u32 n = state == 0 ? sizeof(starts) :
				state == 1 ? sizeof(sends) : sizeof(writes);
			struct xroce_pkt pkt = packet((u8)i, state > 0, PMTU);

			if (!pkt.info || pkt.info->is_response)
				continue;
			test_context("state %u opcode %02x", state, i);
			begin(&rc_cfg, 0);
			xroce_resp_recv(&resp, 1 << 20);
			if (state) {
				struct xroce_pkt first =
					packet(state == 1 ? 0x00 : 0x06, 0,
					       PMTU);

				first.dma_len = 2 * PMTU;
				first.ack_req = false;
				take(first);
			}
			if (memchr(may, (int)i, n)) {
				check(&pkt);
				CHECK(verdict.act != XROCE_RESP_FAULT ||
				      verdict.fault ==
				      XROCE_FAULT_LENGTH);
			} else {
				check_fatal(&pkt,
					    XROCE_FAULT_OPCODE_SEQUENCE, 0x61);
			}
		}
	}
}

static struct xroce_pkt flush(u32 psn, u8 type, u8 level, u32 len)
{
	struct xroce_pkt pkt = packet(0x1c, psn, 0);

	pkt.flush_type = type;
	pkt.flush_level = level;
	pkt.dma_len = len;
	return pkt;
}

TEST(check__kinds_of_flush_that_are_not_defined)
{
	static const struct {
		u8 type, level;
	} bad[] = { { 0, 0 }, { 4, 0 }, { 5, 0 }, { 8, 1 }, { 1, 2 }, { 1, 3 } };
	struct xroce_resp_cfg cfg = rc_cfg;
	size_t i;

	cfg.access = ~0U;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct xroce_pkt pkt = flush(0, bad[i].type, bad[i].level, 8);

		test_context("type %u level %u", bad[i].type, bad[i].level);
		begin(&cfg, 0);
		check_fatal(&pkt, XROCE_FAULT_OPCODE, 0x61);
	}
}

TEST(check__flush_of_a_range_and_of_all)
{
	struct xroce_pkt pkt = flush(7, 3, 0, 4096);

	begin(&rc_cfg, 7);
	CHECK_EQ(check(&pkt), XROCE_RESP_FLUSH);
	CHECK_EQ(verdict.access, XROCE_ACCESS_FLUSH_GLOBAL |
				 XROCE_ACCESS_FLUSH_PERSISTENT);
	CHECK_EQ(verdict.rkey, 0x55);
	CHECK_EQ(verdict.check_va, 0x10000);
	CHECK_EQ(verdict.check_len, 4096);
	CHECK(!verdict.is_whole);
	CHECK(!commit(&pkt).completes);
	CHECK_EQ(resp.msn, 1);
	check_answer(0x10, 7, 1, 0, 0);
	CHECK_EQ(burst.first.syndrome, XROCE_CREDIT_UNLIMITED);
	CHECK_EQ(burst.source, XROCE_FROM_NOWHERE);

	/* Address and length say nothing then, so they may be anything. */
	pkt = flush(8, 1, 1, U32_MAX);
	pkt.va = U64_MAX;
	CHECK_EQ(check(&pkt), XROCE_RESP_FLUSH);
	CHECK_EQ(verdict.access, XROCE_ACCESS_FLUSH_GLOBAL);
	CHECK(verdict.is_whole);
	CHECK_EQ(verdict.check_len, 0);
	commit(&pkt);
	check_answer(0x10, 8, 1, 0, 0);
	check_silence();
}

/* Requests that are posted, and the one of a message that is not whole yet. */
TEST(output__acknowledgements_tell_of_receive_requests)
{
	begin(&rc_cfg, 7);
	resp.recvs = 6;
	take(packet(0x04, 7, 8));
	check_ack(7, 5, 1);
	resp.recvs = 5;
	take(packet(0x00, 8, 1024));
	take(packet(0x01, 9, 1024));
	resp.ack_pending = true;
	check_ack(9, 5, 1);
	take(packet(0x02, 10, 8));
	check_ack(10, 4, 2);
	resp.recvs = XROCE_RECVS_UNTOLD;
	take(packet(0x04, 11, 8));
	check_ack(11, XROCE_CREDIT_UNLIMITED, 3);
}

TEST(check__flush_lengths)
{
	struct xroce_pkt pkt = flush(0, 1, 0, 8);

	begin(&rc_cfg, 0);
	pkt.payload_len = 4;
	check_fatal(&pkt, XROCE_FAULT_LENGTH, 0x61);
	begin(&rc_cfg, 0);
	pkt = flush(0, 1, 0, XROCE_MAX_MESSAGE + 1);
	check_fatal(&pkt, XROCE_FAULT_LENGTH, 0x61);
	begin(&rc_cfg, 0);
	pkt = flush(0, 1, 0, 8);
	pkt.va = U64_MAX - 3;
	CHECK_EQ(check(&pkt), XROCE_RESP_FAULT);
	CHECK_EQ(verdict.fault, XROCE_FAULT_REMOTE_ACCESS);
}

TEST(check__atomic_write)
{
	struct xroce_pkt pkt = packet(0x1d, 0, 8);

	begin(&rc_cfg, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_ATOMIC_WRITE);
	CHECK_EQ(verdict.access, XROCE_ACCESS_REMOTE_WRITE);
	CHECK_EQ(verdict.va, 0x10000);
	CHECK_EQ(verdict.check_va, 0x10000);
	CHECK_EQ(verdict.check_len, 8);
	commit(&pkt);
	CHECK_EQ(resp.msn, 1);
	check_answer(0x10, 0, 1, 0, 0);
	check_silence();
}

TEST(check__atomic_write_that_is_no_word)
{
	struct xroce_pkt pkt = packet(0x1d, 0, 4);

	begin(&rc_cfg, 0);
	check_fatal(&pkt, XROCE_FAULT_LENGTH, 0x61);
	begin(&rc_cfg, 0);
	pkt = packet(0x1d, 0, 8);
	pkt.dma_len = 16;
	check_fatal(&pkt, XROCE_FAULT_LENGTH, 0x61);
	begin(&rc_cfg, 0);
	pkt = packet(0x1d, 0, 8);
	pkt.va = 0x10004;
	check_fatal(&pkt, XROCE_FAULT_MISALIGNED, 0x61);
}

/* Neither is done twice: what was written since must stay. */
TEST(duplicate__flush_and_atomic_write_are_answered_again)
{
	struct xroce_pkt write = packet(0x1d, 0, 8);
	struct xroce_pkt range = flush(1, 1, 0, 64);

	begin(&rc_cfg, 0);
	take(write);
	take(range);
	check_answer(0x10, 0, 1, 0, 0);
	check_answer(0x10, 1, 1, 0, 0);
	CHECK_EQ(check(&write), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_DUPLICATE);
	check_answer(0x10, 0, 1, 0, 0);
	CHECK_EQ(check(&range), XROCE_RESP_DROP);
	check_answer(0x10, 1, 1, 0, 0);
	check_silence();
	CHECK_EQ(resp.msn, 2);

	/* of another kind than what had this PSN */
	range.psn = 0;
	CHECK_EQ(check(&range), XROCE_RESP_DROP);
	check_silence();
}

TEST(check__access_flags_of_the_qp)
{
	static const struct {
		u8 opcode;
		u32 access;
	} want[] = {
		{ 0x0a, XROCE_ACCESS_REMOTE_WRITE },
		{ 0x0b, XROCE_ACCESS_REMOTE_WRITE },
		{ 0x0c, XROCE_ACCESS_REMOTE_READ },
		{ 0x13, XROCE_ACCESS_REMOTE_ATOMIC },
		{ 0x14, XROCE_ACCESS_REMOTE_ATOMIC },
		{ 0x1d, XROCE_ACCESS_REMOTE_WRITE },
		{ 0x1c, XROCE_ACCESS_FLUSH_GLOBAL },
		{ 0x1c, XROCE_ACCESS_FLUSH_PERSISTENT },
	};
	struct xroce_resp_cfg cfg = rc_cfg;
	u32 i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		bool is_word = want[i].opcode == 0x1d;
		struct xroce_pkt pkt = packet(want[i].opcode, 0, 8 * is_word);

		/* FETH names access rights in the order that they have */
		pkt.flush_type = want[i].access >> 8;
		cfg.access = ALL & ~want[i].access;
		begin(&cfg, 0);
		check_fatal(&pkt, XROCE_FAULT_NOT_PERMITTED, 0x61);
		cfg.access = want[i].access;
		begin(&cfg, 0);
		CHECK(check(&pkt) != XROCE_RESP_FAULT);
	}
	cfg.access = 0;
	begin(&cfg, 0);
	take(packet(0x04, 0, 8));
}

TEST(check__no_slots_no_reads)
{
	struct xroce_resp_cfg cfg = rc_cfg;
	struct xroce_pkt pkt = packet(0x0c, 0, 0);

	cfg.max_dest_rd_atomic = 0;
	xroce_resp_init(&resp, &cfg, NULL, 0);
	check_fatal(&pkt, XROCE_FAULT_RD_RESOURCES, 0x61);
	xroce_resp_init(&resp, &cfg, NULL, 1);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_silence();
}

TEST(check__more_reads_than_agreed)
{
	struct xroce_pkt pkt;
	u32 i, psn;

	begin(&rc_cfg, 0);
	for (i = 0; i < SLOTS; i++)
		take(packet(0x14, i, 0));
	pkt = packet(0x14, SLOTS, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_FAULT);
	CHECK_EQ(verdict.fault, XROCE_FAULT_RD_RESOURCES);
	/* one is answered, one more may come */
	CHECK_EQ(next(&psn), 0x12);
	take(pkt);
	for (i = 1; i <= SLOTS; i++) {
		CHECK_EQ(next(&psn), 0x12);
		CHECK_EQ(psn, i);
	}
	check_silence();
}

TEST(check__late_copy_of_a_read_takes_no_slot)
{
	struct xroce_resp_cfg cfg = rc_cfg;
	struct xroce_pkt pkt = packet(0x0c, 0, 0);
	u32 psn;

	cfg.max_dest_rd_atomic = 1;
	begin(&cfg, 0);
	pkt.dma_len = 3 * PMTU;
	take(pkt);
	check_answer(0x0d, 0, 3, 3 * PMTU, 0x10000);
	/* the copy arrives when the peer is content and asks for more */
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK(xroce_resp_output(&resp, 1, &burst));
	pkt = packet(0x14, 3, 0);
	take(pkt);
	CHECK_EQ(next(&psn), 0x12);
	check_silence();
	CHECK_EQ(resp.rd_pending, 0);
}

TEST(output__read_in_runs)
{
	struct xroce_pkt pkt = packet(0x0c, 0xfffffe, 0), one;

	begin(&rc_cfg, 0xfffffe);
	pkt.dma_len = 4 * PMTU + 3;
	take(pkt);
	CHECK_EQ(resp.epsn, 3);
	CHECK(xroce_resp_output(&resp, 2, &burst));
	CHECK_EQ(burst.first.opcode, 0x0d);
	CHECK_EQ(burst.source, XROCE_FROM_MR);
	CHECK_EQ(burst.rkey, 0x55);
	CHECK_EQ(burst.bytes, 2 * PMTU);
	CHECK(!burst.is_last);
	xroce_burst_packet(&burst, 1, &one);
	CHECK_EQ(one.opcode, 0x0e);
	CHECK_EQ(one.psn, 0xffffff);
	CHECK(xroce_resp_output(&resp, 2, &burst));
	CHECK_EQ(burst.first.opcode, 0x0e);
	CHECK_EQ(burst.offset, 2 * PMTU);
	CHECK_EQ(burst.va, 0x10000 + 2 * PMTU);
	CHECK(xroce_resp_output(&resp, 2, &burst));
	CHECK_EQ(burst.first.opcode, 0x0f);
	CHECK_EQ(burst.first.psn, 2);
	CHECK_EQ(burst.bytes, 3);
	CHECK_EQ(burst.first.syndrome, 0x1f);
	CHECK_EQ(burst.first.msn, 1);
	CHECK(burst.is_last);
	check_silence();
}

TEST(output__acks_do_not_overtake_answers)
{
	struct xroce_pkt pkt = packet(0x0c, 1, 0);
	u32 psn;

	begin(&rc_cfg, 0);
	take(packet(0x04, 0, 8));
	pkt.dma_len = 2 * PMTU;
	take(pkt);
	take(packet(0x04, 3, 8));
	take(packet(0x14, 4, 0));
	take(packet(0x0a, 5, 8));
	/* the first SEND is acknowledged by the answer behind it */
	check_answer(0x0d, 1, 2, 2 * PMTU, 0x10000);
	CHECK_EQ(burst.first.msn, 2);
	CHECK_EQ(next(&psn), 0x12);
	CHECK_EQ(psn, 4);
	CHECK_EQ(burst.first.orig, 77);
	CHECK_EQ(burst.first.msn, 4);
	check_ack(5, 0x1f, 5);
	check_silence();
}

TEST(output__one_ack_for_a_batch_and_none_unasked)
{
	struct xroce_pkt pkt = packet(0x04, 0, 8);
	u32 i;

	begin(&rc_cfg, 0);
	pkt.ack_req = false;
	take(pkt);
	check_silence();
	for (i = 1; i < 9; i++)
		take(packet(0x04, i, 8));
	check_ack(8, 0x1f, 9);
	check_silence();
	CHECK_EQ(resp.stats.acks, 1);
}

TEST(sequence__one_nak_for_each_hole)
{
	struct xroce_pkt pkt = packet(0x04, 0xffffff, 8);

	begin(&rc_cfg, 0xfffffe);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_OUT_OF_ORDER);
	check_ack(0xfffffe, 0x60, 0);
	pkt.psn = 5;
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	pkt.psn = 0x7ffffd;
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_silence();
	take(packet(0x04, 0xfffffe, 8));
	check_ack(0xfffffe, 0x1f, 1);
	/* the next hole */
	pkt.psn = 1;
	check(&pkt);
	check(&pkt);
	check_ack(0xffffff, 0x60, 1);
	check_silence();
	CHECK_EQ(resp.stats.naks, 2);
	CHECK_EQ(resp.stats.out_of_sequence, 5);
}

TEST(sequence__nak_that_was_overtaken)
{
	struct xroce_pkt pkt = packet(0x04, 1, 8);

	begin(&rc_cfg, 0);
	check(&pkt);
	take(packet(0x04, 0, 8));
	check_ack(0, 0x1f, 1);
	check_silence();
}

TEST(sequence__nak_acknowledges_too_and_answers_come_first)
{
	struct xroce_pkt pkt = packet(0x04, 9, 8);
	u32 psn;

	begin(&rc_cfg, 0);
	take(packet(0x14, 0, 0));
	take(packet(0x04, 1, 8));
	check(&pkt);
	CHECK_EQ(next(&psn), 0x12);
	check_ack(2, 0x60, 2);
	check_silence();
}

TEST(rnr__nak_then_silence_until_it_comes_again)
{
	struct xroce_pkt pkt = packet(0x04, 0, 8), ahead = packet(0x04, 1, 8);
	struct xroce_resp_done done;
	u32 i;

	begin(&rc_cfg, 0);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
		done = xroce_resp_fail(&resp, &pkt, XROCE_FAULT_RNR);
		CHECK(!done.completes && !done.to_error);
		CHECK_EQ(done.drop, XROCE_DROP_RNR);
		check_ack(0, 0x20 | 12, 0);
		CHECK_EQ(check(&ahead), XROCE_RESP_DROP);
		check_silence();
	}
	CHECK_EQ(resp.stats.rnr_naks, 3);
	take(pkt);
	check_ack(0, 0x1f, 1);
	take(ahead);
	check_ack(1, 0x1f, 2);
	/* now a hole is a hole */
	pkt.psn = 3;
	check(&pkt);
	check_ack(2, 0x60, 2);
}

TEST(rnr__write_with_immediate)
{
	struct xroce_pkt pkt = packet(0x0b, 0, 8);

	begin(&rc_cfg, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
	xroce_resp_fail(&resp, &pkt, XROCE_FAULT_RNR);
	check_ack(0, 0x20 | 12, 0);
	CHECK(take(pkt).is_write_imm);
}

TEST(duplicate__send_and_write_are_acknowledged_once_a_batch)
{
	struct xroce_pkt pkt;
	u32 i;

	begin(&rc_cfg, 0);
	for (i = 0; i < 4; i++)
		take(packet(0x04, i, 8));
	check_ack(3, 0x1f, 4);
	for (i = 0; i < 3; i++) {
		pkt = packet(i ? 0x04 : 0x01, i, 8);
		pkt.ack_req = false;
		CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
		CHECK_EQ(verdict.drop, XROCE_DROP_DUPLICATE);
	}
	check_ack(3, 0x1f, 4);
	check_silence();
	CHECK_EQ(resp.stats.duplicates, 3);
	/* half the PSNs are old */
	pkt.psn = 4 + (1 << 23);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_DUPLICATE);
	pkt.psn = 3 + (1 << 23);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_OUT_OF_ORDER);
}

/* rxe takes an acknowledgement that overtakes the answer of a READ for that. */
TEST(duplicate__not_acknowledged_beyond_answers)
{
	struct xroce_pkt send = packet(0x04, 0, 8), read = packet(0x0c, 1, 0);

	begin(&rc_cfg, 0);
	take(send);
	check_ack(0, 0x1f, 1);
	read.dma_len = 2 * PMTU;
	take(read);
	check_answer(0x0d, 1, 2, 2 * PMTU, 0x10000);
	take(packet(0x13, 3, 0));
	CHECK(xroce_resp_output(&resp, 16, &burst));
	CHECK_EQ(check(&send), XROCE_RESP_DROP);
	check_ack(0, 0x1f, 3);
	take(packet(0x04, 4, 8));
	CHECK_EQ(check(&send), XROCE_RESP_DROP);
	check_ack(4, 0x1f, 4);
	check_silence();
}

TEST(ack__of_what_is_not_too_old)
{
	struct xroce_pkt read = packet(0x0c, 1, 0);
	u32 i;

	begin(&rc_cfg, 0);
	take(packet(0x04, 0, 8));
	check_ack(0, 0x1f, 1);
	read.dma_len = PMTU << 20;
	for (i = 0; i < 4; i++) {
		read.psn = 1 + (i << 20);
		take(read);
		while (xroce_resp_output(&resp, 1 << 20, &burst))
			;
	}
	CHECK(xroce_psn_dist(resp.epsn, resp.plain_psn) <= XROCE_HOLE_PAST / 2);
}

TEST(duplicate__atomic_gives_the_saved_result)
{
	struct xroce_pkt pkt = packet(0x13, 0, 0);
	u32 psn, i;

	begin(&rc_cfg, 0);
	for (i = 0; i < 6; i++) {
		pkt.psn = i;
		CHECK_EQ(check(&pkt), XROCE_RESP_ATOMIC);
		xroce_resp_commit(&resp, &pkt, 1000 + i);
		CHECK_EQ(next(&psn), 0x12);
	}
	/* the last four are remembered, and answered in order */
	for (i = 6; i--;) {
		pkt.psn = i;
		CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	}
	for (i = 2; i < 6; i++) {
		CHECK_EQ(next(&psn), 0x12);
		CHECK_EQ(psn, i);
		CHECK_EQ(burst.first.orig, 1000 + i);
		CHECK_EQ(burst.first.msn, i + 1);
	}
	check_silence();
	/* not the same kind */
	pkt = packet(0x14, 5, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_silence();
	CHECK_EQ(resp.msn, 6);
}

static struct xroce_pkt again(u32 psn, u32 offset, u32 len)
{
	struct xroce_pkt pkt = packet(0x0c, psn, 0);

	pkt.va = 0x10000 + offset;
	pkt.dma_len = len;
	return pkt;
}

TEST(duplicate__read_from_the_middle)
{
	struct xroce_pkt pkt = again(0xfffffe, 0, 4 * PMTU + 3);

	begin(&rc_cfg, 0xfffffe);
	take(pkt);
	check_answer(0x0d, 0xfffffe, 5, 4 * PMTU + 3, 0x10000);
	pkt = again(0, 2 * PMTU, 2 * PMTU + 3);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_answer(0x0d, 0, 3, 2 * PMTU + 3, 0x10000 + 2 * PMTU);
	CHECK_EQ(burst.offset, 2 * PMTU);
	CHECK_EQ(burst.last_opcode, 0x0f);
	pkt = again(2, 4 * PMTU, 3);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_answer(0x10, 2, 1, 3, 0x10000 + 4 * PMTU);
	/* a part that ends earlier */
	pkt = again(0xffffff, PMTU, PMTU + 1);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_answer(0x0d, 0xffffff, 2, PMTU + 1, 0x10000 + PMTU);
	CHECK_EQ(burst.last_opcode, 0x0f);
	check_silence();
	CHECK_EQ(resp.epsn, 3);
	CHECK_EQ(resp.msn, 1);
}

TEST(duplicate__read_that_is_no_part_of_the_first)
{
	struct xroce_pkt pkt = again(0, 0, 4 * PMTU);
	u32 i;

	begin(&rc_cfg, 0);
	take(pkt);
	check_answer(0x0d, 0, 4, 4 * PMTU, 0x10000);
	for (i = 0; i < 8; i++) {
		pkt = again(1, PMTU, 3 * PMTU);
		switch (i) {
		case 0:
			pkt.va++;
			break;
		case 1:
			pkt.dma_len++;
			break;
		case 2:
			pkt.rkey++;
			break;
		case 3:
			pkt.dma_len = 0;
			break;
		case 4:
			pkt.va = 0x10000;
			break;
		case 5:
			pkt.dma_len = ~0U;
			break;
		case 6:
			pkt.va = ~0ULL;
			break;
		case 7:
			pkt.psn = 0xffffff;
			break;
		}
		test_context("case %u", i);
		CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
		check_silence();
	}
}

TEST(duplicate__read_while_it_is_being_answered)
{
	struct xroce_pkt pkt = again(0, 0, 4 * PMTU);

	begin(&rc_cfg, 0);
	take(pkt);
	CHECK(xroce_resp_output(&resp, 3, &burst));
	pkt = again(1, PMTU, 3 * PMTU);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_answer(0x0d, 1, 3, 3 * PMTU, 0x10000 + PMTU);
	check_silence();
}

TEST(duplicate__older_answer_goes_first_and_younger_begins_anew)
{
	struct xroce_pkt pkt = again(0, 0, PMTU);
	u32 psn;

	begin(&rc_cfg, 0);
	take(pkt);
	check_answer(0x10, 0, 1, PMTU, 0x10000);
	take(packet(0x14, 1, 0));
	CHECK_EQ(next(&psn), 0x12);
	pkt = again(2, 0, 3 * PMTU);
	take(pkt);
	take(packet(0x04, 5, 8));
	CHECK(xroce_resp_output(&resp, 2, &burst));
	CHECK_EQ(burst.first.psn, 2);
	pkt = packet(0x14, 1, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	pkt = again(0, 0, PMTU);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_answer(0x10, 0, 1, PMTU, 0x10000);
	CHECK_EQ(next(&psn), 0x12);
	CHECK_EQ(psn, 1);
	check_answer(0x0d, 2, 3, 3 * PMTU, 0x10000);
	check_ack(5, 0x1f, 4);
	check_silence();
}

TEST(duplicate__youngest_of_two_that_share_a_psn)
{
	struct xroce_pkt pkt;
	u32 psn;

	begin(&rc_cfg, 0);
	take(packet(0x14, 0, 0));
	CHECK_EQ(next(&psn), 0x12);
	/* 2^24 packets later */
	resp.epsn = 0;
	pkt = packet(0x14, 0, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_ATOMIC);
	xroce_resp_commit(&resp, &pkt, 99);
	CHECK_EQ(next(&psn), 0x12);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK_EQ(next(&psn), 0x12);
	CHECK_EQ(burst.first.orig, 99);
	check_silence();
}

TEST(read_failed__nak_with_the_psn_of_the_run)
{
	struct xroce_pkt pkt = again(1, 0, 4 * PMTU);
	struct xroce_resp_done done;
	u32 psn;

	begin(&rc_cfg, 0);
	take(packet(0x14, 0, 0));
	take(pkt);
	take(packet(0x04, 5, 8));
	take(packet(0x14, 6, 0));
	CHECK_EQ(next(&psn), 0x12);
	CHECK(xroce_resp_output(&resp, 2, &burst));
	CHECK(xroce_resp_output(&resp, 2, &burst));
	done = xroce_resp_read_failed(&resp, &burst);
	CHECK(done.to_error && !done.completes);
	CHECK_EQ(done.event, XROCE_EVENT_QP_ACCESS_ERR);
	check_ack(3, 0x62, 4);
	check_silence();
	pkt = packet(0x04, 7, 8);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
}

TEST(fail__statuses_of_each_fault)
{
	struct xroce_pkt pkt = packet(0x04, 0, 8);
	u32 fault;

	for (fault = XROCE_FAULT_OPCODE_SEQUENCE; fault < XROCE_FAULTS;
	     fault++) {
		const struct xroce_fault_row *row = xroce_fault_row(fault);
		u32 with_recv;

		for (with_recv = 0; with_recv < 2; with_recv++) {
			struct xroce_resp_done done;

			test_context("fault %u recv %u", fault, with_recv);
			begin(&rc_cfg, 0);
			if (with_recv)
				xroce_resp_recv(&resp, 8);
			done = xroce_resp_fail(&resp, &pkt, fault);
			CHECK(done.to_error);
			CHECK_EQ(done.completes, with_recv);
			CHECK_EQ(done.status, with_recv ? row->status : 0);
			CHECK_EQ(done.event, with_recv ? 0 : row->event);
			if (row->syndrome)
				check_ack(0, row->syndrome, 0);
			check_silence();
			CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
			CHECK_EQ(resp.msn, 0);
		}
	}
}

TEST(fail__older_answers_leave_before_the_nak)
{
	struct xroce_pkt pkt = again(0, 0, 2 * PMTU);

	begin(&rc_cfg, 0);
	take(pkt);
	take(packet(0x0a, 2, 8));
	pkt = packet(0x0a, 3, 8);
	CHECK_EQ(check(&pkt), XROCE_RESP_WRITE);
	xroce_resp_fail(&resp, &pkt, XROCE_FAULT_REMOTE_ACCESS);
	check_answer(0x0d, 0, 2, 2 * PMTU, 0x10000);
	check_ack(3, 0x62, 2);
	check_silence();
}

static const struct xroce_resp_cfg uc_cfg = {
	.service = XROCE_UC,
	.pmtu = PMTU,
	.access = XROCE_ACCESS_REMOTE_WRITE,
};

TEST(uc__gap_drops_the_message_and_keeps_the_receive_request)
{
	struct xroce_resp_done done;
	struct xroce_pkt pkt;

	xroce_resp_init(&resp, &uc_cfg, NULL, 10);
	take(packet(0x20, 10, PMTU));
	take(packet(0x21, 11, PMTU));
	pkt = packet(0x21, 13, PMTU);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_SEQUENCE);
	pkt = packet(0x22, 14, 5);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	/* no new receive request, and it is filled from the start */
	pkt = packet(0x24, 15, 9);
	CHECK_EQ(check(&pkt), XROCE_RESP_RECV);
	CHECK_EQ(verdict.offset, 0);
	done = commit(&pkt);
	CHECK(done.completes);
	CHECK_EQ(done.byte_len, 9);
	check_silence();
}

TEST(uc__first_in_the_middle_of_a_message)
{
	struct xroce_pkt pkt;

	xroce_resp_init(&resp, &uc_cfg, NULL, 0);
	take(packet(0x20, 0, PMTU));
	pkt = packet(0x26, 1, PMTU);
	pkt.dma_len = PMTU + 1;
	CHECK_EQ(check(&pkt), XROCE_RESP_WRITE);
	commit(&pkt);
	pkt = packet(0x22, 2, 1);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	pkt = packet(0x28, 2, 1);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	take(packet(0x24, 3, 1));
}

TEST(uc__late_copies_are_not_taken_again)
{
	struct xroce_pkt pkt = packet(0x24, 0xffffff, 8);

	xroce_resp_init(&resp, &uc_cfg, NULL, 0xffffff);
	CHECK(take(pkt).completes);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_DUPLICATE);
	/* a peer that began anew is far behind */
	pkt.psn = 0x800000;
	CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
}

TEST(uc__faults_drop_the_message)
{
	static const struct {
		u8 fault, drop;
	} want[] = {
		{ XROCE_FAULT_RNR, XROCE_DROP_RNR },
		{ XROCE_FAULT_RECV_TOO_SMALL, XROCE_DROP_TOO_LONG },
		{ XROCE_FAULT_REMOTE_ACCESS, XROCE_DROP_REMOTE_ACCESS },
		{ XROCE_FAULT_NOT_PERMITTED, XROCE_DROP_REMOTE_ACCESS },
		{ XROCE_FAULT_LENGTH, XROCE_DROP_MALFORMED },
	};
	struct xroce_pkt pkt;
	u32 i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct xroce_resp_done done;

		xroce_resp_init(&resp, &uc_cfg, NULL, 0);
		pkt = packet(0x20, 0, PMTU);
		done = xroce_resp_fail(&resp, &pkt, want[i].fault);
		CHECK(!done.to_error && !done.completes);
		CHECK_EQ(done.drop, want[i].drop);
		pkt = packet(0x22, 1, 4);
		CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
		take(packet(0x24, 2, 4));
		check_silence();
	}
}

TEST(uc__local_faults_end_the_qp)
{
	struct xroce_pkt pkt = packet(0x24, 0, 8);
	struct xroce_resp_done done;

	xroce_resp_init(&resp, &uc_cfg, NULL, 0);
	xroce_resp_recv(&resp, 8);
	done = xroce_resp_fail(&resp, &pkt, XROCE_FAULT_LOCAL_KEY);
	CHECK(done.to_error && done.completes);
	CHECK_EQ(done.status, XROCE_LOC_PROT_ERR);
	check_silence();
}

TEST(ud__any_psn_and_only_what_fits)
{
	struct xroce_resp_cfg cfg = uc_cfg;
	struct xroce_resp_done done;
	struct xroce_pkt pkt;

	cfg.service = XROCE_UD;
	xroce_resp_init(&resp, &cfg, NULL, 0);
	done = take(packet(0x65, 0x123456, 100));
	CHECK(done.completes && done.has_imm);
	CHECK_EQ(done.byte_len, 100);
	pkt = packet(0x64, 7, 100);
	CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
	xroce_resp_recv(&resp, 99);
	CHECK_EQ(check(&pkt), XROCE_RESP_FAULT);
	done = xroce_resp_fail(&resp, &pkt, verdict.fault);
	CHECK(!done.completes && !done.to_error);
	CHECK_EQ(done.drop, XROCE_DROP_TOO_LONG);
	/* the same receive request takes the next one */
	pkt.payload_len = 99;
	CHECK_EQ(check(&pkt), XROCE_RESP_RECV);
	CHECK(commit(&pkt).completes);
	pkt.payload_len = PMTU + 1;
	xroce_resp_recv(&resp, 8192);
	CHECK_EQ(check(&pkt), XROCE_RESP_FAULT);
	CHECK_EQ(verdict.fault, XROCE_FAULT_LENGTH);
	check_silence();
}

TEST(resize__remembers_and_takes_more)
{
	struct xroce_rd more[SLOTS + 3];
	struct xroce_pkt read = packet(0x0c, 0, 0);
	u32 psn, i;

	begin(&rc_cfg, 0);
	for (i = 0; i < SLOTS + 2; i++) {
		take(packet(0x13, i, 0));
		CHECK_EQ(next(&psn), 0x12);
	}
	memset(more, 0xff, sizeof(more));
	CHECK(xroce_resp_resize(&resp, more, SLOTS + 3));
	/* what was remembered still is, and no more */
	for (i = 0; i < SLOTS + 2; i++) {
		struct xroce_pkt pkt = packet(0x13, i, 0);

		CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
		CHECK_EQ(next(&psn), i < 2 ? 0 : 0x12);
	}
	for (i = 0; i < SLOTS + 3; i++) {
		read.psn = SLOTS + 2 + i;
		CHECK_EQ(check(&read), XROCE_RESP_READ);
		commit(&read);
	}
	read.psn++;
	CHECK_EQ(check(&read), XROCE_RESP_FAULT);
	CHECK_EQ(verdict.fault, XROCE_FAULT_RD_RESOURCES);
	for (i = 0; i < SLOTS + 3; i++)
		check_answer(0x10, SLOTS + 2 + i, 1, 0, 0x10000);
	check_silence();
}

TEST(resize__less_but_not_less_than_is_owed)
{
	struct xroce_rd less[2];
	u32 psn, i;

	begin(&rc_cfg, 0);
	for (i = 0; i < 3; i++)
		take(packet(0x13, i, 0));
	CHECK(!xroce_resp_resize(&resp, less, 2));
	CHECK_EQ(next(&psn), 0x12);
	CHECK_EQ(psn, 0);
	CHECK(xroce_resp_resize(&resp, less, 2));
	CHECK_EQ(next(&psn), 0x12);
	CHECK_EQ(psn, 1);
	CHECK_EQ(next(&psn), 0x12);
	CHECK_EQ(psn, 2);
	check_silence();
	CHECK(xroce_resp_resize(&resp, NULL, 0));
	check_silence();
}

TEST(reconfigure__keeps_the_slots)
{
	struct xroce_resp_cfg cfg = rc_cfg;
	struct xroce_pkt pkt = packet(0x04, 0, 8);

	begin(&rc_cfg, 0);
	cfg.max_dest_rd_atomic = 9;
	cfg.min_rnr_timer = 0xff;
	xroce_resp_reconfigure(&resp, &cfg);
	CHECK_EQ(resp.cfg.max_dest_rd_atomic, SLOTS);
	check(&pkt);
	xroce_resp_fail(&resp, &pkt, XROCE_FAULT_RNR);
	check_ack(0, 0x3f, 0);
}

TEST(msn__wraps_at_24_bits)
{
	begin(&rc_cfg, 0);
	resp.msn = 0xffffff;
	take(packet(0x04, 0, 8));
	check_ack(0, 0x1f, 0);
}

/* ---- packets behind a hole ---------------------------------------------- */

static struct xroce_kept kept;
static u64 now;

static void begin_keeping(u32 psn)
{
	struct xroce_resp_cfg cfg = rc_cfg;

	memset(&kept, 0, sizeof(kept));
	cfg.keep = XROCE_KEEP;
	begin(&cfg, psn);
}

/* A SEND ahead of its turn, without AckReq. */
static void keep(u32 psn)
{
	struct xroce_pkt pkt = packet(0x04, psn, 8);

	pkt.ack_req = false;
	CHECK_EQ(check(&pkt), XROCE_RESP_KEEP);
	xroce_resp_keep(&resp, &kept, pkt.psn, now);
}

/* All that was kept and whose turn has come; returns how many. */
static u32 take_kept(void)
{
	struct xroce_pkt pkt;
	u32 psn, n;

	for (n = 0; xroce_resp_next_kept(&resp, now, &psn); n++) {
		pkt = packet(0x04, psn, 8);
		pkt.ack_req = false;
		take(pkt);
	}
	return n;
}

TEST(keep__executed_in_order_when_the_hole_is_filled)
{
	struct xroce_pkt pkt = packet(0x04, 0xfffffe, 8);

	begin_keeping(0xfffffe);
	keep(0);
	check_ack(0xfffffe, 0x60, 0);
	keep(0xffffff);
	keep(1);
	check_silence();
	CHECK_EQ(take_kept(), 0);
	pkt.ack_req = false;
	take(pkt);
	CHECK_EQ(take_kept(), 3);
	/* nobody asked, but it is told at once */
	check_ack(1, 0x1f, 4);
	check_silence();
	CHECK_EQ(resp.n_kept, 0);
	CHECK_EQ(resp.stats.kept, 3);
	CHECK_EQ(take_kept(), 0);
	check_silence();
}

TEST(keep__each_hole_is_reported_when_it_is_the_next)
{
	begin_keeping(10);
	keep(11);
	keep(13);
	keep(15);
	check_ack(10, 0x60, 0);
	check_silence();
	take(packet(0x04, 10, 8));
	CHECK_EQ(take_kept(), 1);
	check_ack(12, 0x60, 2);
	take(packet(0x04, 12, 8));
	CHECK_EQ(take_kept(), 1);
	check_ack(14, 0x60, 4);
	check_silence();
	take(packet(0x04, 14, 8));
	CHECK_EQ(take_kept(), 1);
	check_ack(15, 0x1f, 6);
}

TEST(keep__two_holes_side_by_side)
{
	begin_keeping(10);
	keep(12);
	check_ack(10, 0x60, 0);
	take(packet(0x04, 10, 8));
	CHECK_EQ(take_kept(), 0);
	check_ack(11, 0x60, 1);
	take(packet(0x04, 11, 8));
	CHECK_EQ(take_kept(), 1);
	check_ack(12, 0x1f, 3);
}

TEST(keep__a_copy_of_what_is_kept)
{
	struct xroce_pkt pkt = packet(0x04, 12, 8);

	begin_keeping(10);
	keep(12);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_DUPLICATE);
	CHECK_EQ(resp.n_kept, 1);
	/* not kept after all: it may come again */
	pkt.psn = 13;
	CHECK_EQ(check(&pkt), XROCE_RESP_KEEP);
	CHECK_EQ(check(&pkt), XROCE_RESP_KEEP);
}

TEST(keep__only_so_far_ahead)
{
	struct xroce_pkt pkt = packet(0x04, XROCE_KEEP + 9, 8);

	begin_keeping(10);
	CHECK_EQ(check(&pkt), XROCE_RESP_KEEP);
	pkt.psn++;
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK_EQ(verdict.drop, XROCE_DROP_OUT_OF_ORDER);
	pkt.psn = 0x7ffff0;
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
}

TEST(keep__a_read_that_swallows_psns)
{
	struct xroce_pkt pkt = packet(0x0c, 10, 0);

	begin_keeping(10);
	keep(11);
	keep(13);
	check_ack(10, 0x60, 0);
	/* 10 to 12 are its answers: who sent 11 breaks the rules */
	pkt.dma_len = 3 * PMTU;
	take(pkt);
	CHECK_EQ(resp.n_kept, 1);
	CHECK_EQ(take_kept(), 1);
	CHECK_EQ(resp.epsn, 14);
}

TEST(keep__not_ready_in_between)
{
	struct xroce_pkt pkt = packet(0x04, 11, 8);
	u32 psn;

	begin_keeping(10);
	keep(11);
	keep(12);
	check_ack(10, 0x60, 0);
	take(packet(0x04, 10, 8));
	CHECK(xroce_resp_next_kept(&resp, now, &psn));
	CHECK_EQ(psn, 11);
	CHECK_EQ(check(&pkt), XROCE_RESP_NEED_RECV);
	xroce_resp_fail(&resp, &pkt, XROCE_FAULT_RNR);
	CHECK(!xroce_resp_next_kept(&resp, now, &psn));
	check_ack(11, 0x20 | 12, 1);
	check_silence();
	/* it comes again, the one behind it is there */
	take(pkt);
	CHECK_EQ(take_kept(), 1);
	check_ack(12, 0x1f, 3);
}

TEST(keep__nothing_after_a_fatal_fault)
{
	struct xroce_pkt pkt = packet(0x0a, 10, PMTU);
	u32 psn;

	begin_keeping(10);
	keep(11);
	check_ack(10, 0x60, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_WRITE);
	xroce_resp_fail(&resp, &pkt, XROCE_FAULT_REMOTE_ACCESS);
	CHECK(!xroce_resp_next_kept(&resp, now, &psn));
	check_ack(10, 0x62, 0);
	check_silence();
}

/* The peer showed that it sends only what is missing. */
static void begin_selective(u32 psn)
{
	begin_keeping(psn);
	resp.is_selective = true;
}

static void check_told(u32 psn, u32 n, u32 msn)
{
	check_ack(xroce_hole_write(psn, n), 0x1f, msn);
}

TEST(holes__told_at_once_behind_the_oldest)
{
	begin_selective(10);
	keep(11);
	check_ack(10, 0x60, 0);
	keep(13);
	check_told(12, 1, 0);
	keep(17);
	keep(19);
	check_told(14, 3, 0);
	check_told(18, 1, 0);
	check_silence();
	CHECK_EQ(resp.stats.holes_told, 3);
	/* filled out of turn: no news */
	keep(15);
	check_silence();
	take(packet(0x04, 10, 8));
	CHECK_EQ(take_kept(), 1);
	check_ack(12, 0x60, 2);
	check_silence();
}

TEST(holes__of_several_packets_from_the_oldest_on)
{
	begin_selective(10);
	keep(15);
	check_told(10, 5, 0);
	check_ack(10, 0x60, 0);
	check_silence();
}

TEST(holes__longer_than_a_word)
{
	begin_selective(10);
	keep(12);
	check_told(10, 2, 0);
	check_ack(10, 0x60, 0);
	keep(53);
	check_told(13, 32, 0);
	check_told(45, 8, 0);
	check_silence();
}

TEST(holes__not_told_to_who_sends_all_again)
{
	struct xroce_pkt pkt;

	begin_selective(10);
	keep(11);
	check_ack(10, 0x60, 0);
	take(packet(0x04, 10, 8));
	CHECK_EQ(take_kept(), 1);
	check_ack(11, 0x1f, 2);
	/* all from the hole on */
	pkt = packet(0x04, 11, 8);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	check_ack(11, 0x1f, 2);
	CHECK(!resp.is_selective);
	keep(13);
	check_ack(12, 0x60, 2);
	keep(15);
	check_silence();
	CHECK_EQ(xroce_resp_deadline(&resp), U64_MAX);
	/* what was missing, and then something new */
	take(packet(0x04, 12, 8));
	CHECK_EQ(take_kept(), 1);
	check_ack(14, 0x60, 4);
	keep(17);
	CHECK(resp.is_selective);
	check_told(16, 1, 4);
}

TEST(holes__that_fill_themselves_are_kept_quiet)
{
	struct xroce_pkt pkt = packet(0x04, 10, 8);

	begin_selective(10);
	resp.holes.patience = 100;
	now = 1000;
	keep(11);
	keep(13);
	check_silence();
	CHECK_EQ(xroce_resp_deadline(&resp), 1100);
	pkt.ack_req = false;
	take(pkt);
	now = 1050;
	CHECK_EQ(take_kept(), 1);
	/* nobody was worried */
	check_silence();
	now = 1100;
	xroce_resp_expire(&resp, now);
	check_ack(12, 0x60, 2);
	CHECK_EQ(xroce_resp_deadline(&resp), U64_MAX);
	now = 0;
}

TEST(holes__copies_of_what_was_told_teach_patience)
{
	struct xroce_pkt pkt = packet(0x04, 10, 8);

	begin_selective(10);
	keep(11);
	check_ack(10, 0x60, 0);
	take(pkt);
	CHECK_EQ(take_kept(), 1);
	CHECK_EQ(resp.holes.patience, 0);
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK(resp.holes.patience > 0);
}

TEST(holes__what_can_not_be_kept_is_missed_at_once)
{
	struct xroce_pkt pkt = packet(0x04, 11, 8);

	begin_selective(10);
	resp.holes.patience = 100;
	CHECK_EQ(check(&pkt), XROCE_RESP_KEEP);
	xroce_resp_keep(&resp, NULL, pkt.psn, now);
	check_ack(10, 0x60, 0);
}

TEST(peek__what_is_read_next)
{
	struct xroce_pkt pkt = packet(0x0c, 5, 0);
	struct xroce_resp_peek peek;
	u32 psn;

	begin(&rc_cfg, 5);
	CHECK(!xroce_resp_peek(&resp, &peek));
	pkt.dma_len = 3 * PMTU + 7;
	take(pkt);
	pkt = packet(0x14, 9, 0);
	take(pkt);
	CHECK(xroce_resp_peek(&resp, &peek));
	CHECK_EQ(peek.rkey, 0x55);
	CHECK_EQ(peek.va, 0x10000);
	CHECK_EQ(peek.bytes, 3 * PMTU + 7);
	CHECK(xroce_resp_output(&resp, 2, &burst));
	CHECK(xroce_resp_peek(&resp, &peek));
	CHECK_EQ(peek.va, 0x10000 + 2 * PMTU);
	CHECK_EQ(peek.bytes, PMTU + 7);
	CHECK(xroce_resp_output(&resp, 2, &burst));
	CHECK_EQ(burst.bytes, PMTU + 7);
	/* the atomic has its result with it */
	CHECK(!xroce_resp_peek(&resp, &peek));
	CHECK_EQ(next(&psn), 0x12);
	CHECK(!xroce_resp_peek(&resp, &peek));
}

/* A part of a READ, asked for once more. */
TEST(peek__only_what_was_asked_for)
{
	struct xroce_pkt pkt = packet(0x0c, 0, 0);
	struct xroce_resp_peek peek;

	begin(&rc_cfg, 0);
	pkt.dma_len = 4 * PMTU;
	take(pkt);
	CHECK(xroce_resp_output(&resp, 100, &burst));
	pkt.psn = 1;
	pkt.va += PMTU;
	pkt.dma_len = 2 * PMTU;
	CHECK_EQ(check(&pkt), XROCE_RESP_DROP);
	CHECK(xroce_resp_peek(&resp, &peek));
	CHECK_EQ(peek.va, 0x10000 + PMTU);
	CHECK_EQ(peek.bytes, 2 * PMTU);
}
