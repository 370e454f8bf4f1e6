// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <asm/byteorder.h>
#include "burst.h"
#include "credit.h"
#include "test.h"

#define SEND_FIRST	0x00
#define SEND_MIDDLE	0x01
#define SEND_LAST_IMM	0x03
#define SEND_ONLY	0x04
#define WRITE_FIRST	0x06
#define WRITE_MIDDLE	0x07
#define WRITE_LAST	0x08
#define READ_REQUEST	0x0c
#define READ_FIRST	0x0d
#define READ_MIDDLE	0x0e
#define READ_LAST	0x0f

/* A whole message: 2500 bytes at 1024, FIRST MIDDLE LAST. */
static struct xroce_burst message(void)
{
	return (struct xroce_burst){
		.first = {
			.opcode = SEND_FIRST,
			.mig_req = true,
			.pkey = XROCE_DEFAULT_PKEY,
			.dest_qp = 0x12,
			.psn = 0xfffffe,
			.imm = cpu_to_be32(0x01020304),
		},
		.source = XROCE_FROM_WR,
		.bytes = 2500,
		.npkts = 3,
		.pmtu = 1024,
		.is_last = true,
		.middle_opcode = SEND_MIDDLE,
		.last_opcode = SEND_LAST_IMM,
	};
}

static struct xroce_pkt packet(const struct xroce_burst *burst, u32 i)
{
	struct xroce_pkt pkt;

	memset(&pkt, 0xee, sizeof(pkt));
	xroce_burst_packet(burst, i, &pkt);
	CHECK(pkt.info == xroce_opcode_find(pkt.opcode));
	CHECK_EQ(pkt.hdr_len, pkt.info->hdr_len);
	CHECK_EQ((pkt.payload_len + pkt.pad) % 4, 0);
	CHECK(pkt.pad < 4);
	return pkt;
}

TEST(burst_packet__opcodes_of_a_whole_message)
{
	struct xroce_burst burst = message();

	CHECK_EQ(packet(&burst, 0).opcode, SEND_FIRST);
	CHECK_EQ(packet(&burst, 1).opcode, SEND_MIDDLE);
	CHECK_EQ(packet(&burst, 2).opcode, SEND_LAST_IMM);
}

TEST(burst_packet__psn_counts_and_wraps)
{
	struct xroce_burst burst = message();

	CHECK_EQ(packet(&burst, 0).psn, 0xfffffe);
	CHECK_EQ(packet(&burst, 1).psn, 0xffffff);
	CHECK_EQ(packet(&burst, 2).psn, 0);
}

TEST(burst_packet__all_but_the_last_are_full)
{
	struct xroce_burst burst = message();
	u32 bytes;

	for (bytes = 2049; bytes <= 3072; bytes++) {
		struct xroce_pkt last;

		burst.bytes = bytes;
		test_context("bytes %u", bytes);
		CHECK_EQ(packet(&burst, 0).payload_len, 1024);
		CHECK_EQ(packet(&burst, 1).payload_len, 1024);
		CHECK_EQ(packet(&burst, 1).pad, 0);
		last = packet(&burst, 2);
		CHECK_EQ(last.payload_len, bytes - 2048);
		CHECK_EQ(last.pad, (4 - bytes % 4) % 4);
	}
}

TEST(burst_packet__header_fields_stay)
{
	struct xroce_burst burst = message();
	u32 i;

	for (i = 0; i < burst.npkts; i++) {
		struct xroce_pkt pkt = packet(&burst, i);

		CHECK_EQ(pkt.dest_qp, 0x12);
		CHECK_EQ(pkt.pkey, XROCE_DEFAULT_PKEY);
		CHECK(pkt.mig_req);
		CHECK_EQ(be32_to_cpu(pkt.imm), 0x01020304);
	}
}

TEST(burst_packet__flags_go_to_the_last)
{
	struct xroce_burst burst = message();
	u32 i;

	burst.ack_req_last = true;
	burst.solicited_last = true;
	for (i = 0; i < 3; i++) {
		CHECK(packet(&burst, i).ack_req == (i == 2));
		CHECK(packet(&burst, i).solicited == (i == 2));
	}
}

/* The head of a resent run: AckReq in the first packet is its own. */
TEST(burst_packet__flags_of_the_first_do_not_spread)
{
	struct xroce_burst burst = message();
	u32 i;

	burst.first.ack_req = true;
	burst.first.solicited = true;
	for (i = 0; i < 3; i++) {
		CHECK(packet(&burst, i).ack_req == (i == 0));
		CHECK(packet(&burst, i).solicited == (i == 0));
	}
}

