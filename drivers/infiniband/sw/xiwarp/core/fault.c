// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fault table. Terminate codes: RFC 5040 figure 9 (layer 0), RFC 5041
 * figure 5 (layer 1), RFC 5044 8 and RFC 6581 8 (layer 2).
 */
#include "fault.h"

#define RDMAP		0
#define DDP		1
#define LLP		2
/* error types of RDMAP */
#define CATASTROPHIC	0
#define PROTECTION	1
#define OPERATION	2
/* of DDP */
#define TAGGED		1
#define UNTAGGED	2
/* of LLP */
#define MPA_TYPE	0

#define ROW(...)	ROW_OF(true, __VA_ARGS__)
#define OURS(fault, layer_, etype_, code_, status_, event_)		\
	ROW_OF(false, fault, layer_, etype_, code_, NONE, status_, event_)
#define ROW_OF(is_remote_, fault, layer_, etype_, code_, copy_, status_, event_) \
	[XIWARP_FAULT_##fault] = {					\
		.is_remote = is_remote_,				\
		.layer = layer_,					\
		.etype = etype_,					\
		.code = code_,						\
		.copy = XIWARP_COPY_##copy_,				\
		.status = XIWARP_##status_,				\
		.event = XIWARP_EVENT_##event_,				\
	}

