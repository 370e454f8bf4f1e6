// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The case of a CQ that changes its size. */

#include "pair.h"

#define REQUESTS	10

/* For the peer there is nothing in them. */
static int post_writes(struct kverbs_pair *pair)
{
	union kverbs_wr wr = { .wr.opcode = IB_WR_RDMA_WRITE };
	int i;

	for (i = 0; i < REQUESTS; i++) {
		wr.wr.wr_id = i;
		expect(!kverbs_post(pair->qp[0], &wr));
	}
	return 0;
}

static int resize(struct kverbs_pair *pair)
{
	struct ib_cq *cq = pair->cq[0];
	struct ib_wc wc;
	int i;

	expect(ib_resize_cq(cq, 0) == -EINVAL);
	expect(!post_writes(pair));
	/* Some or all of them have completed. */
	expect(!ib_resize_cq(cq, 4 * KVERBS_DEPTH) && cq->cqe >= 4 * KVERBS_DEPTH);
	expect(!ib_resize_cq(cq, 2 * REQUESTS) && cq->cqe >= 2 * REQUESTS);
	for (i = 0; i < REQUESTS; i++)
		expect(!kverbs_await(cq, &wc) && !wc.status && wc.wr_id == i);
	expect(!ib_poll_cq(cq, 1, &wc));
	return 0;
}

int kverbs_resize(struct ib_device *dev)
{
	struct kverbs_pair pair;
	int err;

	err = kverbs_pair_create(&pair, dev, IB_QPT_RC, NULL, NULL);
	if (!err && ib_resize_cq(pair.cq[0], KVERBS_DEPTH) == -EOPNOTSUPP)
		err = -EOPNOTSUPP;
	if (!err)
		err = resize(&pair);
	kverbs_pair_destroy(&pair, true);
	return err;
}
