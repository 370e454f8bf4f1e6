// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The virtual clock: a heap of events, and the deadlines of both engines.
 */
#include <stdlib.h>
#include <string.h>
#include "sim.h"

#define MAX_TURNS	5000000U

/* splitmix64 */
static u64 rng_next(struct rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

u32 rng_below(struct rng *rng, u32 n)
{
	return n ? (u32)((rng_next(rng) >> 32) * n >> 32) : 0;
}

u32 rng_between(struct rng *rng, u32 lo, u32 hi)
{
	return lo + rng_below(rng, hi - lo + 1);
}

bool rng_chance(struct rng *rng, u32 permille)
{
	return permille && rng_below(rng, 1000) < permille;
}

void world_init(struct world *world, u64 seed)
{
	u32 i;

	memset(world, 0, sizeof(*world));
	world->seed = seed;
	world->rng.state = seed;
	for (i = 0; i < 2; i++) {
		struct node *node = &world->node[i];

		node->world = world;
		node->peer = &world->node[!i];
		node->name = i ? "B" : "A";
		node->failed_at = MAX_OPS;
		node->out.ops = calloc(MAX_OPS, sizeof(*node->out.ops));
	}
}

void world_fini(struct world *world)
{
	u32 i;

	for (i = 0; i < world->n_events; i++)
		free(world->heap[i].packet);
	free(world->heap);
	node_fini(&world->node[0]);
	node_fini(&world->node[1]);
}

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void swap_events(struct event *a, struct event *b)
{
	struct event c = *a;

	*a = *b;
	*b = c;
}

void world_at(struct world *world, u64 delay, enum event_kind kind,
	      struct node *node, struct packet *packet)
{
	struct event *heap;
	u32 i = world->n_events++;

	if (world->n_events > world->max_events) {
		world->max_events = world->n_events * 2;
		world->heap = realloc(world->heap, world->max_events *
						   sizeof(*world->heap));
		if (!world->heap)
			abort();
	}
	heap = world->heap;
	heap[i] = (struct event){
		.at = world->now + delay,
		.order = world->order++,
		.kind = kind,
		.node = node,
		.packet = packet,
	};
	for (; i && is_before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap_events(&heap[i], &heap[(i - 1) / 2]);
}

static struct event pop(struct world *world)
{
	struct event *heap = world->heap;
	struct event first = heap[0];
	u32 n = --world->n_events;
	u32 i = 0;

	heap[0] = heap[n];
	for (;;) {
		u32 child = 2 * i + 1;

		if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (child >= n || !is_before(&heap[child], &heap[i]))
			return first;
		swap_events(&heap[i], &heap[child]);
		i = child;
	}
}

static u64 next_deadline(const struct world *world, struct node **node)
{
	u64 a = node_deadline(&world->node[0]);
	u64 b = node_deadline(&world->node[1]);

	*node = (struct node *)&world->node[b < a];
	return a < b ? a : b;
}

/* Until nothing can happen any more. */
void world_run(struct world *world)
{
	u32 turns = 0;

	for (;;) {
		struct node *node;
		u64 deadline = next_deadline(world, &node);

		if (turns++ > MAX_TURNS)
			sim_fail(world, "no end in sight");
		if (world->n_events && world->heap[0].at <= deadline) {
			struct event event = pop(world);

			world->now = event.at;
			node_event(event.node, &event);
			continue;
		}
		if (deadline == XROCE_NEVER)
			return;
		if (deadline > world->now)
			world->now = deadline;
		node_expire(node);
	}
}
