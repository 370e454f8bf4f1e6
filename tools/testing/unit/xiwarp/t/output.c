// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "owner.h"
#include "mpa.h"

TEST(output__nothing)
{
	start(&plain);
	CHECK_EQ(drain(~0U), 0);
	CHECK(xiwarp_rdmap_is_drained(&s));
	CHECK(!xiwarp_rdmap_reap(&s));
}

TEST(output__kinds)
{
	struct xiwarp_wr *wr;

	start(&plain);
	wr = post(XIWARP_WR_SEND, 5);
	CHECK_EQ(drain(~0U), 1);
	CHECK_EQ(bursts[0].source, XIWARP_FROM_WR);
	CHECK(bursts[0].wr == wr);
	CHECK_MEM(out, "\x00\x17\x41\x43", 4);
	CHECK_EQ(out[15], 1);	/* MSN */

	post(XIWARP_WR_SEND, 5)->flags = XIWARP_WR_SOLICITED;
	drain(~0U);
	CHECK_MEM(out, "\x00\x17\x41\x45", 4);
	CHECK_EQ(out[15], 2);

	wr = post(XIWARP_WR_SEND_INV, 0);
	wr->inv_rkey = 0xabcd1200;
	drain(~0U);
	CHECK_MEM(out, "\x00\x12\x41\x44\xab\xcd\x12\x00", 8);
	wr = post(XIWARP_WR_SEND_INV, 0);
	wr->flags = XIWARP_WR_SOLICITED;
	drain(~0U);
	CHECK_MEM(out, "\x00\x12\x41\x46", 4);
	CHECK_EQ(bursts[0].source, XIWARP_FROM_NOWHERE);

	post(XIWARP_WR_WRITE, 8)->flags = XIWARP_WR_SOLICITED;
	drain(~0U);
	CHECK_MEM(out, "\x00\x16\xc1\x40\x11\x22\x33\x02", 8);
	CHECK_EQ(out[14], 0x20);
	CHECK_EQ(out_len, 28);
}

TEST(output__atomics)
{
	struct xiwarp_wr *wr;

	start(&plain);
	wr = post(XIWARP_WR_FETCH_ADD, 8);
	wr->swap_add = 1;
	s.cur = s.una = s.sent = s.rd_una = s.reap = 7;	/* the id is the number */
	ring[7] = *wr;
	s.posted = 8;
	drain(~0U);
	check_out(FPDU_FETCH_ADD);
	wr = post(XIWARP_WR_CMP_SWAP, 8);
	wr->swap_add = 0xaa;
	wr->compare = 0x55;
	drain(~0U);
	check_out(FPDU_CMP_SWAP);
}

TEST(output__write_with_immediate)
{
	struct xiwarp_wr *wr;

	start(&plain);
	wr = post(XIWARP_WR_WRITE_IMM, 8);
	memcpy(&wr->imm, "\1\2\3\4", 4);
	CHECK_EQ(drain(~0U), 2);
	CHECK_EQ(bursts[0].first.opcode, XIWARP_OP_WRITE);
	CHECK(bursts[0].is_last);
	CHECK_EQ(bursts[1].first.opcode, XIWARP_OP_IMMEDIATE);
	CHECK_MEM(out + 28 + 20, "\1\2\3\4\0\0\0\0", 8);
	check_reaped(0, XIWARP_SUCCESS);
	CHECK(!xiwarp_rdmap_reap(&s));
	/* nothing to write: only the immediate data */
	post(XIWARP_WR_WRITE_IMM, 0)->flags = XIWARP_WR_SOLICITED;
	CHECK_EQ(drain(~0U), 1);
	CHECK_EQ(bursts[0].first.opcode, XIWARP_OP_IMMEDIATE_SE);
	CHECK_EQ(bursts[0].first.msn, 2);
	check_reaped(1, XIWARP_SUCCESS);
}