static const struct xiwarp_fault_row rows[XIWARP_FAULTS] = {
	ROW(CRC,	      LLP, MPA_TYPE, 0x02, NONE, GENERAL_ERR, QP_FATAL),
	ROW(MARKER,	      LLP, MPA_TYPE, 0x03, NONE, GENERAL_ERR, QP_FATAL),
	ROW(MPA,	      LLP, MPA_TYPE, 0x04, NONE, GENERAL_ERR, QP_FATAL),
	OURS(MPA_RESOURCE,     LLP, MPA_TYPE, 0x05, GENERAL_ERR, QP_FATAL),
	ROW(MPA_IRD,	      LLP, MPA_TYPE, 0x06, NONE, GENERAL_ERR, QP_FATAL),
	ROW(MPA_RTR,	      LLP, MPA_TYPE, 0x07, NONE, GENERAL_ERR, QP_FATAL),
	ROW(LENGTH,	      DDP, CATASTROPHIC, 0x00, NONE, GENERAL_ERR, QP_REQ_ERR),

	ROW(TAGGED_STAG,      DDP, TAGGED, 0x00, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(TAGGED_BOUNDS,    DDP, TAGGED, 0x01, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(TAGGED_STREAM,    DDP, TAGGED, 0x02, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(TAGGED_WRAP,      DDP, TAGGED, 0x03, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(TAGGED_VERSION,   DDP, TAGGED, 0x04, NONE, GENERAL_ERR, QP_REQ_ERR),

	ROW(QN,		      DDP, UNTAGGED, 0x01, HEADERS, REM_INV_REQ_ERR, QP_REQ_ERR),
	ROW(NO_BUFFER,	      DDP, UNTAGGED, 0x02, HEADERS, GENERAL_ERR, QP_REQ_ERR),
	ROW(NO_IRD,	      DDP, UNTAGGED, 0x02, HEADERS, REM_INV_REQ_ERR, QP_REQ_ERR),
	ROW(MSN,	      DDP, UNTAGGED, 0x03, HEADERS, REM_INV_REQ_ERR, QP_REQ_ERR),
	ROW(MO,		      DDP, UNTAGGED, 0x04, HEADERS, REM_INV_REQ_ERR, QP_REQ_ERR),
	ROW(TOO_LONG,	      DDP, UNTAGGED, 0x05, HEADERS, LOC_LEN_ERR, QP_REQ_ERR),
	ROW(UNTAGGED_VERSION, DDP, UNTAGGED, 0x06, NONE, GENERAL_ERR, QP_REQ_ERR),

	ROW(WRITE_ACCESS,     RDMAP, PROTECTION, 0x02, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(READ_STAG,	      RDMAP, PROTECTION, 0x00, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(READ_BOUNDS,      RDMAP, PROTECTION, 0x01, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(READ_ACCESS,      RDMAP, PROTECTION, 0x02, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(READ_STREAM,      RDMAP, PROTECTION, 0x03, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(READ_WRAP,	      RDMAP, PROTECTION, 0x04, HEADERS, LOC_ACCESS_ERR, QP_ACCESS_ERR),
	ROW(INVALIDATE,	      RDMAP, PROTECTION, 0x09, HEADERS, REM_INV_REQ_ERR, QP_ACCESS_ERR),

	ROW(RDMAP_VERSION,    RDMAP, OPERATION, 0x05, NONE, GENERAL_ERR, QP_REQ_ERR),
	ROW(OPCODE,	      RDMAP, OPERATION, 0x06, HEADERS, REM_INV_REQ_ERR, QP_REQ_ERR),
	ROW(RESPONSE,	      RDMAP, OPERATION, 0x06, HEADERS, REM_INV_REQ_ERR, QP_REQ_ERR),
	/* RFC 7306 names no code: catastrophic, this stream */
	ROW(ATOMIC,	      RDMAP, OPERATION, 0x07, HEADERS, REM_INV_REQ_ERR, QP_REQ_ERR),
	/* To the peer a response outside of the request is a bad tagged buffer. */
	ROW(RESPONSE_BOUNDS,  DDP, TAGGED, 0x01, HEADERS, BAD_RESP_ERR, NONE),

	OURS(SINK,	      RDMAP, CATASTROPHIC, 0x00, LOC_PROT_ERR, NONE),
	OURS(RECV_KEY,	      RDMAP, CATASTROPHIC, 0x00, LOC_PROT_ERR, QP_FATAL),
	OURS(RECV_WR,	      RDMAP, CATASTROPHIC, 0x00, LOC_QP_OP_ERR, QP_FATAL),
	OURS(LOCAL,	      RDMAP, CATASTROPHIC, 0x00, GENERAL_ERR, NONE),
	OURS(CQ_OVERFLOW,      RDMAP, CATASTROPHIC, 0x00, FATAL_ERR, QP_FATAL),
};

const struct xiwarp_fault_row *xiwarp_fault_row(enum xiwarp_fault fault)
{
	return &rows[fault];
}

enum xiwarp_fault xiwarp_fault_of_write(enum xiwarp_mem mem)
{
	static const u8 faults[XIWARP_MEMS] = {
		[XIWARP_MEM_STAG]   = XIWARP_FAULT_TAGGED_STAG,
		[XIWARP_MEM_PD]	    = XIWARP_FAULT_TAGGED_STREAM,
		[XIWARP_MEM_ACCESS] = XIWARP_FAULT_WRITE_ACCESS,
		[XIWARP_MEM_BOUNDS] = XIWARP_FAULT_TAGGED_BOUNDS,
	};

	return faults[mem];
}

enum xiwarp_fault xiwarp_fault_of_read(enum xiwarp_mem mem)
{
	static const u8 faults[XIWARP_MEMS] = {
		[XIWARP_MEM_STAG]   = XIWARP_FAULT_READ_STAG,
		[XIWARP_MEM_PD]	    = XIWARP_FAULT_READ_STREAM,
		[XIWARP_MEM_ACCESS] = XIWARP_FAULT_READ_ACCESS,
		[XIWARP_MEM_BOUNDS] = XIWARP_FAULT_READ_BOUNDS,
	};

	return faults[mem];
}

enum xiwarp_status xiwarp_fault_status_of_term(u8 layer, u8 etype)
{
	if (layer == RDMAP && etype == PROTECTION)
		return XIWARP_REM_ACCESS_ERR;
	if (layer == RDMAP && etype == OPERATION)
		return XIWARP_REM_OP_ERR;
	return XIWARP_WR_FLUSH_ERR;
}
