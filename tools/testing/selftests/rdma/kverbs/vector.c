// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The case of completion vectors: each is a CPU, where its completions are dealt with. */

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/smp.h>
#include "pair.h"

#define MESSAGES	20

static atomic_t done, elsewhere;
static int vector_cpu;

static void count(void)
{
	if (raw_smp_processor_id() != vector_cpu)
		atomic_inc(&elsewhere);
	atomic_inc(&done);
}

static void message_done(struct ib_cq *cq, struct ib_wc *wc)
{
	count();
}

static struct ib_cqe message_cqe = { .done = message_done };

/* A handler of one's own, without a polling context. */
static void take_all(struct ib_cq *cq, void *context)
{
	struct ib_wc wc;

	do {
		while (ib_poll_cq(cq, 1, &wc) > 0)
			count();
	} while (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0);
}

static struct ib_cq *create_cq(struct ib_device *dev, int vector, int how)
{
	struct ib_cq_init_attr attr = { .cqe = KVERBS_DEPTH, .comp_vector = vector };
	struct ib_cq *cq;

	if (how != IB_POLL_DIRECT)
		return ib_alloc_cq(dev, NULL, KVERBS_DEPTH, vector, how);
	cq = ib_create_cq(dev, take_all, NULL, NULL, &attr);
	if (!IS_ERR(cq))
		ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	return cq;
}

static void destroy_cq(struct ib_cq *cq, int how)
{
	if (IS_ERR_OR_NULL(cq))
		return;
	if (how == IB_POLL_DIRECT)
		ib_destroy_cq(cq);
	else
		ib_free_cq(cq);
}

static bool all_done(int n)
{
	unsigned long end = jiffies + 20 * HZ;

	while (atomic_read(&done) < n) {
		if (time_after(jiffies, end))
			return false;
		usleep_range(50, 200);
	}
	return true;
}

/* One after the other, so that each is told of. */
static int talk(struct kverbs_pair *pair)
{
	struct ib_send_wr send = { .wr_cqe = &message_cqe, .opcode = IB_WR_SEND };
	struct ib_recv_wr recv = { .wr_cqe = &message_cqe };
	int i;

	atomic_set(&done, 0);
	atomic_set(&elsewhere, 0);
	for (i = 1; i <= MESSAGES; i++) {
		expect(!ib_post_recv(pair->qp[1], &recv, NULL));
		expect(!ib_post_send(pair->qp[0], &send, NULL));
		expect(all_done(2 * i));
	}
	expect(!atomic_read(&elsewhere));
	return 0;
}

static int on_vector(struct ib_device *dev, int vector, int how)
{
	struct ib_cq *cqs[2] = { create_cq(dev, vector, how), create_cq(dev, vector, how) };
	struct kverbs_pair pair = {};
	int err;

	err = IS_ERR(cqs[0]) || IS_ERR(cqs[1]) ? -ENOMEM : 0;
	vector_cpu = vector;
	if (!err)
		err = kverbs_pair_create(&pair, dev, IB_QPT_RC, cqs[0], cqs[1]);
	if (!err)
		err = talk(&pair);
	if (err)
		pr_err("kverbs: vector %d, way to poll %d: %d of %d elsewhere\n", vector, how,
		       atomic_read(&elsewhere), atomic_read(&done));
	kverbs_pair_destroy(&pair, false);
	destroy_cq(cqs[0], how);
	destroy_cq(cqs[1], how);
	return err;
}

int kverbs_vectors(struct ib_device *dev)
{
	static const int ways[] = { IB_POLL_DIRECT, IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE };
	int cpu, err = 0;
	size_t i;

	for_each_online_cpu(cpu) {
		for (i = 0; i < ARRAY_SIZE(ways) && !err; i++)
			err = on_vector(dev, cpu, ways[i]);
	}
	return err;
}
