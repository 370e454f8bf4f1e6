/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive queues: a QP's own and the shared one are the same thing. */
#ifndef XIWARP_RQ_H
#define XIWARP_RQ_H

#include <rdma/ib_verbs.h>
#include "device.h"

/**
 * struct xiwarp_recv - trusted copy of one receive request
 * @wr_id: the caller's cookie
 * @length: sum of the SGEs
 * @num_sge: entries of @sge, 0..XIWARP_MAX_SGE
 * @is_bad: num_sge was out of range; must complete with LOC_QP_OP_ERR
 * @sge: keys are checked when data is placed
 */
struct xiwarp_recv {
	u64 wr_id;
	u64 length;
	u32 num_sge;
	bool is_bad;
	struct ib_sge sge[XIWARP_MAX_SGE];
};

/**
 * struct xiwarp_rq - a receive queue
 * @mem: the slots, mapped if the queue is a user's
 * @slots: in @mem
 * @lock: everything below; taken with interrupts off, a leaf
 * @mask: slots - 1
 * @max_sge: that posters may use
 * @get: free running, next slot to take
 * @put: kernel posters: free running, next slot to fill
 * @limit: SRQ: event when fewer remain, 0 = disarmed
 */
struct xiwarp_rq {
	struct xrdma_shared *mem;
	struct xiwarp_rqe *slots;
	spinlock_t lock;
	u32 mask;
	u32 max_sge;
	u32 get;
	u32 put;
	u32 limit;
};

static inline u32 xiwarp_rq_capacity(const struct xiwarp_rq *rq)
{
	return rq->mask + 1;
}

/*
 * @ucontext NULL: kernel. May sleep. Return: 0, -ENOMEM. At least one slot, since
 * the provider can't map none. Destroying what is all zeros does nothing.
 */
int xiwarp_rq_create(struct xiwarp_rq *rq, struct ib_ucontext *ucontext,
		     u32 max_wr, u32 max_sge);
void xiwarp_rq_destroy(struct xiwarp_rq *rq);

/*
 * Take the oldest request into @recv; its slot is free afterwards. Any context.
 * *@hit_limit is set when an armed limit was just crossed (and is disarmed now).
 * Return: false if none is posted.
 */
bool xiwarp_rq_take(struct xiwarp_rq *rq, struct xiwarp_recv *recv,
		    bool *hit_limit);

/* Kernel poster. Return: 0, -EINVAL (num_sge), -ENOMEM (full). Any context. */
int xiwarp_rq_post(struct xiwarp_rq *rq, const struct ib_recv_wr *wr);

#endif
