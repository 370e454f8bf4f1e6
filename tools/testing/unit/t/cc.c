// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* core/cc.c, cc_dcqcn.c, cc_delay.c by hand: one flow, chosen events. */
#include <linux/compiler_types.h>
#include <linux/types.h>
#include "cc.h"
#include "test.h"

#define US	1000ULL
#define MS	1000000ULL
#define LINE	10000	/* Mbit/s */

static struct xroce_cc cc;
static struct xroce_cc_params params;
static u64 now;

static void begin(const struct xroce_cc_ops *ops)
{
	params = xroce_cc_defaults;
	/* so that it does not hide what is below */
	if (ops == &xroce_cc_delay)
		params.rpg_min_rate = 0;
	now = 1000 * MS;
	xroce_cc_init(&cc, ops, &params, xroce_cc_mbps(LINE), 1024);
}

/* Rate in thousandths of Mbit/s, rounded. */
static u64 kbps(void)
{
	return (cc.rate * 8 + 500) / 1000;
}

static void send(u32 bytes)
{
	xroce_cc_sent(&cc, bytes, now);
}

TEST(find__by_name)
{
	CHECK(xroce_cc_find("none", 4) == &xroce_cc_none);
	CHECK(xroce_cc_find("dcqcn", 5) == &xroce_cc_dcqcn);
	CHECK(xroce_cc_find("delay", 5) == &xroce_cc_delay);
	CHECK(!xroce_cc_find("dcqc", 4));
	CHECK(!xroce_cc_find("delays", 6));
	CHECK(!xroce_cc_find("", 0));
}

TEST(at__each_once)
{
	unsigned int i, n;

	for (n = 0; xroce_cc_at(n); n++)
		for (i = 0; i < n; i++)
			CHECK(strcmp(xroce_cc_at(i)->name, xroce_cc_at(n)->name));
	CHECK_EQ(n, 3);
	CHECK(!xroce_cc_at(n));
}

TEST(defaults__within_their_bounds)
{
#define CHECK_PARAM(name, def, least, most)				\
	CHECK_EQ(xroce_cc_defaults.name, def);				\
	CHECK((def) >= (least) && (def) <= (most));
	XROCE_RP_PARAMS(CHECK_PARAM)
}

TEST(none__never_limits)
{
	begin(&xroce_cc_none);
	xroce_cc_cnp(&cc, now);
	xroce_cc_lost(&cc, true, now);
	xroce_cc_acked(&cc, 1024, 900 * MS, now);
	CHECK(!xroce_cc_is_paced(&cc));
	CHECK(xroce_cc_may_send(&cc, now));
	CHECK_EQ(cc.window, U32_MAX);
	CHECK_EQ(xroce_cc_sent(&cc, 1 << 20, now), 0);
	CHECK(xroce_cc_may_send(&cc, now));
	CHECK_EQ(xroce_cc_burst(&cc, 1100, 16), 16);
}

TEST(pacing__puts_off_the_next_by_the_time_this_one_takes)
{
	begin(&xroce_cc_none);
	cc.cap = 1000000;	/* 1 us each byte */
	CHECK_EQ(xroce_cc_sent(&cc, 500, now), now);
	CHECK(!xroce_cc_may_send(&cc, now + 500 * US - 1));
	CHECK(xroce_cc_may_send(&cc, now + 500 * US));
	/* two at once: the second leaves after the first */
	CHECK_EQ(xroce_cc_sent(&cc, 100, now), now + 500 * US);
	CHECK_EQ(cc.next_send, now + 600 * US);
	/* a pause is not saved up */
	CHECK_EQ(xroce_cc_sent(&cc, 100, now + 5 * MS), now + 5 * MS);
	CHECK_EQ(cc.next_send, now + 5 * MS + 100 * US);
}

TEST(pacing__a_debt_is_forgotten_when_it_is_absurd)
{
	begin(&xroce_cc_none);
	cc.cap = 1;
	xroce_cc_sent(&cc, 1 << 20, now);
	cc.cap = 1000000;
	xroce_cc_sent(&cc, 100, now);
	CHECK(cc.next_send <= now + 1001 * MS);
}

TEST(burst__fifty_microseconds_worth_and_at_least_one)
{
	begin(&xroce_cc_none);
	cc.cap = xroce_cc_mbps(1000);	/* 6250 bytes in 50 us */
	CHECK_EQ(xroce_cc_burst(&cc, 1250, 16), 5);
	CHECK_EQ(xroce_cc_burst(&cc, 1250, 3), 3);
	CHECK_EQ(xroce_cc_burst(&cc, 9000, 16), 1);
}

