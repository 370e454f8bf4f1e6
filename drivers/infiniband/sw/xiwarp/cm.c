// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Making connections: the iw_cm's verbs, and what an endpoint does until a QP has
 * the stream. Nothing here waits for the network: a verb begins something, the
 * socket's callbacks and the deadline have the endpoint's work go on with it.
 *
 * What the iw_cm must hear, or it crashes: CONNECT_REPLY once for each connect
 * that returned 0; ESTABLISHED once for each accept that returned 0; CLOSE once
 * after either, if it said success; nothing else.
 */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include "cm.h"
#include "device.h"
#include "ep.h"
#include "progress.h"
#include "qp.h"
#include "run.h"
#include "stats.h"

/* For TCP, for the peer's frame, for our own ULP. */
#define CONNECT_TIMEOUT		(20 * HZ)
#define FRAME_TIMEOUT		nsecs_to_jiffies(XIWARP_MPA_TIMEOUT_NS)
#define ANSWER_TIMEOUT		(60 * HZ)
/* Until there may be memory again. */
#define TRY_AGAIN		(HZ / 100 ?: 1)

/* What fits into an event of the iw_cm. */
#define MAX_PRIVATE		255

static bool crc;
module_param(crc, bool, 0644);
MODULE_PARM_DESC(crc, "Have CRCs on all connections, not only where the peer wants them");

static void set_state(struct xiwarp_ep *ep, enum xiwarp_ep_state state,
		      unsigned long timeout)
{
	WRITE_ONCE(ep->state, state);
	ep->deadline = timeout ? (jiffies + timeout) ?: 1 : 0;
}

static struct xiwarp_mpa_policy default_policy(void)
{
	return (struct xiwarp_mpa_policy) {
		.revision = 2,
		.crc = READ_ONCE(crc),
		.is_peer_to_peer = true,
		.is_soft = true,
		.rtr = XIWARP_RTR_ALL,
		.max_ird = XIWARP_MAX_RD_ATOMIC,
	};
}

/* ---- frames ------------------------------------------------------------------ */

/* Return: 1 when the frame is complete, 0 if not yet, or why there won't be one. */
static int read_frame(struct xiwarp_ep *ep, bool is_reply)
{
	struct xiwarp_setup *setup = ep->setup;
	u8 *buf;
	int n;

	for (;;) {
		n = xiwarp_mpa_want(&setup->rx, &buf);
		n = xiwarp_sock_read(ep->sock, buf, n);
		if (n == -EAGAIN)
			return 0;
		if (n <= 0)
			return n ?: -ECONNRESET;
		switch (xiwarp_mpa_took(&setup->rx, is_reply, n,
					&setup->frame)) {
		case XIWARP_MPA_MORE:
			continue;
		case XIWARP_MPA_FRAME:
			return 1;
		case XIWARP_MPA_BAD:
			xiwarp_count(ep->dev, XIWARP_STAT_FAULT +
				     XIWARP_FAULT_MPA - 1, 1);
			return -EPROTO;
		}
	}
}

