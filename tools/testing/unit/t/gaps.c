// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* core/gaps.c */
#include <linux/limits.h>
#include <linux/types.h>
#include "gaps.h"
#include "test.h"

static struct xroce_gap ring[XROCE_GAPS];
static struct xroce_gaps gaps;

static void begin(void)
{
	memset(ring, 0xff, sizeof(ring));
	gaps = (struct xroce_gaps){ .ring = ring };
}

static void check_due(u64 now, u32 psn, u32 n)
{
	struct xroce_gap *gap = xroce_gaps_due(&gaps, now);

	CHECK(gap);
	CHECK_EQ(gap->psn, psn);
	CHECK_EQ(gap->n, n);
	xroce_gaps_sent(&gaps, gap, n, now);
}

TEST(add__sent_once)
{
	begin();
	CHECK(!xroce_gaps_has_any(&gaps));
	CHECK(xroce_gaps_add(&gaps, 0xffffff, 2, 0));
	CHECK(xroce_gaps_add(&gaps, 5, 1, 0));
	CHECK(!xroce_gaps_add(&gaps, 0, 1, 0));
	CHECK(!xroce_gaps_add(&gaps, 4, 2, 0));
	CHECK_EQ(gaps.unsent, 2);
	check_due(1, 0xffffff, 2);
	CHECK_EQ(xroce_gaps_find(&gaps, 0)->at, 1);
	check_due(2, 5, 1);
	CHECK(!xroce_gaps_due(&gaps, 3));
	/* still known: it is on its way */
	CHECK(!xroce_gaps_add(&gaps, 5, 1, 0));
	xroce_gaps_pass(&gaps, 1);
	CHECK(!xroce_gaps_find(&gaps, 0));
	CHECK(xroce_gaps_find(&gaps, 5));
	xroce_gaps_pass(&gaps, 6);
	CHECK(!xroce_gaps_has_any(&gaps));
}

TEST(add__nothing_without_memory)
{
	struct xroce_gaps none = { };

	CHECK(!xroce_gaps_add(&none, 5, 1, 0));
	CHECK(!xroce_gaps_has_any(&none));
	CHECK(!xroce_gaps_find(&none, 5));
	CHECK(!xroce_gaps_due(&none, 1));
	CHECK_EQ(xroce_gaps_deadline(&none), U64_MAX);
	xroce_gaps_pass(&none, 6);
	xroce_gaps_unsent(&none, 5);
	xroce_gaps_ripen(&none, 1);
	xroce_gaps_clear(&none);
}

TEST(add__no_more_than_there_is_room_for)
{
	u32 i;

	begin();
	for (i = 0; i < XROCE_GAPS; i++)
		CHECK(xroce_gaps_add(&gaps, 2 * i, 1, 0));
	CHECK(!xroce_gaps_add(&gaps, 2 * i, 1, 0));
	CHECK_EQ(gaps.unsent, XROCE_GAPS);
	xroce_gaps_clear(&gaps);
	CHECK_EQ(gaps.unsent, 0);
	CHECK(xroce_gaps_add(&gaps, 2, 1, 0));
}

TEST(sent__in_parts)
{
	struct xroce_gap *gap;

	begin();
	xroce_gaps_add(&gaps, 10, 5, 0);
	gap = xroce_gaps_due(&gaps, 0);
	xroce_gaps_sent(&gaps, gap, 3, 7);
	check_due(8, 13, 2);
	CHECK_EQ(gaps.unsent, 0);
	CHECK_EQ(xroce_gaps_find(&gaps, 12)->at, 7);
	CHECK_EQ(xroce_gaps_find(&gaps, 14)->at, 8);
	xroce_gaps_unsent(&gaps, 13);
	check_due(9, 13, 2);
}

TEST(deadline__of_those_that_wait)
{
	begin();
	CHECK_EQ(xroce_gaps_deadline(&gaps), U64_MAX);
	xroce_gaps_add(&gaps, 10, 1, 500);
	xroce_gaps_add(&gaps, 20, 1, 400);
	CHECK_EQ(xroce_gaps_deadline(&gaps), 400);
	CHECK(!xroce_gaps_due(&gaps, 399));
	/* time has come, but nothing is sent yet: there is nothing to wait for */
	xroce_gaps_ripen(&gaps, 450);
	CHECK_EQ(xroce_gaps_deadline(&gaps), 500);
	check_due(450, 20, 1);
	check_due(500, 10, 1);
	CHECK_EQ(xroce_gaps_deadline(&gaps), U64_MAX);
}
