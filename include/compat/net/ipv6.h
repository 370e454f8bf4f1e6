/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_IPV6_H
#define XRDMA_COMPAT_IPV6_H

#include_next <net/ipv6.h>

#ifdef HAVE_IPV6_STUB
/* 6.1 and 6.12: IPv6 may be a module that is not loaded. */
#include <net/ipv6_stubs.h>
#define ip6_dst_lookup_flow(net, sk, fl6, final_dst) \
	ipv6_stub->ipv6_dst_lookup_flow(net, sk, fl6, final_dst)

#endif

#endif
