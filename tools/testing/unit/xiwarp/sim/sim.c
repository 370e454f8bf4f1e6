// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random runs by seed.
 *
 *   sim             1000 seeds with sanitizers, else 10000
 *   sim SEED        this seed, with its events shown
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
	test_fail("sim %llu: %s", (unsigned long long)world->seed, text);
}

void sim_trace(const struct world *world, const char *fmt, ...)
{
	va_list args;

	if (!world->is_traced)
		return;
	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

/* How much TCP hands over: a byte, something, all there is. */
static u32 pick_bytes(struct rng *rng)
{
	switch (rng_below(rng, 4)) {
	case 0:
		return 1;
	case 1:
		return 1 + rng_below(rng, 20);
	case 2:
		return 1 + rng_below(rng, 3000);
	default:
		return ~0U;
	}
}

static void random_turn(struct world *world)
{
	struct rng *rng = &world->rng;
	struct node *node = &world->node[rng_below(rng, 2)];

	switch (rng_below(rng, 8)) {
	case 0:
	case 1:
		node_post(node);
		break;
	case 2:
		node_sent(node);
		break;
	case 3:
		xiwarp_rdmap_set_mulpdu(&node->s, 100 + rng_below(rng, 3000));
		break;
	case 4:
	case 5:
		node_output(node, rng_below(rng, 5000));
		break;
	default:
		node_input(node, pick_bytes(rng));
	}
}

/* Everything that can happen does. Return: whether anything did. */
static bool settle(struct node *node)
{
	u32 reaped = node->reaped;
	bool is_busy = node_post(node);

	is_busy |= node_output(node, ~0U);
	is_busy |= node_sent(node);
	is_busy |= node_input(node, ~0U);
	return is_busy || node->reaped != reaped;
}

struct totals {
	unsigned long long ops, fpdus, bytes, marked, crc, failed, refused;
};

static void add_up(struct totals *sum, const struct world *world)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct node *node = &world->node[i];

		sum->ops += node->reaped;
		sum->fpdus += node->fpdus;
		sum->bytes += node->pipe.in;
		sum->marked += node->agreed.tx_markers;
		sum->crc += node->agreed.crc;
		sum->failed += node->fault != 0;
	}
}

static void play(struct world *world)
{
	u32 turns = 200 + rng_below(&world->rng, 2000);

	node_start(&world->node[0]);
	node_start(&world->node[1]);
	while (turns--)
		random_turn(world);
	while (settle(&world->node[0]) | settle(&world->node[1]))
		;
	node_check_end(&world->node[0]);
	node_check_end(&world->node[1]);
}

static void run_seed(u64 seed, bool is_traced, struct totals *sum)
{
	static struct world world;
	u32 i;

	memset(&world, 0, sizeof(world));
	world.seed = seed;
	world.rng.state = seed * 0x9e3779b97f4a7c15ULL + 1;
	world.is_traced = is_traced;
	for (i = 0; i < 2; i++) {
		world.node[i].world = &world;
		world.node[i].peer = &world.node[!i];
	}
	workload_random(&world);
	if (node_connect(&world.node[0], &world.node[1])) {
		play(&world);
		add_up(sum, &world);
	} else {
		sum->refused++;
	}
	node_fini(&world.node[0]);
	node_fini(&world.node[1]);
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
	printf("# %llu ops in %llu FPDUs, %llu bytes; %llu streams marked, %llu with CRC\n",
	       sum.ops, sum.fpdus, sum.bytes, sum.marked, sum.crc);
	printf("# %llu streams failed, %llu startups refused\n", sum.failed, sum.refused);
	/* a simulator that never gets anywhere would find nothing */
	CHECK(n < 100 || (sum.failed && sum.refused && sum.marked && sum.crc));
	CHECK(n < 100 || sum.refused < n / 4);
}
