/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One RDMAP stream (RFC 5040 over 5041 over 5044): what the bytes of the peer
 * mean, what to send next. Pure: bytes in, values out; no lock - whoever runs
 * the QP owns it; no time - TCP has the clock (see state.h for deadlines).
 *
 * Receiving. The shell has bytes from the socket (an skb, a page, anything) and
 * asks what is to be done with the next of them until none are left:
 *
 *	xiwarp_rdmap_input(s, &step);
 *	switch (step.act)
 *	TAKE:	copy up to step.len bytes to step.buf;	xiwarp_rdmap_took(s, n)
 *	RECV:	take a receive request of the RQ/SRQ:	xiwarp_rdmap_recv(s, length)
 *		   or, if there is none:		xiwarp_rdmap_deny(s, XIWARP_FAULT_NO_BUFFER)
 *	PLACE:	copy up to step.len bytes to step.place,
 *		   continue step.crc over them:		xiwarp_rdmap_passed(s, n, crc)
 *		   or, if memory refuses:		xiwarp_rdmap_refuse(s, mem)
 *	SKIP:	drop up to step.len bytes, crc likewise: xiwarp_rdmap_passed(s, n, crc)
 *	DONE:	a message is complete, see step.done;	xiwarp_rdmap_commit(s)
 *		   or, if that fails:			xiwarp_rdmap_deny(s, fault)
 *	FAULT:	the stream is broken, see step.done; nothing to answer
 *	STOP:	discard all further input
 *
 * Asked twice, input() says the same; the answers move on. Steps that take no bytes (RECV, DONE,
 * FAULT, PLACE with a bad key) must be dealt with even when no byte is at hand:
 * loop until TAKE, PLACE or SKIP meets an empty socket, or STOP. FAULT is given
 * once, then STOP.
 *
 * Payload may be placed before the CRC behind it is known, never delivered: a
 * segment that fails its CRC completes nothing. With CRC, faults in a segment
 * are told after its CRC has shown that they are the peer's.
 *
 * A receive request in hand when the stream stops without completing it is the
 * shell's to flush.
 *
 * Sending: output() gives bursts; the shell makes FPDUs (fpdu.h) of them. When
 * all bytes of all bursts so far are in the socket it says sent(); that finishes
 * SENDs and WRITEs. reap() gives finished requests in posting order.
 */
#ifndef XIWARP_CORE_RDMAP_H
#define XIWARP_CORE_RDMAP_H

#include <linux/types.h>
#include "burst.h"
#include "fault.h"
#include "fpdu.h"
#include "wire.h"
#include "wr.h"

/**
 * struct xiwarp_rdmap_cfg - what the MPA startup agreed on; constant
 * @rx_markers: as in struct xiwarp_mpa_agreed
 * @crc: as there
 * @waits_for_first: as there: send nothing before the first FPDU came, or before
 *	xiwarp_rdmap_go_first()
 * @rtr_send: initiator: XIWARP_RTR_* to send before anything else, or 0
 * @ird: READs and atomics of the peer to hold; slots in the ring given to init()
 * @ord: READs and atomics to have on their way at once; 0: they fail
 * @mulpdu: first value for xiwarp_rdmap_set_mulpdu()
 *
 * The framer (tx markers) is the shell's.
 */
struct xiwarp_rdmap_cfg {
	bool rx_markers;
	bool crc;
	bool waits_for_first;
	u8 rtr_send;
	u16 ird;
	u16 ord;
	u32 mulpdu;
};

/**
 * struct xiwarp_rd - a READ or atomic of the peer that is to be answered
 * @is_atomic: which of the union
 * @is_executed: atomic: done, @result is what was there before
 * @msn: of the request
 * @done: READ: response bytes given to output()
 * @result: atomic
 * @read: READ
 * @atomic: atomic
 */
struct xiwarp_rd {
	bool is_atomic;
	bool is_executed;
	u32 msn;
	u32 done;
	u64 result;
	union {
		struct xiwarp_read read;
		struct xiwarp_atomic atomic;
	};
};

enum xiwarp_act {
	XIWARP_STEP_TAKE,
	XIWARP_STEP_RECV,
	XIWARP_STEP_PLACE,
	XIWARP_STEP_SKIP,
	XIWARP_STEP_DONE,
	XIWARP_STEP_FAULT,
	XIWARP_STEP_STOP,
};

enum xiwarp_where {
	XIWARP_TO_RECV,		/* the receive request taken last, at @offset */
	XIWARP_TO_MR,		/* WRITE: key @rkey, remote write, at @va */
	XIWARP_TO_WR,		/* READ: scatter list of @wr, at @offset */
};

