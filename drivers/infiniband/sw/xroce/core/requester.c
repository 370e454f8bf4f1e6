// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sending: which packets next. A request gets its PSNs when its first packet
 * is due; all retransmissions follow from them. Knows nothing of answers.
 *
 *     reap         una            cur           started         posted
 *      | finished   | in flight    | to be resent | not started   |
 *   PSN:           una_psn        cur_psn        next_psn
 *
 * A READ request is one packet but takes the PSNs of its responses. Local requests
 * take none: they are executed when cur comes to them for the first time, and
 * skipped when it comes again.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include "recovery.h"

/* Packets in flight as long as nothing is known of the way. */
#define FIRST_WINDOW	16U
/* An answer is asked for at least this often. */
#define ACK_EVERY	32U
/*
 * Distances are reckoned from una_psn in 24 bits without sign. A window below
 * this leaves room for the longest message, 2^23 packets, behind it.
 */
#define MAX_WINDOW	(1U << 22)

#define RC	BIT(XROCE_RC)
#define UC	BIT(XROCE_UC)
#define UD	BIT(XROCE_UD)

/**
 * struct wr_row - constant facts about a kind of request
 * @op: enum xroce_operation
 * @services: who may do it, a bit per enum xroce_service
 * @tail: header in the last packet
 * @takes_recv: takes a receive request of the peer's: the SE bit means something to it
 */
struct wr_row {
	u8 op;
	u8 services;
	u16 tail;
	bool takes_recv;
};

static const struct wr_row rows[XROCE_WR_OPS] = {
	[XROCE_WR_SEND]	     = { XROCE_OP_SEND, RC | UC | UD, 0, true },
	[XROCE_WR_SEND_IMM]  = { XROCE_OP_SEND, RC | UC | UD,
				 XROCE_HDR_IMMDT, true },
	[XROCE_WR_SEND_INV]  = { XROCE_OP_SEND, RC, XROCE_HDR_IETH, true },
	[XROCE_WR_WRITE]     = { XROCE_OP_WRITE, RC | UC, 0, false },
	[XROCE_WR_WRITE_IMM] = { XROCE_OP_WRITE, RC | UC,
				 XROCE_HDR_IMMDT, true },
	[XROCE_WR_READ]	     = { XROCE_OP_READ_REQUEST, RC, 0, false },
	[XROCE_WR_CMP_SWAP]  = { XROCE_OP_CMP_SWAP, RC, 0, false },
	[XROCE_WR_FETCH_ADD] = { XROCE_OP_FETCH_ADD, RC, 0, false },
	[XROCE_WR_ATOMIC_WRITE] = { XROCE_OP_ATOMIC_WRITE, RC, 0, false },
	[XROCE_WR_FLUSH]     = { XROCE_OP_FLUSH, RC, 0, false },
	[XROCE_WR_LOCAL_INV] = { .services = RC | UC },
	[XROCE_WR_BIND_MW]   = { .services = RC | UC },
	[XROCE_WR_REG_MR]    = { .services = RC | UC },
};

static void set_cfg(struct xroce_req *req, const struct xroce_req_cfg *cfg)
{
	req->cfg = *cfg;
	req->cfg.window = clamp(cfg->window, 2U, MAX_WINDOW);
	req->retry_left = cfg->retry_cnt;
	req->rnr_left = cfg->rnr_retry;
}

void xroce_req_init(struct xroce_req *req, const struct xroce_req_cfg *cfg,
		    const struct xroce_sq *sq, u32 psn)
{
	memset(req, 0, sizeof(*req));
	set_cfg(req, cfg);
	req->sq = *sq;
	req->una_psn = psn & XROCE_PSN_MASK;
	req->cur_psn = req->una_psn;
	req->max_psn = req->una_psn;
	req->next_psn = req->una_psn;
	req->acked_psn = req->una_psn;
	req->timer = XROCE_NEVER;
	req->rnr_until = XROCE_NEVER;
	req->repair_at = XROCE_NEVER;
	req->probe_at = XROCE_NEVER;
	req->ramp = FIRST_WINDOW;
}

