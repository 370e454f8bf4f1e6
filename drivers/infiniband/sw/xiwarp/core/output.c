// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sending: whose turn it is, and the run of segments to send. A message is sent
 * whole before another one begins (RFC 5041 5.3), our requests and the answers to
 * the peer's in turn. MSNs are counted for each queue (RFC 5041 4.3).
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "abort.h"
#include "ddp.h"
#include "mpa.h"
#include "sendq.h"

/* The RTR's RDMA Write and Read name it, nobody looks at it (RFC 6581 9.2). */
#define RTR_STAG	1

#define ALL_ONES	(~0ULL)

/**
 * struct wr_row - constant facts about a kind of request
 * @op: enum xiwarp_op of its message
 * @se_op: the same with SE
 * @is_local: nothing is sent
 */
struct wr_row {
	u8 op;
	u8 se_op;
	bool is_local;
};

static const struct wr_row rows[XIWARP_WR_OPS] = {
	[XIWARP_WR_SEND]      = { XIWARP_OP_SEND, XIWARP_OP_SEND_SE },
	[XIWARP_WR_SEND_INV]  = { XIWARP_OP_SEND_INV, XIWARP_OP_SEND_SE_INV },
	[XIWARP_WR_WRITE]     = { XIWARP_OP_WRITE, XIWARP_OP_WRITE },
	[XIWARP_WR_WRITE_IMM] = { XIWARP_OP_WRITE, XIWARP_OP_WRITE },
	[XIWARP_WR_READ]      = { XIWARP_OP_READ_REQUEST, XIWARP_OP_READ_REQUEST },
	[XIWARP_WR_READ_INV]  = { XIWARP_OP_READ_REQUEST, XIWARP_OP_READ_REQUEST },
	[XIWARP_WR_CMP_SWAP]  = { XIWARP_OP_ATOMIC_REQUEST, XIWARP_OP_ATOMIC_REQUEST },
	[XIWARP_WR_FETCH_ADD] = { XIWARP_OP_ATOMIC_REQUEST, XIWARP_OP_ATOMIC_REQUEST },
	[XIWARP_WR_LOCAL_INV] = { .is_local = true },
	[XIWARP_WR_REG_MR]    = { .is_local = true },
};

static u8 opcode_of(const struct xiwarp_wr *wr)
{
	const struct wr_row *row = &rows[wr->op];

	return wr->flags & XIWARP_WR_SOLICITED ? row->se_op : row->op;
}

static bool is_write(const struct xiwarp_wr *wr)
{
	return wr->op == XIWARP_WR_WRITE || wr->op == XIWARP_WR_WRITE_IMM;
}

/* What @wr fails with instead of being sent. */
static enum xiwarp_status local_fault(const struct xiwarp_rdmap *s,
				      const struct xiwarp_wr *wr)
{
	if (wr->fault)
		return wr->fault;
	if (wr->op >= XIWARP_WR_OPS)
		return XIWARP_LOC_QP_OP_ERR;
	if (xiwarp_wr_is_rd(wr) && !s->cfg.ord)
		return XIWARP_LOC_QP_OP_ERR;
	if (xiwarp_wr_is_rd(wr) && xiwarp_ddp_wraps(wr->sink_to, wr->length))
		return XIWARP_LOC_LEN_ERR;
	if ((xiwarp_wr_is_rd(wr) || is_write(wr)) &&
	    xiwarp_ddp_wraps(wr->remote_to, wr->length))
		return XIWARP_LOC_LEN_ERR;
	return XIWARP_SUCCESS;
}

static bool in_request(const struct xiwarp_rdmap *s)
{
	return s->cur_done || s->is_imm_due;
}

static bool in_answer(const struct xiwarp_rdmap *s)
{
	return s->rd_count && !s->rd[s->rd_head].is_atomic &&
	       s->rd[s->rd_head].done;
}

/* The request to send from now, or NULL. A bad one fails on the way. */
static struct xiwarp_wr *next_wr(struct xiwarp_rdmap *s)
{
	struct xiwarp_wr *wr = xiwarp_sq_wr(&s->sq, s->cur);
	enum xiwarp_status fault;

	if (s->cur == s->posted || s->is_failed || in_answer(s))
		return NULL;
	if (in_request(s))
		return wr;
	wr->is_done = false;
	wr->done_bytes = 0;
	if (wr->flags & XIWARP_WR_FENCE && s->rd_in_flight)
		return NULL;
	fault = local_fault(s, wr);
	if (fault) {
		xiwarp_sendq_fail_cur(s, fault);
		return NULL;
	}
	if (xiwarp_wr_is_rd(wr) && s->rd_in_flight >= s->cfg.ord)
		return NULL;
	return wr;
}

