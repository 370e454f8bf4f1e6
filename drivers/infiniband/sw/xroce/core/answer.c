// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a response means to the requester (IBTA 9.7.5 and 9.7.7): acknowledge,
 * place, recover, wait or fail. Answers to READs and their like count in exact
 * order only.
 */
#include "credit.h"
#include "recovery.h"
#include "wire.h"

static struct xroce_req_verdict drop(enum xroce_drop reason)
{
	return (struct xroce_req_verdict){
		.act = XROCE_REQ_DROP,
		.drop = (u8)reason,
	};
}

static struct xroce_req_verdict taken(void)
{
	return (struct xroce_req_verdict){ .act = XROCE_REQ_TAKEN };
}

static u8 aeth_kind(const struct xroce_pkt *pkt)
{
	return pkt->syndrome & XROCE_AETH_KIND;
}

/* The peer has executed all before @psn, though READs may be unanswered. */
static void note_executed(struct xroce_req *req, u32 psn)
{
	if (xroce_psn_before(req->acked_psn, psn))
		req->acked_psn = psn;
}

/*
 * Everything before @pkt's PSN is executed. False if that's all there is to
 * say: an earlier answer is missing, or the requester broke.
 */
static bool catch_up(struct xroce_req *req, const struct xroce_pkt *pkt,
		     u64 now)
{
	note_executed(req, pkt->psn);
	if (xroce_req_ack_many(req, xroce_req_ahead(req, pkt->psn), now))
		return true;
	if (!req->is_broken)
		xroce_req_recover(req, &req->stats.implied_naks, now);
	return false;
}

static void take_ack(struct xroce_req *req, const struct xroce_pkt *pkt,
		     u64 now)
{
	u32 n = xroce_req_ahead(req, pkt->psn) + 1;

	note_executed(req, xroce_psn_add(pkt->psn, 1));
	if (!xroce_req_ack_many(req, n, now) && !req->is_broken)
		xroce_req_recover(req, &req->stats.implied_naks, now);
}

/* A READ is refused where its answer stops, maybe ahead of what came here. */
static bool is_within_oldest(const struct xroce_req *req, u32 psn)
{
	const struct xroce_wr *wr = xroce_req_oldest(req);

	return xroce_req_ahead(req, psn) <= xroce_req_ahead(req, wr->last_psn);
}

static void take_fatal_nak(struct xroce_req *req, const struct xroce_pkt *pkt,
			   u8 status, u64 now)
{
	xroce_req_ack_many(req, xroce_req_ahead(req, pkt->psn), now);
	if (req->is_broken)
		return;
	if (is_within_oldest(req, pkt->psn))
		xroce_req_break(req, status);
	else
		xroce_req_recover(req, &req->stats.implied_naks, now);
}

static struct xroce_req_verdict take_nak(struct xroce_req *req,
					 const struct xroce_pkt *pkt, u64 now)
{
	switch (pkt->syndrome & (XROCE_AETH_KIND | XROCE_AETH_VALUE)) {
	case XROCE_NAK_PSN_SEQUENCE:
		if (catch_up(req, pkt, now)) {
			xroce_req_recover(req, &req->stats.seq_naks, now);
			req->has_hole = true;
		}
		return taken();
	case XROCE_NAK_INVALID_REQUEST:
		take_fatal_nak(req, pkt, XROCE_REM_INV_REQ_ERR, now);
		return taken();
	case XROCE_NAK_REMOTE_ACCESS:
		take_fatal_nak(req, pkt, XROCE_REM_ACCESS_ERR, now);
		return taken();
	case XROCE_NAK_REMOTE_OPERATION:
		take_fatal_nak(req, pkt, XROCE_REM_OP_ERR, now);
		return taken();
	default:
		return drop(XROCE_DROP_MALFORMED);
	}
}

