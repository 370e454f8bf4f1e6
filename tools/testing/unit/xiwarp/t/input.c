// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "owner.h"

/* ---- messages as they should be ---- */

TEST(input__send)
{
	start(&plain);
	feed_vector(FPDU_SEND_HELLO);
	CHECK_EQ(n_dones, 1);
	CHECK_EQ(dones[0].what, XIWARP_GOT_RECV);
	CHECK(dones[0].is_first && dones[0].completes);
	CHECK(!dones[0].solicited && !dones[0].has_inv && !dones[0].has_imm);
	CHECK_EQ(dones[0].byte_len, 5);
	CHECK_EQ(dones[0].status, XIWARP_SUCCESS);
	CHECK_MEM(recv_buf, "hello", 5);
	CHECK_EQ(n_recvs, 1);
}

TEST(input__send_with_se_and_invalidate)
{
	start(&plain);
	feed_vector(FPDU_SEND_HELLO);
	feed_vector(FPDU_SEND_SE_INV);
	CHECK_EQ(n_dones, 2);
	CHECK(dones[1].solicited && dones[1].has_inv && !dones[1].is_first);
	CHECK_EQ(dones[1].inv_stag, 0xabcd1200);
	CHECK_MEM(recv_buf, "done", 4);
}

TEST(input__write)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_WRITE);

	start(&plain);
	feed_vector(FPDU_SEND_HELLO);
	n_dones = 0;
	seg.to = MEM_VA + 0x10;
	feed_seg(&seg, "\xa0\xa1\xa2\xa3", 4);
	CHECK_EQ(n_dones, 0);	/* nobody is told */
	CHECK_MEM(mem + 0x10, "\xa0\xa1\xa2\xa3", 5);
}

TEST(input__immediate)
{
	start(&plain);
	feed_vector(FPDU_IMMEDIATE);
	CHECK_EQ(n_dones, 1);
	CHECK_EQ(dones[0].what, XIWARP_GOT_RECV);
	CHECK(dones[0].has_imm);
	CHECK_MEM(&dones[0].imm, "\1\2\3\4", 4);
	CHECK_EQ(dones[0].byte_len, 0);
	CHECK_EQ(n_recvs, 1);
}

TEST(input__read_is_answered)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_REQUEST);

	start(&plain);
	memcpy(mem, "0123456789abcdef", 16);
	seg.read = (struct xiwarp_read){
		0xaabbcc01, 0x00007f5500001000, 16, MEM_STAG, MEM_VA,
	};
	feed_seg(&seg, NULL, 0);
	CHECK_EQ(n_dones, 1);
	CHECK_EQ(dones[0].what, XIWARP_GOT_REQUEST);
	CHECK_EQ(drain(~0U), 1);
	CHECK_EQ(bursts[0].rkey, MEM_STAG);
	CHECK_EQ(bursts[0].check_len, 16);
	check_out(FPDU_RESPONSE);
}

/* RFC 6581: nobody looks at STags of nothing. */
TEST(input__rtr_of_each_kind)
{
	static const char *const rtr[] = {
		FPDU_RTR_WRITE, FPDU_RTR_READ, FPDU_RTR_EMPTY,
	};
	struct xiwarp_rdmap_cfg cfg = plain;
	unsigned int i;

	cfg.waits_for_first = true;
	for (i = 0; i < 3; i++) {
		test_context("kind %u", i);
		start(&cfg);
		post(XIWARP_WR_SEND, 5);
		CHECK_EQ(drain(~0U), 0);
		feed_vector(rtr[i]);
		CHECK_EQ(n_faults, 0);
		CHECK_EQ(n_dones, 1);
		CHECK(dones[0].is_first);
		CHECK_EQ(n_recvs, 0);
		CHECK_EQ(drain(~0U), i == 1 ? 2 : 1);
		if (i == 1)
			CHECK_MEM(out, "\x00\x0e\xc1\x42", 4);
	}
}