TEST(acked__smooths_the_round_trip_and_keeps_the_shortest)
{
	begin(&xroce_cc_none);
	xroce_cc_acked(&cc, 1024, 80 * US, now);
	CHECK_EQ(cc.srtt, 80 * US);
	CHECK_EQ(cc.base_rtt, 80 * US);
	xroce_cc_acked(&cc, 1024, 160 * US, now + 1);
	CHECK_EQ(cc.srtt, 90 * US);
	CHECK_EQ(cc.base_rtt, 80 * US);
	CHECK_EQ(cc.base_at, now);
	xroce_cc_acked(&cc, 1024, 40 * US, now + 2);
	CHECK_EQ(cc.base_rtt, 40 * US);
	CHECK_EQ(cc.base_at, now + 2);
	xroce_cc_acked(&cc, 1024, 0, now + 3);
	CHECK_EQ(cc.base_rtt, 40 * US);
}

TEST(acked__measures_what_arrives)
{
	u32 i;

	begin(&xroce_cc_none);
	for (i = 0; i < 100; i++, now += 10 * US)
		xroce_cc_acked(&cc, 1000, 100 * US, now);
	CHECK_EQ(cc.delivery, 100000000);
	/* a pause does not look like a slow path */
	xroce_cc_acked(&cc, 1000, 100 * US, now + 500 * MS);
	CHECK_EQ(cc.delivery, 100000000);
}

/* ---- DCQCN -------------------------------------------------------------- */

static void begin_paper(void)
{
	begin(&xroce_cc_dcqcn);
	params.clamp_tgt_rate = 1;
	params.rpg_time_reset = 55;
	params.rpg_byte_reset = 0;
	params.rpg_threshold = 5;
	params.rpg_ai_rate = 40;
	params.dce_tcp_g = 1020;	/* g = 1/256 */
	params.dce_tcp_rtt = 55;
	params.rate_reduce_monitor_period = 4;
}

TEST(dcqcn__nothing_heard_nothing_limited)
{
	begin(&xroce_cc_dcqcn);
	send(1 << 20);
	xroce_cc_acked(&cc, 1024, 30 * MS, now);
	xroce_cc_lost(&cc, false, now);
	CHECK(!xroce_cc_is_paced(&cc));
	CHECK_EQ(cc.window, U32_MAX);
}

TEST(dcqcn__the_paper_s_numbers)
{
	static const u64 want[] = { 3750000, 4375000, 4687500, 4843750,
				    4941875, 5010938, 5065469 };
	u32 i;

	begin_paper();
	xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 5000000);
	now += 50 * US;
	xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 2500000);
	for (i = 0; i < 7; i++) {
		now += 55 * US;
		send(0);
		test_context("step %u", i + 1);
		CHECK(kbps() + 1 >= want[i] && kbps() <= want[i]);
	}
}

/* alpha can be seen by what the next cut takes. */
static u64 cut_after(u32 intervals)
{
	u64 before;

	begin_paper();
	params.rpg_time_reset = 131071;
	xroce_cc_cnp(&cc, now);
	before = cc.rate;
	now += intervals * 55 * US;
	xroce_cc_cnp(&cc, now);
	return (before - cc.rate) * 2 * 100000 / before;
}

TEST(dcqcn__alpha_falls_as_the_paper_says)
{
	CHECK_EQ(cut_after(1), 99609);
	CHECK_EQ(cut_after(10), 96161);	/* 0.96162 with more digits */
	CHECK(cut_after(176) > 50000);
	CHECK(cut_after(177) < 50100);
	CHECK(cut_after(2000) < 50);
}

TEST(dcqcn__makes_up_for_a_pause)
{
	u64 rate;
	u32 i;

	begin_paper();
	xroce_cc_cnp(&cc, now);
	for (i = 0; i < 20; i++) {
		now += 55 * US;
		send(0);
	}
	rate = cc.rate;
	begin_paper();
	xroce_cc_cnp(&cc, now);
	now += 20 * 55 * US;
	send(0);
	CHECK_EQ(cc.rate, rate);
}

TEST(dcqcn__bytes_and_time_together_make_it_grow_faster)
{
	u64 rate[2];
	u32 pass, i;

	for (pass = 0; pass < 2; pass++) {
		begin_paper();
		params.rpg_hai_rate = 200;
		params.rpg_byte_reset = pass ? 16 : 0;
		for (i = 0; i < 4; i++, now += 50 * US)
			xroce_cc_cnp(&cc, now);
		for (i = 0; i < 12; i++) {
			now += 55 * US;
			send(1024);
		}
		rate[pass] = cc.rate;
	}
	CHECK(rate[1] > rate[0] + xroce_cc_mbps(200));
}

TEST(dcqcn__ends_at_the_line_rate)
{
	begin_paper();
	xroce_cc_cnp(&cc, now);
	now += 60000 * MS;
	while (xroce_cc_is_paced(&cc) && now < 120000 * MS) {
		now += 10 * MS;
		send(1500);
	}
	CHECK(!xroce_cc_is_paced(&cc));
	CHECK_EQ(cc.window, U32_MAX);
}

TEST(dcqcn__never_below_the_least_rate_nor_above_the_most)
{
	u32 i;

	begin_paper();
	params.rpg_min_rate = 7;
	params.rpg_max_rate = 100;
	xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 50000);
	for (i = 0; i < 50; i++, now += 300 * US)
		xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 7000);
}

