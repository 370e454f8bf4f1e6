/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What each BTH opcode means: one constant row per opcode (IBTA 9.2, table 38).
 * A row's header length follows from its mask; the compiler adds it up.
 */
#ifndef XROCE_CORE_OPCODE_H
#define XROCE_CORE_OPCODE_H

#include <linux/bits.h>
#include <linux/types.h>

/* Transport service, the upper three bits of the opcode. */
enum xroce_service {
	XROCE_RC,
	XROCE_UC,
	XROCE_UD,
	XROCE_CNP,	/* 0x81, taken for any connected QP */
};

enum xroce_operation {
	XROCE_OP_SEND,
	XROCE_OP_WRITE,
	XROCE_OP_READ_REQUEST,
	XROCE_OP_READ_RESPONSE,
	XROCE_OP_ACKNOWLEDGE,
	XROCE_OP_ATOMIC_ACKNOWLEDGE,
	XROCE_OP_CMP_SWAP,
	XROCE_OP_FETCH_ADD,
	XROCE_OP_FLUSH,
	XROCE_OP_ATOMIC_WRITE,
	XROCE_OP_CNP,
};

/* Where a packet stands in its message; ONLY is both. */
#define XROCE_POS_FIRST		BIT(0)
#define XROCE_POS_LAST		BIT(1)
#define XROCE_POS_ONLY		(XROCE_POS_FIRST | XROCE_POS_LAST)
#define XROCE_POS_MIDDLE	0

#define XROCE_BTH_BYTES		12

/* Extension headers in wire order ... */
#define XROCE_HDR_DETH		BIT(0)
#define XROCE_HDR_FETH		BIT(1)
#define XROCE_HDR_RETH		BIT(2)
#define XROCE_HDR_ATOMICETH	BIT(3)
#define XROCE_HDR_AETH		BIT(4)
#define XROCE_HDR_ATOMICACK	BIT(5)
#define XROCE_HDR_IMMDT		BIT(6)
#define XROCE_HDR_IETH		BIT(7)
#define XROCE_HDR_CNP		BIT(8)	/* reserved, zero */

/* ... and their lengths. */
#define XROCE_DETH_BYTES	8
#define XROCE_FETH_BYTES	4
#define XROCE_RETH_BYTES	16
#define XROCE_ATOMICETH_BYTES	28
#define XROCE_AETH_BYTES	4
#define XROCE_ATOMICACK_BYTES	8
#define XROCE_IMMDT_BYTES	4
#define XROCE_IETH_BYTES	4
#define XROCE_CNP_BYTES		16

/**
 * struct xroce_opcode - constant facts about one opcode
 * @valid: 0 in the holes of the table
 * @service: enum xroce_service
 * @op: enum xroce_operation
 * @pos: XROCE_POS_*
 * @is_response: travels from responder to requester
 * @hdrs: XROCE_HDR_* that follow the BTH
 * @hdr_len: bytes of BTH and extension headers
 */
struct xroce_opcode {
	u8 valid : 1;
	u8 is_response : 1;
	u8 service;
	u8 op;
	u8 pos;
	u16 hdrs;
	u8 hdr_len;
};

/* The row of @opcode, or NULL when nothing is defined there. */
const struct xroce_opcode *xroce_opcode_find(u8 opcode);

/*
 * The opcode for @op of @service at @pos with optional @hdrs (XROCE_HDR_IMMDT or
 * XROCE_HDR_IETH, else 0); -1 if the wire has no such packet. Ignores hdrs bits
 * that the operation implies (RETH, AETH, ...).
 */
int xroce_opcode_of(enum xroce_service service, enum xroce_operation op,
		    u8 pos, u16 hdrs);

#endif
