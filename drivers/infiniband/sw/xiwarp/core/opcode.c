// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The opcode table (RFC 5040 figure 4; RFC 7306 figure 3).
 */
#include <linux/build_bug.h>
#include "opcode.h"

#define OPCODES	16

#define TAGGED						\
	.valid = 1, .is_tagged = 1, .has_payload = 1,	\
	.hdr_len = XIWARP_TAGGED_BYTES,			\
	.max_len = XIWARP_TAGGED_BYTES
#define UNTAGGED(qn_, min_, max_)			\
	.valid = 1, .qn = XIWARP_QN_##qn_,		\
	.hdr_len = XIWARP_UNTAGGED_BYTES + (min_),	\
	.max_len = XIWARP_UNTAGGED_BYTES + (max_)
#define SENDS		UNTAGGED(SEND, 0, 0), .has_payload = 1
#define HEADER(qn_, len_)	UNTAGGED(qn_, len_, len_)

static const struct xiwarp_opcode rows[OPCODES] = {
	[XIWARP_OP_WRITE]	    = { TAGGED },
	[XIWARP_OP_READ_REQUEST]    = { HEADER(REQUEST, XIWARP_READ_BYTES) },
	[XIWARP_OP_READ_RESPONSE]   = { TAGGED },
	[XIWARP_OP_SEND]	    = { SENDS },
	[XIWARP_OP_SEND_INV]	    = { SENDS, .has_inv = 1 },
	[XIWARP_OP_SEND_SE]	    = { SENDS, .solicited = 1 },
	[XIWARP_OP_SEND_SE_INV]	    = { SENDS, .solicited = 1, .has_inv = 1 },
	[XIWARP_OP_TERMINATE]	    = { UNTAGGED(TERMINATE, XIWARP_TERM_MIN_BYTES,
						 XIWARP_TERM_MAX_BYTES) },
	[XIWARP_OP_IMMEDIATE]	    = { HEADER(SEND, XIWARP_IMMEDIATE_BYTES) },
	[XIWARP_OP_IMMEDIATE_SE]    = { HEADER(SEND, XIWARP_IMMEDIATE_BYTES),
					.solicited = 1 },
	[XIWARP_OP_ATOMIC_REQUEST]  = { HEADER(REQUEST, XIWARP_ATOMIC_BYTES) },
	[XIWARP_OP_ATOMIC_RESPONSE] = { HEADER(ATOMIC, XIWARP_RESULT_BYTES) },
};

static_assert(XIWARP_TERM_MAX_BYTES <= XIWARP_ATOMIC_BYTES);

const struct xiwarp_opcode *xiwarp_opcode_find(u8 op)
{
	const struct xiwarp_opcode *row = &rows[op & (OPCODES - 1)];

	return row->valid ? row : NULL;
}
