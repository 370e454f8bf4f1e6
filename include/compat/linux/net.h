/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_NET_H
#define XRDMA_COMPAT_NET_H

#include_next <linux/net.h>

#ifndef HAVE_SOCKADDR_UNSIZED
/* 6.1 and 6.12: the type with the size that it does not have. */
#define sockaddr_unsized sockaddr
#endif

#endif
