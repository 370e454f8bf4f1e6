// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Judging requests, in the order of IBTA 9.7.4: PSN, opcode sequence, operation,
 * resources, lengths; the owner adds keys and memory. Then what is owed: one
 * acknowledgement per batch, never ahead of older answers.
 *
 * RC answers faults and ends with them. UC and UD drop the message and go on.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "credit.h"
#include "psn.h"
#include "rd.h"

#define MSN_MASK	0x00ffffffU
/*
 * UC: a PSN so little behind belongs to a late copy, not to a peer that began
 * anew or lost 2^24 packets; at most this many messages are lost if it does.
 */
#define UC_STALE	1024

static void set_cfg(struct xroce_resp *resp, const struct xroce_resp_cfg *cfg)
{
	resp->cfg = *cfg;
	resp->cfg.min_rnr_timer &= XROCE_AETH_VALUE;
	resp->cfg.keep = min_t(u32, cfg->keep, XROCE_KEEP);
}

void xroce_resp_init(struct xroce_resp *resp, const struct xroce_resp_cfg *cfg,
		     struct xroce_rd *rd, u32 psn)
{
	memset(resp, 0, sizeof(*resp));
	set_cfg(resp, cfg);
	resp->epsn = psn & XROCE_PSN_MASK;
	resp->recvs = XROCE_RECVS_UNTOLD;
	resp->plain_psn = xroce_psn_add(resp->epsn, XROCE_PSN_MASK);
	resp->holes.seen_psn = resp->epsn;
	resp->rd = rd;
	if (rd)
		memset(rd, 0, cfg->max_dest_rd_atomic * sizeof(*rd));
}

void xroce_resp_reconfigure(struct xroce_resp *resp,
			    const struct xroce_resp_cfg *cfg)
{
	u32 slots = resp->cfg.max_dest_rd_atomic;

	set_cfg(resp, cfg);
	resp->cfg.max_dest_rd_atomic = slots;
}

static struct xroce_resp_verdict drop(enum xroce_drop reason)
{
	return (struct xroce_resp_verdict){
		.act = XROCE_RESP_DROP,
		.drop = (u8)reason,
	};
}

static struct xroce_resp_verdict refuse(enum xroce_fault fault)
{
	return (struct xroce_resp_verdict){
		.act = XROCE_RESP_FAULT,
		.fault = (u8)fault,
	};
}

static bool is_start(const struct xroce_pkt *pkt)
{
	return pkt->info->pos & XROCE_POS_FIRST;
}

static bool is_end(const struct xroce_pkt *pkt)
{
	return pkt->info->pos & XROCE_POS_LAST;
}

static bool is_rd(const struct xroce_pkt *pkt)
{
	u8 op = pkt->info->op;

	return op == XROCE_OP_READ_REQUEST || op == XROCE_OP_CMP_SWAP ||
	       op == XROCE_OP_FETCH_ADD || op == XROCE_OP_ATOMIC_WRITE ||
	       op == XROCE_OP_FLUSH;
}

static bool has_imm(const struct xroce_pkt *pkt)
{
	return pkt->info->hdrs & XROCE_HDR_IMMDT;
}

/*
 * Not beyond a READ or its like: these have answers of their own. If one of those is
 * lost or late and an acknowledgement comes, a requester takes that for a NAK, or like
 * rxe for the answer.
 */
static void owe_ack(struct xroce_resp *resp)
{
	resp->ack_pending = true;
	resp->ack_psn = resp->plain_psn;
}

static void owe_nak(struct xroce_resp *resp, u8 syndrome)
{
	resp->nak_pending = true;
	resp->nak_psn = resp->epsn;
	resp->nak_syndrome = syndrome;
}

/* One for each hole: IBTA 9.7.5.1.2. */
static void nak_hole(struct xroce_resp *resp)
{
	if (resp->has_nakked)
		return;
	resp->has_nakked = true;
	resp->stats.naks++;
	owe_nak(resp, xroce_fault_row(XROCE_FAULT_PSN_GAP)->syndrome);
}

static u64 *kept_word(struct xroce_resp *resp, u32 psn)
{
	return &resp->kept->bits[psn % XROCE_KEEP / 64];
}

static u64 kept_bit(u32 psn)
{
	return 1ULL << (psn & 63);
}

static bool is_kept(struct xroce_resp *resp, u32 psn)
{
	return resp->n_kept && *kept_word(resp, psn) & kept_bit(psn);
}