static struct xroce_req_verdict input_ack(struct xroce_req *req,
					  const struct xroce_pkt *pkt, u64 now)
{
	switch (aeth_kind(pkt)) {
	case XROCE_AETH_ACK:
		take_ack(req, pkt, now);
		return taken();
	case XROCE_AETH_RNR_NAK:
		if (catch_up(req, pkt, now))
			xroce_req_wait_rnr(req, pkt->syndrome, now);
		return taken();
	case XROCE_AETH_NAK:
		return take_nak(req, pkt, now);
	default:
		return drop(XROCE_DROP_MALFORMED);
	}
}

static u32 oldest_offset(const struct xroce_req *req)
{
	const struct xroce_wr *wr = xroce_req_oldest(req);

	return xroce_psn_dist(req->una_psn, wr->first_psn) * req->cfg.pmtu;
}

/*
 * Does @pkt answer the oldest PSN? FIRST and MIDDLE are one to us, LAST and ONLY
 * too: some peers answer a repeated READ as if they had never stopped.
 */
static u8 judge_read(const struct xroce_req *req, const struct xroce_pkt *pkt)
{
	const struct xroce_wr *wr = xroce_req_oldest(req);
	bool has_aeth = pkt->info->hdrs & XROCE_HDR_AETH;
	bool is_last = pkt->info->pos & XROCE_POS_LAST;
	u32 left;

	if (wr->op != XROCE_WR_READ)
		return XROCE_BAD_RESP_ERR;
	if (has_aeth && aeth_kind(pkt) != XROCE_AETH_ACK)
		return XROCE_BAD_RESP_ERR;
	left = wr->length - oldest_offset(req);
	if (is_last != (left <= req->cfg.pmtu))
		return XROCE_LOC_LEN_ERR;
	if (pkt->payload_len != (is_last ? left : req->cfg.pmtu))
		return XROCE_LOC_LEN_ERR;
	return XROCE_SUCCESS;
}

/* FLUSH and atomic WRITE: an empty READ response says that it is done. */
static bool is_done_by_response(const struct xroce_wr *wr)
{
	return wr->op == XROCE_WR_FLUSH || wr->op == XROCE_WR_ATOMIC_WRITE;
}

static u8 judge_done(const struct xroce_pkt *pkt)
{
	if (pkt->info->op != XROCE_OP_READ_RESPONSE ||
	    pkt->info->pos != XROCE_POS_ONLY ||
	    aeth_kind(pkt) != XROCE_AETH_ACK)
		return XROCE_BAD_RESP_ERR;
	return pkt->payload_len ? XROCE_LOC_LEN_ERR : XROCE_SUCCESS;
}

static u8 judge_atomic(const struct xroce_req *req, const struct xroce_pkt *pkt)
{
	const struct xroce_wr *wr = xroce_req_oldest(req);

	if (wr->op != XROCE_WR_CMP_SWAP && wr->op != XROCE_WR_FETCH_ADD)
		return XROCE_BAD_RESP_ERR;
	return aeth_kind(pkt) == XROCE_AETH_ACK ? XROCE_SUCCESS :
						  XROCE_BAD_RESP_ERR;
}

static u8 judge(const struct xroce_req *req, const struct xroce_pkt *pkt)
{
	if (is_done_by_response(xroce_req_oldest(req)))
		return judge_done(pkt);
	if (pkt->info->op == XROCE_OP_READ_RESPONSE)
		return judge_read(req, pkt);
	return judge_atomic(req, pkt);
}

/* The oldest PSN is answered; and with it what is behind may be done. */
static void finish_one(struct xroce_req *req, u64 now)
{
	xroce_req_ack(req, 1, now);
	xroce_req_ack_many(req, xroce_req_ahead(req, req->acked_psn), now);
}

static struct xroce_req_verdict input_answer(struct xroce_req *req,
					     const struct xroce_pkt *pkt,
					     u64 now)
{
	bool is_read = pkt->info->op == XROCE_OP_READ_RESPONSE;
	u8 status;

	if (!catch_up(req, pkt, now))
		return taken();
	status = judge(req, pkt);
	if (status) {
		xroce_req_break(req, status);
		return taken();
	}
	if (is_done_by_response(xroce_req_oldest(req))) {
		finish_one(req, now);
		return taken();
	}
	return (struct xroce_req_verdict){
		.act = is_read ? XROCE_REQ_PLACE : XROCE_REQ_PLACE_ATOMIC,
		.wr = xroce_req_oldest(req),
		.offset = is_read ? oldest_offset(req) : 0,
	};
}

