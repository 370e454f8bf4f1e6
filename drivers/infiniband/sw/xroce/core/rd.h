/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder's memory of READs, atomics and FLUSHes: what is to be answered,
 * and what was, in case the peer asks again. Used by responder.c only.
 */
#ifndef XROCE_CORE_RD_H
#define XROCE_CORE_RD_H

#include <linux/types.h>
#include "responder.h"

/* False if every slot holds a request whose answer was never fully sent. */
bool xroce_rd_has_room(const struct xroce_resp *resp);

/*
 * Remember the READ, atomic or FLUSH @pkt, which takes @npsns PSNs, and owe its answer.
 * There is room. @old: result of an atomic.
 */
void xroce_rd_push(struct xroce_resp *resp, const struct xroce_pkt *pkt,
		   u32 npsns, u64 old);

/* Owe the answer to the duplicate @pkt again. False if it isn't remembered. */
bool xroce_rd_replay(struct xroce_resp *resp, const struct xroce_pkt *pkt);

/* Oldest request with an answer owed, or NULL. */
struct xroce_rd *xroce_rd_pending(struct xroce_resp *resp);

/* The next run, at most @max_pkts long, of the answer to @rd. */
void xroce_rd_answer(struct xroce_resp *resp, struct xroce_rd *rd,
		     u32 max_pkts, struct xroce_burst *burst);

/* What the next run would be read from: no bytes if @rd is no READ. */
void xroce_rd_peek(const struct xroce_resp *resp, const struct xroce_rd *rd,
		   struct xroce_resp_peek *peek);

/* Owe none of the answers any more. */
void xroce_rd_cancel(struct xroce_resp *resp);

#endif