void xroce_req_reconfigure(struct xroce_req *req,
			   const struct xroce_req_cfg *cfg)
{
	bool had_timer = req->cfg.timeout_ns;

	set_cfg(req, cfg);
	if (!cfg->timeout_ns) {
		req->timer = XROCE_NEVER;
		req->probe_at = XROCE_NEVER;
	} else if (!had_timer && !req->is_broken &&
		   req->cur_psn != req->una_psn) {
		req->timer = 0;	/* sent who knows when: due at once */
	}
}

/* PSNs that @wr takes (IBTA 9.7.2). */
static u32 count_psns(const struct xroce_req *req, const struct xroce_wr *wr)
{
	bool is_one = xroce_wr_is_rd(wr) && wr->op != XROCE_WR_READ;

	if (!wr->length || is_one)
		return 1;
	return (wr->length - 1) / req->cfg.pmtu + 1;
}

/* What @wr, not started yet, fails with; XROCE_SUCCESS if it may be sent. */
static u8 local_fault(const struct xroce_req *req, const struct xroce_wr *wr)
{
	if (wr->fault)
		return wr->fault;
	if (wr->op >= XROCE_WR_OPS ||
	    !(rows[wr->op].services & BIT(req->cfg.service)))
		return XROCE_LOC_QP_OP_ERR;
	if (wr->length > XROCE_MAX_MESSAGE)
		return XROCE_LOC_LEN_ERR;
	if (req->cfg.service == XROCE_UD && wr->length > req->cfg.pmtu)
		return XROCE_LOC_LEN_ERR;
	if (xroce_wr_is_rd(wr) && !req->cfg.max_rd_atomic)
		return XROCE_LOC_QP_OP_ERR;
	return XROCE_SUCCESS;
}

/* Window, fence and READ credit allow the next packet of @wr. */
static bool has_room(const struct xroce_req *req, const struct xroce_wr *wr)
{
	u32 in_flight = xroce_req_ahead(req, req->cur_psn);

	if (req->cfg.service != XROCE_RC)
		return true;
	if (in_flight >= xroce_req_window(req))
		return false;
	if (wr->flags & XROCE_WR_FENCE && req->rd_in_flight)
		return false;
	if (!xroce_wr_is_rd(wr))
		return true;
	/* Reconfigured to none with one already started: let that one end. */
	if (req->rd_in_flight >= max_t(u32, req->cfg.max_rd_atomic, 1))
		return false;
	/* The peer must be able to tell new from old (IBTA 9.7.2). */
	return in_flight + count_psns(req, wr) <= XROCE_PSN_WINDOW;
}

/*
 * Has the peer a receive request for @wr, if it takes one? One message more than it has
 * is allowed (IBTA 9.7.7.2.5): its acknowledgement tells of more, or it is told to wait.
 * If nothing is in flight no acknowledgement would come.
 */
static bool has_credit(const struct xroce_req *req, const struct xroce_wr *wr)
{
	return !req->has_credits || !rows[wr->op].takes_recv || req->una == req->started ||
	       (s32)(req->lsn - req->ssn) >= 0;
}

static void start(struct xroce_req *req, struct xroce_wr *wr)
{
	req->ssn++;
	if (!rows[wr->op].takes_recv)
		req->lsn++;
	wr->is_started = true;
	wr->is_done = false;
	wr->status = XROCE_SUCCESS;
	wr->done_bytes = 0;
	wr->first_psn = req->next_psn;
	req->next_psn = xroce_psn_add(req->next_psn, count_psns(req, wr));
	wr->last_psn = xroce_psn_add(req->next_psn, XROCE_PSN_MASK);
	req->started++;
}