TEST(burst_packet__no_flags_no_bits)
{
	struct xroce_burst burst = message();
	u32 i;

	for (i = 0; i < 3; i++)
		CHECK(!packet(&burst, i).ack_req && !packet(&burst, i).solicited);
}

TEST(burst_packet__run_that_stops_in_the_middle)
{
	struct xroce_burst burst = message();

	burst.is_last = false;
	burst.bytes = 3072;
	burst.ack_req_last = true;
	burst.solicited_last = true;
	CHECK_EQ(packet(&burst, 0).opcode, SEND_FIRST);
	CHECK_EQ(packet(&burst, 2).opcode, SEND_MIDDLE);
	CHECK_EQ(packet(&burst, 2).payload_len, 1024);
	CHECK(!packet(&burst, 1).ack_req);
	CHECK(packet(&burst, 2).ack_req);
	CHECK(!packet(&burst, 2).solicited);
}

TEST(burst_packet__run_that_begins_in_the_middle)
{
	struct xroce_burst burst = message();

	burst.first.opcode = WRITE_MIDDLE;
	burst.middle_opcode = WRITE_MIDDLE;
	burst.last_opcode = WRITE_LAST;
	burst.npkts = 2;
	burst.bytes = 1024 + 7;
	CHECK_EQ(packet(&burst, 0).opcode, WRITE_MIDDLE);
	CHECK_EQ(packet(&burst, 0).payload_len, 1024);
	CHECK_EQ(packet(&burst, 1).opcode, WRITE_LAST);
	CHECK_EQ(packet(&burst, 1).payload_len, 7);
	CHECK_EQ(packet(&burst, 1).pad, 1);
}

TEST(burst_packet__one_packet_is_first_and_last)
{
	struct xroce_burst burst = {
		.first = { .opcode = SEND_ONLY, .psn = 5 },
		.bytes = 5,
		.npkts = 1,
		.pmtu = 256,
		.is_last = true,
		.ack_req_last = true,
		.solicited_last = true,
	};
	struct xroce_pkt pkt = packet(&burst, 0);

	CHECK_EQ(pkt.opcode, SEND_ONLY);
	CHECK_EQ(pkt.psn, 5);
	CHECK_EQ(pkt.payload_len, 5);
	CHECK_EQ(pkt.pad, 3);
	CHECK(pkt.ack_req && pkt.solicited);
}

TEST(burst_packet__no_payload)
{
	struct xroce_burst burst = {
		.first = { .opcode = READ_REQUEST, .ack_req = true, .pad = 3,
			   .va = 0x1000, .rkey = 7, .dma_len = 65536 },
		.npkts = 1,
		.pmtu = 1024,
		.is_last = true,
	};
	struct xroce_pkt pkt = packet(&burst, 0);

	CHECK_EQ(pkt.payload_len, 0);
	CHECK_EQ(pkt.pad, 0);
	CHECK(pkt.ack_req);
	CHECK_EQ(pkt.va, 0x1000);
	CHECK_EQ(pkt.rkey, 7);
	CHECK_EQ(pkt.dma_len, 65536);
}

/* AETH is in the first and the last, and they agree. */
TEST(burst_packet__read_responses)
{
	struct xroce_burst burst = {
		.first = { .opcode = READ_FIRST, .psn = 9,
			   .syndrome = XROCE_CREDIT_UNLIMITED, .msn = 77 },
		.source = XROCE_FROM_MR,
		.bytes = 3 * 512,
		.npkts = 3,
		.pmtu = 512,
		.is_last = true,
		.middle_opcode = READ_MIDDLE,
		.last_opcode = READ_LAST,
	};
	static const u8 opcodes[] = { READ_FIRST, READ_MIDDLE, READ_LAST };
	static const u8 lens[] = { 16, 12, 16 };
	u8 buf[XROCE_MAX_HDR_BYTES];
	u32 i;

	for (i = 0; i < 3; i++) {
		struct xroce_pkt pkt = packet(&burst, i);

		CHECK_EQ(pkt.opcode, opcodes[i]);
		CHECK_EQ(pkt.payload_len, 512);
		CHECK_EQ(xroce_wire_build(&pkt, buf), lens[i]);
		if (pkt.info->hdrs & XROCE_HDR_AETH)
			CHECK_MEM(buf + 12, "\x1f\0\0\x4d", 4);
	}
}

TEST(burst_packet__longest_message)
{
	struct xroce_burst burst = message();

	burst.bytes = XROCE_MAX_MESSAGE;
	burst.pmtu = 256;
	burst.npkts = XROCE_MAX_MESSAGE / 256;
	CHECK_EQ(packet(&burst, burst.npkts - 1).payload_len, 256);
	CHECK_EQ(packet(&burst, burst.npkts - 1).psn, 0x7ffffd);
}
