// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The owner of one stream: does what the engine asks, and checks each answer
 * against the model.
 */
#include <stdlib.h>
#include <string.h>
#include "sim.h"

static u8 pipes[2][PIPE_BYTES];

static void push(struct node *node, const u8 *bytes, u32 len)
{
	struct pipe *pipe = &node->pipe;

	SIM_CHECK(node->world, pipe->in + len <= PIPE_BYTES);
	memcpy(pipe->bytes + pipe->in, bytes, len);
	if (pipe->damage_at - pipe->in < len)
		pipe->bytes[pipe->damage_at] ^= (u8)(1 << (pipe->damage_at & 7));
	pipe->in += len;
}

/* ---- startup ---------------------------------------------------------------- */

/* A frame goes over in pieces. Return: false if it is not taken for one. */
static void pass_frame(struct node *from, const struct xiwarp_mpa_frame *frame,
		       struct xiwarp_mpa_rx *rx, struct xiwarp_mpa_frame *out)
{
	struct world *world = from->world;
	u8 bytes[XIWARP_MPA_MAX_BYTES];
	u32 len = xiwarp_mpa_build(frame, bytes), at = 0;

	memset(rx, 0, sizeof(*rx));
	while (at < len) {
		u8 *buf;
		u32 n = xiwarp_mpa_want(rx, &buf);

		n = 1 + rng_below(&world->rng, n);
		memcpy(buf, bytes + at, n);
		at += n;
		SIM_CHECK(world, xiwarp_mpa_took(rx, frame->is_reply, n, out) ==
			  (at == len ? XIWARP_MPA_FRAME : XIWARP_MPA_MORE));
	}
}

bool node_connect(struct node *a, struct node *b)
{
	struct xiwarp_mpa_frame request, reply, seen;
	static struct xiwarp_mpa_rx rx;
	enum xiwarp_fault fault;

	xiwarp_mpa_request(&a->policy, &request);
	pass_frame(a, &request, &rx, &seen);
	xiwarp_mpa_accept(&b->policy, &seen, &reply, &b->agreed);
	pass_frame(b, &reply, &rx, &seen);
	return xiwarp_mpa_judge(&a->policy, &seen, &a->agreed, &fault) ==
	       XIWARP_MPA_ESTABLISHED;
}

void node_start(struct node *node)
{
	const struct xiwarp_mpa_agreed *agreed = &node->agreed;
	struct xiwarp_sq sq = {
		.base = node->ring, .stride = sizeof(*node->ring),
		.mask = RING_SLOTS - 1,
	};
	struct xiwarp_rdmap_cfg cfg = {
		.rx_markers = agreed->rx_markers,
		.crc = agreed->crc,
		.waits_for_first = agreed->waits_for_first,
		.rtr_send = agreed->waits_for_first ? 0 : agreed->rtr,
		.ird = agreed->ird,
		.ord = agreed->ord,
		.mulpdu = 128 + rng_below(&node->world->rng, 3000),
	};

	SIM_CHECK(node->world, cfg.ird <= MAX_IRD);
	xiwarp_rdmap_init(&node->s, &cfg, &sq, node->rd);
	xiwarp_framer_init(&node->framer, agreed->tx_markers, agreed->crc);
	node->pipe.bytes = pipes[node - node->world->node];
	node->failed_at = MAX_OPS;
	if (!cfg.crc)
		node->pipe.damage_at = ~0U;
}

void node_fini(struct node *node)
{
	u32 i;

	for (i = 0; i < node->out.n_ops; i++) {
		free(node->out.ops[i].got);
		free(node->out.ops[i].want);
	}
	free(node->recv);
}

/* ---- posting and reaping ----------------------------------------------------- */

static void fill_wr(struct slot *slot, const struct op *op)
{
	struct xiwarp_wr *wr = &slot->wr;

	memset(wr, 0xa5, sizeof(*wr));	/* the engine clears what is its own */
	wr->op = op->op;
	wr->flags = op->flags;
	wr->length = op->len;
	wr->fault = op->poison == POISON_AT_POST ? XIWARP_LOC_QP_OP_ERR : 0;
	wr->rkey = op->poison == POISON_WRITE || op->poison == POISON_READ ?
		   BAD_STAG : GOOD_STAG;
	wr->remote_to = MEM_BASE + op->at;
	if (op->poison == POISON_WRITE_RANGE)
		wr->remote_to = MEM_BASE + MEM_BYTES - op->len + 1;
	wr->sink_stag = 0x777;
	wr->sink_to = ~0ULL - op->len;
	wr->compare = op->compare;
	wr->swap_add = op->swap_add;
	memcpy(&wr->imm, &op->imm, 4);
	wr->inv_rkey = op->inv;
}

