// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The owner of one engine pair: does what verdicts ask for, keeps memory, ring
 * and receive queue, and compares all that comes out with the model.
 */
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include "psn.h"
#include <linux/minmax.h>
#include "sim.h"

#define GONE_RKEY	0x6666
#define BAD_RKEY	0x9999
#define BURSTS_PER_RUN	8

static u32 mem_len(const struct node *node)
{
	return node->peer->out.mem_len;
}

static void kick(struct node *node, u32 delay)
{
	if (node->run_scheduled)
		return;
	node->run_scheduled = true;
	world_at(node->world, delay, EVENT_RUN, node, NULL);
}

static void kick_soon(struct node *node)
{
	kick(node, rng_below(&node->world->rng, node->params.run_delay + 1));
}

/* --- send queue ------------------------------------------------------- */

static u32 rkey_of(const struct op *op)
{
	if (op->poison == POISON_RKEY)
		return BAD_RKEY;
	return op->poison == POISON_READ_GONE ? GONE_RKEY : GOOD_RKEY;
}

static u64 va_of(const struct node *node, const struct op *op)
{
	if (op->poison == POISON_RANGE)
		return MEM_BASE + mem_len(node->peer) - op->len + 1;
	if (op->poison == POISON_WRAP)
		return 0ULL - op->len;
	return MEM_BASE + op->at + (op->poison == POISON_MISALIGNED);
}

static void post(struct node *node)
{
	u32 index = node->posted_ops++;
	struct op *op = &node->out.ops[index];
	struct slot *slot = &node->ring[node->req.posted & (RING_SLOTS - 1)];

	slot->op = index;
	slot->wr = (struct xroce_wr){
		.wr_id = index,
		.op = op->op,
		.flags = op->flags,
		.length = op->len,
		.remote_va = va_of(node, op),
		.rkey = rkey_of(op),
		.compare = op->compare,
		.swap_add = op->swap_add,
		.imm = htonl(op->imm),
		.inv_rkey = op->inv_rkey,
		.flush_type = XROCE_FLUSH_GLOBAL,
		.fault = op->poison == POISON_AT_POST ? XROCE_LOC_PROT_ERR : 0,
	};
	node->req.posted++;
	sim_trace(node->world, "%s posts %u: op %u len %u flags %x poison %u",
		  node->name, index, op->op, op->len, op->flags, op->poison);
}

static void event_post(struct node *node)
{
	u32 delay = 1000;

	if (node->req.posted - node->reaped < node->params.ring_slots) {
		post(node);
		kick(node, 0);
		if (node->posted_ops == node->out.n_ops)
			return;
		delay = node->out.ops[node->posted_ops].delay;
	}
	world_at(node->world, delay, EVENT_POST, node, NULL);
}

static u8 poison_status(u8 poison)
{
	switch (poison) {
	case POISON_RKEY:
	case POISON_RANGE:
	case POISON_WRAP:
	case POISON_READ_GONE:
		return XROCE_REM_ACCESS_ERR;
	case POISON_MISALIGNED:
	case POISON_TOO_LONG:
		return XROCE_REM_INV_REQ_ERR;
	case POISON_RECV_KEY:
		return XROCE_REM_OP_ERR;
	case POISON_AT_POST:
	case POISON_SOURCE:
	case POISON_SINK:
		return XROCE_LOC_PROT_ERR;
	default:
		return XROCE_SUCCESS;
	}
}

/* What the links did since this node's last progress. */
static u32 mishaps(const struct node *node)
{
	const struct link *link = node->world->link;

	return link_mishaps(&link[0]) + link_mishaps(&link[1]) -
	       node->watch.mishaps;
}

/* The first failure of a node must have a reason. */
static void check_failure(struct node *node, struct op *op, u8 status)
{
	const struct xroce_req_stats *stats = &node->req.stats;
	const struct world *world = node->world;
	bool is_peer_gone = node->peer->is_dead || node->peer->is_closing;
	u32 retries = stats->timeouts + stats->seq_naks + stats->implied_naks;

	if (op->poison && status == poison_status(op->poison))
		return;
	switch (status) {
	case XROCE_RETRY_EXC_ERR:
		/* About one accident a retry; the first may be older. */
		SIM_CHECK(world, is_peer_gone || mishaps(node) + 2 >
						 node->params.req.retry_cnt);
		SIM_CHECK(world, retries > node->params.req.retry_cnt);
		break;
	case XROCE_RNR_RETRY_EXC_ERR:
		SIM_CHECK(world, node->params.req.rnr_retry < 7);
		SIM_CHECK(world, stats->rnr_naks > node->params.req.rnr_retry);
		break;
	default:
		sim_fail(world, "%s: op %u fails with %u", node->name,
			 node->reaped, status);
	}
}

