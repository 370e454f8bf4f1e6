/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Lock classes of kernel sockets that user space's sockets may stand on, by way of
 * SMB Direct or a filesystem: by family alone, lockdep takes both for one lock.
 */
#ifndef XRDMA_SOCK_CLASS_H
#define XRDMA_SOCK_CLASS_H

#include <net/sock.h>

/* One for each driver, static. */
struct xrdma_sock_class {
	struct lock_class_key slock[2], lock[2];	/* IPv4, IPv6 */
};

/*
 * Before @sk is used. sock_lock_init_class_and_name() would do the same and hold the
 * module: a socket that outlives it needs sk_owner_set().
 */
#define xrdma_sock_set_class(class, name, sk) do {			\
	bool is_v6 = (sk)->sk_family == AF_INET6;			\
									\
	lockdep_set_class_and_name(&(sk)->sk_lock.slock,		\
				   &(class)->slock[is_v6], "slock-" name); \
	lockdep_init_map(&(sk)->sk_lock.dep_map, "sk_lock-" name,	\
			 &(class)->lock[is_v6], 0);			\
} while (0)

#endif