static void check_result(struct node *node, struct op *op, u32 index)
{
	if (!op_is_rd(op))
		return;
	model_run(&node->out, index + 1);
	SIM_CHECK(node->world, !memcmp(op->got, op->want, op->len));
}

static void reap(struct node *node)
{
	struct xiwarp_wr *wr;

	while ((wr = xiwarp_rdmap_reap(&node->s))) {
		struct slot *slot = (struct slot *)wr;
		struct op *op = &node->out.ops[slot->op];

		SIM_CHECK(node->world, slot->op == node->reaped);
		node->reaped++;
		sim_trace(node->world, "node %d: op %u ends with %u",
			  (int)(node - node->world->node), slot->op, wr->status);
		if (wr->status == XIWARP_SUCCESS) {
			SIM_CHECK(node->world, node->failed_at == MAX_OPS ||
				  !op_is_rd(op));
			check_result(node, op, slot->op);
		} else if (node->failed_at == MAX_OPS) {
			node->failed_at = slot->op;
			node->failed_status = wr->status;
		} else {
			SIM_CHECK(node->world, wr->status == XIWARP_WR_FLUSH_ERR ||
				  op->poison);
		}
	}
}

bool node_post(struct node *node)
{
	struct model *model = &node->out;
	struct slot *slot = &node->ring[node->s.posted % RING_SLOTS];

	if (node->posted_ops == model->n_ops ||
	    node->posted_ops - node->reaped == RING_SLOTS)
		return false;
	slot->op = node->posted_ops;
	fill_wr(slot, &model->ops[node->posted_ops++]);
	node->s.posted++;
	if (node->is_dead) {
		xiwarp_rdmap_flush(&node->s);
		reap(node);
	}
	return true;
}

static void die(struct node *node)
{
	if (node->is_dead)
		return;
	node->is_dead = true;
	node_sent(node);	/* the pipe has it, late as the news may be */
	xiwarp_rdmap_flush(&node->s);
	reap(node);
}

/* ---- input -------------------------------------------------------------------- */

static struct op *recv_op(struct node *node)
{
	return &node->peer->out.ops[node->recv_op];
}

static void do_recv(struct node *node)
{
	struct op *op = model_next_recv(&node->peer->out, &node->recv_op);
	u32 len;

	if (!op || op->poison == POISON_NO_RECV) {
		xiwarp_rdmap_deny(&node->s, XIWARP_FAULT_NO_BUFFER);
		return;
	}
	len = op->op == XIWARP_WR_WRITE_IMM ? 0 : op->len;
	len += rng_chance(&node->world->rng, 300) ? 100 : 0;
	if (op->poison == POISON_TOO_LONG)
		len = op->len - 1;
	SIM_CHECK(node->world, !node->recv);
	node->recv = malloc(len + 1);
	node->recv_len = len;
	xiwarp_rdmap_recv(&node->s, len);
}

static u8 *place_wr(struct node *node, const struct xiwarp_step *step)
{
	struct slot *slot = (struct slot *)step->place.wr;
	struct op *op = &node->out.ops[slot->op];

	SIM_CHECK(node->world, step->place.offset + step->len <= op->len);
	if (op->poison == POISON_SINK) {
		xiwarp_rdmap_refuse(&node->s, XIWARP_MEM_STAG);
		return NULL;
	}
	return op->got + step->place.offset;
}

static u8 *place_mr(struct node *node, const struct xiwarp_step *step)
{
	u64 at = step->place.va - MEM_BASE;

	SIM_CHECK(node->world, step->place.check_len >= step->len);
	if (step->place.rkey != GOOD_STAG) {
		xiwarp_rdmap_refuse(&node->s, XIWARP_MEM_STAG);
		return NULL;
	}
	if (at > MEM_BYTES || step->place.check_len > MEM_BYTES - at) {
		xiwarp_rdmap_refuse(&node->s, XIWARP_MEM_BOUNDS);
		return NULL;
	}
	return node->mem + at;
}

/* NULL: refused */
static u8 *place(struct node *node, const struct xiwarp_step *step)
{
	switch (step->place.where) {
	case XIWARP_TO_WR:
		return place_wr(node, step);
	case XIWARP_TO_MR:
		return place_mr(node, step);
	}
	SIM_CHECK(node->world, step->place.offset + step->len <= node->recv_len);
	if (recv_op(node)->poison == POISON_RECV_KEY) {
		xiwarp_rdmap_refuse(&node->s, XIWARP_MEM_STAG);
		return NULL;
	}
	return node->recv + step->place.offset;
}

