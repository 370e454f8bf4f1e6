// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: a key with fewer rights to a part of a region, bound and unbound
 * by work requests. And invalidation, which windows share with fast regions.
 *
 * Type 1 belongs to its PD and is bound anew at will. Type 2 belongs to the QP it
 * was bound through, must be free to be bound, and goes with that QP. (Types 2A
 * and 2B differ in what else must match; both promises are kept.)
 *
 * Bindings change under "bindings", which is taken outside of the windows' own
 * locks, the one case of two locks held.
 */

#include <linux/atomic.h>
#include <linux/export.h>
#include "mr.h"

static DEFINE_SPINLOCK(bindings);

/* The right to write locally says nothing of a window, but programs pass it. */
#define WINDOW_ACCESS	(XRDMA_REMOTE_ACCESS | IB_ZERO_BASED | \
			 IB_ACCESS_LOCAL_WRITE)

static struct xrdma_mw *mw_of(struct xrdma_mr *view)
{
	return container_of(view, struct xrdma_mw, view);
}

static bool is_type_1(const struct xrdma_mw *mw)
{
	return mw->ibmw.type == IB_MW_TYPE_1;
}

/* Caller holds bindings. When this returns, nobody copies by the old key. */
static void unbind(struct xrdma_mw *mw)
{
	struct xrdma_mr *view = &mw->view;

	lockdep_assert_held(&bindings);
	write_lock(&view->lock);
	view->key = 0;
	write_unlock(&view->lock);
	list_del_init(&mw->node);
	if (view->base)
		atomic_dec(&view->base->windows);
	view->base = NULL;
}

/* Caller holds bindings; the window is not bound, @base has been told. */
static void set_binding(struct xrdma_mw *mw, struct xrdma_mr *base,
			struct xrdma_windows *windows,
			const struct xrdma_bind *bind)
{
	bool is_zero_based = bind->access & IB_ZERO_BASED;
	struct xrdma_mr *view = &mw->view;

	lockdep_assert_held(&bindings);
	if (!is_type_1(mw))
		list_add(&mw->node, &windows->list);
	write_lock(&view->lock);
	view->base = base;
	view->access = bind->access & XRDMA_REMOTE_ACCESS;
	view->iova = is_zero_based ? 0 : bind->addr;
	view->shift = is_zero_based ? bind->addr : 0;
	view->length = bind->length;
	view->owner = is_type_1(mw) ? NULL : windows;
	view->key = bind->new_rkey;
	write_unlock(&view->lock);
}

/**
 * xrdma_mw_alloc - a window, bound to nothing
 * @table: key table of the device
 * @ibmw: type and PD are set, gets its key
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (type), -ENOSPC, -ENOMEM.
 */
int xrdma_mw_alloc(struct xrdma_table *table, struct ib_mw *ibmw)
{
	struct xrdma_mw *mw = container_of(ibmw, struct xrdma_mw, ibmw);
	s64 key;

	if (ibmw->type != IB_MW_TYPE_1 && ibmw->type != IB_MW_TYPE_2)
		return -EINVAL;
	xrdma_mr_init(&mw->view, XRDMA_WINDOW);
	mw->view.base = NULL;
	INIT_LIST_HEAD(&mw->node);
	key = xrdma_mr_enter(&mw->view, table, ibmw->pd);
	if (key < 0)
		return key;
	ibmw->rkey = key;
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_mw_alloc);

/**
 * xrdma_mw_dealloc - end of a window, bound or not
 * @ibmw: may be freed afterwards
 *
 * Context: process, may sleep.
 */
void xrdma_mw_dealloc(struct ib_mw *ibmw)
{
	struct xrdma_mw *mw = container_of(ibmw, struct xrdma_mw, ibmw);

	/* Nobody finds it any more, to bind it once again. */
	xrdma_ref_del(mw->view.table, mw->view.ref);
	spin_lock_bh(&bindings);
	unbind(mw);
	spin_unlock_bh(&bindings);
}
EXPORT_SYMBOL_GPL(xrdma_mw_dealloc);

/* IBTA 10.6.7.2.3; what is asked of the region is asked by its rights. */
static bool is_good_bind(const struct xrdma_mw *mw, const struct ib_pd *pd,
			 const struct xrdma_bind *bind)
{
	if (mw->ibmw.pd != pd || bind->new_rkey >> 8 != bind->old_rkey >> 8 ||
	    bind->access & ~WINDOW_ACCESS)
		return false;
	if (is_type_1(mw))
		return !(bind->access & IB_ZERO_BASED);
	return bind->length;
}

/* Rights that the region must have so that the window can be bound. */
static u32 needed_access(const struct xrdma_bind *bind)
{
	u32 access = IB_ACCESS_MW_BIND;

	if (bind->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC))
		access |= IB_ACCESS_LOCAL_WRITE;
	return access | (bind->access & (IB_ACCESS_FLUSH_GLOBAL |
					 IB_ACCESS_FLUSH_PERSISTENT));
}

