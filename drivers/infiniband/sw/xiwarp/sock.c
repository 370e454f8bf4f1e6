// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * TCP sockets (see sock.h). They are the kernel's own and hold no reference to
 * their network namespace, so that it can end at any time: the device, which ends
 * before it, ends them.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/tcp.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/tcp.h>
#include "device.h"
#include "ep.h"
#include "qp.h"
#include "run.h"
#include "sock.h"
#include "sock_class.h"

static bool keepalive;
module_param(keepalive, bool, 0644);
MODULE_PARM_DESC(keepalive, "Probe idle connections, as net.ipv4.tcp_keepalive_* say");

static unsigned int user_timeout;
module_param(user_timeout, uint, 0644);
MODULE_PARM_DESC(user_timeout, "Milliseconds that data may stay unacknowledged, 0: as TCP has it");

/* ---- callbacks ------------------------------------------------------------- */

/* The socket is locked. */
static void notify(struct sock *sk)
{
	struct xiwarp_qp *qp = NULL;
	struct xiwarp_ep *ep;
	u32 qpn;

	rcu_read_lock();
	ep = rcu_dereference_sk_user_data(sk);
	/* A QP that has let go of it wants to hear no more. */
	if (ep && !READ_ONCE(ep->is_released)) {
		qpn = smp_load_acquire(&ep->qpn);
		if (qpn)
			qp = xiwarp_qp_get(ep->dev, qpn);
		if (qp) {
			xiwarp_qp_kick_locked(qp, sk);
			xiwarp_qp_put(qp);
		} else if (!qpn) {
			xiwarp_ep_schedule(ep);
		}
	}
	rcu_read_unlock();
}

static void write_space(struct sock *sk)
{
	if (!sk_stream_is_writeable(sk))
		return;
	if (sk->sk_socket)
		clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	notify(sk);
}

static void install(struct xiwarp_ep *ep, struct sock *sk)
{
	write_lock_bh(&sk->sk_callback_lock);
	__rcu_assign_sk_user_data_with_flags(sk, ep, SK_USER_DATA_NOCOPY);
	sk->sk_data_ready = notify;
	sk->sk_state_change = notify;
	sk->sk_error_report = notify;
	sk->sk_write_space = write_space;
	write_unlock_bh(&sk->sk_callback_lock);
}

/* Of a new TCP socket; all have the same. */
static struct {
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*error_report)(struct sock *sk);
} plain;

static void note_plain(const struct sock *sk)
{
	WRITE_ONCE(plain.data_ready, sk->sk_data_ready);
	WRITE_ONCE(plain.state_change, sk->sk_state_change);
	WRITE_ONCE(plain.write_space, sk->sk_write_space);
	WRITE_ONCE(plain.error_report, sk->sk_error_report);
}

static void uninstall(struct sock *sk)
{
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, NULL);
	sk->sk_data_ready = READ_ONCE(plain.data_ready);
	sk->sk_state_change = READ_ONCE(plain.state_change);
	sk->sk_write_space = READ_ONCE(plain.write_space);
	sk->sk_error_report = READ_ONCE(plain.error_report);
	write_unlock_bh(&sk->sk_callback_lock);
}

/* ---- making ---------------------------------------------------------------- */

static struct xrdma_sock_class sock_class;

/* We send in softirqs, and whole FPDUs. */
static void set_options(struct sock *sk)
{
	tcp_sock_set_nodelay(sk);
	sk->sk_allocation = GFP_ATOMIC;
	sk->sk_use_task_frag = false;
	if (READ_ONCE(keepalive))
		sock_set_keepalive(sk);
	tcp_sock_set_user_timeout(sk, min_t(u32, READ_ONCE(user_timeout), INT_MAX));
}

int xiwarp_sock_create(struct xiwarp_ep *ep, int family)
{
	struct socket *sock;
	int err;

	err = sock_create_kern(dev_net(ep->dev->ndev), family, SOCK_STREAM,
			       IPPROTO_TCP, &sock);
	if (err)
		return err;
	xrdma_sock_set_class(&sock_class, "XIWARP", sock->sk);
	set_options(sock->sk);
	ep->sock = sock;
	note_plain(sock->sk);
	return 0;
}

