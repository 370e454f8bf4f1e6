// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "burst.h"
#include "test.h"

TEST(burst_segment__tagged)
{
	struct xiwarp_burst burst = {
		.first = { .opcode = XIWARP_OP_WRITE, .stag = 5, .to = 1000 },
		.bytes = 250,
		.seg_bytes = 100,
		.nsegs = 3,
		.is_last = true,
	};
	struct xiwarp_seg seg;

	CHECK_EQ(xiwarp_burst_segment(&burst, 0, &seg), 0);
	CHECK_EQ(seg.payload_len, 100);
	CHECK_EQ(seg.to, 1000);
	CHECK(!seg.is_last);
	CHECK_EQ(xiwarp_burst_segment(&burst, 2, &seg), 200);
	CHECK_EQ(seg.payload_len, 50);
	CHECK_EQ(seg.to, 1200);
	CHECK_EQ(seg.stag, 5);
	CHECK(seg.is_last);
	burst.is_last = false;
	xiwarp_burst_segment(&burst, 2, &seg);
	CHECK(!seg.is_last);
}

TEST(burst_segment__untagged)
{
	struct xiwarp_burst burst = {
		.first = { .opcode = XIWARP_OP_SEND, .msn = 9, .mo = 300 },
		.bytes = 200,
		.seg_bytes = 100,
		.nsegs = 2,
		.is_last = true,
	};
	struct xiwarp_seg seg;

	CHECK_EQ(xiwarp_burst_segment(&burst, 1, &seg), 100);
	CHECK_EQ(seg.mo, 400);
	CHECK_EQ(seg.msn, 9);
	CHECK_EQ(seg.payload_len, 100);
	CHECK(seg.is_last);
}

TEST(burst_segment__empty)
{
	struct xiwarp_burst burst = {
		.first = { .opcode = XIWARP_OP_SEND },
		.seg_bytes = 100,
		.nsegs = 1,
		.is_last = true,
	};
	struct xiwarp_seg seg;

	CHECK_EQ(xiwarp_burst_segment(&burst, 0, &seg), 0);
	CHECK_EQ(seg.payload_len, 0);
	CHECK(seg.is_last);
}
