// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Cases of what is posted: inline data, every opcode, drains. */

#include <linux/atomic.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include "pair.h"

/* ---- inline data ------------------------------------------------------------------- */

/* Of three pieces, which are overwritten as soon as they are posted. */
static int send_inline(struct kverbs_pair *pair, u8 *sent, u8 *received, u64 dma, u32 len)
{
	struct ib_sge target = {
		.addr = dma,
		.length = KVERBS_INLINE,
		.lkey = pair->pd->local_dma_lkey,
	};
	struct ib_sge sges[3] = {
		{ .addr = (uintptr_t)sent, .length = len / 3 },
		{ .addr = (uintptr_t)sent + len / 3, .length = len / 3 },
		{ .addr = (uintptr_t)sent + len / 3 * 2, .length = len - len / 3 * 2 },
	};
	union kverbs_wr wr = {
		.wr.opcode = IB_WR_SEND,
		.wr.send_flags = IB_SEND_INLINE,
		.wr.sg_list = sges,
		.wr.num_sge = 3,
	};
	u8 *copy = sent + KVERBS_INLINE;
	struct ib_wc wc;

	get_random_bytes(sent, len);
	memcpy(copy, sent, len);
	expect(!kverbs_recv(pair->qp[1], &target));
	expect(!kverbs_post(pair->qp[0], &wr));
	memset(sent, 0xff, len);
	expect(!kverbs_await(pair->cq[0], &wc));
	expect(!wc.status);
	expect(!kverbs_await(pair->cq[1], &wc));
	expect(!wc.status && wc.byte_len == len);
	expect(!memcmp(received, copy, len));
	return 0;
}

int kverbs_inline_data(struct ib_device *dev)
{
	static const u32 lens[] = { 0, 1, 3, 63, 64, 65, 200, 511, KVERBS_INLINE };
	u8 *sent = kmalloc(2 * KVERBS_INLINE, GFP_KERNEL);
	u8 *received = kmalloc(KVERBS_INLINE, GFP_KERNEL);
	struct kverbs_pair pair = {};
	int err = -ENOMEM;
	size_t i;
	u64 dma;

	if (!sent || !received)
		goto out;
	err = kverbs_pair_create(&pair, dev, IB_QPT_RC, NULL, NULL);
	if (err)
		goto out;
	dma = ib_dma_map_single(dev, received, KVERBS_INLINE, DMA_FROM_DEVICE);
	for (i = 0; i < ARRAY_SIZE(lens) && lens[i] <= kverbs_max_inline(dev) && !err; i++)
		err = send_inline(&pair, sent, received, dma, lens[i]);
	ib_dma_unmap_single(dev, dma, KVERBS_INLINE, DMA_FROM_DEVICE);
out:
	kverbs_pair_destroy(&pair, true);
	kfree(sent);
	kfree(received);
	return err;
}

/* ---- every opcode ------------------------------------------------------------------ */

/* Those of struct ib_ud_wr have its AH where others have an address. */
static union kverbs_wr empty_wr(const struct kverbs_pair *pair, struct ib_mr *mr,
				enum ib_wr_opcode opcode)
{
	union kverbs_wr wr = {};

	if (pair->ah) {
		wr.ud.ah = pair->ah;
		wr.ud.remote_qpn = pair->qp[1]->qp_num;
		wr.ud.remote_qkey = KVERBS_QKEY;
	} else if (opcode == IB_WR_REG_MR) {
		wr.reg.mr = mr;
		wr.reg.key = mr->rkey;
	}
	wr.wr.opcode = opcode;
	return wr;
}

/* It is refused, or it completes somehow. */
static int post_opcode(struct kverbs_pair *pair, struct ib_mr *mr, int opcode)
{
	union kverbs_wr wr = empty_wr(pair, mr, opcode);
	struct ib_wc wc;
	int err;

	err = kverbs_post(pair->qp[0], &wr);
	if (!err)
		err = kverbs_await(pair->cq[0], &wc) ? : -wc.status;
	if (err == -ETIMEDOUT)
		pr_err("kverbs: opcode %#x does not complete\n", opcode);
	return err == -ETIMEDOUT ? err : 0;
}

static int try_opcode(struct ib_device *dev, enum ib_qp_type type, int opcode)
{
	struct kverbs_pair pair;
	struct ib_mr *mr;
	int err;

	err = kverbs_pair_create(&pair, dev, type, NULL, NULL);
	if (err)
		return err;
	mr = ib_alloc_mr(pair.pd, IB_MR_TYPE_MEM_REG, 1);
	err = PTR_ERR_OR_ZERO(mr);
	if (!err) {
		struct ib_sge none = {};

		/* For those that want a receive request. */
		err = kverbs_recv(pair.qp[1], &none) ? : post_opcode(&pair, mr, opcode);
		ib_dereg_mr(mr);
	}
	kverbs_pair_destroy(&pair, true);
	return err;
}

int kverbs_opcodes(struct ib_device *dev)
{
	static const enum ib_qp_type types[] = { IB_QPT_RC, IB_QPT_UC, IB_QPT_UD };
	int opcode, err = 0;
	size_t i;

	/* iWARP has the first alone. */
	for (i = 0; i < (kverbs_is_iwarp(dev) ? 1 : ARRAY_SIZE(types)) && !err; i++) {
		for (opcode = 0; opcode <= IB_WR_REG_MR + 2 && !err; opcode++)
			err = try_opcode(dev, types[i], opcode);
		for (opcode = IB_WR_RESERVED1 - 1; opcode <= 0x101 && !err; opcode++)
			err = try_opcode(dev, types[i], opcode);
		if (err)
			pr_err("kverbs: QP type %d: %d\n", types[i], err);
	}
	return err;
}

/* ---- drains ------------------------------------------------------------------------ */

static atomic_t drained;

static void count_drained(struct ib_cq *cq, struct ib_wc *wc)
{
	atomic_inc(&drained);
}

static struct ib_cqe drained_cqe = { .done = count_drained };

/* Nobody receives what is sent, so all of it waits. */
static int drain(struct kverbs_pair *pair)
{
	struct ib_send_wr send = { .wr_cqe = &drained_cqe, .opcode = IB_WR_SEND };
	struct ib_recv_wr recv = { .wr_cqe = &drained_cqe };
	int i;

	atomic_set(&drained, 0);
	for (i = 0; i < 10; i++) {
		expect(!ib_post_recv(pair->qp[0], &recv, NULL));
		expect(!ib_post_send(pair->qp[0], &send, NULL));
	}
	ib_drain_qp(pair->qp[0]);
	expect(atomic_read(&drained) == 20);
	/* And once more, in ERR. */
	expect(!ib_post_recv(pair->qp[0], &recv, NULL));
	expect(!ib_post_send(pair->qp[0], &send, NULL));
	ib_drain_qp(pair->qp[0]);
	expect(atomic_read(&drained) == 22);
	return 0;
}

int kverbs_drain(struct ib_device *dev)
{
	struct kverbs_pair pair;
	int err;

	err = kverbs_pair_create(&pair, dev, IB_QPT_RC, NULL, NULL);
	if (!err)
		err = drain(&pair);
	kverbs_pair_destroy(&pair, true);
	return err;
}
