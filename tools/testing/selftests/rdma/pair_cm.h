/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two QPs of one process (pair.h) that are connected by rdma_cm, as iWARP's must be.
 * Both are reached at an address of their own host.
 */
#ifndef PAIR_CM_H
#define PAIR_CM_H

#include "pair.h"
#include <arpa/inet.h>
#include <poll.h>
#include <rdma/rdma_cma.h>

#define CM_PORT 7193

static struct rdma_event_channel *channel;
static struct rdma_cm_id *asker_id, *answerer_id;
static struct sockaddr_in cm_address = { .sin_family = AF_INET };

static inline enum rdma_cm_event_type next_cm_event(struct rdma_cm_id **id)
{
	struct pollfd pfd = { .fd = channel->fd, .events = POLLIN };
	enum rdma_cm_event_type type;
	struct rdma_cm_event *event;

	if (poll(&pfd, 1, PATIENCE * 1000) <= 0 || rdma_get_cm_event(channel, &event))
		die("no event of the CM: %m");
	type = event->event;
	*id = event->id;
	rdma_ack_cm_event(event);
	return type;
}

static inline struct rdma_conn_param to_qp(const struct ibv_qp *qp)
{
	return (struct rdma_conn_param) {
		.responder_resources = 4,
		.initiator_depth = 4,
		.qp_num = qp->qp_num,
	};
}

/* Return: 1 if one end is connected. */
static inline int go_on(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	struct rdma_conn_param param;

	switch (type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(id, 2000))
			die("no route: %m");
		return 0;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		param = to_qp(asker);
		if (rdma_connect(id, &param))
			die("cannot connect: %m");
		return 0;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		answerer_id = id;
		param = to_qp(answerer);
		if (rdma_accept(id, &param))
			die("cannot accept: %m");
		return 0;
	case RDMA_CM_EVENT_ESTABLISHED:
		return 1;
	default:
		die("%s", rdma_event_str(type));
	}
}

static inline void connect_by_cm(void)
{
	enum rdma_cm_event_type type;
	struct rdma_cm_id *id;
	int ends = 0;

	if (rdma_create_id(channel, &asker_id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(asker_id, NULL, (struct sockaddr *)&cm_address, 2000))
		die("cannot resolve: %m");
	while (ends < 2) {
		type = next_cm_event(&id);
		ends += go_on(id, type);
	}
}

/* @where: an address */
static inline void make_by_cm(const char *where)
{
	struct rdma_cm_id *listener;

	cm_address.sin_port = htons(CM_PORT);
	channel = rdma_create_event_channel();
	if (inet_pton(AF_INET, where, &cm_address.sin_addr) != 1 || !channel ||
	    rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, (struct sockaddr *)&cm_address) ||
	    rdma_listen(listener, 1))
		die("cannot listen at %s: %m", where);
	connect_by_cm();
}

/* The QPs are those that were connected, or others by now. */
static inline void leave_pair(void)
{
	rdma_disconnect(asker_id);
	rdma_disconnect(answerer_id);
	rdma_destroy_id(asker_id);
	rdma_destroy_id(answerer_id);
}

static inline void mend_by_cm(void)
{
	leave_pair();
	reset_both();
	connect_by_cm();
}

static inline void pair_by_cm(void)
{
	join_pair = make_by_cm;
	mend_pair = mend_by_cm;
	writes_end_early = 1;
}

#endif
