// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The opcode table (IBTA 9.2, annexes A17 and A19) and its inverse. Opcodes
 * without a row (XRC, RD, manufacturer specific) stay zero: not valid.
 */
#include "opcode.h"

/* Short names, so that a row fits a line. */
#define NONE		0
#define DETH		XROCE_HDR_DETH
#define FETH		XROCE_HDR_FETH
#define RETH		XROCE_HDR_RETH
#define ATOMICETH	XROCE_HDR_ATOMICETH
#define AETH		XROCE_HDR_AETH
#define ATOMICACK	XROCE_HDR_ATOMICACK
#define IMMDT		XROCE_HDR_IMMDT
#define IETH		XROCE_HDR_IETH
#define CNP		XROCE_HDR_CNP

#define EXT_LEN(hdrs, name) \
	((hdrs) & XROCE_HDR_##name ? XROCE_##name##_BYTES : 0)
#define HDR_LEN(hdrs)							\
	(XROCE_BTH_BYTES + EXT_LEN(hdrs, DETH) + EXT_LEN(hdrs, FETH) +	\
	 EXT_LEN(hdrs, RETH) + EXT_LEN(hdrs, ATOMICETH) +		\
	 EXT_LEN(hdrs, AETH) + EXT_LEN(hdrs, ATOMICACK) +		\
	 EXT_LEN(hdrs, IMMDT) + EXT_LEN(hdrs, IETH) + EXT_LEN(hdrs, CNP))

#define IS_RESPONSE(op)					\
	((op) == XROCE_OP_READ_RESPONSE ||		\
	 (op) == XROCE_OP_ACKNOWLEDGE ||		\
	 (op) == XROCE_OP_ATOMIC_ACKNOWLEDGE)

#define ROW(opcode, service_, op_, pos_, hdrs_)			\
	[opcode] = {						\
		.valid = 1,					\
		.is_response = IS_RESPONSE(XROCE_OP_##op_),	\
		.service = XROCE_##service_,			\
		.op = XROCE_OP_##op_,				\
		.pos = XROCE_POS_##pos_,			\
		.hdrs = hdrs_,					\
		.hdr_len = HDR_LEN(hdrs_),			\
	}

static const struct xroce_opcode rows[256] = {
	ROW(0x00, RC, SEND,               FIRST,  NONE),
	ROW(0x01, RC, SEND,               MIDDLE, NONE),
	ROW(0x02, RC, SEND,               LAST,   NONE),
	ROW(0x03, RC, SEND,               LAST,   IMMDT),
	ROW(0x04, RC, SEND,               ONLY,   NONE),
	ROW(0x05, RC, SEND,               ONLY,   IMMDT),
	ROW(0x06, RC, WRITE,              FIRST,  RETH),
	ROW(0x07, RC, WRITE,              MIDDLE, NONE),
	ROW(0x08, RC, WRITE,              LAST,   NONE),
	ROW(0x09, RC, WRITE,              LAST,   IMMDT),
	ROW(0x0a, RC, WRITE,              ONLY,   RETH),
	ROW(0x0b, RC, WRITE,              ONLY,   RETH | IMMDT),
	ROW(0x0c, RC, READ_REQUEST,       ONLY,   RETH),
	ROW(0x0d, RC, READ_RESPONSE,      FIRST,  AETH),
	ROW(0x0e, RC, READ_RESPONSE,      MIDDLE, NONE),
	ROW(0x0f, RC, READ_RESPONSE,      LAST,   AETH),
	ROW(0x10, RC, READ_RESPONSE,      ONLY,   AETH),
	ROW(0x11, RC, ACKNOWLEDGE,        ONLY,   AETH),
	ROW(0x12, RC, ATOMIC_ACKNOWLEDGE, ONLY,   AETH | ATOMICACK),
	ROW(0x13, RC, CMP_SWAP,           ONLY,   ATOMICETH),
	ROW(0x14, RC, FETCH_ADD,          ONLY,   ATOMICETH),
	ROW(0x16, RC, SEND,               LAST,   IETH),
	ROW(0x17, RC, SEND,               ONLY,   IETH),
	ROW(0x1c, RC, FLUSH,              ONLY,   FETH | RETH),
	ROW(0x1d, RC, ATOMIC_WRITE,       ONLY,   RETH),

	ROW(0x20, UC, SEND,               FIRST,  NONE),
	ROW(0x21, UC, SEND,               MIDDLE, NONE),
	ROW(0x22, UC, SEND,               LAST,   NONE),
	ROW(0x23, UC, SEND,               LAST,   IMMDT),
	ROW(0x24, UC, SEND,               ONLY,   NONE),
	ROW(0x25, UC, SEND,               ONLY,   IMMDT),
	ROW(0x26, UC, WRITE,              FIRST,  RETH),
	ROW(0x27, UC, WRITE,              MIDDLE, NONE),
	ROW(0x28, UC, WRITE,              LAST,   NONE),
	ROW(0x29, UC, WRITE,              LAST,   IMMDT),
	ROW(0x2a, UC, WRITE,              ONLY,   RETH),
	ROW(0x2b, UC, WRITE,              ONLY,   RETH | IMMDT),

	ROW(0x64, UD, SEND,               ONLY,   DETH),
	ROW(0x65, UD, SEND,               ONLY,   DETH | IMMDT),

	ROW(0x81, CNP, CNP,               ONLY,   CNP),
};

/* Every service has 32 opcodes in a row. */
static const u8 first_opcode[] = {
	[XROCE_RC]	= 0x00,
	[XROCE_UC]	= 0x20,
	[XROCE_UD]	= 0x60,
	[XROCE_CNP]	= 0x80,
};

const struct xroce_opcode *xroce_opcode_find(u8 opcode)
{
	return rows[opcode].valid ? &rows[opcode] : NULL;
}

int xroce_opcode_of(enum xroce_service service, enum xroce_operation op,
		    u8 pos, u16 hdrs)
{
	int opcode = first_opcode[service];
	int end = opcode + 32;

	for (; opcode < end; opcode++) {
		const struct xroce_opcode *row = &rows[opcode];

		if (row->valid && row->op == op && row->pos == pos &&
		    !((row->hdrs ^ hdrs) & (IMMDT | IETH)))
			return opcode;
	}
	return -1;
}
