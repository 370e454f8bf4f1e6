// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The UDP sockets that RoCEv2 packets come in by, one for each family and network
 * namespace with a device. They only receive; see tx.c for sending.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mutex.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/udp_tunnel.h>
#include "core/wire.h"
#include "net.h"
#include "sock_class.h"
#include "udp.h"

/**
 * struct xroce_net - the sockets of a namespace
 * @users: devices
 * @slot: the namespace's pointer to us; NULL when the namespace is gone
 * @v4: socket or NULL
 * @v6: socket or NULL; a kernel may have no IPv6, or have it switched off
 * @is_hooked: buffers of several packets are taken before they come to the sockets
 */
struct xroce_net {
	unsigned int users;
	struct xroce_net **slot;
	struct sock *v4;
	struct sock *v6;
	bool is_hooked;
};

static unsigned int pernet_id;
static DEFINE_MUTEX(net_mutex);		/* all of the above */

static struct xrdma_sock_class sock_class;

/* Let netdevs join packets that come in a row; the hooks of udp.c take the result. */
static void join_received(struct socket *sock)
{
	int on = 1;

	/* It may fail: then they come one by one. */
	sock->ops->setsockopt(sock, SOL_UDP, UDP_GRO, KERNEL_SOCKPTR(&on),
			      sizeof(on));
}

static struct sock *open_socket(struct net *net, sa_family_t family)
{
	/* Checksums: sent as 0, which IPv6 must be told to take (RoCEv2 annex). */
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(XROCE_UDP_PORT),
		.ipv6_v6only = family == AF_INET6,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,	/* any but 0 */
		.encap_rcv = xroce_udp_receive,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &port, &sock);
	if (err)
		return ERR_PTR(err);
	xrdma_sock_set_class(&sock_class, "XROCE", sock->sk);
	setup_udp_tunnel_sock(net, sock->sk, &tunnel);
	join_received(sock);
	return sock->sk;
}

static void close_sockets(struct xroce_net *sockets)
{
	if (sockets->is_hooked)
		xroce_udp_unhook(sock_net(sockets->v4));
	sockets->is_hooked = false;
	if (sockets->v6)
		udp_tunnel_sock_release(sockets->v6);
	if (sockets->v4)
		udp_tunnel_sock_release(sockets->v4);
	sockets->v6 = NULL;
	sockets->v4 = NULL;
	/* Packets that had found a socket are still on their way through rx.c. */
	synchronize_net();
}

static int open_sockets(struct net *net, struct xroce_net *sockets)
{
	struct sock *sk;
	int err;

	sk = open_socket(net, AF_INET);
	if (IS_ERR(sk))
		return PTR_ERR(sk);
	sockets->v4 = sk;

	if (IS_ENABLED(CONFIG_IPV6)) {
		sk = open_socket(net, AF_INET6);
		if (!IS_ERR(sk))
			sockets->v6 = sk;
		else if (PTR_ERR(sk) != -EAFNOSUPPORT)
			return PTR_ERR(sk);
	}
	err = xroce_udp_hook(net);
	sockets->is_hooked = !err;
	return err;
}

static struct xroce_net *create(struct net *net)
{
	struct xroce_net *sockets;
	int err;

	sockets = kzalloc_obj(*sockets, GFP_KERNEL);
	if (!sockets)
		return ERR_PTR(-ENOMEM);
	err = open_sockets(net, sockets);
	if (err) {
		close_sockets(sockets);
		kfree(sockets);
		return ERR_PTR(err);
	}
	return sockets;
}

struct xroce_net *xroce_net_get(struct net *net)
{
	struct xroce_net **slot = net_generic(net, pernet_id);
	struct xroce_net *sockets;

	mutex_lock(&net_mutex);
	sockets = *slot;
	if (!sockets) {
		sockets = create(net);
		if (IS_ERR(sockets))
			goto unlock;
		sockets->slot = slot;
		*slot = sockets;
	}
	sockets->users++;
unlock:
	mutex_unlock(&net_mutex);
	return sockets;
}

void xroce_net_put(struct xroce_net *sockets)
{
	mutex_lock(&net_mutex);
	if (!--sockets->users) {
		close_sockets(sockets);
		if (sockets->slot)
			*sockets->slot = NULL;
		kfree(sockets);
	}
	mutex_unlock(&net_mutex);
}

/* The namespace goes, but devices of netdevs that left it may be there yet. */
static void __net_exit exit_net(struct net *net)
{
	struct xroce_net **slot = net_generic(net, pernet_id);

	mutex_lock(&net_mutex);
	if (*slot) {
		close_sockets(*slot);
		(*slot)->slot = NULL;
	}
	mutex_unlock(&net_mutex);
}

static struct pernet_operations pernet_ops = {
	.exit = exit_net,
	.id = &pernet_id,
	.size = sizeof(struct xroce_net *),
};

int xroce_net_init(void)
{
	return register_pernet_subsys(&pernet_ops);
}

void xroce_net_exit(void)
{
	unregister_pernet_subsys(&pernet_ops);
	/* Closed sockets are freed by RCU and name our lock classes until then. */
	rcu_barrier();
}
