// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of single QPs (see counter.h). The core's lock of the counter is held. */
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include "counter.h"
#include "qp.h"
#include "stats.h"

static struct xroce_counter *find(const struct rdma_counter *counter)
{
	struct xroce_dev *dev = to_xroce_dev(counter->device);

	return counter->id ? xa_load(&dev->counters, counter->id) : NULL;
}

/* Ours, by a number that the core shows as that of the counter. */
static struct xroce_counter *create(struct rdma_counter *counter)
{
	struct xroce_dev *dev = to_xroce_dev(counter->device);
	struct xroce_counter *own;
	int err;

	own = kzalloc_obj(*own, GFP_KERNEL);
	if (!own)
		return ERR_PTR(-ENOMEM);
	err = xrdma_stats_init(&own->stats, XROCE_STAT_COUNT);
	if (err)
		goto free;
	/* Not a number just given back: the core lets go of it later than we do. */
	err = xa_alloc_cyclic(&dev->counters, &counter->id, own, xa_limit_31b,
			      &dev->next_counter, GFP_KERNEL);
	if (err < 0)
		goto fini;
	return own;

fini:
	xrdma_stats_fini(&own->stats);
free:
	kfree(own);
	return ERR_PTR(err);
}

int xroce_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp,
			  u32 port)
{
	struct xroce_counter *own = find(counter);

	if (!own) {
		own = create(counter);
		if (IS_ERR(own))
			return PTR_ERR(own);
	}
	rcu_assign_pointer(to_xroce_qp(ibqp)->counter, own);
	ibqp->counter = counter;
	return 0;
}

int xroce_counter_unbind_qp(struct ib_qp *ibqp, u32 port)
{
	RCU_INIT_POINTER(to_xroce_qp(ibqp)->counter, NULL);
	ibqp->counter = NULL;
	return 0;
}

int xroce_counter_dealloc(struct rdma_counter *counter)
{
	struct xroce_dev *dev = to_xroce_dev(counter->device);
	struct xroce_counter *own = find(counter);

	if (!own)
		return 0;
	xa_erase(&dev->counters, counter->id);
	/* QPs that were just unbound may be counting. */
	synchronize_rcu();
	xrdma_stats_fini(&own->stats);
	kfree(own);
	return 0;
}

struct rdma_hw_stats *xroce_counter_alloc_stats(struct rdma_counter *counter)
{
	return xroce_alloc_hw_port_stats(counter->device, counter->port);
}

int xroce_counter_update_stats(struct rdma_counter *counter)
{
	struct xroce_counter *own = find(counter);

	if (own)
		xrdma_stats_fill(&own->stats, counter->stats);
	return 0;
}