/**
 * struct xiwarp_place - where payload goes
 * @where: enum xiwarp_where
 * @wr: TO_WR
 * @offset: TO_RECV, TO_WR
 * @rkey: TO_MR
 * @va: TO_MR: tagged offset of the next byte
 * @check_len: TO_MR: rights are needed for @va and so many bytes, the rest of
 *	the segment (va + check_len does not wrap)
 */
struct xiwarp_place {
	u8 where;
	struct xiwarp_wr *wr;
	u32 offset;
	u32 rkey;
	u64 va;
	u32 check_len;
};

enum xiwarp_what {
	XIWARP_GOT_NOTHING,	/* only is_first is of interest */
	XIWARP_GOT_RECV,	/* the receive request completes */
	XIWARP_GOT_READ,	/* @wr has all its data */
	XIWARP_GOT_ATOMIC,	/* write @value, CPU order, to @wr's scatter list */
	XIWARP_GOT_REQUEST,	/* READ or atomic of the peer: output() has work */
	XIWARP_GOT_TERMINATE,	/* the peer gives up, see @term */
};

/**
 * struct xiwarp_done - what the shell must tell, in this order
 * @what: enum xiwarp_what
 * @is_first: this was the first FPDU of the peer (the RTR, if one was agreed):
 *	a responder may send from commit() on
 * @has_inv: invalidate @inv_stag, before anybody learns of the message.
 *	GOT_RECV: for the peer: check key, PD and remote rights; if that fails,
 *	deny(XIWARP_FAULT_INVALIDATE). GOT_READ (READ_INV): our own key; if that
 *	fails, deny(XIWARP_FAULT_SINK)
 * @completes: (GOT_RECV always, FAULT maybe) the receive request completes with
 *	@status, @byte_len, @solicited, @has_imm, @has_inv
 * @has_imm: RFC 7306 immediate data, @imm; opcode RECV_RDMA_WITH_IMM
 * @solicited: SE
 * @is_remote: FAULT: found in what the peer sent; false: our own failure
 * @status: enum xiwarp_status
 * @event: FAULT: enum xiwarp_event if no completion tells of it
 * @fault: FAULT: enum xiwarp_fault, to count
 * @byte_len: bytes received
 * @inv_stag: host order
 * @imm: network order
 * @wr: GOT_READ, GOT_ATOMIC; NULL for the READ of our RTR
 * @value: GOT_ATOMIC
 * @term: GOT_TERMINATE: valid until commit()
 */
struct xiwarp_done {
	u8 what;
	bool is_first;
	bool has_inv;
	bool completes;
	bool has_imm;
	bool solicited;
	bool is_remote;
	u8 status;
	u8 event;
	u8 fault;
	u32 byte_len;
	u32 inv_stag;
	__be32 imm;
	struct xiwarp_wr *wr;
	u64 value;
	const struct xiwarp_term *term;
};

/**
 * struct xiwarp_step - what to do with the next bytes of the stream
 * @act: enum xiwarp_act
 * @len: TAKE, PLACE, SKIP: at most this many bytes, at least 1
 * @buf: TAKE: where they go
 * @crc: PLACE, SKIP: CRC so far, to be continued (see @need_crc)
 * @need_crc: PLACE, SKIP: passed() wants the CRC
 * @place: PLACE
 * @done: DONE, FAULT
 */
struct xiwarp_step {
	u8 act;
	bool need_crc;
	unsigned int len;
	u8 *buf;
	u32 crc;
	struct xiwarp_place place;
	struct xiwarp_done done;
};

/**
 * struct xiwarp_rdmap_mark - the sending side before the last output()
 *
 * Fields as in struct xiwarp_rdmap; @rd_done: of the oldest READ of the peer.
 */
struct xiwarp_rdmap_mark {
	/* private: */
	u32 cur;
	u32 cur_done;
	u32 rd_done;
	u32 tx_msn[XIWARP_QUEUES];
	u16 rd_in_flight;
	u16 rd_head;
	u16 rd_count;
	bool is_imm_due;
	bool is_rtr_due;
	bool is_rtr_read;
	bool is_term_due;
	bool prefers_requests;
};

/* Counts of messages and such, for the shell to read. */
struct xiwarp_rdmap_stats {
	u64 rx_fpdus;
	u64 rx_bytes;		/* payload */
	u64 tx_fpdus;
	u64 tx_bytes;
};

/**
 * struct xiwarp_rdmap - stream state, private to the core but for @posted, @stats
 * @posted: free-running count of requests in the send ring; the owner refreshes
 *	it before output()
 * @stats: counts; to be read
 */