static int bind_to(struct xrdma_mw *mw, struct xrdma_mr *base,
		   struct xrdma_windows *windows, const struct xrdma_bind *bind)
{
	int err = -EINVAL;

	/* A region that is being deregistered takes no windows. */
	if (base && (base->kind != XRDMA_USER ||
		     !atomic_inc_unless_negative(&base->windows)))
		return -EINVAL;
	spin_lock_bh(&bindings);
	if (is_type_1(mw) || !mw->view.base) {
		unbind(mw);
		if (base)
			set_binding(mw, base, windows, bind);
		err = 0;
	}
	spin_unlock_bh(&bindings);
	if (err && base)
		atomic_dec(&base->windows);
	return err;
}

static int bind_window(struct xrdma_table *table, struct xrdma_mr *view,
		       const struct ib_pd *pd, struct xrdma_windows *windows,
		       const struct xrdma_bind *bind)
{
	struct xrdma_mr *base = NULL;
	int err;

	if (view->kind != XRDMA_WINDOW || !is_good_bind(mw_of(view), pd, bind))
		return -EINVAL;
	if (bind->length) {
		base = xrdma_mr_get(table, pd, bind->lkey, needed_access(bind),
				    bind->addr, bind->length);
		if (!base)
			return -EINVAL;
	}
	err = bind_to(mw_of(view), base, windows, bind);
	if (base)
		xrdma_mr_put(base);
	return err;
}

/**
 * xrdma_mw_bind - BIND_MW
 * @table: key table of the device
 * @pd: of the QP
 * @windows: of the QP
 * @bind: operands, not trusted
 *
 * Context: process or softirq.
 * Return: 0 or -EINVAL.
 */
int xrdma_mw_bind(struct xrdma_table *table, const struct ib_pd *pd,
		  struct xrdma_windows *windows, const struct xrdma_bind *bind)
{
	struct xrdma_ref *ref = xrdma_ref_get(table, bind->old_rkey >> 8);
	int err;

	if (!ref)
		return -EINVAL;
	err = bind_window(table, ref->obj, pd, windows, bind);
	xrdma_ref_put(ref);
	return err;
}
EXPORT_SYMBOL_GPL(xrdma_mw_bind);

static int invalidate_window(struct xrdma_mw *mw,
			     const struct xrdma_windows *windows, u32 key)
{
	int err = -EINVAL;

	spin_lock_bh(&bindings);
	/* Of type 1 there is no owner. */
	if (mw->view.key == key && mw->view.owner == windows) {
		unbind(mw);
		err = 0;
	}
	spin_unlock_bh(&bindings);
	return err;
}

static int invalidate_fast(struct xrdma_mr *mr, const struct ib_pd *pd, u32 key)
{
	int err = -EINVAL;

	write_lock_bh(&mr->lock);
	if (mr->key == key && mr->ibmr.pd == pd) {
		mr->key = 0;
		err = 0;
	}
	write_unlock_bh(&mr->lock);
	return err;
}

/**
 * xrdma_invalidate - LOCAL_INV, or SEND with invalidate from the peer
 * @table: key table of the device
 * @pd: of the QP
 * @windows: of the QP
 * @key: not trusted
 *
 * Context: process or softirq.
 * Return: 0, or -EINVAL if there is no such key or it can't be invalidated here.
 */
int xrdma_invalidate(struct xrdma_table *table, const struct ib_pd *pd,
		     const struct xrdma_windows *windows, u32 key)
{
	struct xrdma_ref *ref = key ? xrdma_ref_get(table, key >> 8) : NULL;
	struct xrdma_mr *mr;
	int err = -EINVAL;

	if (!ref)
		return -EINVAL;
	mr = ref->obj;
	if (mr->kind == XRDMA_WINDOW)
		err = invalidate_window(mw_of(mr), windows, key);
	else if (mr->kind == XRDMA_FAST)
		err = invalidate_fast(mr, pd, key);
	xrdma_ref_put(ref);
	return err;
}
EXPORT_SYMBOL_GPL(xrdma_invalidate);

/**
 * xrdma_windows_unbind - the end of a QP is the end of its bindings
 * @windows: of the QP; empty afterwards
 *
 * Context: process; nothing is bound through the QP any more.
 */
void xrdma_windows_unbind(struct xrdma_windows *windows)
{
	struct xrdma_mw *mw, *next;

	spin_lock_bh(&bindings);
	list_for_each_entry_safe(mw, next, &windows->list, node)
		unbind(mw);
	spin_unlock_bh(&bindings);
}
EXPORT_SYMBOL_GPL(xrdma_windows_unbind);