/* Runs of segments cover the message once, in order, none longer than MULPDU. */
static void check_runs(u8 op, u32 length, u32 mulpdu, u32 max_bytes)
{
	u32 hdr = op == XIWARP_WR_WRITE ? 14 : 18, done = 0;
	struct xiwarp_burst burst;
	bool was_last = false;

	start(&plain);
	xiwarp_rdmap_set_mulpdu(&s, mulpdu);
	post(op, length);
	while (xiwarp_rdmap_output(&s, max_bytes, &burst)) {
		struct xiwarp_seg seg;
		u32 i;

		CHECK(!was_last);
		CHECK_EQ(burst.offset, done);
		CHECK(burst.bytes <= max_bytes || burst.nsegs == 1);
		for (i = 0; i < burst.nsegs; i++) {
			CHECK_EQ(xiwarp_burst_segment(&burst, i, &seg) + burst.offset,
				 done);
			CHECK(seg.payload_len + hdr <= mulpdu);
			CHECK(seg.payload_len || !length);
			if (hdr == 14)
				CHECK_EQ(seg.to, 0x2000 + (u64)done);
			else
				CHECK_EQ(seg.mo, done);
			done += seg.payload_len;
			CHECK_EQ(seg.is_last, done == length);
			if (!seg.is_last)
				CHECK_EQ(seg.payload_len + hdr, mulpdu);
		}
		was_last = burst.is_last;
	}
	CHECK(was_last);
	CHECK_EQ(done, length);
}

TEST(output__runs)
{
	static const u32 lengths[] = {
		0, 1, 109, 110, 111, 113, 114, 115, 1000, 12345, 200000,
	};
	static const u32 max[] = { 0, 1, 110, 114, 300, 5000, 65536, ~0U };
	unsigned int i, j;

	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		for (j = 0; j < sizeof(max) / sizeof(*max); j++) {
			test_context("%u bytes, %u at most", lengths[i], max[j]);
			check_runs(XIWARP_WR_SEND, lengths[i], 128, max[j]);
			check_runs(XIWARP_WR_WRITE, lengths[i], 128, max[j]);
			check_runs(XIWARP_WR_WRITE, lengths[i], 1442, max[j]);
		}
	}
}

TEST(output__longest_message)
{
	check_runs(XIWARP_WR_WRITE, 0xffffffff, 65474, 1 << 20);
	check_runs(XIWARP_WR_SEND, 0xffffffff, 65474, ~0U);
}

TEST(output__mulpdu_changes_within_a_message)
{
	struct xiwarp_burst burst;

	start(&plain);
	post(XIWARP_WR_WRITE, 1000);
	xiwarp_rdmap_set_mulpdu(&s, 214);
	CHECK(xiwarp_rdmap_output(&s, 400, &burst));
	CHECK_EQ(burst.bytes, 400);
	xiwarp_rdmap_set_mulpdu(&s, 314);
	CHECK(xiwarp_rdmap_output(&s, 400, &burst));
	CHECK_EQ(burst.offset, 400);
	CHECK_EQ(burst.bytes, 300);
	/* never less than 128 */
	xiwarp_rdmap_set_mulpdu(&s, 1);
	CHECK(xiwarp_rdmap_output(&s, 1, &burst));
	CHECK_EQ(burst.bytes, 114);
}

/* ---- order and completion ---- */

TEST(sent__finishes_what_is_out)
{
	struct xiwarp_burst burst;

	start(&plain);
	post(XIWARP_WR_SEND, 10);
	post(XIWARP_WR_WRITE, 3000);
	CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
	CHECK(!xiwarp_rdmap_reap(&s));
	CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
	xiwarp_rdmap_sent(&s);
	check_reaped(0, XIWARP_SUCCESS);
	CHECK(!xiwarp_rdmap_reap(&s));
	CHECK(!xiwarp_rdmap_is_drained(&s));
	while (xiwarp_rdmap_output(&s, 1000, &burst))
		;
	xiwarp_rdmap_sent(&s);
	check_reaped(1, XIWARP_SUCCESS);
	CHECK(xiwarp_rdmap_is_drained(&s));
}

