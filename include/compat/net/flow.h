/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_FLOW_H
#define XRDMA_COMPAT_FLOW_H

#include_next <net/flow.h>

#include <net/inet_dscp.h>

/* @tos: traffic class; the ECN bits take no part in routing. */
static inline void xrdma_flowi4_set_tos(struct flowi4 *flow, u8 tos)
{
#ifdef HAVE_FLOWI4_DSCP
	flow->flowi4_dscp = inet_dsfield_to_dscp(tos);
#else
	/* 6.1 and 6.12 */
	flow->flowi4_tos = tos & INET_DSCP_MASK;
#endif
}

#endif