static bool has_answer(const struct xiwarp_rdmap *s)
{
	return s->rd_count && !in_request(s);
}

/* How much of @left goes into the run; @hdr_len: header of each segment. */
static void set_run(const struct xiwarp_rdmap *s, struct xiwarp_burst *burst,
		    u32 left, u32 max_bytes, u32 hdr_len)
{
	burst->seg_bytes = s->cfg.mulpdu - hdr_len;
	burst->bytes = left;
	if (left > burst->seg_bytes && left > max_bytes)
		burst->bytes = max(max_bytes - max_bytes % burst->seg_bytes,
				   burst->seg_bytes);
	burst->nsegs = burst->bytes ? (burst->bytes - 1) / burst->seg_bytes + 1 : 1;
	burst->is_last = burst->bytes == left;
}

static void fill_untagged(struct xiwarp_rdmap *s, struct xiwarp_seg *seg)
{
	seg->qn = xiwarp_opcode_find(seg->opcode)->qn;
	seg->msn = s->tx_msn[seg->qn];
}

/* A message of one segment without payload. */
static void fill_single(struct xiwarp_rdmap *s, struct xiwarp_burst *burst,
			u8 opcode)
{
	burst->first.opcode = opcode;
	burst->nsegs = 1;
	burst->is_last = true;
	if (!xiwarp_opcode_find(opcode)->is_tagged) {
		fill_untagged(s, &burst->first);
		s->tx_msn[burst->first.qn]++;
	}
}

/* ---- our requests --------------------------------------------------------- */

static void output_payload(struct xiwarp_rdmap *s, struct xiwarp_wr *wr,
			   u32 max_bytes, struct xiwarp_burst *burst)
{
	struct xiwarp_seg *seg = &burst->first;
	u32 left = wr->length - s->cur_done;

	seg->opcode = opcode_of(wr);
	set_run(s, burst, left, max_bytes,
		xiwarp_opcode_find(seg->opcode)->hdr_len);
	burst->offset = s->cur_done;
	burst->source = burst->bytes ? XIWARP_FROM_WR : XIWARP_FROM_NOWHERE;
	if (is_write(wr)) {
		seg->stag = wr->rkey;
		seg->to = wr->remote_to + s->cur_done;
	} else {
		fill_untagged(s, seg);
		seg->stag = wr->op == XIWARP_WR_SEND_INV ? wr->inv_rkey : 0;
		seg->mo = s->cur_done;
		if (burst->is_last)
			s->tx_msn[seg->qn]++;
	}
	s->cur_done += burst->bytes;
}

static void output_imm(struct xiwarp_rdmap *s, const struct xiwarp_wr *wr,
		       struct xiwarp_burst *burst)
{
	bool solicited = wr->flags & XIWARP_WR_SOLICITED;

	fill_single(s, burst, solicited ? XIWARP_OP_IMMEDIATE_SE :
					  XIWARP_OP_IMMEDIATE);
	memcpy(burst->first.imm, &wr->imm, sizeof(wr->imm));
}

static void output_read(struct xiwarp_rdmap *s, const struct xiwarp_wr *wr,
			struct xiwarp_burst *burst)
{
	struct xiwarp_read *read = &burst->first.read;

	fill_single(s, burst, XIWARP_OP_READ_REQUEST);
	read->sink_stag = wr->sink_stag;
	read->sink_to = wr->sink_to;
	read->length = wr->length;
	read->src_stag = wr->rkey;
	read->src_to = wr->remote_to;
}

static void output_atomic(struct xiwarp_rdmap *s, const struct xiwarp_wr *wr,
			  struct xiwarp_burst *burst)
{
	struct xiwarp_atomic *atomic = &burst->first.atomic;

	fill_single(s, burst, XIWARP_OP_ATOMIC_REQUEST);
	atomic->id = s->cur;
	atomic->stag = wr->rkey;
	atomic->to = wr->remote_to;
	atomic->swap_add = wr->swap_add;
	if (wr->op == XIWARP_WR_FETCH_ADD) {
		atomic->op = XIWARP_FETCH_ADD;
		return;
	}
	atomic->op = XIWARP_CMP_SWAP;
	atomic->mask = ALL_ONES;
	atomic->compare = wr->compare;
	atomic->compare_mask = ALL_ONES;
}

static void output_rd(struct xiwarp_rdmap *s, const struct xiwarp_wr *wr,
		      struct xiwarp_burst *burst)
{
	if (opcode_of(wr) == XIWARP_OP_READ_REQUEST)
		output_read(s, wr, burst);
	else
		output_atomic(s, wr, burst);
	s->rd_in_flight++;
}

