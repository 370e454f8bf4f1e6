// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "vectors.h"
#include "wire.h"

static u8 buf[256];
static u8 out[XIWARP_MAX_HDR_BYTES];
static struct xiwarp_seg seg;

/* The ULPDU of an FPDU vector, parsed. */
static unsigned int open_fpdu(const char *text)
{
	unsigned int ulpdu;

	vector(text, buf);
	ulpdu = (unsigned int)(buf[0] << 8 | buf[1]);
	CHECK_EQ(xiwarp_wire_parse(&seg, buf + 2, ulpdu), XIWARP_PARSE_OK);
	CHECK_EQ(xiwarp_wire_hdr_len(buf + 2, ulpdu), seg.hdr_len);
	CHECK_EQ(seg.hdr_len + seg.payload_len, ulpdu);
	return ulpdu;
}

/* What was parsed gives the same bytes again. */
static void check_build(void)
{
	CHECK_EQ(xiwarp_wire_build(&seg, out), seg.hdr_len);
	CHECK_MEM(out, buf + 2, seg.hdr_len);
}

TEST(wire_parse__write)
{
	open_fpdu(FPDU_WRITE);
	CHECK_EQ(seg.opcode, XIWARP_OP_WRITE);
	CHECK(seg.is_last);
	CHECK_EQ(seg.stag, 0x12345600);
	CHECK_EQ(seg.to, 0x00007f0012340010);
	CHECK_EQ(seg.payload_len, 8);
	check_build();
}

TEST(wire_parse__not_last)
{
	open_fpdu(FPDU_WRITE);
	buf[2] = 0x81;
	CHECK_EQ(xiwarp_wire_parse(&seg, buf + 2, 22), XIWARP_PARSE_OK);
	CHECK(!seg.is_last);
	check_build();
}

TEST(wire_parse__send)
{
	open_fpdu(FPDU_SEND_HELLO);
	CHECK_EQ(seg.opcode, XIWARP_OP_SEND);
	CHECK_EQ(seg.qn, 0);
	CHECK_EQ(seg.msn, 1);
	CHECK_EQ(seg.mo, 0);
	CHECK_EQ(seg.payload_len, 5);
	check_build();
}

TEST(wire_parse__send_se_inv)
{
	open_fpdu(FPDU_SEND_SE_INV);
	CHECK_EQ(seg.opcode, XIWARP_OP_SEND_SE_INV);
	CHECK(seg.info->has_inv);
	CHECK(seg.info->solicited);
	CHECK_EQ(seg.stag, 0xabcd1200);
	CHECK_EQ(seg.msn, 2);
	check_build();
}

TEST(wire_parse__read_request)
{
	open_fpdu(FPDU_READ);
	CHECK_EQ(seg.qn, 1);
	CHECK_EQ(seg.read.sink_stag, 0xaabbcc01);
	CHECK_EQ(seg.read.sink_to, 0x00007f5500001000);
	CHECK_EQ(seg.read.length, 16);
	CHECK_EQ(seg.read.src_stag, 0x11223302);
	CHECK_EQ(seg.read.src_to, 0x00007f6600002000);
	check_build();
}

TEST(wire_parse__atomics)
{
	open_fpdu(FPDU_FETCH_ADD);
	CHECK_EQ(seg.atomic.op, XIWARP_FETCH_ADD);
	CHECK_EQ(seg.atomic.id, 7);
	CHECK_EQ(seg.atomic.stag, 0x11223302);
	CHECK_EQ(seg.atomic.to, 0x2000);
	CHECK_EQ(seg.atomic.swap_add, 1);
	check_build();
	open_fpdu(FPDU_CMP_SWAP);
	CHECK_EQ(seg.atomic.op, XIWARP_CMP_SWAP);
	CHECK_EQ(seg.atomic.swap_add, 0xaa);
	CHECK_EQ(seg.atomic.mask, ~0ULL);
	CHECK_EQ(seg.atomic.compare, 0x55);
	CHECK_EQ(seg.atomic.compare_mask, ~0ULL);
	check_build();
	open_fpdu(FPDU_RESULT);
	CHECK_EQ(seg.qn, 3);
	CHECK_EQ(seg.result.id, 7);
	CHECK_EQ(seg.result.value, 41);
	check_build();
}

