/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_TIMER_H
#define XRDMA_COMPAT_TIMER_H

#include_next <linux/timer.h>

#ifndef HAVE_TIMER_CONTAINER_OF
/* 6.1 and 6.12 have the old name. */
#define timer_container_of from_timer
#endif

#endif
