/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Endpoints: a TCP socket and what the iw_cm knows it by. One that listens, or
 * one end of a connection from its first to its last moment.
 */
#ifndef XIWARP_EP_H
#define XIWARP_EP_H

#include <linux/net.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>
#include "core/mpa.h"
#include "sock.h"

struct xiwarp_dev;
struct xiwarp_qp;

enum xiwarp_ep_state {
	XIWARP_EP_NEW,
	XIWARP_EP_LISTEN,
	XIWARP_EP_CONNECTING,	/* initiator: TCP shakes hands */
	XIWARP_EP_WAIT_REPLY,	/* initiator: the Request is out */
	XIWARP_EP_WAIT_REQUEST,	/* responder */
	XIWARP_EP_ASKING,	/* the Request is here, the ULP has no room for it yet */
	XIWARP_EP_ASKED,	/* the ULP has yet to accept or reject */
	XIWARP_EP_STREAM,	/* the QP has it */
	XIWARP_EP_CLOSED,
};

/* Connections of one listener that are not ASKED yet; TCP holds more back. */
#define XIWARP_EP_MAX_WAITING	4096

/**
 * struct xiwarp_setup - what is needed until the connection is established
 * @policy: what we want
 * @rx: the peer's frame
 * @frame: @rx parsed
 * @remote: initiator: to connect to
 * @local: initiator: to connect from
 * @private_len: bytes of @private
 * @private: initiator: private data for the Request
 */
struct xiwarp_setup {
	struct xiwarp_mpa_policy policy;
	struct xiwarp_mpa_rx rx;
	struct xiwarp_mpa_frame frame;
	struct sockaddr_storage remote;
	struct sockaddr_storage local;
	u16 private_len;
	u8 private[XIWARP_MPA_MAX_PRIVATE];
};

/**
 * struct xiwarp_ep - an endpoint
 * @refs: held by its work while that is queued, its timer while that is pending, its
 *	QP, its owner (the state that is not CLOSED), whoever looks it up
 * @rcu: frees this struct
 * @dev: device, which waits for us
 * @node: in dev->eps
 * @ref: entry in dev->ep_table: responder: what the iw_cm knows it by
 * @work: does what callbacks and the deadline ask for
 * @timer: queues @work
 *
 * @lock: everything below but for what the QP has in state STREAM
 * @state: enum xiwarp_ep_state
 * @is_aborted: whoever wanted the connection has gone
 * @wants_reset: end it with RST
 * @is_released: the QP has let go of it
 * @has_closer: who destroys the QP closes it then, and not the work
 * @owes_request: initiator: counted in the device's @requests_due
 * @awaits_first: responder: ESTABLISHED is told with the peer's first FPDU; from
 *	STREAM on, belongs to the owner of the QP
 * @deadline: of the present state, jiffies; 0 = none
 * @setup: until STREAM
 * @sock: the socket; constant from STREAM on, until CLOSED
 * @cm_id: with a reference; NULL if there is none (any more)
 * @qpn: the QP that has the stream, for callbacks; 0 = none
 * @target_qpn: initiator: the QP that the connection is for
 * @ird, @ord: what was agreed on
 * @listener: responder: it came by this one, with a reference; until answered
 * @is_asked: responder: counted in the listener's @num_asked, else in @num_waiting
 * @num_waiting: listener: connections that are not ASKED yet
 * @backlog: listener: as many may be ASKED at a time
 * @num_asked: listener: those that are
 * @asking: listener: those that would be, first come first served; responder: its
 *	place there, under the listener's lock
 */
struct xiwarp_ep {
	refcount_t refs;
	struct rcu_head rcu;
	struct xiwarp_dev *dev;
	struct list_head node;
	struct xrdma_ref *ref;
	struct work_struct work;
	struct timer_list timer;

