/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_NETDEVICE_H
#define XRDMA_COMPAT_NETDEVICE_H

#include_next <linux/netdevice.h>

#ifndef HAVE_NETIF_GET_FLAGS
/* 6.1 and 6.12 have the old name. */
#define netif_get_flags dev_get_flags
#endif

#endif
