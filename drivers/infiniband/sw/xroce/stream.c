// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Programs that don't wait (see stream.h). */
#include <linux/cpumask.h>
#include <linux/moduleparam.h>
#include <linux/sched/rt.h>
#include "qp.h"
#include "stream.h"

/* As many doorbells in a row make a stream. */
#define STREAM_DOORBELLS	8
/* To copy more takes longer than to wake somebody who does it. */
#define SMALL_BYTES		2048

bool xroce_spread = true;
module_param_named(spread, xroce_spread, bool, 0644);
MODULE_PARM_DESC(spread, "Send small requests that a program posts without waiting for completions on another processor (default: yes)");

static const struct xroce_wr *newest(const struct xroce_qp *qp)
{
	return xroce_sq_wr(&qp->sq, qp->posted - 1);
}

/*
 * Is all done that was posted, and has the program taken the completion? Who posts
 * behind a request without one did not wait for it.
 */
static bool has_waited(const struct xroce_qp *qp)
{
	return smp_load_acquire(&qp->reaped) == qp->posted &&
	       newest(qp)->flags & XROCE_WR_SIGNALED &&
	       xroce_cq_is_empty(to_xroce_cq(qp->ibqp.send_cq));
}

void xroce_stream_note(struct xroce_qp *qp)
{
	lockdep_assert_held(&qp->post_lock);
	if (has_waited(qp))
		qp->in_row = 0;
	else if (qp->in_row < STREAM_DOORBELLS)
		qp->in_row++;
}

bool xroce_stream_is_for_others(const struct xroce_qp *qp)
{
	/* What overtakes on the way between processors would be lost to UC. */
	if (!xroce_spread || qp->service != XROCE_RC)
		return false;
	return READ_ONCE(qp->in_row) == STREAM_DOORBELLS &&
	       newest(qp)->length <= SMALL_BYTES && num_online_cpus() > 1 &&
	       /* It would not let them run where it is. */
	       !rt_task(current);
}
