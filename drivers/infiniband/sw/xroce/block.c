// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory that outgoing packets lie in (see block.h). */
#include <linux/align.h>
#include <linux/local_lock.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include "block.h"

/* Larger blocks are not kept at hand by the page allocator. */
#define BLOCK_ORDER	PAGE_ALLOC_COSTLY_ORDER
#define BLOCK_BYTES	(PAGE_SIZE << BLOCK_ORDER)
/* Kept per CPU: what a few buffers on their way to a receiver need. */
#define BLOCKS		16

/**
 * struct shelf - the blocks of a CPU
 * @lock: real-time kernels have several tasks with bottom halves off per CPU
 * @blocks: a reference of each is ours, others are of packets in it
 * @cur: the one that is being filled
 * @used: bytes of it
 */
struct shelf {
	local_lock_t lock;
	struct page *blocks[BLOCKS];
	unsigned int cur;
	u32 used;
};

static DEFINE_PER_CPU(struct shelf, shelves) = {
	.lock = INIT_LOCAL_LOCK(lock),
};

static struct page *alloc_block(unsigned int order)
{
	return alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN |
			   (order ? __GFP_NORETRY : 0), order);
}

/* Are all packets gone that were in it? */
static bool is_free(struct page *block)
{
	return block && page_ref_count(block) == 1;
}

/* The next block is free, or a new one takes its place. */
static bool turn(struct shelf *shelf)
{
	unsigned int next = (shelf->cur + 1) % BLOCKS;
	struct page **block = &shelf->blocks[next];
	struct page *fresh;

	if (!is_free(*block)) {
		fresh = alloc_block(BLOCK_ORDER);
		if (!fresh)
			return false;
		if (*block)
			put_page(*block);
		*block = fresh;
	}
	shelf->cur = next;
	shelf->used = 0;
	return true;
}

/* Memory is in pieces: a smaller block, for this room alone. */
static bool get_single(struct xroce_room *room, u32 least)
{
	unsigned int order = get_order(least);

	room->page = alloc_block(order);
	room->offset = 0;
	room->bytes = PAGE_SIZE << order;
	return room->page;
}

/* A block with that much room is the current one. */
static bool has_room(struct shelf *shelf, u32 least)
{
	struct page *block = shelf->blocks[shelf->cur];

	if (block && BLOCK_BYTES - shelf->used >= least)
		return true;
	if (!is_free(block))
		return turn(shelf);
	shelf->used = 0;
	return true;
}

static void take_room(struct shelf *shelf, struct xroce_room *room, u32 wanted)
{
	room->page = shelf->blocks[shelf->cur];
	room->offset = shelf->used;
	room->bytes = min_t(u32, wanted, BLOCK_BYTES - shelf->used);
	shelf->used += room->bytes;
	get_page(room->page);
}

bool xroce_room_get(struct xroce_room *room, u32 least, u32 wanted)
{
	struct shelf *shelf;
	bool found;

	local_lock(&shelves.lock);
	shelf = this_cpu_ptr(&shelves);
	found = has_room(shelf, least);
	if (found)
		take_room(shelf, room, wanted);
	local_unlock(&shelves.lock);
	return found || get_single(room, least);
}

void xroce_room_trim(const struct page *page, u32 end, u32 bytes)
{
	struct shelf *shelf;

	local_lock(&shelves.lock);
	shelf = this_cpu_ptr(&shelves);
	if (page == shelf->blocks[shelf->cur] && end == shelf->used)
		shelf->used = min_t(u32, end, ALIGN(end - bytes, SMP_CACHE_BYTES));
	local_unlock(&shelves.lock);
}

void xroce_block_exit(void)
{
	struct shelf *shelf;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		shelf = &per_cpu(shelves, cpu);
		for (i = 0; i < BLOCKS; i++)
			if (shelf->blocks[i])
				put_page(shelf->blocks[i]);
	}
}