static u32 do_payload(struct node *node, const struct xiwarp_step *step,
		      const u8 *bytes, u32 len)
{
	u32 n = step->len < len ? step->len : len;

	if (step->act == XIWARP_STEP_PLACE) {
		u8 *to = place(node, step);

		if (!to)
			return 0;
		memcpy(to, bytes, n);
	}
	SIM_CHECK(node->world, step->need_crc == node->agreed.crc);
	xiwarp_rdmap_passed(&node->s, n, step->need_crc ?
			    xiwarp_crc(step->crc, bytes, n) : 0x12345678);
	return n;
}

/* A message of the peer's is here: the right one, and all before it took effect. */
static void check_recv(struct node *node, const struct xiwarp_done *done)
{
	struct world *world = node->world;
	struct model *model = &node->peer->out;
	struct op *op = recv_op(node);
	bool is_imm = op->op == XIWARP_WR_WRITE_IMM;

	SIM_CHECK(world, !op->poison || op->poison == POISON_INVALIDATE);
	SIM_CHECK(world, done->completes && done->status == XIWARP_SUCCESS);
	SIM_CHECK(world, done->byte_len == (is_imm ? 0 : op->len));
	SIM_CHECK(world, done->solicited == !!(op->flags & XIWARP_WR_SOLICITED));
	SIM_CHECK(world, done->has_imm == is_imm);
	SIM_CHECK(world, !is_imm || !memcmp(&done->imm, &op->imm, 4));
	SIM_CHECK(world, done->has_inv == (op->op == XIWARP_WR_SEND_INV));
	SIM_CHECK(world, !done->has_inv || done->inv_stag == op->inv);
	SIM_CHECK(world, !memcmp(node->recv, model->source + op->src, done->byte_len));
	model_run(model, node->recv_op + 1);
	/* a damaged Write may be anywhere, until its CRC ends all */
	if (node->peer->pipe.damage_at == ~0U)
		SIM_CHECK(world, !memcmp(node->mem, model->mem, 2 * AREA_BYTES));
	node->recvs++;
}

static void drop_recv(struct node *node)
{
	free(node->recv);
	node->recv = NULL;
}

static void check_rd(struct node *node, const struct xiwarp_done *done)
{
	struct slot *slot = (struct slot *)done->wr;
	struct op *op = &node->out.ops[slot->op];

	SIM_CHECK(node->world, done->has_inv == (op->op == XIWARP_WR_READ_INV));
	SIM_CHECK(node->world, !done->has_inv || done->inv_stag == op->inv);
	if (done->what == XIWARP_GOT_ATOMIC)
		memcpy(op->got, &done->value, 8);
}

static void do_done(struct node *node, const struct xiwarp_step *step)
{
	const struct xiwarp_done *done = &step->done;

	switch (done->what) {
	case XIWARP_GOT_RECV:
		check_recv(node, done);
		if (recv_op(node)->poison == POISON_INVALIDATE) {
			xiwarp_rdmap_deny(&node->s, XIWARP_FAULT_INVALIDATE);
			return;
		}
		drop_recv(node);
		break;
	case XIWARP_GOT_READ:
	case XIWARP_GOT_ATOMIC:
		check_rd(node, done);
		break;
	case XIWARP_GOT_TERMINATE:
		SIM_CHECK(node->world, !done->term->is_swapped);
		node->told = done->what;
		break;
	}
	xiwarp_rdmap_commit(&node->s);
}

static void do_fault(struct node *node, const struct xiwarp_done *done)
{
	sim_trace(node->world, "node %d: fault %u", (int)(node - node->world->node),
		  done->fault);
	SIM_CHECK(node->world, !node->fault);
	SIM_CHECK(node->world, done->completes == !!node->recv);
	SIM_CHECK(node->world, !done->completes || done->status);
	node->fault = done->fault;
	drop_recv(node);
}

/* Return: bytes used; *go_on: there may be more to do. */
static u32 do_step(struct node *node, const u8 *bytes, u32 len, bool *go_on)
{
	struct xiwarp_step step;
	u32 n = 0;

	xiwarp_rdmap_input(&node->s, &step);
	*go_on = true;
	switch (step.act) {
	case XIWARP_STEP_TAKE:
		*go_on = len;
		n = step.len < len ? step.len : len;
		memcpy(step.buf, bytes, n);
		if (n)
			xiwarp_rdmap_took(&node->s, n);
		return n;
	case XIWARP_STEP_RECV:
		do_recv(node);
		return 0;
	case XIWARP_STEP_PLACE:
	case XIWARP_STEP_SKIP:
		*go_on = len;
		return len ? do_payload(node, &step, bytes, len) : 0;
	case XIWARP_STEP_DONE:
		do_done(node, &step);
		return 0;
	case XIWARP_STEP_FAULT:
		do_fault(node, &step.done);
		return 0;
	}
	*go_on = false;
	return len;
}

