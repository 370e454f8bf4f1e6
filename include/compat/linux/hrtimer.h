/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_HRTIMER_H
#define XRDMA_COMPAT_HRTIMER_H

#include_next <linux/hrtimer.h>

#ifndef HAVE_HRTIMER_SETUP
/* 6.1 and 6.12 set the function by hand. */
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
