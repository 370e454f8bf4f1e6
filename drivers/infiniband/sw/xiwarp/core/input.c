// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receiving: a segment's header is judged, its payload placed, its CRC checked,
 * then its effect delivered. Nothing but placed payload comes before the CRC.
 *
 *	header -> judge -> [RECV] -> payload: PLACE (SKIP if at fault) -> CRC
 *	       -> fault: FAULT, STOP
 *	       -> message complete: DONE -> commit
 */
#include <linux/limits.h>
#include <linux/string.h>
#include "abort.h"
#include "ddp.h"
#include "sendq.h"

#define ATOMIC_ALIGN	7

/* A zero-length FPDU has no header at all. */
static bool is_empty(const struct xiwarp_rdmap *s)
{
	return !s->deframer.ulpdu;
}

static bool is_send(const struct xiwarp_seg *seg)
{
	return seg->opcode >= XIWARP_OP_SEND && seg->opcode <= XIWARP_OP_SEND_SE_INV;
}

static bool is_imm(const struct xiwarp_seg *seg)
{
	return seg->opcode == XIWARP_OP_IMMEDIATE ||
	       seg->opcode == XIWARP_OP_IMMEDIATE_SE;
}

static bool uses_recv(const struct xiwarp_seg *seg)
{
	return is_send(seg) || is_imm(seg);
}

/* A response that is wrong, or can't be placed, ends its READ with more than a flush. */
static void fail_reader(struct xiwarp_rdmap *s, enum xiwarp_fault fault)
{
	struct xiwarp_wr *wr;

	if (fault != XIWARP_FAULT_RESPONSE_BOUNDS && fault != XIWARP_FAULT_SINK)
		return;
	wr = s->is_rtr_read ? NULL : xiwarp_sendq_oldest_rd(s);
	if (wr)
		xiwarp_sendq_finish(s, wr, xiwarp_fault_row(fault)->status);
}

static void break_off(struct xiwarp_rdmap *s, enum xiwarp_fault fault)
{
	fail_reader(s, fault);
	xiwarp_abort_rx(s, fault);
}

/*
 * A fault in the segment at hand. With CRC it has to wait until that has shown
 * that the segment is what the peer sent.
 */
static void note_fault(struct xiwarp_rdmap *s, enum xiwarp_fault fault)
{
	s->rx_fault = (u8)fault;
	if (!s->cfg.crc)
		break_off(s, fault);
}

/* ---- headers ---------------------------------------------------------------- */

/* Of our own READ @wr; it must be the next bytes, no more than were asked for. */
static enum xiwarp_fault check_read_response(const struct xiwarp_seg *seg,
					     const struct xiwarp_wr *wr)
{
	u32 left = wr->length - wr->done_bytes;

	if (seg->payload_len > left)
		return XIWARP_FAULT_RESPONSE_BOUNDS;
	if (seg->is_last && seg->payload_len != left)
		return XIWARP_FAULT_RESPONSE_BOUNDS;
	if (!seg->payload_len)
		return XIWARP_FAULT_NONE;
	if (seg->stag != wr->sink_stag || seg->to != wr->sink_to + wr->done_bytes)
		return XIWARP_FAULT_RESPONSE_BOUNDS;
	return XIWARP_FAULT_NONE;
}

static bool is_read(const struct xiwarp_wr *wr)
{
	return wr->op == XIWARP_WR_READ || wr->op == XIWARP_WR_READ_INV;
}

static enum xiwarp_fault judge_read_response(struct xiwarp_rdmap *s)
{
	const struct xiwarp_seg *seg = &s->seg;
	const struct xiwarp_wr *wr;

	if (s->is_rtr_read)
		return seg->payload_len || !seg->is_last ?
		       XIWARP_FAULT_RESPONSE_BOUNDS : XIWARP_FAULT_NONE;
	wr = xiwarp_sendq_oldest_rd(s);
	if (!wr || !is_read(wr))
		return XIWARP_FAULT_RESPONSE;
	return check_read_response(seg, wr);
}

static enum xiwarp_fault judge_result(struct xiwarp_rdmap *s)
{
	const struct xiwarp_seg *seg = &s->seg;
	const struct xiwarp_wr *wr = xiwarp_sendq_oldest_rd(s);
	enum xiwarp_fault fault;

	fault = xiwarp_ddp_check_untagged(seg, s->rx_msn[XIWARP_QN_ATOMIC], 0);
	if (fault)
		return fault;
	if (s->is_rtr_read || !wr || is_read(wr) || seg->result.id != s->rd_una)
		return XIWARP_FAULT_RESPONSE;
	return XIWARP_FAULT_NONE;
}

