/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From an engine's burst to packets in the network stack. */
#ifndef XROCE_TX_H
#define XROCE_TX_H

#include <linux/types.h>
#include "core/burst.h"

struct xroce_qp;

/**
 * xroce_tx_burst - build and send the packets of @burst
 * @qp: its owner calls, bottom halves off
 * @burst: from the requester or the responder
 * @sent: packets that were sent before one could not be
 *
 * A packet that can't be sent is a lost packet: counted, and the transport
 * recovers.
 *
 * Return: 0, -EACCES when the payload can't be read: a key is wrong, -ENOBUFS when
 * this host has dropped the packet after @sent: no memory, queue full.
 */
int xroce_tx_burst(struct xroce_qp *qp, const struct xroce_burst *burst,
		   u32 *sent);

/* Tell the peer of congestion, with traffic class @tclass and priority @sl. */
void xroce_tx_cnp(struct xroce_qp *qp, u8 tclass, u8 sl);

#endif
