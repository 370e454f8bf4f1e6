// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of a device, shown by "rdma statistic show" (see stats.h). */
#include <rdma/ib_verbs.h>
#include "device.h"
#include "stats.h"

/* The order is that of enum xiwarp_stat. */
#define STAT_NAME(enumerator, text) { .name = text },
static const struct rdma_stat_desc descs[] = {
	XIWARP_STATS(STAT_NAME)
	XIWARP_FAULT_LIST(STAT_NAME)
};
#undef STAT_NAME

void xiwarp_count(struct xiwarp_dev *dev, enum xiwarp_stat stat, u64 n)
{
	xrdma_stats_add(&dev->stats, stat, n);
}

struct rdma_hw_stats *xiwarp_alloc_hw_port_stats(struct ib_device *ibdev,
						 u32 port_num)
{
	BUILD_BUG_ON(ARRAY_SIZE(descs) != XIWARP_STAT_COUNT);
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int xiwarp_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			u32 port_num, int index)
{
	/* No port: statistics of the device as a whole, there are none. */
	if (!port_num)
		return -EINVAL;
	return xrdma_stats_fill(&to_xiwarp_dev(ibdev)->stats, stats);
}