static enum xiwarp_fault check_atomic(const struct xiwarp_atomic *atomic)
{
	if (atomic->op != XIWARP_FETCH_ADD && atomic->op != XIWARP_CMP_SWAP)
		return XIWARP_FAULT_ATOMIC;
	if (atomic->to & ATOMIC_ALIGN)
		return XIWARP_FAULT_ATOMIC;
	return XIWARP_FAULT_NONE;
}

static enum xiwarp_fault check_read(const struct xiwarp_read *read)
{
	if (xiwarp_ddp_wraps(read->src_to, read->length) ||
	    xiwarp_ddp_wraps(read->sink_to, read->length))
		return XIWARP_FAULT_READ_WRAP;
	return XIWARP_FAULT_NONE;
}

static enum xiwarp_fault judge_request(struct xiwarp_rdmap *s)
{
	const struct xiwarp_seg *seg = &s->seg;
	enum xiwarp_fault fault;

	fault = xiwarp_ddp_check_untagged(seg, s->rx_msn[XIWARP_QN_REQUEST], 0);
	if (fault)
		return fault;
	if (s->rd_count >= s->cfg.ird)
		return XIWARP_FAULT_NO_IRD;
	if (seg->opcode == XIWARP_OP_ATOMIC_REQUEST)
		return check_atomic(&seg->atomic);
	return check_read(&seg->read);
}

static enum xiwarp_fault judge_send(struct xiwarp_rdmap *s)
{
	const struct xiwarp_seg *seg = &s->seg;
	u32 mo = s->in_message ? s->recv_done : 0;
	enum xiwarp_fault fault;

	fault = xiwarp_ddp_check_untagged(seg, s->rx_msn[XIWARP_QN_SEND], mo);
	if (fault)
		return fault;
	/* RFC 5040 5.1: all segments of a message have one opcode. */
	if (s->in_message && seg->opcode != s->recv_op)
		return XIWARP_FAULT_OPCODE;
	if ((u64)mo + seg->payload_len > U32_MAX)
		return XIWARP_FAULT_TOO_LONG;
	return XIWARP_FAULT_NONE;
}

/* RFC 5040 4.8: nobody answers a Terminate with a Terminate. */
static enum xiwarp_fault judge_terminate(const struct xiwarp_seg *seg)
{
	return seg->qn == XIWARP_QN_TERMINATE ? XIWARP_FAULT_NONE :
						XIWARP_FAULT_QN;
}

static enum xiwarp_fault judge(struct xiwarp_rdmap *s)
{
	switch (s->seg.opcode) {
	case XIWARP_OP_WRITE:
		return xiwarp_ddp_check_tagged(&s->seg);
	case XIWARP_OP_READ_RESPONSE:
		return judge_read_response(s);
	case XIWARP_OP_READ_REQUEST:
	case XIWARP_OP_ATOMIC_REQUEST:
		return judge_request(s);
	case XIWARP_OP_ATOMIC_RESPONSE:
		return judge_result(s);
	case XIWARP_OP_TERMINATE:
		return judge_terminate(&s->seg);
	}
	return judge_send(s);
}

/* The receive request, once there is one, must be long enough. */
static enum xiwarp_fault judge_recv(const struct xiwarp_rdmap *s)
{
	if (is_send(&s->seg) &&
	    (u64)s->recv_done + s->seg.payload_len > s->recv_len)
		return XIWARP_FAULT_TOO_LONG;
	return XIWARP_FAULT_NONE;
}

/* Return: true if the shell must take a receive request first. */
static bool input_header(struct xiwarp_rdmap *s, struct xiwarp_step *step)
{
	struct xiwarp_deframer *d = &s->deframer;
	enum xiwarp_fault fault = XIWARP_FAULT_NONE;
	enum xiwarp_parse parse;

	if (!is_empty(s)) {
		parse = xiwarp_wire_parse(&s->seg, d->hdr + XIWARP_LENGTH_BYTES,
					  d->ulpdu);
		fault = xiwarp_ddp_parse_fault(parse);
		if (!fault)
			fault = judge(s);
		if (!fault && uses_recv(&s->seg) && !s->has_recv) {
			step->act = XIWARP_STEP_RECV;
			return true;
		}
		if (!fault && uses_recv(&s->seg))
			fault = judge_recv(s);
	}
	xiwarp_deframer_go_on(d);
	s->passed = 0;
	if (fault)
		note_fault(s, fault);
	return false;
}

void xiwarp_rdmap_recv(struct xiwarp_rdmap *s, u64 length)
{
	s->has_recv = true;
	s->recv_len = length;
	s->recv_done = 0;
}

/* ---- payload ---------------------------------------------------------------- */

