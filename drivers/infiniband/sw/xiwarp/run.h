/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who runs a QP's engine. There is no lock around the engine: at any time at
 * most one context owns it. A kick leaves a note; if nobody is the owner, the
 * kicker becomes it and runs the QP there and then, with its socket locked.
 */
#ifndef XIWARP_RUN_H
#define XIWARP_RUN_H

struct sock;
struct xiwarp_qp;

int xiwarp_run_init(void);
void xiwarp_run_exit(void);

void xiwarp_qp_run_init(struct xiwarp_qp *qp);

/*
 * Something happened to @qp: a request, a deadline. Any context. Never recurses:
 * a kick from inside a run is picked up by the outer loop. With interrupts off,
 * or the socket locked by a process, the run is left to a work item.
 */
void xiwarp_qp_kick(struct xiwarp_qp *qp);

/* The same from a callback of @sk, which is locked. */
void xiwarp_qp_kick_locked(struct xiwarp_qp *qp, const struct sock *sk);

/* Give back what xrdma_engine_own() gave: runs what was noted meanwhile. */
void xiwarp_qp_disown(struct xiwarp_qp *qp);

/*
 * After xrdma_engine_retire(): wait for timer and work item. Nobody but the caller
 * touches the engine any more. Sleeps.
 */
void xiwarp_qp_stop(struct xiwarp_qp *qp);

#endif
