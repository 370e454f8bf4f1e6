/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A queue in memory that user space maps: the provider's layout, a 384-byte
 * header and power-of-two slots (xroce-abi.h).
 *
 * User space may write any byte of it at any time. So: geometry comes from this
 * struct and never from the header; the other side's index is read once and
 * masked; our own index lives here and is only copied to the header; a slot is
 * copied out before it is looked at. Kernel users get the same ring, unmapped.
 *
 * Ordering: the side that fills slots stores its index with release and the
 * other side loads it with acquire, both ways.
 */
#ifndef XROCE_RING_H
#define XROCE_RING_H

#include <linux/types.h>
#include <rdma/xroce-abi.h>
#include "xrdma.h"

/**
 * struct xroce_ring - our side of a ring
 * @mem: the memory; begins with struct xroce_queue_header
 * @slots: first slot
 * @mask: slots - 1; one slot always stays free
 * @shift: log2 of the slot size
 * @index: our own index, 0..mask: consumer of work queues, producer of a CQ
 */
struct xroce_ring {
	struct xrdma_shared *mem;
	void *slots;
	u32 mask;
	u32 shift;
	u32 index;
};

/*
 * At least @entries usable slots of at least @size bytes. @ucontext NULL: kernel.
 * May sleep. Return: 0 or -ENOMEM.
 */
int xroce_ring_create(struct xroce_ring *ring, struct ib_ucontext *ucontext,
		      u32 entries, u32 size);
void xroce_ring_destroy(struct xroce_ring *ring);

/* What user space must map, in its own struct. */
void xroce_ring_info(const struct xroce_ring *ring,
		     struct xroce_mmap_info *info);

/*
 * Copy @n slots of @src, from @from on, to those of @dst from @to on. Slots of
 * both are of one size. Ring indices wrap, nothing is published.
 */
void xroce_ring_copy(struct xroce_ring *dst, u32 to,
		     const struct xroce_ring *src, u32 from, u32 n);

static inline u32 xroce_ring_capacity(const struct xroce_ring *ring)
{
	return ring->mask;
}

static inline struct xroce_queue_header *
xroce_ring_header(const struct xroce_ring *ring)
{
	return ring->mem->buf;
}

static inline void *xroce_ring_slot(const struct xroce_ring *ring, u32 index)
{
	return ring->slots + ((size_t)(index & ring->mask) << ring->shift);
}

/* The producer's index, read once; slots before it may be read afterwards. */
static inline u32 xroce_ring_producer(const struct xroce_ring *ring)
{
	return smp_load_acquire(&xroce_ring_header(ring)->producer_index) &
	       ring->mask;
}

/* Can the other side have meant its producer's index? */
static inline bool xroce_ring_is_sound(const struct xroce_ring *ring)
{
	return READ_ONCE(xroce_ring_header(ring)->producer_index) <= ring->mask;
}

static inline u32 xroce_ring_consumer(const struct xroce_ring *ring)
{
	return smp_load_acquire(&xroce_ring_header(ring)->consumer_index) &
	       ring->mask;
}

/* Empty, as after creation (QP to RESET). */
static inline void xroce_ring_reset(struct xroce_ring *ring)
{
	ring->index = 0;
	smp_store_release(&xroce_ring_header(ring)->producer_index, 0);
	smp_store_release(&xroce_ring_header(ring)->consumer_index, 0);
}

/* Publish our index as the consumer's. */
static inline void xroce_ring_consume(struct xroce_ring *ring)
{
	ring->index = (ring->index + 1) & ring->mask;
	smp_store_release(&xroce_ring_header(ring)->consumer_index,
			  ring->index);
}

/* Publish our index as the producer's. */
static inline void xroce_ring_produce(struct xroce_ring *ring)
{
	ring->index = (ring->index + 1) & ring->mask;
	smp_store_release(&xroce_ring_header(ring)->producer_index,
			  ring->index);
}

#endif