	struct mutex lock;
	u8 state;
	bool is_aborted;
	bool wants_reset;
	bool is_released;
	bool has_closer;
	bool owes_request;
	bool awaits_first;
	unsigned long deadline;
	struct xiwarp_setup *setup;
	struct socket *sock;
	struct iw_cm_id *cm_id;
	u32 qpn;
	u32 target_qpn;
	struct xiwarp_ep *listener;
	bool is_asked;
	atomic_t num_waiting;
	u32 backlog;
	u32 num_asked;
	struct list_head asking;
	u16 ird;
	u16 ord;
};

static inline struct sock *xiwarp_ep_sk(const struct xiwarp_ep *ep)
{
	return ep ? ep->sock->sk : NULL;
}

/* ---- ep.c: life ------------------------------------------------------------- */

int xiwarp_ep_init(void);
void xiwarp_ep_exit(void);

/* In state NEW, with the reference of its owner. Return: NULL if no memory. */
struct xiwarp_ep *xiwarp_ep_create(struct xiwarp_dev *dev);
void xiwarp_ep_get(struct xiwarp_ep *ep);
/* Any context. */
void xiwarp_ep_put(struct xiwarp_ep *ep);

/*
 * Responder: may the ULP be asked now? If not, @ep gets in line and its work is
 * scheduled when it is its turn. Both locks are held.
 */
bool xiwarp_ep_may_ask(struct xiwarp_ep *ep);
/* It was. Both locks are held. */
void xiwarp_ep_note_asked(struct xiwarp_ep *ep);
/* Answered, or given up. ep->lock is held; nothing happens if there is no listener. */
void xiwarp_ep_leave_listener(struct xiwarp_ep *ep);

/* By number, with a reference; NULL if there is none. */
struct xiwarp_ep *xiwarp_ep_find(struct xiwarp_dev *dev, u32 number);

/* Have the work look at it, after those that were scheduled before. Any context. */
void xiwarp_ep_schedule(struct xiwarp_ep *ep);
/* The same at a time (jiffies) at the latest. ep->lock is held. */
void xiwarp_ep_schedule_at(struct xiwarp_ep *ep, unsigned long at);

/*
 * To CLOSED: the socket is released, the iw_cm's id given back, the owner's
 * reference dropped. ep->lock is held.
 */
void xiwarp_ep_close(struct xiwarp_ep *ep);

/* Tell the iw_cm, if it has yet to hear of the end. Any context. */
int xiwarp_ep_event(struct xiwarp_ep *ep, enum iw_cm_event_type type,
		    int status);

/* End every endpoint of @dev that has no QP yet, listeners not. Any context. */
void xiwarp_ep_abort_all(struct xiwarp_dev *dev);
/* Until @dev has none. Sleeps. */
void xiwarp_ep_wait_all(struct xiwarp_dev *dev);

/* ---- for the owner of the QP -------------------------------------------------- */

/* The peer's first FPDU has come. */
void xiwarp_ep_first_fpdu(struct xiwarp_ep *ep);

/*
 * The QP has nothing to do with it any more: gives back the QP's reference and has
 * the socket released. @reset: with RST. Any context.
 */
void xiwarp_ep_release(struct xiwarp_ep *ep, bool reset);

/*
 * For who is about to release it and may sleep: await_release() has it left to
 * close_released(), which must follow, to do at once what the work would do.
 */
void xiwarp_ep_await_release(struct xiwarp_ep *ep);
void xiwarp_ep_close_released(struct xiwarp_ep *ep);

/* It has yet to send its Request, or no more. ep->lock is held. */
void xiwarp_ep_owe_request(struct xiwarp_ep *ep, bool owes);

/* ---- cm.c --------------------------------------------------------------------- */

/* What the work does in states before STREAM. ep->lock is held. */
void xiwarp_cm_progress(struct xiwarp_ep *ep);

/* Tell the iw_cm of a responder's success. Any context. */
void xiwarp_ep_established(struct xiwarp_ep *ep);

/* A connection that is being made for @qp is wanted no more. Process. */
void xiwarp_ep_forget_qp(struct xiwarp_qp *qp);

#endif