void xiwarp_sock_set_tos(struct socket *sock, u8 tos)
{
	ip_sock_set_tos(sock->sk, tos);
	if (sock->sk->sk_family == AF_INET6)
		WRITE_ONCE(inet6_sk(sock->sk)->tclass, tos);
}

static int addr_len(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
					     sizeof(struct sockaddr_in);
}

static void clear_port(struct sockaddr_storage *addr)
{
	/* At the same place in both families. */
	((struct sockaddr_in *)addr)->sin_port = 0;
}

static int do_bind(struct socket *sock, struct sockaddr_storage *addr)
{
	return kernel_bind(sock, (struct sockaddr_unsized *)addr,
			   addr_len(addr));
}

int xiwarp_sock_bind(struct socket *sock, struct sockaddr_storage *addr)
{
	int err;

	sock_set_reuseaddr(sock->sk);
	err = do_bind(sock, addr);
	if (err != -EADDRINUSE)
		return err;
	/* The CM has port numbers of its own; TCP may be using this one. */
	clear_port(addr);
	return do_bind(sock, addr);
}

int xiwarp_sock_connect(struct xiwarp_ep *ep, struct sockaddr_storage *addr)
{
	struct socket *sock = ep->sock;
	int err;

	err = kernel_connect(sock, (struct sockaddr_unsized *)addr,
			     addr_len(addr), O_NONBLOCK);
	if (err && err != -EINPROGRESS)
		return err;
	/* What happened so far the caller sees, what comes calls back. */
	lock_sock(sock->sk);
	install(ep, sock->sk);
	release_sock(sock->sk);
	return 0;
}

static bool is_any(const struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET6)
		return ipv6_addr_any(&((const struct sockaddr_in6 *)addr)->sin6_addr);
	return ((const struct sockaddr_in *)addr)->sin_addr.s_addr ==
	       htonl(INADDR_ANY);
}

static bool is_loopback(const struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET6)
		return ipv6_addr_loopback(&((const struct sockaddr_in6 *)addr)->sin6_addr);
	return ipv4_is_loopback(((const struct sockaddr_in *)addr)->sin_addr.s_addr);
}

/* rdma_cm knows one kind: it gives either to devices of any namespace. */
static bool is_anywhere(const struct sockaddr_storage *addr)
{
	return is_any(addr) || is_loopback(addr);
}

bool xiwarp_sock_is_foreign(const struct xiwarp_dev *dev,
			    const struct sockaddr_storage *addr)
{
	return is_anywhere(addr) && !net_eq(current->nsproxy->net_ns,
					    dev_net(dev->ndev));
}

/*
 * Each device has a listener for the wildcard and for loopback addresses. The first
 * device of a namespace takes whatever comes, from the host itself, too; the others
 * what comes by their netdev.
 */
static void share_wildcard(const struct xiwarp_dev *dev, struct sock *sk)
{
	sock_set_reuseport(sk);
	if (!dev->takes_all)
		sock_bindtoindex(sk, dev->ndev->ifindex, true);
}

int xiwarp_sock_listen(struct xiwarp_ep *ep, struct sockaddr_storage *addr,
		       bool is_v6only)
{
	struct socket *sock = ep->sock;
	int err;

	sock_set_reuseaddr(sock->sk);
	if (is_v6only && addr->ss_family == AF_INET6)
		ip6_sock_set_v6only(sock->sk);
	if (is_anywhere(addr))
		share_wildcard(ep->dev, sock->sk);
	err = do_bind(sock, addr);
	if (err)
		return err;
	install(ep, sock->sk);
	/*
	 * How many may wait for the consumer is up to the endpoint. What TCP had no
	 * room for until we accept it would come again later, and out of order.
	 */
	return kernel_listen(sock, XIWARP_EP_MAX_WAITING);
}

