// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <limits.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#include "icrc.h"
#include "test.h"
#include "vectors.h"
#include "wire.h"

#define BLOCK_BYTES	128

/* An exact-size heap block: one byte before or behind it, and ASan speaks. */
struct block {
	u8 *mem;
	u8 *p;
};

/* Even with @len 0 the next byte is out of bounds. */
static struct block block_alloc(unsigned int len)
{
	struct block b = { .mem = malloc(BLOCK_BYTES) };

	CHECK(b.mem && len <= BLOCK_BYTES);
	b.p = b.mem + BLOCK_BYTES - len;
	memset(b.p, 0xa5, len);
	return b;
}

static void block_free(struct block b)
{
	free(b.mem);
}

/* The vector's packet from the BTH on is parsed; @len gets its length. */
static enum xroce_parse parse_vector(const char *name, struct xroce_pkt *pkt)
{
	const struct vector *v = vector_find(name);
	u8 bytes[VECTOR_MAX_BYTES];
	unsigned int net = xroce_icrc_l3_bytes(v->l3);
	unsigned int len = vector_bytes(v->hex, bytes) - net;
	enum xroce_parse parse;
	struct block b = block_alloc(len);

	memcpy(b.p, bytes + net, len);
	parse = xroce_wire_parse(pkt, b.p, len, len);
	block_free(b);
	return parse;
}

TEST(wire_parse__v1_ack)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("V1", &pkt), XROCE_PARSE_OK);
	CHECK(pkt.info == xroce_opcode_find(0x11));
	CHECK_EQ(pkt.opcode, 0x11);
	CHECK_EQ(pkt.pad, 0);
	CHECK(!pkt.solicited && pkt.mig_req && !pkt.ack_req && !pkt.becn);
	CHECK_EQ(pkt.pkey, XROCE_DEFAULT_PKEY);
	CHECK_EQ(pkt.dest_qp, 0xd1e);
	CHECK_EQ(pkt.psn, 0x466f1e);
	CHECK_EQ(pkt.syndrome, 0);
	CHECK_EQ(pkt.msn, 0x0e6f02);
	CHECK_EQ(pkt.hdr_len, 16);
	CHECK_EQ(pkt.payload_len, 0);
}

TEST(wire_parse__v2_cnp)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("V2", &pkt), XROCE_PARSE_OK);
	CHECK_EQ(pkt.info->service, XROCE_CNP);
	CHECK(pkt.becn && !pkt.mig_req && !pkt.ack_req && !pkt.solicited);
	CHECK_EQ(pkt.dest_qp, 0x118);
	CHECK_EQ(pkt.psn, 0);
	CHECK_EQ(pkt.payload_len, 0);
	CHECK_EQ(parse_vector("V2b", &pkt), XROCE_PARSE_OK);
	CHECK(pkt.becn);
	CHECK_EQ(pkt.dest_qp, 0xd1e);
}

TEST(wire_parse__v3_write_only)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("V3", &pkt), XROCE_PARSE_OK);
	CHECK_EQ(pkt.opcode, 0x0a);
	CHECK_EQ(pkt.pad, 3);
	CHECK(pkt.mig_req && pkt.ack_req && !pkt.becn);
	CHECK_EQ(pkt.dest_qp, 0x10a);
	CHECK_EQ(pkt.psn, 0xa788bc);
	CHECK_EQ(pkt.va, 0x000055d4c0726000);
	CHECK_EQ(pkt.rkey, 0x47b3);
	CHECK_EQ(pkt.dma_len, 5);
	CHECK_EQ(pkt.hdr_len, 28);
	CHECK_EQ(pkt.payload_len, 5);
}

TEST(wire_parse__v4_ack)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("V4", &pkt), XROCE_PARSE_OK);
	CHECK_EQ(pkt.dest_qp, 0x109);
	CHECK_EQ(pkt.psn, 0xa788c0);
	CHECK_EQ(pkt.syndrome, 0);
	CHECK_EQ(pkt.msn, 5);
}

TEST(wire_parse__v5_v6_uc_send_only)
{
	static const char *const names[] = { "V5", "V6" };
	struct xroce_pkt pkt;
	int i;

	for (i = 0; i < 2; i++) {
		test_context("%s", names[i]);
		CHECK_EQ(parse_vector(names[i], &pkt), XROCE_PARSE_OK);
		CHECK_EQ(pkt.opcode, 0x24);
		CHECK_EQ(pkt.pad, 2);
		CHECK_EQ(pkt.dest_qp, 0xd3);
		CHECK_EQ(pkt.psn, 0xcf1710);
		CHECK_EQ(pkt.payload_len, 18);
	}
}

