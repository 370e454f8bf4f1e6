/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_IP6_FIB_H
#define XRDMA_COMPAT_IP6_FIB_H

#include_next <net/ip6_fib.h>

#ifndef HAVE_DST_RT6_INFO
/* 6.1 */
#define dst_rt6_info(entry) container_of_const(entry, struct rt6_info, dst)
#endif

#endif
