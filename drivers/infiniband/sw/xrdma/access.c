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
 * @addr: first byte; NULL if they are not present
 * @length: how many
 * @page: USER, ON_DEMAND: mapped by kmap_local_page()
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

static void map_present(const struct xrdma_mr *mr, u64 va, bool is_write,
			struct span *span)
{
	u32 offset;

	span->page = xrdma_odp_page(mr, va, is_write, &offset);
	span->addr = span->page ? kmap_local_page(span->page) + offset : NULL;
	span->length = PAGE_SIZE - offset;
}

/*
 * What there is in a row at @va, an address of the region that has the memory.
 * @is_write: memory on demand must be present for writing.
 */
static struct span map(const struct xrdma_mr *base, u64 va, bool is_write)
{
	struct span span = { .page = NULL };

	switch (base->kind) {
	case XRDMA_USER:
		map_page(base, va, &span);
		break;
	case XRDMA_FAST:
		map_piece(base, va, &span);
		break;
	case XRDMA_ON_DEMAND:
		map_present(base, va, is_write, &span);
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
 * Return: 0, or -EAGAIN where memory is not present.
 */
int xrdma_mr_copy(struct xrdma_mr *mr, u64 va, void *buf, u32 length,
		  enum xrdma_dir dir)
{
	struct span span;
	size_t n;

	va += mr->shift;
	for (; length; length -= n, va += n, buf += n) {
		span = map(mr->base, va, dir == XRDMA_TO_MEM);
		if (!span.addr)
			return -EAGAIN;
		n = min_t(size_t, length, span.length);
		if (dir == XRDMA_TO_MEM)
			memcpy(span.addr, buf, n);
		else
			memcpy(buf, span.addr, n);
		unmap(&span, dir == XRDMA_TO_MEM);
	}
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_mr_copy);

/**
 * xrdma_mr_show - show the bytes of a region where they lie
 * @mr: region of kind XRDMA_USER, with a reference
 * @va: first byte; the range was checked by xrdma_mr_get()
 * @length: bytes
 * @sink: gets them piece by piece, until it fails
 *
 * Context: any.
 * Return: 0, or what @sink returned.
 */
int xrdma_mr_show(const struct xrdma_mr *mr, u64 va, u32 length,
		  struct xrdma_sink *sink)
{
	struct span span;
	int err = 0;
	u32 n;

	for (; length && !err; length -= n, va += n) {
		map_page(mr, va, &span);
		n = min_t(size_t, length, span.length);
		err = sink->take(sink->to, sink->done, span.addr, n);
		unmap(&span, false);
		sink->done += n;
	}
	return err;
}
EXPORT_SYMBOL_GPL(xrdma_mr_show);

static bool is_word(const struct span *span)
{
	return IS_ALIGNED((uintptr_t)span->addr, sizeof(u64)) &&
	       span->length >= sizeof(u64);
}

/* Addresses are the user's choice: that one is aligned says nothing of the memory. */
bool xrdma_mr_is_word(const struct xrdma_mr *mr, u64 va)
{
	struct span span;
	bool is_good;

	/* Pages are known to be aligned, present or not. */
	if (mr->kind == XRDMA_ON_DEMAND)
		return xrdma_odp_is_word(mr, va);
	span = map(mr->base, va + mr->shift, true);
	is_good = is_word(&span);
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
 * @old: the value before
 *
 * Context: any.
 * Return: 0, or -EAGAIN: memory is not present.
 */
int xrdma_mr_atomic(struct xrdma_mr *mr, u64 va, enum xrdma_atomic op,
		    u64 compare, u64 swap_add, u64 *old)
{
	struct span span = map(mr->base, va + mr->shift, true);

	if (!span.addr)
		return -EAGAIN;
	*old = do_atomic(span.addr, op, compare, swap_add);
	unmap(&span, true);
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_mr_atomic);

/**
 * xrdma_mr_update - 64-bit atomic of any kind, also against those of the CPUs
 * @mr: region, with a reference
 * @va: checked for IB_ACCESS_REMOTE_ATOMIC, so it is a word's
 * @make: what becomes of a value; may be asked again
 * @how: for @make
 * @old: the value before
 *
 * Context: any.
 * Return: 0, or -EAGAIN: memory is not present.
 */
int xrdma_mr_update(struct xrdma_mr *mr, u64 va,
		    u64 (*make)(const void *how, u64 old), const void *how,
		    u64 *old)
{
	struct span span = map(mr->base, va + mr->shift, true);
	u64 *p = span.addr;
	u64 value;

	if (!p)
		return -EAGAIN;
	value = READ_ONCE(*p);
	do
		*old = value;
	while ((value = cmpxchg64(p, *old, make(how, *old))) != *old);
	unmap(&span, true);
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_mr_update);

/**
 * xrdma_mr_store - 8 bytes that are seen all or none
 * @mr: region, with a reference
 * @va: the 8 bytes were checked by xrdma_mr_get()
 * @bytes: to store
 *
 * Context: any.
 * Return: 0; -EINVAL: no word is there; -EAGAIN: memory is not present.
 */
int xrdma_mr_store(struct xrdma_mr *mr, u64 va, const void *bytes)
{
	struct span span = map(mr->base, va + mr->shift, true);
	bool is_good = is_word(&span);
	u64 value;

	if (!span.addr)
		return -EAGAIN;

	memcpy(&value, bytes, sizeof(value));
	/* Who sees it sees what was written before. */
	if (is_good)
		smp_store_release((u64 *)span.addr, value);
	unmap(&span, is_good);
	return is_good ? 0 : -EINVAL;
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
		span = map(mr->base, va, false);
		n = min_t(u64, length, span.length);
		arch_wb_cache_pmem(span.addr, n);
		unmap(&span, false);
	}
	/* The write-backs are done. */
	pmem_wmb();
}
EXPORT_SYMBOL_GPL(xrdma_mr_flush);
