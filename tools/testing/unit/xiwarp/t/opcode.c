// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "opcode.h"
#include "test.h"

/* The RFCs' table once more, by hand. */
static const struct {
	bool is_tagged;
	u8 qn;
	u8 hdr_len;
	u8 max_len;
	bool has_payload, has_inv, solicited;
} spec[] = {
	{ true,  0, 14, 14, true, false, false },	/* Write */
	{ false, 1, 46, 46, false, false, false },	/* Read Request */
	{ true,  0, 14, 14, true, false, false },	/* Read Response */
	{ false, 0, 18, 18, true, false, false },	/* Send */
	{ false, 0, 18, 18, true, true, false },	/* with Invalidate */
	{ false, 0, 18, 18, true, false, true },	/* with SE */
	{ false, 0, 18, 18, true, true, true },		/* with both */
	{ false, 2, 22, 70, false, false, false },	/* Terminate */
	{ false, 0, 26, 26, false, false, false },	/* Immediate */
	{ false, 0, 26, 26, false, false, true },	/* with SE */
	{ false, 1, 70, 70, false, false, false },	/* Atomic Request */
	{ false, 3, 30, 30, false, false, false },	/* Atomic Response */
};

#define ROWS (sizeof(spec) / sizeof(*spec))

TEST(opcode_find__agrees_with_the_specification)
{
	u8 op;

	for (op = 0; op < ROWS; op++) {
		const struct xiwarp_opcode *row = xiwarp_opcode_find(op);

		test_context("opcode %u", op);
		CHECK(row);
		CHECK_EQ(row->is_tagged, spec[op].is_tagged);
		CHECK_EQ(row->qn, spec[op].qn);
		CHECK_EQ(row->hdr_len, spec[op].hdr_len);
		CHECK_EQ(row->max_len, spec[op].max_len);
		CHECK_EQ(row->has_payload, spec[op].has_payload);
		CHECK_EQ(row->has_inv, spec[op].has_inv);
		CHECK_EQ(row->solicited, spec[op].solicited);
	}
}

TEST(opcode_find__holes)
{
	u8 op;

	for (op = ROWS; op < 16; op++)
		CHECK(!xiwarp_opcode_find(op));
}

TEST(opcode_find__looks_at_four_bits)
{
	CHECK(xiwarp_opcode_find(0x43) == xiwarp_opcode_find(3));
	CHECK(!xiwarp_opcode_find(0x4c));
}
