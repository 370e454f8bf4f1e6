// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Where a QP's engine runs (see run.h; xrdma/engine.c for who owns it).
 *
 * An owner passes it on, without touching the QP any more: to the per-CPU list
 * (kick from inside a run, or budget used up), to the work item (interrupts off,
 * socket busy), to a process that waits (modify, destroy).
 *
 * A run also has the spinlock of the QP's socket, as softirqs have it: callbacks
 * of the socket come with it, others take it. When a process has locked the
 * socket, the work item waits for it. A run locks no second socket, since what it
 * kicks is run after it - by the tasklet if it was a callback, because the lock is
 * then still held.
 */
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <net/sock.h>
#include "ep.h"
#include "progress.h"
#include "qp.h"
#include "run.h"

/* Runs in a row before a busy QP gives way to others. */
#define RUNS_IN_A_ROW	16

static DEFINE_PER_CPU(struct xrdma_runner, runners);
static struct workqueue_struct *run_wq;

static struct xiwarp_qp *qp_of(struct xrdma_engine *engine)
{
	return container_of(engine, struct xiwarp_qp, engine);
}

static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct xiwarp_qp *qp = container_of(timer, struct xiwarp_qp, engine.timer);

	xrdma_engine_woken(&qp->engine);
	xiwarp_qp_kick(qp);
	return HRTIMER_NORESTART;
}

/*
 * Run a QP that we own, with its socket locked, until it is idle, somebody else
 * owns it, or it has had enough. Bottom halves are off.
 */
static void run_qp(struct xrdma_runner *runner, struct xiwarp_qp *qp)
{
	struct xrdma_engine *engine = &qp->engine;
	unsigned int runs = 0;
	bool has_more;
	int notes;

	do {
		notes = xrdma_engine_notes(engine);
		has_more = xiwarp_qp_progress(qp);
		xrdma_engine_wake_at(engine, xiwarp_qp_deadline(qp));
		if (xrdma_engine_hand_over(engine))
			return;
		if (has_more || ++runs == RUNS_IN_A_ROW) {
			xrdma_runner_postpone(runner, engine);
			return;
		}
	} while (!xrdma_engine_leave(engine, notes));
}

/* Run a QP that we own. Bottom halves are off. */
static void lock_and_run(struct xrdma_runner *runner, struct xiwarp_qp *qp)
{
	struct sock *sk = xiwarp_ep_sk(qp->ep);

	if (!sk) {
		run_qp(runner, qp);
		return;
	}
	/* The run may end the connection. */
	sock_hold(sk);
	bh_lock_sock(sk);
	if (sock_owned_by_user(sk))
		queue_work(run_wq, &qp->work);
	else
		run_qp(runner, qp);
	bh_unlock_sock(sk);
	sock_put(sk);
}

/* Run what is pending and what that kicks. Bottom halves are off. */
static void run_pending(struct xrdma_runner *runner)
{
	struct xrdma_engine *engine;

	while ((engine = xrdma_runner_next(runner)))
		lock_and_run(runner, qp_of(engine));
}

static void run_again(struct tasklet_struct *tasklet)
{
	struct xrdma_runner *runner = xrdma_runner_resume(tasklet);

	if (runner)
		run_pending(runner);
}

/* Run @qp, which we own, and what its run kicks. */
static void run_here(struct xiwarp_qp *qp)
{
	struct xrdma_runner *runner;

	local_bh_disable();
	runner = this_cpu_ptr(&runners);
	if (xrdma_runner_add(runner, &qp->engine))
		run_pending(runner);
	local_bh_enable();
}

/* Run @qp, which we own and whose socket is locked. What that kicks has to wait. */
static void run_locked(struct xiwarp_qp *qp)
{
	struct xrdma_runner *runner;
	struct xrdma_engine *engine;

	local_bh_disable();
	runner = this_cpu_ptr(&runners);
	if (xrdma_runner_enter(runner)) {
		run_qp(runner, qp);
		while ((engine = xrdma_runner_next(runner)))
			xrdma_runner_postpone(runner, engine);
	} else {
		queue_work(run_wq, &qp->work);
	}
	local_bh_enable();
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
	run_here(qp);
}

void xiwarp_qp_kick(struct xiwarp_qp *qp)
{
	if (!xrdma_engine_kick(&qp->engine))
		return;
	if (irqs_disabled() || in_hardirq())
		queue_work(run_wq, &qp->work);
	else
		run_here(qp);
}

void xiwarp_qp_kick_locked(struct xiwarp_qp *qp, const struct sock *sk)
{
	if (!xrdma_engine_kick(&qp->engine))
		return;
	/*
	 * It may have another connection by now; or the lock is a process's, who
	 * works off what came meanwhile.
	 */
	if (irqs_disabled() || xiwarp_ep_sk(qp->ep) != sk ||
	    sock_owned_by_user_nocheck(sk))
		queue_work(run_wq, &qp->work);
	else
		run_locked(qp);
}

void xiwarp_qp_disown(struct xiwarp_qp *qp)
{
	run_here(qp);
	xrdma_engine_disown(&qp->engine);
}

void xiwarp_qp_stop(struct xiwarp_qp *qp)
{
	/* Both may still be on their way out of kick() or run_work(). */
	hrtimer_cancel(&qp->engine.timer);
	cancel_work_sync(&qp->work);
}

void xiwarp_qp_run_init(struct xiwarp_qp *qp)
{
	xrdma_engine_init(&qp->engine, timer_fires);
	INIT_WORK(&qp->work, run_work);
}

int xiwarp_run_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		xrdma_runner_init(&per_cpu(runners, cpu), run_again);
	/* Writing pages out may depend on us. */
	run_wq = alloc_workqueue("xiwarp", WQ_MEM_RECLAIM | WQ_PERCPU, 0);
	return run_wq ? 0 : -ENOMEM;
}

void xiwarp_run_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		xrdma_runner_fini(&per_cpu(runners, cpu));
	destroy_workqueue(run_wq);
}
