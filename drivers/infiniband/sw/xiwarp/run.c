// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ownership of a QP's engine (see run.h).
 *
 * qp->kicks counts notes. Whoever takes it from 0 is the owner and stays it until
 * he takes it back to 0. Ownership can be passed on, with kicks left above 0: to
 * the per-CPU list (kick from inside a run), to the work item (budget used up,
 * interrupts off, socket busy), to a process that waits (modify, destroy).
 *
 * The owner holds no reference: the QP can't be destroyed before xiwarp_qp_retire(),
 * which waits for him. After giving ownership away he must not touch the QP.
 *
 * A run also has the spinlock of the QP's socket, as softirqs have it: callbacks
 * of the socket come with it, others take it. When a process has locked the
 * socket, the work item waits for it. A run locks no second socket, since what it
 * kicks is run after it - by the work item if it was a callback, because the lock
 * is then still held.
 */
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <net/sock.h>
#include "ep.h"
#include "progress.h"
#include "qp.h"
#include "run.h"

/* Runs in a row before a busy QP goes on in the work item. */
#define RUNS_IN_A_ROW	16

/**
 * struct xiwarp_runner - QPs that this CPU owns and has yet to run
 * @lock: only PREEMPT_RT needs it: there others can come between on this CPU
 * @pending: xiwarp_qp.pending
 * @is_active: an outer loop on this CPU will pick them up
 */
struct xiwarp_runner {
	raw_spinlock_t lock;
	struct list_head pending;
	bool is_active;
};

static DEFINE_PER_CPU(struct xiwarp_runner, runners);
static struct workqueue_struct *run_wq;