bool node_input(struct node *node, u32 max_bytes)
{
	struct pipe *pipe = &node->peer->pipe;
	u32 len = pipe->in - pipe->out, used = 0;
	bool go_on;

	len = len < max_bytes ? len : max_bytes;
	do {
		used += do_step(node, pipe->bytes + pipe->out + used, len - used,
				&go_on);
	} while (go_on);
	SIM_CHECK(node->world, used == len);
	pipe->out += len;
	reap(node);
	if (node->told)
		die(node);
	return len;
}

/* ---- output ------------------------------------------------------------------- */

static const u8 *gather(struct node *node, const struct xiwarp_burst *burst)
{
	struct slot *slot = (struct slot *)burst->wr;
	struct op *op;

	if (burst->source == XIWARP_FROM_MR)
		return node->mem + (burst->va - MEM_BASE);
	if (!burst->bytes)
		return NULL;
	op = &node->out.ops[slot->op];
	SIM_CHECK(node->world, burst->offset + burst->bytes <= op->len);
	return node->out.source + op->src + burst->offset;
}

static void emit(struct node *node, const struct xiwarp_burst *burst, u32 i,
		 const u8 *source)
{
	struct xiwarp_framer *f = &node->framer;
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	struct xiwarp_piece piece;
	struct xiwarp_seg seg;
	u32 at = 0;

	if (burst->source == XIWARP_FPDU) {
		xiwarp_framer_begin(f, hdr, 0, 0);
	} else {
		at = xiwarp_burst_segment(burst, i, &seg);
		xiwarp_framer_begin(f, hdr, xiwarp_wire_build(&seg, hdr),
				    seg.payload_len);
	}
	while (xiwarp_framer_next(f, &piece)) {
		if (!piece.data) {
			piece.data = source + at;
			at += piece.len;
			f->crc = xiwarp_crc(f->crc, piece.data, piece.len);
		}
		push(node, piece.data, piece.len);
	}
	node->fpdus++;
}

static bool do_atomic(struct node *node, struct xiwarp_burst *burst)
{
	const struct xiwarp_atomic *atomic = &burst->atomic;
	u64 old, new;
	u8 *at;

	if (burst->rkey != GOOD_STAG) {
		xiwarp_rdmap_read_refused(&node->s, burst, XIWARP_MEM_STAG);
		return false;
	}
	at = node->mem + (atomic->to - MEM_BASE);
	SIM_CHECK(node->world, atomic->to - MEM_BASE <= MEM_BYTES - 8);
	memcpy(&old, at, 8);
	new = old + atomic->swap_add;
	if (atomic->op == XIWARP_CMP_SWAP)
		new = old == atomic->compare ? atomic->swap_add : old;
	memcpy(at, &new, 8);
	xiwarp_rdmap_atomic_done(&node->s, burst, old);
	return true;
}

/* Return: false if there is nothing to be sent of it. */
static bool prepare(struct node *node, struct xiwarp_burst *burst)
{
	struct op *op = burst->wr ?
		&node->out.ops[((struct slot *)burst->wr)->op] : NULL;

	switch (burst->source) {
	case XIWARP_LOCAL:
		xiwarp_rdmap_local_done(&node->s, burst, op->poison == POISON_LOCAL ?
					XIWARP_MW_BIND_ERR : XIWARP_SUCCESS);
		return false;
	case XIWARP_FROM_ATOMIC:
		return do_atomic(node, burst);
	case XIWARP_FROM_MR:
		if (burst->rkey == GOOD_STAG)
			return true;
		xiwarp_rdmap_read_refused(&node->s, burst, XIWARP_MEM_STAG);
		return false;
	case XIWARP_FROM_WR:
		if (op->poison != POISON_SOURCE ||
		    (!burst->is_last && rng_chance(&node->world->rng, 700)))
			return true;
		xiwarp_rdmap_fail_wr(&node->s, burst, XIWARP_LOC_PROT_ERR);
		return false;
	default:
		return true;
	}
}

bool node_output(struct node *node, u32 max_bytes)
{
	struct xiwarp_burst burst;
	u32 i;

	if (!xiwarp_rdmap_output(&node->s, max_bytes, &burst)) {
		node_input(node, 0);
		if (node->fault)
			die(node);
		return false;
	}
	if (prepare(node, &burst)) {
		const u8 *source = gather(node, &burst);

		if (rng_chance(&node->world->rng, 50)) {
			xiwarp_rdmap_take_back(&node->s, &burst);
			return true;
		}

		for (i = 0; i < burst.nsegs; i++)
			emit(node, &burst, i, source);
		node->is_unsent = true;
	}
	reap(node);
	return true;
}