/*
 * How many messages the peer can take: those that it says it has done, and so many more.
 * What it said before still holds.
 */
static void take_credits(struct xroce_req *req, const struct xroce_pkt *pkt)
{
	u8 code = pkt->syndrome & XROCE_AETH_VALUE;
	u32 lsn;

	if (!(pkt->info->hdrs & XROCE_HDR_AETH) || aeth_kind(pkt) != XROCE_AETH_ACK)
		return;
	req->has_credits = code != XROCE_CREDIT_UNLIMITED;
	if (!req->has_credits)
		return;
	/* Of both numbers the wire has 24 bits. */
	lsn = req->ssn + (u32)xroce_psn_diff(xroce_psn_add(pkt->msn, xroce_credit_count(code)),
					     req->ssn & XROCE_PSN_MASK);
	if ((s32)(lsn - req->lsn) > 0)
		req->lsn = lsn;
}

static struct xroce_req_verdict input(struct xroce_req *req,
				      const struct xroce_pkt *pkt, u64 now)
{
	switch (pkt->info->op) {
	case XROCE_OP_ACKNOWLEDGE:
		return input_ack(req, pkt, now);
	case XROCE_OP_READ_RESPONSE:
	case XROCE_OP_ATOMIC_ACKNOWLEDGE:
		return input_answer(req, pkt, now);
	default:
		return drop(XROCE_DROP_OPCODE);
	}
}

/* An acknowledgement that says what the last one said. */
static bool is_copy(const struct xroce_req *req, const struct xroce_pkt *pkt)
{
	return pkt->info->op == XROCE_OP_ACKNOWLEDGE &&
	       aeth_kind(pkt) == XROCE_AETH_ACK &&
	       xroce_psn_add(pkt->psn, 1) == req->una_psn;
}

static bool tells_of_hole(struct xroce_req *req, const struct xroce_pkt *pkt,
			  u64 now)
{
	return pkt->info->op == XROCE_OP_ACKNOWLEDGE &&
	       aeth_kind(pkt) == XROCE_AETH_ACK &&
	       xroce_req_hear_of_hole(req, pkt->psn, now);
}

struct xroce_req_verdict xroce_req_input(struct xroce_req *req,
					 const struct xroce_pkt *pkt, u64 now)
{
	u32 sent = xroce_req_ahead(req, req->max_psn);
	u32 una_psn = req->una_psn;
	struct xroce_req_verdict verdict;

	if (req->cfg.service != XROCE_RC)
		return drop(XROCE_DROP_SERVICE);
	if (req->is_broken)
		return drop(XROCE_DROP_STATE);
	if (is_copy(req, pkt)) {
		xroce_req_note_copy(req, now);
		take_credits(req, pkt);
	}
	/* Acknowledged long ago, or never sent: without sign, both are ahead. */
	if (xroce_req_ahead(req, pkt->psn) >= sent)
		return tells_of_hole(req, pkt, now) ? taken() :
						      drop(XROCE_DROP_STALE);
	take_credits(req, pkt);
	verdict = input(req, pkt, now);
	xroce_req_learn(req, una_psn, now);
	return verdict;
}

void xroce_req_placed(struct xroce_req *req, const struct xroce_pkt *pkt,
		      bool is_ok, u64 now)
{
	bool is_read = pkt->info->op == XROCE_OP_READ_RESPONSE;

	if (req->is_broken)
		return;
	if (!is_ok) {
		xroce_req_break(req, XROCE_LOC_PROT_ERR);
		return;
	}
	xroce_req_oldest(req)->done_bytes += is_read ? pkt->payload_len :
						       (u32)sizeof(pkt->orig);
	finish_one(req, now);
}
