/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The send side of an RC, UC or UD queue pair: which packet next, what an
 * answer means, when to look again. Pure: bytes and time in, values out.
 *
 * Four verbs: input, output, deadline, expire; then reap what is finished.
 * The struct has no lock; whoever runs the QP owns it.
 */
#ifndef XROCE_CORE_REQUESTER_H
#define XROCE_CORE_REQUESTER_H

#include <linux/limits.h>
#include <linux/types.h>
#include "burst.h"
#include "cc.h"
#include "drop.h"
#include "gaps.h"
#include "rtt.h"
#include "wire.h"
#include "wr.h"

#define XROCE_NEVER	U64_MAX

/**
 * struct xroce_req_cfg - attributes, constant while the QP runs
 * @service: enum xroce_service
 * @pmtu: payload bytes of a full packet
 * @dest_qp: RC, UC (UD: filled in by the back end from the address handle)
 * @pkey: goes into every BTH
 * @timeout_ns: transport timer, 0 = never (IBTA 9.7.6.1.3)
 * @retry_cnt: 0..7, seven means seven
 * @rnr_retry: 0..6, 7 = for ever
 * @max_rd_atomic: READs, atomics and FLUSHes in flight
 * @window: packets in flight without an answer, at least 2; on short paths less
 *	will do
 */
struct xroce_req_cfg {
	u8 service;
	u16 pkey;
	u32 pmtu;
	u32 dest_qp;
	u64 timeout_ns;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 max_rd_atomic;
	u32 window;
};

struct xroce_req_stats {
	u32 timeouts;
	u32 seq_naks;
	u32 rnr_naks;
	u32 implied_naks;
	u32 resent;		/* packets */
	u32 probes;		/* silences that were not waited out */
	u32 spurious;		/* packets resent that had not been lost */
	u32 holes_heard;	/* the peer told of, besides its NAKs */
};

/* What the peer does with packets behind a hole. */
enum xroce_peer {
	XROCE_PEER_UNKNOWN,	/* the next hole will tell */
	XROCE_PEER_KEEPS,	/* only what is missing is sent again */
	XROCE_PEER_DROPS,	/* everything from the hole on is sent again */
};

/**
 * struct xroce_req - requester state, private to requester.c, recovery.c and
 * answer.c but for @posted, @cc and @stats
 * @posted: free-running count of requests in the ring; the owner refreshes it
 *	before output()
 * @cc: RC: is told of what arrives and what is lost, and limits the window; NULL
 *	after init
 */
struct xroce_req {
	struct xroce_req_cfg cfg;
	struct xroce_sq sq;
	u32 posted;
	struct xroce_cc *cc;

	/* completion side */
	u32 reap;		/* oldest request not yet reaped */
	u32 una;		/* oldest request not finished */
	u32 una_psn;		/* oldest PSN not acknowledged */
	u32 acked_psn;		/* the peer executed all before it, answered or not */

	/* sending side */
	u32 cur;		/* request that is being sent */
	u32 started;		/* oldest request without PSNs */
	u32 cur_psn;		/* next PSN to send */
	u32 max_psn;		/* one past the newest PSN ever sent */
	u32 next_psn;		/* what the next request to start gets */
	u32 rd_in_flight;	/* READs and their like between una and cur */
	u32 unasked;		/* packets sent since the last AckReq */
	u32 ssn;		/* messages started so far */
	u32 lsn;		/* of which the peer can take so many, if has_credits */
	bool has_credits;	/* it says how many receive requests it has */
	bool ask_ack;		/* the next packet gets AckReq */

	/* recovery */
	u8 retry_left;
	u8 rnr_left;
	bool is_held;		/* SQD: start no new request */
	bool is_broken;		/* a request failed: send nothing more */
	bool is_recovering;	/* rewound, until progress is seen */
	bool has_hole;		/* the peer said so, and that recover_psn is it */
	u32 recover_psn;
	u32 ramp;		/* packets: as many as ever arrived, and some more */
	u64 timer;		/* transport timer, XROCE_NEVER = off */
	u64 rnr_until;		/* XROCE_NEVER = not waiting */
	u64 pause_until;	/* this host could not send; 0 = no pause */
	u8 pause_shift;		/* pauses in a row */

	/* resending what is missing */
	u8 peer;		/* enum xroce_peer */
	u8 strikes;		/* holes in a row that speak against @peer */
	u8 drops;		/* holes before a peer that drops is tested again */
	u8 probe_shift;		/* silences in a row */
	bool is_repaired;	/* sent una_psn again, no answer yet */
	bool is_waiting;	/* for that answer, with what is new */
	u64 repair_at;		/* when to do it, 0 = at once, XROCE_NEVER */
	u32 repair_pkts;	/* how many from there */
	u32 repaired_psn;	/* one past what was sent again */
	u32 doubt_psn;		/* one past what had been sent before that */
	u64 repaired_when;
	u64 copy_until;		/* a copy of an acknowledgement is one of the repair's */
	u64 reorder_ns;		/* a hole may fill itself in this time */
	u64 probe_at;		/* when silence is too long, XROCE_NEVER */
	struct xroce_gaps gaps;
	struct xroce_rtt rtt;
	struct xroce_req_stats stats;
};

