// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of a device, shown by "rdma statistic show" (see stats.h). */
#include <rdma/ib_verbs.h>
#include "device.h"
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
	trace_xroce_drop(dev->ibdev.index, reason);
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
	/* No port: statistics of the device as a whole, there are none. */
	if (!port_num)
		return -EINVAL;
	return xrdma_stats_fill(&to_xroce_dev(ibdev)->stats, stats);
}
