/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that outgoing packets lie in. Blocks of pages are kept per CPU and used
 * again once all packets in them are gone: fresh pages are cleared by most kernels,
 * which costs as much as to fill them.
 */
#ifndef XROCE_BLOCK_H
#define XROCE_BLOCK_H

#include <linux/types.h>

struct page;

/**
 * struct xroce_room - part of a block, for one fragment of a buffer
 * @page: its block; a reference of it goes with the room
 * @offset: where in it
 * @bytes: how many
 */
struct xroce_room {
	struct page *page;
	u32 offset;
	u32 bytes;
};

/**
 * xroce_room_get - find room
 * @room: result, not cleared
 * @least: bytes needed, at most 32 KiB
 * @wanted: bytes that are welcome, @least or more
 *
 * Context: bottom halves off. Return: false without memory.
 */
bool xroce_room_get(struct xroce_room *room, u32 least, u32 wanted);

/*
 * The last @bytes of a room that ends at @end of @page are not needed; on the CPU
 * that got it, bottom halves still off.
 */
void xroce_room_trim(const struct page *page, u32 end, u32 bytes);

/* When no buffer is being filled any more. */
void xroce_block_exit(void);

#endif
