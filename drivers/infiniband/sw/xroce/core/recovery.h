/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The requester's window: how it moves on, and how it goes back. Shared by
 * requester.c and answer.c only.
 */
#ifndef XROCE_CORE_RECOVERY_H
#define XROCE_CORE_RECOVERY_H

#include <linux/types.h>
#include "psn.h"
#include "requester.h"

/*
 * READs and their like: an acknowledgement does not finish them, an answer does.
 * The peer holds a resource for each.
 */
static inline bool xroce_wr_is_rd(const struct xroce_wr *wr)
{
	return wr->op >= XROCE_WR_READ && wr->op <= XROCE_WR_FLUSH;
}

/* No packet and no PSN. */
static inline bool xroce_wr_is_local(const struct xroce_wr *wr)
{
	return wr->op >= XROCE_WR_LOCAL_INV;
}

static inline struct xroce_wr *xroce_req_oldest(const struct xroce_req *req)
{
	return xroce_sq_wr(&req->sq, req->una);
}

/* PSNs from the oldest unacknowledged one to @psn. */
static inline u32 xroce_req_ahead(const struct xroce_req *req, u32 psn)
{
	return xroce_psn_dist(psn, req->una_psn);
}

/*
 * The oldest @n PSNs, all of the oldest request, are acknowledged or answered.
 * That is progress: budgets are refilled, the timer begins anew.
 */
void xroce_req_ack(struct xroce_req *req, u32 n, u64 now);

/*
 * The oldest @n PSNs were executed by the peer. False if an unanswered READ or
 * atomic is among them (the requests before it are done), or if the requester
 * broke on the way.
 */
bool xroce_req_ack_many(struct xroce_req *req, u32 n, u64 now);

/*
 * Something was lost at una_psn: send it again, or all from there on if the peer
 * does not keep them, unless that is being done or can't be done yet. Costs a retry; @count is a member of req->stats.
 */
void xroce_req_recover(struct xroce_req *req, u32 *count, u64 now);

/*
 * An answer was taken in; before it the oldest PSN was @una_psn. If it tells what
 * the peer did with packets behind the hole, that is learnt.
 */
void xroce_req_learn(struct xroce_req *req, u32 una_psn, u64 now);

/*
 * The peer said that something behind the oldest PSN is missing, by an acknowledgement
 * of @said. False if it did not.
 */
bool xroce_req_hear_of_hole(struct xroce_req *req, u32 said, u64 now);

/*
 * What is missing behind the oldest PSN and is sent again now, counted as sent: @max_pkts
 * packets at most of *@wr, from *@psn on. Return: packets, 0 = none.
 */
u32 xroce_req_fill(struct xroce_req *req, u64 now, u32 max_pkts,
		   struct xroce_wr **wr, u32 *psn);

/* The peer acknowledged again what it had: it got something twice. */
void xroce_req_note_copy(struct xroce_req *req, u64 now);

/* Packets of the oldest request to be sent again now; 0 = none. */
u32 xroce_req_repair(struct xroce_req *req, u64 now);

/* They are on their way. */
void xroce_req_repaired(struct xroce_req *req, u32 n, u64 now);

/* Start the timers that are not running. */
void xroce_req_watch(struct xroce_req *req, u64 now);

/* Packets that may be in flight. */
u32 xroce_req_window(const struct xroce_req *req);

/* Executed local requests are done when everything before them is. */
void xroce_req_finish_local(struct xroce_req *req);

/* The peer was not ready for una_psn: wait as long as timer @code says. */
void xroce_req_wait_rnr(struct xroce_req *req, u8 code, u64 now);

/* The oldest request fails with @status, and with it the requester. */
void xroce_req_break(struct xroce_req *req, u8 status);

/* If the oldest request has a local fault its turn has come: true. */
bool xroce_req_settle(struct xroce_req *req);

#endif
