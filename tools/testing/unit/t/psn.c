// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "psn.h"
#include "test.h"

TEST(psn_add__wraps_at_24_bits)
{
	CHECK_EQ(xroce_psn_add(0, 1), 1);
	CHECK_EQ(xroce_psn_add(0xffffff, 1), 0);
	CHECK_EQ(xroce_psn_add(0xfffffe, 4), 2);
	CHECK_EQ(xroce_psn_add(0x123456, 0), 0x123456);
}

TEST(psn_add__goes_back_with_a_negative_number)
{
	CHECK_EQ(xroce_psn_add(5, (u32)-1), 4);
	CHECK_EQ(xroce_psn_add(0, (u32)-1), 0xffffff);
}

TEST(psn_diff__is_the_signed_distance)
{
	CHECK(xroce_psn_diff(7, 7) == 0);
	CHECK(xroce_psn_diff(8, 7) == 1);
	CHECK(xroce_psn_diff(7, 8) == -1);
	CHECK(xroce_psn_diff(0, 0xffffff) == 1);
	CHECK(xroce_psn_diff(0xffffff, 0) == -1);
}

TEST(psn_diff__ends_of_the_window)
{
	CHECK(xroce_psn_diff(0x7fffff, 0) == 0x7fffff);
	CHECK(xroce_psn_diff(0x800000, 0) == -0x800000);
	CHECK(xroce_psn_diff(0, 0x800000) == -0x800000);
}

TEST(psn_diff__undoes_add_everywhere)
{
	static const u32 steps[] = { 0, 1, 2, 0x400000, 0x7fffff };
	u32 psn, i;

	for (psn = 0; psn <= XROCE_PSN_MASK; psn += 0x101)
		for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
			u32 later = xroce_psn_add(psn, steps[i]);

			test_context("psn %06x step %06x", psn, steps[i]);
			CHECK(xroce_psn_diff(later, psn) == (s32)steps[i]);
			CHECK(xroce_psn_diff(psn, later) == -(s32)steps[i]);
		}
}

TEST(psn_diff__ignores_bits_above_24)
{
	CHECK(xroce_psn_diff(0xff000001, 0) == 1);
	CHECK(xroce_psn_diff(1, 0xff000002) == -1);
}

TEST(psn_before__is_strict_and_wraps)
{
	CHECK(xroce_psn_before(1, 2));
	CHECK(!xroce_psn_before(2, 2));
	CHECK(!xroce_psn_before(3, 2));
	CHECK(xroce_psn_before(0xffffff, 0));
	CHECK(!xroce_psn_before(0, 0xffffff));
}
