/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Everything that can be wrong with a request, named once, and what each side
 * gets to know of it (IBTA 9.9, roce error classes). The only place that maps a
 * fault to NAK codes, completion statuses and QP state changes.
 */
#ifndef XROCE_CORE_FAULT_H
#define XROCE_CORE_FAULT_H

#include <linux/types.h>

enum xroce_fault {
	XROCE_FAULT_NONE,
	XROCE_FAULT_PSN_GAP,		/* packets missing before this one */
	XROCE_FAULT_RNR,		/* no receive request posted */
	XROCE_FAULT_OPCODE_SEQUENCE,	/* e.g. MIDDLE without FIRST */
	XROCE_FAULT_OPCODE,		/* operation this QP does not offer */
	XROCE_FAULT_NOT_PERMITTED,	/* QP access flags */
	XROCE_FAULT_RD_RESOURCES,	/* more READs/atomics than agreed */
	XROCE_FAULT_MISALIGNED,		/* atomic address */
	XROCE_FAULT_LENGTH,		/* packet or DMA length against the rules */
	XROCE_FAULT_RECV_TOO_SMALL,	/* message longer than the receive buffer */
	XROCE_FAULT_REMOTE_ACCESS,	/* R_Key, range, PD, permission */
	XROCE_FAULT_LOCAL_KEY,		/* L_Key of the receive request */
	XROCE_FAULT_LOCAL_OP,		/* malformed receive request */
	XROCE_FAULT_INVALIDATE,		/* R_Key of send with invalidate */
	XROCE_FAULT_CQ_OVERFLOW,
	XROCE_FAULTS
};

enum xroce_event {
	XROCE_EVENT_NONE,
	XROCE_EVENT_QP_REQ_ERR,
	XROCE_EVENT_QP_ACCESS_ERR,
	XROCE_EVENT_QP_FATAL,
};

/**
 * struct xroce_fault_row - consequences of a fault on an RC responder
 * @syndrome: AETH to answer with, 0 = no answer (RNR: timer code is ORed in)
 * @status: enum xroce_status for the receive request that the message holds
 * @event: enum xroce_event when no receive request can tell
 * @is_fatal: the QP goes to the error state
 */
struct xroce_fault_row {
	u8 syndrome;
	u8 status;
	u8 event;
	bool is_fatal;
};

/* Never NULL for @fault < XROCE_FAULTS. */
const struct xroce_fault_row *xroce_fault_row(enum xroce_fault fault);

#endif
