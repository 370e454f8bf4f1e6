/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What happens to netdevs: port events, and the end of a device. */
#ifndef XROCE_NETDEV_H
#define XROCE_NETDEV_H

int xroce_netdev_init(void);
void xroce_netdev_exit(void);

#endif