static void die(struct node *node)
{
	if (node->is_dead)
		return;
	sim_trace(node->world, "%s is dead", node->name);
	node->is_dead = true;
	node->recv = NULL;
	xroce_req_flush(&node->req);
}

static void check_success(struct node *node, struct op *op, u32 index)
{
	SIM_CHECK(node->world, node->failed_at == MAX_OPS);
	SIM_CHECK(node->world, !op->poison);
	if (node->params.service != XROCE_RC)
		return;
	model_run(&node->out, index + 1);
	if (op->len && op->got && memcmp(op->got, op->want, op->len))
		sim_fail(node->world, "%s: op %u brought other data",
			 node->name, index);
}

static void check_wr(struct node *node, const struct xroce_wr *wr)
{
	struct slot *slot = (struct slot *)wr;
	struct op *op = &node->out.ops[slot->op];

	sim_trace(node->world, "%s completes %u: %u", node->name, slot->op,
		  wr->status);
	SIM_CHECK(node->world, slot->op == node->reaped);
	SIM_CHECK(node->world, wr->is_done);
	if (wr->status == XROCE_SUCCESS) {
		check_success(node, op, slot->op);
	} else if (wr->status == XROCE_WR_FLUSH_ERR) {
		SIM_CHECK(node->world, node->is_dead);
	} else {
		SIM_CHECK(node->world, node->failed_at == MAX_OPS);
		check_failure(node, op, wr->status);
		node->failed_at = slot->op;
		node->failed_status = wr->status;
	}
	node->reaped++;
}

static void reap(struct node *node)
{
	struct xroce_wr *wr;

	if (node->is_dead)
		xroce_req_flush(&node->req);
	while ((wr = xroce_req_reap(&node->req))) {
		check_wr(node, wr);
		if (node->failed_at != MAX_OPS)
			die(node);
	}
}

/* --- output ----------------------------------------------------------- */

/* The first @n packets */
static void send_packets(struct node *node, const struct xroce_burst *burst,
			 const u8 *payload, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct xroce_pkt pkt;

		xroce_burst_packet(burst, i, &pkt);
		sim_trace(node->world,
			  "%s sends op 0x%02x psn %06x len %u%s syn %02x",
			  node->name, pkt.opcode, pkt.psn, pkt.payload_len,
			  pkt.ack_req ? " A" : "",
			  pkt.info->hdrs & XROCE_HDR_AETH ? pkt.syndrome : 0);
		SIM_CHECK(node->world, pkt.payload_len <= burst->pmtu);
		if (pkt.info->is_response)
			watch_response(node, &pkt);
		else
			watch_request(node, &pkt, burst->is_repair);
		link_send(node, &pkt, payload + (size_t)i * burst->pmtu);
	}
}

/* How much of @burst leaves this host. */
static u32 count_leaving(struct node *node, const struct xroce_burst *burst)
{
	struct rng *rng = &node->world->rng;

	if (node->params.service != XROCE_RC ||
	    !rng_chance(rng, node->params.unsent))
		return burst->npkts;
	return rng_below(rng, burst->npkts);
}

/* Nor does what comes next, maybe. */
static void hold_back(struct node *node, const struct xroce_burst *burst, u32 sent)
{
	struct rng *rng = &node->world->rng;
	struct xroce_burst next;

	if (!burst->is_repair && rng_chance(rng, 500))
		xroce_req_output(&node->req, node->world->now,
				 rng_between(rng, 1, node->params.max_run), &next);
	xroce_req_unsent(&node->req, burst, sent, node->world->now);
}

