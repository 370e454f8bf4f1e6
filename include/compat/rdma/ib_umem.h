/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_IB_UMEM_H
#define XRDMA_COMPAT_IB_UMEM_H

#include_next <rdma/ib_umem.h>

#ifndef HAVE_UMEM_GET_VA
/* 6.1 and 6.12 have the old name. */
#define ib_umem_get_va ib_umem_get
#endif

#endif
