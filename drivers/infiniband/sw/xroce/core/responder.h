/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The receive side of an RC, UC or UD queue pair. Pure: a request packet goes
 * in, a verdict comes out; the owner does what needs memory and reports back.
 *
 *	check(pkt) -> NEED_RECV: owner takes a receive request, tells its length
 *	                         with xroce_resp_recv(), checks again
 *	           -> RECV/WRITE/READ/ATOMIC/ATOMIC_WRITE/FLUSH: owner checks keys
 *	                         and copies, then commit(pkt), or fail(pkt, fault)
 *	           -> DROP/ANSWER: nothing to place
 *
 * check() changes nothing; commit() and fail() move the state.
 * output() then gives acknowledgements and READ responses in PSN order.
 */
#ifndef XROCE_CORE_RESPONDER_H
#define XROCE_CORE_RESPONDER_H

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/types.h>
#include "burst.h"
#include "drop.h"
#include "fault.h"
#include "holes.h"
#include "wire.h"
#include "wr.h"

/* Remote rights; the numbers are those of enum ib_access_flags. */
#define XROCE_ACCESS_REMOTE_WRITE	BIT(1)
#define XROCE_ACCESS_REMOTE_READ	BIT(2)
#define XROCE_ACCESS_REMOTE_ATOMIC	BIT(3)
#define XROCE_ACCESS_FLUSH_GLOBAL	BIT(8)
#define XROCE_ACCESS_FLUSH_PERSISTENT	BIT(9)

/* Packets ahead of the expected one that may be kept. */
#define XROCE_KEEP	2048

/**
 * struct xroce_resp_cfg - attributes, constant while the QP runs
 * @service: enum xroce_service
 * @pmtu: payload bytes of a full packet
 * @dest_qp: RC: where answers go
 * @pkey: goes into every BTH
 * @access: XROCE_ACCESS_* the QP grants
 * @min_rnr_timer: timer code for RNR NAKs
 * @max_dest_rd_atomic: READs, atomics and FLUSHes remembered; slots in @rd_ring
 * @has_srq: receive requests taken for an aborted UC message can't be put back
 * @keep: RC: packets ahead of the expected one that the owner can keep, at most
 *	XROCE_KEEP; 0 = none
 */
struct xroce_resp_cfg {
	u8 service;
	u16 pkey;
	u32 pmtu;
	u32 dest_qp;
	u32 access;
	u8 min_rnr_timer;
	u32 max_dest_rd_atomic;
	bool has_srq;
	u32 keep;
};

/**
 * struct xroce_rd - a READ, atomic or FLUSH that is being or was answered
 * @is_used: slot holds one
 * @is_pending: answer not fully sent
 * @is_answered: the answer was fully sent once, the slot may be used again
 * @op: enum xroce_operation
 * @first_psn: PSN of the first response
 * @last_psn: PSN of the last response
 * @va: READ: address of the byte at @first_psn
 * @rkey: READ
 * @len: READ: bytes
 * @result: atomic: value before
 * @msn: MSN to send with the answer
 * @start_psn: PSN at which the present answer began; a repeated READ may begin
 *	in the middle
 * @end_psn: its last PSN
 * @next_psn: next response to send
 * @end: READ: one past the last byte of the present answer, counted from @va
 */
struct xroce_rd {
	bool is_used;
	bool is_pending;
	bool is_answered;
	u8 op;
	u32 first_psn;
	u32 last_psn;
	u32 start_psn;
	u32 end_psn;
	u32 next_psn;
	u32 end;
	u32 rkey;
	u32 len;
	u32 msn;
	u64 va;
	u64 result;
};

struct xroce_resp_stats {
	u32 duplicates;
	u32 out_of_sequence;
	u32 rnr_naks;
	u32 naks;
	u32 acks;
	u32 kept;
	u32 holes_told;		/* besides NAKs */
};

/**
 * struct xroce_kept - memory that a responder needs once a packet came before its turn;
 *	all zero at first
 * @bits: by PSN: which packets the owner keeps
 * @holes: of struct xroce_holes
 */
struct xroce_kept {
	u64 bits[XROCE_KEEP / 64];
	struct xroce_hole holes[XROCE_HOLES];
};

