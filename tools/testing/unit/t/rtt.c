// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* core/rtt.c */
#include <linux/compiler_types.h>
#include <linux/types.h>
#include "rtt.h"
#include "test.h"

static struct xroce_rtt rtt;

static void begin(void)
{
	memset(&rtt, 0, sizeof(rtt));
}

TEST(acked__first_answer_that_covers_it)
{
	begin();
	xroce_rtt_sent(&rtt, 0xffffff, 1000);
	xroce_rtt_sent(&rtt, 3, 1500);
	CHECK_EQ(xroce_rtt_acked(&rtt, 0xfffffe, 1700), 0);
	CHECK_EQ(xroce_rtt_acked(&rtt, 0, 2000), 1000);
	CHECK_EQ(xroce_rtt_acked(&rtt, 2, 2100), 0);
	CHECK_EQ(xroce_rtt_acked(&rtt, 9, 2200), 700);
	CHECK_EQ(xroce_rtt_acked(&rtt, 9, 2300), 0);
}

TEST(acked__the_youngest_of_many)
{
	begin();
	xroce_rtt_sent(&rtt, 1, 1000);
	xroce_rtt_sent(&rtt, 2, 1900);
	CHECK_EQ(xroce_rtt_acked(&rtt, 2, 2000), 100);
}

TEST(acked__smoothed_as_tcp_does)
{
	begin();
	xroce_rtt_sent(&rtt, 1, 0);
	xroce_rtt_acked(&rtt, 1, 8000);
	CHECK_EQ(rtt.smoothed, 8000);
	CHECK_EQ(rtt.variation, 4000);
	xroce_rtt_sent(&rtt, 2, 10000);
	xroce_rtt_acked(&rtt, 2, 26000);
	CHECK_EQ(rtt.smoothed, 9000);
	CHECK_EQ(rtt.variation, 5000);
	xroce_rtt_sent(&rtt, 3, 30000);
	xroce_rtt_acked(&rtt, 3, 31000);
	CHECK_EQ(rtt.smoothed, 8000);
	CHECK_EQ(rtt.variation, 5750);
	CHECK_EQ(rtt.least, 1000);
}

TEST(sent__more_than_there_is_room_for)
{
	u32 i;

	begin();
	for (i = 1; i < 100; i++)
		xroce_rtt_sent(&rtt, i, i * 1000);
	/* the first ones were kept */
	CHECK_EQ(xroce_rtt_acked(&rtt, 8, 9000), 1000);
	CHECK_EQ(xroce_rtt_acked(&rtt, 99, 100000), 0);
	xroce_rtt_sent(&rtt, 100, 100000);
	CHECK_EQ(xroce_rtt_acked(&rtt, 100, 100500), 500);
}

TEST(forget__what_was_sent_twice_is_not_measured)
{
	begin();
	xroce_rtt_sent(&rtt, 1, 1000);
	xroce_rtt_forget(&rtt);
	CHECK_EQ(xroce_rtt_acked(&rtt, 1, 2000), 0);
	CHECK_EQ(rtt.smoothed, 0);
}

TEST(patience__unknown_then_never_below_the_slack)
{
	begin();
	CHECK_EQ(xroce_rtt_patience(&rtt), 0);
	xroce_rtt_guess(&rtt, 50000);
	CHECK_EQ(xroce_rtt_patience(&rtt), 2050000);
	/* a guess does not replace a measurement */
	xroce_rtt_guess(&rtt, 1);
	CHECK_EQ(rtt.smoothed, 50000);
	begin();
	xroce_rtt_guess(&rtt, 10000000);
	CHECK_EQ(xroce_rtt_patience(&rtt), 30000000);
	rtt.variation = 0;
	CHECK_EQ(xroce_rtt_patience(&rtt), 15000000);
}