TEST(input__empty_fpdus_mean_nothing)
{
	start(&plain);
	feed_vector(FPDU_RTR_EMPTY);
	feed_vector(FPDU_RTR_EMPTY);
	feed_vector(FPDU_SEND_HELLO);
	CHECK_EQ(n_dones, 2);
	CHECK_EQ(dones[1].what, XIWARP_GOT_RECV);
	CHECK(!dones[1].is_first);
}

TEST(input__empty_send_takes_a_receive)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);

	start(&plain);
	recv_len = 0;
	feed_seg(&seg, NULL, 0);
	CHECK_EQ(n_recvs, 1);
	CHECK_EQ(dones[0].byte_len, 0);
	CHECK(dones[0].completes);
}

TEST(input__send_in_segments)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND_SE);
	unsigned int i;
	u8 data[100];

	start(&plain);
	recv_len = 1000;
	for (i = 0; i < 10; i++) {
		memset(data, (int)i + 1, sizeof(data));
		seg.mo = i * 100;
		seg.is_last = i == 9;
		feed_seg(&seg, data, 100);
		CHECK_EQ(recv_buf[i * 100 + 99], i + 1);
	}
	CHECK_EQ(n_recvs, 1);
	CHECK_EQ(n_dones, 2);	/* the first FPDU is worth a word */
	CHECK_EQ(dones[1].byte_len, 1000);
	CHECK(dones[1].solicited);
}

/* A Write between the segments of a Send; siw takes that, too. */
TEST(input__tagged_within_untagged)
{
	struct xiwarp_seg send = peer_seg(XIWARP_OP_SEND);
	struct xiwarp_seg write = peer_seg(XIWARP_OP_WRITE);

	start(&plain);
	send.is_last = false;
	feed_seg(&send, "abc", 3);
	feed_seg(&write, "WWWW", 4);
	send.is_last = true;
	send.mo = 3;
	feed_seg(&send, "def", 3);
	CHECK_EQ(n_faults, 0);
	CHECK_MEM(recv_buf, "abcdef", 6);
	CHECK_MEM(mem, "WWWW", 4);
}

TEST(input__msn_wraps_to_zero)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);
	u32 msn;

	start(&plain);
	s.rx_msn[XIWARP_QN_SEND] = 0xfffffffe;
	for (msn = 0xfffffffe; msn != 2; msn++) {
		seg.msn = msn;
		feed_seg(&seg, "x", 1);
	}
	CHECK_EQ(n_faults, 0);
	CHECK_EQ(n_dones, 4);
}

TEST(input__read_response)
{
	struct xiwarp_wr *wr;

	start(&plain);
	wr = post(XIWARP_WR_READ, 16);
	wr->sink_to = 0x00007f5500001000;
	wr->remote_to = 0x00007f6600002000;
	CHECK_EQ(drain(~0U), 1);
	check_out(FPDU_READ);
	CHECK(!xiwarp_rdmap_reap(&s));
	feed_vector(FPDU_RESPONSE);
	CHECK_EQ(n_dones, 1);
	CHECK_EQ(dones[0].what, XIWARP_GOT_READ);
	CHECK(dones[0].wr == wr);
	CHECK(!dones[0].has_inv);
	CHECK_MEM(sink, "0123456789abcdef", 16);
	check_reaped(0, XIWARP_SUCCESS);
}

TEST(input__read_with_invalidate)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	start(&plain);
	post(XIWARP_WR_READ_INV, 4)->inv_rkey = 77;
	drain(~0U);
	seg.stag = 0xaabbcc01;
	seg.to = 0x1000;
	feed_seg(&seg, "data", 4);
	CHECK(dones[0].has_inv);
	CHECK_EQ(dones[0].inv_stag, 77);
	check_reaped(0, XIWARP_SUCCESS);
}

TEST(input__read_response_in_segments)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);
	unsigned int i;

	start(&plain);
	post(XIWARP_WR_READ, 30);
	drain(~0U);
	seg.stag = 0xaabbcc01;
	for (i = 0; i < 3; i++) {
		seg.to = 0x1000 + i * 10;
		seg.is_last = i == 2;
		feed_seg(&seg, "0123456789", 10);
	}
	CHECK_EQ(n_faults, 0);
	CHECK_MEM(sink, "012345678901234567890123456789", 30);
	check_reaped(0, XIWARP_SUCCESS);
}