static void send_request(struct node *node, struct xroce_burst *burst)
{
	u32 sent;

	struct slot *slot = (struct slot *)burst->wr;
	struct op *op = &node->out.ops[slot->op];

	if (burst->bytes && op->poison == POISON_SOURCE) {
		xroce_req_fail(&node->req, burst->wr, XROCE_LOC_PROT_ERR);
		return;
	}
	SIM_CHECK(node->world, !burst->bytes ||
		  burst->offset + burst->bytes <= op->len);
	sent = count_leaving(node, burst);
	send_packets(node, burst, node->out.source + op->src + burst->offset, sent);
	if (sent < burst->npkts)
		hold_back(node, burst, sent);
}

/* Some peers go on in the middle of a READ as if they had never stopped. */
static void be_like_rxe(struct xroce_burst *burst)
{
	bool is_read = burst->first.info->op == XROCE_OP_READ_RESPONSE;
	u8 pos = burst->first.info->pos;

	if (!is_read || !burst->offset || !(pos & XROCE_POS_FIRST))
		return;
	burst->first.opcode = (u8)xroce_opcode_of(XROCE_RC,
						  XROCE_OP_READ_RESPONSE,
						  pos & ~XROCE_POS_FIRST, 0);
}

/* Each local request once, in its turn. */
static bool execute_local(struct node *node)
{
	struct xroce_wr *wr = xroce_req_local(&node->req);
	u32 index;

	if (!wr)
		return false;
	index = ((struct slot *)wr)->op;
	SIM_CHECK(node->world, op_is_local(&node->out.ops[index]));
	SIM_CHECK(node->world, index >= node->executed);
	SIM_CHECK(node->world, wr->op != XROCE_WR_LOCAL_INV ||
			       node->req.una == node->req.started);
	node->executed = index + 1;
	xroce_req_executed(&node->req, wr, XROCE_SUCCESS);
	return true;
}

static void send_answer(struct node *node, struct xroce_burst *burst)
{
	const u8 *payload = NULL;

	if (burst->source == XROCE_FROM_MR) {
		if (burst->rkey == GONE_RKEY) {
			struct xroce_resp_done done =
				xroce_resp_read_failed(&node->resp, burst);

			SIM_CHECK(node->world, done.to_error);
			node->last_event = done.event;
			node->is_closing = true;
			return;
		}
		SIM_CHECK(node->world, burst->va >= MEM_BASE);
		SIM_CHECK(node->world, burst->va - MEM_BASE + burst->bytes <=
				       mem_len(node));
		payload = node->mem + (burst->va - MEM_BASE);
	}
	if (node->params.is_like_rxe)
		be_like_rxe(burst);
	send_packets(node, burst, payload, burst->npkts);
}

/* One burst; answers and requests take turns at random. */
static bool output(struct node *node)
{
	struct rng *rng = &node->world->rng;
	u32 max_run = rng_between(rng, 1, node->params.max_run);
	bool is_answer_first = rng_chance(rng, 500);
	struct xroce_burst burst;

	if (!node->params.is_like_rxe)
		node->resp.recvs = node->recvs_posted - node->recvs_taken;
	if (is_answer_first &&
	    xroce_resp_output(&node->resp, max_run, &burst)) {
		send_answer(node, &burst);
		return true;
	}
	if (!node->is_closing &&
	    xroce_req_output(&node->req, node->world->now, max_run, &burst)) {
		send_request(node, &burst);
		return true;
	}
	if (!node->is_closing && execute_local(node))
		return true;
	if (is_answer_first ||
	    !xroce_resp_output(&node->resp, max_run, &burst))
		return false;
	send_answer(node, &burst);
	return true;
}

static void run(struct node *node)
{
	u32 n = 0;

	node->run_scheduled = false;
	while (!node->is_dead && n < BURSTS_PER_RUN && output(node))
		n++;
	if (n == BURSTS_PER_RUN)
		kick(node, 500);
	else if (node->is_closing)
		die(node);
	reap(node);
}

/* --- receive queue ---------------------------------------------------- */

static void event_recv(struct node *node, u32 total)
{
	u32 delay;

	node->recvs_posted++;
	if (node->recvs_posted == total)
		return;
	delay = node->peer->out.ops[node->recvs[node->recvs_posted].op].recv_delay;
	world_at(node->world, delay, EVENT_RECV, node, NULL);
}

