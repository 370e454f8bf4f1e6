// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of a device, shown by "rdma statistic show" (see stats.h). */
#include <rdma/ib_verbs.h>
#include "qp.h"
#include "stats.h"
#include "trace.h"

/* The order is that of enum xroce_stat. */
#define STAT_NAME(enumerator, text) { .name = text },
static const struct rdma_stat_desc descs[] = {
	XROCE_STATS(STAT_NAME)
	XROCE_DROP_REASONS(STAT_NAME)
};
#undef STAT_NAME

void xroce_count(struct xroce_dev *dev, enum xroce_stat stat, u64 n)
{
	xrdma_stats_add(&dev->stats, stat, n);
}

void xroce_count_drop(struct xroce_dev *dev, enum xroce_drop reason)
{
	if (reason == XROCE_DROP_NONE)
		return;
	xroce_count(dev, XROCE_STAT_DROP + reason - 1, 1);
	trace_xroce_drop(dev->ibdev.index, 0, reason);
}

void xroce_qp_count(const struct xroce_qp *qp, enum xroce_stat stat, u64 n)
{
	struct xroce_dev *dev = xroce_qp_dev(qp);
	struct xroce_counter *counter;

	xroce_count(dev, stat, n);
	if (likely(!rcu_access_pointer(qp->counter)))
		return;
	rcu_read_lock();
	counter = rcu_dereference(qp->counter);
	if (counter) {
		xrdma_stats_add(&counter->stats, stat, n);
		xrdma_stats_add(&dev->bound, stat, n);
	}
	rcu_read_unlock();
}

void xroce_qp_count_drop(const struct xroce_qp *qp, enum xroce_drop reason)
{
	if (reason == XROCE_DROP_NONE)
		return;
	xroce_qp_count(qp, XROCE_STAT_DROP + reason - 1, 1);
	trace_xroce_drop(qp->ibqp.device->index, qp->ibqp.qp_num, reason);
}

void xroce_qp_count_lost(const struct xroce_qp *qp, enum xroce_stat stat, u32 n)
{
	xroce_qp_count(qp, stat, n);
	trace_xroce_lost(qp->ibqp.device->index, qp->ibqp.qp_num, stat, n);
}

struct rdma_hw_stats *xroce_alloc_hw_port_stats(struct ib_device *ibdev,
						u32 port_num)
{
	BUILD_BUG_ON(ARRAY_SIZE(descs) != XROCE_STAT_COUNT);
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int xroce_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port_num, int index)
{
	struct xroce_dev *dev = to_xroce_dev(ibdev);
	int i, num;

	/* No port: statistics of the device as a whole, there are none. */
	if (!port_num)
		return -EINVAL;
	/* The core adds those of the counters of QPs. Read first, what is less. */
	num = xrdma_stats_fill(&dev->bound, stats);
	for (i = 0; i < num; i++)
		stats->value[i] = xrdma_stats_read(&dev->stats, i) -
				  stats->value[i];
	return num;
}
