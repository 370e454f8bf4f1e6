// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The life of endpoints (see ep.h). What they do before STREAM: cm.c. */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <net/tcp.h>
#include "device.h"
#include "ep.h"
#include "qp.h"
#include "stats.h"

/*
 * One startup after the other, in the order in which things happened: programs take
 * the n-th connection that they are asked for to be the n-th that their peer made.
 * None waits for the network.
 */
static struct workqueue_struct *startup_wq;
/* What comes later, many at a time. */
static struct workqueue_struct *end_wq;

void xiwarp_ep_get(struct xiwarp_ep *ep)
{
	refcount_inc(&ep->refs);
}

/* The socket is released by then, and the device may go when we are out of its list. */
void xiwarp_ep_put(struct xiwarp_ep *ep)
{
	struct xiwarp_dev *dev = ep->dev;
	unsigned long flags;

	if (!refcount_dec_and_test(&ep->refs))
		return;
	spin_lock_irqsave(&dev->eps_lock, flags);
	list_del(&ep->node);
	if (list_empty(&dev->eps))
		wake_up_var(&dev->eps);
	spin_unlock_irqrestore(&dev->eps_lock, flags);
	kfree_rcu(ep, rcu);
}

struct xiwarp_ep *xiwarp_ep_find(struct xiwarp_dev *dev, u32 number)
{
	struct xrdma_ref *ref = xrdma_ref_get(&dev->ep_table, number);
	struct xiwarp_ep *ep;

	if (!ref)
		return NULL;
	ep = ref->obj;
	xiwarp_ep_get(ep);
	/* Closing waits for this one, maybe with the lock that the caller wants. */
	xrdma_ref_put(ref);
	return ep;
}

static struct workqueue_struct *wq_of(const struct xiwarp_ep *ep)
{
	return READ_ONCE(ep->state) < XIWARP_EP_STREAM ? startup_wq : end_wq;
}

void xiwarp_ep_schedule(struct xiwarp_ep *ep)
{
	/* The queued work has a reference, whoever queued it. */
	if (!refcount_inc_not_zero(&ep->refs))
		return;
	if (!queue_work(wq_of(ep), &ep->work))
		xiwarp_ep_put(ep);
}

static void timer_fires(struct timer_list *timer)
{
	struct xiwarp_ep *ep = container_of(timer, struct xiwarp_ep, timer);

	xiwarp_ep_schedule(ep);
	xiwarp_ep_put(ep);
}

void xiwarp_ep_schedule_at(struct xiwarp_ep *ep, unsigned long at)
{
	lockdep_assert_held(&ep->lock);
	xiwarp_ep_get(ep);
	/* An earlier one stays, and finds nothing to do. */
	if (timer_reduce(&ep->timer, at))
		xiwarp_ep_put(ep);
}

static bool is_over(struct xiwarp_ep *ep)
{
	return ep->state == XIWARP_EP_STREAM && READ_ONCE(ep->is_released);
}

/* The peer promised to begin, but does not. */
static void check_first(struct xiwarp_ep *ep)
{
	struct xiwarp_qp *qp;

	if (ep->state != XIWARP_EP_STREAM || !READ_ONCE(ep->awaits_first) ||
	    time_before(jiffies, ep->deadline))
		return;
	qp = xiwarp_qp_get(ep->dev, ep->qpn);
	if (!qp)
		return;
	xiwarp_count(ep->dev, XIWARP_STAT_SETUP_TIMEOUT, 1);
	xiwarp_qp_abort(qp, ep);
	xiwarp_qp_put(qp);
}

static void arm_deadline(struct xiwarp_ep *ep)
{
	if (!ep->deadline || ep->state == XIWARP_EP_CLOSED ||
	    (ep->state == XIWARP_EP_STREAM && !READ_ONCE(ep->awaits_first)))
		return;
	xiwarp_ep_schedule_at(ep, ep->deadline);
}

void xiwarp_ep_await_release(struct xiwarp_ep *ep)
{
	xiwarp_ep_get(ep);
	WRITE_ONCE(ep->has_closer, true);
}

