// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The case of moderation: an event for several completions, or after a while. */

#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include "pair.h"

#define PERIOD_US	60000
#define TRIES		100

struct listener {
	struct completion told;
	ktime_t at;
};

static void hear(struct ib_cq *cq, void *context)
{
	struct listener *listener = context;

	listener->at = ktime_get();
	complete(&listener->told);
}

static void drain(struct ib_cq *cq)
{
	struct ib_wc wc;

	while (ib_poll_cq(cq, 1, &wc) > 0)
		;
}

/* A message to the CQ that is listened to. It is complete on return. */
static int send(struct kverbs_pair *pair)
{
	const struct ib_recv_wr recv = {};
	const union kverbs_wr wr = { .wr.opcode = IB_WR_SEND };

	expect(!ib_post_recv(pair->qp[1], &recv, NULL));
	return kverbs_do(pair, 0, &wr);
}

/* Return: microseconds from before @n messages to the event, or an error. */
static int time_to_event(struct kverbs_pair *pair, struct listener *listener, int n)
{
	ktime_t begin;

	drain(pair->cq[1]);
	reinit_completion(&listener->told);
	expect(!ib_req_notify_cq(pair->cq[1], IB_CQ_NEXT_COMP));
	begin = ktime_get();
	while (n--)
		expect(!send(pair));
	expect(wait_for_completion_timeout(&listener->told, 20 * HZ));
	return ktime_us_delta(listener->at, begin);
}

/* A slow machine may need longer than the period, but not each time. */
static int is_told_early(struct kverbs_pair *pair, struct listener *listener, int n)
{
	int i, us;

	for (i = 0; i < TRIES; i++) {
		us = time_to_event(pair, listener, n);
		if (us < PERIOD_US)
			return min(us, 0);
	}
	pr_err("kverbs: %d messages: never told before the period was over\n", n);
	return -ETIME;
}

static int moderate(struct kverbs_pair *pair, struct listener *listener)
{
	struct ib_cq *cq = pair->cq[1];

	expect(!rdma_set_cq_moderation(cq, 4, PERIOD_US));
	expect(time_to_event(pair, listener, 1) >= PERIOD_US);
	expect(time_to_event(pair, listener, 3) >= PERIOD_US);
	expect(!is_told_early(pair, listener, 4));
	expect(!rdma_set_cq_moderation(cq, 1000, 1000));
	expect(time_to_event(pair, listener, 1) >= 1000);
	expect(!is_told_early(pair, listener, 1));

	/* Switched off, for what waits as well. */
	expect(!rdma_set_cq_moderation(cq, 1000, U16_MAX));
	drain(cq);
	reinit_completion(&listener->told);
	expect(!ib_req_notify_cq(cq, IB_CQ_NEXT_COMP));
	expect(!send(pair));
	expect(!rdma_set_cq_moderation(cq, 0, 0));
	expect(wait_for_completion_timeout(&listener->told, 20 * HZ));
	expect(!is_told_early(pair, listener, 1));

	/* What waits while the CQ goes */
	expect(!rdma_set_cq_moderation(cq, 1000, U16_MAX));
	expect(!ib_req_notify_cq(cq, IB_CQ_NEXT_COMP));
	return send(pair);
}

int kverbs_moderation(struct ib_device *dev)
{
	struct ib_cq_init_attr attr = { .cqe = KVERBS_DEPTH };
	struct kverbs_pair pair = {};
	struct listener listener;
	struct ib_cq *cqs[2];
	int err;

	init_completion(&listener.told);
	cqs[0] = ib_create_cq(dev, NULL, NULL, NULL, &attr);
	if (IS_ERR(cqs[0]))
		return PTR_ERR(cqs[0]);
	cqs[1] = ib_create_cq(dev, hear, NULL, &listener, &attr);
	if (IS_ERR(cqs[1])) {
		ib_destroy_cq(cqs[0]);
		return PTR_ERR(cqs[1]);
	}
	err = kverbs_pair_create(&pair, dev, IB_QPT_RC, cqs[0], cqs[1]);
	if (!err)
		err = moderate(&pair, &listener);
	kverbs_pair_destroy(&pair, false);
	ib_destroy_cq(cqs[1]);
	ib_destroy_cq(cqs[0]);
	return err;
}