TEST(reap__in_posting_order)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	start(&plain);
	post(XIWARP_WR_READ, 0);
	post(XIWARP_WR_SEND, 10);
	drain(~0U);
	CHECK(!xiwarp_rdmap_reap(&s));	/* the READ is first */
	feed_seg(&seg, NULL, 0);
	check_reaped(0, XIWARP_SUCCESS);
	check_reaped(1, XIWARP_SUCCESS);
}

static void answer_read(void)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	seg.stag = 0xaabbcc01;
	seg.to = 0x1000;
	feed_seg(&seg, "data", 4);
	CHECK_EQ(n_faults, 0);
}

TEST(output__ord)
{
	unsigned int i;

	start(&plain);
	for (i = 0; i < 5; i++)
		post(XIWARP_WR_READ, 4);
	post(XIWARP_WR_SEND, 4);
	CHECK_EQ(drain(~0U), 2);
	for (i = 0; i < 3; i++) {
		answer_read();
		/* order is kept: no SEND before the last READ is out */
		CHECK_EQ(drain(~0U), i == 2 ? 2 : 1);
		CHECK_EQ(bursts[0].first.msn, 3 + i);
	}
	answer_read();
	answer_read();
	for (i = 0; i < 6; i++)
		check_reaped(i, XIWARP_SUCCESS);
}

TEST(output__no_ord_at_all)
{
	struct xiwarp_rdmap_cfg cfg = plain;

	cfg.ord = 0;
	start(&cfg);
	post(XIWARP_WR_SEND, 4);
	post(XIWARP_WR_READ, 4);
	post(XIWARP_WR_SEND, 4);
	drain(~0U);
	feed(NULL, 0);
	check_reaped(0, XIWARP_SUCCESS);
	check_reaped(1, XIWARP_LOC_QP_OP_ERR);
	CHECK_EQ(dones[0].fault, XIWARP_FAULT_LOCAL);
	xiwarp_rdmap_flush(&s);
	check_reaped(2, XIWARP_WR_FLUSH_ERR);
}

TEST(output__fence)
{
	start(&plain);
	post(XIWARP_WR_READ, 4);
	post(XIWARP_WR_SEND, 4);
	post(XIWARP_WR_SEND, 4)->flags = XIWARP_WR_FENCE;
	post(XIWARP_WR_SEND, 4);
	CHECK_EQ(drain(~0U), 2);
	answer_read();
	CHECK_EQ(drain(~0U), 2);
}

TEST(output__fenced_local_invalidate)
{
	start(&plain);
	post(XIWARP_WR_REG_MR, 0);
	post(XIWARP_WR_READ, 4);
	post(XIWARP_WR_LOCAL_INV, 0)->flags = XIWARP_WR_FENCE;
	CHECK_EQ(drain(~0U), 1);
	CHECK_EQ(n_bursts, 2);
	CHECK_EQ(bursts[0].source, XIWARP_LOCAL);
	CHECK_EQ(bursts[0].wr->op, XIWARP_WR_REG_MR);
	check_reaped(0, XIWARP_SUCCESS);
	answer_read();
	CHECK_EQ(drain(~0U), 0);
	CHECK_EQ(n_bursts, 1);
	CHECK_EQ(bursts[0].wr->op, XIWARP_WR_LOCAL_INV);
	check_reaped(1, XIWARP_SUCCESS);
	check_reaped(2, XIWARP_SUCCESS);
}

TEST(local_done__failure)
{
	struct xiwarp_burst burst;

	start(&plain);
	post(XIWARP_WR_SEND, 4);
	post(XIWARP_WR_LOCAL_INV, 0);
	post(XIWARP_WR_SEND, 4);
	CHECK(xiwarp_rdmap_output(&s, ~0U, &burst));
	CHECK(xiwarp_rdmap_output(&s, ~0U, &burst));
	CHECK_EQ(burst.source, XIWARP_LOCAL);
	xiwarp_rdmap_local_done(&s, &burst, XIWARP_MW_BIND_ERR);
	CHECK(!xiwarp_rdmap_output(&s, ~0U, &burst));
	xiwarp_rdmap_sent(&s);
	feed(NULL, 0);
	check_broken(XIWARP_FAULT_LOCAL);
	check_reaped(0, XIWARP_SUCCESS);
	check_reaped(1, XIWARP_MW_BIND_ERR);
	xiwarp_rdmap_flush(&s);
	check_reaped(2, XIWARP_WR_FLUSH_ERR);
}

