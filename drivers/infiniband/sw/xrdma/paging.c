// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Waiting for on-demand memory that is not present where an engine runs, which may
 * not wait. A work item makes it present and tells the driver, which tries again.
 */

#include <linux/export.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include "mr.h"

/* Bytes made present at a time beyond what is needed now. */
#define AHEAD	SZ_256K

static struct workqueue_struct *paging_wq;

int xrdma_paging_wq_init(void)
{
	/*
	 * Peers wait. No WQ_MEM_RECLAIM: it may need memory that is freed by writing
	 * pages out.
	 */
	paging_wq = alloc_workqueue("xrdma_paging", WQ_UNBOUND | WQ_HIGHPRI, 0);
	return paging_wq ? 0 : -ENOMEM;
}

void xrdma_paging_wq_exit(void)
{
	destroy_workqueue(paging_wq);
}

static void page_in(struct work_struct *work)
{
	struct xrdma_paging *paging = container_of(work, struct xrdma_paging, work);
	struct xrdma_table *table = paging->table;
	struct xrdma_want want = paging->want;
	const struct ib_pd *pd = paging->pd;
	int err;

	err = xrdma_mr_fault(table, pd, &want);
	paging->err = err;
	/* Pairs with xrdma_paging_is_waiting(). The owner may want more from now on. */
	smp_store_release(&paging->is_waiting, false);
	paging->done(paging->owner);
	if (err)
		return;
	want.va += want.length;
	want.length = min_t(u64, want.ahead, AHEAD);
	xrdma_mr_fault(table, pd, &want);
}

/**
 * xrdma_paging_create - for one who may have to wait for memory
 * @table: key table of the device
 * @done: called by the work item when it is worth while to try again; may not sleep
 *	for long
 * @owner: argument of @done
 *
 * Context: process, may sleep.
 * Return: NULL if there is no memory.
 */
struct xrdma_paging *xrdma_paging_create(struct xrdma_table *table,
					 void (*done)(void *owner), void *owner)
{
	struct xrdma_paging *paging = kzalloc_obj(*paging, GFP_KERNEL_ACCOUNT);

	if (!paging)
		return NULL;
	paging->table = table;
	paging->done = done;
	paging->owner = owner;
	INIT_WORK(&paging->work, page_in);
	return paging;
}
EXPORT_SYMBOL_GPL(xrdma_paging_create);

/**
 * xrdma_paging_destroy - the end of it
 * @paging: waits for nothing, see xrdma_paging_reset(); or NULL
 */
void xrdma_paging_destroy(struct xrdma_paging *paging)
{
	kfree(paging);
}
EXPORT_SYMBOL_GPL(xrdma_paging_destroy);

/**
 * xrdma_paging_reset - wait for nothing any more
 * @paging: of the caller, who owns the engine; or NULL
 *
 * Context: process, sleeps until the work item is done.
 */
void xrdma_paging_reset(struct xrdma_paging *paging)
{
	if (!paging)
		return;
	cancel_work_sync(&paging->work);
	paging->is_waiting = false;
	paging->err = 0;
}
EXPORT_SYMBOL_GPL(xrdma_paging_reset);

/**
 * xrdma_paging_has_failed - was that the last that was waited for, in vain?
 * @paging: of the caller, who owns the engine
 * @want: which memory
 *
 * Context: any.
 */
bool xrdma_paging_has_failed(const struct xrdma_paging *paging,
			     const struct xrdma_want *want)
{
	return paging->err && paging->want.key == want->key &&
	       paging->want.va == want->va &&
	       paging->want.length == want->length &&
	       paging->want.is_write == want->is_write;
}
EXPORT_SYMBOL_GPL(xrdma_paging_has_failed);

/**
 * xrdma_paging_wait - have memory made present, and be told
 * @paging: of the caller, who owns the engine
 * @pd: must be the region's
 * @want: which memory; one at a time
 *
 * Context: any.
 * Return: true to try again when told; false if that has failed, so it never will be.
 */
bool xrdma_paging_wait(struct xrdma_paging *paging, const struct ib_pd *pd,
		       const struct xrdma_want *want)
{
	if (xrdma_paging_is_waiting(paging))
		return true;
	if (xrdma_paging_has_failed(paging, want)) {
		paging->err = 0;
		return false;
	}
	paging->pd = pd;
	paging->want = *want;
	paging->is_waiting = true;
	queue_work(paging_wq, &paging->work);
	return true;
}
EXPORT_SYMBOL_GPL(xrdma_paging_wait);