TEST(input__atomic_response)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_ATOMIC_RESPONSE);

	start(&plain);
	post(XIWARP_WR_FETCH_ADD, 8)->swap_add = 1;
	drain(~0U);
	seg.result.id = 0;
	seg.result.value = 0x1122334455667788;
	feed_seg(&seg, NULL, 0);
	CHECK_EQ(dones[0].what, XIWARP_GOT_ATOMIC);
	CHECK_EQ(dones[0].value, 0x1122334455667788);
	CHECK(dones[0].wr == &ring[0]);
	check_reaped(0, XIWARP_SUCCESS);
}

TEST(input__atomic_request_is_answered)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_ATOMIC_REQUEST);

	start(&plain);
	seg.atomic = (struct xiwarp_atomic){
		.op = XIWARP_FETCH_ADD, .id = 7, .stag = MEM_STAG, .to = MEM_VA,
		.swap_add = 1,
	};
	feed_seg(&seg, NULL, 0);
	CHECK_EQ(dones[0].what, XIWARP_GOT_REQUEST);
	CHECK_EQ(drain(~0U), 1);
	CHECK_EQ(bursts[0].source, XIWARP_FROM_ATOMIC);
	CHECK_EQ(bursts[0].atomic.swap_add, 1);
	CHECK_EQ(bursts[0].rkey, MEM_STAG);
	check_out(FPDU_RESULT);
}

/* The same vectors, a byte at a time. */
TEST(input__byte_by_byte)
{
	unsigned int n;

	for (n = 1; n < 30; n++) {
		test_context("by %u", n);
		start(&plain);
		piece_bytes = n;
		feed_vector(FPDU_SEND_HELLO);
		feed_vector(FPDU_SEND_SE_INV);
		feed_vector(FPDU_RTR_WRITE);
		feed_vector(FPDU_RTR_READ);
		CHECK_EQ(n_faults, 0);
		CHECK_EQ(n_dones, 3);
		CHECK_MEM(recv_buf, "doneo", 5);
	}
}

TEST(input__without_crc)
{
	struct xiwarp_rdmap_cfg cfg = plain;

	cfg.crc = false;
	start(&cfg);
	feed_vector(FPDU_SEND_HELLO_NO_CRC);
	CHECK_EQ(dones[0].what, XIWARP_GOT_RECV);
}

TEST(input__with_markers)
{
	struct xiwarp_rdmap_cfg cfg = plain;

	cfg.rx_markers = true;
	start(&cfg);
	feed_vector(FPDU_SEND_HELLO_MARKED);
	CHECK_EQ(dones[0].what, XIWARP_GOT_RECV);
	CHECK_MEM(recv_buf, "hello", 5);
}

TEST(input__may_end)
{
	u8 buf[256];

	start(&plain);
	CHECK(xiwarp_rdmap_may_end(&s));
	vector(FPDU_SEND_HELLO, buf);
	feed(buf, 10);
	CHECK(!xiwarp_rdmap_may_end(&s));
	feed(buf + 10, 22);
	CHECK(xiwarp_rdmap_may_end(&s));
}

/* ---- a peer that gives up ---- */

TEST(input__terminate)
{
	start(&plain);
	post(XIWARP_WR_SEND, 10);
	feed_vector(FPDU_TERM_NO_BUFFER);
	CHECK_EQ(n_dones, 1);
	CHECK_EQ(dones[0].what, XIWARP_GOT_TERMINATE);
	CHECK(is_stopped);
	CHECK_EQ(n_faults, 0);
	/* nothing is sent any more, no Terminate either */
	CHECK_EQ(drain(~0U), 0);
	xiwarp_rdmap_flush(&s);
	check_reaped(0, XIWARP_WR_FLUSH_ERR);
}