void xroce_req_init(struct xroce_req *req, const struct xroce_req_cfg *cfg,
		    const struct xroce_sq *sq, u32 psn);

/*
 * Packets are being lost, and there is no memory yet for what the peer may tell of that:
 * the owner is asked for req->gaps.ring, which he lends until init().
 */
static inline bool xroce_req_wants_gaps(const struct xroce_req *req)
{
	return req->is_recovering && !req->gaps.ring;
}

/* Change attributes of a running QP (modify RTS->RTS, SQD->RTS). */
void xroce_req_reconfigure(struct xroce_req *req,
			   const struct xroce_req_cfg *cfg);

/**
 * xroce_req_output - what to send next
 * @req: requester, req->posted is up to date
 * @now: ns
 * @max_pkts: no more packets than this in the run, at least 1
 * @burst: filled
 *
 * The packets count as sent when this returns true. UC and UD requests are
 * finished by it when their last packet is in the run.
 *
 * Return: false if there is nothing to send now.
 */
bool xroce_req_output(struct xroce_req *req, u64 now, u32 max_pkts,
		      struct xroce_burst *burst);

/*
 * The request whose payload output() would send next, if nothing has to be sent once
 * more, or NULL. @offset: of its first byte in the message. It may not be its turn yet.
 */
const struct xroce_wr *xroce_req_peek(const struct xroce_req *req, u32 *offset);

/*
 * The local request whose turn has come, or NULL: to be executed now, once. What
 * follows it waits until xroce_req_executed(). Ask when output() has nothing.
 */
struct xroce_wr *xroce_req_local(const struct xroce_req *req);

/*
 * @wr, from xroce_req_local(), was executed; @status: enum xroce_status. Like any
 * other it completes after all before it.
 */
void xroce_req_executed(struct xroce_req *req, struct xroce_wr *wr, u8 status);

/*
 * Of @burst only @sent packets left this host, and nothing of what was handed out
 * after it: no route, no memory, a full queue. The others go out after a moment,
 * without a retry being used up. No input or expire since that output(); a repair
 * is told of before anything else is handed out.
 */
void xroce_req_unsent(struct xroce_req *req, const struct xroce_burst *burst,
		      u32 sent, u64 now);

enum xroce_req_act {
	XROCE_REQ_DROP,		/* nothing to do, reason in drop */
	XROCE_REQ_TAKEN,	/* acknowledged something or started recovery */
	XROCE_REQ_PLACE,	/* write the payload to wr's scatter list */
	XROCE_REQ_PLACE_ATOMIC,	/* write pkt->orig, CPU order, to wr's scatter list */
};

/**
 * struct xroce_req_verdict - what the owner must do with a response
 * @act: enum xroce_req_act
 * @drop: enum xroce_drop
 * @wr: PLACE, PLACE_ATOMIC
 * @offset: PLACE: byte offset in the scatter list
 *
 * After PLACE and PLACE_ATOMIC the owner copies and then calls
 * xroce_req_placed(); nothing may come between. Or he can't copy yet: then nothing was
 * placed, and he gives the packet to input() once more.
 */
struct xroce_req_verdict {
	u8 act;
	u8 drop;
	struct xroce_wr *wr;
	u32 offset;
};

/* @pkt is a response packet (pkt->info->is_response) for this QP. */
struct xroce_req_verdict xroce_req_input(struct xroce_req *req,
					 const struct xroce_pkt *pkt, u64 now);

/* The payload of the last verdict is in place; @is_ok false: the L_Key failed. */
void xroce_req_placed(struct xroce_req *req, const struct xroce_pkt *pkt,
		      bool is_ok, u64 now);

/* When expire() must be called at the latest; XROCE_NEVER if not at all. */
u64 xroce_req_deadline(const struct xroce_req *req);
void xroce_req_expire(struct xroce_req *req, u64 now);

/*
 * The owner could not read the payload of @wr, or its address is bad: it fails
 * with @status after everything before it has completed.
 */
void xroce_req_fail(struct xroce_req *req, struct xroce_wr *wr,
		    enum xroce_status status);

/* Error state: everything unfinished up to req->posted ends with WR_FLUSH_ERR. */
void xroce_req_flush(struct xroce_req *req);

/* UC, UD: SQE to RTS. After a flush; PSNs go on where they were. */
void xroce_req_restart(struct xroce_req *req);

/* Oldest finished request in posting order, removed from the ring; or NULL. */
struct xroce_wr *xroce_req_reap(struct xroce_req *req);

/* SQD: let started requests finish, start no new one. */
void xroce_req_hold(struct xroce_req *req, bool is_held);

/* True when no started request is unfinished. */
bool xroce_req_is_drained(const struct xroce_req *req);

/* The next PSN that a new request would get (query_qp). */
u32 xroce_req_next_psn(const struct xroce_req *req);

#endif