bool node_sent(struct node *node)
{
	if (!node->is_unsent)
		return false;
	node->is_unsent = false;
	xiwarp_rdmap_sent(&node->s);
	reap(node);
	return true;
}

/* ---- the end ------------------------------------------------------------------- */

static void check_whole(struct node *node)
{
	struct world *world = node->world;
	struct model *model = &node->peer->out;

	SIM_CHECK(world, node->failed_at == MAX_OPS);
	SIM_CHECK(world, node->reaped == node->out.n_ops);
	SIM_CHECK(world, !node->fault && !node->told && !node->recv);
	SIM_CHECK(world, xiwarp_rdmap_may_end(&node->s));
	SIM_CHECK(world, xiwarp_rdmap_is_drained(&node->s));
	model_run(model, model->n_ops);
	SIM_CHECK(world, !memcmp(node->mem, model->mem, MEM_BYTES));
	while (model->next_recv < model->n_ops)
		SIM_CHECK(world, !op_takes_recv(&model->ops[model->next_recv++]));
}

/* Who had to find out, and what of. */
static const struct {
	bool is_sender;
	u8 fault;
	u8 status;		/* of the op at the sender; 0: see below */
} ends[POISONS] = {
	[POISON_WRITE]	     = { false, XIWARP_FAULT_TAGGED_STAG, 0 },
	[POISON_WRITE_RANGE] = { false, XIWARP_FAULT_TAGGED_BOUNDS, 0 },
	[POISON_READ]	     = { false, XIWARP_FAULT_READ_STAG, XIWARP_REM_ACCESS_ERR },
	[POISON_TOO_LONG]    = { false, XIWARP_FAULT_TOO_LONG, 0 },
	[POISON_NO_RECV]     = { false, XIWARP_FAULT_NO_BUFFER, 0 },
	[POISON_RECV_KEY]    = { false, XIWARP_FAULT_RECV_KEY, 0 },
	[POISON_INVALIDATE]  = { false, XIWARP_FAULT_INVALIDATE, 0 },
	[POISON_AT_POST]     = { true, XIWARP_FAULT_LOCAL, XIWARP_LOC_QP_OP_ERR },
	[POISON_SOURCE]	     = { true, XIWARP_FAULT_LOCAL, XIWARP_LOC_PROT_ERR },
	[POISON_SINK]	     = { true, XIWARP_FAULT_SINK, XIWARP_LOC_PROT_ERR },
	[POISON_LOCAL]	     = { true, XIWARP_FAULT_LOCAL, XIWARP_MW_BIND_ERR },
};

static void check_poisoned(struct node *node)
{
	u32 bad = node->out.bad_op;
	u8 poison = node->out.ops[bad].poison;
	struct node *finder = ends[poison].is_sender ? node : node->peer;
	struct world *world = node->world;

	SIM_CHECK(world, finder->fault == ends[poison].fault);
	SIM_CHECK(world, finder->peer->told && !finder->peer->fault);
	SIM_CHECK(world, node->reaped == node->out.n_ops);
	SIM_CHECK(world, node->peer->reaped == node->peer->out.n_ops);
	if (ends[poison].status) {
		SIM_CHECK(world, node->failed_at == bad);
		SIM_CHECK(world, node->failed_status == ends[poison].status);
	}
	if (poison == POISON_READ || poison == POISON_SINK)
		return;		/* Writes may have gone past it */
	model_run(&node->out, bad);
	/* what still fits of a Write beyond the end is placed: each segment by itself */
	SIM_CHECK(world, !memcmp(node->peer->mem, node->out.mem,
				 poison == POISON_WRITE_RANGE ? AREA_BYTES :
								2 * AREA_BYTES));
}

void node_check_end(struct node *node)
{
	/* An initiator that says nothing, not even an RTR, keeps the responder silent. */
	if (!node->world->node[0].fpdus) {
		SIM_CHECK(node->world, !node->world->node[1].fpdus);
		return;
	}
	if (node->pipe.damage_at < node->pipe.in ||
	    node->peer->pipe.damage_at < node->peer->pipe.in)
		return;		/* nothing wrong was delivered: checked on the way */
	if (node->out.bad_op != MAX_OPS)
		check_poisoned(node);
	else if (node->peer->out.bad_op == MAX_OPS)
		check_whole(node);
}