TEST(input__terminate_for_our_read)
{
	start(&plain);
	post(XIWARP_WR_SEND, 10);
	post(XIWARP_WR_READ, 10);
	post(XIWARP_WR_READ, 10);
	post(XIWARP_WR_SEND, 10);
	drain(~0U);
	feed_vector(FPDU_TERM_READ_STAG);
	xiwarp_rdmap_flush(&s);
	check_reaped(0, XIWARP_SUCCESS);
	check_reaped(1, XIWARP_REM_ACCESS_ERR);
	check_reaped(2, XIWARP_WR_FLUSH_ERR);
	check_reaped(3, XIWARP_SUCCESS);
	CHECK(!xiwarp_rdmap_reap(&s));
}

/* ---- everything that can be wrong ---- */

/* The segment at hand breaks the stream, with CRC and without. */
static void check_fault(const struct xiwarp_seg *seg, unsigned int len, u8 fault)
{
	static const u8 zeros[70000];
	struct xiwarp_rdmap_cfg cfg = plain;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cfg.crc = !i;
		start(&cfg);
		feed_seg(seg, zeros, len);
		check_broken(fault);
		CHECK(dones[n_dones - 1].is_remote);
		CHECK(!dones[n_dones - 1].completes);
		/* what comes behind is not looked at */
		feed_vector(FPDU_SEND_HELLO);
		CHECK_EQ(n_faults, 1);
	}
}

TEST(fault__tagged_wrap)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_WRITE);

	seg.to = ~0ULL - 2;
	check_fault(&seg, 4, XIWARP_FAULT_TAGGED_WRAP);
}

TEST(fault__queue_number)
{
	static const u32 qns[] = { 1, 2, 3, 4, 0x10000, 0xffffffff };
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);
	unsigned int i;

	for (i = 0; i < 6; i++) {
		seg.qn = qns[i];
		check_fault(&seg, 4, XIWARP_FAULT_QN);
	}
	seg = peer_seg(XIWARP_OP_READ_REQUEST);
	seg.qn = 0;
	check_fault(&seg, 0, XIWARP_FAULT_QN);
	seg = peer_seg(XIWARP_OP_TERMINATE);
	seg.qn = 0;
	check_fault(&seg, 0, XIWARP_FAULT_QN);
}

TEST(fault__msn)
{
	static const u8 ops[] = {
		XIWARP_OP_SEND, XIWARP_OP_IMMEDIATE, XIWARP_OP_READ_REQUEST,
		XIWARP_OP_ATOMIC_REQUEST, XIWARP_OP_ATOMIC_RESPONSE,
	};
	unsigned int i;

	for (i = 0; i < sizeof(ops); i++) {
		struct xiwarp_seg seg = peer_seg(ops[i]);

		test_context("opcode %u", ops[i]);
		seg.msn = 0;
		check_fault(&seg, 0, XIWARP_FAULT_MSN);
		seg.msn = 2;
		check_fault(&seg, 0, XIWARP_FAULT_MSN);
	}
}

TEST(fault__mo)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);

	seg.mo = 1;
	check_fault(&seg, 4, XIWARP_FAULT_MO);
	seg = peer_seg(XIWARP_OP_IMMEDIATE);
	seg.mo = 8;
	check_fault(&seg, 0, XIWARP_FAULT_MO);
	seg = peer_seg(XIWARP_OP_READ_REQUEST);
	seg.is_last = false;
	check_fault(&seg, 0, XIWARP_FAULT_MO);
}

TEST(fault__gap_and_overlap_in_a_send)
{
	u32 mo;

	for (mo = 0; mo <= 20; mo++) {
		struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);

		test_context("offset %u", mo);
		start(&plain);
		seg.is_last = false;
		feed_seg(&seg, "0123456789", 10);
		seg.mo = mo;
		feed_seg(&seg, "0123456789", 10);
		CHECK_EQ(n_faults, mo != 10);
		if (mo == 10)
			continue;
		/* the receive in hand tells of it */
		CHECK(dones[n_dones - 1].completes);
		CHECK(dones[n_dones - 1].status != XIWARP_SUCCESS);
		check_broken(XIWARP_FAULT_MO);
	}
}

TEST(fault__opcode_changes_within_a_send)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);

	start(&plain);
	seg.is_last = false;
	feed_seg(&seg, "0123456789", 10);
	seg.mo = 10;
	seg.opcode = XIWARP_OP_SEND_SE;
	feed_seg(&seg, "0123456789", 10);
	check_broken(XIWARP_FAULT_OPCODE);
}

