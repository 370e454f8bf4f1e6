/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What DDP demands of a segment (RFC 5041 5): ranges that don't wrap, queue
 * numbers, sequence numbers, offsets. No state.
 */
#ifndef XIWARP_CORE_DDP_H
#define XIWARP_CORE_DDP_H

#include "fault.h"
#include "wire.h"

/* True if @len bytes from @to on reach beyond 2^64. */
static inline bool xiwarp_ddp_wraps(u64 to, u64 len)
{
	return len && to + (len - 1) < to;
}

/* What headers that don't parse are called; NONE for XIWARP_PARSE_OK. */
enum xiwarp_fault xiwarp_ddp_parse_fault(enum xiwarp_parse parse);

/* A segment of a Write. Zero-length ones are never checked. */
enum xiwarp_fault xiwarp_ddp_check_tagged(const struct xiwarp_seg *seg);

/**
 * xiwarp_ddp_check_untagged - is this the segment that must come next?
 * @seg: untagged
 * @msn: expected on the queue of its opcode
 * @mo: expected
 */
enum xiwarp_fault xiwarp_ddp_check_untagged(const struct xiwarp_seg *seg,
					    u32 msn, u32 mo);

#endif
