/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Counters of single QPs: what "rdma statistic qp" binds them to. */
#ifndef XROCE_COUNTER_H
#define XROCE_COUNTER_H

#include <linux/rcupdate.h>
#include "xrdma.h"

struct ib_qp;
struct rdma_counter;

/**
 * struct xroce_counter - what some QPs did
 * @stats: enum xroce_stat
 */
struct xroce_counter {
	struct xrdma_stats stats;
};

/*
 * ib_device_ops. A counter has our part from its first QP until it is freed; what a
 * QP does in between is counted there, and so missing in the port's own statistics,
 * to which the verbs core adds it again.
 */
int xroce_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp,
			  u32 port);
int xroce_counter_unbind_qp(struct ib_qp *ibqp, u32 port);
int xroce_counter_dealloc(struct rdma_counter *counter);
struct rdma_hw_stats *xroce_counter_alloc_stats(struct rdma_counter *counter);
int xroce_counter_update_stats(struct rdma_counter *counter);

#endif
