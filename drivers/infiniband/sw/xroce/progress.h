/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One run of a QP: what its owner does, in which order. All functions here are
 * called by the owner with bottom halves off.
 */
#ifndef XROCE_PROGRESS_H
#define XROCE_PROGRESS_H

#include <rdma/ib_verbs.h>

struct xroce_qp;

/* Return: true if work is left that nobody else will kick for. */
bool xroce_qp_progress(struct xroce_qp *qp);

/* When the QP must be run again at the latest, ns; XROCE_NEVER. */
u64 xroce_qp_deadline(struct xroce_qp *qp);

/* The only writer of attr.qp_state. */
void xroce_qp_set_state(struct xroce_qp *qp, enum ib_qp_state state);

/* To the error state, both queues are flushed by the coming runs. */
void xroce_qp_set_error(struct xroce_qp *qp);

#endif