/* What stands behind a hole: never acknowledged, so it may be lost at any time. */
static struct xroce_resp_verdict out_of_sequence(struct xroce_resp *resp,
						 u32 psn, u32 ahead)
{
	resp->stats.out_of_sequence++;
	if (ahead >= resp->cfg.keep) {
		nak_hole(resp);
		return drop(XROCE_DROP_OUT_OF_ORDER);
	}
	if (is_kept(resp, psn)) {
		resp->stats.duplicates++;
		xroce_holes_note_copy(&resp->holes, psn);
		return drop(XROCE_DROP_DUPLICATE);
	}
	return (struct xroce_resp_verdict){ .act = XROCE_RESP_KEEP };
}

/*
 * Of holes that have had their time: of the oldest by a NAK, of the others by
 * output(), if the peer sends only what is missing.
 */
static void tell_of_holes(struct xroce_resp *resp, u64 now)
{
	if (resp->is_broken)
		return;
	if (!resp->has_nakked &&
	    xroce_holes_is_due(&resp->holes, resp->epsn, now))
		nak_hole(resp);
	resp->told_until = now;
	resp->owes_holes = xroce_holes_untold(&resp->holes, resp->epsn, now);
}

void xroce_resp_keep(struct xroce_resp *resp, struct xroce_kept *kept, u32 psn,
		     u64 now)
{
	if (!kept) {
		nak_hole(resp);
		return;
	}
	resp->kept = kept;
	resp->holes.ring = kept->holes;
	*kept_word(resp, psn) |= kept_bit(psn);
	resp->n_kept++;
	resp->stats.kept++;
	xroce_holes_see(&resp->holes, resp->epsn, psn, now);
	tell_of_holes(resp, now);
}

/* Some are kept. True if this one was; not any more. */
static bool forget_kept(struct xroce_resp *resp, u32 psn)
{
	u64 *word = kept_word(resp, psn);

	if (!(*word & kept_bit(psn)))
		return false;
	*word &= ~kept_bit(psn);
	resp->n_kept--;
	return true;
}

/*
 * Who was told of a hole learns at once how far this came, though he did not ask; and
 * where the next hole is, which is a new one.
 */
static void tell_of_kept(struct xroce_resp *resp, u64 now)
{
	if (resp->has_taken_kept && resp->has_filled) {
		owe_ack(resp);
		xroce_holes_note_filled(&resp->holes);
		resp->is_judging = true;
	}
	resp->has_taken_kept = false;
	resp->has_filled = false;
	if (resp->n_kept)
		tell_of_holes(resp, now);
}

bool xroce_resp_next_kept(struct xroce_resp *resp, u64 now, u32 *psn)
{
	if (!resp->is_broken && resp->n_kept && forget_kept(resp, resp->epsn)) {
		resp->has_taken_kept = true;
		*psn = resp->epsn;
		return true;
	}
	tell_of_kept(resp, now);
	return false;
}

u64 xroce_resp_deadline(const struct xroce_resp *resp)
{
	if (!resp->n_kept || resp->is_broken)
		return U64_MAX;
	return xroce_holes_deadline(&resp->holes, resp->epsn,
				    resp->told_until);
}

void xroce_resp_expire(struct xroce_resp *resp, u64 now)
{
	if (resp->n_kept)
		tell_of_holes(resp, now);
}

/* A hole was filled. Who sends all from there on sends what was kept, too. */
static void judge_peer(struct xroce_resp *resp, s32 ahead)
{
	resp->is_judging = false;
	resp->is_selective = ahead >= 0;
}

static struct xroce_resp_verdict duplicate(struct xroce_resp *resp,
					   const struct xroce_pkt *pkt)
{
	resp->stats.duplicates++;
	xroce_holes_note_copy(&resp->holes, pkt->psn);
	if (is_rd(pkt))
		xroce_rd_replay(resp, pkt);
	else
		owe_ack(resp);
	return drop(XROCE_DROP_DUPLICATE);
}

/* IBTA 9.7.4.1.2: a message goes on with its own kind and ends with LAST. */
static bool is_in_order(const struct xroce_resp *resp,
			const struct xroce_pkt *pkt)
{
	if (!resp->in_message)
		return is_start(pkt);
	return !is_start(pkt) && pkt->info->op == resp->msg_op;
}

