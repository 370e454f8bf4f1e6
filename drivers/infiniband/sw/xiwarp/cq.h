/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues. */
#ifndef XIWARP_CQ_H
#define XIWARP_CQ_H

#include <rdma/ib_verbs.h>
#include "device.h"

/**
 * struct xiwarp_cq - a completion queue
 * @ibcq: the verbs object
 * @lock: everything below; taken with interrupts off, a leaf
 * @mem: user: slots and the control word, mapped
 * @slots: user: in @mem
 * @ctrl: user: in @mem, behind the slots
 * @wcs: kernel: slots
 * @mask: slots - 1
 * @put: free running, next slot to fill
 * @get: kernel: free running, next slot to poll
 * @notify: kernel: enum ib_cq_notify_flags armed, 0 = none
 * @is_dead: overflowed: takes nothing more
 * @consumer: who is told
 */
struct xiwarp_cq {
	struct ib_cq ibcq;
	spinlock_t lock;
	struct xrdma_shared *mem;
	struct xiwarp_cqe *slots;
	struct xiwarp_cq_ctrl *ctrl;
	struct ib_wc *wcs;
	u32 mask;
	u32 put;
	u32 get;
	u8 notify;
	bool is_dead;
	struct xrdma_cq_consumer consumer;
};

static inline struct xiwarp_cq *to_xiwarp_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct xiwarp_cq, ibcq);
}

/**
 * xiwarp_cq_post - add a completion
 * @cq: where
 * @wc: complete; wc->qp set
 * @solicited: the peer asked for an event, or the status is an error
 *
 * Any context, no CQ lock held. Handlers may run inside, see xrdma_cq_tell().
 *
 * Return: 0, or -EOVERFLOW: the CQ is full and dead now (CQ_ERR was raised once).
 */
int xiwarp_cq_post(struct xiwarp_cq *cq, const struct ib_wc *wc, bool solicited);

/* Completions that nobody has polled; of a mapped queue, those that seem so. */
u32 xiwarp_cq_pending(struct xiwarp_cq *cq);

/* ib_device_ops: create_cq, destroy_cq, resize_cq, poll_cq, req_notify_cq */
int xiwarp_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata);
int xiwarp_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int xiwarp_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
int xiwarp_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int xiwarp_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

#endif