/* The ring goes round many times, with READs far apart. */
TEST(sendq__slots_are_used_again)
{
	unsigned int i;

	start(&plain);
	for (i = 0; i < 10000; i++) {
		bool is_read = i % 37 == 5;

		post(is_read ? XIWARP_WR_READ : XIWARP_WR_SEND, 4);
		drain(~0U);
		if (is_read) {
			CHECK(!xiwarp_rdmap_reap(&s));
			answer_read();
			n_dones = 0;
		}
		check_reaped(i, XIWARP_SUCCESS);
	}
}

/* A READ is answered and its slot reused before anybody said sent(). */
TEST(sendq__answer_before_sent)
{
	struct xiwarp_burst burst;
	unsigned int i;

	start(&plain);
	for (i = 0; i < 3 * SLOTS; i++) {
		post(XIWARP_WR_READ, 4);
		CHECK(xiwarp_rdmap_output(&s, ~0U, &burst));
		answer_read();
		n_dones = 0;
		check_reaped(i, XIWARP_SUCCESS);
	}
	post(XIWARP_WR_READ, 4);
	xiwarp_rdmap_sent(&s);
	CHECK(!xiwarp_rdmap_reap(&s));
}

/* ---- requests that can't be sent ---- */

TEST(output__fault_known_at_post)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	start(&plain);
	post(XIWARP_WR_READ, 4);
	post(XIWARP_WR_SEND, 4)->fault = XIWARP_LOC_LEN_ERR;
	post(XIWARP_WR_SEND, 4);
	CHECK_EQ(drain(~0U), 1);
	CHECK(!xiwarp_rdmap_has_fault(&s));	/* the READ is not over */
	seg.stag = 0xaabbcc01;
	seg.to = 0x1000;
	feed_seg(&seg, "data", 4);
	CHECK_EQ(n_faults, 1);
	check_reaped(0, XIWARP_SUCCESS);
	check_reaped(1, XIWARP_LOC_LEN_ERR);
	CHECK(!xiwarp_rdmap_reap(&s));
	CHECK_EQ(drain(~0U), 1);	/* the Terminate */
	CHECK_EQ(bursts[0].first.opcode, XIWARP_OP_TERMINATE);
}

TEST(output__first_request_is_bad)
{
	start(&plain);
	post(XIWARP_WR_OPS, 4);
	CHECK_EQ(drain(~0U), 1);
	CHECK_EQ(bursts[0].first.opcode, XIWARP_OP_TERMINATE);
	check_reaped(0, XIWARP_LOC_QP_OP_ERR);
	CHECK(xiwarp_rdmap_has_fault(&s));
	feed(NULL, 0);
	CHECK(!xiwarp_rdmap_has_fault(&s));
	CHECK(!dones[0].is_remote);
}