static u32 flush_access(const struct xroce_pkt *pkt)
{
	u32 access = 0;

	if (pkt->flush_type & XROCE_FLUSH_GLOBAL)
		access |= XROCE_ACCESS_FLUSH_GLOBAL;
	if (pkt->flush_type & XROCE_FLUSH_PERSISTENT)
		access |= XROCE_ACCESS_FLUSH_PERSISTENT;
	return access;
}

static u32 access_for(const struct xroce_pkt *pkt)
{
	switch (pkt->info->op) {
	case XROCE_OP_WRITE:
	case XROCE_OP_ATOMIC_WRITE:
		return XROCE_ACCESS_REMOTE_WRITE;
	case XROCE_OP_FLUSH:
		return flush_access(pkt);
	case XROCE_OP_READ_REQUEST:
		return XROCE_ACCESS_REMOTE_READ;
	case XROCE_OP_CMP_SWAP:
	case XROCE_OP_FETCH_ADD:
		return XROCE_ACCESS_REMOTE_ATOMIC;
	default:
		return 0;
	}
}

/* What the opcode alone does not say: kinds of FLUSH that are not defined. */
static bool is_offered(const struct xroce_pkt *pkt)
{
	if (pkt->info->op != XROCE_OP_FLUSH)
		return true;
	return pkt->flush_type &&
	       !(pkt->flush_type & ~(XROCE_FLUSH_GLOBAL |
				     XROCE_FLUSH_PERSISTENT)) &&
	       pkt->flush_level <= XROCE_FLUSH_MR;
}

static enum xroce_fault check_admission(const struct xroce_resp *resp,
					const struct xroce_pkt *pkt)
{
	u32 access = access_for(pkt);

	if (!is_in_order(resp, pkt))
		return XROCE_FAULT_OPCODE_SEQUENCE;
	if (!is_offered(pkt))
		return XROCE_FAULT_OPCODE;
	if ((resp->cfg.access & access) != access)
		return XROCE_FAULT_NOT_PERMITTED;
	if (is_rd(pkt) && !xroce_rd_has_room(resp))
		return XROCE_FAULT_RD_RESOURCES;
	return XROCE_FAULT_NONE;
}

static bool needs_recv(const struct xroce_resp *resp,
		       const struct xroce_pkt *pkt)
{
	if (resp->has_recv)
		return false;
	if (pkt->info->op == XROCE_OP_SEND)
		return is_start(pkt);
	return pkt->info->op == XROCE_OP_WRITE && has_imm(pkt);
}

/* The packet's own length, given its place in the message (IBTA 9.7.4.1.6). */
static bool has_good_length(const struct xroce_resp *resp,
			    const struct xroce_pkt *pkt)
{
	if (!is_end(pkt))
		return pkt->payload_len == resp->cfg.pmtu;
	if (pkt->payload_len > resp->cfg.pmtu)
		return false;
	return is_start(pkt) || pkt->payload_len;
}

/* A range of up to 2^31 bytes that does not run over the end of memory. */
static enum xroce_fault check_range(u64 va, u32 len)
{
	if (len > XROCE_MAX_MESSAGE)
		return XROCE_FAULT_LENGTH;
	if (len && va + len <= va)
		return XROCE_FAULT_REMOTE_ACCESS;
	return XROCE_FAULT_NONE;
}

static u32 recv_offset(const struct xroce_resp *resp,
		       const struct xroce_pkt *pkt)
{
	return is_start(pkt) ? 0 : resp->recv_done;
}

static enum xroce_fault check_send(const struct xroce_resp *resp,
				   const struct xroce_pkt *pkt)
{
	u32 offset = recv_offset(resp, pkt);

	if (!has_good_length(resp, pkt) ||
	    pkt->payload_len > XROCE_MAX_MESSAGE - offset)
		return XROCE_FAULT_LENGTH;
	if ((u64)offset + pkt->payload_len > resp->recv_len)
		return XROCE_FAULT_RECV_TOO_SMALL;
	return XROCE_FAULT_NONE;
}

/* Bytes of the WRITE from this packet on. */
static u32 write_left(const struct xroce_resp *resp,
		      const struct xroce_pkt *pkt)
{
	return is_start(pkt) ? pkt->dma_len : resp->write_left;
}