/* What was executed before a rewind stays executed. */
static void skip_local(struct xroce_req *req)
{
	while (req->cur != req->started &&
	       xroce_wr_is_local(xroce_sq_wr(&req->sq, req->cur)))
		req->cur++;
}

/* The request to send from, started if it is its turn; NULL if none may send. */
static struct xroce_wr *next_wr(struct xroce_req *req)
{
	struct xroce_wr *wr;
	bool is_new;

	skip_local(req);
	wr = xroce_sq_wr(&req->sq, req->cur);
	is_new = req->cur == req->started;
	if (req->cur == req->posted || (is_new && req->is_held))
		return NULL;
	if (is_new)
		wr->fault = local_fault(req, wr);
	if (wr->fault || xroce_wr_is_local(wr) || !has_room(req, wr))
		return NULL;
	if (is_new && !has_credit(req, wr))
		return NULL;
	if (is_new)
		start(req, wr);
	return wr;
}

/* Packets of @wr in the next run. */
static u32 run_length(const struct xroce_req *req, const struct xroce_wr *wr,
		      u32 max_pkts)
{
	u32 n = min(max_pkts, xroce_psn_dist(wr->last_psn, req->cur_psn) + 1);

	if (xroce_wr_is_rd(wr))
		return 1;
	if (req->cfg.service != XROCE_RC)
		return n;
	n = min(n, xroce_req_window(req) - xroce_req_ahead(req, req->cur_psn));
	return min(n, ACK_EVERY - req->unasked);
}

static u8 opcode_at(const struct xroce_req *req, const struct wr_row *row,
		    u8 pos)
{
	u16 hdrs = pos & XROCE_POS_LAST ? row->tail : 0;

	return (u8)xroce_opcode_of(req->cfg.service, row->op, pos, hdrs);
}

/* What every packet of the run, or the one packet of a READ, carries. */
static void fill_header(const struct xroce_req *req, const struct xroce_wr *wr,
			u32 psn, u32 offset, struct xroce_pkt *pkt)
{
	bool is_read = wr->op == XROCE_WR_READ;

	pkt->mig_req = true;
	pkt->pkey = req->cfg.pkey;
	pkt->dest_qp = req->cfg.dest_qp;
	pkt->psn = psn;
	/* A READ is repeated from the first byte that is missing. */
	pkt->va = wr->remote_va + (is_read ? offset : 0);
	pkt->dma_len = wr->length - (is_read ? offset : 0);
	pkt->rkey = wr->rkey;
	pkt->swap_add = wr->swap_add;
	pkt->compare = wr->compare;
	pkt->imm = wr->imm;
	pkt->inv_rkey = wr->inv_rkey;
	pkt->flush_type = wr->flush_type;
	pkt->flush_level = wr->flush_level;
}

static void fill_payload(const struct xroce_req *req, struct xroce_wr *wr,
			 u32 offset, u32 n, struct xroce_burst *burst)
{
	burst->wr = wr;
	burst->offset = offset;
	burst->npkts = n;
	burst->pmtu = req->cfg.pmtu;
	if (xroce_wr_is_rd(wr) && wr->op != XROCE_WR_ATOMIC_WRITE)
		return;
	burst->bytes = min(wr->length - offset, n * req->cfg.pmtu);
	if (burst->bytes)
		burst->source = XROCE_FROM_WR;
}

/* Opcodes by position; READs and their like are always one packet. */
static void fill_opcodes(const struct xroce_req *req,
			 const struct xroce_wr *wr, bool is_first,
			 struct xroce_burst *burst)
{
	const struct wr_row *row = &rows[wr->op];
	u8 first = is_first ? XROCE_POS_FIRST : XROCE_POS_MIDDLE;
	u8 last = burst->is_last ? XROCE_POS_LAST : XROCE_POS_MIDDLE;