static void end_request(struct xiwarp_rdmap *s)
{
	s->cur++;
	s->cur_done = 0;
	s->is_imm_due = false;
	s->prefers_requests = false;
}

static bool output_request(struct xiwarp_rdmap *s, u32 max_bytes,
			   struct xiwarp_burst *burst)
{
	struct xiwarp_wr *wr = next_wr(s);

	if (!wr)
		return false;
	burst->wr = wr;
	if (rows[wr->op].is_local) {
		burst->source = XIWARP_LOCAL;
		return true;
	}
	if (xiwarp_wr_is_rd(wr))
		output_rd(s, wr, burst);
	else if (s->is_imm_due || (wr->op == XIWARP_WR_WRITE_IMM && !wr->length))
		output_imm(s, wr, burst);
	else
		output_payload(s, wr, max_bytes, burst);
	if (!burst->is_last)
		return true;
	if (wr->op == XIWARP_WR_WRITE_IMM && burst->first.opcode == XIWARP_OP_WRITE) {
		s->is_imm_due = true;
		return true;
	}
	end_request(s);
	return true;
}

void xiwarp_rdmap_fail_wr(struct xiwarp_rdmap *s,
			  const struct xiwarp_burst *burst,
			  enum xiwarp_status status)
{
	/* It was counted as sent if this was its end; a Write's Imm is not. */
	if (burst->is_last && !s->is_imm_due)
		s->cur--;
	xiwarp_sendq_fail_cur(s, status);
}

void xiwarp_rdmap_local_done(struct xiwarp_rdmap *s,
			     const struct xiwarp_burst *burst,
			     enum xiwarp_status status)
{
	if (status) {
		xiwarp_sendq_fail_cur(s, status);
		return;
	}
	end_request(s);
	xiwarp_sendq_finish(s, burst->wr, XIWARP_SUCCESS);
}

/* ---- answers to the peer --------------------------------------------------- */

static void output_response(struct xiwarp_rdmap *s, struct xiwarp_rd *rd,
			    u32 max_bytes, struct xiwarp_burst *burst)
{
	u32 left = rd->read.length - rd->done;

	burst->first.opcode = XIWARP_OP_READ_RESPONSE;
	burst->first.stag = rd->read.sink_stag;
	burst->first.to = rd->read.sink_to + rd->done;
	set_run(s, burst, left, max_bytes, XIWARP_TAGGED_BYTES);
	burst->source = burst->bytes ? XIWARP_FROM_MR : XIWARP_FROM_NOWHERE;
	burst->offset = rd->done;
	burst->rkey = rd->read.src_stag;
	burst->va = rd->read.src_to + rd->done;
	burst->check_len = left;
	rd->done += burst->bytes;
}

static void output_result(struct xiwarp_rdmap *s, const struct xiwarp_rd *rd,
			  struct xiwarp_burst *burst)
{
	fill_single(s, burst, XIWARP_OP_ATOMIC_RESPONSE);
	burst->first.result.id = rd->atomic.id;
	burst->first.result.value = rd->result;
	if (rd->is_executed)
		return;
	burst->source = XIWARP_FROM_ATOMIC;
	burst->atomic = rd->atomic;
	burst->rkey = rd->atomic.stag;
	burst->va = rd->atomic.to;
	burst->check_len = sizeof(u64);
}

static bool output_answer(struct xiwarp_rdmap *s, u32 max_bytes,
			  struct xiwarp_burst *burst)
{
	struct xiwarp_rd *rd = &s->rd[s->rd_head];

	if (!has_answer(s))
		return false;
	s->rd_given = s->rd_head;
	if (rd->is_atomic)
		output_result(s, rd, burst);
	else
		output_response(s, rd, max_bytes, burst);
	if (!burst->is_last)
		return true;
	s->rd_head = (u16)((s->rd_head + 1) % s->cfg.ird);
	s->rd_count--;
	s->prefers_requests = true;
	return true;
}

void xiwarp_rdmap_atomic_done(struct xiwarp_rdmap *s, struct xiwarp_burst *burst,
			      u64 old)
{
	struct xiwarp_rd *rd = &s->rd[s->rd_given];

	rd->is_executed = true;
	rd->result = old;
	burst->first.result.value = old;
}

/* The Terminate shows the request, which is long gone: build it once more. */
void xiwarp_rdmap_read_refused(struct xiwarp_rdmap *s,
			       const struct xiwarp_burst *burst,
			       enum xiwarp_mem mem)
{
	const struct xiwarp_rd *rd = &s->rd[s->rd_given];
	struct xiwarp_seg seg = {
		.opcode = rd->is_atomic ? XIWARP_OP_ATOMIC_REQUEST :
					  XIWARP_OP_READ_REQUEST,
		.is_last = true,
		.qn = XIWARP_QN_REQUEST,
		.msn = rd->msn,
	};
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	unsigned int len;

