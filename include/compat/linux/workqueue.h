/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_WORKQUEUE_H
#define XRDMA_COMPAT_WORKQUEUE_H

#include_next <linux/workqueue.h>

#ifndef HAVE_WQ_PERCPU
/* 6.1: what is not WQ_UNBOUND is bound to CPUs. */
#define WQ_PERCPU 0
#endif

#endif
