// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: registration, and the one check that stands between a key in
 * a packet or a work request and memory. Knows neither QPs nor who asks.
 */

#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "xrdma.h"

#define REMOTE_ACCESS (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |	\
		       IB_ACCESS_REMOTE_ATOMIC)

/* Windows can be bound by nobody yet, so the right to do it is harmless. */
#define SUPPORTED_ACCESS (IB_ACCESS_LOCAL_WRITE | REMOTE_ACCESS |	\
			  IB_ACCESS_MW_BIND | IB_ACCESS_OPTIONAL)

static int check_access(int access)
{
	if (access & ~SUPPORTED_ACCESS)
		return -EOPNOTSUPP;
	/* IBTA C10-56 */
	if (access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC) &&
	    !(access & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

/*
 * Make the region findable; it must be complete otherwise. The key is written
 * last, and no key in use is 0, so nobody gets the region before that.
 */
static int publish(struct xrdma_table *table, struct xrdma_mr *mr,
		   struct ib_pd *pd)
{
	u32 key;

	mr->table = table;
	mr->ibmr.pd = pd;
	mr->ref = xrdma_ref_add(table, mr, 0, GFP_KERNEL);
	if (IS_ERR(mr->ref))
		return PTR_ERR(mr->ref);

	key = mr->ref->index << 8 | get_random_u8();
	mr->ibmr.lkey = key;
	mr->ibmr.rkey = key;
	mr->ibmr.iova = mr->iova;
	mr->ibmr.length = mr->length;
	/* Pairs with may_access(). */
	smp_store_release(&mr->key, key);
	return 0;
}

/**
 * xrdma_mr_get_dma - region of all kernel memory
 * @table: key table of the device
 * @pd: a kernel user's
 * @access: enum ib_access_flags
 *
 * Context: process, may sleep.
 * Return: the region or an ERR_PTR: -EINVAL, -EOPNOTSUPP, -ENOSPC, -ENOMEM.
 */
struct ib_mr *xrdma_mr_get_dma(struct xrdma_table *table, struct ib_pd *pd,
			       int access)
{
	struct xrdma_mr *mr;
	int err;

	err = check_access(access);
	if (err)
		return ERR_PTR(err);

	mr = kzalloc_obj(*mr, GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->access = access;
	mr->length = U64_MAX;
	mr->is_dma = true;

	err = publish(table, mr, pd);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}
EXPORT_SYMBOL_GPL(xrdma_mr_get_dma);

/* Pin user memory and note its pages; the region knows length and offset. */
static int pin(struct xrdma_mr *mr, struct ib_device *ibdev, u64 start)
{
	struct sg_page_iter iter;
	unsigned long i = 0;

	mr->npages = PAGE_ALIGN(mr->offset + mr->length) >> PAGE_SHIFT;
	mr->pages = kvmalloc_array(mr->npages, sizeof(*mr->pages),
				   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!mr->pages)
		return -ENOMEM;

	mr->umem = ib_umem_get_va(ibdev, start, mr->length, mr->access);
	if (IS_ERR(mr->umem)) {
		kvfree(mr->pages);
		return PTR_ERR(mr->umem);
	}

	for_each_sgtable_page(&mr->umem->sgt_append.sgt, &iter, 0) {
		if (WARN_ON_ONCE(i == mr->npages))
			break;
		mr->pages[i++] = sg_page_iter_page(&iter);
	}
	mr->npages = i;
	return 0;
}

static void unpin(struct xrdma_mr *mr)
{
	if (mr->umem)
		ib_umem_release(mr->umem);
	kvfree(mr->pages);
}

/* Neither range may wrap, not even by the rest of its last page. */
static bool is_good_range(u64 start, u64 iova, u64 length)
{
	return length && length <= U64_MAX - PAGE_SIZE &&
	       start <= U64_MAX - PAGE_SIZE - length && iova <= U64_MAX - length;
}

/**
 * xrdma_mr_reg_user - region of user memory
 * @table: key table of the device
 * @pd: the user's
 * @start: address in the calling process
 * @length: bytes
 * @iova: what SGEs and packets call the byte at @start
 * @access: enum ib_access_flags
 *
 * Context: process, may sleep.
 * Return: the region or an ERR_PTR: -EINVAL (range or access), -EOPNOTSUPP
 * (access), -EFAULT, -ENOMEM (among others, RLIMIT_MEMLOCK), -ENOSPC.
 */
struct ib_mr *xrdma_mr_reg_user(struct xrdma_table *table, struct ib_pd *pd,
				u64 start, u64 length, u64 iova, int access)
{
	struct xrdma_mr *mr;
	int err;

	err = check_access(access);
	if (err)
		return ERR_PTR(err);
	if (!is_good_range(start, iova, length))
		return ERR_PTR(-EINVAL);

	mr = kzalloc_obj(*mr, GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->access = access;
	mr->iova = iova;
	mr->length = length;
	mr->offset = offset_in_page(start);

	err = pin(mr, pd->device, start);
	if (err)
		goto free_mr;
	err = publish(table, mr, pd);
	if (err)
		goto unpin_mr;
	return &mr->ibmr;

unpin_mr:
	unpin(mr);
free_mr:
	kfree(mr);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(xrdma_mr_reg_user);

/**
 * xrdma_mr_dereg - end of a region
 * @mr: freed
 *
 * Waits for those who hold a reference; they are copying and will be done soon.
 *
 * Context: process, may sleep.
 * Return: 0
 */
int xrdma_mr_dereg(struct xrdma_mr *mr)
{
	xrdma_ref_del(mr->table, mr->ref);
	unpin(mr);
	kfree(mr);
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_mr_dereg);

/*
 * Kernel users know what they write into an SGE. A peer doesn't: what it names
 * must at least be memory, or the copy would fault.
 */
static bool is_kernel_memory(u32 access, u64 va, u64 length)
{
	if (length > U64_MAX - va)
		return false;
	if (!(access & REMOTE_ACCESS) || !length)
		return true;
	return virt_addr_valid((void *)va) &&
	       virt_addr_valid((void *)(va + length - 1));
}

/* The distance wraps when @va is too low, and is then longer than any region. */
static bool is_in_region(const struct xrdma_mr *mr, u64 va, u64 length)
{
	u64 distance = va - mr->iova;

	return distance <= mr->length && length <= mr->length - distance;
}

static bool may_access(struct xrdma_mr *mr, const struct ib_pd *pd, u32 key,
		       u32 access, u64 va, u64 length)
{
	/* Pairs with publish(). */
	if (smp_load_acquire(&mr->key) != key)
		return false;
	if (mr->ibmr.pd != pd || access & ~mr->access)
		return false;
	if (mr->is_dma)
		return !pd->uobject && is_kernel_memory(access, va, length);
	return is_in_region(mr, va, length);
}

/**
 * xrdma_mr_get - find a region and check a range of it
 * @table: key table of the device
 * @pd: must be the region's
 * @key: from an SGE or a packet
 * @access: enum ib_access_flags needed, all of them; 0 for local reading
 * @va: first byte
 * @length: bytes; the sum may not wrap
 *
 * Context: any.
 * Return: the region with a reference, or NULL.
 */
struct xrdma_mr *xrdma_mr_get(struct xrdma_table *table, const struct ib_pd *pd,
			      u32 key, u32 access, u64 va, u64 length)
{
	struct xrdma_ref *ref = xrdma_ref_get(table, key >> 8);

	if (!ref)
		return NULL;
	if (may_access(ref->obj, pd, key, access, va, length))
		return ref->obj;
	xrdma_ref_put(ref);
	return NULL;
}
EXPORT_SYMBOL_GPL(xrdma_mr_get);

/**
 * xrdma_mr_put - give a reference back
 * @mr: not to be used afterwards
 *
 * Context: any.
 */
void xrdma_mr_put(struct xrdma_mr *mr)
{
	xrdma_ref_put(mr->ref);
}
EXPORT_SYMBOL_GPL(xrdma_mr_put);

/* The page that @va lies in, and where in it. */
static struct page *find_page(const struct xrdma_mr *mr, u64 va, size_t *offset)
{
	u64 at = mr->offset + (va - mr->iova);

	*offset = offset_in_page(at);
	return mr->pages[at >> PAGE_SHIFT];
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
	struct page *page;
	size_t offset, n;

	if (mr->is_dma) {
		if (dir == XRDMA_TO_MEM)
			memcpy((void *)va, buf, length);
		else
			memcpy(buf, (void *)va, length);
		return;
	}

	for (; length; length -= n, va += n, buf += n) {
		page = find_page(mr, va, &offset);
		n = min_t(size_t, length, PAGE_SIZE - offset);
		if (dir == XRDMA_TO_MEM)
			memcpy_to_page(page, offset, buf, n);
		else
			memcpy_from_page(buf, page, offset, n);
	}
}
EXPORT_SYMBOL_GPL(xrdma_mr_copy);

static u64 do_atomic(u64 *p, enum xrdma_atomic op, u64 compare, u64 swap_add)
{
	if (op == XRDMA_CMP_SWAP)
		return cmpxchg64(p, compare, swap_add);
	return atomic64_fetch_add(swap_add, (atomic64_t *)p);
}

/**
 * xrdma_mr_atomic - 64-bit atomic, also against those of the CPUs
 * @mr: region, with a reference
 * @va: multiple of 8; the 8 bytes were checked by xrdma_mr_get()
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
	struct page *page;
	size_t offset;
	void *kaddr;
	u64 old;

	if (mr->is_dma)
		return do_atomic((u64 *)va, op, compare, swap_add);

	page = find_page(mr, va, &offset);
	kaddr = kmap_local_page(page);
	old = do_atomic(kaddr + offset, op, compare, swap_add);
	flush_dcache_page(page);
	kunmap_local(kaddr);
	return old;
}
EXPORT_SYMBOL_GPL(xrdma_mr_atomic);
