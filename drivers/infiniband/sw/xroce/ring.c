// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rings in memory that user space may map (see ring.h). */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "ring.h"

/* As the provider expects: a slot is a cache line or more. */
#define MIN_SLOT_BYTES	64

int xroce_ring_create(struct xroce_ring *ring, struct ib_ucontext *ucontext,
		      u32 entries, u32 size)
{
	u32 num_slots = roundup_pow_of_two(max(entries, 1U) + 1);
	u32 slot_bytes = roundup_pow_of_two(max(size, MIN_SLOT_BYTES + 0U));
	struct xroce_queue_header *header;

	ring->mem = xrdma_shared_alloc(ucontext, sizeof(*header) +
				       (size_t)num_slots * slot_bytes);
	if (!ring->mem)
		return -ENOMEM;
	header = ring->mem->buf;
	ring->slots = header + 1;
	ring->mask = num_slots - 1;
	ring->shift = ilog2(slot_bytes);
	ring->index = 0;
	header->log2_elem_size = ring->shift;
	header->index_mask = ring->mask;
	return 0;
}

void xroce_ring_destroy(struct xroce_ring *ring)
{
	xrdma_shared_free(ring->mem);
	ring->mem = NULL;
}

void xroce_ring_info(const struct xroce_ring *ring,
		     struct xroce_mmap_info *info)
{
	info->offset = xrdma_shared_offset(ring->mem);
	info->size = ring->mem->size;
	info->pad = 0;
}

void xroce_ring_copy(struct xroce_ring *dst, u32 to,
		     const struct xroce_ring *src, u32 from, u32 n)
{
	while (n--)
		memcpy(xroce_ring_slot(dst, to++), xroce_ring_slot(src, from++),
		       (size_t)1 << src->shift);
}
