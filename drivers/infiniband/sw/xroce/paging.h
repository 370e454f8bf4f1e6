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

#include <linux/types.h>

struct xroce_qp;

/*
 * Owner: of the next @max packets of requests or answers so many may be sent now; or 0,
 * and the QP waits. One whose memory can't be had may: it fails when it is copied.
 */
u32 xroce_paging_requests(struct xroce_qp *qp, u32 max);
u32 xroce_paging_answers(struct xroce_qp *qp, u32 max);

#endif