static void check_bad_recv(struct node *node, const struct op *op,
			   const struct xroce_resp_done *done)
{
	u8 status = XROCE_LOC_ACCESS_ERR;	/* WRITE with immediate */

	if (op->poison == POISON_TOO_LONG)
		status = XROCE_LOC_LEN_ERR;
	else if (op->poison == POISON_RECV_KEY)
		status = XROCE_LOC_PROT_ERR;
	SIM_CHECK(node->world, op->poison);
	SIM_CHECK(node->world, done->to_error);
	SIM_CHECK(node->world, done->status == status);
}

static void check_message(struct node *node, const struct op *op,
			  const struct xroce_resp_done *done)
{
	const struct world *world = node->world;
	const struct model *model = &node->peer->out;
	bool is_write = op->op == XROCE_WR_WRITE_IMM;
	const u8 *want = model->source + op->src;
	const u8 *got = is_write ? node->mem + op->at : node->recv->buf;

	SIM_CHECK(world, done->byte_len == op->len);
	SIM_CHECK(world, done->is_write_imm == is_write);
	SIM_CHECK(world, done->has_imm ==
			 (is_write || op->op == XROCE_WR_SEND_IMM));
	SIM_CHECK(world, !done->has_imm || done->imm == htonl(op->imm));
	SIM_CHECK(world, done->has_inv == (op->op == XROCE_WR_SEND_INV));
	SIM_CHECK(world, !done->has_inv || done->inv_rkey == op->inv_rkey);
	SIM_CHECK(world, done->solicited ==
			 !!(op->flags & XROCE_WR_SOLICITED));
	if (op->len && memcmp(got, want, op->len))
		sim_fail(world, "%s: received other data", node->name);
	/* Not a byte more. UC: an aborted message may have left some. */
	SIM_CHECK(world, is_write || node->params.service == XROCE_UC ||
			 node->recv->buf[op->len] == 0xa5);
}

/* RC: in order, none missing, and all writes before it are visible. */
static void check_rc_message(struct node *node,
			     const struct xroce_resp_done *done)
{
	struct model *model = &node->peer->out;
	u32 index;
	struct op *op = model_next_recv(model, &index);

	SIM_CHECK(node->world, op);
	SIM_CHECK(node->world, node->recv->op == index);
	if (done->status) {
		check_bad_recv(node, op, done);
		return;
	}
	check_message(node, op, done);
	SIM_CHECK(node->world, model->executed <= index + 1);
	model_run(model, index + 1);
	if (memcmp(node->mem, model->mem, model->mem_len))
		sim_fail(node->world, "%s: memory differs after op %u",
			 node->name, index);
}

/* UC and UD: whole messages; the immediate says which. UC: in order. */
static void check_lossy_message(struct node *node,
				const struct xroce_resp_done *done)
{
	struct model *model = &node->peer->out;
	u32 index = ntohl(done->imm);

	SIM_CHECK(node->world, !done->status && done->has_imm);
	SIM_CHECK(node->world, index < model->n_ops);
	check_message(node, &model->ops[index], done);
	if (node->params.service == XROCE_UC)
		SIM_CHECK(node->world, index >= model->next_recv);
	model->next_recv = index + 1;
}

static void handle_done(struct node *node, const struct xroce_resp_done *done)
{
	if (done->completes) {
		SIM_CHECK(node->world, node->recv);
		if (node->params.service == XROCE_RC)
			check_rc_message(node, done);
		else
			check_lossy_message(node, done);
		node->recv = NULL;
		node->recvs_done++;
	}
	if (done->event)
		node->last_event = done->event;
	if (done->to_error)
		node->is_closing = true;
}

/* --- requests that come in -------------------------------------------- */

static void fail(struct node *node, const struct xroce_pkt *pkt,
		 enum xroce_fault fault)
{
	struct xroce_resp_done done = xroce_resp_fail(&node->resp, pkt, fault);

	sim_trace(node->world, "%s: fault %u", node->name, fault);
	node->drops[done.drop]++;
	handle_done(node, &done);
}

