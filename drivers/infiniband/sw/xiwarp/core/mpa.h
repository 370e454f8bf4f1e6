/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * MPA startup (RFC 5044 7, RFC 6581): Request and Reply, what they agree on.
 *
 *   initiator                              responder
 *   request() build()  -- Request -->      want()/took() -> parse
 *                                          ULP decides: accept() or reject()
 *   want()/took()      <-- Reply ---       build()
 *   judge() -> agreed, or go again with revision 1, or fault
 *   RTR if agreed->rtr_send                holds its FPDUs until the first one came
 *
 * Pure: no socket, no clock. XIWARP_MPA_TIMEOUT_NS is what the shell allows each side.
 */
#ifndef XIWARP_CORE_MPA_H
#define XIWARP_CORE_MPA_H

#include <linux/bits.h>
#include <linux/types.h>
#include "fault.h"

#define XIWARP_MPA_HDR_BYTES	20
#define XIWARP_MPA_MAX_PRIVATE	512	/* PD_Length, enhanced words included */
#define XIWARP_MPA_MAX_BYTES	(XIWARP_MPA_HDR_BYTES + XIWARP_MPA_MAX_PRIVATE)
#define XIWARP_MPA_ENHANCED_BYTES	4
/* IRD and ORD are 14 bits; all ones: the ULP does it (RFC 6581 9.1). */
#define XIWARP_MPA_MAX_DEPTH	0x3ffe
#define XIWARP_MPA_NO_DEPTH	0x3fff

#define XIWARP_MPA_TIMEOUT_NS	10000000000ULL

/* Ways to say "ready to receive" (RFC 6581 9.2); sets of them. */
#define XIWARP_RTR_FPDU		BIT(0)	/* zero-length FPDU */
#define XIWARP_RTR_WRITE	BIT(1)	/* zero-length RDMA Write */
#define XIWARP_RTR_READ		BIT(2)	/* zero-length RDMA Read */
#define XIWARP_RTR_ALL		(XIWARP_RTR_FPDU | XIWARP_RTR_WRITE | XIWARP_RTR_READ)

/**
 * struct xiwarp_mpa_frame - one Request or Reply, host order
 * @is_reply: which
 * @revision: 1 or 2 (0, as siw takes it, counts as 1)
 * @markers: M: the sender of the frame wants markers in what it receives
 * @crc: C
 * @is_rejected: R, Reply only
 * @is_enhanced: S with revision 2: the fields up to @rtr are valid
 * @is_peer_to_peer: A
 * @ird: of the frame's sender
 * @ord: of the frame's sender
 * @rtr: XIWARP_RTR_* offered or taken
 * @is_soft: private flag 0x08, known from siw: the sender is software and takes
 *	FPDUs of any length. A siw responder echoes it whatever it is
 * @private_data: of the ULP, without the enhanced words; parse: in the receive buffer
 * @private_len: bytes
 */
struct xiwarp_mpa_frame {
	bool is_reply;
	u8 revision;
	bool markers;
	bool crc;
	bool is_rejected;
	bool is_enhanced;
	bool is_peer_to_peer;
	bool is_soft;
	u8 rtr;
	u16 ird;
	u16 ord;
	u16 private_len;
	const u8 *private_data;
};

/**
 * struct xiwarp_mpa_rx - a startup frame being received
 * @got: bytes in @buf
 * @buf: the frame
 *
 * Zero it to begin; needed until the ULP has seen the private data.
 */
struct xiwarp_mpa_rx {
	u16 got;
	u8 buf[XIWARP_MPA_MAX_BYTES];
};

enum xiwarp_mpa_result {
	XIWARP_MPA_MORE,	/* not complete yet: want() again */
	XIWARP_MPA_FRAME,	/* complete and valid */
	XIWARP_MPA_BAD,		/* key, revision, length: close (fault MPA) */
};

/*
 * The stream's next bytes go to *@buf, at most as many as returned, so that
 * nothing behind the frame is ever taken. Then took().
 */
unsigned int xiwarp_mpa_want(struct xiwarp_mpa_rx *rx, u8 **buf);

/**
 * xiwarp_mpa_took - @n bytes were copied to where want() said
 * @rx: frame
 * @is_reply: which kind is expected
 * @n: at least 1, at most what want() returned
 * @frame: filled when the frame is complete
 *
 * Judged as early as possible: a wrong key is BAD with the octet that shows it.
 */
enum xiwarp_mpa_result xiwarp_mpa_took(struct xiwarp_mpa_rx *rx, bool is_reply,
				       unsigned int n,
				       struct xiwarp_mpa_frame *frame);

/*
 * Write @frame to @buf of XIWARP_MPA_MAX_BYTES. Return: bytes, or 0 if the
 * private data does not fit.
 */