TEST(wire_parse__w1_send_only)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("W1", &pkt), XROCE_PARSE_OK);
	CHECK_EQ(pkt.opcode, 0x04);
	CHECK_EQ(pkt.pad, 3);
	CHECK(pkt.mig_req && pkt.ack_req);
	CHECK_EQ(pkt.dest_qp, 0x12);
	CHECK_EQ(pkt.psn, 0x100);
	CHECK_EQ(pkt.payload_len, 5);
}

TEST(wire_parse__w2_ud_send_only)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("W2", &pkt), XROCE_PARSE_OK);
	CHECK_EQ(pkt.info->service, XROCE_UD);
	CHECK_EQ(pkt.qkey, 0x11111111);
	CHECK_EQ(pkt.src_qp, 0x11);
	CHECK_EQ(pkt.psn, 7);
	CHECK_EQ(pkt.payload_len, 16);
}

TEST(wire_parse__w3_write_only_imm)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("W3", &pkt), XROCE_PARSE_OK);
	CHECK(pkt.solicited && pkt.ack_req);
	CHECK_EQ(pkt.psn, 0xffffff);
	CHECK_EQ(pkt.va, 0x7f0012345678);
	CHECK_EQ(pkt.rkey, 0x0a0b0c0d);
	CHECK_EQ(pkt.dma_len, 1);
	CHECK_EQ(be32_to_cpu(pkt.imm), 0x01020304);
	CHECK_EQ(pkt.hdr_len, 32);
	CHECK_EQ(pkt.payload_len, 1);
}

TEST(wire_parse__w4_ud_send_only_imm)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("W4", &pkt), XROCE_PARSE_OK);
	CHECK_EQ(pkt.dest_qp, XROCE_GSI_QPN);
	CHECK_EQ(pkt.qkey, XROCE_GSI_QKEY);
	CHECK_EQ(pkt.src_qp, 1);
	CHECK_EQ(be32_to_cpu(pkt.imm), 0xdeadbeef);
	CHECK_EQ(pkt.payload_len, 2);
}

TEST(wire_parse__w5_flush)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("W5", &pkt), XROCE_PARSE_OK);
	CHECK_EQ(pkt.info->op, XROCE_OP_FLUSH);
	CHECK_EQ(pkt.flush_type, 1);
	CHECK_EQ(pkt.flush_level, 0);
	CHECK_EQ(pkt.va, 0x1000);
	CHECK_EQ(pkt.rkey, 0x2000);
	CHECK_EQ(pkt.dma_len, 64);
	CHECK_EQ(pkt.payload_len, 0);
}

TEST(wire_parse__w6_atomic_write)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("W6", &pkt), XROCE_PARSE_OK);
	CHECK_EQ(pkt.info->op, XROCE_OP_ATOMIC_WRITE);
	CHECK_EQ(pkt.va, 0x1008);
	CHECK_EQ(pkt.rkey, 0x2000);
	CHECK_EQ(pkt.dma_len, 8);
	CHECK_EQ(pkt.payload_len, 8);
}

TEST(wire_parse__w7_xrc_is_unknown)
{
	struct xroce_pkt pkt;

	CHECK_EQ(parse_vector("W7", &pkt), XROCE_PARSE_OPCODE);
}

/* What a packet of these properties must give, in other words than wire.c's. */
static enum xroce_parse expected(unsigned int opcode, unsigned int pad,
				 unsigned int avail, unsigned int len)
{
	const struct xroce_opcode *row = xroce_opcode_find((u8)opcode);

	if (avail < 12 || len < 16)
		return XROCE_PARSE_SHORT;
	if (!row)
		return XROCE_PARSE_OPCODE;
	if (avail < row->hdr_len || len < row->hdr_len + pad + 4)
		return XROCE_PARSE_SHORT;
	return XROCE_PARSE_OK;
}

