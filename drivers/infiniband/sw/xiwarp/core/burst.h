/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the engine asks the back end to send: n consecutive DDP segments of one
 * message, each full but the last. The back end makes an FPDU of each and hands
 * as many as it likes to one sendmsg.
 */
#ifndef XIWARP_CORE_BURST_H
#define XIWARP_CORE_BURST_H

#include <linux/types.h>
#include "wire.h"
#include "wr.h"

enum xiwarp_source {
	XIWARP_FROM_NOWHERE,	/* headers only */
	XIWARP_FROM_WR,		/* gather list of @wr */
	XIWARP_FROM_MR,		/* Read Response: memory behind @rkey */
	XIWARP_FROM_ATOMIC,	/* Atomic Response: execute @atomic first */
	XIWARP_FPDU,		/* nsegs 1: the zero-length FPDU, no header at all */
	XIWARP_LOCAL,		/* nothing to send: carry out LOCAL_INV, REG_MR */
};

/**
 * struct xiwarp_burst - a run of segments
 * @first: header of the first segment, complete but for info, hdr_len, payload_len
 * @source: enum xiwarp_source
 * @wr: FROM_WR, LOCAL: the work request; else NULL. A WR's own message without
 *	payload (READ, empty SEND) is FROM_NOWHERE with wr set
 * @offset: first payload byte of the run, counted from the start of the message
 * @bytes: payload of all segments together, 0 but for FROM_WR and FROM_MR
 * @nsegs: at least 1 (LOCAL: 0)
 * @seg_bytes: payload of every segment but the last of the run
 * @is_last: the run ends its message
 * @rkey: FROM_MR, FROM_ATOMIC: key to check, for remote read (atomic: remote
 *	atomic); a burst without bytes needs no check
 * @va: FROM_MR: address of the byte at @offset
 * @check_len: FROM_MR: the range to check is @va and this many bytes: all that is
 *	still to be sent of the response
 * @atomic: FROM_ATOMIC: 8 bytes at atomic.to, aligned
 *
 * Segment i carries @bytes from i * seg_bytes on: seg_bytes of them, the last
 * segment of the run what is left.
 */
struct xiwarp_burst {
	struct xiwarp_seg first;
	enum xiwarp_source source;
	struct xiwarp_wr *wr;
	u32 offset;
	u32 bytes;
	u32 nsegs;
	u32 seg_bytes;
	bool is_last;
	u32 rkey;
	u64 va;
	u64 check_len;
	struct xiwarp_atomic atomic;
};

/*
 * The header of segment @i < nsegs, ready for xiwarp_wire_build(); payload_len is
 * set. Return: where its payload begins, counted from @burst->offset. Not for
 * XIWARP_FPDU and XIWARP_LOCAL.
 */
u32 xiwarp_burst_segment(const struct xiwarp_burst *burst, u32 i,
			 struct xiwarp_seg *seg);

#endif