static void fill_place(struct xiwarp_rdmap *s, struct xiwarp_place *place)
{
	const struct xiwarp_seg *seg = &s->seg;

	switch (seg->opcode) {
	case XIWARP_OP_WRITE:
		place->where = XIWARP_TO_MR;
		place->rkey = seg->stag;
		place->va = seg->to + s->passed;
		place->check_len = s->deframer.left;
		break;
	case XIWARP_OP_READ_RESPONSE:
		place->where = XIWARP_TO_WR;
		place->wr = xiwarp_sendq_oldest_rd(s);
		place->offset = place->wr->done_bytes + s->passed;
		break;
	default:
		place->where = XIWARP_TO_RECV;
		place->offset = s->recv_done + s->passed;
	}
}

static void input_payload(struct xiwarp_rdmap *s, unsigned int len,
			  struct xiwarp_step *step)
{
	step->len = len;
	step->need_crc = s->cfg.crc;
	step->crc = s->deframer.crc;
	if (s->rx_fault) {
		step->act = XIWARP_STEP_SKIP;
		return;
	}
	step->act = XIWARP_STEP_PLACE;
	fill_place(s, &step->place);
}

void xiwarp_rdmap_passed(struct xiwarp_rdmap *s, unsigned int n, u32 crc)
{
	xiwarp_deframer_passed(&s->deframer, n, crc);
	s->passed += n;
}

void xiwarp_rdmap_refuse(struct xiwarp_rdmap *s, enum xiwarp_mem mem)
{
	switch (s->seg.opcode) {
	case XIWARP_OP_WRITE:
		note_fault(s, xiwarp_fault_of_write(mem));
		break;
	case XIWARP_OP_READ_RESPONSE:
		note_fault(s, XIWARP_FAULT_SINK);
		break;
	default:
		note_fault(s, XIWARP_FAULT_RECV_KEY);
	}
}

void xiwarp_rdmap_took(struct xiwarp_rdmap *s, unsigned int n)
{
	xiwarp_deframer_took(&s->deframer, n);
}

/* ---- effects ---------------------------------------------------------------- */

static enum xiwarp_fault fpdu_fault(const struct xiwarp_rdmap *s)
{
	if (!xiwarp_deframer_crc_ok(&s->deframer))
		return XIWARP_FAULT_CRC;
	if (s->deframer.is_marker_bad)
		return XIWARP_FAULT_MARKER;
	return s->rx_fault;
}

static void fill_recv(const struct xiwarp_rdmap *s, struct xiwarp_done *done)
{
	const struct xiwarp_seg *seg = &s->seg;

	done->what = XIWARP_GOT_RECV;
	done->completes = true;
	done->status = XIWARP_SUCCESS;
	done->solicited = seg->info->solicited;
	done->has_inv = seg->info->has_inv;
	done->inv_stag = seg->stag;
	done->has_imm = is_imm(seg);
	if (done->has_imm)
		memcpy(&done->imm, seg->imm, sizeof(done->imm));
	else
		done->byte_len = s->recv_done + seg->payload_len;
}

static void fill_read(struct xiwarp_rdmap *s, struct xiwarp_done *done)
{
	if (s->is_rtr_read)
		return;
	done->what = XIWARP_GOT_READ;
	done->wr = xiwarp_sendq_oldest_rd(s);
	done->has_inv = done->wr->op == XIWARP_WR_READ_INV;
	done->inv_stag = done->wr->inv_rkey;
}

static void fill_done(struct xiwarp_rdmap *s, struct xiwarp_done *done)
{
	const struct xiwarp_seg *seg = &s->seg;

	switch (seg->opcode) {
	case XIWARP_OP_WRITE:
		break;
	case XIWARP_OP_READ_RESPONSE:
		if (seg->is_last)
			fill_read(s, done);
		break;
	case XIWARP_OP_READ_REQUEST:
	case XIWARP_OP_ATOMIC_REQUEST:
		done->what = XIWARP_GOT_REQUEST;
		break;
	case XIWARP_OP_ATOMIC_RESPONSE:
		done->what = XIWARP_GOT_ATOMIC;
		done->wr = xiwarp_sendq_oldest_rd(s);
		done->value = seg->result.value;
		break;
	case XIWARP_OP_TERMINATE:
		done->what = XIWARP_GOT_TERMINATE;
		done->term = &seg->term;
		break;
	default:
		if (seg->is_last)
			fill_recv(s, done);
	}
}

/* Return: true if the shell has to do something. */
static bool input_end(struct xiwarp_rdmap *s, struct xiwarp_step *step)
{
	enum xiwarp_fault fault = fpdu_fault(s);

	if (fault) {
		break_off(s, fault);
		return false;
	}
	step->done.is_first = !s->has_first;
	if (!is_empty(s))
		fill_done(s, &step->done);
	if (!step->done.is_first && step->done.what == XIWARP_GOT_NOTHING) {
		xiwarp_rdmap_commit(s);
		return false;
	}
	step->act = XIWARP_STEP_DONE;
	return true;
}