static void check_parse(u8 *p, unsigned int opcode, unsigned int pad,
			unsigned int avail, unsigned int len)
{
	struct xroce_pkt pkt;
	enum xroce_parse parse;

	test_context("opcode %02x pad %u avail %u len %u", opcode, pad, avail, len);
	if (avail > 0)
		p[0] = (u8)opcode;
	if (avail > 1)
		p[1] = (u8)(pad << 4);
	parse = xroce_wire_parse(&pkt, p, avail, len);
	CHECK_EQ(parse, expected(opcode, pad, avail, len));
	if (parse != XROCE_PARSE_OK)
		return;
	CHECK_EQ(pkt.pad, pad);
	CHECK_EQ(pkt.hdr_len, pkt.info->hdr_len);
	CHECK_EQ(pkt.hdr_len + pkt.payload_len + pkt.pad + 4, len);
}

/* Field reports 5-18 and 5-65. */
TEST(wire_parse__every_opcode_length_and_pad)
{
	unsigned int opcode, pad, len;

	for (len = 0; len <= BLOCK_BYTES; len++) {
		struct block b = block_alloc(len);

		for (opcode = 0; opcode < 256; opcode++)
			for (pad = 0; pad < 4; pad++)
				check_parse(b.p, opcode, pad, len, len);
		block_free(b);
	}
}

/* Less in the linear part than the packet has: only the headers are read. */
TEST(wire_parse__avail_bounds_what_is_read)
{
	unsigned int opcode, avail;

	for (avail = 0; avail <= XROCE_MAX_HDR_BYTES; avail++) {
		struct block b = block_alloc(avail);

		for (opcode = 0; opcode < 256; opcode++) {
			check_parse(b.p, opcode, 3, avail, 4096);
			check_parse(b.p, opcode, 3, avail, UINT_MAX);
		}
		block_free(b);
	}
}

/* A trailer behind the packet does not make up for missing bytes in it. */
TEST(wire_parse__bytes_behind_the_packet_do_not_count)
{
	struct block b = block_alloc(BLOCK_BYTES);
	unsigned int opcode, len;

	for (opcode = 0; opcode < 256; opcode++)
		for (len = 0; len < 64; len++)
			check_parse(b.p, opcode, len & 3, BLOCK_BYTES, len);
	block_free(b);
}

TEST(wire_parse__forged_pad_is_short)
{
	static const u8 send_only[] = {
		0x04, 0x30, 0xff, 0xff, 0, 0, 0, 0x12, 0, 0, 0, 1,
		1, 2, 3, 4, 5, 6,
	};
	struct xroce_pkt pkt;
	unsigned int len;

	for (len = 16; len < 19; len++)
		CHECK_EQ(xroce_wire_parse(&pkt, send_only, sizeof(send_only), len),
			 XROCE_PARSE_SHORT);
	CHECK_EQ(xroce_wire_parse(&pkt, send_only, sizeof(send_only), 19),
		 XROCE_PARSE_OK);
	CHECK_EQ(pkt.payload_len, 0);
}

/* Field report 5-17: the payload length is the packet's, whatever RETH says. */
TEST(wire_parse__atomic_write_of_any_length)
{
	static const unsigned int lens[] = { 0, 4, 8, 16 };
	struct xroce_pkt pkt;
	size_t i;

	for (i = 0; i < 4; i++) {
		unsigned int len = 12 + 16 + lens[i] + 4;
		struct block b = block_alloc(len);

		memset(b.p, 0, len);
		b.p[0] = 0x1d;
		b.p[27] = 8;
		CHECK_EQ(xroce_wire_parse(&pkt, b.p, len, len), XROCE_PARSE_OK);
		CHECK_EQ(pkt.dma_len, 8);
		CHECK_EQ(pkt.payload_len, lens[i]);
		block_free(b);
	}
}

TEST(wire_parse__other_versions)
{
	unsigned int version;

	for (version = 0; version < 16; version++) {
		u8 ack[20] = { 0x11, (u8)(0x40 | version) };
		struct xroce_pkt pkt;

		test_context("version %u", version);
		CHECK_EQ(xroce_wire_parse(&pkt, ack, 20, 20),
			 version ? XROCE_PARSE_VERSION : XROCE_PARSE_OK);
	}
}

/* Multicast or not makes no difference here: field report 5-18. */
TEST(wire_parse__unknown_opcode_to_multicast)
{
	u8 packet[20] = { 0xff, 0, 0xff, 0xff, 0, 0xff, 0xff, 0xff };
	struct xroce_pkt pkt;

	CHECK_EQ(xroce_wire_parse(&pkt, packet, 20, 20), XROCE_PARSE_OPCODE);
	packet[0] = 0x64;
	CHECK_EQ(xroce_wire_parse(&pkt, packet, 20, 20), XROCE_PARSE_SHORT);
}

