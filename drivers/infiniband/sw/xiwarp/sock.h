/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* TCP sockets: everything that knows struct socket. */
#ifndef XIWARP_SOCK_H
#define XIWARP_SOCK_H

#include <linux/socket.h>
#include <linux/types.h>

struct sock;
struct socket;
struct xiwarp_dev;
struct xiwarp_ep;

/* A socket in the namespace of the endpoint's device. Process. Return: 0 or an errno. */
int xiwarp_sock_create(struct xiwarp_ep *ep, int family);

/* Give it an address; @port: keep the port if it is free, otherwise any. */
int xiwarp_sock_bind(struct socket *sock, struct sockaddr_storage *addr);

/* Type of service, as the ULP asked for it. */
void xiwarp_sock_set_tos(struct socket *sock, u8 tos);

/*
 * Begin to connect, which may be done when this returns; from then on callbacks
 * lead to the endpoint.
 */
int xiwarp_sock_connect(struct xiwarp_ep *ep, struct sockaddr_storage *addr);

/*
 * The rdma_cm listens on the wildcard and on loopback addresses of every device that
 * the program may see, also of those in other network namespaces than its own: it
 * would take the port from who is there. And it connects to loopback addresses by
 * whatever device it finds first. The iw_cm doesn't say whose the listener is, so the
 * calling process counts.
 */
bool xiwarp_sock_is_foreign(const struct xiwarp_dev *dev,
			    const struct sockaddr_storage *addr);

int xiwarp_sock_listen(struct xiwarp_ep *ep, struct sockaddr_storage *addr,
		       bool is_v6only);

/* The next connection of a listener into @child. Return: 0, -EAGAIN, an errno. */
int xiwarp_sock_accept(struct xiwarp_ep *listener, struct xiwarp_ep *child);

/*
 * How the TCP handshake is going: 1 = done, 0 = not yet, or why it failed. What
 * the peer sent before it closed may still be read.
 */
int xiwarp_sock_is_connected(const struct socket *sock);

/* Frames of the startup; they never block. Return: bytes, 0 at the end, an errno. */
int xiwarp_sock_read(struct socket *sock, void *buf, unsigned int len);
int xiwarp_sock_write(struct socket *sock, const void *buf, unsigned int len);
/* Bytes wait to be read. */
bool xiwarp_sock_has_data(const struct socket *sock);

void xiwarp_sock_names(const struct socket *sock, struct sockaddr_storage *local,
		       struct sockaddr_storage *remote);

/* No callback leads to the endpoint any more; then release. @reset: with RST. */
void xiwarp_sock_release(struct xiwarp_ep *ep, bool reset);

/* The last byte is sent. The socket is locked. */
void xiwarp_sock_shutdown_locked(struct sock *sk);

#endif
