// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Where a QP's engine runs (see run.h; xrdma/engine.c for who owns it).
 *
 * An owner passes it on, without touching the QP any more: to the per-CPU list
 * (kick from inside a run, or budget used up), to the work item (interrupts off, or
 * another processor shall do it), to a process that waits (modify, query, destroy).
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include "progress.h"
#include "qp.h"
#include "run.h"

/* Runs in a row before a busy QP gives way to others. */
#define RUNS_IN_A_ROW	16

static DEFINE_PER_CPU(struct xrdma_runner, runners);
static struct workqueue_struct *run_wq;
/* The scheduler finds a processor; it takes precedence over programs that poll. */
static struct workqueue_struct *spread_wq;

static struct xroce_qp *qp_of(struct xrdma_engine *engine)
{
	return container_of(engine, struct xroce_qp, engine);
}

static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct xroce_qp *qp = container_of(timer, struct xroce_qp, engine.timer);

	xrdma_engine_woken(&qp->engine);
	xroce_qp_kick(qp);
	return HRTIMER_NORESTART;
}

/* Run a QP that we own until it is idle, somebody else owns it, or it has had enough. */
static void run_qp(struct xrdma_runner *runner, struct xroce_qp *qp)
{
	struct xrdma_engine *engine = &qp->engine;
	unsigned int runs = 0;
	bool has_more;
	int notes;

	do {
		notes = xrdma_engine_notes(engine);
		has_more = xroce_qp_progress(qp);
		xrdma_engine_wake_at(engine, xroce_qp_deadline(qp));
		if (xrdma_engine_hand_over(engine))
			return;
		if (has_more || ++runs == RUNS_IN_A_ROW) {
			xrdma_runner_postpone(runner, engine);
			return;
		}
	} while (!xrdma_engine_leave(engine, notes));
}

/* Run what is pending and what that kicks. Bottom halves are off. */
static void run_pending(struct xrdma_runner *runner)
{
	struct xrdma_engine *engine;

	while ((engine = xrdma_runner_next(runner)))
		run_qp(runner, qp_of(engine));
}

static void run_again(struct tasklet_struct *tasklet)
{
	struct xrdma_runner *runner = xrdma_runner_resume(tasklet);

	if (runner)
		run_pending(runner);
}

/* Run @qp, which we own, and what its run kicks. */
static void run_here(struct xroce_qp *qp)
{
	struct xrdma_runner *runner;

	local_bh_disable();
	runner = this_cpu_ptr(&runners);
	if (xrdma_runner_add(runner, &qp->engine))
		run_pending(runner);
	local_bh_enable();
}

static void run_work(struct work_struct *work)
{
	run_here(container_of(work, struct xroce_qp, work));
}

void xroce_qp_kick(struct xroce_qp *qp)
{
	if (!xrdma_engine_kick(&qp->engine))
		return;
	if (irqs_disabled() || in_hardirq())
		queue_work(run_wq, &qp->work);
	else
		run_here(qp);
}

void xroce_qp_kick_later(struct xroce_qp *qp)
{
	if (xrdma_engine_kick(&qp->engine))
		queue_work(run_wq, &qp->work);
}

void xroce_qp_kick_elsewhere(struct xroce_qp *qp)
{
	if (xrdma_engine_kick(&qp->engine))
		queue_work(spread_wq, &qp->work);
}

void xroce_qp_disown(struct xroce_qp *qp)
{
	run_here(qp);
	xrdma_engine_disown(&qp->engine);
}

void xroce_qp_stop(struct xroce_qp *qp)
{
	xrdma_engine_retire(&qp->engine);
	/* Both may still be on their way out of kick() or run_work(). */
	hrtimer_cancel(&qp->engine.timer);
	cancel_work_sync(&qp->work);
}

void xroce_qp_run_init(struct xroce_qp *qp)
{
	xrdma_engine_init(&qp->engine, timer_fires);
	INIT_WORK(&qp->work, run_work);
}

int xroce_run_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		xrdma_runner_init(&per_cpu(runners, cpu), run_again);
	/* Writing pages out may depend on us. */
	run_wq = alloc_workqueue("xroce", WQ_MEM_RECLAIM | WQ_PERCPU, 0);
	if (!run_wq)
		return -ENOMEM;
	/* No more at a time than there are processors: QPs queue up for them. */
	spread_wq = alloc_workqueue("xroce_spread", WQ_MEM_RECLAIM | WQ_UNBOUND |
				    WQ_HIGHPRI | WQ_SYSFS, num_possible_cpus());
	if (spread_wq)
		return 0;
	destroy_workqueue(run_wq);
	return -ENOMEM;
}

void xroce_run_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		xrdma_runner_fini(&per_cpu(runners, cpu));
	destroy_workqueue(spread_wq);
	destroy_workqueue(run_wq);
}