static void commit_send(struct xiwarp_rdmap *s)
{
	const struct xiwarp_seg *seg = &s->seg;

	s->recv_done += seg->payload_len;
	s->in_message = !seg->is_last;
	s->recv_op = seg->opcode;
	if (!seg->is_last)
		return;
	s->has_recv = false;
	s->rx_msn[XIWARP_QN_SEND]++;
}

static void commit_request(struct xiwarp_rdmap *s)
{
	const struct xiwarp_seg *seg = &s->seg;
	struct xiwarp_rd *rd = &s->rd[(s->rd_head + s->rd_count) % s->cfg.ird];

	rd->is_atomic = seg->opcode == XIWARP_OP_ATOMIC_REQUEST;
	rd->msn = seg->msn;
	rd->done = 0;
	rd->is_executed = false;
	rd->result = 0;
	if (rd->is_atomic)
		rd->atomic = seg->atomic;
	else
		rd->read = seg->read;
	s->rd_count++;
	s->rx_msn[XIWARP_QN_REQUEST]++;
}

static void commit_response(struct xiwarp_rdmap *s)
{
	struct xiwarp_wr *wr;

	if (s->is_rtr_read) {
		s->is_rtr_read = false;
		s->rd_in_flight--;
		return;
	}
	wr = xiwarp_sendq_oldest_rd(s);
	wr->done_bytes += s->seg.payload_len;
	if (s->seg.is_last)
		xiwarp_sendq_finish(s, wr, XIWARP_SUCCESS);
}

/* The peer has given up. If it says that it was for a READ of ours, so be it. */
static void commit_terminate(struct xiwarp_rdmap *s)
{
	const struct xiwarp_term *term = &s->seg.term;
	int about = xiwarp_wire_term_about(term);
	struct xiwarp_wr *wr = xiwarp_sendq_oldest_rd(s);
	enum xiwarp_status status;

	s->is_broken = true;
	s->is_term_due = false;
	if (!wr || s->is_rtr_read)
		return;
	if (about != XIWARP_OP_READ_REQUEST && about != XIWARP_OP_ATOMIC_REQUEST)
		return;
	status = xiwarp_fault_status_of_term(term->layer, term->etype);
	xiwarp_sendq_finish(s, wr, status);
}

static void commit_segment(struct xiwarp_rdmap *s)
{
	switch (s->seg.opcode) {
	case XIWARP_OP_WRITE:
		break;
	case XIWARP_OP_READ_RESPONSE:
		commit_response(s);
		break;
	case XIWARP_OP_READ_REQUEST:
	case XIWARP_OP_ATOMIC_REQUEST:
		commit_request(s);
		break;
	case XIWARP_OP_ATOMIC_RESPONSE:
		s->rx_msn[XIWARP_QN_ATOMIC]++;
		xiwarp_sendq_finish(s, xiwarp_sendq_oldest_rd(s), XIWARP_SUCCESS);
		break;
	case XIWARP_OP_TERMINATE:
		commit_terminate(s);
		break;
	default:
		commit_send(s);
	}
}

void xiwarp_rdmap_commit(struct xiwarp_rdmap *s)
{
	if (s->is_broken)
		return;
	s->has_first = true;
	s->stats.rx_fpdus++;
	if (!is_empty(s)) {
		s->stats.rx_bytes += s->seg.payload_len;
		commit_segment(s);
	}
	xiwarp_deframer_next(&s->deframer);
}

void xiwarp_rdmap_deny(struct xiwarp_rdmap *s, enum xiwarp_fault fault)
{
	if (s->deframer.is_read) {
		break_off(s, fault);
		return;
	}
	/* In answer to RECV: the segment goes by. */
	xiwarp_deframer_go_on(&s->deframer);
	note_fault(s, fault);
}

/* ---- the question ------------------------------------------------------------ */

/* One more step of the stream. Return: true if @step is for the shell. */
static bool advance(struct xiwarp_rdmap *s, struct xiwarp_step *step)
{
	switch (xiwarp_deframer_want(&s->deframer, &step->buf, &step->len)) {
	case XIWARP_WANT_BYTES:
		step->act = XIWARP_STEP_TAKE;
		return true;
	case XIWARP_WANT_HEADER:
		return input_header(s, step);
	case XIWARP_WANT_PAYLOAD:
		input_payload(s, step->len, step);
		return true;
	default:
		return input_end(s, step);
	}
}

void xiwarp_rdmap_input(struct xiwarp_rdmap *s, struct xiwarp_step *step)
{
	memset(step, 0, sizeof(*step));
	while (!s->is_broken)
		if (advance(s, step))
			return;
	step->act = XIWARP_STEP_STOP;
	if (!s->is_fault_due)
		return;
	s->is_fault_due = false;
	step->act = XIWARP_STEP_FAULT;
	step->done = s->fault;
}
