/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_TCP_H
#define XRDMA_COMPAT_TCP_H

#include_next <net/tcp.h>

#include <linux/bvec.h>
#include <linux/uio.h>

/*
 * Queue @bytes of @num pieces of pages, which TCP keeps as they are. Never
 * blocks; the socket is locked. Return: bytes taken, or an error.
 */
#ifdef HAVE_SPLICE_PAGES
static inline int xrdma_tcp_send_pages(struct sock *sk, struct bio_vec *pieces,
				       unsigned int num, size_t bytes)
{
	struct msghdr msg = {
		.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_SPLICE_PAGES,
	};

	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, pieces, num, bytes);
	return tcp_sendmsg_locked(sk, &msg, bytes);
}
#else
/* 6.1: one piece at a time. */
static inline int xrdma_tcp_send_pages(struct sock *sk, struct bio_vec *pieces,
				       unsigned int num, size_t bytes)
{
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL;

	if (num > 1)
		flags |= MSG_MORE | MSG_SENDPAGE_NOTLAST;
	return tcp_sendpage_locked(sk, pieces->bv_page, pieces->bv_offset,
				   pieces->bv_len, flags);
}
#endif

#endif
