/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queue pairs: the object, its attributes, its life. */
#ifndef XROCE_QP_H
#define XROCE_QP_H

#include <linux/hrtimer.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "av.h"
#include "core/requester.h"
#include "core/responder.h"
#include "counter.h"
#include "cq.h"
#include "device.h"
#include "keep.h"
#include "route.h"
#include "rq.h"
#include "srq.h"

/**
 * struct xroce_swqe - one slot of the trusted send queue
 * @wr: what the engine sees; first, so that struct xroce_sq can index slots
 * @av: UD: where to, with a reference
 * @dest_qp: UD
 * @qkey: UD
 * @bind: BIND_MW
 * @reg: REG_MR: the region, its new key and rights
 * @num_sge: entries of @sge; 0 when inline
 * @sge: gather list, or the inline bytes
 */
struct xroce_swqe {
	struct xroce_wr wr;
	struct xroce_av *av;
	union {
		struct {
			u32 dest_qp;
			u32 qkey;
		};
		struct xrdma_bind bind;
		struct {
			struct xrdma_mr *mr;
			u32 key;
			u32 access;
		} reg;
	};
	u32 num_sge;
	struct ib_sge sge[];
};

/**
 * struct xroce_qp - a queue pair
 *
 * attributes, written by a process that is the owner of the engine, read by all:
 * @ibqp: the verbs object
 * @ref: entry in the QPN table; held by receivers, the timer and the work item
 * @idle: of @ref
 * @attr: current attributes, attr.qp_state included
 * @sq_sig_all: every send completes
 * @is_user: rings are mapped
 * @blocks_own_mcast: does not want what it sends to groups itself
 * @service: enum xroce_service
 * @max_send_sge, @max_inline: of a send slot
 * @counter: that it is bound to, or NULL
 * @av: RC, UC: the peer
 *
 * engine, belongs to the owner (run.h):
 * @req, @resp: the protocol
 * @rd: memory of @resp
 * @cc: rate; NULL for UD; goes under @post_lock
 * @congest: pacing, CNPs
 * @keep: what it needs when packets are lost
 * @rqe: receive request in progress, valid when resp.has_recv
 * @windows: memory windows bound through this QP
 * @route: cached route of @av or of the last UD destination
 * @events: to be raised
 * @to_error: a fatal fault: go to ERR when the answers are out
 * @has_dead_cq: a CQ overflowed, written by others; go to ERR
 * @has_comm_est: COMM_EST was raised
 * @has_last_wqe: LAST_WQE_REACHED was raised
 * @has_drained: SQ_DRAINED was raised
 * @flush_poll_ns: ERR with a mapped receive queue: pause until it is looked at
 *	again, since posting to it rings no bell
 * @flush_poll_at: when that is
 * @req_seen, @resp_seen: engine statistics that the device counters have
 *
 * mailbox, shared:
 * @engine: who is the owner (run.h)
 * @rx: received packets, struct xroce_rx_cb in skb->cb
 * @rx_bytes: memory of these
 * @rx_has_direct: some of these may refer to memory of their senders
 * @work: continues a run
 * @paging: on-demand memory that it waits for
 *
 * send queue, posters hold @post_lock:
 * @post_lock: kernel posters and doorbells; interrupts off; a leaf
 * @ring: user: the mapped send ring we consume
 * @slots: trusted copies, sq.mask + 1 of them
 * @sq: geometry for the engine
 * @posted: free running, stored with release after the slot is filled
 * @reaped: free running, stored with release by the owner
 *
 * streams (stream.h), hints:
 * @in_row: doorbells of a program that does not wait
 * @stream_msn: the peer's messages at the last one
 *
 * receive queue:
 * @rq: own, if @srq is NULL
 * @srq: shared
 *
 * @send_user, @recv_user: links to the CQs
 */
struct xroce_qp {
	struct ib_qp ibqp;
	struct xrdma_ref *ref;
	struct ib_qp_attr attr;
	bool sq_sig_all;
	bool is_user;
	bool blocks_own_mcast;
	u8 service;
	u32 max_send_sge;
	u32 max_inline;
	struct xroce_counter __rcu *counter;
	struct xroce_av *av;

	struct xroce_req req;
	struct xroce_resp resp;
	struct xroce_rd *rd;
	struct xroce_cc *cc;
	struct xroce_qp_congest congest;
	struct xroce_keep keep;
	struct xroce_rqe *rqe;
	struct xrdma_windows windows;
	struct xroce_route route;
	struct xrdma_qp_events events;
	bool to_error;
	bool has_dead_cq;
	bool has_comm_est;
	bool has_last_wqe;
	bool has_drained;
	u64 flush_poll_ns;
	u64 flush_poll_at;
	struct xroce_req_stats req_seen;
	struct xroce_resp_stats resp_seen;

	struct xrdma_engine engine;
	struct sk_buff_head rx;
	atomic_t rx_bytes;
	bool rx_has_direct;
	struct work_struct work;
	struct xrdma_paging *paging;

	spinlock_t post_lock;
	struct xroce_ring ring;
	void *slots;
	struct xroce_sq sq;
	u32 posted;
	u32 reaped;
	u32 in_row;
	u32 stream_msn;

	struct xroce_rq rq;
	struct xroce_srq *srq;

	struct xroce_cq_user send_user;
	struct xroce_cq_user recv_user;
};

/* The allocator rounds up to a power of two. Other locks are larger. */
#if !defined(CONFIG_DEBUG_SPINLOCK) && !defined(CONFIG_PREEMPT_RT)
static_assert(sizeof(struct xroce_qp) <= 2048);
#endif

static inline struct xroce_qp *to_xroce_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct xroce_qp, ibqp);
}

static inline struct xroce_dev *xroce_qp_dev(const struct xroce_qp *qp)
{
	return to_xroce_dev(qp->ibqp.device);
}

static inline struct xroce_swqe *to_xroce_swqe(const struct xroce_wr *wr)
{
	return container_of(wr, struct xroce_swqe, wr);
}

/* All QPs of the host by number: a packet's DestQP finds the QP by itself. */
extern struct xrdma_table xroce_qps;

void xroce_qp_init(void);
void xroce_qp_exit(void);

/* ib_device_ops */
int xroce_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		    struct ib_udata *udata);
int xroce_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata);
int xroce_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);
int xroce_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* modify.c: to RESET, with everything posted forgotten. Owner. */
void xroce_qp_reset(struct xroce_qp *qp);

#endif