static int write_frame(struct xiwarp_ep *ep, struct xiwarp_mpa_frame *frame,
		       const void *private, u16 private_len)
{
	unsigned int len;
	int err = -EINVAL;
	u8 *buf;

	buf = kmalloc(XIWARP_MPA_MAX_BYTES, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	frame->private_data = private;
	frame->private_len = private_len;
	len = xiwarp_mpa_build(frame, buf);
	if (len)
		err = xiwarp_sock_write(ep->sock, buf, len);
	kfree(buf);
	return min(err, 0);
}

/* The stream never begins: a Terminate is all that is sent on it. */
static void send_terminate(struct xiwarp_ep *ep,
			   const struct xiwarp_mpa_agreed *agreed,
			   enum xiwarp_fault fault)
{
	struct xiwarp_rdmap_cfg cfg = { .mulpdu = XIWARP_MIN_MULPDU };
	const struct xiwarp_sq sq = {};
	struct xiwarp_framer framer;
	struct xiwarp_rdmap *rdmap;
	struct xiwarp_burst burst;
	u8 buf[2 * XIWARP_MAX_HDR_BYTES];
	unsigned int len;

	xiwarp_count(ep->dev, XIWARP_STAT_FAULT + fault - 1, 1);
	rdmap = kzalloc_obj(*rdmap, GFP_KERNEL);
	if (!rdmap)
		return;
	xiwarp_rdmap_init(rdmap, &cfg, &sq, NULL);
	xiwarp_framer_init(&framer, agreed->tx_markers, agreed->crc);
	xiwarp_rdmap_terminate(rdmap, fault);
	if (xiwarp_rdmap_output(rdmap, 0, &burst)) {
		len = xiwarp_tx_build(&framer, &burst, buf, sizeof(buf));
		xiwarp_sock_write(ep->sock, buf, len);
		xiwarp_count(ep->dev, XIWARP_STAT_TERMINATES_SENT, 1);
	}
	kfree(rdmap);
}

/* ---- telling the iw_cm ------------------------------------------------------------ */

static void tell_reply(struct xiwarp_ep *ep, int status)
{
	const struct xiwarp_mpa_frame *frame = &ep->setup->frame;
	struct iw_cm_event event = {
		.event = IW_CM_EVENT_CONNECT_REPLY,
		.status = status,
	};

	if (!status || status == -ECONNREFUSED) {
		event.private_data = (void *)frame->private_data;
		event.private_data_len = min(frame->private_len, MAX_PRIVATE);
	}
	/* As the ULP sees it: what it may send and what it may be sent. */
	event.ird = ep->ord;
	event.ord = ep->ird;
	if (ep->sock)
		xiwarp_sock_names(ep->sock, &event.local_addr,
				  &event.remote_addr);
	ep->cm_id->event_handler(ep->cm_id, &event);
}

void xiwarp_ep_established(struct xiwarp_ep *ep)
{
	struct iw_cm_event event = {
		.event = IW_CM_EVENT_ESTABLISHED,
		.ird = ep->ord,
		.ord = ep->ird,
	};

	ep->cm_id->event_handler(ep->cm_id, &event);
}

/* Before STREAM. */
static void fail(struct xiwarp_ep *ep, int err)
{
	bool is_initiator = ep->state == XIWARP_EP_CONNECTING ||
			    ep->state == XIWARP_EP_WAIT_REPLY;
	struct xiwarp_qp *qp;

	xiwarp_count(ep->dev, err == -ETIMEDOUT ? XIWARP_STAT_SETUP_TIMEOUT :
						  XIWARP_STAT_SETUP_FAILED, 1);
	if (is_initiator) {
		qp = xiwarp_qp_get(ep->dev, ep->target_qpn);
		if (qp) {
			if (cmpxchg(&qp->connecting, ep, NULL) == ep)
				xiwarp_ep_put(ep);
			xiwarp_qp_put(qp);
		}
		tell_reply(ep, err);
	}
	xiwarp_ep_close(ep);
}

/* ---- to the QP ---------------------------------------------------------------------- */

/* The engine is ours and set up: from here on the stream is the QP's. */
static void hand_over(struct xiwarp_ep *ep, struct xiwarp_qp *qp)
{
	kfree(ep->setup);
	ep->setup = NULL;
	set_state(ep, XIWARP_EP_STREAM, ep->awaits_first ? FRAME_TIMEOUT : 0);
	smp_store_release(&ep->qpn, qp->ibqp.qp_num);
	xiwarp_qp_commit(qp, ep);
}

/* ---- initiator ------------------------------------------------------------------------ */

static int send_request(struct xiwarp_ep *ep)
{
	struct xiwarp_setup *setup = ep->setup;
	struct xiwarp_mpa_frame frame = {};
	int err;

	xiwarp_ep_owe_request(ep, false);
	xiwarp_mpa_request(&setup->policy, &frame);
	err = write_frame(ep, &frame, setup->private, setup->private_len);
	if (!err)
		set_state(ep, XIWARP_EP_WAIT_REPLY, FRAME_TIMEOUT);
	return err;
}

/*
 * TCP may be through already, as to a peer on this host. But who began earlier sends
 * his Request first, which the work sees to; it also tells what is wrong.
 */
static int look_at_connect(struct xiwarp_ep *ep)
{
	bool is_first = atomic_read(&ep->dev->requests_due) == 1;
	int done = xiwarp_sock_is_connected(ep->sock);

	if (done > 0 && is_first) {
		done = send_request(ep);
		if (done < 0)
			return done;
	} else if (done) {
		xiwarp_ep_schedule(ep);
		return 0;
	}
	xiwarp_ep_schedule_at(ep, ep->deadline);
	return 0;
}

static int begin_connect(struct xiwarp_ep *ep)
{
	struct xiwarp_setup *setup = ep->setup;
	int err;

	err = xiwarp_sock_create(ep, setup->remote.ss_family);
	if (err)
		return err;
	if (ep->cm_id->tos_set)
		xiwarp_sock_set_tos(ep->sock, ep->cm_id->tos);
	err = xiwarp_sock_bind(ep->sock, &setup->local);
	if (err)
		return err;
	setup->rx.got = 0;
	set_state(ep, XIWARP_EP_CONNECTING, CONNECT_TIMEOUT);
	xiwarp_ep_owe_request(ep, true);
	err = xiwarp_sock_connect(ep, &setup->remote);
	return err ?: look_at_connect(ep);
}

/* The peer knows only revision 1, it seems. */
static int connect_again(struct xiwarp_ep *ep)
{
	xiwarp_sock_release(ep, true);
	ep->setup->policy.revision = 1;
	return begin_connect(ep);
}

static int establish_initiator(struct xiwarp_ep *ep,
			       const struct xiwarp_mpa_agreed *agreed)
{
	struct xiwarp_qp *qp = xiwarp_qp_get(ep->dev, ep->target_qpn);
	int err = -ECONNABORTED;

	if (!qp)
		return err;
	/* Else the QP has forgotten us. */
	if (cmpxchg(&qp->connecting, ep, NULL) == ep) {
		xiwarp_ep_put(ep);
		err = xiwarp_qp_begin(qp, agreed);
	}
	if (!err) {
		ep->ird = agreed->ird;
		ep->ord = agreed->ord;
		tell_reply(ep, 0);
		hand_over(ep, qp);
	}
	xiwarp_qp_put(qp);
	return err;
}

static int judge_reply(struct xiwarp_ep *ep)
{
	struct xiwarp_setup *setup = ep->setup;
	struct xiwarp_mpa_agreed agreed;
	enum xiwarp_fault fault;

	switch (xiwarp_mpa_judge(&setup->policy, &setup->frame, &agreed,
				 &fault)) {
	case XIWARP_MPA_ESTABLISHED:
		return establish_initiator(ep, &agreed);
	case XIWARP_MPA_REJECTED:
		return -ECONNREFUSED;
	case XIWARP_MPA_RETRY_V1:
		return connect_again(ep);
	case XIWARP_MPA_FAULT:
		send_terminate(ep, &agreed, fault);
		break;
	}
	return -EPROTO;
}

static int progress_reply(struct xiwarp_ep *ep)
{
	struct xiwarp_setup *setup = ep->setup;
	int done;

	done = read_frame(ep, true);
	if (done > 0)
		return judge_reply(ep);
	if (done == -ECONNRESET || done == -EPIPE) {
		if (xiwarp_mpa_closed(&setup->policy, &setup->rx))
			return connect_again(ep);
	}
	return done;
}

static int progress_connect(struct xiwarp_ep *ep)
{
	int done = xiwarp_sock_is_connected(ep->sock);
	int err;

	if (done <= 0)
		return done;
	err = send_request(ep);
	return err ?: progress_reply(ep);
}

/* ---- responder ---------------------------------------------------------------------------- */

/* Return: -EAGAIN when it is not its turn yet, -ENOMEM when there is no memory now. */
static int tell_request(struct xiwarp_ep *ep)
{
	const struct xiwarp_mpa_frame *frame = &ep->setup->frame;
	struct xiwarp_ep *listener = ep->listener;
	struct iw_cm_event event = {
		.event = IW_CM_EVENT_CONNECT_REQUEST,
		.private_data = (void *)frame->private_data,
		.private_data_len = min(frame->private_len, MAX_PRIVATE),
		.provider_data = (void *)(uintptr_t)ep->ref->index,
	};
	u16 ird, ord;
	int err = -ECONNABORTED;

	xiwarp_mpa_offer(frame, &ird, &ord);
	/* A peer that doesn't say takes what we can do, or says so later. */
	if (!frame->is_enhanced)
		ird = ord = XIWARP_MAX_RD_ATOMIC;
	event.ird = min(ird, U8_MAX);
	event.ord = min(ord, U8_MAX);
	xiwarp_sock_names(ep->sock, &event.local_addr, &event.remote_addr);

	mutex_lock_nested(&listener->lock, SINGLE_DEPTH_NESTING);
	if (listener->cm_id) {
		err = -EAGAIN;
		if (xiwarp_ep_may_ask(ep))
			err = listener->cm_id->event_handler(listener->cm_id,
							     &event);
		if (!err)
			xiwarp_ep_note_asked(ep);
	}
	mutex_unlock(&listener->lock);
	return err;
}

static int ask(struct xiwarp_ep *ep)
{
	struct xrdma_ref *ref;
	int err;

	if (!ep->ref) {
		ref = xrdma_ref_add(&ep->dev->ep_table, ep, 0, GFP_KERNEL);
		if (IS_ERR(ref))
			return PTR_ERR(ref);
		ep->ref = ref;
	}
	err = tell_request(ep);
	if (err == -EAGAIN || err == -ENOMEM) {
		WRITE_ONCE(ep->state, XIWARP_EP_ASKING);
		if (err == -ENOMEM)
			xiwarp_ep_schedule_at(ep, jiffies + TRY_AGAIN);
		return 0;
	}
	if (err)
		return err;
	set_state(ep, XIWARP_EP_ASKED, ANSWER_TIMEOUT);
	return 0;
}

static int progress_request(struct xiwarp_ep *ep)
{
	int done = read_frame(ep, false);

	return done > 0 ? ask(ep) : done;
}

/* Has the peer lost patience? It may not send before our Reply. */
static int progress_asked(struct xiwarp_ep *ep)
{
	u8 byte;
	int n;

	n = xiwarp_sock_read(ep->sock, &byte, 1);
	if (n == -EAGAIN)
		return 0;
	return n > 0 ? -EPROTO : n ?: -ECONNRESET;
}

static void accept_one(struct xiwarp_ep *listener, struct xiwarp_ep *child)
{
	xiwarp_ep_get(listener);
	child->listener = listener;
	atomic_inc(&listener->num_waiting);
	set_state(child, XIWARP_EP_WAIT_REQUEST, FRAME_TIMEOUT);
	/* The Request may be here already. */
	xiwarp_ep_schedule(child);
}

/* Return: -EAGAIN if there is none (or no room), -ENOMEM, other errors of sockets. */
static int accept_next(struct xiwarp_ep *listener)
{
	struct xiwarp_ep *child;
	int err;

	if (atomic_read(&listener->num_waiting) >= XIWARP_EP_MAX_WAITING) {
		xiwarp_count(listener->dev, XIWARP_STAT_LISTEN_OVERFLOW, 1);
		return -EAGAIN;
	}
	child = xiwarp_ep_create(listener->dev);
	if (!child)
		return -ENOMEM;
	err = xiwarp_sock_accept(listener, child);
	if (err) {
		kfree(child->setup);
		child->setup = NULL;
		child->state = XIWARP_EP_CLOSED;
		xiwarp_ep_put(child);
		return err;
	}
	accept_one(listener, child);
	return 0;
}

static void progress_listen(struct xiwarp_ep *listener)
{
	int err;

	do
		err = accept_next(listener);
	while (!err);
	/* Those that wait there don't call again. */
	if (err == -ENOMEM)
		xiwarp_ep_schedule_at(listener, jiffies + TRY_AGAIN);
}

/* ---- the work ------------------------------------------------------------------------------- */

static int progress_state(struct xiwarp_ep *ep)
{
	switch (ep->state) {
	case XIWARP_EP_CONNECTING:
		return progress_connect(ep);
	case XIWARP_EP_WAIT_REPLY:
		return progress_reply(ep);
	case XIWARP_EP_WAIT_REQUEST:
		return progress_request(ep);
	case XIWARP_EP_ASKING:
		return ask(ep);
	case XIWARP_EP_ASKED:
		return progress_asked(ep);
	default:
		return 0;
	}
}

void xiwarp_cm_progress(struct xiwarp_ep *ep)
{
	int err = 0;

	lockdep_assert_held(&ep->lock);
	if (ep->state == XIWARP_EP_NEW)
		return;
	if (ep->state == XIWARP_EP_LISTEN) {
		/* Of another namespace's program, it has no socket. */
		if (ep->sock)
			progress_listen(ep);
		return;
	}
	if (READ_ONCE(ep->is_aborted))
		err = -ECONNABORTED;
	else
		err = progress_state(ep);
	if (!err && ep->state < XIWARP_EP_STREAM && ep->deadline &&
	    time_after_eq(jiffies, ep->deadline))
		err = -ETIMEDOUT;
	if (err)
		fail(ep, err);
}

/* ---- verbs: initiator -------------------------------------------------------------------------- */

static void note_connect(struct xiwarp_ep *ep, struct iw_cm_id *cm_id,
			 const struct iw_cm_conn_param *param)
{
	struct xiwarp_setup *setup = ep->setup;

	setup->policy = default_policy();
	setup->policy.ird = min(param->ird, (u32)XIWARP_MAX_RD_ATOMIC);
	setup->policy.ord = min(param->ord, (u32)XIWARP_MAX_RD_ATOMIC);
	setup->remote = cm_id->m_remote_addr;
	setup->local = cm_id->m_local_addr;
	setup->private_len = param->private_data_len;
	memcpy(setup->private, param->private_data, param->private_data_len);
	ep->target_qpn = param->qpn;
	cm_id->add_ref(cm_id);
	ep->cm_id = cm_id;
}

/* Also if the QP is destroyed at this moment, one of us sees the other. */
static int claim_qp(struct xiwarp_ep *ep, struct xiwarp_qp *qp)
{
	xiwarp_ep_get(ep);
	if (cmpxchg(&qp->connecting, NULL, ep)) {
		xiwarp_ep_put(ep);
		return -EINVAL;
	}
	if (READ_ONCE(qp->conn.state) == XIWARP_IDLE)
		return 0;
	if (cmpxchg(&qp->connecting, ep, NULL) == ep)
		xiwarp_ep_put(ep);
	return -EINVAL;
}

static int connect_qp(struct xiwarp_ep *ep, struct xiwarp_qp *qp)
{
	int err;

	err = claim_qp(ep, qp);
	if (err)
		return err;
	err = begin_connect(ep);
	if (err && cmpxchg(&qp->connecting, ep, NULL) == ep)
		xiwarp_ep_put(ep);
	return err;
}

int xiwarp_iw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	struct xiwarp_dev *dev = to_xiwarp_dev(cm_id->device);
	struct xiwarp_ep *ep;
	struct xiwarp_qp *qp;
	int err;

	if (param->private_data_len > XIWARP_MPA_MAX_PRIVATE -
				      XIWARP_MPA_ENHANCED_BYTES)
		return -EINVAL;
	if (READ_ONCE(dev->is_ending))
		return -ENODEV;
	if (xiwarp_sock_is_foreign(dev, &cm_id->m_remote_addr))
		return -ENETUNREACH;
	qp = xiwarp_qp_get(dev, param->qpn);
	if (!qp)
		return -EINVAL;
	ep = xiwarp_ep_create(dev);
	if (!ep) {
		xiwarp_qp_put(qp);
		return -ENOMEM;
	}
	mutex_lock(&ep->lock);
	note_connect(ep, cm_id, param);
	err = connect_qp(ep, qp);
	if (err) {
		xiwarp_ep_get(ep);
		xiwarp_ep_close(ep);
		mutex_unlock(&ep->lock);
		xiwarp_ep_put(ep);
	} else {
		xiwarp_count(dev, XIWARP_STAT_CONNECTS, 1);
		/* Its work may have found nothing to end yet. */
		if (READ_ONCE(ep->is_aborted))
			xiwarp_ep_schedule(ep);
		mutex_unlock(&ep->lock);
	}
	xiwarp_qp_put(qp);
	return err;
}

