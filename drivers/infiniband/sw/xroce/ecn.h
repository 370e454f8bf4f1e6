/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* /sys/class/infiniband/NAME/ecn: the parameters of congestion control. */
#ifndef XROCE_ECN_H
#define XROCE_ECN_H

/* Follows our devices as they come and go. */
int xroce_ecn_init(void);
void xroce_ecn_exit(void);

#endif