int xiwarp_sock_accept(struct xiwarp_ep *listener, struct xiwarp_ep *child)
{
	struct socket *sock;
	int err;

	err = kernel_accept(listener->sock, &sock, O_NONBLOCK);
	if (err)
		return err;
	set_options(sock->sk);
	child->sock = sock;
	install(child, sock->sk);
	return 0;
}

/* ---- the startup --------------------------------------------------------------- */

int xiwarp_sock_is_connected(const struct socket *sock)
{
	struct sock *sk = sock->sk;

	switch (inet_sk_state_load(sk)) {
	case TCP_SYN_SENT:
	case TCP_SYN_RECV:
		return 0;
	case TCP_CLOSE:
		return -READ_ONCE(sk->sk_err) ?: -ECONNRESET;
	default:
		return 1;
	}
}

int xiwarp_sock_read(struct socket *sock, void *buf, unsigned int len)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = {};

	return kernel_recvmsg(sock, &msg, &vec, 1, len, MSG_DONTWAIT);
}

int xiwarp_sock_write(struct socket *sock, const void *buf, unsigned int len)
{
	struct kvec vec = { .iov_base = (void *)buf, .iov_len = len };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	int n;

	/* The first thing that is sent: there is room. */
	n = kernel_sendmsg(sock, &msg, &vec, 1, len);
	if (n < 0)
		return n;
	return n == len ? n : -ECONNRESET;
}

bool xiwarp_sock_has_data(const struct socket *sock)
{
	return !skb_queue_empty_lockless(&sock->sk->sk_receive_queue);
}

/* An IPv6 listener takes IPv4, too; rdma_cm finds netdevs by the latter's addresses. */
static void unmap(struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	struct sockaddr_in in = { .sin_family = AF_INET };

	if (addr->ss_family != AF_INET6 || !ipv6_addr_v4mapped(&in6->sin6_addr))
		return;
	in.sin_port = in6->sin6_port;
	in.sin_addr.s_addr = in6->sin6_addr.s6_addr32[3];
	memset(addr, 0, sizeof(*addr));
	memcpy(addr, &in, sizeof(in));
}

void xiwarp_sock_names(const struct socket *sock, struct sockaddr_storage *local,
		       struct sockaddr_storage *remote)
{
	kernel_getsockname((struct socket *)sock, (struct sockaddr *)local);
	kernel_getpeername((struct socket *)sock, (struct sockaddr *)remote);
	unmap(local);
	unmap(remote);
}

/* ---- ending --------------------------------------------------------------------- */

void xiwarp_sock_shutdown_locked(struct sock *sk)
{
	if (sk->sk_shutdown & SEND_SHUTDOWN)
		return;
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | SEND_SHUTDOWN);
	sk->sk_prot->shutdown(sk, SEND_SHUTDOWN);
}

/*
 * What is left to send, and the FIN, are TCP's affair from here on: for that long
 * the namespace must not end.
 */
static void leave_to_tcp(struct xiwarp_ep *ep, struct sock *sk)
{
	struct net *net = sock_net(sk);

	if (inet_sk_state_load(sk) == TCP_CLOSE ||
	    inet_sk_state_load(sk) == TCP_LISTEN)
		return;
	if (READ_ONCE(ep->dev->is_leaving) || !maybe_get_net(net)) {
		sock_no_linger(sk);
		return;
	}
	sk_net_refcnt_upgrade(sk);
	put_net(net);
	/* Where lockdep watches: its class must not go first. */
	sk_owner_set(sk, THIS_MODULE);
}

void xiwarp_sock_release(struct xiwarp_ep *ep, bool reset)
{
	struct socket *sock = ep->sock;

	if (!sock)
		return;
	uninstall(sock->sk);
	if (reset)
		sock_no_linger(sock->sk);
	else
		leave_to_tcp(ep, sock->sk);
	sock_release(sock);
	ep->sock = NULL;
}
