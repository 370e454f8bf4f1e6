// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* core/holes.c */
#include <linux/limits.h>
#include <linux/types.h>
#include "holes.h"
#include "psn.h"
#include "test.h"

#define US	1000ULL

static struct xroce_hole ring[XROCE_HOLES];
static struct xroce_holes holes;

static void begin(u32 psn)
{
	memset(ring, 0, sizeof(ring));
	holes = (struct xroce_holes){ .ring = ring, .seen_psn = psn };
}

/* The next one to be told of is @n packets from @psn on; then it is told of. */
static void check_untold(u32 epsn, u64 now, u32 psn, u32 n)
{
	struct xroce_hole *hole = xroce_holes_untold(&holes, epsn, now);

	CHECK(hole);
	CHECK_EQ(hole->psn, psn);
	CHECK_EQ(hole->n, n);
	hole->told = hole->n;
}

TEST(see__each_hole_once_in_order)
{
	begin(0xfffffe);
	xroce_holes_see(&holes, 0xfffffe, 0, 1);
	xroce_holes_see(&holes, 0xfffffe, 1, 2);
	/* within the first one: late, or sent again */
	xroce_holes_see(&holes, 0xfffffe, 0xffffff, 3);
	xroce_holes_see(&holes, 0xfffffe, 3, 4);
	check_untold(0xfffffe, 4, 0xfffffe, 2);
	check_untold(0xfffffe, 4, 2, 1);
	CHECK(!xroce_holes_untold(&holes, 0xfffffe, 4));
}

TEST(see__what_came_in_turn_since_is_no_hole)
{
	begin(0);
	xroce_holes_see(&holes, 0, 1, 1);
	/* it was filled, and many more came */
	xroce_holes_see(&holes, 5000, 5001, 2);
	check_untold(5000, 2, 5000, 1);
	/* half the circle later the old mark looks new */
	xroce_holes_see(&holes, 0x801000, 0x801002, 3);
	check_untold(0x801000, 3, 0x801000, 2);
	CHECK(!xroce_holes_untold(&holes, 0x801000, 3));
}

TEST(see__nothing_without_memory)
{
	struct xroce_holes none = { };

	xroce_holes_see(&none, 0, 5, 1);
	CHECK(!xroce_holes_untold(&none, 0, 2));
	CHECK(xroce_holes_is_due(&none, 0, 2));
	CHECK_EQ(xroce_holes_deadline(&none, 0, 0), U64_MAX);
	xroce_holes_note_copy(&none, 5);
	CHECK_EQ(none.patience, 0);
}

TEST(see__no_more_than_there_is_room_for)
{
	u32 i;

	begin(0);
	for (i = 0; i < 2 * XROCE_HOLES; i++)
		xroce_holes_see(&holes, 0, 2 * i + 1, i);
	for (i = 0; i < XROCE_HOLES; i++)
		check_untold(0, 1000, 2 * i, 1);
	CHECK(!xroce_holes_untold(&holes, 0, 1000));
	/* those that are not remembered are due when they are the oldest */
	CHECK(xroce_holes_is_due(&holes, 2 * XROCE_HOLES, 0));
	/* what is filled makes room */
	xroce_holes_see(&holes, 2, 4 * XROCE_HOLES + 1, 1);
	check_untold(2, 1000, 4 * XROCE_HOLES, 1);
}

TEST(patience__grows_by_copies_of_what_was_told)
{
	begin(0);
	xroce_holes_see(&holes, 0, 1, 0);
	xroce_holes_note_copy(&holes, 0);
	CHECK_EQ(holes.patience, 0);
	check_untold(0, 0, 0, 1);
	/* a copy of something else */
	xroce_holes_note_copy(&holes, 1);
	CHECK_EQ(holes.patience, 0);
	xroce_holes_note_copy(&holes, 0);
	CHECK_EQ(holes.patience, 50 * US);
	/* once only */
	xroce_holes_note_copy(&holes, 0);
	CHECK_EQ(holes.patience, 50 * US);
}

TEST(patience__has_bounds_and_is_lost_again)
{
	u32 i;

	begin(0);
	for (i = 0; i < 20; i++) {
		xroce_holes_see(&holes, 2 * i, 2 * i + 1, i);
		check_untold(2 * i, U64_MAX, 2 * i, 1);
		xroce_holes_note_copy(&holes, 2 * i);
	}
	CHECK_EQ(holes.patience, 10000 * US);
	for (i = 0; i < 1000; i++)
		xroce_holes_note_filled(&holes);
	CHECK_EQ(holes.patience, 0);
}

TEST(patience__defers_what_is_told)
{
	begin(0);
	holes.patience = 100;
	xroce_holes_see(&holes, 0, 1, 1000);
	xroce_holes_see(&holes, 0, 3, 1050);
	CHECK(!xroce_holes_is_due(&holes, 0, 1099));
	CHECK(!xroce_holes_untold(&holes, 0, 1099));
	CHECK_EQ(xroce_holes_deadline(&holes, 0, 0), 1100);
	CHECK(xroce_holes_is_due(&holes, 0, 1100));
	check_untold(0, 1100, 0, 1);
	CHECK(!xroce_holes_untold(&holes, 0, 1100));
	CHECK_EQ(xroce_holes_deadline(&holes, 0, 1100), 1150);
	CHECK_EQ(xroce_holes_deadline(&holes, 0, 1150), U64_MAX);
	/* the first one was filled meanwhile, and the second */
	CHECK_EQ(xroce_holes_deadline(&holes, 2, 0), 1150);
	CHECK_EQ(xroce_holes_deadline(&holes, 3, 0), U64_MAX);
}

TEST(word__means_what_was_said)
{
	static const u32 una[] = { 0, 5, 0x3fffff, 0x800000, 0xfffff0 };
	u32 i, n, off, psn;

	for (i = 0; i < sizeof(una) / sizeof(una[0]); i++) {
		for (n = 1; n <= XROCE_HOLE_MOST; n++) {
			for (off = 0; off < 3000; off += 7) {
				u32 at = xroce_psn_add(una[i], off);

				CHECK_EQ(xroce_hole_read(xroce_hole_write(at, n),
							 una[i], &psn), n);
				CHECK_EQ(psn, at);
				/* who has heard less, or more */
				CHECK_EQ(xroce_hole_read(xroce_hole_write(at, n),
							 xroce_psn_add(at, 900), &psn), n);
				CHECK_EQ(psn, at);
			}
		}
	}
}

TEST(word__is_not_what_others_say)
{
	u32 back, psn;

	/* acknowledgements of what was sent lately, or is in flight */
	for (back = 0; back < (1 << 21); back += 111) {
		CHECK_EQ(xroce_hole_read((500 - back) & 0xffffff, 500, &psn), 0);
		CHECK_EQ(xroce_hole_read(500 + back, 500, &psn), 0);
	}
	/* too many */
	CHECK_EQ(xroce_hole_read(xroce_hole_write(500, XROCE_HOLE_MOST + 1), 500,
				 &psn), 0);
}

/* A peer that does not know drops it: it is behind what it waits for. */
TEST(word__is_a_stray_to_all_others)
{
	CHECK(xroce_psn_before(xroce_hole_write(7, 1), 7));
	CHECK(xroce_psn_before(xroce_hole_write(7, XROCE_HOLE_MOST), 7));
	CHECK(xroce_psn_before(xroce_hole_write(2055, XROCE_HOLE_MOST), 7));
}
