// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A pair of connected QPs (see pair.h). */

#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "pair.h"

#define PORT		1
#define PATIENCE	(20 * HZ)

/* ---- connecting -------------------------------------------------------------------- */

/* To the device itself, by its RoCEv2 GID of an IPv4 address. */
static int fill_ah_attr(struct ib_device *dev, struct rdma_ah_attr *ah)
{
	const struct ib_gid_attr *gid;
	int i, err;

	for (i = 0; i < 64; i++) {
		gid = rdma_get_gid_attr(dev, PORT, i);
		if (IS_ERR(gid))
			continue;
		if (gid->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((struct in6_addr *)gid->gid.raw))
			break;
		rdma_put_gid_attr(gid);
	}
	if (i == 64)
		return -ENOENT;
	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(ah, PORT);
	rdma_ah_set_grh(ah, (union ib_gid *)gid->gid.raw, 0, i, 64, 0);
	err = rdma_read_gid_l2_fields(gid, NULL, ah->roce.dmac);
	rdma_put_gid_attr(gid);
	return err;
}

static int to_init(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = PORT,
		.qkey = KVERBS_QKEY,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			    (qp->qp_type == IB_QPT_UD ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS));
}

static int to_rtr(struct ib_qp *qp, u32 peer)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = peer,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
	};
	int mask = IB_QP_STATE, err;

	if (qp->qp_type == IB_QPT_UD)
		return ib_modify_qp(qp, &attr, mask);
	err = fill_ah_attr(qp->device, &attr.ah_attr);
	if (err)
		return err;
	mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(qp, &attr, mask);
}

static int to_rts(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp, &attr, mask);
}

static int connect(struct kverbs_pair *pair)
{
	int i, err = 0;

	for (i = 0; i < 2 && !err; i++)
		err = to_init(pair->qp[i]);
	for (i = 0; i < 2 && !err; i++)
		err = to_rtr(pair->qp[i], pair->qp[!i]->qp_num);
	for (i = 0; i < 2 && !err; i++)
		err = to_rts(pair->qp[i]);
	return err;
}

/* ---- life -------------------------------------------------------------------------- */

static int create_qps(struct kverbs_pair *pair, enum ib_qp_type type)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct ib_qp_init_attr attr = {
			.send_cq = pair->cq[i],
			.recv_cq = pair->cq[i],
			.qp_type = type,
			.sq_sig_type = IB_SIGNAL_ALL_WR,
			.cap = {
				.max_send_wr = KVERBS_DEPTH / 2,
				.max_recv_wr = KVERBS_DEPTH / 2,
				.max_send_sge = 4,
				.max_recv_sge = 4,
				.max_inline_data = kverbs_max_inline(pair->dev),
			},
		};
		struct ib_qp *qp = ib_create_qp(pair->pd, &attr);

		if (IS_ERR(qp))
			return PTR_ERR(qp);
		pair->qp[i] = qp;
	}
	return 0;
}

static int create_ah(struct kverbs_pair *pair)
{
	struct rdma_ah_attr attr = {};
	struct ib_ah *ah;
	int err;

	err = fill_ah_attr(pair->dev, &attr);
	if (err)
		return err;
	ah = rdma_create_ah(pair->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	pair->ah = ah;
	return 0;
}

static int create_all(struct kverbs_pair *pair, enum ib_qp_type type)
{
	int i, err;

	for (i = 0; i < 2; i++) {
		if (!pair->cq[i]) {
			struct ib_cq *cq = ib_alloc_cq(pair->dev, NULL, KVERBS_DEPTH, 0,
						       IB_POLL_DIRECT);

			if (IS_ERR(cq))
				return PTR_ERR(cq);
			pair->cq[i] = cq;
		}
	}
	err = create_qps(pair, type);
	if (!err && type == IB_QPT_UD)
		err = create_ah(pair);
	if (err)
		return err;
	return kverbs_is_iwarp(pair->dev) ? kverbs_connect(pair) : connect(pair);
}

int kverbs_pair_create(struct kverbs_pair *pair, struct ib_device *dev,
		       enum ib_qp_type type, struct ib_cq *cq0, struct ib_cq *cq1)
{
	struct ib_pd *pd = ib_alloc_pd(dev, 0);
	int err;

	*pair = (struct kverbs_pair){ .dev = dev, .cq = { cq0, cq1 } };
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	pair->pd = pd;
	err = create_all(pair, type);
	if (err) {
		pr_err("kverbs: no pair of QPs of type %d: %d\n", type, err);
		kverbs_pair_destroy(pair, !cq0);
	}
	return err;
}

void kverbs_pair_destroy(struct kverbs_pair *pair, bool own_cqs)
{
	int i;

	kverbs_disconnect(pair);
	for (i = 0; i < 2; i++) {
		if (pair->qp[i])
			ib_destroy_qp(pair->qp[i]);
	}
	for (i = 0; i < 2 && own_cqs; i++) {
		if (pair->cq[i])
			ib_free_cq(pair->cq[i]);
	}
	if (pair->ah)
		rdma_destroy_ah(pair->ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (pair->pd)
		ib_dealloc_pd(pair->pd);
	*pair = (struct kverbs_pair){};
}

/* ---- talking ----------------------------------------------------------------------- */

static size_t size_of(const struct ib_qp *qp, enum ib_wr_opcode opcode)
{
	if (qp->qp_type == IB_QPT_UD)
		return sizeof(struct ib_ud_wr);
	switch (opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		return sizeof(struct ib_send_wr);
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		return sizeof(struct ib_rdma_wr);
	case IB_WR_REG_MR:
		return sizeof(struct ib_reg_wr);
	default:
		return sizeof(struct ib_atomic_wr);
	}
}

int kverbs_post(struct ib_qp *qp, const union kverbs_wr *wr)
{
	struct ib_send_wr *copy;
	int err;

	copy = kmemdup(wr, size_of(qp, wr->wr.opcode), GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	err = ib_post_send(qp, copy, NULL);
	kfree(copy);
	return err;
}

int kverbs_await(struct ib_cq *cq, struct ib_wc *wc)
{
	unsigned long end = jiffies + PATIENCE;

	while (!ib_poll_cq(cq, 1, wc)) {
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		usleep_range(50, 200);
	}
	return 0;
}

int kverbs_do(struct kverbs_pair *pair, int side, const union kverbs_wr *wr)
{
	struct ib_wc wc;
	int err;

	err = kverbs_post(pair->qp[side], wr);
	if (!err)
		err = kverbs_await(pair->cq[side], &wc);
	return err ?: wc.status;
}

int kverbs_recv(struct ib_qp *qp, struct ib_sge *sge)
{
	struct ib_recv_wr wr = {
		.sg_list = sge,
		.num_sge = 1,
	};

	return ib_post_recv(qp, &wr, NULL);
}
