// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The rate limit of a QP (IB_QP_RATE_LIMIT), which the stock provider does not offer. */

#include <linux/ktime.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include "pair.h"

#define MESSAGES	(KVERBS_DEPTH / 2)
#define KBIT_PER_S	40000U

static int set_limit(struct ib_qp *qp, u32 kbps)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.rate_limit = kbps,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_RATE_LIMIT);
}

/* 1 MiB, message by message. Return: ms, or an error. */
static int send_all(struct kverbs_pair *pair, u64 dma)
{
	struct ib_sge sge = {
		.addr = dma,
		.length = SZ_1M / MESSAGES,
		.lkey = pair->pd->local_dma_lkey,
	};
	union kverbs_wr wr = {
		.wr.opcode = IB_WR_SEND,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
	};
	ktime_t begin = ktime_get();
	struct ib_wc wc;
	int i;

	for (i = 0; i < MESSAGES; i++) {
		expect(!kverbs_recv(pair->qp[1], &sge));
		expect(!kverbs_post(pair->qp[0], &wr));
	}
	for (i = 0; i < MESSAGES; i++) {
		expect(!kverbs_await(pair->cq[0], &wc));
		expect(!wc.status);
		expect(!kverbs_await(pair->cq[1], &wc));
		expect(!wc.status);
	}
	return (int)ktime_ms_delta(ktime_get(), begin);
}

/* Slower than the limit is any machine's right; faster is not. */
static int check_limit(struct kverbs_pair *pair, u64 dma)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int took;

	expect(!set_limit(pair->qp[0], KBIT_PER_S));
	expect(!ib_query_qp(pair->qp[0], &attr, IB_QP_RATE_LIMIT, &init));
	expect(attr.rate_limit == KBIT_PER_S);
	took = send_all(pair, dma);
	if (took < 0)
		return took;
	pr_info("kverbs: 1 MiB at %u kbit/s took %d ms\n", KBIT_PER_S, took);
	expect(took >= (int)(SZ_1M / (KBIT_PER_S / 8) * 9 / 10));
	expect(!set_limit(pair->qp[0], 0));
	took = send_all(pair, dma);
	pr_info("kverbs: 1 MiB without a limit took %d ms\n", took);
	return min(took, 0);
}

int kverbs_rate_limit(struct ib_device *dev)
{
	static const enum ib_qp_type types[] = { IB_QPT_RC, IB_QPT_UC };
	u8 *buf = kmalloc(SZ_1M / MESSAGES, GFP_KERNEL);
	struct kverbs_pair pair = {};
	int err = -ENOMEM;
	size_t i;
	u64 dma;

	if (!buf)
		return err;
	dma = ib_dma_map_single(dev, buf, SZ_1M / MESSAGES, DMA_BIDIRECTIONAL);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		err = kverbs_pair_create(&pair, dev, types[i], NULL, NULL);
		if (err)
			break;
		err = check_limit(&pair, dma);
		kverbs_pair_destroy(&pair, true);
		if (err)
			break;
	}
	ib_dma_unmap_single(dev, dma, SZ_1M / MESSAGES, DMA_BIDIRECTIONAL);
	kfree(buf);
	return err;
}
