/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RoCEv2's UDP sockets: one per family and network namespace, port 4791. */
#ifndef XROCE_NET_H
#define XROCE_NET_H

struct net;
struct xroce_net;

int xroce_net_init(void);
void xroce_net_exit(void);

/*
 * Open the sockets of @net for its first device; counted. The result outlives
 * @net: with the namespace only the sockets go. May sleep.
 * Return: a handle or an ERR_PTR, -EADDRINUSE when somebody else has the port.
 */
struct xroce_net *xroce_net_get(struct net *net);
/* Close them with the last device. Waits for packets in progress. May sleep. */
void xroce_net_put(struct xroce_net *sockets);

#endif