static enum xroce_fault check_write(const struct xroce_resp *resp,
				    const struct xroce_pkt *pkt)
{
	u32 left = write_left(resp, pkt);

	if (!has_good_length(resp, pkt))
		return XROCE_FAULT_LENGTH;
	if (is_end(pkt) ? pkt->payload_len != left : pkt->payload_len >= left)
		return XROCE_FAULT_LENGTH;
	return is_start(pkt) ? check_range(pkt->va, left) : XROCE_FAULT_NONE;
}

static enum xroce_fault check_atomic(const struct xroce_pkt *pkt)
{
	if (pkt->payload_len)
		return XROCE_FAULT_LENGTH;
	if (pkt->va & (sizeof(u64) - 1))
		return XROCE_FAULT_MISALIGNED;
	return check_range(pkt->va, sizeof(u64));
}

/* IBTA A19: 8 bytes that lie in one word. */
static enum xroce_fault check_atomic_write(const struct xroce_pkt *pkt)
{
	if (pkt->payload_len != sizeof(u64) || pkt->dma_len != sizeof(u64))
		return XROCE_FAULT_LENGTH;
	if (pkt->va & (sizeof(u64) - 1))
		return XROCE_FAULT_MISALIGNED;
	return check_range(pkt->va, sizeof(u64));
}

static enum xroce_fault check_flush(const struct xroce_pkt *pkt)
{
	if (pkt->payload_len)
		return XROCE_FAULT_LENGTH;
	if (pkt->flush_level == XROCE_FLUSH_MR)
		return XROCE_FAULT_NONE;
	return check_range(pkt->va, pkt->dma_len);
}

static enum xroce_fault check_lengths(const struct xroce_resp *resp,
				      const struct xroce_pkt *pkt)
{
	switch (pkt->info->op) {
	case XROCE_OP_SEND:
		return check_send(resp, pkt);
	case XROCE_OP_WRITE:
		return check_write(resp, pkt);
	case XROCE_OP_READ_REQUEST:
		return pkt->payload_len ? XROCE_FAULT_LENGTH :
					  check_range(pkt->va, pkt->dma_len);
	case XROCE_OP_ATOMIC_WRITE:
		return check_atomic_write(pkt);
	case XROCE_OP_FLUSH:
		return check_flush(pkt);
	default:
		return check_atomic(pkt);
	}
}

static struct xroce_resp_verdict allow_write(const struct xroce_resp *resp,
					     const struct xroce_pkt *pkt)
{
	u64 va = is_start(pkt) ? pkt->va : resp->write_va;

	return (struct xroce_resp_verdict){
		.act = XROCE_RESP_WRITE,
		.rkey = is_start(pkt) ? pkt->rkey : resp->write_rkey,
		.access = XROCE_ACCESS_REMOTE_WRITE,
		.check_va = va,
		.check_len = write_left(resp, pkt),
		.va = va,
	};
}

/* One packet that names all its memory. */
static struct xroce_resp_verdict allow_rd(enum xroce_resp_act act,
					  const struct xroce_pkt *pkt, u64 len)
{
	return (struct xroce_resp_verdict){
		.act = (u8)act,
		.rkey = pkt->rkey,
		.access = access_for(pkt),
		.check_va = pkt->va,
		.check_len = len,
		.va = pkt->va,
	};
}

static struct xroce_resp_verdict allow_flush(const struct xroce_pkt *pkt)
{
	bool is_whole = pkt->flush_level == XROCE_FLUSH_MR;
	struct xroce_resp_verdict verdict =
		allow_rd(XROCE_RESP_FLUSH, pkt, is_whole ? 0 : pkt->dma_len);

	verdict.is_whole = is_whole;
	return verdict;
}

static struct xroce_resp_verdict allow(const struct xroce_resp *resp,
				       const struct xroce_pkt *pkt)
{
	switch (pkt->info->op) {
	case XROCE_OP_SEND:
		return (struct xroce_resp_verdict){
			.act = XROCE_RESP_RECV,
			.offset = recv_offset(resp, pkt),
		};
	case XROCE_OP_WRITE:
		return allow_write(resp, pkt);
	case XROCE_OP_READ_REQUEST:
		return allow_rd(XROCE_RESP_READ, pkt, pkt->dma_len);
	case XROCE_OP_ATOMIC_WRITE:
		return allow_rd(XROCE_RESP_ATOMIC_WRITE, pkt, sizeof(u64));
	case XROCE_OP_FLUSH:
		return allow_flush(pkt);
	default:
		return allow_rd(XROCE_RESP_ATOMIC, pkt, sizeof(u64));
	}
}