static bool is_allowed(const struct node *node,
		       const struct xroce_resp_verdict *verdict)
{
	u64 at = verdict->check_va - MEM_BASE;

	if (!verdict->check_len)
		return true;
	if (verdict->rkey != GOOD_RKEY && verdict->rkey != GONE_RKEY)
		return false;
	return verdict->check_va >= MEM_BASE && at <= mem_len(node) &&
	       verdict->check_len <= mem_len(node) - at;
}

static u64 do_atomic(struct node *node, const struct xroce_pkt *pkt)
{
	u8 *at = node->mem + (pkt->va - MEM_BASE);
	u64 old, val;

	memcpy(&old, at, sizeof(old));
	val = old;
	if (pkt->info->op == XROCE_OP_FETCH_ADD)
		val += pkt->swap_add;
	else if (old == pkt->compare)
		val = pkt->swap_add;
	memcpy(at, &val, sizeof(val));
	return old;
}

static void do_memory(struct node *node, const struct xroce_pkt *pkt,
		      const u8 *payload,
		      const struct xroce_resp_verdict *verdict, u64 *old)
{
	if (verdict->act == XROCE_RESP_ATOMIC)
		*old = do_atomic(node, pkt);
	else if (pkt->payload_len)
		memcpy(node->mem + (verdict->va - MEM_BASE), payload,
		       pkt->payload_len);
}

static enum xroce_fault execute(struct node *node, const struct xroce_pkt *pkt,
				const u8 *payload,
				const struct xroce_resp_verdict *verdict,
				u64 *old)
{
	const struct op *ops = node->peer->out.ops;

	switch (verdict->act) {
	case XROCE_RESP_RECV:
		SIM_CHECK(node->world, node->recv);
		if (ops[node->recv->op].poison == POISON_RECV_KEY)
			return XROCE_FAULT_LOCAL_KEY;
		memcpy(node->recv->buf + verdict->offset, payload,
		       pkt->payload_len);
		return XROCE_FAULT_NONE;
	default:
		if (!is_allowed(node, verdict))
			return XROCE_FAULT_REMOTE_ACCESS;
		do_memory(node, pkt, payload, verdict, old);
		return XROCE_FAULT_NONE;
	}
}

static bool take_recv(struct node *node)
{
	if (node->recvs_taken == node->recvs_posted)
		return false;
	SIM_CHECK(node->world, !node->recv);
	node->recv = &node->recvs[node->recvs_taken++];
	xroce_resp_recv(&node->resp, node->recv->len);
	return true;
}

/* False: it is not kept after all. */
static bool keep(struct node *node, struct packet *packet,
		 const struct xroce_pkt *pkt)
{
	if (rng_chance(&node->world->rng, node->params.keep_fails)) {
		xroce_resp_keep(&node->resp, NULL, pkt->psn, node->world->now);
		return false;
	}
	free(node->packets[pkt->psn % XROCE_KEEP]);
	node->packets[pkt->psn % XROCE_KEEP] = packet;
	xroce_resp_keep(&node->resp, &node->kept, pkt->psn,
			node->world->now);
	return true;
}

/* Return: the packet is kept. */
static bool input_request(struct node *node, struct packet *packet,
			  const struct xroce_pkt *pkt, const u8 *payload)
{
	struct xroce_resp_verdict verdict = xroce_resp_check(&node->resp, pkt);
	struct xroce_resp_done done;
	enum xroce_fault fault;
	u64 old = 0;

	if (verdict.act == XROCE_RESP_NEED_RECV) {
		if (!take_recv(node)) {
			fail(node, pkt, XROCE_FAULT_RNR);
			return false;
		}
		verdict = xroce_resp_check(&node->resp, pkt);
		SIM_CHECK(node->world, verdict.act != XROCE_RESP_NEED_RECV);
	}
	if (verdict.act == XROCE_RESP_KEEP)
		return keep(node, packet, pkt);
	if (verdict.act == XROCE_RESP_DROP) {
		node->drops[verdict.drop]++;
		return false;
	}
	fault = verdict.act == XROCE_RESP_FAULT ? verdict.fault :
		execute(node, pkt, payload, &verdict, &old);
	if (fault) {
		fail(node, pkt, fault);
		return false;
	}
	done = xroce_resp_commit(&node->resp, pkt, old);
	if (pkt->info->pos & XROCE_POS_LAST)
		node->messages_in++;
	handle_done(node, &done);
	return false;
}

