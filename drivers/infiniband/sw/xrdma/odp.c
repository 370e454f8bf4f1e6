// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * On-demand paging: regions of memory that nobody has pinned.
 *
 * A region knows those pages of the process that were asked for lately. A page that
 * the process loses (munmap, fork, swap, migration) is forgotten first: the kernel
 * calls invalidate() and waits for it. Copies hold mr->lock for reading and find each
 * page by itself; one that is not there makes them fail, and their caller comes back
 * after xrdma_mr_fault(), which may sleep.
 *
 * The implicit region is all of the address space, so it is no special case.
 *
 * Memory may be reclaimed from whoever allocates any, and that comes to invalidate():
 * nothing is allocated under the mutex that it takes.
 */

#include <linux/export.h>
#include <linux/hmm.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "mr.h"

/* Pages faulted in at a time, on the stack. */
#define BATCH	32U
/* Pages forgotten before others may run. */
#define FORGET_BATCH	1024U
/* The tag of pages that may be written. */
#define WRITABLE	1

/**
 * struct xrdma_odp - pages of an on-demand region
 * @mr: the region
 * @start: of the region in the process
 * @notifier: tells what the process loses
 * @mutex: writers of @pages
 * @pages: page number in the process to struct page, tagged if WRITABLE
 */
struct xrdma_odp {
	struct xrdma_mr *mr;
	u64 start;
	struct mmu_interval_notifier notifier;
	struct mutex mutex;
	struct xarray pages;
};

/* Return: where to go on, or beyond @last. */
static unsigned long forget_batch(struct xrdma_odp *odp, unsigned long first,
				  unsigned long last)
{
	XA_STATE(xas, &odp->pages, first);
	unsigned long next = last + 1;
	unsigned int n = 0;
	void *entry;

	xas_lock(&xas);
	xas_for_each(&xas, entry, last) {
		if (++n > FORGET_BATCH) {
			next = xas.xa_index;
			break;
		}
		xas_store(&xas, NULL);
	}
	xas_unlock(&xas);
	return next;
}

/* Page numbers are far from where numbers wrap. */
static void forget(struct xrdma_odp *odp, unsigned long first, unsigned long last)
{
	while (first <= last) {
		first = forget_batch(odp, first, last);
		cond_resched();
	}
}

/* Who copies by now, maybe by pages that were forgotten since, is done after this. */
static void wait_for_copies(struct xrdma_mr *mr)
{
	write_lock_bh(&mr->lock);
	write_unlock_bh(&mr->lock);
}

static bool invalidate(struct mmu_interval_notifier *notifier,
		       const struct mmu_notifier_range *range, unsigned long seq)
{
	struct xrdma_odp *odp = container_of(notifier, struct xrdma_odp, notifier);

	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&odp->mutex);
	mmu_interval_set_seq(notifier, seq);
	forget(odp, range->start >> PAGE_SHIFT, (range->end - 1) >> PAGE_SHIFT);
	wait_for_copies(odp->mr);
	mutex_unlock(&odp->mutex);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = invalidate,
};

/* Length of the region in whole pages; all that there is for the implicit one. */
static unsigned long notified_length(u64 start, u64 length)
{
	u64 first = start & PAGE_MASK;

	if (length > ULONG_MAX - PAGE_SIZE - start)
		return ULONG_MAX - first;
	return PAGE_ALIGN(start + length) - first;
}

int xrdma_odp_init(struct xrdma_mr *mr, u64 start)
{
	struct xrdma_odp *odp = kzalloc_obj(*odp, GFP_KERNEL_ACCOUNT);
	int err;

	if (!odp)
		return -ENOMEM;
	odp->mr = mr;
	odp->start = start;
	mutex_init(&odp->mutex);
	xa_init_flags(&odp->pages, XA_FLAGS_ACCOUNT);
	err = mmu_interval_notifier_insert(&odp->notifier, current->mm,
					   start & PAGE_MASK,
					   notified_length(start, mr->length),
					   &notifier_ops);
	if (err) {
		kfree(odp);
		return err;
	}
	mr->odp = odp;
	return 0;
}

void xrdma_odp_fini(struct xrdma_mr *mr)
{
	mmu_interval_notifier_remove(&mr->odp->notifier);
	xa_destroy(&mr->odp->pages);
	kfree(mr->odp);
}

