/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * On-demand memory of a QP that is not present where the QP runs, which may not wait.
 * A work item makes it present and kicks the QP, which tries again. Until then the QP
 * stands still: it takes no packets, sends none, and its timers wait.
 *
 * What is sent is looked at first, since only a request of RC can be sent once more. A
 * page that goes between that look and the copy is a lost packet.
 */
#ifndef XROCE_PAGING_H
#define XROCE_PAGING_H

#include <linux/workqueue.h>
#include "xrdma.h"

struct xroce_qp;

/**
 * struct xroce_paging - what a QP waits for
 * @qp: the QP
 * @work: makes it present
 * @pd: of the region
 * @want: which memory
 * @is_waiting: until the work item is done; the owner leaves the rest alone then
 * @err: why it could not
 */
struct xroce_paging {
	struct xroce_qp *qp;
	struct work_struct work;
	const struct ib_pd *pd;
	struct xrdma_want want;
	bool is_waiting;
	int err;
};

/* A new QP gets its own. Process. Return: 0 or -ENOMEM. */
int xroce_qp_paging_init(struct xroce_qp *qp);
/* It waits for nothing (any more). */
void xroce_qp_paging_free(struct xroce_qp *qp);
/* Owner, process: wait for nothing any more. */
void xroce_paging_reset(struct xroce_qp *qp);

bool xroce_paging_is_waiting(const struct xroce_qp *qp);

/*
 * Owner: have @want of @pd made present, one at a time, and be run again. Return: true
 * to try again then; false if that has failed, so it never will be.
 */
bool xroce_paging_wait(struct xroce_qp *qp, const struct ib_pd *pd,
		       const struct xrdma_want *want);

/*
 * Owner: of the next @max packets of requests or answers so many may be sent now; or 0,
 * and the QP waits. One whose memory can't be had may: it fails when it is copied.
 */
u32 xroce_paging_requests(struct xroce_qp *qp, u32 max);
u32 xroce_paging_answers(struct xroce_qp *qp, u32 max);

int xroce_paging_init(void);
void xroce_paging_exit(void);

#endif
