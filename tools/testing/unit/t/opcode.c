// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "opcode.h"
#include "test.h"

/*
 * The specification's table once more, written by hand: opcode, service,
 * position (F M L O), response, bytes of BTH and extension headers.
 */
static const struct {
	u8 opcode;
	u8 service;
	u8 op;
	char pos;
	bool is_response;
	u8 hdr_len;
} spec[] = {
	{ 0x00, XROCE_RC, XROCE_OP_SEND, 'F', 0, 12 },
	{ 0x01, XROCE_RC, XROCE_OP_SEND, 'M', 0, 12 },
	{ 0x02, XROCE_RC, XROCE_OP_SEND, 'L', 0, 12 },
	{ 0x03, XROCE_RC, XROCE_OP_SEND, 'L', 0, 16 },
	{ 0x04, XROCE_RC, XROCE_OP_SEND, 'O', 0, 12 },
	{ 0x05, XROCE_RC, XROCE_OP_SEND, 'O', 0, 16 },
	{ 0x06, XROCE_RC, XROCE_OP_WRITE, 'F', 0, 28 },
	{ 0x07, XROCE_RC, XROCE_OP_WRITE, 'M', 0, 12 },
	{ 0x08, XROCE_RC, XROCE_OP_WRITE, 'L', 0, 12 },
	{ 0x09, XROCE_RC, XROCE_OP_WRITE, 'L', 0, 16 },
	{ 0x0a, XROCE_RC, XROCE_OP_WRITE, 'O', 0, 28 },
	{ 0x0b, XROCE_RC, XROCE_OP_WRITE, 'O', 0, 32 },
	{ 0x0c, XROCE_RC, XROCE_OP_READ_REQUEST, 'O', 0, 28 },
	{ 0x0d, XROCE_RC, XROCE_OP_READ_RESPONSE, 'F', 1, 16 },
	{ 0x0e, XROCE_RC, XROCE_OP_READ_RESPONSE, 'M', 1, 12 },
	{ 0x0f, XROCE_RC, XROCE_OP_READ_RESPONSE, 'L', 1, 16 },
	{ 0x10, XROCE_RC, XROCE_OP_READ_RESPONSE, 'O', 1, 16 },
	{ 0x11, XROCE_RC, XROCE_OP_ACKNOWLEDGE, 'O', 1, 16 },
	{ 0x12, XROCE_RC, XROCE_OP_ATOMIC_ACKNOWLEDGE, 'O', 1, 24 },
	{ 0x13, XROCE_RC, XROCE_OP_CMP_SWAP, 'O', 0, 40 },
	{ 0x14, XROCE_RC, XROCE_OP_FETCH_ADD, 'O', 0, 40 },
	{ 0x16, XROCE_RC, XROCE_OP_SEND, 'L', 0, 16 },
	{ 0x17, XROCE_RC, XROCE_OP_SEND, 'O', 0, 16 },
	{ 0x1c, XROCE_RC, XROCE_OP_FLUSH, 'O', 0, 32 },
	{ 0x1d, XROCE_RC, XROCE_OP_ATOMIC_WRITE, 'O', 0, 28 },
	{ 0x20, XROCE_UC, XROCE_OP_SEND, 'F', 0, 12 },
	{ 0x21, XROCE_UC, XROCE_OP_SEND, 'M', 0, 12 },
	{ 0x22, XROCE_UC, XROCE_OP_SEND, 'L', 0, 12 },
	{ 0x23, XROCE_UC, XROCE_OP_SEND, 'L', 0, 16 },
	{ 0x24, XROCE_UC, XROCE_OP_SEND, 'O', 0, 12 },
	{ 0x25, XROCE_UC, XROCE_OP_SEND, 'O', 0, 16 },
	{ 0x26, XROCE_UC, XROCE_OP_WRITE, 'F', 0, 28 },
	{ 0x27, XROCE_UC, XROCE_OP_WRITE, 'M', 0, 12 },
	{ 0x28, XROCE_UC, XROCE_OP_WRITE, 'L', 0, 12 },
	{ 0x29, XROCE_UC, XROCE_OP_WRITE, 'L', 0, 16 },
	{ 0x2a, XROCE_UC, XROCE_OP_WRITE, 'O', 0, 28 },
	{ 0x2b, XROCE_UC, XROCE_OP_WRITE, 'O', 0, 32 },
	{ 0x64, XROCE_UD, XROCE_OP_SEND, 'O', 0, 20 },
	{ 0x65, XROCE_UD, XROCE_OP_SEND, 'O', 0, 24 },
	{ 0x81, XROCE_CNP, XROCE_OP_CNP, 'O', 0, 28 },
};

#define ROWS (sizeof(spec) / sizeof(*spec))

static u8 pos_of(char c)
{
	switch (c) {
	case 'F':
		return XROCE_POS_FIRST;
	case 'L':
		return XROCE_POS_LAST;
	case 'O':
		return XROCE_POS_ONLY;
	default:
		return XROCE_POS_MIDDLE;
	}
}

