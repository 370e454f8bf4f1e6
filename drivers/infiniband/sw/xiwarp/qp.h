/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queue pairs: the object, its attributes, its life. */
#ifndef XIWARP_QP_H
#define XIWARP_QP_H

#include <linux/hrtimer.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "core/fpdu.h"
#include "core/mpa.h"
#include "core/rdmap.h"
#include "core/state.h"
#include "cq.h"
#include "device.h"
#include "rq.h"
#include "srq.h"
#include "tx.h"

struct xiwarp_ep;

/* Rights of the peer unless somebody asks for less. */
#define XIWARP_QP_ACCESS	(IB_ACCESS_REMOTE_WRITE |	\
				 IB_ACCESS_REMOTE_READ |	\
				 IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct xiwarp_swqe - one slot of the trusted send queue
 * @wr: what the engine sees; first, so that struct xiwarp_sq can index slots
 * @num_sge: entries of @sge; 0 when inline
 * @sge: gather list (READ: scatter list)
 * @data: inline bytes
 * @reg: REG_MR: the region, and its key and rights to be
 */
struct xiwarp_swqe {
	struct xiwarp_wr wr;
	u32 num_sge;
	union {
		struct ib_sge sge[XIWARP_MAX_SGE];
		u8 data[XIWARP_MAX_INLINE];
		struct {
			struct xrdma_mr *mr;
			u32 key;
			u32 access;
		} reg;
	};
};

/**
 * struct xiwarp_qp - a queue pair
 *
 * attributes, written by a process that is the owner of the engine, read by all:
 * @ibqp: the verbs object
 * @ref: entry in the device's table; held by sockets' callbacks and the iw_cm
 * @cap: as told to the creator
 * @idle_state: RESET, INIT or RTR, which are one to us while there is no connection
 * @access: rights of the peer
 * @ird, @ord: of the connection
 * @sq_sig_all: every send completes
 * @is_user: rings are mapped
 *
 * engine, belongs to the owner (run.h):
 * @conn: state of the connection
 * @rdmap: receive and send side of the stream
 * @rd: memory of @rdmap
 * @framer: send side of the stream's lower half
 * @tx: bytes that the socket has yet to take
 * @retry_at: there was no memory for @tx: when to try again, ns; XIWARP_NEVER
 * @go_first_at: responder: when to send though the initiator has not begun, ns;
 *	XIWARP_NEVER: there is no such time
 * @recv: receive request in progress
 * @has_recv: there is one
 * @recv_limit: a SEND waits for a receive until then, ns; XIWARP_NEVER = none waits
 * @recv_poll_at: when to look for a receive again, ns
 * @awaits_pages: bytes that came wait for @paging
 * @ep: the connection, with a reference; NULL if there is none
 * @emss: segment size that the engine knows, 0 = none
 * @is_soft: the peer takes FPDUs longer than a segment
 * @fin_due: shut down the sending side when all is sent
 * @cq_overflow: a completion found its CQ full
 * @events: to be raised
 * @has_event: an event told of the end of the stream
 * @has_last_wqe: LAST_WQE_REACHED was raised
 * @flush_poll_ns: ERROR with a mapped receive queue: pause until it is looked at
 *	again, since posting to it rings no bell
 * @flush_poll_at: when that is
 * @is_flushing: requests end with WR_FLUSH_ERR
 * @seen: engine statistics that the device counters have
 *
 * mailbox, shared:
 * @connecting: the endpoint that makes a connection for us, with a reference
 * @engine: who is the owner (run.h)
 * @work: continues a run
 * @paging: on-demand memory that it waits for
 *
 * send queue:
 * @post_lock: kernel posters; interrupts off; a leaf
 * @ring: user: the mapped send ring
 * @ring_slots: user: in @ring
 * @ring_get: user: free running, next slot to look at; the owner's
 * @slots: trusted copies, sq.mask + 1 of them
 * @sq: geometry for the engine
 * @posted: free running, stored with release after the slot is filled
 * @reaped: free running, stored with release by the owner
 *
 * receive queue:
 * @rq: own, if @srq is NULL
 * @srq: shared
 */
struct xiwarp_qp {
	struct ib_qp ibqp;
	struct xrdma_ref *ref;
	struct ib_qp_cap cap;
	u8 idle_state;
	u32 access;
	u16 ird;
	u16 ord;
	bool sq_sig_all;
	bool is_user;

	struct xiwarp_conn conn;
	struct xiwarp_rdmap rdmap;
	struct xiwarp_rd *rd;
	struct xiwarp_framer framer;
	struct xiwarp_tx tx;
	u64 retry_at;
	u64 go_first_at;
	struct xiwarp_recv recv;
	bool has_recv;
	u64 recv_limit;
	u64 recv_poll_at;
	bool awaits_pages;
	struct xiwarp_ep *ep;
	u32 emss;
	bool is_soft;
	bool fin_due;
	bool cq_overflow;
	struct xrdma_qp_events events;
	bool has_event;
	bool has_last_wqe;
	bool is_flushing;
	u64 flush_poll_ns;
	u64 flush_poll_at;
	struct xiwarp_rdmap_stats seen;

	struct xiwarp_ep *connecting;
	struct xrdma_engine engine;
	struct work_struct work;
	struct xrdma_paging *paging;

	spinlock_t post_lock;
	struct xrdma_shared *ring;
	struct xiwarp_sqe *ring_slots;
	u32 ring_get;
	struct xiwarp_swqe *slots;
	struct xiwarp_sq sq;
	u32 posted;
	u32 reaped;

	struct xiwarp_rq rq;
	struct xiwarp_srq *srq;
};

static inline struct xiwarp_qp *to_xiwarp_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct xiwarp_qp, ibqp);
}

static inline struct xiwarp_dev *xiwarp_qp_dev(const struct xiwarp_qp *qp)
{
	return to_xiwarp_dev(qp->ibqp.device);
}

static inline struct xiwarp_swqe *to_xiwarp_swqe(const struct xiwarp_wr *wr)
{
	return container_of(wr, struct xiwarp_swqe, wr);
}

/* What the verbs call the state of the connection; a moment old without ownership. */
enum ib_qp_state xiwarp_qp_verbs_state(const struct xiwarp_qp *qp);

/* By number, with a reference to put in qp->ref; NULL if there is none. Any context. */
struct xiwarp_qp *xiwarp_qp_get(struct xiwarp_dev *dev, u32 qpn);
void xiwarp_qp_put(struct xiwarp_qp *qp);

/*
 * modify.c: become the owner of an idle QP and set up its engine; commit() or
 * cancel() must follow. Process, may sleep. Return: 0, -EINVAL when the QP is not
 * idle, -ENOMEM.
 */
int xiwarp_qp_begin(struct xiwarp_qp *qp, const struct xiwarp_mpa_agreed *agreed);
/* The stream begins, over @ep, of which the QP takes a reference. Runs it. */
void xiwarp_qp_commit(struct xiwarp_qp *qp, struct xiwarp_ep *ep);
/* Idle again. */
void xiwarp_qp_cancel(struct xiwarp_qp *qp);
/* End the stream over @ep, if it has not ended yet. Process. */
void xiwarp_qp_abort(struct xiwarp_qp *qp, const struct xiwarp_ep *ep);

/* modify.c: to an unconnected state, with everything posted forgotten. Owner. */
void xiwarp_qp_reset(struct xiwarp_qp *qp);

/* ib_device_ops */
int xiwarp_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		     struct ib_udata *udata);
int xiwarp_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		     struct ib_udata *udata);
int xiwarp_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init);
int xiwarp_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

#endif