TEST(output__wrap)
{
	static const struct {
		u8 op;
		u64 remote, sink;
		bool is_bad;
	} spec[] = {
		{ XIWARP_WR_WRITE, ~0ULL - 3, 0, false },
		{ XIWARP_WR_WRITE, ~0ULL - 2, 0, true },
		{ XIWARP_WR_READ, ~0ULL - 2, 0, true },
		{ XIWARP_WR_READ, 0, ~0ULL - 2, true },
		{ XIWARP_WR_READ, 0, ~0ULL - 3, false },
		{ XIWARP_WR_SEND, ~0ULL - 2, ~0ULL, false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		struct xiwarp_wr *wr;

		test_context("row %u", i);
		start(&plain);
		wr = post(spec[i].op, 4);
		wr->remote_to = spec[i].remote;
		wr->sink_to = spec[i].sink;
		drain(~0U);
		CHECK_EQ(xiwarp_rdmap_has_fault(&s), spec[i].is_bad);
		if (spec[i].is_bad)
			check_reaped(0, XIWARP_LOC_LEN_ERR);
	}
}

/* Payload that can't be read: in the first segments, later, at the end. */
TEST(fail_wr__wherever)
{
	unsigned int bad;

	for (bad = 0; bad < 3; bad++) {
		struct xiwarp_burst burst;
		unsigned int n = 0;

		test_context("burst %u", bad);
		start(&plain);
		post(XIWARP_WR_SEND, 4);
		post(XIWARP_WR_WRITE, 3000);
		post(XIWARP_WR_SEND, 4);
		CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
		while (n++ <= bad)
			CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
		CHECK_EQ(burst.is_last, bad == 2);
		xiwarp_rdmap_fail_wr(&s, &burst, XIWARP_LOC_PROT_ERR);
		CHECK(!xiwarp_rdmap_output(&s, 1000, &burst));
		CHECK(!xiwarp_rdmap_has_fault(&s));
		xiwarp_rdmap_sent(&s);
		feed(NULL, 0);
		check_broken(XIWARP_FAULT_LOCAL);
		check_reaped(0, XIWARP_SUCCESS);
		check_reaped(1, XIWARP_LOC_PROT_ERR);
		xiwarp_rdmap_flush(&s);
		check_reaped(2, XIWARP_WR_FLUSH_ERR);
	}
}

TEST(fail_wr__write_with_immediate)
{
	struct xiwarp_burst burst;

	start(&plain);
	post(XIWARP_WR_WRITE_IMM, 8);
	CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
	xiwarp_rdmap_fail_wr(&s, &burst, XIWARP_LOC_PROT_ERR);
	xiwarp_rdmap_sent(&s);
	feed(NULL, 0);
	check_reaped(0, XIWARP_LOC_PROT_ERR);
	check_broken(XIWARP_FAULT_LOCAL);
}

TEST(fail_wr__flushed_while_it_waits)
{
	struct xiwarp_burst burst;

	start(&plain);
	post(XIWARP_WR_READ, 4);
	post(XIWARP_WR_SEND, 4);
	CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
	CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
	xiwarp_rdmap_fail_wr(&s, &burst, XIWARP_LOC_PROT_ERR);
	xiwarp_rdmap_flush(&s);
	check_reaped(0, XIWARP_WR_FLUSH_ERR);
	check_reaped(1, XIWARP_LOC_PROT_ERR);
}

TEST(flush__everything)
{
	unsigned int i;

	start(&plain);
	for (i = 0; i < 5; i++)
		post(i & 1 ? XIWARP_WR_READ : XIWARP_WR_SEND, 4);
	drain(~0U);
	post(XIWARP_WR_SEND, 4);
	xiwarp_rdmap_flush(&s);
	check_reaped(0, XIWARP_SUCCESS);
	check_reaped(1, XIWARP_WR_FLUSH_ERR);
	check_reaped(2, XIWARP_SUCCESS);
	check_reaped(3, XIWARP_WR_FLUSH_ERR);
	check_reaped(4, XIWARP_SUCCESS);
	check_reaped(5, XIWARP_WR_FLUSH_ERR);
	CHECK(!xiwarp_rdmap_reap(&s));
	CHECK(xiwarp_rdmap_is_drained(&s));
	/* later posts as well */
	post(XIWARP_WR_READ, 4);
	xiwarp_rdmap_flush(&s);
	check_reaped(6, XIWARP_WR_FLUSH_ERR);
	CHECK_EQ(drain(~0U), 0);
	feed_vector(FPDU_SEND_HELLO);
	CHECK(is_stopped);
}

/* ---- startup ---- */

TEST(output__rtr_first)
{
	static const struct {
		u8 kind;
		const char *frame;
	} spec[] = {
		{ XIWARP_RTR_WRITE, FPDU_RTR_WRITE },
		{ XIWARP_RTR_READ, FPDU_RTR_READ },
		{ XIWARP_RTR_FPDU, FPDU_RTR_EMPTY },
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct xiwarp_rdmap_cfg cfg = plain;
		struct xiwarp_burst burst;

		test_context("row %u", i);
		cfg.rtr_send = spec[i].kind;
		start(&cfg);
		post(XIWARP_WR_SEND, 4);
		CHECK(xiwarp_rdmap_output(&s, ~0U, &burst));
		emit(&burst);
		check_out(spec[i].frame);
		CHECK(xiwarp_rdmap_output(&s, ~0U, &burst));
		CHECK_EQ(burst.first.opcode, XIWARP_OP_SEND);
	}
}

/* The RTR's READ takes its place among the READs, and a fence waits for it. */
TEST(output__rtr_read)
{
	struct xiwarp_rdmap_cfg cfg = plain;

	cfg.rtr_send = XIWARP_RTR_READ;
	start(&cfg);
	post(XIWARP_WR_READ, 4);
	post(XIWARP_WR_READ, 4);
	CHECK_EQ(drain(~0U), 2);
	CHECK_EQ(bursts[1].first.msn, 2);
	feed_vector(FPDU_EMPTY_RESPONSE);
	CHECK_EQ(n_faults, 0);
	CHECK_EQ(n_dones, 1);
	CHECK_EQ(dones[0].what, XIWARP_GOT_NOTHING);
	CHECK_EQ(drain(~0U), 1);
	answer_read();
	answer_read();
	check_reaped(0, XIWARP_SUCCESS);
	check_reaped(1, XIWARP_SUCCESS);
}

TEST(output__rtr_read_answered_with_data)
{
	struct xiwarp_rdmap_cfg cfg = plain;
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	cfg.rtr_send = XIWARP_RTR_READ;
	start(&cfg);
	drain(~0U);
	feed_seg(&seg, "data", 4);
	check_broken(XIWARP_FAULT_RESPONSE_BOUNDS);
}

TEST(output__responder_waits)
{
	struct xiwarp_rdmap_cfg cfg = plain;

	cfg.waits_for_first = true;
	start(&cfg);
	post(XIWARP_WR_SEND, 4);
	CHECK_EQ(drain(~0U), 0);
	feed_vector(FPDU_SEND_HELLO);
	CHECK_EQ(drain(~0U), 1);
}

TEST(output__responder_goes_first)
{
	struct xiwarp_rdmap_cfg cfg = plain;

	cfg.waits_for_first = true;
	start(&cfg);
	post(XIWARP_WR_SEND, 4);
	CHECK_EQ(drain(~0U), 0);
	xiwarp_rdmap_go_first(&s);
	CHECK_EQ(drain(~0U), 1);
}

/* ---- answers ---- */

static void ask_read(u32 msn, u32 length)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_REQUEST);

	seg.msn = msn;
	seg.read = (struct xiwarp_read){ 0xaabbcc01, 0x1000, length, MEM_STAG, MEM_VA };
	feed_seg(&seg, NULL, 0);
	CHECK_EQ(n_faults, 0);
}

