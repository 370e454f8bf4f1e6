// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fault table (IBTA 9.9.3, tables for the responder). A fault after which
 * the QP is in error tells somebody: a receive request or, without one, an event.
 */
#include "fault.h"
#include "wire.h"
#include "wr.h"

#define NO_ANSWER	0

#define RETRY(fault, syndrome_)				\
	[XROCE_FAULT_##fault] = {			\
		.syndrome = XROCE_##syndrome_,		\
	}
#define FATAL(fault, syndrome_, status_, event_)	\
	[XROCE_FAULT_##fault] = {			\
		.syndrome = syndrome_,			\
		.status = XROCE_##status_,		\
		.event = XROCE_EVENT_##event_,		\
		.is_fatal = true,			\
	}
#define INVALID		XROCE_NAK_INVALID_REQUEST
#define ACCESS		XROCE_NAK_REMOTE_ACCESS
#define OPERATION	XROCE_NAK_REMOTE_OPERATION

static const struct xroce_fault_row rows[XROCE_FAULTS] = {
	RETRY(PSN_GAP,		NAK_PSN_SEQUENCE),
	RETRY(RNR,		AETH_RNR_NAK),
	FATAL(OPCODE_SEQUENCE,	INVALID,	REM_INV_REQ_ERR, QP_REQ_ERR),
	FATAL(OPCODE,		INVALID,	REM_INV_REQ_ERR, QP_REQ_ERR),
	FATAL(NOT_PERMITTED,	INVALID,	REM_INV_REQ_ERR, QP_REQ_ERR),
	FATAL(RD_RESOURCES,	INVALID,	REM_INV_REQ_ERR, QP_REQ_ERR),
	FATAL(MISALIGNED,	INVALID,	REM_INV_REQ_ERR, QP_REQ_ERR),
	FATAL(LENGTH,		INVALID,	REM_INV_REQ_ERR, QP_REQ_ERR),
	FATAL(RECV_TOO_SMALL,	INVALID,	LOC_LEN_ERR,	 QP_REQ_ERR),
	FATAL(REMOTE_ACCESS,	ACCESS,		LOC_ACCESS_ERR,	 QP_ACCESS_ERR),
	FATAL(LOCAL_KEY,	OPERATION,	LOC_PROT_ERR,	 QP_FATAL),
	FATAL(LOCAL_OP,		OPERATION,	LOC_QP_OP_ERR,	 QP_FATAL),
	FATAL(INVALIDATE,	NO_ANSWER,	REM_INV_REQ_ERR, QP_REQ_ERR),
	FATAL(CQ_OVERFLOW,	NO_ANSWER,	FATAL_ERR,	 QP_FATAL),
};

const struct xroce_fault_row *xroce_fault_row(enum xroce_fault fault)
{
	return &rows[fault];
}
