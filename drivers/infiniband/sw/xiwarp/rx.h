/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The receiving half: bytes of the socket to the engine, payload to its place. */
#ifndef XIWARP_RX_H
#define XIWARP_RX_H

#include <linux/types.h>

struct sock;
struct xiwarp_qp;

/*
 * Deal with what is in the queue of the socket, which is locked, at most about
 * @budget bytes of it. Owner. Return: true if there is more.
 */
bool xiwarp_rx_run(struct xiwarp_qp *qp, struct sock *sk, unsigned int budget);

/* The engine has something to say though nothing came. Owner. */
void xiwarp_rx_settle(struct xiwarp_qp *qp);

/*
 * Do bytes wait for a receive to be posted, or for memory? xiwarp_rx_settle() looks
 * again for the one, xiwarp_rx_run() for both. Owner.
 */
bool xiwarp_rx_is_waiting(const struct xiwarp_qp *qp);
void xiwarp_rx_forget_wait(struct xiwarp_qp *qp);

#endif