TEST(fault__immediate_within_a_send)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);

	start(&plain);
	seg.is_last = false;
	feed_seg(&seg, NULL, 0);
	seg.is_last = true;
	seg.opcode = XIWARP_OP_IMMEDIATE;
	feed_seg(&seg, NULL, 0);
	check_broken(XIWARP_FAULT_OPCODE);
}

TEST(fault__no_buffer)
{
	struct xiwarp_rdmap_cfg cfg = plain;
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);
	static const u8 zeros[100];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cfg.crc = !i;
		start(&cfg);
		s.rx_msn[XIWARP_QN_SEND] = 5;
		seg.msn = 5;
		recv_len = -1;
		feed_seg(&seg, zeros, 100);
		CHECK_EQ(n_faults, 1);
		CHECK(!dones[n_dones - 1].completes);
		drain(~0U);
		if (cfg.crc)
			check_out(FPDU_TERM_NO_BUFFER);
	}
}

TEST(fault__too_long)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);
	unsigned int len;

	for (len = 9; len <= 11; len++) {
		start(&plain);
		recv_len = 10;
		feed_seg(&seg, "0123456789a", len);
		CHECK_EQ(n_faults, len > 10);
		if (len <= 10)
			continue;
		CHECK(dones[n_dones - 1].completes);
		CHECK_EQ(dones[n_dones - 1].status, XIWARP_LOC_LEN_ERR);
		CHECK_EQ(recv_buf[0], 0);	/* not a byte was placed */
		check_broken(XIWARP_FAULT_TOO_LONG);
	}
}

TEST(fault__message_beyond_four_gigabytes)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);

	start(&plain);
	seg.is_last = false;
	feed_seg(&seg, "0123456789", 10);
	s.recv_done = 0xfffffffa;	/* as if so much had come */
	s.recv_len = 1ULL << 40;
	seg.mo = s.recv_done;
	feed_seg(&seg, "0123456789", 6);
	check_broken(XIWARP_FAULT_TOO_LONG);
}

TEST(fault__memory)
{
	static const u8 want[] = {
		[XIWARP_MEM_STAG] = XIWARP_FAULT_TAGGED_STAG,
		[XIWARP_MEM_PD] = XIWARP_FAULT_TAGGED_STREAM,
		[XIWARP_MEM_ACCESS] = XIWARP_FAULT_WRITE_ACCESS,
		[XIWARP_MEM_BOUNDS] = XIWARP_FAULT_TAGGED_BOUNDS,
	};
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_WRITE);
	struct xiwarp_rdmap_cfg cfg = plain;
	unsigned int i;

	for (i = 2; i < 2 * XIWARP_MEMS; i++) {
		cfg.crc = i & 1;
		start(&cfg);
		refusal = i / 2;
		feed_seg(&seg, "data", 4);
		CHECK_EQ(mem[0], 0);
		CHECK_EQ(dones[n_dones - 1].event, XIWARP_EVENT_QP_ACCESS_ERR);
		check_broken(want[i / 2]);
	}
}

TEST(fault__receive_that_has_no_memory)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_SEND);

	start(&plain);
	refusal = XIWARP_MEM_STAG;
	feed_seg(&seg, "data", 4);
	CHECK(dones[n_dones - 1].completes);
	CHECK_EQ(dones[n_dones - 1].status, XIWARP_LOC_PROT_ERR);
	CHECK(!dones[n_dones - 1].is_remote);
	check_broken(XIWARP_FAULT_RECV_KEY);
}

TEST(fault__sink_that_has_no_memory)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	start(&plain);
	post(XIWARP_WR_READ, 4);
	post(XIWARP_WR_READ, 4);
	drain(~0U);
	seg.stag = 0xaabbcc01;
	seg.to = 0x1000;
	refusal = XIWARP_MEM_ACCESS;
	feed_seg(&seg, "data", 4);
	check_broken(XIWARP_FAULT_SINK);
	xiwarp_rdmap_flush(&s);
	check_reaped(0, XIWARP_LOC_PROT_ERR);
	check_reaped(1, XIWARP_WR_FLUSH_ERR);
}