TEST(output__answers_in_turn_with_requests)
{
	unsigned int i;

	start(&plain);
	for (i = 1; i <= 3; i++)
		ask_read(i, 4);
	for (i = 0; i < 3; i++)
		post(XIWARP_WR_SEND, 4);
	CHECK_EQ(drain(~0U), 6);
	for (i = 0; i < 6; i += 2) {
		CHECK(bursts[i].first.opcode != bursts[i + 1].first.opcode);
	}
}

/* A message is sent whole before another begins. */
TEST(output__messages_are_not_mixed)
{
	unsigned int i, changes = 0;

	start(&plain);
	ask_read(1, 5000);
	ask_read(2, 5000);
	post(XIWARP_WR_SEND, 5000);
	post(XIWARP_WR_WRITE_IMM, 5000);
	drain(1000);
	for (i = 1; i < n_bursts; i++)
		changes += !bursts[i - 1].is_last;
	for (i = 1; i < n_bursts; i++)
		if (!bursts[i - 1].is_last)
			CHECK_EQ(bursts[i].first.opcode, bursts[i - 1].first.opcode);
	CHECK(changes > 10);
	/* the immediate data follows its Write at once */
	for (i = 1; i < n_bursts; i++)
		if (bursts[i].first.opcode == XIWARP_OP_IMMEDIATE)
			CHECK_EQ(bursts[i - 1].first.opcode, XIWARP_OP_WRITE);
}

