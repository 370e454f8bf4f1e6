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
 * @sent: packets that were sent before one could not be read
 *
 * A packet that can't be sent (no route, no memory, queue full) is a lost
 * packet: counted, and the transport recovers.
 *
 * Return: 0, or -EACCES when the payload can't be read: a key is wrong.
 */
int xroce_tx_burst(struct xroce_qp *qp, const struct xroce_burst *burst,
		   u32 *sent);

#endif
