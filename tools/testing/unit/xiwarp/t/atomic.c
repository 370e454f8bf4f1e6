// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "test.h"
#include "wire.h"

static u64 fetch_add(u64 old, u64 add, u64 mask)
{
	const struct xiwarp_atomic atomic = {
		.op = XIWARP_FETCH_ADD, .swap_add = add, .mask = mask,
	};

	return xiwarp_atomic_result(&atomic, old);
}

/* As the RFC has it, bit by bit. */
static u64 slow_fetch_add(u64 old, u64 add, u64 mask)
{
	unsigned int bit, carry = 0, digit;
	u64 sum = 0;

	for (bit = 0; bit < 64; bit++) {
		digit = carry + (old >> bit & 1) + (add >> bit & 1);
		sum |= (u64)(digit & 1) << bit;
		carry = mask >> bit & 1 ? 0 : digit >> 1;
	}
	return sum;
}

TEST(fetch_add__without_mask)
{
	CHECK_EQ(fetch_add(41, 1, 0), 42);
	CHECK_EQ(fetch_add(~0ULL, 1, 0), 0);
	CHECK_EQ(fetch_add(5, ~0ULL, 0), 4);
}

TEST(fetch_add__fields)
{
	/* two of 32 bits */
	CHECK_EQ(fetch_add(0x1ffffffffULL, 1, 1ULL << 31), 0x100000000ULL);
	CHECK_EQ(fetch_add(0xffffffff00000001ULL, 0x100000001ULL, 1ULL << 31), 2);
	/* each bit its own: exclusive or */
	CHECK_EQ(fetch_add(0xf0f0, 0xff00, ~0ULL), 0x0ff0);
}

TEST(fetch_add__as_in_the_rfc)
{
	u64 x = 88172645463325252ULL, values[3];
	int i, j;

	for (i = 0; i < 2000; i++) {
		for (j = 0; j < 3; j++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			values[j] = x;
		}
		/* Long fields, too. */
		if (i & 1)
			values[2] &= values[2] << 3 & values[2] << 7 & values[2] >> 5;
		CHECK_EQ(fetch_add(values[0], values[1], values[2]),
			 slow_fetch_add(values[0], values[1], values[2]));
	}
}

static u64 cmp_swap(u64 old, u64 compare, u64 compare_mask, u64 swap, u64 mask)
{
	const struct xiwarp_atomic atomic = {
		.op = XIWARP_CMP_SWAP, .swap_add = swap, .mask = mask,
		.compare = compare, .compare_mask = compare_mask,
	};

	return xiwarp_atomic_result(&atomic, old);
}

TEST(cmp_swap__whole)
{
	CHECK_EQ(cmp_swap(7, 7, ~0ULL, 9, ~0ULL), 9);
	CHECK_EQ(cmp_swap(7, 8, ~0ULL, 9, ~0ULL), 7);
}

TEST(cmp_swap__masks)
{
	/* What is not compared may differ, what is not swapped stays. */
	CHECK_EQ(cmp_swap(0x1234, 0xff34, 0xff, 0xabcd, 0xf0), 0x12c4);
	CHECK_EQ(cmp_swap(0x1234, 0xff35, 0xff, 0xabcd, 0xf0), 0x1234);
	/* Nothing is compared: a swap. */
	CHECK_EQ(cmp_swap(0x1234, 0, 0, 0xabcd, 0xff00), 0xab34);
}