TEST(output__response_in_runs)
{
	struct xiwarp_burst burst;
	u32 done = 0;

	start(&plain);
	ask_read(1, 50000);
	while (xiwarp_rdmap_output(&s, 3000, &burst)) {
		CHECK_EQ(burst.va, MEM_VA + done);
		CHECK_EQ(burst.first.to, 0x1000 + done);
		CHECK_EQ(burst.check_len, 50000 - done);
		CHECK(!xiwarp_rdmap_is_drained(&s) || burst.is_last);
		done += burst.bytes;
	}
	CHECK_EQ(done, 50000);
	CHECK(xiwarp_rdmap_is_drained(&s));
}

/* The key is gone when half is sent: the request is shown all the same. */
TEST(read_refused__in_the_middle)
{
	struct xiwarp_burst burst;
	struct xiwarp_seg seg;

	start(&plain);
	ask_read(1, 50000);
	ask_read(2, 4);
	CHECK(xiwarp_rdmap_output(&s, 3000, &burst));
	CHECK(xiwarp_rdmap_output(&s, 3000, &burst));
	xiwarp_rdmap_read_refused(&s, &burst, XIWARP_MEM_BOUNDS);
	feed(NULL, 0);
	check_broken(XIWARP_FAULT_READ_BOUNDS);
	xiwarp_wire_parse(&seg, out + 2, 70);
	CHECK(seg.term.has_read);
	CHECK_EQ(seg.term.ddp[13], 1);
}

TEST(read_refused__atomic)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_ATOMIC_REQUEST);
	struct xiwarp_burst burst;

	start(&plain);
	seg.atomic.stag = 5;
	feed_seg(&seg, NULL, 0);
	CHECK(xiwarp_rdmap_output(&s, ~0U, &burst));
	CHECK_EQ(burst.source, XIWARP_FROM_ATOMIC);
	xiwarp_rdmap_read_refused(&s, &burst, XIWARP_MEM_ACCESS);
	feed(NULL, 0);
	CHECK_EQ(dones[n_dones - 1].fault, XIWARP_FAULT_READ_ACCESS);
	drain(~0U);
	CHECK_EQ(xiwarp_wire_parse(&seg, out + 2, (unsigned int)out[1]), XIWARP_PARSE_OK);
	CHECK_EQ(seg.term.seg_len, 70);
	CHECK(!seg.term.has_read);
	CHECK_EQ(xiwarp_wire_term_about(&seg.term), XIWARP_OP_ATOMIC_REQUEST);
}

TEST(output__ird_slots_go_round)
{
	u32 i;

	start(&plain);
	for (i = 1; i < 20; i++) {
		ask_read(i, i);
		CHECK_EQ(drain(~0U), 1);
		CHECK_EQ(bursts[0].bytes, i);
		n_dones = 0;
	}
}

/* ---- no memory ---- */

/* Every burst is taken back once, or twice, and the stream is the same. */
static unsigned int stubborn_drain(u32 max_bytes, unsigned int times)
{
	struct xiwarp_burst burst;
	unsigned int n = 0, i, atomics = 0;

	out_len = 0;
	while (xiwarp_rdmap_output(&s, max_bytes, &burst)) {
		for (i = 0; i < times && burst.source != XIWARP_LOCAL; i++) {
			if (burst.source == XIWARP_FROM_ATOMIC) {
				xiwarp_rdmap_atomic_done(&s, &burst, 41);
				atomics++;
			}
			xiwarp_rdmap_take_back(&s, &burst);
			CHECK(xiwarp_rdmap_output(&s, max_bytes, &burst));
		}
		if (burst.source == XIWARP_LOCAL) {
			xiwarp_rdmap_local_done(&s, &burst, XIWARP_SUCCESS);
			continue;
		}
		if (burst.source == XIWARP_FROM_ATOMIC)
			xiwarp_rdmap_atomic_done(&s, &burst, 41);
		emit(&burst);
		n++;
	}
	xiwarp_rdmap_sent(&s);
	CHECK(atomics <= 1);
	return n;
}