void xiwarp_ep_close_released(struct xiwarp_ep *ep)
{
	mutex_lock(&ep->lock);
	if (is_over(ep))
		xiwarp_ep_close(ep);
	mutex_unlock(&ep->lock);
	xiwarp_ep_put(ep);
}

static void do_work(struct work_struct *work)
{
	struct xiwarp_ep *ep = container_of(work, struct xiwarp_ep, work);

	mutex_lock(&ep->lock);
	if (ep->state < XIWARP_EP_STREAM)
		xiwarp_cm_progress(ep);
	if (is_over(ep))
		xiwarp_ep_close(ep);
	else
		check_first(ep);
	arm_deadline(ep);
	mutex_unlock(&ep->lock);
	xiwarp_ep_put(ep);
}

struct xiwarp_ep *xiwarp_ep_create(struct xiwarp_dev *dev)
{
	struct xiwarp_ep *ep = kzalloc_obj(*ep, GFP_KERNEL_ACCOUNT);
	unsigned long flags;

	if (!ep)
		return NULL;
	ep->setup = kzalloc_obj(*ep->setup, GFP_KERNEL_ACCOUNT);
	if (!ep->setup) {
		kfree(ep);
		return NULL;
	}
	refcount_set(&ep->refs, 1);
	ep->dev = dev;
	INIT_WORK(&ep->work, do_work);
	timer_setup(&ep->timer, timer_fires, 0);
	mutex_init(&ep->lock);
	INIT_LIST_HEAD(&ep->asking);
	spin_lock_irqsave(&dev->eps_lock, flags);
	list_add_tail(&ep->node, &dev->eps);
	spin_unlock_irqrestore(&dev->eps_lock, flags);
	return ep;
}

/* What TCP had to send again, before its books are closed. */
static void count_retransmits(struct xiwarp_ep *ep)
{
	if (ep->sock && ep->state == XIWARP_EP_STREAM)
		xiwarp_count(ep->dev, XIWARP_STAT_TCP_RETRANSMITS,
			     tcp_sk(ep->sock->sk)->total_retrans);
}

/* ---- the line before a listener ------------------------------------------------- */

/* The listener's lock is held, as for the others here. */
static void call_next(struct xiwarp_ep *listener)
{
	struct xiwarp_ep *next;

	next = list_first_entry_or_null(&listener->asking, struct xiwarp_ep,
					asking);
	if (next && listener->num_asked < listener->backlog)
		xiwarp_ep_schedule(next);
}

/* The listener ends: what they hear next is that it has. */
static void call_all(struct xiwarp_ep *listener)
{
	struct xiwarp_ep *ep;

	list_for_each_entry(ep, &listener->asking, asking)
		xiwarp_ep_schedule(ep);
}

static void end_waiting(struct xiwarp_ep *listener)
{
	if (atomic_dec_return(&listener->num_waiting) ==
	    XIWARP_EP_MAX_WAITING - 1)
		xiwarp_ep_schedule(listener);
}

bool xiwarp_ep_may_ask(struct xiwarp_ep *ep)
{
	struct xiwarp_ep *listener = ep->listener;

	lockdep_assert_held(&listener->lock);
	if (list_empty(&ep->asking))
		list_add_tail(&ep->asking, &listener->asking);
	return list_is_first(&ep->asking, &listener->asking) &&
	       listener->num_asked < listener->backlog;
}

void xiwarp_ep_note_asked(struct xiwarp_ep *ep)
{
	struct xiwarp_ep *listener = ep->listener;

	lockdep_assert_held(&listener->lock);
	list_del_init(&ep->asking);
	ep->is_asked = true;
	listener->num_asked++;
	end_waiting(listener);
	call_next(listener);
}

void xiwarp_ep_leave_listener(struct xiwarp_ep *ep)
{
	struct xiwarp_ep *listener = ep->listener;

	if (!listener)
		return;
	ep->listener = NULL;
	mutex_lock_nested(&listener->lock, SINGLE_DEPTH_NESTING);
	list_del_init(&ep->asking);
	if (ep->is_asked)
		listener->num_asked--;
	else
		end_waiting(listener);
	call_next(listener);
	mutex_unlock(&listener->lock);
	xiwarp_ep_put(listener);
}