TEST(dcqcn__one_cut_a_round_trip)
{
	begin_paper();
	xroce_cc_acked(&cc, 1024, 500 * US, now);
	xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 5000000);
	xroce_cc_cnp(&cc, now + 499 * US);
	CHECK_EQ(kbps(), 5000000);
	xroce_cc_cnp(&cc, now + 500 * US);
	CHECK_EQ(kbps(), 2500000);
}

TEST(dcqcn__begins_with_what_arrives)
{
	u32 i;

	begin_paper();
	for (i = 0; i < 100; i++, now += 10 * US)
		xroce_cc_acked(&cc, 1250, 100 * US, now);
	xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 500000);
	begin_paper();
	params.rate_to_set_on_first_cnp = 300;
	xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 150000);
}

TEST(dcqcn__a_cut_takes_no_more_than_allowed)
{
	begin_paper();
	params.rpg_min_dec_fac = 90;
	xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 9000000);
	begin_paper();
	params.rpg_gd = 12;
	xroce_cc_cnp(&cc, now);
	CHECK_EQ(kbps(), 7500000);
}

TEST(dcqcn__target_stays_until_time_has_raised_the_rate)
{
	begin_paper();
	params.clamp_tgt_rate = 0;
	xroce_cc_cnp(&cc, now);
	xroce_cc_cnp(&cc, now + 50 * US);
	CHECK_EQ(kbps(), 2500000);
	now += 105 * US;
	send(0);
	/* half way back to 10 000, not to 5 000 */
	CHECK_EQ(kbps(), 6250000);
}

TEST(dcqcn__only_a_timeout_counts_as_a_mark)
{
	begin_paper();
	xroce_cc_lost(&cc, false, now);
	CHECK(!xroce_cc_is_paced(&cc));
	xroce_cc_lost(&cc, true, now);
	CHECK_EQ(kbps(), 5000000);
}

/* ---- delay -------------------------------------------------------------- */

/* A round trip with this delay, ten packets arriving in it. */
static void round_trip(u64 rtt)
{
	u32 i;

	for (i = 0; i < 10; i++) {
		now += rtt / 10 + 1;
		xroce_cc_acked(&cc, 1024, rtt, now);
	}
}

static void rounds(u32 n, u64 rtt)
{
	while (n--)
		round_trip(rtt);
}

TEST(delay__nothing_limited_below_the_target)
{
	begin(&xroce_cc_delay);
	rounds(3, 100 * US);
	rounds(50, 290 * US);
	xroce_cc_lost(&cc, false, now);
	CHECK(!xroce_cc_is_paced(&cc));
}

TEST(delay__limits_above_the_target_and_recovers)
{
	u64 low;

	begin(&xroce_cc_delay);
	rounds(3, 100 * US);
	rounds(4, 5000 * US);
	CHECK(xroce_cc_is_paced(&cc));
	low = cc.rate;
	rounds(4, 5000 * US);
	CHECK(cc.rate < low);
	low = cc.rate;
	rounds(20, 100 * US);
	CHECK(cc.rate > 2 * low);
	rounds(4000, 100 * US);
	CHECK(!xroce_cc_is_paced(&cc));
}

TEST(delay__less_than_a_packet_is_paced)
{
	begin(&xroce_cc_delay);
	rounds(3, 100 * US);
	rounds(40, 5000 * US);
	CHECK(cc.rate < 1024 * 1000000ULL / 5000);
	CHECK(cc.window >= 1024);
}

TEST(delay__one_late_answer_in_a_round_says_nothing)
{
	u32 i, n;

	begin(&xroce_cc_delay);
	for (n = 0; n < 30; n++) {
		for (i = 0; i < 10; i++) {
			now += 30 * US;
			xroce_cc_acked(&cc, 1024, i % 3 ? 3000 * US : 100 * US,
				       now);
		}
		now += 3000 * US;
	}
	CHECK(!xroce_cc_is_paced(&cc));
}

TEST(delay__forgets_a_base_that_is_old)
{
	begin(&xroce_cc_delay);
	rounds(3, 100 * US);
	rounds(10, 5000 * US);
	CHECK_EQ(cc.base_rtt, 100 * US);
	/* the path is a longer one now */
	rounds(250, 5000 * US);
	CHECK_EQ(cc.base_rtt, 5000 * US);
	rounds(200, 5000 * US);
	CHECK(cc.rate > 1024 * 10 * 200);
}

TEST(delay__a_timeout_halves)
{
	u64 before;

	begin(&xroce_cc_delay);
	xroce_cc_lost(&cc, true, now);
	CHECK(!xroce_cc_is_paced(&cc));
	rounds(3, 100 * US);
	rounds(5, 5000 * US);
	before = cc.rate;
	xroce_cc_lost(&cc, true, now);
	CHECK(cc.rate <= before / 2 + 1);
}
