// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Telling consumers of completions and events. They are told in the middle of a run:
 * under the lock of a socket, in the call of somebody who posts a request and holds
 * locks that their handlers take. So handlers that may do more than wake somebody run
 * in work items.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/smp.h>
#include "mr.h"

static struct workqueue_struct *consumer_wq;

int xrdma_consumer_wq_init(void)
{
	/* Writing pages out may depend on a completion. */
	consumer_wq = alloc_workqueue("xrdma_consumer", WQ_MEM_RECLAIM | WQ_PERCPU, 0);
	return consumer_wq ? 0 : -ENOMEM;
}

void xrdma_consumer_wq_exit(void)
{
	destroy_workqueue(consumer_wq);
}

static void queue_on(int cpu, struct work_struct *work)
{
	if (!cpu_online(cpu))
		cpu = WORK_CPU_UNBOUND;
	queue_work_on(cpu, consumer_wq, work);
}

/* ---- completions ----------------------------------------------------------------- */

/* What the work item of a CQ is to do. */
enum task {
	TELL,		/* call the consumer's handler */
	FAIL,		/* tell everybody that the CQ overflowed */
};

static void raise_error(struct ib_cq *ibcq)
{
	struct ib_event event = {
		.device = ibcq->device,
		.element.cq = ibcq,
		.event = IB_EVENT_CQ_ERR,
	};

	if (ibcq->event_handler)
		ibcq->event_handler(&event, ibcq->cq_context);
}

static void do_tasks(struct work_struct *work)
{
	struct xrdma_cq_consumer *consumer =
		container_of(work, struct xrdma_cq_consumer, work);
	struct ib_cq *ibcq = consumer->ibcq;

	if (test_and_clear_bit(TELL, &consumer->tasks)) {
		/* What it schedules is to run when it is done. */
		local_bh_disable();
		ibcq->comp_handler(ibcq, ibcq->cq_context);
		local_bh_enable();
	}
	if (test_and_clear_bit(FAIL, &consumer->tasks)) {
		raise_error(ibcq);
		if (consumer->failed)
			consumer->failed(ibcq);
	}
}

static void defer(struct xrdma_cq_consumer *consumer, enum task task)
{
	set_bit(task, &consumer->tasks);
	queue_on(consumer->vector, &consumer->work);
}

/* Of ib_alloc_cq(), which polls on its own. */
static bool is_polled_by_core(const struct ib_cq *ibcq)
{
	return ibcq->wc;
}

static void call_handler(void *info)
{
	struct xrdma_cq_consumer *consumer = info;
	struct ib_cq *ibcq = consumer->ibcq;
	int n;

	do {
		n = atomic_read(&consumer->calls);
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	} while (atomic_sub_return(n, &consumer->calls));
	/* The CQ may be gone. */
}

/* As a NIC interrupts the CPU of the vector. */
static void call_on_vector(struct xrdma_cq_consumer *consumer)
{
	bool is_here = get_cpu() == consumer->vector;

	if (is_here)
		consumer->ibcq->comp_handler(consumer->ibcq, consumer->ibcq->cq_context);
	else if (atomic_fetch_inc(&consumer->calls) == 0 &&
		 smp_call_function_single_async(consumer->vector, &consumer->call))
		call_handler(consumer);	/* that CPU is offline */
	put_cpu();
}

/**
 * xrdma_cq_tell - there are completions
 * @consumer: whom to tell, who wanted it
 *
 * Handlers of user space and of ib_alloc_cq() only wake somebody. Those of user space
 * run inside; those of ib_alloc_cq() inside if this is the CPU of the CQ's vector, or
 * there in an interrupt. Those of ib_create_cq() may do anything: they run in a work item
 * there (core_locking.rst: whoever posts a request may hold a lock that they take).
 * Real-time kernels want no softirq raised in an interrupt, so there the vector of
 * ib_alloc_cq() does not matter.
 *
 * Context: any, no lock of a CQ or QP held.
 */
void xrdma_cq_tell(struct xrdma_cq_consumer *consumer)
{
	struct ib_cq *ibcq = consumer->ibcq;
	bool is_core = is_polled_by_core(ibcq);

	if (consumer->is_user || (is_core && IS_ENABLED(CONFIG_PREEMPT_RT)))
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	else if (is_core)
		call_on_vector(consumer);
	else
		defer(consumer, TELL);
}
EXPORT_SYMBOL_GPL(xrdma_cq_tell);