static struct xroce_resp_verdict check_request(const struct xroce_resp *resp,
					       const struct xroce_pkt *pkt)
{
	enum xroce_fault fault;

	fault = check_admission(resp, pkt);
	if (fault)
		return refuse(fault);
	if (needs_recv(resp, pkt))
		return (struct xroce_resp_verdict){
			.act = XROCE_RESP_NEED_RECV,
		};
	fault = check_lengths(resp, pkt);
	if (fault)
		return refuse(fault);
	return allow(resp, pkt);
}

/* IBTA 9.8.2.2: lost packets end the message; the next one is taken again. */
static struct xroce_resp_verdict check_uc(struct xroce_resp *resp,
					  const struct xroce_pkt *pkt)
{
	s32 ahead = xroce_psn_diff(pkt->psn, resp->epsn);

	if (ahead < 0 && ahead >= -UC_STALE)
		return drop(XROCE_DROP_DUPLICATE);
	if (ahead || is_start(pkt))
		resp->in_message = false;
	if (!is_in_order(resp, pkt)) {
		resp->in_message = false;
		return drop(XROCE_DROP_SEQUENCE);
	}
	return check_request(resp, pkt);
}

struct xroce_resp_verdict xroce_resp_check(struct xroce_resp *resp,
					   const struct xroce_pkt *pkt)
{
	s32 ahead = xroce_psn_diff(pkt->psn, resp->epsn);

	if (resp->is_broken)
		return drop(XROCE_DROP_STATE);
	if (resp->cfg.service == XROCE_UC)
		return check_uc(resp, pkt);
	if (resp->cfg.service == XROCE_UD)
		return check_request(resp, pkt);
	if (resp->is_judging)
		judge_peer(resp, ahead);
	if (ahead > 0)
		return out_of_sequence(resp, pkt->psn, (u32)ahead);
	if (ahead < 0)
		return duplicate(resp, pkt);
	return check_request(resp, pkt);
}

void xroce_resp_recv(struct xroce_resp *resp, u64 len)
{
	resp->has_recv = true;
	resp->recv_len = len;
	resp->recv_done = 0;
}

static void take_write(struct xroce_resp *resp, const struct xroce_pkt *pkt)
{
	if (is_start(pkt)) {
		resp->write_va = pkt->va;
		resp->write_rkey = pkt->rkey;
		resp->write_len = pkt->dma_len;
		resp->write_left = pkt->dma_len;
	}
	resp->write_va += pkt->payload_len;
	resp->write_left -= pkt->payload_len;
}

static u32 count_psns(const struct xroce_resp *resp,
		      const struct xroce_pkt *pkt)
{
	if (pkt->info->op != XROCE_OP_READ_REQUEST || !pkt->dma_len)
		return 1;
	return (pkt->dma_len - 1) / resp->cfg.pmtu + 1;
}

static struct xroce_resp_done complete_recv(struct xroce_resp *resp,
					    const struct xroce_pkt *pkt)
{
	bool is_write = pkt->info->op == XROCE_OP_WRITE;

	resp->has_recv = false;
	return (struct xroce_resp_done){
		.completes = true,
		.status = XROCE_SUCCESS,
		.byte_len = is_write ? resp->write_len : resp->recv_done,
		.has_imm = has_imm(pkt),
		.imm = pkt->imm,
		.has_inv = pkt->info->hdrs & XROCE_HDR_IETH,
		.inv_rkey = pkt->inv_rkey,
		.solicited = pkt->solicited,
		.is_write_imm = is_write,
	};
}

/* What @pkt changes but for its payload, which is in place. */
/* Nothing in sight but READs: the PSN must not become so old that it seems new. */
static void keep_plain_near(struct xroce_resp *resp, u32 first_psn)
{
	if (xroce_psn_dist(resp->epsn, resp->plain_psn) > XROCE_HOLE_PAST / 2)
		resp->plain_psn = xroce_psn_add(first_psn, XROCE_PSN_MASK);
}

