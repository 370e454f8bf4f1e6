/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues. */
#ifndef XROCE_CQ_H
#define XROCE_CQ_H

#include <linux/hrtimer.h>
#include <rdma/ib_verbs.h>
#include "ring.h"

struct xroce_qp;

/**
 * struct xroce_cq_user - a queue of a QP that completes to a CQ
 * @node: in xroce_cq.users
 * @qp: the QP
 */
struct xroce_cq_user {
	struct list_head node;
	struct xroce_qp *qp;
};

/**
 * struct xroce_cq - a completion queue
 * @ibcq: the verbs object
 * @ring: we produce; slots hold struct ib_uverbs_wc (user) or struct ib_wc
 * @lock: @ring, @notify, @is_dead, @users, moderation; taken with interrupts off, a leaf
 * @resize_mutex: one resize at a time
 * @notify: enum ib_cq_notify_flags armed, 0 = none
 * @event_count: moderation: completions that make an event
 * @event_us: moderation: microseconds after which fewer do; 0 in either: each does
 * @waiting: completions that the consumer, who armed, has not been told of for that reason
 * @timer: ends their waiting
 * @users: struct xroce_cq_user
 * @consumer: who is told
 * @is_user: the ring is mapped
 * @is_dead: overflowed: takes nothing more
 */
struct xroce_cq {
	struct ib_cq ibcq;
	struct xroce_ring ring;
	spinlock_t lock;
	struct mutex resize_mutex;
	u8 notify;
	u16 event_count;
	u16 event_us;
	u32 waiting;
	struct hrtimer timer;
	struct list_head users;
	struct xrdma_cq_consumer consumer;
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
 * Any context, no CQ or QP lock held. Handlers may run inside, see xrdma_cq_tell().
 *
 * Return: 0, or -EOVERFLOW: the CQ is full and dead now. A work item raises CQ_ERR
 * once and takes all QPs of the CQ to the error state.
 */
int xroce_cq_post(struct xroce_cq *cq, const struct ib_wc *wc, bool solicited);

/* @user, with its qp set, completes to @cq from now on, and no more. Process. */
void xroce_cq_attach(struct xroce_cq *cq, struct xroce_cq_user *user);
void xroce_cq_detach(struct xroce_cq *cq, struct xroce_cq_user *user);

/*
 * When this returns, the consumer of ib_alloc_cq() has been told of what was posted: it
 * ends before ib_free_cq() destroys the CQ. Process.
 */
void xroce_cq_settle(struct xroce_cq *cq);

/* Has the consumer taken all there was? User space may say what it likes. Any context. */
bool xroce_cq_is_empty(struct xroce_cq *cq);

/* ib_device_ops: create_cq, destroy_cq, modify_cq, resize_cq, poll_cq, req_notify_cq */
int xroce_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct ib_udata *udata);
int xroce_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int xroce_modify_cq(struct ib_cq *ibcq, u16 count, u16 period_us);
int xroce_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
int xroce_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int xroce_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

#endif