static u64 in_process(const struct xrdma_mr *mr, u64 va)
{
	return mr->odp->start + (va - mr->iova);
}

struct page *xrdma_odp_page(const struct xrdma_mr *mr, u64 va, bool is_write,
			    u32 *offset)
{
	u64 address = in_process(mr, va);
	void *entry = xa_load(&mr->odp->pages, address >> PAGE_SHIFT);

	*offset = offset_in_page(address);
	if (!entry || (is_write && xa_pointer_tag(entry) != WRITABLE))
		return NULL;
	return xa_untag_pointer(entry);
}

bool xrdma_odp_is_word(const struct xrdma_mr *mr, u64 va)
{
	return IS_ALIGNED(in_process(mr, va), sizeof(u64));
}

static bool is_there(unsigned long pfn)
{
	return pfn & HMM_PFN_VALID;
}

/* Room for what is to be remembered, unless it is forgotten at once. */
static int make_room(struct xrdma_odp *odp, unsigned long first, u32 n,
		     const unsigned long *pfns)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		if (is_there(pfns[i]))
			err = xa_reserve(&odp->pages, first + i, GFP_KERNEL);
	return err;
}

/* They are the process's as long as the mutex is held. */
static int remember(struct xrdma_odp *odp, unsigned long first, u32 n,
		    const unsigned long *pfns)
{
	struct page *page;
	bool is_writable;
	void *entry;
	u32 i;

	lockdep_assert_held(&odp->mutex);
	for (i = 0; i < n; i++) {
		if (!is_there(pfns[i]))
			continue;
		page = hmm_pfn_to_page(pfns[i]);
		is_writable = pfns[i] & HMM_PFN_WRITE;
		/* What is written later is dirty as soon as it can be. */
		if (is_writable)
			set_page_dirty(page);
		entry = xa_tag_pointer(page, is_writable ? WRITABLE : 0);
		if (xa_is_err(xa_store(&odp->pages, first + i, entry,
				       GFP_NOWAIT | __GFP_NOWARN)))
			return -ENOMEM;
	}
	return 0;
}

/* Return: -EBUSY if the process changed something meanwhile. */
static int try_batch(struct xrdma_odp *odp, struct mm_struct *mm,
		     unsigned long first, u32 n, unsigned long flags)
{
	unsigned long pfns[BATCH] = {};
	struct hmm_range range = {
		.notifier = &odp->notifier,
		.start = first << PAGE_SHIFT,
		.end = (first + n) << PAGE_SHIFT,
		.hmm_pfns = pfns,
		.default_flags = flags,
	};
	int err;

	range.notifier_seq = mmu_interval_read_begin(&odp->notifier);
	mmap_read_lock(mm);
	err = hmm_range_fault(&range);
	mmap_read_unlock(mm);
	if (!err)
		err = make_room(odp, first, n, pfns);
	if (err)
		return err;
	mutex_lock(&odp->mutex);
	if (mmu_interval_read_retry(&odp->notifier, range.notifier_seq))
		err = -EBUSY;
	else
		err = remember(odp, first, n, pfns);
	mutex_unlock(&odp->mutex);
	return err;
}

/* @flags: enum hmm_pfn_flags that the pages must come to have; 0: as they are */
static int fault_batch(struct xrdma_odp *odp, struct mm_struct *mm,
		       unsigned long first, u32 n, unsigned long flags)
{
	unsigned long deadline = jiffies +
				 msecs_to_jiffies(HMM_RANGE_DEFAULT_TIMEOUT);
	int err;

	do {
		err = try_batch(odp, mm, first, n, flags);
	} while (err == -EBUSY && time_before(jiffies, deadline));
	return err;
}

static int fault_pages(struct xrdma_odp *odp, unsigned long first,
		       unsigned long last, unsigned long flags)
{
	struct mm_struct *mm = odp->notifier.mm;
	int err = 0;
	u32 n;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	for (; !err && first <= last; first += n) {
		n = min_t(unsigned long, BATCH, last - first + 1);
		err = fatal_signal_pending(current) ? -EINTR :
		      fault_batch(odp, mm, first, n, flags);
		cond_resched();
	}
	mmput(mm);
	return err;
}