void xiwarp_ep_forget_qp(struct xiwarp_qp *qp)
{
	struct xiwarp_ep *ep = xchg(&qp->connecting, NULL);

	if (!ep)
		return;
	WRITE_ONCE(ep->is_aborted, true);
	xiwarp_ep_schedule(ep);
	xiwarp_ep_put(ep);
}

/* ---- verbs: responder ---------------------------------------------------------------------------- */

/* The endpoint that the ULP is to answer, locked and with a reference; or NULL. */
static struct xiwarp_ep *find_asked(struct iw_cm_id *cm_id)
{
	struct xiwarp_ep *ep;

	ep = xiwarp_ep_find(to_xiwarp_dev(cm_id->device),
			    (uintptr_t)cm_id->provider_data);
	if (!ep)
		return NULL;
	mutex_lock(&ep->lock);
	if (ep->state == XIWARP_EP_ASKED)
		return ep;
	mutex_unlock(&ep->lock);
	xiwarp_ep_put(ep);
	return NULL;
}

/* The engine of @qp is ours. On success it is the stream's. */
static int send_reply(struct xiwarp_ep *ep, struct xiwarp_qp *qp,
		      struct xiwarp_mpa_frame *reply, struct iw_cm_id *cm_id,
		      const struct iw_cm_conn_param *param)
{
	int err;

	err = write_frame(ep, reply, param->private_data,
			  param->private_data_len);
	if (err)
		return err;
	cm_id->add_ref(cm_id);
	ep->cm_id = cm_id;
	if (!ep->awaits_first)
		xiwarp_ep_established(ep);
	hand_over(ep, qp);
	return 0;
}

