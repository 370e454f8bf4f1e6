// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From a seed to parameters and requests.
 */
#include <stdlib.h>
#include "sim.h"

#define BYTES_PER_SIDE	40000U

static u32 min_u32(u32 a, u32 b)
{
	return a < b ? a : b;
}

static void fill(struct rng *rng, u8 *p, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		p[i] = (u8)rng_below(rng, 256);
}

static void alloc_memory(struct node *node, u32 max_len)
{
	struct model *model = &node->out;
	struct rng *rng = &node->world->rng;

	model->mem_len = max_len + 512 + COUNTERS * 8;
	model->mem = malloc(model->mem_len);
	fill(rng, model->mem, model->mem_len);
	model->source = malloc(max_len + 512);
	fill(rng, model->source, max_len + 512);
}

static u32 pick_psn(struct rng *rng)
{
	switch (rng_below(rng, 4)) {
	case 0:
		return 0xffffff - rng_below(rng, 40);
	case 1:
		return 0x7fffff - rng_below(rng, 40);
	case 2:
		return rng_below(rng, 3);
	default:
		return rng_below(rng, 1 << 24);
	}
}

static u32 pick_len(struct rng *rng, u32 pmtu, u32 max_len)
{
	switch (rng_below(rng, 8)) {
	case 0:
		return 0;
	case 1:
		return min_u32(pmtu - 1 + rng_below(rng, 3), max_len);
	case 2:
		return min_u32(2 * pmtu - 1 + rng_below(rng, 3), max_len);
	case 3:
	case 4:
		return rng_below(rng, max_len + 1);
	default:
		return rng_below(rng, min_u32(pmtu, max_len) + 1);
	}
}

static u8 pick_op(struct rng *rng, u8 service)
{
	static const u8 uc[] = {
		XROCE_WR_SEND_IMM, XROCE_WR_WRITE_IMM, XROCE_WR_WRITE,
		XROCE_WR_BIND_MW,
	};

	if (service == XROCE_UD)
		return XROCE_WR_SEND_IMM;
	if (service == XROCE_UC)
		return uc[rng_below(rng, 4)];
	return (u8)rng_below(rng, XROCE_WR_OPS);
}

/* Add one request; room for its answer comes with it. */
struct op *workload_add(struct node *node, u8 kind, u32 len)
{
	struct rng *rng = &node->world->rng;
	struct model *model = &node->out;
	struct op *op = &model->ops[model->n_ops];
	u32 room = model->mem_len - COUNTERS * 8;

	op->op = kind;
	op->len = len;
	if (op_is_atomic(op))
		op->len = 8;
	else if (op_is_local(op))
		op->len = 0;
	op->src = rng_below(rng, room - op->len + 1);
	op->at = op->src;
	if (op_is_atomic(op))
		op->at = ((room + 7) & ~7U) + 8 * rng_below(rng, COUNTERS - 1);
	op->imm = model->n_ops++;
	op->inv_rkey = 0x77000000 + op->imm;
	if (op_is_rd(op)) {
		op->got = calloc(1, op->len + 1);
		op->want = calloc(1, op->len + 1);
	}
	return op;
}

static void add_random(struct node *node, u32 max_len, u32 *left)
{
	struct rng *rng = &node->world->rng;
	u8 service = node->params.service;
	u8 kind = pick_op(rng, service);
	u32 len = pick_len(rng, node->params.pmtu, min_u32(max_len, *left));
	struct op *op = workload_add(node, kind, len);

	*left -= min_u32(len, *left);
	op->compare = rng_below(rng, 3);
	op->swap_add = rng_below(rng, 3);
	if (rng_chance(rng, 500))
		op->flags |= XROCE_WR_SIGNALED;
	if (rng_chance(rng, 300) && op_takes_recv(op))
		op->flags |= XROCE_WR_SOLICITED;
	if (rng_chance(rng, 100))
		op->flags |= XROCE_WR_FENCE;
	if (rng_chance(rng, 300))
		op->delay = rng_below(rng, 30000);
	if (rng_chance(rng, 200))
		op->recv_delay = rng_below(rng, 60000);
}

/*
 * A repeated READ may see what a later request wrote; so that the model need
 * not know, whatever writes after a READ is fenced.
 */
static void fence(struct model *model)
{
	bool is_reading = false;
	u32 i;

	for (i = 0; i < model->n_ops; i++) {
		struct op *op = &model->ops[i];
		bool writes = op->op == XROCE_WR_WRITE ||
			      op->op == XROCE_WR_WRITE_IMM ||
			      op_is_atomic(op);

		if (writes && is_reading)
			op->flags |= XROCE_WR_FENCE;
		if (op->flags & XROCE_WR_FENCE)
			is_reading = false;
		if (op->op == XROCE_WR_READ)
			is_reading = true;
	}
}

static bool may_be(u8 poison, const struct op *op)
{
	bool is_send = op->op <= XROCE_WR_SEND_INV;

	switch (poison) {
	case POISON_RKEY:
	case POISON_RANGE:
	case POISON_WRAP:
		/* POISON_RANGE misaligns an atomic */
		return !is_send && op->len &&
		       (!op_is_atomic(op) || poison == POISON_RKEY);
	case POISON_MISALIGNED:
		return op_is_atomic(op);
	case POISON_TOO_LONG:
	case POISON_RECV_KEY:
		return is_send && op->len;
	case POISON_SOURCE:
		return (!op_is_rd(op) || op->op == XROCE_WR_ATOMIC_WRITE) &&
		       op->len;
	case POISON_SINK:
		return op->op == XROCE_WR_READ ||
		       (op_is_atomic(op) && op->op != XROCE_WR_ATOMIC_WRITE);
	case POISON_READ_GONE:
		return op->op == XROCE_WR_READ && op->len;
	default:
		return true;
	}
}