#define XROCE_RECVS_UNTOLD	U32_MAX

/**
 * struct xroce_resp - responder state, private to responder.c and rd.c but for @recvs and
 * @stats
 * @recvs: receive requests that are posted, or UNTOLD (after init, for UC and for SRQs);
 *	the owner refreshes it before output()
 */
struct xroce_resp {
	struct xroce_resp_cfg cfg;
	u32 epsn;		/* expected PSN */
	u32 plain_psn;		/* of the newest packet of a SEND or WRITE */
	u32 msn;
	u32 recvs;
	bool has_nakked;	/* sequence or RNR NAK sent for epsn */
	bool is_broken;		/* fatal fault: answer it, take nothing more */

	/* message in progress */
	u8 msg_op;		/* enum xroce_operation, valid if in_message */
	bool in_message;
	bool has_recv;		/* a receive request is taken */
	u32 recv_done;		/* bytes placed in it */
	u64 recv_len;
	u64 write_va;
	u32 write_rkey;
	u32 write_left;
	u32 write_len;

	/* packets behind a hole that the owner keeps */
	u32 n_kept;
	struct xroce_kept *kept;	/* his; valid if n_kept */
	struct xroce_holes holes;
	u64 told_until;
	bool owes_holes;	/* there are some whose time had come by told_until */
	bool has_taken_kept;	/* since the last answer */
	bool has_filled;	/* a hole that the peer had been told of, since then */
	bool is_judging;	/* what comes next tells what the peer sends again */
	bool is_selective;	/* only what was missing */

	/* answers owed */
	bool ack_pending;
	bool nak_pending;
	u8 nak_syndrome;
	u32 ack_psn;
	u32 nak_psn;

	/* READs and their like, a ring of cfg.max_dest_rd_atomic slots */
	struct xroce_rd *rd;
	u32 rd_head;		/* next slot to use */
	u32 rd_next;		/* no pending slot is older than this one */
	u32 rd_pending;		/* slots whose answer is not fully sent */
	struct xroce_resp_stats stats;
};

/* @rd: cfg->max_dest_rd_atomic slots, owned by the caller; NULL if 0. */
void xroce_resp_init(struct xroce_resp *resp, const struct xroce_resp_cfg *cfg,
		     struct xroce_rd *rd, u32 psn);

/*
 * Go on with the @slots slots at @rd instead, which get what is remembered; the
 * owner frees the old ones. Return: false if that would forget an answer that is
 * owed, and nothing has changed.
 */
bool xroce_resp_resize(struct xroce_resp *resp, struct xroce_rd *rd, u32 slots);

/* All but @cfg->max_dest_rd_atomic, which resize() changes. */
void xroce_resp_reconfigure(struct xroce_resp *resp,
			    const struct xroce_resp_cfg *cfg);

enum xroce_resp_act {
	XROCE_RESP_DROP,	/* drop it, reason in drop; an ack may be owed */
	XROCE_RESP_KEEP,	/* keep it if you can, then xroce_resp_keep() */
	XROCE_RESP_NEED_RECV,	/* take a receive request and check again */
	XROCE_RESP_RECV,	/* place payload in the receive request at offset */
	XROCE_RESP_WRITE,	/* check need, place payload at va */
	XROCE_RESP_READ,	/* check need, answer comes by output() */
	XROCE_RESP_ATOMIC,	/* check need, execute, commit with the old value */
	XROCE_RESP_ATOMIC_WRITE, /* check need, store the 8 bytes as one at va */
	XROCE_RESP_FLUSH,	/* check the key, flush check_len bytes at check_va */
	XROCE_RESP_FAULT,	/* call fail() with fault */
};

/**
 * struct xroce_resp_verdict - what the owner must do with a request
 * @act: enum xroce_resp_act
 * @drop: enum xroce_drop, for DROP
 * @fault: enum xroce_fault, for FAULT
 * @offset: RECV: where in the receive buffer
 * @rkey: key to check
 * @access: XROCE_ACCESS_* to check it for
 * @check_va: range to check: the whole RETH range on its first packet, the rest
 *	of it on later ones
 * @check_len: 0 = no check (zero-length WRITE or READ, IBTA C9-88), but for FLUSH
 * @va: WRITE, ATOMIC, ATOMIC_WRITE: where this packet's bytes go
 * @is_whole: FLUSH: whatever @rkey names, not the range
 */
