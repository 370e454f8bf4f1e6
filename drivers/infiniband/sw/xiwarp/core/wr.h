/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The trusted work request: what the engine sees of a send queue entry after
 * the verbs front has copied and validated it. Nothing here points to user memory.
 */
#ifndef XIWARP_CORE_WR_H
#define XIWARP_CORE_WR_H

#include <linux/bits.h>
#include <linux/types.h>

enum xiwarp_wr_op {
	XIWARP_WR_SEND,
	XIWARP_WR_SEND_INV,
	XIWARP_WR_WRITE,
	XIWARP_WR_WRITE_IMM,	/* RFC 7306: Write, then Immediate Data */
	XIWARP_WR_READ,
	XIWARP_WR_READ_INV,	/* READ, then invalidate inv_rkey here */
	XIWARP_WR_CMP_SWAP,	/* RFC 7306 */
	XIWARP_WR_FETCH_ADD,
	XIWARP_WR_LOCAL_INV,	/* done by the shell in its turn */
	XIWARP_WR_REG_MR,
	XIWARP_WR_OPS
};

#define XIWARP_WR_SIGNALED	BIT(0)
#define XIWARP_WR_SOLICITED	BIT(1)
#define XIWARP_WR_FENCE		BIT(2)	/* after all earlier READs, atomics */
#define XIWARP_WR_INLINE	BIT(3)

/* Completion status; the numbers are those of enum ib_wc_status. */
enum xiwarp_status {
	XIWARP_SUCCESS		= 0,
	XIWARP_LOC_LEN_ERR	= 1,
	XIWARP_LOC_QP_OP_ERR	= 2,
	XIWARP_LOC_PROT_ERR	= 4,
	XIWARP_WR_FLUSH_ERR	= 5,
	XIWARP_MW_BIND_ERR	= 6,
	XIWARP_BAD_RESP_ERR	= 7,
	XIWARP_LOC_ACCESS_ERR	= 8,
	XIWARP_REM_INV_REQ_ERR	= 9,
	XIWARP_REM_ACCESS_ERR	= 10,
	XIWARP_REM_OP_ERR	= 11,
	XIWARP_FATAL_ERR	= 19,
	XIWARP_GENERAL_ERR	= 21,
};

/**
 * struct xiwarp_wr - one send work request
 * @wr_id: the caller's cookie
 * @remote_to: WRITE, READ, atomics: the peer's tagged offset (remote address)
 * @sink_to: READ, atomics: tagged offset that the response shall carry: the
 *	address of the first SGE, or 0 if it has several. @sink_to + @length must
 *	not exceed 2^64. The engine only matches it; bytes go to the scatter list
 * @compare: CMP_SWAP
 * @swap_add: CMP_SWAP: swap; FETCH_ADD: addend
 * @rkey: WRITE, READ, atomics: the peer's STag
 * @sink_stag: READ: lkey of the first SGE
 * @length: payload bytes (READ: bytes to fetch; atomics: 8)
 * @imm: WRITE_IMM, network order
 * @inv_rkey: SEND_INV (the peer's), READ_INV, LOCAL_INV (ours)
 * @op: enum xiwarp_wr_op
 * @flags: XIWARP_WR_*
 * @fault: enum xiwarp_status found at post time (bad opcode, too many SGEs ...):
 *	not XIWARP_SUCCESS makes the engine fail this request when its turn comes
 *	instead of sending it
 * @status: engine: enum xiwarp_status once finished
 * @is_done: engine: finished, waits to be reaped
 * @done_bytes: engine: READ response bytes placed so far
 *
 * The fields marked "engine" belong to the owner of the QP; all others are
 * written before the request is posted and constant until it is reaped.
 */
struct xiwarp_wr {
	u64 wr_id;
	u64 remote_to;
	u64 sink_to;
	u64 compare;
	u64 swap_add;
	u32 rkey;
	u32 sink_stag;
	u32 length;
	__be32 imm;
	u32 inv_rkey;
	u8 op;
	u8 flags;
	u8 fault;
	u8 status;
	bool is_done;
	u32 done_bytes;
};

/* True for what takes a place of ORD: READs and atomics. */
static inline bool xiwarp_wr_is_rd(const struct xiwarp_wr *wr)
{
	return wr->op >= XIWARP_WR_READ && wr->op <= XIWARP_WR_FETCH_ADD;
}

/**
 * struct xiwarp_sq - the ring of trusted work requests, memory owned by the caller
 * @base: first slot; each slot begins with a struct xiwarp_wr
 * @stride: bytes from slot to slot
 * @mask: slots - 1
 */
struct xiwarp_sq {
	void *base;
	u32 stride;
	u32 mask;
};

/* @index is free running. */
static inline struct xiwarp_wr *xiwarp_sq_wr(const struct xiwarp_sq *sq, u32 index)
{
	return sq->base + (size_t)(index & sq->mask) * sq->stride;
}

#endif