	if (xroce_wr_is_rd(wr))
		first = XROCE_POS_ONLY;
	else if (burst->npkts == 1)
		first |= last;
	burst->first.opcode = opcode_at(req, row, first);
	burst->first.info = xroce_opcode_find(burst->first.opcode);
	burst->first.hdr_len = burst->first.info->hdr_len;
	if (burst->npkts == 1)
		return;
	burst->middle_opcode = opcode_at(req, row, XROCE_POS_MIDDLE);
	burst->last_opcode = opcode_at(req, row, last);
}

/* Ask at the end of a message, of the window, and of a long silence. */
static bool asks_ack(const struct xroce_req *req,
		     const struct xroce_burst *burst)
{
	u32 in_flight = xroce_req_ahead(req, burst->first.psn);

	if (req->cfg.service != XROCE_RC)
		return false;
	return burst->is_last || burst->is_repair ||
	       in_flight + burst->npkts >= xroce_req_window(req) ||
	       req->unasked + burst->npkts == ACK_EVERY;
}

/* @n packets of @wr from @psn on. */
static void fill_burst(const struct xroce_req *req, struct xroce_wr *wr,
		       u32 psn, u32 n, bool is_repair,
		       struct xroce_burst *burst)
{
	bool is_asking = req->ask_ack || is_repair;
	u32 i = xroce_psn_dist(psn, wr->first_psn);
	u32 offset = i * req->cfg.pmtu;

	memset(burst, 0, sizeof(*burst));
	burst->is_repair = is_repair;
	burst->is_again = is_repair || (req->is_recovering &&
					xroce_psn_before(psn, req->max_psn));
	burst->max_psn = req->max_psn;
	fill_header(req, wr, psn, offset, &burst->first);
	fill_payload(req, wr, offset, n, burst);
	burst->is_last = xroce_wr_is_rd(wr) ||
			 xroce_psn_add(psn, n - 1) == wr->last_psn;
	fill_opcodes(req, wr, !i, burst);
	burst->first.ack_req = is_asking && req->cfg.service == XROCE_RC;
	burst->ack_req_last = asks_ack(req, burst);
	burst->solicited_last = wr->flags & XROCE_WR_SOLICITED &&
				rows[wr->op].takes_recv;
}

/* Move past @psns PSNs of @wr, which are on their way as @burst. */
static void move_on(struct xroce_req *req, const struct xroce_wr *wr, u32 psns,
		    const struct xroce_burst *burst)
{
	u32 at = xroce_req_ahead(req, req->cur_psn);
	u32 sent = xroce_req_ahead(req, req->max_psn);

	if (at < sent)
		req->stats.resent += min(sent - at, burst->npkts);
	req->cur_psn = xroce_psn_add(req->cur_psn, psns);
	if (at + psns > sent)
		req->max_psn = req->cur_psn;
	if (!burst->is_last)
		return;
	req->cur++;
	if (xroce_wr_is_rd(wr))
		req->rd_in_flight++;
}

static void note_asked(struct xroce_req *req, const struct xroce_burst *burst)
{
	if (burst->ack_req_last)
		req->unasked = 0;
	else if (burst->first.ack_req)
		req->unasked = burst->npkts - 1;
	else
		req->unasked += burst->npkts;
	req->ask_ack = false;
}

/* What an acknowledgement of the last packet covers; a READ answers itself. */
static u32 rtt_psn(const struct xroce_burst *burst)
{
	return xroce_psn_add(burst->first.psn, burst->npkts);
}

static void note_sent(struct xroce_req *req, const struct xroce_wr *wr, u64 now,
		      const struct xroce_burst *burst)
{
	u32 psns = xroce_wr_is_rd(wr) ?
		   xroce_psn_dist(wr->last_psn, req->cur_psn) + 1 : burst->npkts;

	move_on(req, wr, psns, burst);
	if (req->cfg.service != XROCE_RC) {
		/* Nobody will answer: sent is done. */
		xroce_req_ack(req, psns, now);
		return;
	}
	note_asked(req, burst);
	if (burst->ack_req_last && req->max_psn == req->cur_psn)
		xroce_rtt_sent(&req->rtt, rtt_psn(burst), now);
	xroce_req_watch(req, now);
}