TEST(fault__invalidate)
{
	start(&plain);
	feed_vector(FPDU_SEND_HELLO);
	denial = XIWARP_FAULT_INVALIDATE;
	feed_vector(FPDU_SEND_SE_INV);
	CHECK(dones[n_dones - 1].completes);
	CHECK_EQ(dones[n_dones - 1].status, XIWARP_REM_INV_REQ_ERR);
	check_broken(XIWARP_FAULT_INVALIDATE);
}

TEST(fault__more_reads_than_agreed)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_REQUEST);
	unsigned int i;

	start(&plain);
	seg.read.src_stag = MEM_STAG;
	seg.read.src_to = MEM_VA;
	seg.read.length = 1;
	for (i = 0; i < MAX_IRD; i++, seg.msn++)
		feed_seg(&seg, NULL, 0);
	CHECK_EQ(n_faults, 0);
	feed_seg(&seg, NULL, 0);
	CHECK_EQ(n_faults, 1);
	CHECK_EQ(dones[n_dones - 1].fault, XIWARP_FAULT_NO_IRD);
}

TEST(fault__reads_when_none_were_agreed)
{
	struct xiwarp_rdmap_cfg cfg = plain;

	cfg.ird = 0;
	start(&cfg);
	feed_vector(FPDU_RTR_READ);
	check_broken(XIWARP_FAULT_NO_IRD);
}

TEST(fault__read_wraps)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_REQUEST);

	seg.read.length = 16;
	seg.read.src_to = ~0ULL - 14;
	check_fault(&seg, 0, XIWARP_FAULT_READ_WRAP);
	seg.read.src_to = 0;
	seg.read.sink_to = ~0ULL - 14;
	check_fault(&seg, 0, XIWARP_FAULT_READ_WRAP);
}

TEST(fault__read_source)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_REQUEST);
	struct xiwarp_burst burst;

	start(&plain);
	s.rx_msn[XIWARP_QN_REQUEST] = 3;
	seg.msn = 3;
	seg.read = (struct xiwarp_read){ 0xaabbcc01, 0x1000, 16, 0xdeadbe00, 0x2000 };
	feed_seg(&seg, NULL, 0);
	CHECK(xiwarp_rdmap_output(&s, ~0U, &burst));
	xiwarp_rdmap_read_refused(&s, &burst, XIWARP_MEM_STAG);
	CHECK(xiwarp_rdmap_has_fault(&s));
	feed(NULL, 0);
	CHECK_EQ(n_faults, 1);
	CHECK_EQ(dones[1].fault, XIWARP_FAULT_READ_STAG);
	CHECK_EQ(dones[1].event, XIWARP_EVENT_QP_ACCESS_ERR);
	drain(~0U);
	check_out(FPDU_TERM_READ_STAG);
}

TEST(fault__atomic)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_ATOMIC_REQUEST);
	u8 op;

	for (op = 1; op < 16; op++) {
		if (op == XIWARP_CMP_SWAP)
			continue;
		seg.atomic.op = op;
		check_fault(&seg, 0, XIWARP_FAULT_ATOMIC);
	}
	seg.atomic.op = XIWARP_CMP_SWAP;
	for (seg.atomic.to = 1; seg.atomic.to < 8; seg.atomic.to++)
		check_fault(&seg, 0, XIWARP_FAULT_ATOMIC);
}

TEST(fault__response_nobody_asked_for)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	check_fault(&seg, 4, XIWARP_FAULT_RESPONSE);
	seg = peer_seg(XIWARP_OP_ATOMIC_RESPONSE);
	check_fault(&seg, 0, XIWARP_FAULT_RESPONSE);
}

TEST(fault__response_of_the_other_kind)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	start(&plain);
	post(XIWARP_WR_FETCH_ADD, 8);
	drain(~0U);
	seg.stag = 0xaabbcc01;
	seg.to = 0x1000;
	feed_seg(&seg, "12345678", 8);
	check_broken(XIWARP_FAULT_RESPONSE);
	start(&plain);
	post(XIWARP_WR_READ, 8);
	drain(~0U);
	seg = peer_seg(XIWARP_OP_ATOMIC_RESPONSE);
	feed_seg(&seg, NULL, 0);
	check_broken(XIWARP_FAULT_RESPONSE);
	start(&plain);
	post(XIWARP_WR_CMP_SWAP, 8);
	drain(~0U);
	seg.result.id = 1;
	feed_seg(&seg, NULL, 0);
	check_broken(XIWARP_FAULT_RESPONSE);
}