void xiwarp_ep_owe_request(struct xiwarp_ep *ep, bool owes)
{
	lockdep_assert_held(&ep->lock);
	if (ep->owes_request == owes)
		return;
	ep->owes_request = owes;
	atomic_add(owes ? 1 : -1, &ep->dev->requests_due);
}

void xiwarp_ep_close(struct xiwarp_ep *ep)
{
	struct xrdma_ref *ref = ep->ref;

	lockdep_assert_held(&ep->lock);
	if (ep->state == XIWARP_EP_CLOSED)
		return;
	count_retransmits(ep);
	xiwarp_ep_owe_request(ep, false);
	WRITE_ONCE(ep->state, XIWARP_EP_CLOSED);
	if (timer_delete(&ep->timer))
		xiwarp_ep_put(ep);
	xiwarp_sock_release(ep, READ_ONCE(ep->wants_reset));
	if (ep->cm_id)
		ep->cm_id->rem_ref(ep->cm_id);
	ep->cm_id = NULL;
	kfree(ep->setup);
	ep->setup = NULL;
	xiwarp_ep_leave_listener(ep);
	call_all(ep);
	ep->ref = NULL;
	if (ref)
		xrdma_ref_del(&ep->dev->ep_table, ref);
	/* The caller has a reference of his own. */
	xiwarp_ep_put(ep);
}

int xiwarp_ep_event(struct xiwarp_ep *ep, enum iw_cm_event_type type,
		    int status)
{
	struct iw_cm_event event = { .event = type, .status = status };

	if (!ep->cm_id)
		return 0;
	/* What ends must have begun. */
	if (ep->awaits_first && type != IW_CM_EVENT_ESTABLISHED)
		xiwarp_ep_first_fpdu(ep);
	return ep->cm_id->event_handler(ep->cm_id, &event);
}

void xiwarp_ep_first_fpdu(struct xiwarp_ep *ep)
{
	if (!ep->awaits_first)
		return;
	WRITE_ONCE(ep->awaits_first, false);
	xiwarp_ep_established(ep);
}

void xiwarp_ep_release(struct xiwarp_ep *ep, bool reset)
{
	if (reset)
		WRITE_ONCE(ep->wants_reset, true);
	WRITE_ONCE(ep->is_released, true);
	if (!READ_ONCE(ep->has_closer))
		xiwarp_ep_schedule(ep);
	xiwarp_ep_put(ep);
}

void xiwarp_ep_abort_all(struct xiwarp_dev *dev)
{
	struct xiwarp_ep *ep;
	unsigned long flags;

	spin_lock_irqsave(&dev->eps_lock, flags);
	list_for_each_entry(ep, &dev->eps, node) {
		WRITE_ONCE(ep->is_aborted, true);
		xiwarp_ep_schedule(ep);
	}
	spin_unlock_irqrestore(&dev->eps_lock, flags);
}

static bool has_none(struct xiwarp_dev *dev)
{
	unsigned long flags;
	bool is_empty;

	/* Under the lock: whoever took the last one out is done with @dev. */
	spin_lock_irqsave(&dev->eps_lock, flags);
	is_empty = list_empty(&dev->eps);
	spin_unlock_irqrestore(&dev->eps_lock, flags);
	return is_empty;
}

void xiwarp_ep_wait_all(struct xiwarp_dev *dev)
{
	wait_var_event(&dev->eps, has_none(dev));
}

int xiwarp_ep_init(void)
{
	startup_wq = alloc_ordered_workqueue("xiwarp_cm", WQ_MEM_RECLAIM);
	if (!startup_wq)
		return -ENOMEM;
	end_wq = alloc_workqueue("xiwarp_end", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!end_wq) {
		destroy_workqueue(startup_wq);
		return -ENOMEM;
	}
	return 0;
}

void xiwarp_ep_exit(void)
{
	destroy_workqueue(end_wq);
	destroy_workqueue(startup_wq);
	rcu_barrier();
}
