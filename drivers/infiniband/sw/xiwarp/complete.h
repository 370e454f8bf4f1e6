/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completions and asynchronous events of a QP. All for its owner. */
#ifndef XIWARP_COMPLETE_H
#define XIWARP_COMPLETE_H

#include <rdma/ib_verbs.h>

struct xiwarp_done;
struct xiwarp_qp;

/* Raised by a work item: handlers may sleep, or take what a poster holds. */
void xiwarp_qp_event(struct xiwarp_qp *qp, enum ib_event_type type);

/* Complete finished send requests, at most @budget. Return: how many. */
unsigned int xiwarp_complete_sends(struct xiwarp_qp *qp, unsigned int budget);

/* Complete qp->recv as @done says. */
void xiwarp_complete_recv(struct xiwarp_qp *qp, const struct xiwarp_done *done);

/* Flush posted receive requests, at most @budget. Return: how many. */
unsigned int xiwarp_flush_recvs(struct xiwarp_qp *qp, unsigned int budget);

#endif
