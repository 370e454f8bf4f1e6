/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues. */
#ifndef XROCE_CQ_H
#define XROCE_CQ_H

#include <rdma/ib_verbs.h>
#include "ring.h"

/**
 * struct xroce_cq - a completion queue
 * @ibcq: the verbs object
 * @ring: we produce; slots hold struct ib_uverbs_wc (user) or struct ib_wc
 * @lock: @ring, @notify, @is_dead; taken with interrupts off, a leaf
 * @resize_mutex: one resize at a time
 * @notify: enum ib_cq_notify_flags armed, 0 = none
 * @is_user: the ring is mapped
 * @is_dead: overflowed: takes nothing more
 */
struct xroce_cq {
	struct ib_cq ibcq;
	struct xroce_ring ring;
	spinlock_t lock;
	struct mutex resize_mutex;
	u8 notify;
	bool is_user;
	bool is_dead;
};

static inline struct xroce_cq *to_xroce_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct xroce_cq, ibcq);
}

/**
 * xroce_cq_post - add a completion
 * @cq: where
 * @wc: complete; wc->qp set
 * @solicited: the packet asked for an event, or the status is an error
 *
 * Any context, no CQ or QP lock held: the consumer's handler runs inside, after
 * the lock is released.
 *
 * Return: 0, or -EOVERFLOW: the CQ is full and dead now (CQ_ERR was raised once).
 */
int xroce_cq_post(struct xroce_cq *cq, const struct ib_wc *wc, bool solicited);

/* ib_device_ops: create_cq, destroy_cq, resize_cq, poll_cq, req_notify_cq */
int xroce_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct ib_udata *udata);
int xroce_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int xroce_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
int xroce_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int xroce_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

#endif
