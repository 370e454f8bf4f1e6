// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters that every packet touches: one set per CPU, summed by the reader. */

#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <rdma/ib_verbs.h>
#include "xrdma.h"

/**
 * xrdma_stats_init - allocate counters, all 0
 * @stats: to initialise
 * @num: how many
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_stats_init(struct xrdma_stats *stats, unsigned int num)
{
	stats->num = num;
	stats->counters = __alloc_percpu(array_size(num, sizeof(u64)),
					 __alignof__(u64));
	return stats->counters ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_GPL(xrdma_stats_init);

/**
 * xrdma_stats_fini - free counters
 * @stats: nobody counts any more
 */
void xrdma_stats_fini(struct xrdma_stats *stats)
{
	free_percpu(stats->counters);
}
EXPORT_SYMBOL_GPL(xrdma_stats_fini);

/**
 * xrdma_stats_read - value of a counter
 * @stats: the set
 * @i: which
 *
 * Context: any. Others may count meanwhile.
 * Return: the sum over all CPUs.
 */
u64 xrdma_stats_read(const struct xrdma_stats *stats, unsigned int i)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats->counters, cpu)[i]);
	return sum;
}
EXPORT_SYMBOL_GPL(xrdma_stats_read);

/**
 * xrdma_stats_fill - what ib_device_ops.get_hw_stats has to do
 * @stats: the counters
 * @hw_stats: gets as many of them as it has room for
 *
 * Return: number of values.
 */
int xrdma_stats_fill(const struct xrdma_stats *stats,
		     struct rdma_hw_stats *hw_stats)
{
	int i, num = min_t(int, stats->num, hw_stats->num_counters);

	for (i = 0; i < num; i++)
		hw_stats->value[i] = xrdma_stats_read(stats, i);
	return num;
}
EXPORT_SYMBOL_GPL(xrdma_stats_fill);