	if (rd->is_atomic)
		seg.atomic = rd->atomic;
	else
		seg.read = rd->read;
	len = xiwarp_wire_build(&seg, hdr);
	xiwarp_abort(s, xiwarp_fault_of_read(mem), hdr, len, len);
}

/* ---- the rest --------------------------------------------------------------- */

static bool output_rtr(struct xiwarp_rdmap *s, struct xiwarp_burst *burst)
{
	s->is_rtr_due = false;
	switch (s->cfg.rtr_send) {
	case XIWARP_RTR_WRITE:
		fill_single(s, burst, XIWARP_OP_WRITE);
		burst->first.stag = RTR_STAG;
		break;
	case XIWARP_RTR_READ:
		fill_single(s, burst, XIWARP_OP_READ_REQUEST);
		burst->first.read.src_stag = RTR_STAG;
		s->is_rtr_read = true;
		s->rd_in_flight++;
		break;
	default:
		burst->source = XIWARP_FPDU;
		burst->nsegs = 1;
		burst->is_last = true;
	}
	return true;
}

static bool output_terminate(struct xiwarp_rdmap *s, struct xiwarp_burst *burst)
{
	if (!s->is_term_due)
		return false;
	s->is_term_due = false;
	fill_single(s, burst, XIWARP_OP_TERMINATE);
	burst->first.term = s->term;
	return true;
}

void xiwarp_rdmap_go_first(struct xiwarp_rdmap *s)
{
	s->goes_first = true;
}

static bool output_any(struct xiwarp_rdmap *s, u32 max_bytes,
		       struct xiwarp_burst *burst)
{
	if (s->is_broken)
		return output_terminate(s, burst);
	/* RFC 5044 7.1: the initiator is first. */
	if (xiwarp_rdmap_waits_for_first(s))
		return false;
	if (s->is_rtr_due)
		return output_rtr(s, burst);
	if (s->prefers_requests && output_request(s, max_bytes, burst))
		return true;
	/* A request that failed in its turn has broken the stream. */
	if (s->is_broken)
		return false;
	return output_answer(s, max_bytes, burst) ||
	       output_request(s, max_bytes, burst);
}

static void set_mark(struct xiwarp_rdmap *s)
{
	struct xiwarp_rdmap_mark *mark = &s->mark;

	mark->cur = s->cur;
	mark->cur_done = s->cur_done;
	mark->rd_done = s->rd_count ? s->rd[s->rd_head].done : 0;
	memcpy(mark->tx_msn, s->tx_msn, sizeof(mark->tx_msn));
	mark->rd_in_flight = s->rd_in_flight;
	mark->rd_head = s->rd_head;
	mark->rd_count = s->rd_count;
	mark->is_imm_due = s->is_imm_due;
	mark->is_rtr_due = s->is_rtr_due;
	mark->is_rtr_read = s->is_rtr_read;
	mark->is_term_due = s->is_term_due;
	mark->prefers_requests = s->prefers_requests;
}

void xiwarp_rdmap_take_back(struct xiwarp_rdmap *s,
			    const struct xiwarp_burst *burst)
{
	const struct xiwarp_rdmap_mark *mark = &s->mark;

	s->cur = mark->cur;
	s->cur_done = mark->cur_done;
	memcpy(s->tx_msn, mark->tx_msn, sizeof(s->tx_msn));
	s->rd_in_flight = mark->rd_in_flight;
	s->rd_head = mark->rd_head;
	s->rd_count = mark->rd_count;
	if (s->rd_count)
		s->rd[s->rd_head].done = mark->rd_done;
	s->is_imm_due = mark->is_imm_due;
	s->is_rtr_due = mark->is_rtr_due;
	s->is_rtr_read = mark->is_rtr_read;
	s->is_term_due = mark->is_term_due;
	s->prefers_requests = mark->prefers_requests;
	s->stats.tx_fpdus -= burst->nsegs;
	s->stats.tx_bytes -= burst->bytes;
}

bool xiwarp_rdmap_output(struct xiwarp_rdmap *s, u32 max_bytes,
			 struct xiwarp_burst *burst)
{
	bool was_broken = s->is_broken;

	memset(burst, 0, sizeof(*burst));
	set_mark(s);
	if (!output_any(s, max_bytes, burst)) {
		if (was_broken || !s->is_broken)
			return false;
		/* A request failed in its turn: that owes a Terminate. */
		set_mark(s);
		output_terminate(s, burst);
	}
	s->stats.tx_fpdus += burst->nsegs;
	s->stats.tx_bytes += burst->bytes;
	return true;
}
