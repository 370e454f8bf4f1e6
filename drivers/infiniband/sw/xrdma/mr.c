// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: registration, and the one check that stands between a key in
 * a packet or a work request and memory. Knows neither QPs nor who asks.
 */

#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "mr.h"

#define SUPPORTED_ACCESS (IB_ACCESS_LOCAL_WRITE | XRDMA_REMOTE_ACCESS |	\
			  IB_ACCESS_MW_BIND | IB_ACCESS_OPTIONAL |	\
			  IB_ACCESS_ON_DEMAND | IB_ACCESS_HUGETLB)

int xrdma_mr_check_access(int access)
{
	if (access & ~SUPPORTED_ACCESS)
		return -EOPNOTSUPP;
	/* A promise that pinned memory has no use for (man ibv_reg_mr). */
	if (access & IB_ACCESS_HUGETLB && !(access & IB_ACCESS_ON_DEMAND))
		return -EOPNOTSUPP;
	/* IBTA C10-56 */
	if (access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC) &&
	    !(access & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

void xrdma_mr_init(struct xrdma_mr *mr, enum xrdma_kind kind)
{
	mr->kind = kind;
	mr->base = mr;
	rwlock_init(&mr->lock);
	atomic_set(&mr->windows, 0);
}

s64 xrdma_mr_enter(struct xrdma_mr *mr, struct xrdma_table *table,
		   struct ib_pd *pd)
{
	mr->table = table;
	mr->ibmr.pd = pd;
	mr->ref = xrdma_ref_add(table, mr, 0, GFP_KERNEL);
	if (IS_ERR(mr->ref))
		return PTR_ERR(mr->ref);
	return mr->ref->index << 8 | get_random_u8();
}

/*
 * Make the region findable; it must be complete otherwise. The key is written
 * last, and no key in use is 0, so nobody gets the region before that.
 */
static int publish(struct xrdma_table *table, struct xrdma_mr *mr,
		   struct ib_pd *pd)
{
	s64 key = xrdma_mr_enter(mr, table, pd);

	if (key < 0)
		return key;
	mr->ibmr.lkey = key;
	mr->ibmr.rkey = key;
	mr->ibmr.iova = mr->iova;
	mr->ibmr.length = mr->length;
	/* Pairs with find(). */
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

	err = xrdma_mr_check_access(access);
	if (err)
		return ERR_PTR(err);

	mr = kzalloc_obj(*mr, GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	xrdma_mr_init(mr, XRDMA_DMA);
	mr->access = access;
	mr->length = U64_MAX;

	err = publish(table, mr, pd);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}
EXPORT_SYMBOL_GPL(xrdma_mr_get_dma);

static bool is_within(struct scatterlist *sg, unsigned long desc)
{
	return region_intersects(page_to_phys(sg_page(sg)), sg->length, IORESOURCE_MEM,
				 desc) == REGION_INTERSECTS;
}

/* Persistence can be promised for memory alone that has it. */
static bool is_persistent(struct scatterlist *sg)
{
	return is_within(sg, IORES_DESC_PERSISTENT_MEMORY) ||
	       is_within(sg, IORES_DESC_PERSISTENT_MEMORY_LEGACY);
}

static int check_persistence(const struct xrdma_mr *mr)
{
	struct scatterlist *sg;
	unsigned int i;

	if (!(mr->access & IB_ACCESS_FLUSH_PERSISTENT))
		return 0;
	for_each_sgtable_sg(&mr->umem->sgt_append.sgt, sg, i) {
		if (!is_persistent(sg))
			return -EINVAL;
	}
	return 0;
}

static void unpin(struct xrdma_mr *mr)
{
	if (mr->umem)
		ib_umem_release(mr->umem);
	kvfree(mr->pages);
}

static void release_memory(struct xrdma_mr *mr)
{
	if (mr->kind == XRDMA_ON_DEMAND)
		xrdma_odp_fini(mr);
	else
		unpin(mr);
}

/* Pin user memory and note its pages; the region knows length and offset. */
static int pin(struct xrdma_mr *mr, struct ib_device *ibdev, u64 start)
{
	struct sg_page_iter iter;
	unsigned long i = 0;
	int err;

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
	err = check_persistence(mr);
	if (err) {
		unpin(mr);
		return err;
	}

	for_each_sgtable_page(&mr->umem->sgt_append.sgt, &iter, 0) {
		if (WARN_ON_ONCE(i == mr->npages))
			break;
		mr->pages[i++] = sg_page_iter_page(&iter);
	}
	mr->npages = i;
	return 0;
}

/* Nothing is known of its pages yet, so nothing can be promised of them. */
static int make_on_demand(struct xrdma_mr *mr, u64 start)
{
	if (mr->access & IB_ACCESS_FLUSH_PERSISTENT)
		return -EOPNOTSUPP;
	mr->kind = XRDMA_ON_DEMAND;
	return xrdma_odp_init(mr, start);
}

/* All of the address space (man ibv_reg_mr). */
static bool is_implicit(u64 start, u64 iova, u64 length, int access)
{
	return access & IB_ACCESS_ON_DEMAND && !start && !iova &&
	       length == U64_MAX;
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
 * Return: the region or an ERR_PTR: -EINVAL (range or access; persistence of
 * memory that has none), -EOPNOTSUPP (access), -EFAULT, -ENOMEM (among others,
 * RLIMIT_MEMLOCK), -ENOSPC.
 */
struct ib_mr *xrdma_mr_reg_user(struct xrdma_table *table, struct ib_pd *pd,
				u64 start, u64 length, u64 iova, int access)
{
	struct xrdma_mr *mr;
	int err;

	err = xrdma_mr_check_access(access);
	if (err)
		return ERR_PTR(err);
	if (!is_implicit(start, iova, length, access) &&
	    !is_good_range(start, iova, length))
		return ERR_PTR(-EINVAL);

	mr = kzalloc_obj(*mr, GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	xrdma_mr_init(mr, XRDMA_USER);
	mr->access = access;
	mr->iova = iova;
	mr->length = length;
	mr->offset = offset_in_page(start);

	err = access & IB_ACCESS_ON_DEMAND ? make_on_demand(mr, start) :
					     pin(mr, pd->device, start);
	if (err)
		goto free_mr;
	err = publish(table, mr, pd);
	if (err)
		goto release;
	return &mr->ibmr;

release:
	release_memory(mr);
free_mr:
	kfree(mr);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(xrdma_mr_reg_user);

/**
 * xrdma_mr_dereg - end of a region
 * @mr: freed if this succeeds
 *
 * Waits for those who hold a reference; they are copying and will be done soon.
 *
 * Context: process, may sleep.
 * Return: 0, or -EBUSY while windows are bound to it
 */
int xrdma_mr_dereg(struct xrdma_mr *mr)
{
	/* Pairs with the one who binds: either sees the other. */
	if (atomic_cmpxchg(&mr->windows, 0, INT_MIN))
		return -EBUSY;
	xrdma_ref_del(mr->table, mr->ref);
	release_memory(mr);
	kvfree(mr->pieces);
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
	if (!(access & XRDMA_REMOTE_ACCESS) || !length)
		return true;
	return virt_addr_valid((void *)va) &&
	       virt_addr_valid((void *)(va + length - 1));
}

/* The distance wraps when @va is too low, and is then longer than any region. */
bool xrdma_mr_holds(const struct xrdma_mr *mr, u64 va, u64 length)
{
	u64 distance = va - mr->iova;

	return distance <= mr->length && length <= mr->length - distance;
}

/* Rights or memory that may change while somebody looks. */
static bool is_mutable(const struct xrdma_mr *mr)
{
	return mr->kind == XRDMA_FAST || mr->kind == XRDMA_WINDOW ||
	       mr->kind == XRDMA_ON_DEMAND;
}

/* The region of @key, with a reference and its rights held. */
static struct xrdma_mr *find(struct xrdma_table *table, u32 key)
{
	struct xrdma_ref *ref = xrdma_ref_get(table, key >> 8);
	struct xrdma_mr *mr;

	if (!ref)
		return NULL;
	mr = ref->obj;
	if (is_mutable(mr))
		read_lock_bh(&mr->lock);
	/* Pairs with publish(). */
	if (key && smp_load_acquire(&mr->key) == key)
		return mr;
	xrdma_mr_put(mr);
	return NULL;
}

static bool may_access(const struct xrdma_mr *mr, const struct ib_pd *pd,
		       u32 access, u64 va, u64 length)
{
	if (mr->ibmr.pd != pd || access & ~mr->access)
		return false;
	if (length == XRDMA_WHOLE)
		return mr->kind != XRDMA_DMA;
	if (mr->kind == XRDMA_DMA)
		return !pd->uobject && is_kernel_memory(access, va, length);
	if (!xrdma_mr_holds(mr, va, length))
		return false;
	return !(access & IB_ACCESS_REMOTE_ATOMIC) || xrdma_mr_is_word(mr, va);
}

/**
 * xrdma_mr_get - find a region and check a range of it
 * @table: key table of the device
 * @pd: must be the region's
 * @key: from an SGE
 * @access: enum ib_access_flags needed, all of them; 0 for local reading
 * @va: first byte
 * @length: bytes; the sum may not wrap
 *
 * Context: process or softirq; who has the region must not sleep.
 * Return: the region with a reference, or NULL.
 */
struct xrdma_mr *xrdma_mr_get(struct xrdma_table *table, const struct ib_pd *pd,
			      u32 key, u32 access, u64 va, u64 length)
{
	struct xrdma_mr *mr = find(table, key);

	if (!mr)
		return NULL;
	/* IBTA 10.6.7.2: a window's key is for peers. */
	if (mr->kind != XRDMA_WINDOW && may_access(mr, pd, access, va, length))
		return mr;
	xrdma_mr_put(mr);
	return NULL;
}
EXPORT_SYMBOL_GPL(xrdma_mr_get);

/**
 * xrdma_mr_get_remote - find what a peer names and check a range of it
 * @table: key table of the device
 * @pd: of the QP, must be the region's
 * @owner: the struct xrdma_windows of the QP
 * @key: from a packet
 * @access: enum ib_access_flags needed, all of them
 * @va: first byte
 * @length: bytes, the sum may not wrap; or XRDMA_WHOLE
 *
 * Context: process or softirq; who has the region must not sleep.
 * Return: the region with a reference, or NULL.
 */
struct xrdma_mr *xrdma_mr_get_remote(struct xrdma_table *table,
				     const struct ib_pd *pd, const void *owner,
				     u32 key, u32 access, u64 va, u64 length)
{
	struct xrdma_mr *mr = find(table, key);

	if (!mr)
		return NULL;
	if ((!mr->owner || mr->owner == owner) &&
	    may_access(mr, pd, access, va, length))
		return mr;
	xrdma_mr_put(mr);
	return NULL;
}
EXPORT_SYMBOL_GPL(xrdma_mr_get_remote);

/**
 * xrdma_mr_why - why xrdma_mr_get_remote() found nothing
 * @table: as there
 * @pd: as there
 * @key: as there
 * @access: as there
 *
 * By what is there now; when it would find the region now, it is the range.
 *
 * Context: any.
 */
enum xrdma_refusal xrdma_mr_why(struct xrdma_table *table, const struct ib_pd *pd,
				u32 key, u32 access)
{
	struct xrdma_ref *ref = xrdma_ref_get(table, key >> 8);
	enum xrdma_refusal why = XRDMA_OUT_OF_RANGE;
	struct xrdma_mr *mr;

	if (!ref)
		return XRDMA_NO_KEY;
	mr = ref->obj;
	if (smp_load_acquire(&mr->key) != key)
		why = XRDMA_NO_KEY;
	else if (mr->ibmr.pd != pd)
		why = XRDMA_OTHER_PD;
	else if (access & ~mr->access)
		why = XRDMA_NO_ACCESS;
	xrdma_ref_put(ref);
	return why;
}
EXPORT_SYMBOL_GPL(xrdma_mr_why);

/**
 * xrdma_mr_put - give a reference back
 * @mr: not to be used afterwards
 *
 * Context: as it was taken in.
 */
void xrdma_mr_put(struct xrdma_mr *mr)
{
	if (is_mutable(mr))
		read_unlock_bh(&mr->lock);
	xrdma_ref_put(mr->ref);
}
EXPORT_SYMBOL_GPL(xrdma_mr_put);
