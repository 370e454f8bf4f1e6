// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random runs by seed, and scenarios with names.
 *
 *   sim             10000 seeds (1000 with sanitizers) and all scenarios
 *   sim SEED        this seed, with every packet shown
 *   sim FIRST N     N seeds
 */
#include <stdarg.h>
#include "sim.h"
#include "test.h"

#ifdef __SANITIZE_ADDRESS__
#define SEEDS	1000U
#else
#define SEEDS	10000U
#endif

void sim_fail(const struct world *world, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	test_fail("sim %llu, at %llu ns: %s", (unsigned long long)world->seed,
		  (unsigned long long)world->now, text);
}

void sim_trace(const struct world *world, const char *fmt, ...)
{
	va_list args;

	if (!world->is_traced)
		return;
	printf("# %9llu ", (unsigned long long)world->now);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static void play(struct world *world)
{
	node_start(&world->node[0]);
	node_start(&world->node[1]);
	world_run(world);
	node_check_end(&world->node[0]);
	node_check_end(&world->node[1]);
}

struct totals {
	unsigned long long pkts, lost, resent, timeouts, seq_naks, implied_naks,
			   rnr_naks, failed, ops;
};

static void add_up(struct totals *sum, const struct world *world)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct node *node = &world->node[i];
		const struct xroce_req_stats *stats = &node->req.stats;

		sum->pkts += node->sent_pkts;
		sum->lost += world->link[i].lost + world->link[i].damaged;
		sum->resent += stats->resent;
		sum->timeouts += stats->timeouts;
		sum->seq_naks += stats->seq_naks;
		sum->implied_naks += stats->implied_naks;
		sum->rnr_naks += stats->rnr_naks;
		sum->failed += node->failed_at != MAX_OPS;
		sum->ops += node->out.n_ops;
	}
}

static void run_seed(u64 seed, bool is_traced, struct totals *sum)
{
	static struct world world;

	world_init(&world, seed);
	world.is_traced = is_traced;
	workload_random(&world);
	play(&world);
	add_up(sum, &world);
	world_fini(&world);
}

TEST(sim__seeds)
{
	u64 seed = test_argc > 1 ? strtoull(test_argv[1], NULL, 0) : 0;
	u64 n = test_argc > 2 ? strtoull(test_argv[2], NULL, 0) :
		test_argc > 1 ? 1 : SEEDS;
	struct totals sum = { 0 };
	u64 i;

	for (i = 0; i < n; i++)
		run_seed(seed + i, test_argc == 2, &sum);
	printf("# %llu ops, %llu packets (%llu lost or damaged, %llu resent); %llu timeouts, %llu sequence, %llu implied, %llu RNR NAKs; %llu QPs failed\n",
	       sum.ops, sum.pkts, sum.lost, sum.resent, sum.timeouts,
	       sum.seq_naks, sum.implied_naks, sum.rnr_naks, sum.failed);
}