static int accept_with(struct xiwarp_ep *ep, struct xiwarp_qp *qp,
		       struct iw_cm_id *cm_id,
		       const struct iw_cm_conn_param *param)
{
	struct xiwarp_mpa_policy policy = default_policy();
	struct xiwarp_mpa_frame reply = {};
	struct xiwarp_mpa_agreed agreed;
	int err;

	policy.ird = min(param->ird, (u32)XIWARP_MAX_RD_ATOMIC);
	policy.ord = min(param->ord, (u32)XIWARP_MAX_RD_ATOMIC);
	xiwarp_mpa_accept(&policy, &ep->setup->frame, &reply, &agreed);
	if (param->private_data_len > xiwarp_mpa_private_max(&reply))
		return -EINVAL;
	err = xiwarp_qp_begin(qp, &agreed);
	if (err)
		return err;
	ep->ird = agreed.ird;
	ep->ord = agreed.ord;
	ep->awaits_first = agreed.rtr;
	err = send_reply(ep, qp, &reply, cm_id, param);
	if (err) {
		ep->awaits_first = false;
		xiwarp_qp_cancel(qp);
	}
	return err;
}

int xiwarp_iw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	struct xiwarp_dev *dev = to_xiwarp_dev(cm_id->device);
	struct xiwarp_ep *ep;
	struct xiwarp_qp *qp;
	int err = -EINVAL;

	ep = find_asked(cm_id);
	if (!ep)
		return -ECONNRESET;
	if (xiwarp_sock_has_data(ep->sock)) {
		err = -EPROTO;
		goto close;
	}
	qp = xiwarp_qp_get(dev, param->qpn);
	if (qp) {
		err = accept_with(ep, qp, cm_id, param);
		xiwarp_qp_put(qp);
	}
