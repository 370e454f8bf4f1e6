// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The memory of a region: where the byte of an address is, and what is done to it.
 * Ranges were checked (mr.c). A window has no memory of its own.
 */

#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/highmem.h>
#include <linux/libnvdimm.h>
#include <linux/mm.h>
#include <linux/string.h>
#include "mr.h"

/**
 * struct span - bytes in a row, mapped
 * @addr: first byte
 * @length: how many
 * @page: USER: mapped by kmap_local_page()
 */
struct span {
	void *addr;
	size_t length;
	struct page *page;
};

static void map_page(const struct xrdma_mr *mr, u64 va, struct span *span)
{
	u64 at = mr->offset + (va - mr->iova);

	span->page = mr->pages[at >> PAGE_SHIFT];
	span->addr = kmap_local_page(span->page) + offset_in_page(at);
	span->length = PAGE_SIZE - offset_in_page(at);
}

/* The last piece that begins at @at or before. */
static const struct xrdma_piece *find_piece(const struct xrdma_mr *mr, u64 at)
{
	u32 low = 0, high = mr->num_pieces;

	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (mr->pieces[middle].start <= at)
			low = middle;
		else
			high = middle;
	}
	return &mr->pieces[low];
}

static void map_piece(const struct xrdma_mr *mr, u64 va, struct span *span)
{
	u64 at = va - mr->iova;
	const struct xrdma_piece *piece = find_piece(mr, at);
	bool is_last = piece == &mr->pieces[mr->num_pieces - 1];
	u64 end = is_last ? mr->length : piece[1].start;

	span->addr = piece->addr + (at - piece->start);
	span->length = end - at;
}

/* What there is in a row at @va, an address of the region that has the memory. */
static struct span map(const struct xrdma_mr *base, u64 va)
{
	struct span span = { .page = NULL };

	switch (base->kind) {
	case XRDMA_USER:
		map_page(base, va, &span);
		break;
	case XRDMA_FAST:
		map_piece(base, va, &span);
		break;
	default:
		span.addr = (void *)(uintptr_t)va;
		span.length = SIZE_MAX;
	}
	return span;
}

static void unmap(const struct span *span, bool is_written)
{
	if (!span->page)
		return;
	if (is_written)
		flush_dcache_page(span->page);
	kunmap_local(span->addr);
}

/**
 * xrdma_mr_copy - copy from or to a region
 * @mr: region, with a reference
 * @va: first byte; the range was checked by xrdma_mr_get()
 * @buf: other side
 * @length: bytes
 * @dir: which way
 *
 * Context: any.
 */
void xrdma_mr_copy(struct xrdma_mr *mr, u64 va, void *buf, u32 length,
		   enum xrdma_dir dir)
{
	struct span span;
	size_t n;

	va += mr->shift;
	for (; length; length -= n, va += n, buf += n) {
		span = map(mr->base, va);
		n = min_t(size_t, length, span.length);
		if (dir == XRDMA_TO_MEM)
			memcpy(span.addr, buf, n);
		else
			memcpy(buf, span.addr, n);
		unmap(&span, dir == XRDMA_TO_MEM);
	}
}
EXPORT_SYMBOL_GPL(xrdma_mr_copy);

static bool is_word(const struct span *span)
{
	return IS_ALIGNED((uintptr_t)span->addr, sizeof(u64)) &&
	       span->length >= sizeof(u64);
}

/* Addresses are the user's choice: that one is aligned says nothing of the memory. */
bool xrdma_mr_is_word(const struct xrdma_mr *mr, u64 va)
{
	struct span span = map(mr->base, va + mr->shift);
	bool is_good = is_word(&span);

	unmap(&span, false);
	return is_good;
}

static u64 do_atomic(u64 *p, enum xrdma_atomic op, u64 compare, u64 swap_add)
{
	if (op == XRDMA_CMP_SWAP)
		return cmpxchg64(p, compare, swap_add);
	return atomic64_fetch_add(swap_add, (atomic64_t *)p);
}

/**
 * xrdma_mr_atomic - 64-bit atomic, also against those of the CPUs
 * @mr: region, with a reference
 * @va: checked for IB_ACCESS_REMOTE_ATOMIC, so it is a word's
 * @op: what to do
 * @compare: XRDMA_CMP_SWAP
 * @swap_add: new value, or what to add
 *
 * Context: any.
 * Return: the value before.
 */
u64 xrdma_mr_atomic(struct xrdma_mr *mr, u64 va, enum xrdma_atomic op,
		    u64 compare, u64 swap_add)
{
	struct span span = map(mr->base, va + mr->shift);
	u64 old = do_atomic(span.addr, op, compare, swap_add);

	unmap(&span, true);
	return old;
}
EXPORT_SYMBOL_GPL(xrdma_mr_atomic);

/**
 * xrdma_mr_store - 8 bytes that are seen all or none
 * @mr: region, with a reference
 * @va: the 8 bytes were checked by xrdma_mr_get()
 * @bytes: to store
 *
 * Context: any.
 * Return: false if no word is there.
 */
bool xrdma_mr_store(struct xrdma_mr *mr, u64 va, const void *bytes)
{
	struct span span = map(mr->base, va + mr->shift);
	bool is_good = is_word(&span);
	u64 value;

	memcpy(&value, bytes, sizeof(value));
	/* Who sees it sees what was written before. */
	if (is_good)
		smp_store_release((u64 *)span.addr, value);
	unmap(&span, is_good);
	return is_good;
}
EXPORT_SYMBOL_GPL(xrdma_mr_store);

/**
 * xrdma_mr_flush - make sure of what was written
 * @mr: region, with a reference
 * @va: first byte, checked by xrdma_mr_get_remote()
 * @length: bytes, or XRDMA_WHOLE
 *
 * Context: any.
 */
void xrdma_mr_flush(struct xrdma_mr *mr, u64 va, u64 length)
{
	struct span span;
	size_t n;

	/* Copies went through the cache: for all CPUs it is enough to wait. */
	smp_mb();
	if (!(mr->access & IB_ACCESS_FLUSH_PERSISTENT))
		return;
	if (length == XRDMA_WHOLE) {
		va = mr->iova;
		length = mr->length;
	}
	va += mr->shift;
	for (; length; length -= n, va += n) {
		span = map(mr->base, va);
		n = min_t(u64, length, span.length);
		arch_wb_cache_pmem(span.addr, n);
		unmap(&span, false);
	}
	/* The write-backs are done. */
	pmem_wmb();
}
EXPORT_SYMBOL_GPL(xrdma_mr_flush);