TEST(wire_parse__reserved_bits_are_ignored)
{
	u8 ack[20] = { 0x11, 0, 0xff, 0xff, 0xbf, 0, 0, 1, 0x7f, 0, 0, 2 };
	struct xroce_pkt pkt;

	CHECK_EQ(xroce_wire_parse(&pkt, ack, 20, 20), XROCE_PARSE_OK);
	CHECK(!pkt.becn && !pkt.ack_req);
	CHECK_EQ(pkt.dest_qp, 1);
	CHECK_EQ(pkt.psn, 2);
}

TEST(wire_parse__reserved_bits_of_feth)
{
	u8 flush[36] = { 0x1c, [12] = 0xff, 0xff, 0xff, 0xff };
	struct xroce_pkt pkt;
	u8 buf[XROCE_MAX_HDR_BYTES];

	CHECK_EQ(xroce_wire_parse(&pkt, flush, 36, 36), XROCE_PARSE_OK);
	CHECK_EQ(pkt.flush_level, 3);
	CHECK_EQ(pkt.flush_type, 0xf);
	pkt.flush_level = 0xff;
	pkt.flush_type = 0xff;
	CHECK_EQ(xroce_wire_build(&pkt, buf), 32);
	CHECK_MEM(buf + 12, "\0\0\0\x3f", 4);
}

TEST(wire_parse__unaligned)
{
	u8 bytes[VECTOR_MAX_BYTES], moved[VECTOR_MAX_BYTES];
	unsigned int shift, len = vector_bytes(vector_find("W3")->hex, bytes) - 48;
	struct xroce_pkt pkt;

	for (shift = 0; shift < 8; shift++) {
		memcpy(moved + shift, bytes + 48, len);
		CHECK_EQ(xroce_wire_parse(&pkt, moved + shift, len, len),
			 XROCE_PARSE_OK);
		CHECK_EQ(pkt.va, 0x7f0012345678);
		CHECK_EQ(be32_to_cpu(pkt.imm), 0x01020304);
	}
}

/* All vectors have reserved bits zero, so the headers come back as they were. */
TEST(wire_build__vectors_come_back)
{
	size_t i;

	for (i = 0; i < VECTORS; i++) {
		u8 bytes[VECTOR_MAX_BYTES];
		unsigned int net = xroce_icrc_l3_bytes(vectors[i].l3);
		unsigned int len = vector_bytes(vectors[i].hex, bytes) - net;
		struct xroce_pkt pkt;
		struct block b;

		test_context("%s", vectors[i].name);
		if (xroce_wire_parse(&pkt, bytes + net, len, len))
			continue;
		b = block_alloc(pkt.hdr_len);
		CHECK_EQ(xroce_wire_build(&pkt, b.p), pkt.hdr_len);
		CHECK_MEM(b.p, bytes + net, pkt.hdr_len);
		block_free(b);
	}
}

/* A packet in which every byte of every field differs. */
static const struct xroce_pkt full = {
	.pad = 2,
	.solicited = true,
	.mig_req = true,
	.ack_req = true,
	.becn = true,
	.pkey = 0x7ffe,
	.dest_qp = 0x010203,
	.psn = 0x040506,
	.qkey = 0x0708090a,
	.src_qp = 0x0b0c0d,
	.va = 0x1112131415161718,
	.rkey = 0x191a1b1c,
	.dma_len = 0x1d1e1f20,
	.swap_add = 0x2122232425262728,
	.compare = 0x292a2b2c2d2e2f30,
	.orig = 0x3132333435363738,
	.syndrome = 0x61,
	.flush_type = 0x5,
	.flush_level = 0x2,
	.msn = 0x393a3b,
	.inv_rkey = 0x41424344,
};

