// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Module xroce: RDMA over Converged Ethernet for any netdev. */
#include <linux/module.h>
#include <rdma/rdma_netlink.h>
#include "block.h"
#include "device.h"
#include "ecn.h"
#include "eth.h"
#include "net.h"
#include "netdev.h"
#include "qp.h"
#include "run.h"

static int __init xroce_init(void)
{
	int err;

	xroce_qp_init();
	err = xroce_run_init();
	if (err)
		goto exit_qp;
	err = xroce_net_init();
	if (err)
		goto exit_run;
	err = xroce_netdev_init();
	if (err)
		goto exit_net;
	err = xroce_ecn_init();
	if (err)
		goto exit_netdev;
	xroce_eth_init();
	xroce_dev_init();
	return 0;

exit_netdev:
	xroce_netdev_exit();
exit_net:
	xroce_net_exit();
exit_run:
	xroce_run_exit();
	xroce_block_exit();
exit_qp:
	xroce_qp_exit();
	return err;
}

static void __exit xroce_exit(void)
{
	xroce_dev_exit();
	xroce_eth_exit();
	xroce_ecn_exit();
	xroce_netdev_exit();
	xroce_net_exit();
	xroce_run_exit();
	xroce_block_exit();
	xroce_qp_exit();
}

module_init(xroce_init);
module_exit(xroce_exit);

MODULE_ALIAS_RDMA_LINK("xroce");
MODULE_DESCRIPTION("Software RDMA over Converged Ethernet");
MODULE_VERSION(XROCE_VERSION);
MODULE_LICENSE("Dual BSD/GPL");