unsigned int xiwarp_mpa_build(const struct xiwarp_mpa_frame *frame, u8 *buf);

/**
 * struct xiwarp_mpa_policy - what this side wants and can
 * @revision: as initiator: 1 or 2
 * @markers: ask the peer for markers
 * @crc: insist on CRC
 * @is_peer_to_peer: as initiator: promise an RTR, so that the responder may
 *	send first
 * @is_soft: set the private flag (harmless to others: a reserved bit)
 * @rtr: kinds of RTR to offer or to take, XIWARP_RTR_*
 * @ird: inbound READs this side will serve
 * @ord: outbound READs the ULP asks for
 * @max_ird: responder: may raise @ird to the initiator's ORD up to this; initiator:
 *	likewise to the responder's ORD. At least @ird
 */
struct xiwarp_mpa_policy {
	u8 revision;
	bool markers;
	bool crc;
	bool is_peer_to_peer;
	bool is_soft;
	u8 rtr;
	u16 ird;
	u16 ord;
	u16 max_ird;
};

/**
 * struct xiwarp_mpa_agreed - result of a startup: parameters of the stream
 * @revision: 1 or 2
 * @tx_markers: insert markers
 * @rx_markers: expect them
 * @crc: both directions
 * @ird: READs and atomics to take from the peer at once
 * @ord: to send at once
 * @waits_for_first: responder: hold FPDUs until the first one came. Not if the
 *	initiator is software that offers an RTR: it takes FPDUs at any time behind
 *	the Reply, so none is asked for
 * @rtr: XIWARP_RTR_*, one bit or 0. Initiator: send it first. Responder: the
 *	first FPDU will be it, ESTABLISHED may wait for it
 * @is_soft: both sides set the private flag: FPDUs may be longer than a segment
 */
struct xiwarp_mpa_agreed {
	u8 revision;
	bool tx_markers;
	bool rx_markers;
	bool crc;
	bool waits_for_first;
	bool is_soft;
	u8 rtr;
	u16 ird;
	u16 ord;
};

/* The Request of @policy; the caller adds private data. */
void xiwarp_mpa_request(const struct xiwarp_mpa_policy *policy,
			struct xiwarp_mpa_frame *frame);

enum xiwarp_mpa_verdict {
	XIWARP_MPA_ESTABLISHED,	/* go on with agreed */
	XIWARP_MPA_REJECTED,	/* by the peer's ULP: -ECONNREFUSED, private data */
	XIWARP_MPA_RETRY_V1,	/* connect anew with policy.revision = 1 */
	XIWARP_MPA_FAULT,	/* Terminate with fault (agreed is good for that) */
};

/**
 * xiwarp_mpa_judge - initiator: what a Reply means
 * @policy: as for the Request
 * @reply: valid frame
 * @agreed: filled for ESTABLISHED and FAULT
 * @fault: for FAULT: MPA_IRD or MPA_RTR
 */
enum xiwarp_mpa_verdict xiwarp_mpa_judge(const struct xiwarp_mpa_policy *policy,
					 const struct xiwarp_mpa_frame *reply,
					 struct xiwarp_mpa_agreed *agreed,
					 enum xiwarp_fault *fault);

/*
 * Initiator: the peer closed or reset the connection before a whole Reply came.
 * Return: true to connect anew with revision 1 (RFC 6581 10: what a peer does
 * that knows only that).
 */
bool xiwarp_mpa_closed(const struct xiwarp_mpa_policy *policy,
		       const struct xiwarp_mpa_rx *rx);

/*
 * Responder: what to tell the ULP with the connect request: the initiator's IRD
 * and ORD, or 0 for each that it did not say.
 */
void xiwarp_mpa_offer(const struct xiwarp_mpa_frame *request, u16 *ird, u16 *ord);

/**
 * xiwarp_mpa_accept - responder: the ULP accepts
 * @policy: with ird and ord of the ULP's accept
 * @request: valid frame
 * @reply: filled; the caller adds private data and builds it
 * @agreed: filled
 */
void xiwarp_mpa_accept(const struct xiwarp_mpa_policy *policy,
		       const struct xiwarp_mpa_frame *request,
		       struct xiwarp_mpa_frame *reply,
		       struct xiwarp_mpa_agreed *agreed);

/* Responder: the ULP rejects. The caller adds private data, builds, closes. */
void xiwarp_mpa_reject(const struct xiwarp_mpa_frame *request,
		       struct xiwarp_mpa_frame *reply);

/* Bytes of private data that fit into a frame like @frame: 512 or 508. */
unsigned int xiwarp_mpa_private_max(const struct xiwarp_mpa_frame *frame);

#endif
