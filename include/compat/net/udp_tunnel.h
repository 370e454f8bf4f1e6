/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_UDP_TUNNEL_H
#define XRDMA_COMPAT_UDP_TUNNEL_H

#include_next <net/udp_tunnel.h>

#ifndef HAVE_UDP_TUNNEL_SOCK
/* 6.1 and 6.12 take the struct socket. */
#define setup_udp_tunnel_sock(net, sk, config) \
	setup_udp_tunnel_sock(net, (sk)->sk_socket, config)
#define udp_tunnel_sock_release(sk) udp_tunnel_sock_release((sk)->sk_socket)
#endif

#endif
