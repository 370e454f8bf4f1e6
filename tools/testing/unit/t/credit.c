// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "credit.h"
#include "test.h"

/* IBTA table 46, of which the corners */
TEST(credit__codes)
{
	CHECK_EQ(xroce_credit_count(0), 0);
	CHECK_EQ(xroce_credit_count(1), 1);
	CHECK_EQ(xroce_credit_count(2), 2);
	CHECK_EQ(xroce_credit_count(3), 3);
	CHECK_EQ(xroce_credit_count(4), 4);
	CHECK_EQ(xroce_credit_count(5), 6);
	CHECK_EQ(xroce_credit_count(6), 8);
	CHECK_EQ(xroce_credit_count(0xb), 48);
	CHECK_EQ(xroce_credit_count(0x13), 768);
	CHECK_EQ(xroce_credit_count(0x1d), 24576);
	CHECK_EQ(xroce_credit_count(0x1e), 32768);
}

TEST(credit__never_promises_what_is_not_there)
{
	u32 n;

	for (n = 0; n < 40000; n++) {
		u8 code = xroce_credit_code(n);

		CHECK(xroce_credit_count(code) <= n);
		CHECK(code == XROCE_CREDIT_MOST || xroce_credit_count(code + 1) > n);
	}
	CHECK_EQ(xroce_credit_code(0xffffffff), XROCE_CREDIT_MOST);
}
