// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What atomics make of a word (RFC 7306 5.1). */
#include "wire.h"

/* Sum of @a and @b; no carry leaves a bit that @ends has. */
static u64 add_in_fields(u64 a, u64 b, u64 ends)
{
	/*
	 * Without the last bits of fields, nothing can be carried out of one; there the
	 * sum is that of three bits, whose carry is dropped.
	 */
	return ((a & ~ends) + (b & ~ends)) ^ ((a ^ b) & ends);
}

u64 xiwarp_atomic_result(const struct xiwarp_atomic *atomic, u64 old)
{
	if (atomic->op == XIWARP_FETCH_ADD)
		return add_in_fields(old, atomic->swap_add, atomic->mask);
	if ((old ^ atomic->compare) & atomic->compare_mask)
		return old;
	return (old & ~atomic->mask) | (atomic->swap_add & atomic->mask);
}
