/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From an engine's burst to packets: headers and payload. */
#ifndef XROCE_TX_H
#define XROCE_TX_H

#include <linux/types.h>
#include "core/burst.h"

struct xroce_batch;
struct xroce_qp;

/**
 * xroce_tx_burst - build the packets of @burst
 * @batch: where they go, and leave by xroce_batch_flush() at the latest
 * @burst: from the requester or the responder of the batch's QP
 * @sent: packets that were built before one could not be
 *
 * A packet that can't be sent is a lost packet: counted, and the transport
 * recovers.
 *
 * Return: 0, -EACCES when the payload can't be read: a key is wrong, -ENOBUFS when
 * this host has dropped packets, those of @batch->burst from @batch->nth on and all
 * that came after them: no memory, queue full.
 */
int xroce_tx_burst(struct xroce_batch *batch, const struct xroce_burst *burst,
		   u32 *sent);

/* Tell the peer of congestion, with traffic class @tclass and priority @sl. */
void xroce_tx_cnp(struct xroce_qp *qp, u8 tclass, u8 sl);

#endif