/* siw wrote such a response past the end of the sink. */
TEST(fault__response_out_of_bounds)
{
	static const struct {
		u32 stag, to, len;
		bool is_last;
	} spec[] = {
		{ 0xaabbcc01, 0x1000, 11, true },	/* too long */
		{ 0xaabbcc01, 0x1000, 11, false },
		{ 0xaabbcc01, 0x1000, 9, true },	/* too short */
		{ 0xaabbcc01, 0x1000, 0, true },
		{ 0xaabbcc01, 0x1001, 9, false },
		{ 0xaabbcc01, 0x0fff, 10, true },
		{ 0xaabbcc02, 0x1000, 10, true },	/* other STag */
	};
	unsigned int i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

		test_context("row %u", i);
		start(&plain);
		post(XIWARP_WR_READ, 10);
		drain(~0U);
		seg.stag = spec[i].stag;
		seg.to = spec[i].to;
		seg.is_last = spec[i].is_last;
		feed_seg(&seg, "0123456789ab", spec[i].len);
		CHECK_EQ(sink[0], 0);
		check_broken(XIWARP_FAULT_RESPONSE_BOUNDS);
		check_reaped(0, XIWARP_BAD_RESP_ERR);
	}
}

/* The end may come in a segment of its own, but no byte more. */
TEST(input__read_response_with_an_empty_end)
{
	struct xiwarp_seg seg = peer_seg(XIWARP_OP_READ_RESPONSE);

	start(&plain);
	post(XIWARP_WR_READ, 4);
	drain(~0U);
	seg.stag = 0xaabbcc01;
	seg.to = 0x1000;
	seg.is_last = false;
	feed_seg(&seg, "data", 4);
	CHECK(!xiwarp_rdmap_reap(&s));
	seg.to = 0x1004;
	seg.is_last = true;
	feed_seg(&seg, NULL, 0);
	check_reaped(0, XIWARP_SUCCESS);
}

TEST(fault__version_and_opcode)
{
	static const struct {
		u8 ddp, rdmap, fault;
	} spec[] = {
		{ 0xc0, 0x40, XIWARP_FAULT_TAGGED_VERSION },
		{ 0x42, 0x43, XIWARP_FAULT_UNTAGGED_VERSION },
		{ 0x41, 0x03, XIWARP_FAULT_RDMAP_VERSION },
		{ 0x41, 0x4c, XIWARP_FAULT_OPCODE },
		{ 0xc1, 0x43, XIWARP_FAULT_OPCODE },
		{ 0x41, 0x40, XIWARP_FAULT_OPCODE },
	};
	unsigned int i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		struct xiwarp_rdmap_cfg cfg = plain;
		u8 buf[256];
		unsigned int len = vector(FPDU_SEND_HELLO, buf);

		test_context("row %u", i);
		cfg.crc = false;
		start(&cfg);
		buf[2] = spec[i].ddp;
		buf[3] = spec[i].rdmap;
		feed(buf, len);
		check_broken(spec[i].fault);
	}
}

/* CVEs of siw: lengths below the header of each opcode. */
TEST(fault__length_below_the_header)
{
	unsigned int len;
	u8 op;

	for (op = 0; op < 12; op++) {
		const struct xiwarp_opcode *row = xiwarp_opcode_find(op);

		for (len = 1; len < row->hdr_len; len++) {
			struct xiwarp_rdmap_cfg cfg = plain;
			u8 buf[128] = { 0, (u8)len, row->is_tagged ? 0xc1 : 0x41,
					0x40 | op };

			test_context("opcode %u, %u bytes", op, len);
			cfg.crc = false;
			start(&cfg);
			feed(buf, xiwarp_fpdu_bytes(len));
			check_broken(XIWARP_FAULT_LENGTH);
		}
	}
}