struct xiwarp_rdmap {
	u32 posted;
	struct xiwarp_rdmap_stats stats;

	/* private: */
	struct xiwarp_rdmap_cfg cfg;
	struct xiwarp_sq sq;

	/* send ring, free running: reap <= una <= cur <= posted */
	u32 reap;		/* oldest request not yet reaped */
	u32 una;		/* oldest request not finished */
	u32 rd_una;		/* no unanswered READ or atomic is older */
	u32 sent;		/* what is older is in the socket */
	u32 cur;		/* request being sent */
	u32 cur_done;		/* its payload bytes given out */
	bool is_imm_due;	/* WRITE_IMM: the Write is out */
	u16 rd_in_flight;	/* READs and atomics, the RTR's included */
	bool is_rtr_due;
	bool is_rtr_read;	/* the RTR's READ is unanswered */
	bool is_broken;		/* send nothing but the Terminate, take nothing */
	bool is_term_due;
	bool prefers_requests;	/* whose turn it is: ours or the peer's READs */
	bool is_failed;		/* a request of ours failed: start none */
	u32 tx_msn[XIWARP_QUEUES];
	struct xiwarp_rdmap_mark mark;

	/* READs and atomics of the peer, a ring of cfg.ird slots */
	struct xiwarp_rd *rd;
	u16 rd_head;		/* oldest */
	u16 rd_count;
	u16 rd_given;		/* slot that the last answer came from */

	/* receiving */
	struct xiwarp_deframer deframer;
	struct xiwarp_seg seg;	/* valid from header to DONE */
	u32 rx_msn[XIWARP_QUEUES];
	bool has_first;		/* a good FPDU came */
	bool goes_first;	/* responder: not waiting for that any more */
	bool has_recv;		/* a receive request is held */
	bool is_fault_due;	/* step FAULT is to be given */
	u8 rx_fault;		/* found in this FPDU, told after its CRC */
	struct xiwarp_done fault;	/* what step FAULT will say */
	u8 recv_op;		/* opcode of the open Send */
	bool in_message;	/* a Send has begun and not ended */
	u64 recv_len;
	u32 recv_done;
	u32 passed;		/* payload bytes of this segment dealt with */
	struct xiwarp_term term;	/* ours: what to send */
};

/**
 * xiwarp_rdmap_init - begin a stream at its first byte
 * @s: stream
 * @cfg: parameters
 * @sq: send ring; requests posted before are taken over: posting starts at 0
 * @rd: cfg->ird slots, owned by the caller; NULL if 0
 */
void xiwarp_rdmap_init(struct xiwarp_rdmap *s, const struct xiwarp_rdmap_cfg *cfg,
		       const struct xiwarp_sq *sq, struct xiwarp_rd *rd);

/* Responder: send though the initiator, which should be first, says nothing. */
void xiwarp_rdmap_go_first(struct xiwarp_rdmap *s);

/* The longest ULPDU from now on (xiwarp_fpdu_mulpdu()); at any time. */
void xiwarp_rdmap_set_mulpdu(struct xiwarp_rdmap *s, u32 mulpdu);

/* ---- receiving; see above ------------------------------------------------- */

void xiwarp_rdmap_input(struct xiwarp_rdmap *s, struct xiwarp_step *step);
/* TAKE: @n of 1..len bytes are in buf. */
void xiwarp_rdmap_took(struct xiwarp_rdmap *s, unsigned int n);
/* RECV: a receive request of @length bytes was taken; it stays taken until it completes. */
void xiwarp_rdmap_recv(struct xiwarp_rdmap *s, u64 length);
/* PLACE, SKIP: @n of 1..len bytes are dealt with. */
void xiwarp_rdmap_passed(struct xiwarp_rdmap *s, unsigned int n, u32 crc);
/* PLACE: memory refused. @mem: why, not XIWARP_MEM_OK. */
void xiwarp_rdmap_refuse(struct xiwarp_rdmap *s, enum xiwarp_mem mem);
/* RECV, DONE: it can't be done. The next steps lead to FAULT. */
void xiwarp_rdmap_deny(struct xiwarp_rdmap *s, enum xiwarp_fault fault);
/* DONE: it is in memory and told. */
void xiwarp_rdmap_commit(struct xiwarp_rdmap *s);

/* True where the peer's stream may end (FIN) without loss: between FPDUs. */
bool xiwarp_rdmap_may_end(const struct xiwarp_rdmap *s);

/* ---- sending ---------------------------------------------------------------- */

