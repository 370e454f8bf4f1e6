// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From a seed to parameters and requests.
 */
#include <stdlib.h>
#include <string.h>
#include "sim.h"

u32 rng_below(struct rng *rng, u32 n)
{
	rng->state = rng->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)((rng->state >> 32) * n >> 32);
}

bool rng_chance(struct rng *rng, u32 permille)
{
	return rng_below(rng, 1000) < permille;
}

static void fill(struct rng *rng, u8 *p, u32 len)
{
	while (len--)
		*p++ = (u8)rng_below(rng, 256);
}

static u32 pick_len(struct rng *rng)
{
	static const u32 near[] = { 110, 114, 128, 512, 1024, 1442, 4096 };
	u32 len;

	switch (rng_below(rng, 8)) {
	case 0:
		return 0;
	case 1:
	case 2:
		len = near[rng_below(rng, 7)] + rng_below(rng, 5) - 2;
		return len < AREA_BYTES ? len : AREA_BYTES;
	case 3:
		return rng_below(rng, AREA_BYTES + 1);
	default:
		return rng_below(rng, 300);
	}
}

/*
 * READs look at constant bytes; or at what was written before, and then the next
 * request is fenced, for later Writes may overtake them (RFC 5040 5.5).
 */
static void pick_place(struct rng *rng, struct op *op, bool *must_fence)
{
	u32 room = AREA_BYTES - op->len;

	op->src = rng_below(rng, room + 1);
	op->at = rng_below(rng, room + 1);
	if (op->op == XIWARP_WR_READ || op->op == XIWARP_WR_READ_INV) {
		if (rng_chance(rng, 500))
			op->at += AREA_BYTES;
		else
			*must_fence = true;
	}
	if (op->op == XIWARP_WR_CMP_SWAP || op->op == XIWARP_WR_FETCH_ADD) {
		op->len = 8;
		op->at = 2 * AREA_BYTES + 8 * rng_below(rng, COUNTERS);
		op->compare = rng_below(rng, 3);
		op->swap_add = rng_below(rng, 3);
	}
}

static void add_op(struct node *node, bool *must_fence)
{
	struct rng *rng = &node->world->rng;
	struct model *model = &node->out;
	struct op *op = &model->ops[model->n_ops++];

	op->op = (u8)rng_below(rng, XIWARP_WR_OPS);
	if (rng_chance(rng, 300))
		op->op = XIWARP_WR_SEND;
	op->flags = XIWARP_WR_SIGNALED;
	if (*must_fence || rng_chance(rng, 50))
		op->flags |= XIWARP_WR_FENCE;
	*must_fence = false;
	if (rng_chance(rng, 300))
		op->flags |= XIWARP_WR_SOLICITED;
	op->len = op->op >= XIWARP_WR_LOCAL_INV ? 0 : pick_len(rng);
	op->imm = rng_below(rng, ~0U);
	op->inv = rng_below(rng, ~0U);
	pick_place(rng, op, must_fence);
	if (op_is_rd(op)) {
		op->got = calloc(1, op->len + 1);
		op->want = calloc(1, op->len + 1);
	}
}

static bool can_be_poisoned(const struct op *op, u8 poison)
{
	switch (poison) {
	case POISON_WRITE:
	case POISON_WRITE_RANGE:
		return op->op == XIWARP_WR_WRITE && op->len;
	case POISON_READ:
		return op_is_rd(op) && op->len;
	case POISON_TOO_LONG:
		return (op->op == XIWARP_WR_SEND || op->op == XIWARP_WR_SEND_INV) &&
		       op->len;
	case POISON_RECV_KEY:
	case POISON_SOURCE:
		return op->op == XIWARP_WR_SEND && op->len;
	case POISON_NO_RECV:
		return op->op == XIWARP_WR_SEND;
	case POISON_INVALIDATE:
		return op->op == XIWARP_WR_SEND_INV;
	case POISON_SINK:
		return op->op == XIWARP_WR_READ && op->len;
	case POISON_LOCAL:
		return op->op >= XIWARP_WR_LOCAL_INV;
	case POISON_AT_POST:
		return true;
	}
	return false;
}

static void poison(struct node *node)
{
	struct rng *rng = &node->world->rng;
	struct model *model = &node->out;
	u8 kind = (u8)(1 + rng_below(rng, POISONS - 1));
	u32 i = rng_below(rng, model->n_ops), n;

	if (kind == POISON_DAMAGE) {
		node->pipe.damage_at = rng_below(rng, 20000);
		return;
	}
	for (n = 0; n < model->n_ops; n++, i = (i + 1) % model->n_ops) {
		if (!can_be_poisoned(&model->ops[i], kind))
			continue;
		model->ops[i].poison = kind;
		model->bad_op = i;
		return;
	}
}

static void pick_policy(struct rng *rng, struct xiwarp_mpa_policy *policy)
{
	policy->revision = rng_chance(rng, 800) ? 2 : 1;
	policy->markers = rng_chance(rng, 300);
	policy->crc = rng_chance(rng, 400);
	policy->is_peer_to_peer = rng_chance(rng, 500);
	policy->is_soft = rng_chance(rng, 500);
	policy->rtr = (u8)(1 + rng_below(rng, XIWARP_RTR_ALL));
	policy->ird = (u16)(1 + rng_below(rng, MAX_IRD));
	policy->ord = (u16)(1 + rng_below(rng, MAX_IRD));
	policy->max_ird = MAX_IRD;
}

static void setup(struct node *node)
{
	struct rng *rng = &node->world->rng;
	u32 i, n = 1 + rng_below(rng, MAX_OPS);
	bool must_fence = false;

	pick_policy(rng, &node->policy);
	fill(rng, node->out.source, AREA_BYTES);
	fill(rng, node->out.mem, MEM_BYTES);
	memset(node->out.mem + 2 * AREA_BYTES, 0, COUNTERS * 8);
	node->out.bad_op = MAX_OPS;
	node->pipe.damage_at = ~0U;
	if (rng_chance(rng, 100))
		n = 0;
	for (i = 0; i < n; i++)
		add_op(node, &must_fence);
}

void workload_random(struct world *world)
{
	struct node *node = world->node;
	u32 i;

	setup(&node[0]);
	setup(&node[1]);
	for (i = 0; i < 2; i++)
		memcpy(node[i].mem, node[!i].out.mem, MEM_BYTES);
	i = rng_below(&world->rng, 2);
	if (rng_chance(&world->rng, 300) && node[i].out.n_ops)
		poison(&node[i]);
	/* Revision 1 has no depths: each must be told the other's. */
	if (node[0].policy.revision == 1) {
		node[0].policy.ord = node[1].policy.ird;
		node[1].policy.ord = node[0].policy.ird;
	}
}