TEST(opcode_find__rows_are_those_of_the_specification)
{
	size_t i;

	for (i = 0; i < ROWS; i++) {
		const struct xroce_opcode *row = xroce_opcode_find(spec[i].opcode);

		test_context("opcode %02x", spec[i].opcode);
		CHECK(row);
		CHECK_EQ(row->valid, 1);
		CHECK_EQ(row->service, spec[i].service);
		CHECK_EQ(row->op, spec[i].op);
		CHECK_EQ(row->pos, pos_of(spec[i].pos));
		CHECK_EQ(row->is_response, spec[i].is_response);
		CHECK_EQ(row->hdr_len, spec[i].hdr_len);
	}
}

/* Field report 5-18: what is not in the table is refused, by its valid bit. */
TEST(opcode_find__nothing_else_exists)
{
	unsigned int opcode, found = 0;

	for (opcode = 0; opcode < 256; opcode++)
		found += !!xroce_opcode_find((u8)opcode);
	CHECK_EQ(found, ROWS);
	CHECK(!xroce_opcode_find(0x15));
	CHECK(!xroce_opcode_find(0x36));	/* UC has no send with invalidate */
	CHECK(!xroce_opcode_find(0x40));	/* RD */
	CHECK(!xroce_opcode_find(0x80));	/* not the CNP of RoCEv2 */
	CHECK(!xroce_opcode_find(0xa4));	/* XRC */
	CHECK(!xroce_opcode_find(0xff));
}

TEST(opcode_find__extension_headers)
{
	CHECK_EQ(xroce_opcode_find(0x01)->hdrs, 0);
	CHECK_EQ(xroce_opcode_find(0x0b)->hdrs, XROCE_HDR_RETH | XROCE_HDR_IMMDT);
	CHECK_EQ(xroce_opcode_find(0x12)->hdrs, XROCE_HDR_AETH | XROCE_HDR_ATOMICACK);
	CHECK_EQ(xroce_opcode_find(0x14)->hdrs, XROCE_HDR_ATOMICETH);
	CHECK_EQ(xroce_opcode_find(0x17)->hdrs, XROCE_HDR_IETH);
	CHECK_EQ(xroce_opcode_find(0x1c)->hdrs, XROCE_HDR_FETH | XROCE_HDR_RETH);
	CHECK_EQ(xroce_opcode_find(0x65)->hdrs, XROCE_HDR_DETH | XROCE_HDR_IMMDT);
	CHECK_EQ(xroce_opcode_find(0x81)->hdrs, XROCE_HDR_CNP);
}

TEST(opcode_of__is_the_inverse_of_find)
{
	size_t i;

	for (i = 0; i < ROWS; i++) {
		const struct xroce_opcode *row = xroce_opcode_find(spec[i].opcode);

		test_context("opcode %02x", spec[i].opcode);
		CHECK(xroce_opcode_of(row->service, row->op, row->pos,
				      row->hdrs) == spec[i].opcode);
	}
}

TEST(opcode_of__implied_headers_need_not_be_named)
{
	CHECK(xroce_opcode_of(XROCE_RC, XROCE_OP_WRITE, XROCE_POS_ONLY, 0) == 0x0a);
	CHECK(xroce_opcode_of(XROCE_RC, XROCE_OP_WRITE, XROCE_POS_ONLY,
			      XROCE_HDR_IMMDT) == 0x0b);
	CHECK(xroce_opcode_of(XROCE_RC, XROCE_OP_WRITE, XROCE_POS_LAST,
			      XROCE_HDR_RETH) == 0x08);
	CHECK(xroce_opcode_of(XROCE_UD, XROCE_OP_SEND, XROCE_POS_ONLY,
			      XROCE_HDR_IMMDT) == 0x65);
	CHECK(xroce_opcode_of(XROCE_RC, XROCE_OP_ACKNOWLEDGE, XROCE_POS_ONLY,
			      0) == 0x11);
}

TEST(opcode_of__no_such_packet)
{
	CHECK(xroce_opcode_of(XROCE_UC, XROCE_OP_SEND, XROCE_POS_ONLY,
			      XROCE_HDR_IETH) == -1);
	CHECK(xroce_opcode_of(XROCE_RC, XROCE_OP_WRITE, XROCE_POS_LAST,
			      XROCE_HDR_IETH) == -1);
	CHECK(xroce_opcode_of(XROCE_RC, XROCE_OP_SEND, XROCE_POS_FIRST,
			      XROCE_HDR_IMMDT) == -1);
	CHECK(xroce_opcode_of(XROCE_RC, XROCE_OP_SEND, XROCE_POS_ONLY,
			      XROCE_HDR_IMMDT | XROCE_HDR_IETH) == -1);
	CHECK(xroce_opcode_of(XROCE_UC, XROCE_OP_READ_REQUEST, XROCE_POS_ONLY,
			      0) == -1);
	CHECK(xroce_opcode_of(XROCE_UD, XROCE_OP_SEND, XROCE_POS_FIRST, 0) == -1);
	CHECK(xroce_opcode_of(XROCE_UD, XROCE_OP_WRITE, XROCE_POS_ONLY, 0) == -1);
	CHECK(xroce_opcode_of(XROCE_CNP, XROCE_OP_SEND, XROCE_POS_ONLY, 0) == -1);
}