struct xroce_resp_verdict {
	u8 act;
	u8 drop;
	u8 fault;
	u32 offset;
	u32 rkey;
	u32 access;
	u64 check_va;
	u64 check_len;
	u64 va;
	bool is_whole;
};

/**
 * xroce_resp_check - judge a request packet
 * @resp: responder
 * @pkt: parsed request (not pkt->info->is_response) of the QP's own service
 *
 * Duplicates and gaps are handled inside (they only owe answers): the verdict
 * is DROP then, and this is the one case in which check() changes state.
 */
struct xroce_resp_verdict xroce_resp_check(struct xroce_resp *resp,
					   const struct xroce_pkt *pkt);

/*
 * The owner keeps the packet with @psn, for which check() said KEEP. @kept: lent by him,
 * the same until init(); NULL: he can't keep it.
 */
void xroce_resp_keep(struct xroce_resp *resp, struct xroce_kept *kept, u32 psn,
		     u64 now);

/**
 * xroce_resp_next_kept - after commit(): the turn of a packet that was kept
 * @resp: responder
 * @now: ns
 * @psn: of the packet that the owner gives to check() now, and forgets
 *
 * Called until it returns false; then what is owed for all of them is.
 */
bool xroce_resp_next_kept(struct xroce_resp *resp, u64 now, u32 *psn);

/* When expire() must be called at the latest: U64_MAX if not at all. */
u64 xroce_resp_deadline(const struct xroce_resp *resp);
void xroce_resp_expire(struct xroce_resp *resp, u64 now);

/* A receive request of @len bytes was taken for the message in check(). */
void xroce_resp_recv(struct xroce_resp *resp, u64 len);

/**
 * struct xroce_resp_done - what the owner must tell the verbs user
 * @completes: the receive request completes with the fields below
 * @status: enum xroce_status
 * @byte_len: bytes received (WRITE with immediate: the message's length)
 * @has_imm: imm is valid
 * @has_inv: inv_rkey was to be invalidated
 * @solicited: BTH SE of the last packet
 * @is_write_imm: opcode is RECV_RDMA_WITH_IMM
 * @event: enum xroce_event
 * @to_error: the QP goes to the error state (after output() ran dry)
 * @drop: enum xroce_drop to count, or NONE
 * @imm: network order
 * @inv_rkey: host order
 */
struct xroce_resp_done {
	bool completes;
	bool has_imm;
	bool has_inv;
	bool solicited;
	bool is_write_imm;
	bool to_error;
	u8 status;
	u8 event;
	u8 drop;
	u32 byte_len;
	__be32 imm;
	u32 inv_rkey;
};

/* The packet's effect is in memory. @old: ATOMIC: value before, CPU order. */
struct xroce_resp_done xroce_resp_commit(struct xroce_resp *resp,
					 const struct xroce_pkt *pkt, u64 old);

/* The packet can't be executed. UC and UD: the message is dropped. */
struct xroce_resp_done xroce_resp_fail(struct xroce_resp *resp,
				       const struct xroce_pkt *pkt,
				       enum xroce_fault fault);

/*
 * Next answer in PSN order: READ response run (XROCE_FROM_MR), atomic answer,
 * ACK or NAK. Return: false if none is owed.
 */
bool xroce_resp_output(struct xroce_resp *resp, u32 max_pkts,
		       struct xroce_burst *burst);

/**
 * struct xroce_resp_peek - memory that the next answer is read from
 * @rkey: key
 * @va: of the next byte
 * @bytes: from there to the end of the answer
 */
struct xroce_resp_peek {
	u32 rkey;
	u64 va;
	u32 bytes;
};

/* What output() would read next. Return: false if it would read nothing. */
bool xroce_resp_peek(struct xroce_resp *resp, struct xroce_resp_peek *peek);

/*
 * A READ response run of the last output() could not be read (key gone):
 * owes a NAK with the PSN of the run's first packet instead.
 */
struct xroce_resp_done xroce_resp_read_failed(struct xroce_resp *resp,
					      const struct xroce_burst *burst);

#endif
