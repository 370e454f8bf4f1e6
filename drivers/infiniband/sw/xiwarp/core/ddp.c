// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What DDP demands of a segment (RFC 5041 5 and 7).
 */
#include "ddp.h"

enum xiwarp_fault xiwarp_ddp_parse_fault(enum xiwarp_parse parse)
{
	static const u8 faults[] = {
		[XIWARP_PARSE_OK]		= XIWARP_FAULT_NONE,
		[XIWARP_PARSE_SHORT]		= XIWARP_FAULT_LENGTH,
		[XIWARP_PARSE_LONG]		= XIWARP_FAULT_LENGTH,
		[XIWARP_PARSE_TAGGED_VERSION]	= XIWARP_FAULT_TAGGED_VERSION,
		[XIWARP_PARSE_UNTAGGED_VERSION]	= XIWARP_FAULT_UNTAGGED_VERSION,
		[XIWARP_PARSE_RDMAP_VERSION]	= XIWARP_FAULT_RDMAP_VERSION,
		[XIWARP_PARSE_OPCODE]		= XIWARP_FAULT_OPCODE,
	};

	return faults[parse];
}

enum xiwarp_fault xiwarp_ddp_check_tagged(const struct xiwarp_seg *seg)
{
	if (xiwarp_ddp_wraps(seg->to, seg->payload_len))
		return XIWARP_FAULT_TAGGED_WRAP;
	return XIWARP_FAULT_NONE;
}

enum xiwarp_fault xiwarp_ddp_check_untagged(const struct xiwarp_seg *seg,
					    u32 msn, u32 mo)
{
	if (seg->qn != seg->info->qn)
		return XIWARP_FAULT_QN;
	if (seg->msn != msn)
		return XIWARP_FAULT_MSN;
	if (seg->mo != mo)
		return XIWARP_FAULT_MO;
	/* A message that is header only can't go on in another segment. */
	if (!seg->info->has_payload && !seg->is_last)
		return XIWARP_FAULT_MO;
	return XIWARP_FAULT_NONE;
}
