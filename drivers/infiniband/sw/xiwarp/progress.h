/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One run of a QP: what its owner does, in which order. All functions here are
 * called by the owner.
 */
#ifndef XIWARP_PROGRESS_H
#define XIWARP_PROGRESS_H

#include "core/state.h"

struct xiwarp_qp;

/*
 * Bottom halves are off and the socket, if there is one, is locked.
 * Return: true if work is left that nobody else will kick for.
 */
bool xiwarp_qp_progress(struct xiwarp_qp *qp);

/* When the QP must be run again at the latest, ns; XIWARP_NEVER. */
u64 xiwarp_qp_deadline(struct xiwarp_qp *qp);

/*
 * Something happened to the connection: change the state, tell who is to be told.
 * What needs the socket is done by the next run, the end of the socket by its
 * endpoint.
 */
void xiwarp_qp_end(struct xiwarp_qp *qp, enum xiwarp_input in);

/* Give up the connection, whatever its state is. */
void xiwarp_qp_detach(struct xiwarp_qp *qp);

#endif
