// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ownership of a QP's engine (see run.h).
 *
 * qp->kicks counts notes. Whoever takes it from 0 is the owner and stays it until
 * he takes it back to 0. Ownership can be passed on, with kicks left above 0: to
 * the per-CPU list (kick from inside a run), to the work item (budget used up,
 * or interrupts off), to a process that waits (modify, destroy).
 *
 * The owner holds no reference: the QP can't be destroyed before xroce_qp_retire(),
 * which waits for him. After giving ownership away he must not touch the QP.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include "progress.h"
#include "qp.h"
#include "run.h"

/* Runs in a row before a busy QP goes on in the work item. */
#define RUNS_IN_A_ROW	16

/**
 * struct xroce_runner - QPs that this CPU owns and has yet to run
 * @lock: only PREEMPT_RT needs it: there others can come between on this CPU
 * @pending: xroce_qp.pending
 * @is_active: an outer loop on this CPU will pick them up
 */
struct xroce_runner {
	raw_spinlock_t lock;
	struct list_head pending;
	bool is_active;
};

static DEFINE_PER_CPU(struct xroce_runner, runners);
static struct workqueue_struct *run_wq;

static void arm_timer(struct xroce_qp *qp)
{
	u64 at = xroce_qp_deadline(qp);

	/* An earlier timer fires, finds nothing and arms itself for @at. */
	if (at == XROCE_NEVER || at >= READ_ONCE(qp->timer_at))
		return;
	WRITE_ONCE(qp->timer_at, at);
	hrtimer_start(&qp->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct xroce_qp *qp = container_of(timer, struct xroce_qp, timer);

	WRITE_ONCE(qp->timer_at, XROCE_NEVER);
	xroce_qp_kick(qp);
	return HRTIMER_NORESTART;
}

/* True if a process was waiting and is the owner now. */
static bool hand_to_waiter(struct xroce_qp *qp)
{
	struct completion *waiter = READ_ONCE(qp->waiter);

	if (!waiter)
		return false;
	WRITE_ONCE(qp->waiter, NULL);
	complete(waiter);
	return true;
}

/* Run a QP that we own until it is idle or somebody else owns it. */
static void run_qp(struct xroce_qp *qp)
{
	unsigned int runs = 0;
	bool has_more;
	int seen;

	do {
		seen = atomic_read(&qp->kicks);
		has_more = xroce_qp_progress(qp);
		arm_timer(qp);
		if (hand_to_waiter(qp))
			return;
		if (has_more || ++runs == RUNS_IN_A_ROW) {
			queue_work(run_wq, &qp->work);
			return;
		}
	} while (atomic_sub_return(seen, &qp->kicks));
}

/* Run @qp, which we own, and what its run kicks. Bottom halves are off. */
static void run_here(struct xroce_qp *qp)
{
	struct xroce_runner *runner = this_cpu_ptr(&runners);

	raw_spin_lock(&runner->lock);
	list_add_tail(&qp->pending, &runner->pending);
	if (runner->is_active)
		goto unlock;

	runner->is_active = true;
	while ((qp = list_first_entry_or_null(&runner->pending, struct xroce_qp,
					      pending))) {
		list_del_init(&qp->pending);
		raw_spin_unlock(&runner->lock);
		run_qp(qp);
		raw_spin_lock(&runner->lock);
	}
	runner->is_active = false;
unlock:
	raw_spin_unlock(&runner->lock);
}

static void run_work(struct work_struct *work)
{
	struct xroce_qp *qp = container_of(work, struct xroce_qp, work);

	/*
	 * What the last run sent to this host waits for ksoftirqd. Sending more
	 * would only overflow its queue, and UC can't send again.
	 */
	if (local_softirq_pending())
		schedule_timeout_idle(1);
	local_bh_disable();
	run_here(qp);
	local_bh_enable();
}

void xroce_qp_kick(struct xroce_qp *qp)
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

void xroce_qp_kick_later(struct xroce_qp *qp)
{
	if (!atomic_fetch_inc(&qp->kicks))
		queue_work(run_wq, &qp->work);
}

void xroce_queue_work(int cpu, struct work_struct *work)
{
	if (!cpu_online(cpu))
		cpu = WORK_CPU_UNBOUND;
	queue_work_on(cpu, run_wq, work);
}

static void wait_for_engine(struct xroce_qp *qp)
{
	DECLARE_COMPLETION_ONSTACK(owned);

	/* Visible before our note is: whoever sees the note sees us wait. */
	WRITE_ONCE(qp->waiter, &owned);
	if (!atomic_fetch_inc(&qp->kicks))
		WRITE_ONCE(qp->waiter, NULL);
	else
		wait_for_completion(&owned);
}

int xroce_qp_own(struct xroce_qp *qp)
{
	mutex_lock(&qp->modify_mutex);
	if (qp->is_retired) {
		mutex_unlock(&qp->modify_mutex);
		return -EAGAIN;
	}
	wait_for_engine(qp);
	return 0;
}

void xroce_qp_retire(struct xroce_qp *qp)
{
	mutex_lock(&qp->modify_mutex);
	wait_for_engine(qp);
	qp->is_retired = true;
	mutex_unlock(&qp->modify_mutex);
}

void xroce_qp_disown(struct xroce_qp *qp)
{
	lockdep_assert_held(&qp->modify_mutex);
	local_bh_disable();
	run_here(qp);
	local_bh_enable();
	mutex_unlock(&qp->modify_mutex);
}

void xroce_qp_stop(struct xroce_qp *qp)
{
	/* Both may still be on their way out of kick() or run_work(). */
	hrtimer_cancel(&qp->timer);
	cancel_work_sync(&qp->work);
}

void xroce_qp_run_init(struct xroce_qp *qp)
{
	atomic_set(&qp->kicks, 0);
	INIT_LIST_HEAD(&qp->pending);
	INIT_WORK(&qp->work, run_work);
	hrtimer_setup(&qp->timer, timer_fires, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	qp->timer_at = XROCE_NEVER;
}

int xroce_run_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		raw_spin_lock_init(&per_cpu(runners, cpu).lock);
		INIT_LIST_HEAD(&per_cpu(runners, cpu).pending);
	}
	/* Writing pages out may depend on us. */
	run_wq = alloc_workqueue("xroce", WQ_MEM_RECLAIM | WQ_PERCPU, 0);
	return run_wq ? 0 : -ENOMEM;
}

void xroce_run_exit(void)
{
	destroy_workqueue(run_wq);
}
