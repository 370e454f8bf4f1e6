// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Kernel memory that user space maps, for queues. The verbs core keeps the
 * offsets; an entry lives until the driver and an mmap() in progress are done
 * with it. Each mapping then holds the pages themselves, so they outlive the
 * entry, the device and the driver while they are mapped.
 */

#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>
#include "xrdma.h"

/*
 * First offset to give out, in pages. 0 looks like a response that was not filled
 * in, and there are providers that take 0x90000 for "none".
 */
#define MIN_PAGE	256

static struct xrdma_shared *to_shared(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct xrdma_shared, entry);
}

/* A page alone, as most queues are, needs no mapping of its own in the kernel. */
static void *alloc_pages_for(size_t size)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;

	return size == PAGE_SIZE ? (void *)__get_free_page(gfp) :
				   __vmalloc(size, gfp);
}

static struct page *page_at(const void *buf)
{
	return is_vmalloc_addr(buf) ? vmalloc_to_page(buf) : virt_to_page(buf);
}

static void destroy(struct xrdma_shared *shared)
{
	if (is_vmalloc_addr(shared->buf))
		vfree(shared->buf);
	else
		free_page((unsigned long)shared->buf);
	kfree(shared);
}

/**
 * xrdma_shared_alloc - zeroed memory for a queue
 * @ucontext: who may map it; NULL: nobody
 * @size: bytes, rounded up to pages; charged to the caller's memory cgroup
 *
 * Context: process, may sleep.
 * Return: the memory or NULL.
 */
struct xrdma_shared *xrdma_shared_alloc(struct ib_ucontext *ucontext, size_t size)
{
	struct xrdma_shared *shared;

	if (!size || size > U32_MAX)
		return NULL;
	shared = kzalloc_obj(*shared, GFP_KERNEL);
	if (!shared)
		return NULL;

	shared->size = PAGE_ALIGN(size);
	shared->buf = alloc_pages_for(shared->size);
	if (!shared->buf)
		goto free_shared;

	if (ucontext) {
		if (rdma_user_mmap_entry_insert_range(ucontext, &shared->entry,
						      shared->size, MIN_PAGE,
						      U32_MAX))
			goto free_shared;
		shared->is_user = true;
	}
	return shared;

free_shared:
	destroy(shared);
	return NULL;
}
EXPORT_SYMBOL_GPL(xrdma_shared_alloc);

/**
 * xrdma_shared_free - the driver is done with the memory
 * @shared: not to be used afterwards; NULL is fine
 *
 * User space keeps what it has mapped, but can map it no more.
 *
 * Context: process, may sleep.
 */
void xrdma_shared_free(struct xrdma_shared *shared)
{
	if (!shared)
		return;
	if (shared->is_user)
		rdma_user_mmap_entry_remove(&shared->entry);
	else
		destroy(shared);
}
EXPORT_SYMBOL_GPL(xrdma_shared_free);

/**
 * xrdma_shared_offset - name of the memory for mmap(2)
 * @shared: memory of a user context
 *
 * Return: the offset to map at.
 */
u64 xrdma_shared_offset(const struct xrdma_shared *shared)
{
	return rdma_user_mmap_get_offset(&shared->entry);
}
EXPORT_SYMBOL_GPL(xrdma_shared_offset);

/* remap_vmalloc_range() wants memory of vmalloc_user(), which nobody is charged for. */
static int map_pages(struct vm_area_struct *vma, void *buf)
{
	unsigned long at;
	int err;

	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	for (at = vma->vm_start; at < vma->vm_end; at += PAGE_SIZE) {
		err = vm_insert_page(vma, at, page_at(buf));
		if (err)
			return err;
		buf += PAGE_SIZE;
	}
	return 0;
}

/**
 * xrdma_mmap - ib_device_ops.mmap
 * @ucontext: who maps
 * @vma: shared and of exactly the entry's size, or it is refused
 *
 * Context: process, mmap lock held.
 * Return: 0, -EINVAL when there is no such memory, or an error of the mapping.
 */
int xrdma_mmap(struct ib_ucontext *ucontext, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int err;

	entry = rdma_user_mmap_entry_get(ucontext, vma);
	if (!entry)
		return -EINVAL;
	err = map_pages(vma, to_shared(entry)->buf);
	rdma_user_mmap_entry_put(entry);
	return err;
}
EXPORT_SYMBOL_GPL(xrdma_mmap);

/**
 * xrdma_mmap_free - ib_device_ops.mmap_free
 * @entry: of an xrdma_shared that nobody uses any more
 */
void xrdma_mmap_free(struct rdma_user_mmap_entry *entry)
{
	destroy(to_shared(entry));
}
EXPORT_SYMBOL_GPL(xrdma_mmap_free);