/**
 * xiwarp_rdmap_output - what to send next
 * @s: stream, s->posted is up to date
 * @max_bytes: no more payload than this in the run, rounded down to whole
 *	segments, but at least one segment
 * @burst: filled; counts as given out
 *
 * Before the next call (nothing may come between):
 * FROM_MR	keys failed: xiwarp_rdmap_read_refused()
 * FROM_ATOMIC	xiwarp_rdmap_atomic_done(), which completes burst->first, or
 *		xiwarp_rdmap_read_refused()
 * FROM_WR	local keys failed: xiwarp_rdmap_fail_wr()
 * LOCAL	carried out: xiwarp_rdmap_local_done()
 * any		no memory: xiwarp_rdmap_take_back()
 *
 * A burst that was refused, failed or taken back is not sent, no part of it.
 *
 * Return: false if there is nothing to send now. A Terminate that is owed comes
 * last; after it, never anything.
 */
bool xiwarp_rdmap_output(struct xiwarp_rdmap *s, u32 max_bytes,
			 struct xiwarp_burst *burst);

/* FROM_ATOMIC: executed. @old: value before, CPU order. */
void xiwarp_rdmap_atomic_done(struct xiwarp_rdmap *s, struct xiwarp_burst *burst,
			      u64 old);
/* FROM_MR, FROM_ATOMIC: no rights. Step FAULT and a Terminate follow. */
void xiwarp_rdmap_read_refused(struct xiwarp_rdmap *s,
			       const struct xiwarp_burst *burst,
			       enum xiwarp_mem mem);
/*
 * FROM_WR: the payload can't be read; @status, after everything before it has
 * completed. Ends the stream like a fault (LOCAL).
 */
void xiwarp_rdmap_fail_wr(struct xiwarp_rdmap *s,
			  const struct xiwarp_burst *burst,
			  enum xiwarp_status status);
/* LOCAL: @status SUCCESS or why not; that ends the stream, too. */
void xiwarp_rdmap_local_done(struct xiwarp_rdmap *s,
			     const struct xiwarp_burst *burst,
			     enum xiwarp_status status);

/*
 * It can't be sent now (no memory): the next output() gives it again. An atomic that
 * was executed stays executed. Not for LOCAL; do one or the other, not both, of
 * this and read_refused() or fail_wr().
 */
void xiwarp_rdmap_take_back(struct xiwarp_rdmap *s,
			    const struct xiwarp_burst *burst);

/* All bytes of all bursts so far were taken by the socket. */
void xiwarp_rdmap_sent(struct xiwarp_rdmap *s);

/*
 * True when a step FAULT waits in input() that no byte of the peer brings about:
 * after read_refused(), fail_wr(), local_done(), sent().
 */
static inline bool xiwarp_rdmap_has_fault(const struct xiwarp_rdmap *s)
{
	return s->is_fault_due;
}

/* Oldest finished request in posting order, removed from the ring; or NULL. */
struct xiwarp_wr *xiwarp_rdmap_reap(struct xiwarp_rdmap *s);

/*
 * End the stream with a Terminate for @fault, found outside of input() (MPA_IRD,
 * MPA_RTR, CQ_OVERFLOW ...). No FAULT step follows from it.
 */
void xiwarp_rdmap_terminate(struct xiwarp_rdmap *s, enum xiwarp_fault fault);

/* ERROR: everything unfinished up to s->posted ends with WR_FLUSH_ERR; input STOPs. */
void xiwarp_rdmap_flush(struct xiwarp_rdmap *s);

/* True when every posted request is finished and no answer is owed to the peer. */
bool xiwarp_rdmap_is_drained(const struct xiwarp_rdmap *s);

/*
 * True when output() has given all that was promised: requests and answers, or after a
 * fault the Terminate.
 */
bool xiwarp_rdmap_is_given_out(const struct xiwarp_rdmap *s);

/* Responder: output() waits for the initiator, or for xiwarp_rdmap_go_first(). */
static inline bool xiwarp_rdmap_waits_for_first(const struct xiwarp_rdmap *s)
{
	return s->cfg.waits_for_first && !s->has_first && !s->goes_first;
}

/* For who looks while others run the stream; a moment old. */
static inline u16 xiwarp_rdmap_reads_in_flight(const struct xiwarp_rdmap *s)
{
	return s->rd_in_flight;
}

static inline u16 xiwarp_rdmap_reads_to_answer(const struct xiwarp_rdmap *s)
{
	return s->rd_count;
}

static inline bool xiwarp_rdmap_has_crc(const struct xiwarp_rdmap *s)
{
	return s->cfg.crc;
}

#endif