TEST(fault__length_beyond_a_header_only_message)
{
	static const u8 ops[] = {
		XIWARP_OP_READ_REQUEST, XIWARP_OP_TERMINATE, XIWARP_OP_IMMEDIATE,
		XIWARP_OP_ATOMIC_REQUEST, XIWARP_OP_ATOMIC_RESPONSE,
	};
	unsigned int i;

	for (i = 0; i < sizeof(ops); i++) {
		struct xiwarp_seg seg = peer_seg(ops[i]);

		test_context("opcode %u", ops[i]);
		check_fault(&seg, 60000, XIWARP_FAULT_LENGTH);
	}
}

TEST(fault__crc)
{
	u8 buf[256];
	unsigned int len = vector(FPDU_SEND_HELLO, buf);

	start(&plain);
	buf[21] ^= 1;
	feed(buf, len);
	CHECK_EQ(n_faults, 1);
	CHECK(dones[0].completes);	/* with an error */
	CHECK_EQ(dones[0].status, XIWARP_GENERAL_ERR);
	drain(~0U);
	check_out(FPDU_TERM_CRC);
}

/* A damaged header is a CRC error, whatever it seems to say. */
TEST(fault__crc_first)
{
	unsigned int bit;
	u8 buf[256];

	for (bit = 16; bit < 20 * 8; bit++) {
		unsigned int len = vector(FPDU_SEND_HELLO, buf);

		test_context("bit %u", bit);
		start(&plain);
		buf[bit / 8] ^= (u8)(1 << bit % 8);
		feed(buf, len);
		check_broken(XIWARP_FAULT_CRC);
		CHECK_EQ(n_dones, 1);
	}
}

TEST(fault__marker)
{
	struct xiwarp_rdmap_cfg cfg = plain;
	u8 buf[256];
	unsigned int len = vector(FPDU_SEND_HELLO_MARKED, buf);

	cfg.rx_markers = true;
	cfg.crc = false;
	start(&cfg);
	buf[3] = 4;
	feed(buf, len);
	check_broken(XIWARP_FAULT_MARKER);
}

/* ---- what the owner finds out himself ---- */

TEST(terminate__by_the_owner)
{
	start(&plain);
	xiwarp_rdmap_terminate(&s, XIWARP_FAULT_MPA_RTR);
	feed_vector(FPDU_SEND_HELLO);
	CHECK(is_stopped);
	CHECK_EQ(n_dones, 0);
	CHECK_EQ(drain(~0U), 1);
	CHECK_MEM(out + 20, "\x20\x07\0\0", 4);
	/* once */
	xiwarp_rdmap_terminate(&s, XIWARP_FAULT_MPA_RTR);
	CHECK_EQ(drain(~0U), 0);
}

TEST(deny__cq_overflow)
{
	start(&plain);
	denial = XIWARP_FAULT_CQ_OVERFLOW;
	feed_vector(FPDU_SEND_HELLO);
	check_broken(XIWARP_FAULT_CQ_OVERFLOW);
}

/* The owner gives up between a message and its commit. */
TEST(commit__of_a_stream_that_broke)
{
	struct xiwarp_step step;
	u8 buf[256];

	start(&plain);
	feed(buf, vector(FPDU_SEND_HELLO, buf) - 1);
	xiwarp_rdmap_input(&s, &step);
	*step.buf = 0x0c;
	xiwarp_rdmap_took(&s, 1);
	xiwarp_rdmap_input(&s, &step);
	CHECK_EQ(step.act, XIWARP_STEP_DONE);
	xiwarp_rdmap_terminate(&s, XIWARP_FAULT_QN);
	xiwarp_rdmap_deny(&s, XIWARP_FAULT_CQ_OVERFLOW);
	xiwarp_rdmap_commit(&s);
	feed_vector(FPDU_SEND_HELLO);
	CHECK(is_stopped);
	CHECK_EQ(n_dones, 0);
	CHECK_EQ(drain(~0U), 1);
	CHECK_MEM(out + 20, "\x12\x01\0\0", 4);	/* about no segment */
}