static void arm_timer(struct xiwarp_qp *qp)
{
	u64 at = xiwarp_qp_deadline(qp);

	/* An earlier timer fires, finds nothing and arms itself for @at. */
	if (at == XIWARP_NEVER || at >= READ_ONCE(qp->timer_at))
		return;
	WRITE_ONCE(qp->timer_at, at);
	hrtimer_start(&qp->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct xiwarp_qp *qp = container_of(timer, struct xiwarp_qp, timer);

	WRITE_ONCE(qp->timer_at, XIWARP_NEVER);
	xiwarp_qp_kick(qp);
	return HRTIMER_NORESTART;
}

/* True if a process was waiting and is the owner now. */
static bool hand_to_waiter(struct xiwarp_qp *qp)
{
	struct completion *waiter = READ_ONCE(qp->waiter);

	if (!waiter)
		return false;
	WRITE_ONCE(qp->waiter, NULL);
	complete(waiter);
	return true;
}

/*
 * Run a QP that we own, with its socket locked, until it is idle or somebody
 * else owns it. Bottom halves are off.
 */
static void run_qp(struct xiwarp_qp *qp)
{
	unsigned int runs = 0;
	bool has_more;
	int seen;

	do {
		seen = atomic_read(&qp->kicks);
		has_more = xiwarp_qp_progress(qp);
		arm_timer(qp);
		if (hand_to_waiter(qp))
			return;
		if (has_more || ++runs == RUNS_IN_A_ROW) {
			queue_work(run_wq, &qp->work);
			return;
		}
	} while (atomic_sub_return(seen, &qp->kicks));
}

/* Run a QP that we own. Bottom halves are off. */
static void lock_and_run(struct xiwarp_qp *qp)
{
	struct sock *sk = xiwarp_ep_sk(qp->ep);

	if (!sk) {
		run_qp(qp);
		return;
	}
	/* The run may end the connection. */
	sock_hold(sk);
	bh_lock_sock(sk);
	if (sock_owned_by_user(sk))
		queue_work(run_wq, &qp->work);
	else
		run_qp(qp);
	bh_unlock_sock(sk);
	sock_put(sk);
}

/* Run @qp, which we own, and what its run kicks. Bottom halves are off. */
static void run_here(struct xiwarp_qp *qp)
{
	struct xiwarp_runner *runner = this_cpu_ptr(&runners);

	raw_spin_lock(&runner->lock);
	list_add_tail(&qp->pending, &runner->pending);
	if (runner->is_active)
		goto unlock;

	runner->is_active = true;
	while ((qp = list_first_entry_or_null(&runner->pending, struct xiwarp_qp,
					      pending))) {
		list_del_init(&qp->pending);
		raw_spin_unlock(&runner->lock);
		lock_and_run(qp);
		raw_spin_lock(&runner->lock);
	}
	runner->is_active = false;
unlock:
	raw_spin_unlock(&runner->lock);
}

/* Caller holds runner->lock. */
static void leave_pending_to_work(struct xiwarp_runner *runner)
{
	struct xiwarp_qp *qp, *next;

	list_for_each_entry_safe(qp, next, &runner->pending, pending) {
		list_del_init(&qp->pending);
		queue_work(run_wq, &qp->work);
	}
}

/* Run @qp, which we own and whose socket is locked; no other. Bottom halves off. */
static void run_locked(struct xiwarp_qp *qp)
{
	struct xiwarp_runner *runner = this_cpu_ptr(&runners);

	raw_spin_lock(&runner->lock);
	if (runner->is_active) {
		queue_work(run_wq, &qp->work);
		goto unlock;
	}
	runner->is_active = true;
	raw_spin_unlock(&runner->lock);
	run_qp(qp);
	raw_spin_lock(&runner->lock);
	runner->is_active = false;
	leave_pending_to_work(runner);
unlock:
	raw_spin_unlock(&runner->lock);
}

static void run_work(struct work_struct *work)
{
	struct xiwarp_qp *qp = container_of(work, struct xiwarp_qp, work);
	struct sock *sk = xiwarp_ep_sk(qp->ep);

	/* Wait for the process that has it. */
	if (sk && sock_owned_by_user_nocheck(sk)) {
		lock_sock(sk);
		release_sock(sk);
	}
	local_bh_disable();
	run_here(qp);
	local_bh_enable();
}

void xiwarp_qp_kick(struct xiwarp_qp *qp)
{
	if (atomic_fetch_inc(&qp->kicks))
		return;
	if (irqs_disabled() || in_hardirq()) {
		queue_work(run_wq, &qp->work);
		return;
	}
	local_bh_disable();
	run_here(qp);
	local_bh_enable();
}

void xiwarp_qp_kick_locked(struct xiwarp_qp *qp, const struct sock *sk)
{
	if (atomic_fetch_inc(&qp->kicks))
		return;
	/*
	 * It may have another connection by now; or the lock is a process's, who
	 * works off what came meanwhile.
	 */
	if (irqs_disabled() || xiwarp_ep_sk(qp->ep) != sk ||
	    sock_owned_by_user_nocheck(sk)) {
		queue_work(run_wq, &qp->work);
		return;
	}
	local_bh_disable();
	run_locked(qp);
	local_bh_enable();
}

static void wait_for_engine(struct xiwarp_qp *qp)
{
	DECLARE_COMPLETION_ONSTACK(owned);

	/* Visible before our note is: whoever sees the note sees us wait. */
	WRITE_ONCE(qp->waiter, &owned);
	if (!atomic_fetch_inc(&qp->kicks))
		WRITE_ONCE(qp->waiter, NULL);
	else
		wait_for_completion(&owned);
}

int xiwarp_qp_own(struct xiwarp_qp *qp)
{
	mutex_lock(&qp->modify_mutex);
	if (qp->is_retired) {
		mutex_unlock(&qp->modify_mutex);
		return -EAGAIN;
	}
	wait_for_engine(qp);
	return 0;
}

void xiwarp_qp_retire(struct xiwarp_qp *qp)
{
	mutex_lock(&qp->modify_mutex);
	wait_for_engine(qp);
	qp->is_retired = true;
	mutex_unlock(&qp->modify_mutex);
}

void xiwarp_qp_disown(struct xiwarp_qp *qp)
{
	lockdep_assert_held(&qp->modify_mutex);
	local_bh_disable();
	run_here(qp);
	local_bh_enable();
	mutex_unlock(&qp->modify_mutex);
}

void xiwarp_qp_stop(struct xiwarp_qp *qp)
{
	/* Both may still be on their way out of kick() or run_work(). */
	hrtimer_cancel(&qp->timer);
	cancel_work_sync(&qp->work);
}

void xiwarp_qp_run_init(struct xiwarp_qp *qp)
{
	atomic_set(&qp->kicks, 0);
	INIT_LIST_HEAD(&qp->pending);
	INIT_WORK(&qp->work, run_work);
	hrtimer_setup(&qp->timer, timer_fires, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	qp->timer_at = XIWARP_NEVER;
}

int xiwarp_run_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		raw_spin_lock_init(&per_cpu(runners, cpu).lock);
		INIT_LIST_HEAD(&per_cpu(runners, cpu).pending);
	}
	/* Writing pages out may depend on us. */
	run_wq = alloc_workqueue("xiwarp", WQ_MEM_RECLAIM | WQ_PERCPU, 0);
	return run_wq ? 0 : -ENOMEM;
}

void xiwarp_run_exit(void)
{
	destroy_workqueue(run_wq);
}