static void check_same(const struct xroce_pkt *a, const struct xroce_pkt *b,
		       u16 hdrs)
{
	CHECK_EQ(a->opcode, b->opcode);
	CHECK_EQ(a->pad, b->pad);
	CHECK(a->solicited == b->solicited && a->mig_req == b->mig_req &&
	      a->ack_req == b->ack_req && a->becn == b->becn);
	CHECK_EQ(a->pkey, b->pkey);
	CHECK_EQ(a->dest_qp, b->dest_qp);
	CHECK_EQ(a->psn, b->psn);
	if (hdrs & XROCE_HDR_DETH)
		CHECK(a->qkey == b->qkey && a->src_qp == b->src_qp);
	if (hdrs & XROCE_HDR_FETH)
		CHECK(a->flush_type == b->flush_type &&
		      a->flush_level == b->flush_level);
	if (hdrs & (XROCE_HDR_RETH | XROCE_HDR_ATOMICETH))
		CHECK(a->va == b->va && a->rkey == b->rkey);
	if (hdrs & XROCE_HDR_RETH)
		CHECK_EQ(a->dma_len, b->dma_len);
	if (hdrs & XROCE_HDR_ATOMICETH)
		CHECK(a->swap_add == b->swap_add && a->compare == b->compare);
	if (hdrs & XROCE_HDR_AETH)
		CHECK(a->syndrome == b->syndrome && a->msn == b->msn);
	if (hdrs & XROCE_HDR_ATOMICACK)
		CHECK_EQ(a->orig, b->orig);
	if (hdrs & XROCE_HDR_IMMDT)
		CHECK_EQ(a->imm, b->imm);
	if (hdrs & XROCE_HDR_IETH)
		CHECK_EQ(a->inv_rkey, b->inv_rkey);
}

/* Exact-size buffers: build writes its headers and not a byte more. */
TEST(wire_build__every_opcode_parses_back)
{
	struct xroce_pkt pkt = full, back;
	unsigned int opcode;

	pkt.imm = cpu_to_be32(0x3d3e3f40);
	for (opcode = 0; opcode < 256; opcode++) {
		const struct xroce_opcode *row = xroce_opcode_find((u8)opcode);
		struct block b;

		if (!row)
			continue;
		test_context("opcode %02x", opcode);
		b = block_alloc(row->hdr_len);
		pkt.opcode = (u8)opcode;
		CHECK_EQ(xroce_wire_build(&pkt, b.p), row->hdr_len);
		CHECK(row->hdr_len <= XROCE_MAX_HDR_BYTES);
		CHECK_EQ(xroce_wire_parse(&back, b.p, row->hdr_len,
					  row->hdr_len + 100), XROCE_PARSE_OK);
		CHECK(back.info == row);
		CHECK_EQ(back.payload_len, 100 - 2 - 4);
		check_same(&pkt, &back, row->hdrs);
		block_free(b);
	}
}

TEST(wire_build__unknown_opcode_writes_nothing)
{
	struct xroce_pkt pkt = { .opcode = 0xa4 };

	CHECK_EQ(xroce_wire_build(&pkt, NULL), 0);
}

TEST(wire_build__fields_that_are_too_wide_are_cut)
{
	static const u8 want[] = {
		0x65, 0x10, 0x00, 0x00, 0x00, 0x23, 0x45, 0x67,
		0x00, 0xab, 0xcd, 0xef, 0xff, 0xff, 0xff, 0xff,
		0x00, 0x11, 0x22, 0x33, 0x00, 0x00, 0x00, 0x00,
	};
	struct xroce_pkt pkt = {
		.opcode = 0x65,
		.pad = 5,
		.dest_qp = 0x01234567,
		.psn = 0x89abcdef,
		.qkey = 0xffffffff,
		.src_qp = 0x00112233,
	};
	u8 buf[XROCE_MAX_HDR_BYTES];

	CHECK_EQ(xroce_wire_build(&pkt, buf), sizeof(want));
	CHECK_MEM(buf, want, sizeof(want));
}

/* Reserved bytes are written too: the buffer comes uninitialised. */
TEST(wire_build__cnp)
{
	struct xroce_pkt pkt = {
		.opcode = 0x81,
		.becn = true,
		.pkey = XROCE_DEFAULT_PKEY,
		.dest_qp = 0x118,
	};
	u8 bytes[VECTOR_MAX_BYTES], buf[XROCE_MAX_HDR_BYTES];

	vector_bytes(vector_find("V2")->hex, bytes);
	memset(buf, 0xee, sizeof(buf));
	CHECK_EQ(xroce_wire_build(&pkt, buf), 28);
	CHECK_MEM(buf, bytes + 28, 28);
	CHECK_EQ(buf[28], 0xee);
}