static void take(struct xroce_resp *resp, const struct xroce_pkt *pkt, u64 old)
{
	u32 psns = count_psns(resp, pkt), i;

	if (resp->has_nakked && resp->n_kept)
		resp->has_filled = true;
	resp->has_nakked = false;
	resp->nak_pending = false;
	/* A READ takes PSNs of which no packet makes sense. */
	for (i = 1; resp->n_kept && i < min_t(u32, psns, XROCE_KEEP); i++)
		forget_kept(resp, xroce_psn_add(pkt->psn, i));
	resp->epsn = xroce_psn_add(pkt->psn, psns);
	resp->in_message = !is_end(pkt);
	resp->msg_op = pkt->info->op;
	if (is_end(pkt))
		resp->msn = (resp->msn + 1) & MSN_MASK;
	if (is_rd(pkt)) {
		xroce_rd_push(resp, pkt, psns, old);
		keep_plain_near(resp, pkt->psn);
		return;
	}
	resp->plain_psn = pkt->psn;
	if (pkt->info->op == XROCE_OP_SEND)
		resp->recv_done = recv_offset(resp, pkt) + pkt->payload_len;
	else
		take_write(resp, pkt);
}

struct xroce_resp_done xroce_resp_commit(struct xroce_resp *resp,
					 const struct xroce_pkt *pkt, u64 old)
{
	bool is_send = pkt->info->op == XROCE_OP_SEND;

	take(resp, pkt, old);
	if (resp->cfg.service == XROCE_RC && pkt->ack_req && !is_rd(pkt))
		owe_ack(resp);
	if (is_end(pkt) && (is_send || has_imm(pkt)))
		return complete_recv(resp, pkt);
	return (struct xroce_resp_done){ .completes = false };
}

static enum xroce_drop drop_for(enum xroce_fault fault)
{
	switch (fault) {
	case XROCE_FAULT_RNR:
		return XROCE_DROP_RNR;
	case XROCE_FAULT_RECV_TOO_SMALL:
		return XROCE_DROP_TOO_LONG;
	case XROCE_FAULT_NOT_PERMITTED:
	case XROCE_FAULT_REMOTE_ACCESS:
		return XROCE_DROP_REMOTE_ACCESS;
	case XROCE_FAULT_LOCAL_KEY:
	case XROCE_FAULT_LOCAL_OP:
	case XROCE_FAULT_CQ_OVERFLOW:
		return XROCE_DROP_NONE;
	default:
		return XROCE_DROP_MALFORMED;
	}
}

/* Faults of this side: they end any QP, whoever sent the packet. */
static bool is_local(enum xroce_fault fault)
{
	return drop_for(fault) == XROCE_DROP_NONE;
}

/* The end of this QP: the receive request in use tells, or else an event. */
static void tell(struct xroce_resp *resp, const struct xroce_fault_row *row,
		 struct xroce_resp_done *done)
{
	resp->is_broken = true;
	resp->in_message = false;
	done->to_error = true;
	done->completes = resp->has_recv;
	if (resp->has_recv)
		done->status = row->status;
	else
		done->event = row->event;
	resp->has_recv = false;
}

static void answer_fault(struct xroce_resp *resp,
			 const struct xroce_fault_row *row)
{
	if (!row->syndrome)
		return;
	if (row->is_fatal) {
		resp->stats.naks++;
		owe_nak(resp, row->syndrome);
		return;
	}
	/* What follows is ahead of epsn; let it pass in silence. */
	resp->has_nakked = true;
	resp->stats.rnr_naks++;
	owe_nak(resp, row->syndrome | resp->cfg.min_rnr_timer);
}

struct xroce_resp_done xroce_resp_fail(struct xroce_resp *resp,
				       const struct xroce_pkt *pkt,
				       enum xroce_fault fault)
{
	const struct xroce_fault_row *row = xroce_fault_row(fault);
	struct xroce_resp_done done = { .drop = (u8)drop_for(fault) };

	if (resp->cfg.service == XROCE_RC) {
		answer_fault(resp, row);
		if (row->is_fatal)
			tell(resp, row, &done);
		return done;
	}
	/* A receive request in use waits for the next message. */
	resp->epsn = xroce_psn_add(pkt->psn, 1);
	resp->in_message = false;
	if (is_local(fault))
		tell(resp, row, &done);
	return done;
}

/* The one in use is for a message that @msn does not count yet. */
static u8 credit_code(const struct xroce_resp *resp)
{
	if (resp->recvs == XROCE_RECVS_UNTOLD)
		return XROCE_CREDIT_UNLIMITED;
	return xroce_credit_code(resp->recvs + resp->has_recv);
}

