/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two QPs of one device, connected with each other, as a user in the kernel has them;
 * and what cases need to talk by them.
 */
#ifndef KVERBS_PAIR_H
#define KVERBS_PAIR_H

#include <linux/printk.h>
#include <rdma/ib_verbs.h>

#define KVERBS_DEPTH	64
#define KVERBS_INLINE		512
#define KVERBS_IW_INLINE	64	/* over iWARP */

/* In a case: end it, and say why in the log. */
#define expect(what)							\
	do {								\
		if (!(what)) {						\
			pr_err("kverbs: %s:%d: not so: %s\n",		\
			       __func__, __LINE__, #what);		\
			return -EIO;					\
		}							\
	} while (0)

/**
 * struct kverbs_pair - both ends
 * @dev: device
 * @pd: protection domain
 * @cq: of each QP, polled by the case
 * @qp: QPs
 * @ah: to the device itself, for UD
 * @link: iWARP: the connection
 */
struct kverbs_pair {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq[2];
	struct ib_qp *qp[2];
	struct ib_ah *ah;
	struct kverbs_link *link;
};

/**
 * union kverbs_wr - any work request
 *
 * All begin with a struct ib_send_wr.
 */
union kverbs_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct ib_ud_wr ud;
	struct ib_reg_wr reg;
};

#define KVERBS_QKEY	0x11111111

/* Process context, may sleep; so are all of these. Return: 0 or an error. */
int kverbs_pair_create(struct kverbs_pair *pair, struct ib_device *dev,
		       enum ib_qp_type type, struct ib_cq *cq0, struct ib_cq *cq1);

/* CQs that were not made by kverbs_pair_create() stay. Of a pair of zeroes, too. */
void kverbs_pair_destroy(struct kverbs_pair *pair, bool own_cqs);

/* connect.c: by rdma_cm. Give up, and after kverbs_disconnect() the QPs are alone. */
int kverbs_connect(struct kverbs_pair *pair);
void kverbs_disconnect(struct kverbs_pair *pair);

static inline bool kverbs_is_iwarp(struct ib_device *dev)
{
	return rdma_protocol_iwarp(dev, 1);
}

/* The most inline data that pairs have. */
static inline u32 kverbs_max_inline(struct ib_device *dev)
{
	return kverbs_is_iwarp(dev) ? KVERBS_IW_INLINE : KVERBS_INLINE;
}

/* Post a copy that is as large as its opcode has it and not a byte larger. */
int kverbs_post(struct ib_qp *qp, const union kverbs_wr *wr);

/* Wait for a completion and take it. -ETIMEDOUT after some seconds. */
int kverbs_await(struct ib_cq *cq, struct ib_wc *wc);

/* Post and wait. Return: the status of the completion or an error. */
int kverbs_do(struct kverbs_pair *pair, int side, const union kverbs_wr *wr);

/* Post a receive request of one SGE. */
int kverbs_recv(struct ib_qp *qp, struct ib_sge *sge);

/* The cases. */
int kverbs_page_sizes(struct ib_device *dev);
int kverbs_gaps(struct ib_device *dev);
int kverbs_limits(struct ib_device *dev);
int kverbs_invalidation(struct ib_device *dev);
int kverbs_read_with_invalidation(struct ib_device *dev);
int kverbs_inline_data(struct ib_device *dev);
int kverbs_opcodes(struct ib_device *dev);
int kverbs_drain(struct ib_device *dev);
int kverbs_vectors(struct ib_device *dev);
int kverbs_moderation(struct ib_device *dev);
int kverbs_rate_limit(struct ib_device *dev);
/* -EOPNOTSUPP if kernel or device have no call for it. */
int kverbs_resize(struct ib_device *dev);

#endif
