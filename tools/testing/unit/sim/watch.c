// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Looks at every packet as it is sent and objects to what is against the rules
 * though the transfer might survive it.
 */
#include "psn.h"
#include "sim.h"

#define SILENCE	32	/* packets without AckReq */

/* IBTA table of RNR timers, in 10 us. */
static const u32 rnr_10us[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
	384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
	24576, 32768, 49152,
};

/* The same PSN always stands for the same bytes. */
static void watch_identity(struct node *node, const struct xroce_pkt *pkt)
{
	struct sent *sent = &node->watch.sent[pkt->psn % WATCHED_PSNS];

	if (pkt->info->op == XROCE_OP_READ_REQUEST)
		return;
	if (sent->is_used && sent->psn == pkt->psn) {
		SIM_CHECK(node->world, sent->opcode == pkt->opcode);
		SIM_CHECK(node->world, sent->len == pkt->payload_len);
	}
	*sent = (struct sent){
		.is_used = true,
		.psn = pkt->psn,
		.opcode = pkt->opcode,
		.len = pkt->payload_len,
	};
}

static void watch_ack_req(struct node *node, const struct xroce_pkt *pkt,
			  u32 ahead, bool is_repair)
{
	struct watch *watch = &node->watch;
	bool is_rewind = watch->has_sent && !is_repair &&
			 xroce_psn_before(pkt->psn, watch->next_psn);

	watch->silence = pkt->ack_req ? 0 : watch->silence + 1;
	SIM_CHECK(node->world, watch->silence < SILENCE);
	if (pkt->info->pos & XROCE_POS_LAST)
		SIM_CHECK(node->world, pkt->ack_req);
	if (ahead + 1 == node->params.req.window || is_rewind ||
	    (is_repair && !ahead))
		SIM_CHECK(node->world, pkt->ack_req);
}

void watch_request(struct node *node, const struct xroce_pkt *pkt, bool is_repair)
{
	struct watch *watch = &node->watch;
	u32 ahead = xroce_psn_dist(pkt->psn, node->req.una_psn);
	u32 psns = 1;

	if (node->params.service != XROCE_RC) {
		SIM_CHECK(node->world, !pkt->ack_req);
		return;
	}
	if (pkt->info->op == XROCE_OP_READ_REQUEST && pkt->dma_len)
		psns = (pkt->dma_len - 1) / node->params.pmtu + 1;
	SIM_CHECK(node->world, ahead < node->params.req.window);
	SIM_CHECK(node->world, node->world->now >= watch->quiet_until);
	/* Nothing is left out: repairs apart, each follows the one before. */
	SIM_CHECK(node->world, !watch->has_sent || is_repair || !ahead ||
		  !xroce_psn_before(watch->next_psn, pkt->psn));
	watch_identity(node, pkt);
	watch_ack_req(node, pkt, ahead, is_repair);
	if (is_repair)
		return;
	watch->has_sent = true;
	watch->next_psn = xroce_psn_add(pkt->psn, psns);
}

/* A READ's place was taken by a younger one while it was answered once more. */
static bool is_given_up(const struct watch *watch, u32 psn)
{
	return xroce_psn_before(watch->read_psn, psn) &&
	       watch->has_answered &&
	       xroce_psn_before(watch->read_psn, watch->answered_psn);
}

/*
 * Answers to READs: FIRST, MIDDLEs, LAST, and nothing in between; but they may
 * break off to give an older answer once more, or their own rest from a new start.
 */
static void watch_read_response(struct node *node, const struct xroce_pkt *pkt)
{
	struct watch *watch = &node->watch;
	bool is_first = pkt->info->pos & XROCE_POS_FIRST;
	u32 next_psn = xroce_psn_add(pkt->psn, 1);

	SIM_CHECK(node->world, watch->in_read || is_first);
	if (watch->in_read)
		SIM_CHECK(node->world, is_first ?
			  !xroce_psn_before(watch->read_psn, pkt->psn) ||
			  is_given_up(watch, pkt->psn) :
			  pkt->psn == watch->read_psn);
	watch->in_read = !(pkt->info->pos & XROCE_POS_LAST);
	watch->read_psn = next_psn;
	if (watch->in_read ||
	    (watch->has_answered &&
	     xroce_psn_before(next_psn, watch->answered_psn)))
		return;
	watch->has_answered = true;
	watch->answered_psn = next_psn;
}

/* What is said to be missing is, and something behind it is not. */
static bool is_of_hole(const struct node *node, const struct xroce_pkt *pkt)
{
	u32 psn, i, n = xroce_hole_read(pkt->psn, node->resp.epsn, &psn);

	for (i = 0; i < n; i++)
		if (node->packets[(psn + i) % XROCE_KEEP])
			return false;
	return n && !xroce_psn_before(psn, node->resp.epsn) &&
	       xroce_psn_before(xroce_psn_add(psn, n), node->resp.holes.seen_psn);
}

/* All was executed up to there, or what follows had answers of its own. */
static bool is_as_far_as_it_goes(const struct node *node, u32 psn)
{
	return xroce_psn_add(psn, 1) == node->resp.epsn ||
	       (xroce_psn_before(psn, node->resp.epsn) && psn == node->resp.plain_psn);
}

static void watch_ack(struct node *node, const struct xroce_pkt *pkt)
{
	struct watch *watch = &node->watch;

	/* Answers that are older have left. */
	SIM_CHECK(node->world, !node->resp.rd_pending);
	SIM_CHECK(node->world, pkt->msn == (node->messages_in & 0xffffff));
	if (pkt->syndrome < XROCE_AETH_RNR_NAK) {
		SIM_CHECK(node->world, is_as_far_as_it_goes(node, pkt->psn) ||
				       is_of_hole(node, pkt));
		return;
	}
	if (node->is_closing)
		return;
	SIM_CHECK(node->world, pkt->psn == node->resp.epsn);
	if (pkt->syndrome == XROCE_NAK_PSN_SEQUENCE) {
		/* one for each hole; RNR NAKs are for what did arrive */
		SIM_CHECK(node->world, !watch->has_nakked ||
				       watch->nak_psn != pkt->psn);
	}
	watch->has_nakked = true;
	watch->nak_psn = pkt->psn;
}

void watch_response(struct node *node, const struct xroce_pkt *pkt)
{
	if (pkt->info->op == XROCE_OP_READ_RESPONSE) {
		if (!node->params.is_like_rxe)
			watch_read_response(node, pkt);
		return;
	}
	if (node->watch.in_read)
		SIM_CHECK(node->world, xroce_psn_before(pkt->psn,
							node->watch.read_psn));
	node->watch.in_read = false;
	if (pkt->info->op == XROCE_OP_ACKNOWLEDGE)
		watch_ack(node, pkt);
}

/* @pkt was taken in by the requester; @una_psn: before. */
void watch_input(struct node *node, const struct xroce_pkt *pkt, u32 una_psn)
{
	struct watch *watch = &node->watch;
	bool is_rnr = pkt->info->op == XROCE_OP_ACKNOWLEDGE &&
		      (pkt->syndrome & XROCE_AETH_KIND) == XROCE_AETH_RNR_NAK;
	const struct link *link = node->world->link;

	if (una_psn != node->req.una_psn) {
		watch->quiet_until = 0;
		watch->mishaps = link_mishaps(&link[0]) +
				 link_mishaps(&link[1]);
	}
	if (is_rnr && pkt->psn == node->req.una_psn &&
	    node->world->now >= watch->quiet_until)
		watch->quiet_until = node->world->now +
				     rnr_10us[pkt->syndrome & 31] * 10000ULL;
}