/* A region with a reference, on demand, that grants this; or an ERR_PTR. */
static struct xrdma_mr *find(struct xrdma_table *table, const struct ib_pd *pd,
			     const struct xrdma_want *want)
{
	struct xrdma_ref *ref = xrdma_ref_get(table, want->key >> 8);
	struct xrdma_mr *mr;
	int err;

	if (!ref)
		return ERR_PTR(-EFAULT);
	mr = ref->obj;
	/* None of these change while the key is valid. */
	if (mr->kind != XRDMA_ON_DEMAND ||
	    smp_load_acquire(&mr->key) != want->key ||
	    want->access & ~mr->access ||
	    (want->is_write && !(mr->access & IB_ACCESS_LOCAL_WRITE)) ||
	    !xrdma_mr_holds(mr, want->va, want->length))
		err = -EFAULT;
	else if (mr->ibmr.pd != pd)
		err = -EINVAL;
	else
		return mr;
	xrdma_ref_put(ref);
	return ERR_PTR(err);
}

/**
 * xrdma_mr_fault - make memory of an on-demand region present
 * @table: key table of the device
 * @pd: must be the region's
 * @want: which, checked here
 *
 * It may be gone again when this returns.
 *
 * Context: process, may sleep; not under the mmap lock.
 * Return: 0; -EINVAL: another PD's region; -EFAULT: not such a region's key, no right
 * to it or out of its range, or the process has no such memory; -EPERM: it may not be
 * accessed that way; -ENOMEM, -EBUSY, -EINTR.
 */
int xrdma_mr_fault(struct xrdma_table *table, const struct ib_pd *pd,
		   const struct xrdma_want *want)
{
	unsigned long flags = 0;
	struct xrdma_mr *mr;
	u64 address;
	int err = 0;

	mr = find(table, pd, want);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	if (!want->is_hint)
		flags |= HMM_PFN_REQ_FAULT;
	if (want->is_write && !want->is_hint)
		flags |= HMM_PFN_REQ_WRITE;
	address = in_process(mr, want->va);
	if (want->length)
		err = fault_pages(mr->odp, address >> PAGE_SHIFT,
				  (address + want->length - 1) >> PAGE_SHIFT,
				  flags);
	xrdma_ref_put(mr->ref);
	return want->may_fail ? 0 : err;
}
EXPORT_SYMBOL_GPL(xrdma_mr_fault);

/**
 * xrdma_mr_advise - body of ib_device_ops.advise_mr
 * @table: key table of the device
 * @pd: must be the regions'
 * @advice: what to do
 * @flags: without IB_UVERBS_ADVISE_MR_FLAG_FLUSH by best effort; done when this
 *	returns, asked for or not
 * @sges: to which memory
 * @num_sge: entries of @sges
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL for unknown flags, -EOPNOTSUPP for unknown advice, or as
 * xrdma_mr_fault().
 */
int xrdma_mr_advise(struct xrdma_table *table, const struct ib_pd *pd,
		    enum ib_uverbs_advise_mr_advice advice, u32 flags,
		    const struct ib_sge *sges, u32 num_sge)
{
	u32 i;
	int err;

	if (flags & ~IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return -EINVAL;
	if (advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	for (i = 0; i < num_sge; i++) {
		struct xrdma_want want = {
			.key = sges[i].lkey,
			.va = sges[i].addr,
			.length = sges[i].length,
			.is_write = advice ==
				IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE,
			.is_hint = advice ==
				IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT,
			.may_fail = !(flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH),
		};

		err = xrdma_mr_fault(table, pd, &want);
		if (err)
			return err;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_mr_advise);

/**
 * xrdma_mr_is_present - may memory of a region be read without waiting?
 * @mr: region, with a reference
 * @va: first byte, checked by xrdma_mr_get()
 * @length: bytes
 *
 * Context: any.
 */
bool xrdma_mr_is_present(const struct xrdma_mr *mr, u64 va, u32 length)
{
	u64 done, n;
	u32 offset;

	if (mr->kind != XRDMA_ON_DEMAND)
		return true;
	for (done = 0; done < length; done += n) {
		if (!xrdma_odp_page(mr, va + done, false, &offset))
			return false;
		n = PAGE_SIZE - offset;
	}
	return true;
}
EXPORT_SYMBOL_GPL(xrdma_mr_is_present);
