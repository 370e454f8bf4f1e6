// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Programs that don't wait (see stream.h). */
#include <linux/cpumask.h>
#include <linux/moduleparam.h>
#include <linux/sched/deadline.h>
#include <linux/sched/rt.h>
#include "qp.h"
#include "stream.h"

/* As many doorbells in a row make a stream. */
#define STREAM_DOORBELLS	8
/* To copy more takes longer than to wake somebody who does it. */
#define SMALL_BYTES		2048

static bool spread = true;
module_param(spread, bool, 0644);
MODULE_PARM_DESC(spread, "Send small requests that a program posts without waiting for completions on another processor (default: yes)");

/* What overtakes on the way between processors would be lost to UC. */
static bool may_be_spread(const struct xroce_qp *qp)
{
	return READ_ONCE(spread) && qp->service == XROCE_RC;
}

static const struct xroce_wr *newest(const struct xroce_qp *qp)
{
	return xroce_sq_wr(&qp->sq, READ_ONCE(qp->posted) - 1);
}

/*
 * Is all done that was posted, and has the program taken the completion? Who posts
 * behind a request without one did not wait for it - but perhaps for his peer's answer.
 */
static bool has_waited(struct xroce_qp *qp)
{
	u32 msn = READ_ONCE(qp->resp.msn);
	bool is_answered = msn != READ_ONCE(qp->stream_msn);

	WRITE_ONCE(qp->stream_msn, msn);
	if (READ_ONCE(qp->reaped) != READ_ONCE(qp->posted))
		return false;
	if (!(READ_ONCE(newest(qp)->flags) & XROCE_WR_SIGNALED))
		return is_answered;
	return xroce_cq_is_empty(to_xroce_cq(qp->ibqp.send_cq));
}

void xroce_stream_note(struct xroce_qp *qp)
{
	u32 in_row = READ_ONCE(qp->in_row);

	if (!may_be_spread(qp))
		return;
	if (has_waited(qp))
		WRITE_ONCE(qp->in_row, 0);
	else if (in_row < STREAM_DOORBELLS)
		WRITE_ONCE(qp->in_row, in_row + 1);
}

/* It would not let a worker run where it is. */
static bool keeps_processor(struct task_struct *task)
{
	return rt_task(task) || dl_task(task);
}

bool xroce_stream_is_for_others(const struct xroce_qp *qp)
{
	return may_be_spread(qp) &&
	       READ_ONCE(qp->in_row) == STREAM_DOORBELLS &&
	       READ_ONCE(newest(qp)->length) <= SMALL_BYTES &&
	       num_online_cpus() > 1 && !keeps_processor(current);
}
