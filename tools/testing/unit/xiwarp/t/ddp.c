// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "ddp.h"
#include "test.h"

TEST(ddp_wraps__edges)
{
	CHECK(!xiwarp_ddp_wraps(0, 0));
	CHECK(!xiwarp_ddp_wraps(~0ULL, 0));
	CHECK(!xiwarp_ddp_wraps(~0ULL, 1));
	CHECK(xiwarp_ddp_wraps(~0ULL, 2));
	CHECK(!xiwarp_ddp_wraps(0, ~0ULL));
	CHECK(!xiwarp_ddp_wraps(0xffffffff00000001, 0xffffffff));
	CHECK(xiwarp_ddp_wraps(0xffffffff00000002, 0xffffffff));
}

TEST(ddp_parse_fault__each)
{
	CHECK_EQ(xiwarp_ddp_parse_fault(XIWARP_PARSE_OK), XIWARP_FAULT_NONE);
	CHECK_EQ(xiwarp_ddp_parse_fault(XIWARP_PARSE_SHORT), XIWARP_FAULT_LENGTH);
	CHECK_EQ(xiwarp_ddp_parse_fault(XIWARP_PARSE_LONG), XIWARP_FAULT_LENGTH);
	CHECK_EQ(xiwarp_ddp_parse_fault(XIWARP_PARSE_TAGGED_VERSION),
		 XIWARP_FAULT_TAGGED_VERSION);
	CHECK_EQ(xiwarp_ddp_parse_fault(XIWARP_PARSE_UNTAGGED_VERSION),
		 XIWARP_FAULT_UNTAGGED_VERSION);
	CHECK_EQ(xiwarp_ddp_parse_fault(XIWARP_PARSE_RDMAP_VERSION),
		 XIWARP_FAULT_RDMAP_VERSION);
	CHECK_EQ(xiwarp_ddp_parse_fault(XIWARP_PARSE_OPCODE), XIWARP_FAULT_OPCODE);
}

TEST(ddp_check_tagged__wrap)
{
	struct xiwarp_seg seg = { .to = ~0ULL, .payload_len = 1 };

	CHECK_EQ(xiwarp_ddp_check_tagged(&seg), XIWARP_FAULT_NONE);
	seg.payload_len = 2;
	CHECK_EQ(xiwarp_ddp_check_tagged(&seg), XIWARP_FAULT_TAGGED_WRAP);
}

static struct xiwarp_seg segment(u8 opcode)
{
	struct xiwarp_seg seg = {
		.info = xiwarp_opcode_find(opcode),
		.opcode = opcode,
		.is_last = true,
		.qn = xiwarp_opcode_find(opcode)->qn,
		.msn = 7,
		.mo = 100,
	};

	return seg;
}

TEST(ddp_check_untagged__each)
{
	struct xiwarp_seg seg = segment(XIWARP_OP_SEND);

	CHECK_EQ(xiwarp_ddp_check_untagged(&seg, 7, 100), XIWARP_FAULT_NONE);
	CHECK_EQ(xiwarp_ddp_check_untagged(&seg, 8, 100), XIWARP_FAULT_MSN);
	CHECK_EQ(xiwarp_ddp_check_untagged(&seg, 7, 99), XIWARP_FAULT_MO);
	seg.qn = 1;
	CHECK_EQ(xiwarp_ddp_check_untagged(&seg, 7, 100), XIWARP_FAULT_QN);
	seg.qn = 0x100;
	CHECK_EQ(xiwarp_ddp_check_untagged(&seg, 7, 100), XIWARP_FAULT_QN);
}

TEST(ddp_check_untagged__header_only_is_one_segment)
{
	struct xiwarp_seg seg = segment(XIWARP_OP_READ_REQUEST);

	CHECK_EQ(xiwarp_ddp_check_untagged(&seg, 7, 100), XIWARP_FAULT_NONE);
	seg.is_last = false;
	CHECK_EQ(xiwarp_ddp_check_untagged(&seg, 7, 100), XIWARP_FAULT_MO);
	seg = segment(XIWARP_OP_SEND);
	seg.is_last = false;
	CHECK_EQ(xiwarp_ddp_check_untagged(&seg, 7, 100), XIWARP_FAULT_NONE);
}