static bool output_repair(struct xroce_req *req, u64 now, u32 max_pkts,
			  struct xroce_burst *burst)
{
	u32 n = min(xroce_req_repair(req, now), max_pkts);

	if (!n)
		return false;
	fill_burst(req, xroce_req_oldest(req), req->una_psn, n, true, burst);
	xroce_req_repaired(req, n, now);
	return true;
}

static bool output_missing(struct xroce_req *req, u64 now, u32 max_pkts,
			   struct xroce_burst *burst)
{
	struct xroce_wr *wr;
	u32 n, psn;

	if (!req->gaps.unsent)
		return false;
	n = xroce_req_fill(req, now, max_pkts, &wr, &psn);
	if (n)
		fill_burst(req, wr, psn, n, true, burst);
	return n;
}

bool xroce_req_output(struct xroce_req *req, u64 now, u32 max_pkts,
		      struct xroce_burst *burst)
{
	struct xroce_wr *wr;

	if (req->is_broken)
		return false;
	if (req->rnr_until != XROCE_NEVER) {
		if (now < req->rnr_until)
			return false;
		req->rnr_until = XROCE_NEVER;
	}
	if (now < req->pause_until)
		return false;
	req->pause_until = 0;
	if (output_repair(req, now, max_pkts, burst) ||
	    output_missing(req, now, max_pkts, burst))
		return true;
	/* Until it is known what the peer does with what stands behind a hole. */
	if (req->is_waiting)
		return false;
	wr = next_wr(req);
	if (!wr) {
		xroce_req_settle(req);
		return false;
	}
	fill_burst(req, wr, req->cur_psn, run_length(req, wr, max_pkts), false,
		   burst);
	note_sent(req, wr, now, burst);
	return true;
}

const struct xroce_wr *xroce_req_peek(const struct xroce_req *req, u32 *offset)
{
	const struct xroce_wr *wr = xroce_sq_wr(&req->sq, req->cur);
	bool is_new = req->cur == req->started;

	if (req->is_broken || req->cur == req->posted || wr->fault)
		return NULL;
	if (xroce_wr_is_local(wr) ||
	    (xroce_wr_is_rd(wr) && wr->op != XROCE_WR_ATOMIC_WRITE))
		return NULL;
	*offset = is_new ? 0 : xroce_psn_dist(req->cur_psn, wr->first_psn) *
			       req->cfg.pmtu;
	return wr;
}

struct xroce_wr *xroce_req_local(const struct xroce_req *req)
{
	struct xroce_wr *wr = xroce_sq_wr(&req->sq, req->cur);

	if (req->is_broken || req->is_held || req->cur != req->started ||
	    req->cur == req->posted)
		return NULL;
	if (!xroce_wr_is_local(wr) || local_fault(req, wr))
		return NULL;
	if (wr->flags & XROCE_WR_FENCE && req->rd_in_flight)
		return NULL;
	/* What is in flight may need the key (IBTA 10.6.5, local fence). */
	if (wr->op == XROCE_WR_LOCAL_INV && req->una != req->started)
		return NULL;
	return wr;
}

void xroce_req_executed(struct xroce_req *req, struct xroce_wr *wr, u8 status)
{
	if (status) {
		wr->fault = status;
		xroce_req_settle(req);
		return;
	}
	wr->is_started = true;
	wr->is_done = false;
	wr->first_psn = req->next_psn;
	wr->last_psn = xroce_psn_add(req->next_psn, XROCE_PSN_MASK);
	req->started++;
	req->cur++;
	xroce_req_finish_local(req);
}

void xroce_req_hold(struct xroce_req *req, bool is_held)
{
	req->is_held = is_held;
}

bool xroce_req_is_drained(const struct xroce_req *req)
{
	return req->una == req->started;
}

u32 xroce_req_next_psn(const struct xroce_req *req)
{
	return req->next_psn;
}
