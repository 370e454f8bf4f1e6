/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What each RDMAP opcode means: one constant row per opcode (RFC 5040 4.3,
 * RFC 7306 4). A row tells DDP model, queue and how long the header is.
 */
#ifndef XIWARP_CORE_OPCODE_H
#define XIWARP_CORE_OPCODE_H

#include <linux/types.h>

/* RDMAP opcodes as on the wire. */
enum xiwarp_op {
	XIWARP_OP_WRITE			= 0x0,
	XIWARP_OP_READ_REQUEST		= 0x1,
	XIWARP_OP_READ_RESPONSE		= 0x2,
	XIWARP_OP_SEND			= 0x3,
	XIWARP_OP_SEND_INV		= 0x4,
	XIWARP_OP_SEND_SE		= 0x5,
	XIWARP_OP_SEND_SE_INV		= 0x6,
	XIWARP_OP_TERMINATE		= 0x7,
	XIWARP_OP_IMMEDIATE		= 0x8,	/* RFC 7306 */
	XIWARP_OP_IMMEDIATE_SE		= 0x9,
	XIWARP_OP_ATOMIC_REQUEST	= 0xa,
	XIWARP_OP_ATOMIC_RESPONSE	= 0xb,
};

/* DDP untagged queues (RFC 5040 5.1, RFC 7306 3). */
enum xiwarp_queue {
	XIWARP_QN_SEND,
	XIWARP_QN_REQUEST,	/* Read and Atomic Requests */
	XIWARP_QN_TERMINATE,
	XIWARP_QN_ATOMIC,	/* Atomic Responses */
	XIWARP_QUEUES
};

/* Both DDP headers with the two control octets, without ULPDU_Length. */
#define XIWARP_TAGGED_BYTES	14
#define XIWARP_UNTAGGED_BYTES	18

/* RDMAP headers behind them. */
#define XIWARP_READ_BYTES	28
#define XIWARP_ATOMIC_BYTES	52
#define XIWARP_RESULT_BYTES	12
#define XIWARP_IMMEDIATE_BYTES	8
#define XIWARP_TERM_MIN_BYTES	4
/* Control, segment length, DDP header, Read Request header. */
#define XIWARP_TERM_MAX_BYTES	(4 + 2 + XIWARP_UNTAGGED_BYTES + XIWARP_READ_BYTES)

/* The longest header of all: Atomic Request, and Terminate. */
#define XIWARP_MAX_HDR_BYTES	(XIWARP_UNTAGGED_BYTES + XIWARP_ATOMIC_BYTES)

/**
 * struct xiwarp_opcode - constant facts about one opcode
 * @valid: 0 in the holes of the table
 * @is_tagged: DDP model
 * @has_payload: bytes behind the header belong to a user buffer; without it the
 *	message is one segment and header only
 * @has_inv: the untagged header carries the STag to invalidate
 * @solicited: SE
 * @qn: enum xiwarp_queue, untagged only
 * @hdr_len: least length of DDP and RDMAP header
 * @max_len: greatest (differs for Terminate alone)
 */
struct xiwarp_opcode {
	u8 valid : 1;
	u8 is_tagged : 1;
	u8 has_payload : 1;
	u8 has_inv : 1;
	u8 solicited : 1;
	u8 qn;
	u8 hdr_len;
	u8 max_len;
};

/* The row of @op (its low four bits), or NULL when nothing is defined there. */
const struct xiwarp_opcode *xiwarp_opcode_find(u8 op);

#endif