/* The part of @hole from what is told on that is still open. Return: packets. */
static u32 open_part(struct xroce_resp *resp, const struct xroce_hole *hole,
		     u32 psn)
{
	u32 most = min_t(u32, hole->n - hole->told, XROCE_HOLE_MOST), n;

	if (xroce_psn_before(psn, resp->epsn))
		return 0;
	for (n = 0; n < most && !is_kept(resp, xroce_psn_add(psn, n)); n++)
		;
	return n;
}

/* What to say of the next hole that the peer must be told of; false: of none. */
static bool next_hole(struct xroce_resp *resp, u32 *said)
{
	struct xroce_hole *hole;

	while ((hole = xroce_holes_untold(&resp->holes, resp->epsn,
					  resp->told_until))) {
		u32 psn = xroce_psn_add(hole->psn, hole->told);
		u32 n = open_part(resp, hole, psn);

		hole->told += (u16)max_t(u32, n, 1);
		/* The NAK tells of one, and all the others are sent again after it. */
		if (!n || (n == 1 && psn == resp->epsn) || !resp->is_selective)
			continue;
		*said = xroce_hole_write(psn, n);
		return true;
	}
	resp->owes_holes = false;
	return false;
}

static void be_ack(const struct xroce_resp *resp, u32 psn,
		   struct xroce_burst *burst)
{
	burst->is_last = true;
	burst->first.opcode = (u8)xroce_opcode_of(XROCE_RC,
						  XROCE_OP_ACKNOWLEDGE,
						  XROCE_POS_ONLY, 0);
	burst->first.psn = psn;
	burst->first.msn = resp->msn;
}

static void fill_ack(struct xroce_resp *resp, struct xroce_burst *burst)
{
	if (resp->nak_pending) {
		be_ack(resp, resp->nak_psn, burst);
		burst->first.syndrome = resp->nak_syndrome;
	} else {
		be_ack(resp, resp->plain_psn, burst);
		resp->stats.acks++;
	}
	/* A NAK acknowledges all before it. */
	resp->nak_pending = false;
	resp->ack_pending = false;
}

bool xroce_resp_output(struct xroce_resp *resp, u32 max_pkts,
		       struct xroce_burst *burst)
{
	struct xroce_rd *rd = xroce_rd_pending(resp);
	bool tells_hole;
	u32 hole;

	/* Before the NAK of the oldest hole: what that moves back is less then. */
	tells_hole = !rd && resp->owes_holes && next_hole(resp, &hole);
	if (!rd && !tells_hole && !resp->nak_pending && !resp->ack_pending)
		return false;
	memset(burst, 0, sizeof(*burst));
	burst->npkts = 1;
	burst->pmtu = resp->cfg.pmtu;
	burst->first.mig_req = true;
	burst->first.pkey = resp->cfg.pkey;
	burst->first.dest_qp = resp->cfg.dest_qp;
	burst->first.syndrome = XROCE_AETH_ACK | credit_code(resp);
	if (rd) {
		/* This answer says as much as an older acknowledgement. */
		if (xroce_psn_before(resp->ack_psn, rd->first_psn))
			resp->ack_pending = false;
		xroce_rd_answer(resp, rd, max_pkts, burst);
	} else if (tells_hole) {
		be_ack(resp, hole, burst);
		resp->stats.holes_told++;
	} else {
		fill_ack(resp, burst);
	}
	burst->first.info = xroce_opcode_find(burst->first.opcode);
	burst->first.hdr_len = burst->first.info->hdr_len;
	return true;
}

bool xroce_resp_peek(struct xroce_resp *resp, struct xroce_resp_peek *peek)
{
	const struct xroce_rd *rd = xroce_rd_pending(resp);

	if (!rd)
		return false;
	xroce_rd_peek(resp, rd, peek);
	return peek->bytes;
}

struct xroce_resp_done xroce_resp_read_failed(struct xroce_resp *resp,
					      const struct xroce_burst *burst)
{
	const struct xroce_fault_row *row =
		xroce_fault_row(XROCE_FAULT_REMOTE_ACCESS);
	struct xroce_resp_done done = { .to_error = true };

	xroce_rd_cancel(resp);
	resp->stats.naks++;
	resp->is_broken = true;
	resp->ack_pending = false;
	resp->nak_pending = true;
	resp->nak_psn = burst->first.psn;
	resp->nak_syndrome = row->syndrome;
	/* A READ holds no receive request; the owner flushes one in use. */
	done.event = row->event;
	return done;
}
