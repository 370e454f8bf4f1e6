// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Programs that don't wait, peers that send much (see stream.h). */
#include <linux/cpumask.h>
#include <linux/moduleparam.h>
#include <linux/sched/deadline.h>
#include <linux/sched/isolation.h>
#include <linux/sched/rt.h>
#include <net/tcp.h>
#include "qp.h"
#include "stream.h"

/* As many doorbells in a row make a stream. */
#define STREAM_DOORBELLS	8
/* To copy more takes longer than to wake somebody who does it. */
#define SMALL_BYTES		2048
/* Nor is less than this worth it when it has come. */
#define BULK_BYTES		(16 * 1024)

static bool spread = true;
module_param(spread, bool, 0644);
MODULE_PARM_DESC(spread, "Use another processor to send small requests that a program posts without waiting for completions, and to receive much at a time (default: yes)");

/* Of those that were taken: what is in the ring is nobody's yet. */
static const struct xiwarp_wr *newest(const struct xiwarp_qp *qp)
{
	return xiwarp_sq_wr(&qp->sq, READ_ONCE(qp->posted) - 1);
}

/*
 * Is all done that was posted before, and has the program taken the completion? Who
 * posts behind a request without one did not wait for it - but perhaps for his peer's
 * answer.
 */
static bool has_waited(struct xiwarp_qp *qp)
{
	u32 fpdus = READ_ONCE(qp->rdmap.stats.rx_fpdus);
	bool is_answered = fpdus != READ_ONCE(qp->stream_fpdus);

	WRITE_ONCE(qp->stream_fpdus, fpdus);
	if (READ_ONCE(qp->reaped) != READ_ONCE(qp->posted))
		return false;
	if (!(READ_ONCE(newest(qp)->flags) & XIWARP_WR_SIGNALED))
		return is_answered;
	return !xiwarp_cq_pending(to_xiwarp_cq(qp->ibqp.send_cq));
}

void xiwarp_stream_note(struct xiwarp_qp *qp)
{
	u32 in_row = READ_ONCE(qp->in_row);

	if (has_waited(qp))
		WRITE_ONCE(qp->in_row, 0);
	else if (in_row < STREAM_DOORBELLS)
		WRITE_ONCE(qp->in_row, in_row + 1);
}

/* Others of its kind, elsewhere, would not let a worker run. */
static bool keeps_processor(struct task_struct *task)
{
	return rt_task(task) || dl_task(task);
}

bool xiwarp_stream_is_for_others(const struct xiwarp_qp *qp)
{
	return READ_ONCE(spread) && READ_ONCE(qp->in_row) == STREAM_DOORBELLS &&
	       READ_ONCE(newest(qp)->length) <= SMALL_BYTES &&
	       num_online_cpus() > 1 && !keeps_processor(current);
}

bool xiwarp_stream_is_bulk(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return READ_ONCE(spread) && tp->rcv_nxt - tp->copied_seq >= BULK_BYTES &&
	       num_online_cpus() > 1;
}

/*
 * The next one that is nobody's own. The scheduler, if no processor is idle, would have
 * a worker run where it is woken, before the program can post more.
 */
int xiwarp_stream_cpu(void)
{
	int here = raw_smp_processor_id();
	int cpu;

	for_each_cpu_wrap(cpu, cpu_online_mask, (here + 1) % nr_cpu_ids)
		if (cpu != here && !cpu_is_isolated(cpu))
			return cpu;
	return here;
}