static void many_things(const struct xiwarp_rdmap_cfg *cfg)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_ATOMIC_REQUEST);
	u8 op;

	start(cfg);
	ask_read(1, 5000);
	seg.msn = 2;
	seg.atomic.id = 7;
	feed_seg(&seg, NULL, 0);
	ask_read(3, 0);
	for (op = 0; op < XIWARP_WR_OPS; op++)
		post(op, op == XIWARP_WR_FETCH_ADD || op == XIWARP_WR_CMP_SWAP ? 8 : 3000);
	post(XIWARP_WR_SEND, 0);
}

TEST(take_back__nothing_is_lost_or_doubled)
{
	static const u8 rtr[] = { 0, XIWARP_RTR_FPDU, XIWARP_RTR_WRITE, XIWARP_RTR_READ };
	static u8 want[MAX_OUT];
	unsigned int i, n, len;

	for (i = 0; i < 12; i++) {
		struct xiwarp_rdmap_cfg cfg = plain;
		struct xiwarp_rdmap_stats stats;

		test_context("turn %u", i);
		cfg.ord = 8;
		cfg.rtr_send = rtr[i % 4];
		many_things(&cfg);
		n = stubborn_drain(700, 0);
		len = out_len;
		memcpy(want, out, len);
		stats = s.stats;
		many_things(&cfg);
		CHECK_EQ(stubborn_drain(700, 1 + i / 4), n);
		CHECK_EQ(out_len, len);
		CHECK_MEM(out, want, len);
		CHECK_MEM(&s.stats, &stats, sizeof(stats));
	}
}

/* The request that failed stays failed. */
TEST(take_back__terminate_of_a_failed_request)
{
	start(&plain);
	post(XIWARP_WR_SEND, 4)->fault = XIWARP_LOC_LEN_ERR;
	post(XIWARP_WR_SEND, 4);
	CHECK_EQ(stubborn_drain(~0U, 2), 1);
	check_reaped(0, XIWARP_LOC_LEN_ERR);
	CHECK(!xiwarp_rdmap_reap(&s));
	xiwarp_rdmap_flush(&s);
	check_reaped(1, XIWARP_WR_FLUSH_ERR);
}

TEST(take_back__terminate)
{
	start(&plain);
	xiwarp_rdmap_terminate(&s, XIWARP_FAULT_CRC);
	CHECK_EQ(stubborn_drain(~0U, 2), 1);
	check_out(FPDU_TERM_CRC);
}

TEST(given_out__requests_answers_terminate)
{
	struct xiwarp_burst burst;

	start(&plain);
	CHECK(xiwarp_rdmap_is_given_out(&s));
	post(XIWARP_WR_SEND, 10);
	CHECK(!xiwarp_rdmap_is_given_out(&s));
	CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
	CHECK(xiwarp_rdmap_is_given_out(&s));
	CHECK(!xiwarp_rdmap_is_drained(&s));
	ask_read(1, 100);
	CHECK(!xiwarp_rdmap_is_given_out(&s));
	CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
	CHECK(xiwarp_rdmap_is_given_out(&s));
	post(XIWARP_WR_SEND, 10);
	xiwarp_rdmap_terminate(&s, XIWARP_FAULT_CRC);
	CHECK(!xiwarp_rdmap_is_given_out(&s));
	CHECK(xiwarp_rdmap_output(&s, 1000, &burst));
	CHECK(xiwarp_rdmap_is_given_out(&s));
}