static void add_poison(struct node *node)
{
	struct rng *rng = &node->world->rng;
	struct op *op = &node->out.ops[rng_below(rng, node->out.n_ops)];
	u8 poison = 1 + rng_below(rng, POISONS - 1);

	if (may_be(poison, op))
		op->poison = poison;
}

static void set_services(struct node *node, u8 service, u32 pmtu)
{
	struct params *p = &node->params;

	p->service = service;
	p->pmtu = pmtu;
	p->req = (struct xroce_req_cfg){
		.service = service,
		.pmtu = pmtu,
		.pkey = 0xffff,
		.dest_qp = 0x100 + (u32)(node - node->world->node),
		.timeout_ns = 1000000,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
		.window = 64,
	};
	p->resp = (struct xroce_resp_cfg){
		.service = service,
		.pmtu = pmtu,
		.pkey = 0xffff,
		.dest_qp = p->req.dest_qp,
		.access = XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ |
			  XROCE_ACCESS_REMOTE_ATOMIC |
			  XROCE_ACCESS_FLUSH_GLOBAL,
		.min_rnr_timer = 1,
		.max_dest_rd_atomic = 4,
	};
	p->ring_slots = RING_SLOTS;
	p->max_run = 16;
}

/* No accidents, no requests yet: for scenarios. */
void workload_plain(struct world *world, u8 service, u32 pmtu)
{
	workload_long(world, service, pmtu, 65536);
}

void workload_long(struct world *world, u8 service, u32 pmtu, u32 max_len)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		set_services(&world->node[i], service, pmtu);
		world->link[i].params.delay = 2000;
		alloc_memory(&world->node[i], max_len);
	}
}

static void randomize_link(struct world *world, struct link_params *p)
{
	struct rng *rng = &world->rng;

	p->delay = 100 + rng_below(rng, 5000);
	p->jitter = rng_below(rng, 20000);
	p->ns_per_kb = rng_below(rng, 500);
	if (rng_chance(rng, 700))
		p->loss = rng_below(rng, 100);
	if (rng_chance(rng, 400))
		p->dup = rng_below(rng, 200);
	if (rng_chance(rng, 300))
		p->corrupt = rng_below(rng, 60);
	if (rng_chance(rng, 400))
		p->reorder = rng_below(rng, 300);
}

static void randomize_node(struct node *node)
{
	struct rng *rng = &node->world->rng;
	struct params *p = &node->params;
	bool is_strict = rng_chance(rng, 100);

	p->psn = pick_psn(rng);
	p->req.window = rng_between(rng, 2, rng_chance(rng, 300) ? 200 : 40);
	p->req.max_rd_atomic = rng_between(rng, 1, MAX_RD);
	p->req.retry_cnt = is_strict ? rng_below(rng, 8) : 7;
	p->req.rnr_retry = is_strict ? rng_below(rng, 8) : 7;
	p->req.timeout_ns = 200000 + rng_below(rng, 1000000);
	p->resp.min_rnr_timer = rng_between(rng, 1, 10);
	p->ring_slots = rng_between(rng, 1, RING_SLOTS);
	p->max_run = rng_between(rng, 1, 40);
	p->run_delay = rng_chance(rng, 500) ? rng_below(rng, 3000) : 0;
	p->is_like_rxe = rng_chance(rng, 200);
	p->resp.keep = rng_chance(rng, 500) ? 0 :
		       rng_between(rng, 1, rng_chance(rng, 300) ? 20 : XROCE_KEEP);
	p->keep_fails = rng_chance(rng, 200) ? 200 : 0;
	p->unsent = rng_chance(rng, 200) ? 100 : 0;
	/* so long that silence is noticed before */
	if (rng_chance(rng, 300))
		p->req.timeout_ns += 20000000;
	p->holds = 150;
	p->ghosts = rng_chance(rng, 200) ? 50 : 0;
}

void workload_random(struct world *world)
{
	struct rng *rng = &world->rng;
	u32 pmtu = 256U << min_u32(rng_below(rng, 5), rng_below(rng, 5));
	u8 service = rng_chance(rng, 800) ? XROCE_RC :
		     rng_chance(rng, 700) ? XROCE_UC : XROCE_UD;
	u32 i, n;

	for (i = 0; i < 2; i++) {
		struct node *node = &world->node[i];
		u32 max_len, left = BYTES_PER_SIDE;

		randomize_link(world, &world->link[i].params);
		set_services(node, service, pmtu);
		randomize_node(node);
		max_len = service == XROCE_UD ? pmtu :
			  min_u32(3 * node->params.req.window * pmtu, 32768);
		alloc_memory(node, max_len);
		n = rng_below(rng, rng_chance(rng, 100) ? MAX_OPS : 40);
		while (n--)
			add_random(node, max_len, &left);
		fence(&node->out);
		if (service == XROCE_RC && node->out.n_ops &&
		    rng_chance(rng, 150))
			add_poison(node);
	}
	for (i = 0; i < 2; i++)
		world->node[i].params.resp.max_dest_rd_atomic =
			world->node[!i].params.req.max_rd_atomic;
}
