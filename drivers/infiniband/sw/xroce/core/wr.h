/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The trusted work request: what the engine sees of a send queue entry after
 * the verbs front has copied and validated it. Nothing here points to user memory.
 */
#ifndef XROCE_CORE_WR_H
#define XROCE_CORE_WR_H

#include <linux/bits.h>
#include <linux/types.h>

enum xroce_wr_op {
	XROCE_WR_SEND,
	XROCE_WR_SEND_IMM,
	XROCE_WR_SEND_INV,
	XROCE_WR_WRITE,
	XROCE_WR_WRITE_IMM,
	XROCE_WR_READ,
	XROCE_WR_CMP_SWAP,
	XROCE_WR_FETCH_ADD,
	XROCE_WR_ATOMIC_WRITE,
	XROCE_WR_FLUSH,
	/* local ones: no packet, the owner executes them */
	XROCE_WR_LOCAL_INV,
	XROCE_WR_BIND_MW,
	XROCE_WR_REG_MR,
	XROCE_WR_OPS
};

#define XROCE_WR_SIGNALED	BIT(0)
#define XROCE_WR_SOLICITED	BIT(1)
#define XROCE_WR_FENCE		BIT(2)
#define XROCE_WR_INLINE		BIT(3)
#define XROCE_WR_INVALIDATE	BIT(4)	/* READ: its owner invalidates inv_rkey then */

/* Completion status; the numbers are those of enum ib_wc_status. */
enum xroce_status {
	XROCE_SUCCESS		= 0,
	XROCE_LOC_LEN_ERR	= 1,
	XROCE_LOC_QP_OP_ERR	= 2,
	XROCE_LOC_PROT_ERR	= 4,
	XROCE_WR_FLUSH_ERR	= 5,
	XROCE_MW_BIND_ERR	= 6,
	XROCE_BAD_RESP_ERR	= 7,
	XROCE_LOC_ACCESS_ERR	= 8,
	XROCE_REM_INV_REQ_ERR	= 9,
	XROCE_REM_ACCESS_ERR	= 10,
	XROCE_REM_OP_ERR	= 11,
	XROCE_RETRY_EXC_ERR	= 12,
	XROCE_RNR_RETRY_EXC_ERR	= 13,
	XROCE_FATAL_ERR		= 19,
};

/**
 * struct xroce_wr - one send work request
 * @wr_id: the caller's cookie
 * @remote_va: WRITE, READ, atomics, FLUSH
 * @compare: CMP_SWAP
 * @swap_add: CMP_SWAP: swap; FETCH_ADD: addend
 * @rkey: WRITE, READ, atomics, FLUSH
 * @length: payload bytes (READ: bytes to fetch; FLUSH: bytes to flush; atomics: 8;
 *	local ones: 0)
 * @imm: network order
 * @inv_rkey: SEND_INV, LOCAL_INV; READ: XROCE_WR_INVALIDATE
 * @flush_type: FLUSH: FETH PLT
 * @flush_level: FLUSH: FETH SEL
 * @op: enum xroce_wr_op
 * @flags: XROCE_WR_*
 * @fault: enum xroce_status found at post time (bad lkey count, bad opcode ...):
 *	not XROCE_SUCCESS makes the requester fail this request when its turn
 *	comes instead of sending it; the requester sets it for faults of its own
 * @status: engine: enum xroce_status once finished
 * @is_started: engine: PSNs are assigned
 * @is_done: engine: finished, waits to be reaped
 * @first_psn: engine: PSN of its first packet (READ: of the first response;
 *	local ones: of what follows)
 * @last_psn: engine; local ones: the PSN before @first_psn
 * @done_bytes: engine: READ response bytes placed so far
 *
 * The fields marked "engine" belong to the owner of the QP; all others are
 * written before the request is posted and constant until it is reaped.
 */
struct xroce_wr {
	u64 wr_id;
	u64 remote_va;
	u64 compare;
	u64 swap_add;
	u32 rkey;
	u32 length;
	__be32 imm;
	u32 inv_rkey;
	u8 flush_type;
	u8 flush_level;
	u8 op;
	u8 flags;
	u8 fault;
	u8 status;
	bool is_started;
	bool is_done;
	u32 first_psn;
	u32 last_psn;
	u32 done_bytes;
};

/**
 * struct xroce_sq - the ring of trusted work requests, memory owned by the caller
 * @base: first slot; each slot begins with a struct xroce_wr
 * @stride: bytes from slot to slot
 * @mask: slots - 1
 */
struct xroce_sq {
	void *base;
	u32 stride;
	u32 mask;
};

/* @index is free running. */
static inline struct xroce_wr *xroce_sq_wr(const struct xroce_sq *sq, u32 index)
{
	return sq->base + (size_t)(index & sq->mask) * sq->stride;
}

#endif
