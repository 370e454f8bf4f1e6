// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READs and their like in a ring, in PSN order: the slot at rd_head is the oldest
 * and the next to be used again. Answers leave in ring order.
 *
 *            rd_head (oldest)        rd_next
 *     ... new |  answered  answered  | pending  pending | new ...
 *
 * A duplicate makes an answered slot pending again (IBTA 9.7.5.1.4).
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include "psn.h"
#include "rd.h"

static u32 slots(const struct xroce_resp *resp)
{
	return resp->cfg.max_dest_rd_atomic;
}

/* The slot @age places younger than the oldest one. */
static u32 slot_at(const struct xroce_resp *resp, u32 age)
{
	u32 i = resp->rd_head + age;

	return i < slots(resp) ? i : i - slots(resp);
}

static u32 age_of(const struct xroce_resp *resp, u32 slot)
{
	return slot >= resp->rd_head ? slot - resp->rd_head :
				       slot + slots(resp) - resp->rd_head;
}

static void set_pending(struct xroce_resp *resp, u32 slot)
{
	struct xroce_rd *rd = &resp->rd[slot];

	if (!resp->rd_pending ||
	    age_of(resp, slot) < age_of(resp, resp->rd_next))
		resp->rd_next = slot;
	if (!rd->is_pending)
		resp->rd_pending++;
	rd->is_pending = true;
}

static void clear_pending(struct xroce_resp *resp, struct xroce_rd *rd)
{
	if (rd->is_pending)
		resp->rd_pending--;
	rd->is_pending = false;
}

/* Answers owed in the @n oldest slots. */
static bool owes_any(const struct xroce_resp *resp, u32 n)
{
	while (n--) {
		if (resp->rd[slot_at(resp, n)].is_pending)
			return true;
	}
	return false;
}

/*
 * Ages stay what they are, counted from the youngest: new slots are the oldest
 * ones, and those that go are.
 */
bool xroce_resp_resize(struct xroce_resp *resp, struct xroce_rd *rd, u32 n)
{
	u32 kept = min(slots(resp), n), gone = slots(resp) - kept, i;

	if (owes_any(resp, gone))
		return false;
	if (n)
		memset(rd, 0, n * sizeof(*rd));
	for (i = 0; i < kept; i++)
		rd[n - kept + i] = resp->rd[slot_at(resp, gone + i)];
	resp->rd = rd;
	resp->rd_head = 0;
	/* No pending slot is older than the oldest. */
	resp->rd_next = 0;
	resp->cfg.max_dest_rd_atomic = n;
	return true;
}

bool xroce_rd_has_room(const struct xroce_resp *resp)
{
	const struct xroce_rd *rd;

	if (!slots(resp))
		return false;
	/* An answer under way for the second time may be given up. */
	rd = &resp->rd[resp->rd_head];
	return !rd->is_used || !rd->is_pending || rd->is_answered;
}

void xroce_rd_push(struct xroce_resp *resp, const struct xroce_pkt *pkt,
		   u32 npsns, u64 old)
{
	u32 slot = resp->rd_head;
	struct xroce_rd *rd = &resp->rd[slot];
	bool is_read = pkt->info->op == XROCE_OP_READ_REQUEST;

	clear_pending(resp, rd);
	*rd = (struct xroce_rd){
		.is_used = true,
		.op = pkt->info->op,
		.first_psn = pkt->psn,
		.last_psn = xroce_psn_add(pkt->psn, npsns - 1),
		.start_psn = pkt->psn,
		.end_psn = xroce_psn_add(pkt->psn, npsns - 1),
		.next_psn = pkt->psn,
		.rkey = pkt->rkey,
		.va = pkt->va,
		.len = is_read ? pkt->dma_len : 0,
		.end = is_read ? pkt->dma_len : 0,
		.msn = resp->msn,
		.result = old,
	};
	resp->rd_head = slot_at(resp, 1);
	if (resp->rd_next == slot)
		resp->rd_next = resp->rd_head;
	set_pending(resp, slot);
}

/* The youngest slot that holds @psn, since old ones may outlive a PSN wrap. */
static struct xroce_rd *find(struct xroce_resp *resp, u32 psn, u32 *slot)
{
	u32 age = slots(resp);

	while (age--) {
		struct xroce_rd *rd = &resp->rd[slot_at(resp, age)];
		u32 last = xroce_psn_dist(rd->last_psn, rd->first_psn);

		if (rd->is_used && xroce_psn_dist(psn, rd->first_psn) <= last) {
			*slot = slot_at(resp, age);
			return rd;
		}
	}
	return NULL;
}

/* @pkt asks for a part of @rd, beginning at its own PSN. */
static bool is_part(const struct xroce_resp *resp, const struct xroce_rd *rd,
		    const struct xroce_pkt *pkt)
{
	u32 offset = xroce_psn_dist(pkt->psn, rd->first_psn) * resp->cfg.pmtu;

	/* offset <= len since the PSN is one of the READ's */
	return pkt->rkey == rd->rkey && pkt->va == rd->va + offset &&
	       pkt->dma_len <= rd->len - offset &&
	       (pkt->dma_len || !rd->len);
}

