/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What happens to netdevs: port events, and the end of a device. */
#ifndef XIWARP_NETDEV_H
#define XIWARP_NETDEV_H

int xiwarp_netdev_init(void);
void xiwarp_netdev_exit(void);

#endif