static void input_kept(struct node *node)
{
	struct packet *packet;
	struct xroce_pkt pkt;
	const u8 *payload;
	u32 psn;

	while (xroce_resp_next_kept(&node->resp, node->world->now, &psn)) {
		packet = node->packets[psn % XROCE_KEEP];
		node->packets[psn % XROCE_KEEP] = NULL;
		SIM_CHECK(node->world, packet);
		SIM_CHECK(node->world, link_open(packet, &pkt, &payload));
		SIM_CHECK(node->world, pkt.psn == psn);
		SIM_CHECK(node->world,
			  !input_request(node, packet, &pkt, payload));
		free(packet);
	}
}

/* --- responses -------------------------------------------------------- */

static void place(struct node *node, const struct xroce_pkt *pkt,
		  const u8 *payload, const struct xroce_req_verdict *verdict)
{
	struct op *op = &node->out.ops[((struct slot *)verdict->wr)->op];
	bool is_ok = op->poison != POISON_SINK;

	SIM_CHECK(node->world, op_is_rd(op));
	if (verdict->act == XROCE_REQ_PLACE_ATOMIC)
		memcpy(op->got, &pkt->orig, sizeof(pkt->orig));
	else if (pkt->payload_len)
		memcpy(op->got + verdict->offset, payload, pkt->payload_len);
	xroce_req_placed(&node->req, pkt, is_ok, node->world->now);
}

/* An answer to what was never sent, or long ago, changes nothing. */
static void input_ghost(struct node *node, const struct xroce_pkt *pkt)
{
	struct xroce_pkt ghost = *pkt;
	/* Farther back it would speak of holes. */
	u32 away = rng_below(&node->world->rng,
			     XROCE_HOLE_PAST - XROCE_HOLE_STEP);
	struct xroce_req_verdict verdict;

	ghost.psn = rng_chance(&node->world->rng, 500) ?
		    node->req.una_psn - 1 - away : node->req.max_psn + away;
	ghost.psn &= XROCE_PSN_MASK;
	verdict = xroce_req_input(&node->req, &ghost, node->world->now);
	SIM_CHECK(node->world, verdict.act == XROCE_REQ_DROP);
}

static void input_response(struct node *node, const struct xroce_pkt *pkt,
			   const u8 *payload)
{
	u32 una_psn = node->req.una_psn;
	struct xroce_req_verdict verdict;

	if (rng_chance(&node->world->rng, node->params.ghosts))
		input_ghost(node, pkt);
	verdict = xroce_req_input(&node->req, pkt, node->world->now);
	if (xroce_req_wants_gaps(&node->req))
		node->req.gaps.ring = node->gaps;
	if (verdict.act == XROCE_REQ_DROP)
		node->drops[verdict.drop]++;
	else if (verdict.act >= XROCE_REQ_PLACE)
		place(node, pkt, payload, &verdict);
	watch_input(node, pkt, una_psn);
}

/* Return: the packet is kept. */
static bool input(struct node *node, struct packet *packet)
{
	struct xroce_pkt pkt;
	bool is_kept = false;
	const u8 *payload;

	if (!link_open(packet, &pkt, &payload)) {
		node->drops[XROCE_DROP_ICRC]++;
		return false;
	}
	SIM_CHECK(node->world, pkt.dest_qp == node->peer->params.req.dest_qp);
	if (node->is_dead || node->is_closing)
		return false;
	node->input_pkts++;
	if (pkt.info->is_response) {
		input_response(node, &pkt, payload);
	} else {
		is_kept = input_request(node, packet, &pkt, payload);
		if (!is_kept && node->resp.n_kept)
			input_kept(node);
	}
	kick_soon(node);
	return is_kept;
}

/* --- life ------------------------------------------------------------- */

