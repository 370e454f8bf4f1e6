/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who runs a QP's engine. There is no lock around the engine: at any time at
 * most one context owns it. A kick leaves a note; if nobody is the owner, the
 * kicker becomes it and runs the QP there and then.
 */
#ifndef XROCE_RUN_H
#define XROCE_RUN_H

struct xroce_qp;

int xroce_run_init(void);
void xroce_run_exit(void);

void xroce_qp_run_init(struct xroce_qp *qp);

/*
 * Something happened to @qp: a request, a packet, a deadline. Any context.
 * Never recurses: a kick from inside a run is picked up by the outer loop. With
 * interrupts off the run is left to a work item.
 */
void xroce_qp_kick(struct xroce_qp *qp);

/* The same where no run may take place: it is left to a work item. Any context. */
void xroce_qp_kick_later(struct xroce_qp *qp);

/*
 * The same, by a process of its own, on another processor if one has nothing to do.
 * Process, softirq.
 */
void xroce_qp_kick_elsewhere(struct xroce_qp *qp);

/* Give back what xrdma_engine_own() gave: runs what was noted meanwhile. */
void xroce_qp_disown(struct xroce_qp *qp);

/*
 * To destroy @qp: become the owner for good, and wait for timer and work item.
 * Nobody but the caller touches the engine any more. Sleeps.
 */
void xroce_qp_stop(struct xroce_qp *qp);

#endif