close:
	if (err) {
		ep->wants_reset = true;
		xiwarp_ep_close(ep);
	} else {
		xiwarp_count(dev, XIWARP_STAT_ACCEPTS, 1);
		xiwarp_ep_leave_listener(ep);
		if (ep->deadline)
			xiwarp_ep_schedule_at(ep, ep->deadline);
	}
	mutex_unlock(&ep->lock);
	xiwarp_ep_put(ep);
	return err;
}

int xiwarp_iw_reject(struct iw_cm_id *cm_id, const void *private_data,
		     u8 private_len)
{
	struct xiwarp_mpa_frame reply = {};
	struct xiwarp_ep *ep;
	int err;

	ep = find_asked(cm_id);
	if (!ep)
		return -ECONNRESET;
	xiwarp_mpa_reject(&ep->setup->frame, &reply);
	err = write_frame(ep, &reply, private_data, private_len);
	xiwarp_count(ep->dev, XIWARP_STAT_REJECTS, 1);
	xiwarp_ep_close(ep);
	mutex_unlock(&ep->lock);
	xiwarp_ep_put(ep);
	return err;
}

static int listen_on(struct xiwarp_ep *ep)
{
	struct iw_cm_id *cm_id = ep->cm_id;
	struct sockaddr_storage addr = cm_id->m_local_addr;
	int err;

	/* No reason to fail: it listens on other devices. */
	if (xiwarp_sock_is_foreign(ep->dev, &addr))
		return 0;
	err = xiwarp_sock_create(ep, addr.ss_family);
	if (err)
		return err;
	if (cm_id->tos_set)
		xiwarp_sock_set_tos(ep->sock, cm_id->tos);
	return xiwarp_sock_listen(ep, &addr, cm_id->afonly);
}

