/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How a stream breaks, between input.c, output.c and rdmap.c.
 */
#ifndef XIWARP_CORE_ABORT_H
#define XIWARP_CORE_ABORT_H

#include "rdmap.h"

/*
 * The stream is over because of @fault: owe a step FAULT and a Terminate.
 * @hdr: DDP and RDMAP header of the refused segment, @hdr_len bytes of it;
 * @ulpdu: its ULPDU_Length. Does nothing to a stream already broken.
 */
void xiwarp_abort(struct xiwarp_rdmap *s, enum xiwarp_fault fault,
		  const u8 *hdr, unsigned int hdr_len, u32 ulpdu);

/* Likewise for the segment that is being received. */
void xiwarp_abort_rx(struct xiwarp_rdmap *s, enum xiwarp_fault fault);

#endif
