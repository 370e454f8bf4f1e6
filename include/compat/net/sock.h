/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_SOCK_H
#define XRDMA_COMPAT_SOCK_H

#include_next <net/sock.h>

#ifndef HAVE_NET_REFCNT_UPGRADE
/* 6.1 */
static inline void sk_net_refcnt_upgrade(struct sock *sk)
{
	struct net *net = sock_net(sk);

	WARN_ON_ONCE(sk->sk_net_refcnt);
	sk->sk_net_refcnt = 1;
	get_net_track(net, &sk->ns_tracker, GFP_KERNEL);
	sock_inuse_add(net, 1);
}
#endif

#ifndef HAVE_SK_OWNER_SET
/* 6.12 */
static inline void sk_owner_set(struct sock *sk, struct module *owner)
{
}
#endif

#endif