int xiwarp_iw_create_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct xiwarp_dev *dev = to_xiwarp_dev(cm_id->device);
	struct xiwarp_ep *ep;
	int err;

	if (READ_ONCE(dev->is_ending))
		return -ENODEV;
	ep = xiwarp_ep_create(dev);
	if (!ep)
		return -ENOMEM;
	mutex_lock(&ep->lock);
	kfree(ep->setup);
	ep->setup = NULL;
	cm_id->add_ref(cm_id);
	ep->cm_id = cm_id;
	ep->state = XIWARP_EP_LISTEN;
	ep->backlog = max(backlog, 1);
	err = listen_on(ep);
	xiwarp_ep_get(ep);
	if (err)
		xiwarp_ep_close(ep);
	else
		cm_id->provider_data = ep;
	mutex_unlock(&ep->lock);
	xiwarp_ep_put(ep);
	return err;
}

/* What it has brought already goes on: the ULP was asked, or will not be. */
int xiwarp_iw_destroy_listen(struct iw_cm_id *cm_id)
{
	struct xiwarp_ep *ep = cm_id->provider_data;

	xiwarp_ep_get(ep);
	mutex_lock(&ep->lock);
	xiwarp_ep_close(ep);
	mutex_unlock(&ep->lock);
	xiwarp_ep_put(ep);
	return 0;
}

/* ---- verbs: references of the iw_cm to QPs ----------------------------------------------------------- */

/*
 * The iw_cm looks a QP up by its number and takes a reference in two steps, one right
 * after the other, and with nothing that holds off the QP's destruction in between: a
 * program that destroys a QP while it accepts a connection for it finds that gap. So the
 * first step takes the reference, and the second has nothing left to do.
 */
struct ib_qp *xiwarp_iw_get_qp(struct ib_device *ibdev, int qpn)
{
	struct xiwarp_qp *qp = xiwarp_qp_get(to_xiwarp_dev(ibdev), qpn);

	return qp ? &qp->ibqp : NULL;
}

void xiwarp_iw_add_ref(struct ib_qp *ibqp)
{
}

void xiwarp_iw_rem_ref(struct ib_qp *ibqp)
{
	xiwarp_qp_put(to_xiwarp_qp(ibqp));
}
