// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Who runs a QP's engine: one owner at a time, without a lock around it.
 *
 * engine->kicks counts notes. Whoever takes it from 0 is the owner and stays it
 * until he takes it back to 0. Ownership can be passed on, with kicks left above
 * 0: to a CPU's list (struct xrdma_runner), to whatever else the driver keeps, to a
 * process that waits. The owner holds no reference: who destroys a QP becomes the
 * owner for good first. After giving ownership away nobody touches the QP.
 */
#include <linux/export.h>
#include <linux/interrupt.h>
#include <linux/lockdep.h>
#include "xrdma.h"

/**
 * xrdma_engine_init - nobody owns it
 * @engine: to initialise
 * @timer_fires: called in softirq at the time of xrdma_engine_wake_at(), after
 *	which it shall call xrdma_engine_woken()
 */
void xrdma_engine_init(struct xrdma_engine *engine,
		       enum hrtimer_restart (*timer_fires)(struct hrtimer *))
{
	atomic_set(&engine->kicks, 0);
	mutex_init(&engine->mutex);
	INIT_LIST_HEAD(&engine->pending);
	hrtimer_setup(&engine->timer, timer_fires, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	engine->timer_at = XRDMA_NEVER;
}
EXPORT_SYMBOL_GPL(xrdma_engine_init);

/**
 * xrdma_engine_wake_at - have the timer fire
 * @engine: ours
 * @at: ns of CLOCK_MONOTONIC, or XRDMA_NEVER
 *
 * An earlier timer stays: it fires, finds nothing to do and is set for @at.
 * Context: owner.
 */
void xrdma_engine_wake_at(struct xrdma_engine *engine, u64 at)
{
	if (at == XRDMA_NEVER || at >= READ_ONCE(engine->timer_at))
		return;
	WRITE_ONCE(engine->timer_at, at);
	hrtimer_start(&engine->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}
EXPORT_SYMBOL_GPL(xrdma_engine_wake_at);

/**
 * xrdma_engine_hand_over - after a run: make a process that waits the owner
 * @engine: ours
 *
 * Context: owner. Return: true if somebody waited: @engine is his.
 */
bool xrdma_engine_hand_over(struct xrdma_engine *engine)
{
	struct completion *waiter = READ_ONCE(engine->waiter);

	if (!waiter)
		return false;
	WRITE_ONCE(engine->waiter, NULL);
	complete(waiter);
	return true;
}
EXPORT_SYMBOL_GPL(xrdma_engine_hand_over);

static void wait_for(struct xrdma_engine *engine)
{
	DECLARE_COMPLETION_ONSTACK(owned);

	/* Visible before our note is: whoever sees the note sees us wait. */
	WRITE_ONCE(engine->waiter, &owned);
	if (xrdma_engine_kick(engine))
		WRITE_ONCE(engine->waiter, NULL);
	else
		wait_for_completion(&owned);
}

/**
 * xrdma_engine_own - become the owner, as a process
 * @engine: of a QP to which the caller has a reference of some kind
 *
 * Others who want to own it as a process wait until xrdma_engine_disown().
 * Context: process, sleeps until the present owner is done with his run.
 * Return: 0, or -EAGAIN: the QP is being destroyed. The dump of "rdma resource",
 * which meets that, takes it for: go on with the next.
 */
int xrdma_engine_own(struct xrdma_engine *engine)
{
	mutex_lock(&engine->mutex);
	if (engine->is_retired) {
		mutex_unlock(&engine->mutex);
		return -EAGAIN;
	}
	wait_for(engine);
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_engine_own);

/**
 * xrdma_engine_disown - let others become the owner as a process
 * @engine: owned by xrdma_engine_own(), and run since, for the notes that came
 */
void xrdma_engine_disown(struct xrdma_engine *engine)
{
	mutex_unlock(&engine->mutex);
}
EXPORT_SYMBOL_GPL(xrdma_engine_disown);

/**
 * xrdma_engine_retire - become the owner for good
 * @engine: of a QP that is being destroyed
 *
 * Nobody waits for it any more: the destroyer in turn waits for those who hold
 * references. Once. Context: process, sleeps.
 */
void xrdma_engine_retire(struct xrdma_engine *engine)
{
	mutex_lock(&engine->mutex);
	wait_for(engine);
	engine->is_retired = true;
	mutex_unlock(&engine->mutex);
}
EXPORT_SYMBOL_GPL(xrdma_engine_retire);

/* ---- the engines that a CPU has yet to run --------------------------------- */

/* In a row, before others than us get the processor. */
#define ENGINES_IN_A_ROW	32

/**
 * xrdma_runner_init - an empty list
 * @runner: of a CPU
 * @run_again: called in softirq to run what was left. It calls xrdma_runner_resume().
 *
 * The softirq is one that comes after those of the network. So what was sent to this
 * very host is received before more is sent.
 */
void xrdma_runner_init(struct xrdma_runner *runner,
		       void (*run_again)(struct tasklet_struct *))
{
	raw_spin_lock_init(&runner->lock);
	INIT_LIST_HEAD(&runner->pending);
	INIT_LIST_HEAD(&runner->later);
	tasklet_setup(&runner->tasklet, run_again);
}
EXPORT_SYMBOL_GPL(xrdma_runner_init);

/**
 * xrdma_runner_fini - wait for the last run
 * @runner: of which there are no engines any more
 */
void xrdma_runner_fini(struct xrdma_runner *runner)
{
	tasklet_kill(&runner->tasklet);
}
EXPORT_SYMBOL_GPL(xrdma_runner_fini);

/* The lock is held. Return: true if nobody was active. */
static bool become_active(struct xrdma_runner *runner)
{
	if (runner->is_active)
		return false;
	runner->is_active = true;
	runner->left = ENGINES_IN_A_ROW;
	return true;
}

/**
 * xrdma_runner_enter - begin to run what is pending, if nobody does
 * @runner: of this CPU
 *
 * Context: bottom halves are off until xrdma_runner_next() has returned NULL.
 * Return: true if it is up to the caller to run what xrdma_runner_next() tells;
 * false if that happens further up on this CPU's stack.
 */
bool xrdma_runner_enter(struct xrdma_runner *runner)
{
	bool is_ours;

	raw_spin_lock(&runner->lock);
	is_ours = become_active(runner);
	raw_spin_unlock(&runner->lock);
	return is_ours;
}
EXPORT_SYMBOL_GPL(xrdma_runner_enter);

/**
 * xrdma_runner_add - give an engine to this CPU's list, and begin to run
 * @runner: of this CPU
 * @engine: ours, from now on the list's
 *
 * Context and return: as xrdma_runner_enter().
 */
bool xrdma_runner_add(struct xrdma_runner *runner, struct xrdma_engine *engine)
{
	bool is_ours;

	raw_spin_lock(&runner->lock);
	list_add_tail(&engine->pending, &runner->pending);
	is_ours = become_active(runner);
	raw_spin_unlock(&runner->lock);
	return is_ours;
}
EXPORT_SYMBOL_GPL(xrdma_runner_add);

/**
 * xrdma_runner_resume - begin to run what was left
 * @tasklet: as given to run_again()
 *
 * Context: as xrdma_runner_enter(). Return: what the caller runs, or NULL if that
 * happens elsewhere.
 */
struct xrdma_runner *xrdma_runner_resume(struct tasklet_struct *tasklet)
{
	struct xrdma_runner *runner = container_of(tasklet, struct xrdma_runner,
						   tasklet);
	bool is_ours;

	raw_spin_lock(&runner->lock);
	list_splice_tail_init(&runner->later, &runner->pending);
	is_ours = become_active(runner);
	raw_spin_unlock(&runner->lock);
	return is_ours ? runner : NULL;
}
EXPORT_SYMBOL_GPL(xrdma_runner_resume);

/**
 * xrdma_runner_postpone - have an engine run again, but let others run first
 * @runner: entered by the caller
 * @engine: ours, which has had its share; from now on the list's
 */
void xrdma_runner_postpone(struct xrdma_runner *runner,
			   struct xrdma_engine *engine)
{
	raw_spin_lock(&runner->lock);
	list_add_tail(&engine->pending, &runner->later);
	raw_spin_unlock(&runner->lock);
}
EXPORT_SYMBOL_GPL(xrdma_runner_postpone);

/* The lock is held. What is pending or was postponed is for the softirq. */
static void leave(struct xrdma_runner *runner)
{
	runner->is_active = false;
	list_splice_init(&runner->pending, &runner->later);
	if (!list_empty(&runner->later))
		tasklet_schedule(&runner->tasklet);
}

/**
 * xrdma_runner_next - take an engine from the list
 * @runner: entered by the caller
 *
 * Return: an engine that the caller owns, or NULL: it was left.
 */
struct xrdma_engine *xrdma_runner_next(struct xrdma_runner *runner)
{
	struct xrdma_engine *engine = NULL;

	raw_spin_lock(&runner->lock);
	if (runner->left) {
		runner->left--;
		engine = list_first_entry_or_null(&runner->pending,
						  struct xrdma_engine, pending);
	}
	if (engine)
		list_del_init(&engine->pending);
	else
		leave(runner);
	raw_spin_unlock(&runner->lock);
	return engine;
}
EXPORT_SYMBOL_GPL(xrdma_runner_next);
