// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a port takes from its netdev. */

#include <linux/ethtool.h>
#include <linux/export.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include "xrdma.h"

/* Nearest of what the verbs can express that is not below; ascending. */
static const struct {
	u32 mbps;
	u16 speed;
	u8 width;
} speeds[] = {
	{ SPEED_1000,	IB_SPEED_SDR,	IB_WIDTH_1X },
	{ SPEED_10000,	IB_SPEED_FDR10,	IB_WIDTH_1X },
	{ SPEED_20000,	IB_SPEED_DDR,	IB_WIDTH_4X },
	{ SPEED_25000,	IB_SPEED_EDR,	IB_WIDTH_1X },
	{ SPEED_40000,	IB_SPEED_FDR10,	IB_WIDTH_4X },
	{ SPEED_50000,	IB_SPEED_HDR,	IB_WIDTH_1X },
	{ SPEED_100000,	IB_SPEED_EDR,	IB_WIDTH_4X },
	{ SPEED_200000,	IB_SPEED_HDR,	IB_WIDTH_4X },
	{ SPEED_400000,	IB_SPEED_NDR,	IB_WIDTH_4X },
};

/* 0 if the netdev can't tell. ib_get_eth_speed() would log that every time. */
static u32 read_mbps(struct net_device *ndev)
{
	struct ethtool_link_ksettings settings;
	int err = -ENODEV;

	rtnl_lock();
	/* We may be the last to hold it: its driver is done with it then. */
	if (ndev->reg_state == NETREG_REGISTERED)
		err = __ethtool_get_link_ksettings(ndev, &settings);
	rtnl_unlock();
	if (err || settings.base.speed == (u32)SPEED_UNKNOWN)
		return 0;
	return settings.base.speed;
}

/**
 * xrdma_port_fill_speed - what the netdev says about its speed
 * @ndev: whose
 * @attr: active_speed and active_width are set
 *
 * Context: process, may sleep; takes RTNL.
 *
 * Return: Mbit/s, 0 if the netdev can't tell.
 */
u32 xrdma_port_fill_speed(struct net_device *ndev, struct ib_port_attr *attr)
{
	u32 mbps = read_mbps(ndev);
	int i;

	for (i = 0; i < ARRAY_SIZE(speeds) - 1; i++) {
		if (mbps <= speeds[i].mbps)
			break;
	}
	attr->active_speed = speeds[i].speed;
	attr->active_width = speeds[i].width;
	return mbps;
}
EXPORT_SYMBOL_GPL(xrdma_port_fill_speed);
