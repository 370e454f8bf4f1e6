/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Everything that can be wrong with what a peer sent, named once, and what each
 * side gets to know of it. The only place that maps a fault to Terminate codes
 * (RFC 5040 4.8, 5041 6.2, 5044 8, 6581 8), completion statuses and events.
 */
#ifndef XIWARP_CORE_FAULT_H
#define XIWARP_CORE_FAULT_H

#include <linux/types.h>
#include "wr.h"

/* Each has a counter of that name ("rdma statistic show"). */
#define XIWARP_FAULT_LIST(X)						\
	X(CRC,			"fault_crc")				\
	X(MARKER,		"fault_marker")	/* FPDUPTR misses the start */ \
	X(MPA,			"fault_mpa")	/* bad Request or Reply */ \
	X(MPA_RESOURCE,		"fault_mpa_resource") /* failure of ours */ \
	X(MPA_IRD,		"fault_mpa_ird") /* our IRD is too small */ \
	X(MPA_RTR,		"fault_mpa_rtr") /* no RTR kind in common */ \
	X(LENGTH,		"fault_length")	/* ULPDU and headers disagree */ \
	X(TAGGED_VERSION,	"fault_tagged_version")			\
	X(TAGGED_STAG,		"fault_tagged_stag")			\
	X(TAGGED_BOUNDS,	"fault_tagged_bounds")			\
	X(TAGGED_STREAM,	"fault_tagged_stream") /* other PD */	\
	X(TAGGED_WRAP,		"fault_tagged_wrap")			\
	X(UNTAGGED_VERSION,	"fault_untagged_version")		\
	X(QN,			"fault_queue")				\
	X(NO_BUFFER,		"fault_no_buffer") /* no receive posted */ \
	X(NO_IRD,		"fault_no_ird")	/* more Reads than agreed */ \
	X(MSN,			"fault_msn")				\
	X(MO,			"fault_mo")				\
	X(TOO_LONG,		"fault_too_long") /* for the receive */	\
	X(RDMAP_VERSION,	"fault_rdmap_version")			\
	X(OPCODE,		"fault_opcode")	/* undefined or not now */ \
	X(WRITE_ACCESS,		"fault_write_access")			\
	X(READ_STAG,		"fault_read_stag")			\
	X(READ_BOUNDS,		"fault_read_bounds")			\
	X(READ_ACCESS,		"fault_read_access")			\
	X(READ_STREAM,		"fault_read_stream")			\
	X(READ_WRAP,		"fault_read_wrap")			\
	X(ATOMIC,		"fault_atomic")	/* opcode or alignment */ \
	X(INVALIDATE,		"fault_invalidate") /* STag can't be */	\
	X(RESPONSE,		"fault_response") /* nobody asked for it */ \
	X(RESPONSE_BOUNDS,	"fault_response_bounds") /* not what was asked */ \
	X(SINK,			"fault_sink")	/* our READ's own memory */ \
	X(RECV_KEY,		"fault_recv_key") /* lkey of our receive */ \
	X(RECV_WR,		"fault_recv_wr") /* malformed receive */ \
	X(LOCAL,		"fault_local")	/* a request of ours failed */ \
	X(CQ_OVERFLOW,		"fault_cq_overflow")

#define XIWARP_FAULT_ENUM(name, text) XIWARP_FAULT_##name,
enum xiwarp_fault {
	XIWARP_FAULT_NONE,
	XIWARP_FAULT_LIST(XIWARP_FAULT_ENUM)
	XIWARP_FAULTS
};
#undef XIWARP_FAULT_ENUM

/* Answer of the shell to a question about memory. */
enum xiwarp_mem {
	XIWARP_MEM_OK,
	XIWARP_MEM_STAG,	/* no such key, or not valid now */
	XIWARP_MEM_PD,		/* another PD (RFC: not associated with the stream) */
	XIWARP_MEM_ACCESS,	/* rights */
	XIWARP_MEM_BOUNDS,	/* range */
	XIWARP_MEMS
};

enum xiwarp_event {
	XIWARP_EVENT_NONE,
	XIWARP_EVENT_QP_REQ_ERR,
	XIWARP_EVENT_QP_ACCESS_ERR,
	XIWARP_EVENT_QP_FATAL,
};

/* What of the refused segment a Terminate copies (RFC 5040 4.8, figure 10). */
enum xiwarp_copy {
	XIWARP_COPY_NONE,
	XIWARP_COPY_HEADERS,	/* M, D; a Read Request's header, too: R */
};

/**
 * struct xiwarp_fault_row - consequences of a fault; all are fatal to the stream
 * @layer: Terminate: 0 RDMAP, 1 DDP, 2 LLP
 * @etype: Terminate
 * @code: Terminate
 * @copy: enum xiwarp_copy
 * @status: enum xiwarp_status for the receive that the message holds
 * @event: enum xiwarp_event when no receive can tell
 * @is_remote: found in what the peer sent; false: a failure of ours
 */
struct xiwarp_fault_row {
	u8 layer;
	u8 etype;
	u8 code;
	u8 copy;
	u8 status;
	u8 event;
	bool is_remote;
};

/* Never NULL for @fault < XIWARP_FAULTS. */
const struct xiwarp_fault_row *xiwarp_fault_row(enum xiwarp_fault fault);

/* What a refusal of memory is called, by what was to be done with it. */
enum xiwarp_fault xiwarp_fault_of_write(enum xiwarp_mem mem);
enum xiwarp_fault xiwarp_fault_of_read(enum xiwarp_mem mem);

/*
 * The status of our own READ or atomic that a peer's Terminate of this layer and
 * type refuses: REM_ACCESS_ERR, REM_OP_ERR or WR_FLUSH_ERR.
 */
enum xiwarp_status xiwarp_fault_status_of_term(u8 layer, u8 etype);

#endif
