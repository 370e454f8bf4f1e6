// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers that packets and users name objects by. Finding takes no lock; the
 * entry outlives the object by an RCU grace period, so that a reader who comes
 * late sees a count of zero instead of freed memory.
 */

#include <linux/export.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "xrdma.h"

static u32 random_number(const struct xrdma_table *table)
{
	return table->min + get_random_u32_below(table->max - table->min + 1);
}

/**
 * xrdma_table_init - make a table empty
 * @table: to initialise
 * @min: first number to give out, not 0
 * @max: last number to give out
 */
void xrdma_table_init(struct xrdma_table *table, u32 min, u32 max)
{
	xa_init_flags(&table->xa, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	table->min = min;
	table->max = max;
	table->is_random = false;
	table->next = random_number(table);
}
EXPORT_SYMBOL_GPL(xrdma_table_init);

/**
 * xrdma_table_fini - end of a table
 * @table: must have no entries
 */
void xrdma_table_fini(struct xrdma_table *table)
{
	WARN_ON(!xa_empty(&table->xa));
	xa_destroy(&table->xa);
}
EXPORT_SYMBOL_GPL(xrdma_table_fini);

/* The entry's index is written before others can see the entry. */
static int insert(struct xrdma_table *table, struct xrdma_ref *ref, u32 wanted,
		  gfp_t gfp)
{
	unsigned long flags;
	int err;

	xa_lock_irqsave(&table->xa, flags);
	if (table->is_random)
		table->next = random_number(table);
	if (wanted) {
		ref->index = wanted;
		err = __xa_insert(&table->xa, wanted, ref, gfp);
	} else {
		err = __xa_alloc_cyclic(&table->xa, &ref->index, ref,
					XA_LIMIT(table->min, table->max),
					&table->next, gfp);
		if (err == -EBUSY)
			err = -ENOSPC;
	}
	xa_unlock_irqrestore(&table->xa, flags);
	return err < 0 ? err : 0;
}

/**
 * xrdma_ref_add - give an object a number
 * @table: where
 * @obj: can be found as soon as the number is known, before this returns
 * @wanted: that number, may lie outside the table's range; 0 for any
 * @gfp: GFP_ATOMIC in any context, others as they allow
 *
 * Return: the entry, or an ERR_PTR: -ENOSPC when all numbers are taken, -EBUSY
 * when @wanted is, -ENOMEM.
 */
struct xrdma_ref *xrdma_ref_add(struct xrdma_table *table, void *obj, u32 wanted,
				gfp_t gfp)
{
	struct xrdma_ref *ref;
	int err;

	ref = kzalloc_obj(*ref, gfp);
	if (!ref)
		return ERR_PTR(-ENOMEM);
	refcount_set(&ref->count, 1);
	ref->obj = obj;

	err = insert(table, ref, wanted, gfp);
	if (err) {
		kfree(ref);
		return ERR_PTR(err);
	}
	return ref;
}
EXPORT_SYMBOL_GPL(xrdma_ref_add);

/**
 * xrdma_ref_get - find an object
 * @table: where
 * @index: its number
 *
 * Context: any.
 * Return: its entry with a reference, or NULL.
 */
struct xrdma_ref *xrdma_ref_get(struct xrdma_table *table, u32 index)
{
	struct xrdma_ref *ref;

	rcu_read_lock();
	ref = xa_load(&table->xa, index);
	if (ref && !refcount_inc_not_zero(&ref->count))
		ref = NULL;
	rcu_read_unlock();
	return ref;
}
EXPORT_SYMBOL_GPL(xrdma_ref_get);

/**
 * xrdma_ref_put - give a reference back
 * @ref: not to be used afterwards, nor the object
 *
 * Context: any.
 */
void xrdma_ref_put(struct xrdma_ref *ref)
{
	/* Who drops the last one comes after xrdma_ref_del(), which set idle. */
	if (refcount_dec_and_test(&ref->count))
		complete(ref->idle);
}
EXPORT_SYMBOL_GPL(xrdma_ref_put);

/**
 * xrdma_ref_del - take an object's number away
 * @table: where it is
 * @ref: its entry, freed after a grace period
 *
 * When this returns, nobody has a reference and the object may be freed. The
 * caller may hold none itself.
 *
 * Context: process, may sleep.
 */
void xrdma_ref_del(struct xrdma_table *table, struct xrdma_ref *ref)
{
	DECLARE_COMPLETION_ONSTACK(idle);

	xa_erase_irq(&table->xa, ref->index);
	ref->idle = &idle;
	xrdma_ref_put(ref);
	wait_for_completion(&idle);
	kfree_rcu(ref, rcu);
}
EXPORT_SYMBOL_GPL(xrdma_ref_del);