TEST(wire_parse__immediate)
{
	static const u8 imm[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	open_fpdu(FPDU_IMMEDIATE);
	CHECK_MEM(seg.imm, imm, sizeof(imm));
	check_build();
}

TEST(wire_parse__terminate)
{
	open_fpdu(FPDU_TERM_NO_BUFFER);
	CHECK_EQ(seg.term.layer, 1);
	CHECK_EQ(seg.term.etype, 2);
	CHECK_EQ(seg.term.code, 2);
	CHECK(seg.term.has_length && seg.term.has_ddp && !seg.term.has_read);
	CHECK_EQ(seg.term.seg_len, 118);
	CHECK_EQ(seg.term.ddp_len, 18);
	CHECK_EQ(xiwarp_wire_term_about(&seg.term), XIWARP_OP_SEND);
	CHECK(!seg.term.is_swapped);
	check_build();
	open_fpdu(FPDU_TERM_READ_STAG);
	CHECK(seg.term.has_read);
	CHECK_EQ(seg.term.layer, 0);
	CHECK_EQ(seg.term.etype, 1);
	CHECK_EQ(seg.term.read[16], 0xde);
	check_build();
	open_fpdu(FPDU_TERM_CRC);
	CHECK_EQ(seg.term.layer, 2);
	CHECK_EQ(seg.term.etype, 0);
	CHECK_EQ(seg.term.code, 2);
	CHECK(!seg.term.has_length && !seg.term.has_ddp);
	CHECK_EQ(xiwarp_wire_term_about(&seg.term), -1);
	check_build();
}

/* A tagged header is shorter. */
TEST(wire_parse__terminate_about_a_write)
{
	struct xiwarp_seg write;

	open_fpdu(FPDU_WRITE);
	write = seg;
	memset(&seg, 0, sizeof(seg));
	seg.opcode = XIWARP_OP_TERMINATE;
	seg.is_last = true;
	seg.qn = 2;
	seg.msn = 1;
	seg.term.layer = 1;
	seg.term.etype = 1;
	seg.term.has_length = true;
	seg.term.seg_len = 22;
	seg.term.has_ddp = true;
	seg.term.ddp_len = 14;
	xiwarp_wire_build(&write, seg.term.ddp);
	CHECK_EQ(xiwarp_wire_build(&seg, buf), 18 + 4 + 2 + 14);
	CHECK_EQ(xiwarp_wire_parse(&seg, buf, 38), XIWARP_PARSE_OK);
	CHECK_EQ(seg.term.ddp_len, 14);
	CHECK_EQ(xiwarp_wire_term_about(&seg.term), XIWARP_OP_WRITE);
	CHECK_MEM(seg.term.ddp, buf + 24, 14);
}

/* siw on a little-endian host: nibbles exchanged, flags in the low bits */
TEST(wire_parse__terminate_of_siw)
{
	static const struct {
		u8 octet, code, flags;
		bool is_swapped;
		u8 layer, etype;
	} spec[] = {
		{ 0x10, 0x00, 0x07, true, 0, 1 },	/* RDMAP protection */
		{ 0x11, 0x00, 0x03, true, 1, 1 },
		{ 0x21, 0x02, 0x03, true, 1, 2 },
		{ 0x21, 0x01, 0x00, true, 1, 2 },
		{ 0x20, 0x06, 0x01, true, 0, 2 },
		{ 0x02, 0x02, 0x00, true, 2, 0 },	/* LLP, CRC */
		/* the RFC's */
		{ 0x01, 0x00, 0xe0, false, 0, 1 },
		{ 0x12, 0x02, 0xc0, false, 1, 2 },
		{ 0x02, 0x05, 0x00, false, 0, 2 },	/* RDMAP version */
		{ 0x20, 0x02, 0x00, false, 2, 0 },
		{ 0x00, 0x00, 0x00, false, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		test_context("row %u", i);
		open_fpdu(FPDU_TERM_READ_STAG);
		buf[20] = spec[i].octet;
		buf[21] = spec[i].code;
		buf[22] = spec[i].flags;
		CHECK_EQ(xiwarp_wire_parse(&seg, buf + 2, 70), XIWARP_PARSE_OK);
		CHECK_EQ(seg.term.is_swapped, spec[i].is_swapped);
		CHECK_EQ(seg.term.layer, spec[i].layer);
		CHECK_EQ(seg.term.etype, spec[i].etype);
		CHECK_EQ(seg.term.code, spec[i].code);
	}
	open_fpdu(FPDU_TERM_READ_STAG);
	buf[20] = 0x10;
	buf[22] = 0x07;
	CHECK_EQ(xiwarp_wire_parse(&seg, buf + 2, 70), XIWARP_PARSE_OK);
	CHECK(seg.term.has_length && seg.term.has_ddp && seg.term.has_read);
	CHECK_EQ(xiwarp_wire_term_about(&seg.term), XIWARP_OP_READ_REQUEST);
}

/* Flags promise more than the message holds. */
TEST(wire_parse__terminate_cut_short)
{
	unsigned int len;

	for (len = 22; len <= 70; len++) {
		test_context("%u bytes", len);
		open_fpdu(FPDU_TERM_READ_STAG);
		CHECK_EQ(xiwarp_wire_parse(&seg, buf + 2, len), XIWARP_PARSE_OK);
		CHECK_EQ(seg.term.has_length, len >= 24);
		CHECK_EQ(seg.term.has_ddp, len >= 42);
		CHECK_EQ(seg.term.has_read, len >= 70);
		CHECK_EQ(seg.hdr_len, len);
		CHECK_EQ(seg.payload_len, 0);
	}
}

/* Every header one byte short, and header-only messages one byte long. */
TEST(wire_parse__length)
{
	u8 op;

	for (op = 0; op < 12; op++) {
		const struct xiwarp_opcode *row = xiwarp_opcode_find(op);
		unsigned int len;

		test_context("opcode %u", op);
		memset(buf, 0, sizeof(buf));
		buf[0] = row->is_tagged ? 0xc1 : 0x41;
		buf[1] = 0x40 | op;
		for (len = 0; len < row->hdr_len; len++) {
			CHECK_EQ(xiwarp_wire_parse(&seg, buf, len),
				 XIWARP_PARSE_SHORT);
			CHECK_EQ(xiwarp_wire_hdr_len(buf, len), len);
		}
		CHECK_EQ(xiwarp_wire_parse(&seg, buf, row->max_len),
			 XIWARP_PARSE_OK);
		CHECK_EQ(xiwarp_wire_parse(&seg, buf, row->max_len + 1),
			 row->has_payload ? XIWARP_PARSE_OK : XIWARP_PARSE_LONG);
		CHECK_EQ(xiwarp_wire_hdr_len(buf, 65535), row->max_len);
		if (!row->has_payload)
			continue;
		CHECK_EQ(xiwarp_wire_parse(&seg, buf, 65535), XIWARP_PARSE_OK);
		CHECK_EQ(seg.payload_len, 65535 - row->hdr_len);
	}
}

TEST(wire_parse__version_and_opcode)
{
	static const struct {
		u8 ddp, rdmap;
		u8 result;
	} spec[] = {
		{ 0xc0, 0x40, XIWARP_PARSE_TAGGED_VERSION },
		{ 0xc2, 0x40, XIWARP_PARSE_TAGGED_VERSION },
		{ 0x43, 0x43, XIWARP_PARSE_UNTAGGED_VERSION },
		{ 0x40, 0x03, XIWARP_PARSE_UNTAGGED_VERSION },
		{ 0xc1, 0x00, XIWARP_PARSE_RDMAP_VERSION },
		{ 0x41, 0x83, XIWARP_PARSE_RDMAP_VERSION },
		{ 0x41, 0xc3, XIWARP_PARSE_RDMAP_VERSION },
		{ 0x41, 0x4c, XIWARP_PARSE_OPCODE },
		{ 0xc1, 0x4f, XIWARP_PARSE_OPCODE },
		{ 0x41, 0x40, XIWARP_PARSE_OPCODE },	/* Write, untagged */
		{ 0xc1, 0x43, XIWARP_PARSE_OPCODE },	/* Send, tagged */
		{ 0xc1, 0x41, XIWARP_PARSE_OPCODE },
		/* reserved bits are not looked at */
		{ 0xfd, 0x70, XIWARP_PARSE_OK },
	};
	unsigned int i;

	memset(buf, 0, sizeof(buf));
	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		test_context("row %u", i);
		buf[0] = spec[i].ddp;
		buf[1] = spec[i].rdmap;
		CHECK_EQ(xiwarp_wire_parse(&seg, buf, 100), spec[i].result);
	}
}

/* What nobody can parse is judged by two octets. */
TEST(wire_hdr_len__unknown)
{
	u8 ctrl[2] = { 0x41, 0x4c };

	CHECK_EQ(xiwarp_wire_hdr_len(ctrl, 1000), 2);
	ctrl[0] = 0xc1;
	ctrl[1] = 0x43;
	CHECK_EQ(xiwarp_wire_hdr_len(ctrl, 1000), 2);
	CHECK_EQ(xiwarp_wire_hdr_len(ctrl, 1), 1);
	CHECK_EQ(xiwarp_wire_hdr_len(ctrl, 0), 0);
}
