// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Taking a run apart into segments.
 */
#include "burst.h"

u32 xiwarp_burst_segment(const struct xiwarp_burst *burst, u32 i,
			 struct xiwarp_seg *seg)
{
	bool is_end = i == burst->nsegs - 1;
	u32 at = i * burst->seg_bytes;

	*seg = burst->first;
	seg->payload_len = (u16)(is_end ? burst->bytes - at : burst->seg_bytes);
	seg->is_last = is_end && burst->is_last;
	if (xiwarp_opcode_find(seg->opcode)->is_tagged)
		seg->to += at;
	else
		seg->mo += at;
	return at;
}