/**
 * xrdma_cq_fail - the CQ overflowed
 * @consumer: a work item raises CQ_ERR, then calls @consumer->failed()
 *
 * Context: any.
 */
void xrdma_cq_fail(struct xrdma_cq_consumer *consumer)
{
	defer(consumer, FAIL);
}
EXPORT_SYMBOL_GPL(xrdma_cq_fail);

/**
 * xrdma_cq_settle - wait until the consumer of ib_alloc_cq() has been told
 * @consumer: of a CQ to which one QP less completes from now on
 *
 * That ends before ib_free_cq() destroys the CQ. Context: process.
 */
void xrdma_cq_settle(struct xrdma_cq_consumer *consumer)
{
	while (atomic_read_acquire(&consumer->calls))
		cpu_relax();
}
EXPORT_SYMBOL_GPL(xrdma_cq_settle);

/**
 * xrdma_cq_consumer_init - before anything completes
 * @consumer: to initialise, all zeroes
 * @ibcq: whose
 * @vector: completion vector: a CPU
 * @is_user: its completions are polled in mapped memory
 * @failed: called in a process after CQ_ERR was raised; may be NULL
 */
void xrdma_cq_consumer_init(struct xrdma_cq_consumer *consumer, struct ib_cq *ibcq,
			    u32 vector, bool is_user, void (*failed)(struct ib_cq *))
{
	consumer->ibcq = ibcq;
	consumer->vector = vector;
	consumer->is_user = is_user;
	consumer->failed = failed;
	INIT_WORK(&consumer->work, do_tasks);
	INIT_CSD(&consumer->call, call_handler, consumer);
}
EXPORT_SYMBOL_GPL(xrdma_cq_consumer_init);

/**
 * xrdma_cq_consumer_stop - when nobody completes to the CQ any more
 * @consumer: is told no more when this returns
 *
 * Context: process, sleeps.
 */
void xrdma_cq_consumer_stop(struct xrdma_cq_consumer *consumer)
{
	cancel_work_sync(&consumer->work);
}
EXPORT_SYMBOL_GPL(xrdma_cq_consumer_stop);

/* ---- events of queue pairs ------------------------------------------------------- */

/* In the order in which they make sense if several wait. */
static const enum ib_event_type qp_events[] = {
	IB_EVENT_COMM_EST,
	IB_EVENT_SQ_DRAINED,
	IB_EVENT_QP_REQ_ERR,
	IB_EVENT_QP_ACCESS_ERR,
	IB_EVENT_QP_FATAL,
	IB_EVENT_QP_LAST_WQE_REACHED,
};

static void raise_events(struct work_struct *work)
{
	struct xrdma_qp_events *events = container_of(work, struct xrdma_qp_events, work);
	struct ib_qp *ibqp = events->ibqp;
	struct ib_event event = {
		.device = ibqp->device,
		.element.qp = ibqp,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(qp_events); i++) {
		event.event = qp_events[i];
		if (test_and_clear_bit(event.event, &events->pending) &&
		    ibqp->event_handler)
			ibqp->event_handler(&event, ibqp->qp_context);
	}
}

/**
 * xrdma_qp_event - have a work item tell of an event
 * @events: of the QP
 * @type: one of @qp_events
 *
 * Context: any.
 */
void xrdma_qp_event(struct xrdma_qp_events *events, enum ib_event_type type)
{
	set_bit(type, &events->pending);
	queue_on(raw_smp_processor_id(), &events->work);
}
EXPORT_SYMBOL_GPL(xrdma_qp_event);

/**
 * xrdma_qp_events_init - before the first event
 * @events: to initialise, all zeroes
 * @ibqp: whose
 */
void xrdma_qp_events_init(struct xrdma_qp_events *events, struct ib_qp *ibqp)
{
	events->ibqp = ibqp;
	INIT_WORK(&events->work, raise_events);
}
EXPORT_SYMBOL_GPL(xrdma_qp_events_init);

/**
 * xrdma_qp_events_stop - when there will be no more events
 * @events: nobody is told of them when this returns
 *
 * Context: process, sleeps.
 */
void xrdma_qp_events_stop(struct xrdma_qp_events *events)
{
	cancel_work_sync(&events->work);
}
EXPORT_SYMBOL_GPL(xrdma_qp_events_stop);
