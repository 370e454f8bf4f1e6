/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * DDP and RDMAP headers (RFC 5041 4, RFC 5040 4, RFC 7306): parsed once into
 * host order, built from the same struct. Knows neither FPDUs nor state.
 */
#ifndef XIWARP_CORE_WIRE_H
#define XIWARP_CORE_WIRE_H

#include <linux/types.h>
#include "opcode.h"

/* RFC 7306 5.2.1 */
enum xiwarp_aop {
	XIWARP_FETCH_ADD	= 0,
	XIWARP_CMP_SWAP		= 2,
};

/**
 * struct xiwarp_read - Read Request (RFC 5040 4.4)
 * @sink_stag: where the response goes, at the requester
 * @sink_to: tagged offset there
 * @length: bytes
 * @src_stag: what is read, at the responder
 * @src_to: tagged offset there
 */
struct xiwarp_read {
	u32 sink_stag;
	u64 sink_to;
	u32 length;
	u32 src_stag;
	u64 src_to;
};

/**
 * struct xiwarp_atomic - Atomic Request (RFC 7306 5.2.1)
 * @op: enum xiwarp_aop
 * @id: request identifier, comes back in the response
 * @stag: target
 * @to: its tagged offset
 * @swap_add: addend or new value
 * @mask: FETCH_ADD: where carries stop, 0 = a plain 64-bit sum; CMP_SWAP: bits
 *	to replace
 * @compare: CMP_SWAP
 * @compare_mask: CMP_SWAP
 */
struct xiwarp_atomic {
	u8 op;
	u32 id;
	u32 stag;
	u64 to;
	u64 swap_add;
	u64 mask;
	u64 compare;
	u64 compare_mask;
};

/**
 * struct xiwarp_result - Atomic Response
 * @id: of the request
 * @value: what was there before
 */
struct xiwarp_result {
	u32 id;
	u64 value;
};

/**
 * struct xiwarp_term - Terminate (RFC 5040 4.8)
 * @layer: 0 RDMAP, 1 DDP, 2 LLP
 * @etype: error type
 * @code: error code
 * @has_length: @seg_len is valid (M)
 * @has_ddp: @ddp is valid (D)
 * @has_read: @read is valid (R)
 * @is_swapped: parse: the control octets came in siw's order (nibbles exchanged,
 *	flags in the low bits) and were put right
 * @seg_len: ULPDU_Length of the segment that was refused
 * @ddp_len: XIWARP_TAGGED_BYTES or XIWARP_UNTAGGED_BYTES
 * @ddp: copy of its DDP header
 * @read: copy of its Read Request header
 */
struct xiwarp_term {
	u8 layer;
	u8 etype;
	u8 code;
	bool has_length;
	bool has_ddp;
	bool has_read;
	bool is_swapped;
	u8 ddp_len;
	u16 seg_len;
	u8 ddp[XIWARP_UNTAGGED_BYTES];
	u8 read[XIWARP_READ_BYTES];
};

/**
 * struct xiwarp_seg - the headers of one DDP segment, host order
 * @info: opcode row, never NULL after a good parse
 * @opcode: enum xiwarp_op
 * @is_last: DDP L
 * @stag: tagged: STag; untagged: Invalidate STag or 0
 * @to: tagged
 * @qn: untagged, any value
 * @msn: untagged
 * @mo: untagged
 * @hdr_len: bytes of DDP and RDMAP header
 * @payload_len: bytes behind them in the ULPDU
 * @read: READ_REQUEST
 * @atomic: ATOMIC_REQUEST
 * @result: ATOMIC_RESPONSE
 * @term: TERMINATE
 * @imm: IMMEDIATE, the eight octets as they stand on the wire. Verbs' 32-bit
 *	immediate data is the first four, the others are zero
 */
struct xiwarp_seg {
	const struct xiwarp_opcode *info;
	u8 opcode;
	bool is_last;
	u16 hdr_len;
	u16 payload_len;
	u32 stag;
	u64 to;
	u32 qn;
	u32 msn;
	u32 mo;
	union {
		struct xiwarp_read read;
		struct xiwarp_atomic atomic;
		struct xiwarp_result result;
		struct xiwarp_term term;
		u8 imm[XIWARP_IMMEDIATE_BYTES];
	};
};

enum xiwarp_parse {
	XIWARP_PARSE_OK,
	XIWARP_PARSE_SHORT,		/* ULPDU ends within its headers */
	XIWARP_PARSE_LONG,		/* bytes behind a message that has none */
	XIWARP_PARSE_TAGGED_VERSION,	/* DDP version, T set */
	XIWARP_PARSE_UNTAGGED_VERSION,	/* DDP version, T clear */
	XIWARP_PARSE_RDMAP_VERSION,
	XIWARP_PARSE_OPCODE,		/* undefined, or in the wrong DDP model */
};

/**
 * xiwarp_wire_hdr_len - how many header bytes to collect
 * @ctrl: DDP and RDMAP control octets
 * @ulpdu: ULPDU_Length
 *
 * Return: bytes, from @ctrl on, that xiwarp_wire_parse() needs to judge; never
 * more than @ulpdu or XIWARP_MAX_HDR_BYTES, never less than min(2, @ulpdu).
 */
unsigned int xiwarp_wire_hdr_len(const u8 *ctrl, unsigned int ulpdu);

/**
 * xiwarp_wire_parse - read the headers of one segment
 * @seg: filled on success; undefined otherwise
 * @hdr: xiwarp_wire_hdr_len() bytes
 * @ulpdu: ULPDU_Length, at least 1
 */
enum xiwarp_parse xiwarp_wire_parse(struct xiwarp_seg *seg, const u8 *hdr,
				    unsigned int ulpdu);

/**
 * xiwarp_wire_build - write the headers of one segment
 * @seg: info, hdr_len and payload_len are not read; the opcode must exist
 * @buf: at least XIWARP_MAX_HDR_BYTES
 *
 * Return: bytes written.
 */
unsigned int xiwarp_wire_build(const struct xiwarp_seg *seg, u8 *buf);

/**
 * xiwarp_wire_term_about - what a Terminate is about
 * @term: parsed
 *
 * Return: opcode (enum xiwarp_op) of the copied DDP header, -1 without one.
 */
int xiwarp_wire_term_about(const struct xiwarp_term *term);

/* What the target of @atomic holds afterwards if it was @old before; both in CPU order. */
u64 xiwarp_atomic_result(const struct xiwarp_atomic *atomic, u64 old);

#endif
