/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive queues: a QP's own and the shared one are the same thing. */
#ifndef XROCE_RQ_H
#define XROCE_RQ_H

#include <rdma/ib_verbs.h>
#include "device.h"
#include "ring.h"

/**
 * struct xroce_rqe - trusted copy of one receive request
 * @wr_id: the caller's cookie
 * @length: sum of the SGEs
 * @num_sge: entries of @sge, as many as the receive queue takes at most
 * @is_bad: num_sge was out of range; must complete with LOC_QP_OP_ERR
 * @sge: keys are checked when data is placed
 */
struct xroce_rqe {
	u64 wr_id;
	u64 length;
	u32 num_sge;
	bool is_bad;
	struct ib_sge sge[];
};

/**
 * struct xroce_rq - a receive queue
 * @ring: struct xroce_recv_wqe slots; we consume
 * @lock: serialises takers and kernel posters; taken with interrupts off, a leaf
 * @resize_mutex: one resize at a time
 * @max_sge: that its slots can hold
 * @limit: SRQ: event when fewer remain, 0 = disarmed
 */
struct xroce_rq {
	struct xroce_ring ring;
	spinlock_t lock;
	struct mutex resize_mutex;
	u32 max_sge;
	u32 limit;
};

/*
 * @ucontext NULL: kernel. May sleep. Return: 0, -EINVAL (@max_sge), -ENOMEM.
 * Destroying what was not created does nothing, if it is all zeros.
 */
int xroce_rq_create(struct xroce_rq *rq, struct ib_ucontext *ucontext,
		    u32 max_wr, u32 max_sge);
void xroce_rq_destroy(struct xroce_rq *rq);

/* An empty ring for @max_wr requests as long as those of @rq. */
int xroce_rq_create_ring(const struct xroce_rq *rq, struct xroce_ring *ring,
			 struct ib_ucontext *ucontext, u32 max_wr);
/*
 * Go on with @ring, what is posted moves over in order; @ring gets the old one.
 * Requests may be taken meanwhile. May sleep.
 * Return: 0, -EINVAL when more is posted than @ring holds: nothing has changed.
 */
int xroce_rq_replace_ring(struct xroce_rq *rq, struct xroce_ring *ring);

/*
 * Take the oldest request into @rqe; its slot is free afterwards. Any context.
 * *@hit_limit is set when an armed limit was just crossed (and is disarmed now).
 * Return: 0, -ENOENT if none is posted, -EIO if the ring is damaged.
 */
int xroce_rq_take(struct xroce_rq *rq, struct xroce_rqe *rqe, bool *hit_limit);

/* Requests that are posted. Only while nobody else takes any. */
u32 xroce_rq_posted(const struct xroce_rq *rq);

/* Kernel poster. Return: 0, -EINVAL (num_sge), -ENOMEM (full). Any context. */
int xroce_rq_post(struct xroce_rq *rq, const struct ib_recv_wr *wr);

/* Drop everything that is posted (QP to RESET). */
void xroce_rq_clear(struct xroce_rq *rq);

#endif
