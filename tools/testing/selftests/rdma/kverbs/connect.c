// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Connecting the QPs of a pair over iWARP, which only rdma_cm can (see pair.h). */

#include <linux/completion.h>
#include <linux/in.h>
#include <linux/slab.h>
#include <rdma/rdma_cm.h>
#include "pair.h"

#define PORT		7199
#define ADDRESS		0x0a600001	/* 10.96.0.1, of the device */
#define PATIENCE_MS	10000

/**
 * struct kverbs_link - a connection between the QPs of a pair
 * @pair: whose
 * @listener: of @id[1]
 * @id: of each QP
 * @done: both ends are connected, or @err says why not
 * @left: ends that are not connected yet
 * @err: 0 or an errno
 */
struct kverbs_link {
	struct kverbs_pair *pair;
	struct rdma_cm_id *listener;
	struct rdma_cm_id *id[2];
	struct completion done;
	atomic_t left;
	int err;
};

static void finish(struct kverbs_link *link, int err)
{
	link->err = err;
	complete(&link->done);
}

static struct rdma_conn_param param_of(const struct ib_qp *qp)
{
	return (struct rdma_conn_param) {
		.responder_resources = 4,
		.initiator_depth = 4,
		.qp_num = qp->qp_num,
	};
}

/* Return: 0, or an error, with which the connection fails. */
static int next_step(struct kverbs_link *link, struct rdma_cm_id *id,
		     enum rdma_cm_event_type type)
{
	struct rdma_conn_param param;

	switch (type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return rdma_resolve_route(id, PATIENCE_MS);
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		param = param_of(link->pair->qp[0]);
		return rdma_connect_locked(id, &param);
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		param = param_of(link->pair->qp[1]);
		link->id[1] = id;
		return rdma_accept(id, &param);
	case RDMA_CM_EVENT_ESTABLISHED:
		if (atomic_dec_and_test(&link->left))
			finish(link, 0);
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return 0;
	default:
		return -ECONNREFUSED;
	}
}

/* All ids are destroyed by kverbs_disconnect(). */
static int handle(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kverbs_link *link = id->context;
	int err = next_step(link, id, event->event);

	if (err) {
		pr_err("kverbs: %s: %d\n", rdma_event_msg(event->event), err);
		finish(link, err);
	}
	return 0;
}

static struct rdma_cm_id *new_id(struct kverbs_link *link)
{
	struct rdma_cm_id *id = rdma_create_id(&init_net, handle, link, RDMA_PS_TCP,
					       IB_QPT_RC);

	return IS_ERR(id) ? NULL : id;
}

static int begin(struct kverbs_link *link)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(ADDRESS),
	};
	int err;

	link->listener = new_id(link);
	link->id[0] = new_id(link);
	if (!link->listener || !link->id[0])
		return -ENOMEM;
	err = rdma_bind_addr(link->listener, (struct sockaddr *)&to);
	if (!err)
		err = rdma_listen(link->listener, 1);
	return err ?: rdma_resolve_addr(link->id[0], NULL, (struct sockaddr *)&to,
					PATIENCE_MS);
}

int kverbs_connect(struct kverbs_pair *pair)
{
	struct kverbs_link *link = kzalloc(sizeof(*link), GFP_KERNEL);
	int err;

	if (!link)
		return -ENOMEM;
	pair->link = link;
	link->pair = pair;
	init_completion(&link->done);
	atomic_set(&link->left, 2);
	err = begin(link);
	if (err)
		return err;
	if (!wait_for_completion_timeout(&link->done, msecs_to_jiffies(PATIENCE_MS)))
		return -ETIMEDOUT;
	return link->err;
}

void kverbs_disconnect(struct kverbs_pair *pair)
{
	struct kverbs_link *link = pair->link;
	int i;

	if (!link)
		return;
	if (link->listener)
		rdma_destroy_id(link->listener);
	for (i = 0; i < 2; i++) {
		if (link->id[i])
			rdma_destroy_id(link->id[i]);
	}
	kfree(link);
	pair->link = NULL;
}
