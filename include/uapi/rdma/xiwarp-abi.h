/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * What xiwarp and a user space provider share. The layouts are those that the
 * "siw" provider of rdma-core speaks (ABI version 1), so that applications run
 * with the rdma-core they have; the driver's abi_check.c compares them with the
 * kernel's own description of that ABI when it is built.
 *
 * A queue is an array of slots, a power of two of them, in memory that the
 * kernel allocates and user space maps. There are no indices in it: both sides
 * go round the array, and a slot says itself whether it is full. Who fills it
 * stores XIWARP_SLOT_VALID last, who empties it stores 0.
 */
#ifndef XIWARP_ABI_H
#define XIWARP_ABI_H

#include <linux/types.h>

#define XIWARP_ABI_VERSION	1

/* Fixed by the size of a slot. */
#define XIWARP_ABI_MAX_SGE	6
/* Inline bytes take the place of all SGEs but the first. */
#define XIWARP_ABI_MAX_INLINE	80

/*
 * Providers take this mmap offset for "none" and fail, so it is never given
 * out. Offsets are multiples of the page size.
 */
#define XIWARP_ABI_NO_OFFSET	0x090000

/* Driver part of the responses and commands of the verbs. */

struct xiwarp_alloc_ucontext_resp {
	__u32 dev_id;
	__u32 pad;
};

/* Map num_cqe slots and the control word behind them. */
struct xiwarp_create_cq_resp {
	__u32 cq_id;
	__u32 num_cqe;
	__aligned_u64 cq_offset;
};

struct xiwarp_create_qp_resp {
	__u32 qp_id;
	__u32 num_sqe;
	__u32 num_rqe;
	__u32 pad;
	__aligned_u64 sq_offset;
	__aligned_u64 rq_offset;
};

struct xiwarp_create_srq_resp {
	__u32 num_rqe;
	__u32 pad;
	__aligned_u64 srq_offset;
};

struct xiwarp_reg_mr_resp {
	__u32 stag;
	__u32 pad;
};

/* Of a send slot, and in completions. User space may post the first six. */
enum xiwarp_abi_opcode {
	XIWARP_ABI_WRITE,
	XIWARP_ABI_READ,
	XIWARP_ABI_READ_LOCAL_INV,
	XIWARP_ABI_SEND,
	XIWARP_ABI_SEND_IMM,
	XIWARP_ABI_SEND_INV,
	XIWARP_ABI_FETCH_ADD,
	XIWARP_ABI_CMP_SWAP,
	XIWARP_ABI_RECEIVE,
	XIWARP_ABI_OPCODES	/* that completions may carry */
};

/* Flags of a slot */
#define XIWARP_SLOT_VALID	0x01
#define XIWARP_SLOT_INLINE	0x02
#define XIWARP_SLOT_SIGNALED	0x04
#define XIWARP_SLOT_SOLICITED	0x08
#define XIWARP_SLOT_FENCE	0x10

struct xiwarp_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/**
 * struct xiwarp_sqe - one slot of a send queue
 * @wr_id: the caller's cookie
 * @flags: XIWARP_SLOT_*
 * @num_sge: entries of @sge; means nothing with inline bytes
 * @opcode: enum xiwarp_abi_opcode
 * @rkey: of the peer's memory
 * @remote_addr: in the peer's memory
 * @sge: gather list; with XIWARP_SLOT_INLINE, sge[0].length is the number of
 *	bytes and they begin at sge[1]
 */
struct xiwarp_sqe {
	__aligned_u64 wr_id;
	__u16 flags;
	__u8 num_sge;
	__u8 opcode;
	__u32 rkey;
	__aligned_u64 remote_addr;
	struct xiwarp_sge sge[XIWARP_ABI_MAX_SGE];
};

/**
 * struct xiwarp_rqe - one slot of a receive queue
 * @wr_id: the caller's cookie
 * @flags: XIWARP_SLOT_VALID or 0
 * @num_sge: entries of @sge
 * @opcode: not used
 * @unused: not used
 * @sge: scatter list
 */
struct xiwarp_rqe {
	__aligned_u64 wr_id;
	__u16 flags;
	__u8 num_sge;
	__u8 opcode;
	__u32 unused;
	struct xiwarp_sge sge[XIWARP_ABI_MAX_SGE];
};

enum xiwarp_abi_status {
	XIWARP_ABI_SUCCESS,
	XIWARP_ABI_LOC_LEN_ERR,
	XIWARP_ABI_LOC_PROT_ERR,
	XIWARP_ABI_LOC_QP_OP_ERR,
	XIWARP_ABI_WR_FLUSH_ERR,
	XIWARP_ABI_BAD_RESP_ERR,
	XIWARP_ABI_LOC_ACCESS_ERR,
	XIWARP_ABI_REM_ACCESS_ERR,
	XIWARP_ABI_REM_INV_REQ_ERR,
	XIWARP_ABI_GENERAL_ERR
};

/**
 * struct xiwarp_cqe - one slot of a completion queue
 * @wr_id: of the request
 * @flags: XIWARP_SLOT_VALID or 0
 * @opcode: enum xiwarp_abi_opcode
 * @status: enum xiwarp_abi_status
 * @bytes: received, or of the request
 * @imm_data: in the upper half nothing
 * @inval_stag: key that the peer invalidated
 * @qp_id: number of the QP
 */
struct xiwarp_cqe {
	__aligned_u64 wr_id;
	__u8 flags;
	__u8 opcode;
	__u16 status;
	__u32 bytes;
	union {
		__aligned_u64 imm_data;
		__u32 inval_stag;
	};
	__aligned_u64 qp_id;
};

/* What a CQ waits for, in the control word. The kernel takes it back. */
#define XIWARP_NOTIFY_SOLICITED	0x01
#define XIWARP_NOTIFY_NEXT	0x02

struct xiwarp_cq_ctrl {
	__u32 notify;
	__u32 pad;
};

#endif