/* Answers that were interrupted begin anew: they must be well formed. */
static void restart_younger(struct xroce_resp *resp, u32 slot)
{
	u32 age;

	for (age = age_of(resp, slot) + 1; age < slots(resp); age++) {
		struct xroce_rd *rd = &resp->rd[slot_at(resp, age)];

		if (rd->is_pending)
			rd->next_psn = rd->start_psn;
	}
}

bool xroce_rd_replay(struct xroce_resp *resp, const struct xroce_pkt *pkt)
{
	u32 slot;
	struct xroce_rd *rd = find(resp, pkt->psn, &slot);

	if (!rd || rd->op != pkt->info->op)
		return false;
	if (rd->op == XROCE_OP_READ_REQUEST) {
		u32 offset = xroce_psn_dist(pkt->psn, rd->first_psn) *
			     resp->cfg.pmtu;

		if (!is_part(resp, rd, pkt))
			return false;
		rd->end = offset + pkt->dma_len;
		rd->end_psn = rd->end == rd->len ? rd->last_psn :
			xroce_psn_add(pkt->psn,
				      (pkt->dma_len - 1) / resp->cfg.pmtu);
	}
	rd->start_psn = pkt->psn;
	rd->next_psn = pkt->psn;
	set_pending(resp, slot);
	restart_younger(resp, slot);
	return true;
}

struct xroce_rd *xroce_rd_pending(struct xroce_resp *resp)
{
	if (!resp->rd_pending)
		return NULL;
	while (!resp->rd[resp->rd_next].is_pending)
		resp->rd_next = resp->rd_next + 1 < slots(resp) ?
				resp->rd_next + 1 : 0;
	return &resp->rd[resp->rd_next];
}

static u8 read_opcode(u8 pos)
{
	return (u8)xroce_opcode_of(XROCE_RC, XROCE_OP_READ_RESPONSE, pos, 0);
}

/* Of the next byte of the answer, counted from the first one that was asked for. */
static u32 next_offset(const struct xroce_resp *resp, const struct xroce_rd *rd)
{
	return xroce_psn_dist(rd->next_psn, rd->first_psn) * resp->cfg.pmtu;
}

void xroce_rd_peek(const struct xroce_resp *resp, const struct xroce_rd *rd,
		   struct xroce_resp_peek *peek)
{
	bool is_read = rd->op == XROCE_OP_READ_REQUEST;
	u32 offset = next_offset(resp, rd);

	*peek = (struct xroce_resp_peek){
		.rkey = rd->rkey,
		.va = rd->va + offset,
		.bytes = is_read ? rd->end - offset : 0,
	};
}

static void fill_read(const struct xroce_resp *resp, const struct xroce_rd *rd,
		      struct xroce_burst *burst)
{
	u8 first = rd->next_psn == rd->start_psn ? XROCE_POS_FIRST :
						   XROCE_POS_MIDDLE;
	u8 last = burst->is_last ? XROCE_POS_LAST : XROCE_POS_MIDDLE;

	burst->offset = next_offset(resp, rd);
	burst->rkey = rd->rkey;
	burst->va = rd->va + burst->offset;
	burst->bytes = min(rd->end - burst->offset,
			   burst->npkts * burst->pmtu);
	burst->source = burst->bytes ? XROCE_FROM_MR : XROCE_FROM_NOWHERE;
	burst->middle_opcode = read_opcode(XROCE_POS_MIDDLE);
	burst->last_opcode = read_opcode(last);
	burst->first.opcode = read_opcode(burst->npkts == 1 ? first | last :
							      first);
}

static void fill_answer(const struct xroce_resp *resp,
			const struct xroce_rd *rd, struct xroce_burst *burst)
{
	switch (rd->op) {
	case XROCE_OP_READ_REQUEST:
		fill_read(resp, rd, burst);
		break;
	case XROCE_OP_ATOMIC_WRITE:
	case XROCE_OP_FLUSH:
		burst->first.opcode = read_opcode(XROCE_POS_ONLY);
		break;
	default:
		burst->first.opcode = (u8)xroce_opcode_of(XROCE_RC,
					XROCE_OP_ATOMIC_ACKNOWLEDGE,
					XROCE_POS_ONLY, 0);
	}
}

void xroce_rd_answer(struct xroce_resp *resp, struct xroce_rd *rd,
		     u32 max_pkts, struct xroce_burst *burst)
{
	u32 left = xroce_psn_dist(rd->end_psn, rd->next_psn) + 1;

	burst->npkts = min(left, max_pkts);
	burst->is_last = burst->npkts == left;
	fill_answer(resp, rd, burst);
	burst->first.psn = rd->next_psn;
	burst->first.msn = rd->msn;
	burst->first.orig = rd->result;

	rd->next_psn = xroce_psn_add(rd->next_psn, burst->npkts);
	if (!burst->is_last)
		return;
	if (rd->end_psn == rd->last_psn)
		rd->is_answered = true;
	clear_pending(resp, rd);
}

void xroce_rd_cancel(struct xroce_resp *resp)
{
	u32 i;

	for (i = 0; i < slots(resp); i++)
		clear_pending(resp, &resp->rd[i]);
}