static u32 count_recvs(struct node *node)
{
	const struct model *model = &node->peer->out;
	u32 i, n = 0;

	for (i = 0; i < model->n_ops; i++) {
		const struct op *op = &model->ops[i];
		struct recv *recv = &node->recvs[n];

		if (!op_takes_recv(op))
			continue;
		n++;
		if (recv->buf)
			continue;
		recv->op = i;
		recv->len = op->op == XROCE_WR_WRITE_IMM ? 0 :
			    op->len + rng_below(&node->world->rng, 3);
		if (node->params.service != XROCE_RC)
			recv->len = 8192 + 4096 * 8;
		if (op->poison == POISON_TOO_LONG)
			recv->len = op->len - 1;
		recv->buf = malloc(recv->len + 1);
		memset(recv->buf, 0xa5, recv->len + 1);
	}
	return n;
}

static void event_hold(struct node *node)
{
	bool is_held = !node->req.is_held;

	xroce_req_hold(&node->req, is_held);
	kick(node, 0);
	if (is_held)
		world_at(node->world, rng_below(&node->world->rng, 200000),
			 EVENT_HOLD, node, NULL);
}

void node_event(struct node *node, const struct event *event)
{
	u32 next_psn = xroce_req_next_psn(&node->req);
	bool was_held = node->req.is_held;

	switch (event->kind) {
	case EVENT_PACKET:
		if (!input(node, event->packet))
			free(event->packet);
		break;
	case EVENT_RUN:
		run(node);
		break;
	case EVENT_POST:
		event_post(node);
		break;
	case EVENT_RECV:
		event_recv(node, count_recvs(node));
		break;
	case EVENT_HOLD:
		event_hold(node);
		break;
	}
	if (was_held && node->req.is_held)
		SIM_CHECK(node->world,
			  next_psn == xroce_req_next_psn(&node->req));
}

u64 node_deadline(const struct node *node)
{
	u64 at = node->is_dead || node->is_closing ? U64_MAX :
		 xroce_resp_deadline(&node->resp);

	return min(at, xroce_req_deadline(&node->req));
}

void node_expire(struct node *node)
{
	u64 before;

	sim_trace(node->world, "%s expires", node->name);
	xroce_resp_expire(&node->resp, node->world->now);
	if (node->world->now >= xroce_req_deadline(&node->req)) {
		before = xroce_req_deadline(&node->req);
		xroce_req_expire(&node->req, node->world->now);
		SIM_CHECK(node->world,
			  xroce_req_deadline(&node->req) != before);
	}
	kick(node, 0);
}

void node_start(struct node *node)
{
	const struct xroce_sq sq = {
		.base = node->ring,
		.stride = sizeof(node->ring[0]),
		.mask = RING_SLOTS - 1,
	};
	struct world *world = node->world;

	xroce_req_init(&node->req, &node->params.req, &sq, node->params.psn);
	xroce_resp_init(&node->resp, &node->params.resp, node->rd,
			node->peer->params.psn);
	node->mem = malloc(mem_len(node));
	memcpy(node->mem, node->peer->out.mem, mem_len(node));
	if (node->out.n_ops)
		world_at(world, node->out.ops[0].delay, EVENT_POST, node, NULL);
	if (count_recvs(node))
		world_at(world, node->peer->out.ops[node->recvs[0].op].recv_delay,
			 EVENT_RECV, node, NULL);
	if (rng_chance(&world->rng, node->params.holds))
		world_at(world, rng_below(&world->rng, 300000), EVENT_HOLD,
			 node, NULL);
}

void node_fini(struct node *node)
{
	u32 i;

	for (i = 0; i < XROCE_KEEP; i++)
		free(node->packets[i]);
	for (i = 0; i < MAX_OPS; i++) {
		free(node->out.ops[i].got);
		free(node->out.ops[i].want);
		free(node->recvs[i].buf);
	}
	free(node->out.ops);
	free(node->out.source);
	free(node->out.mem);
	free(node->mem);
}

/* Nothing happens any more: all is finished, and as the model says. */
void node_check_end(struct node *node)
{
	struct world *world = node->world;
	struct model *in = &node->peer->out;

	SIM_CHECK(world, node->reaped == node->out.n_ops);
	if (node->is_dead || node->peer->is_dead ||
	    node->params.service != XROCE_RC)
		return;
	SIM_CHECK(world, xroce_req_is_drained(&node->req));
	SIM_CHECK(world, node->recvs_done == count_recvs(node));
	model_run(in, in->n_ops);
	SIM_CHECK(world, !memcmp(node->mem, in->mem, in->mem_len));
}
