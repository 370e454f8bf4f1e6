// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Module xiwarp: iWARP for any netdev, over the kernel's TCP. */
#include <linux/module.h>
#include <rdma/rdma_netlink.h>
#include "device.h"
#include "ep.h"
#include "netdev.h"
#include "run.h"
#include "tx.h"

static int __init xiwarp_init(void)
{
	int err;

	err = xiwarp_run_init();
	if (err)
		return err;
	err = xiwarp_ep_init();
	if (err)
		goto exit_run;
	err = xiwarp_netdev_init();
	if (err)
		goto exit_ep;
	err = xiwarp_dev_init();
	if (err)
		goto exit_netdev;
	return 0;

exit_netdev:
	xiwarp_netdev_exit();
exit_ep:
	xiwarp_ep_exit();
exit_run:
	xiwarp_run_exit();
	return err;
}

static void __exit xiwarp_exit(void)
{
	xiwarp_dev_exit();
	xiwarp_netdev_exit();
	xiwarp_ep_exit();
	xiwarp_run_exit();
	xiwarp_tx_exit();
}

module_init(xiwarp_init);
module_exit(xiwarp_exit);

MODULE_ALIAS_RDMA_LINK("xiwarp");
MODULE_DESCRIPTION("Software iWARP over TCP");
MODULE_VERSION(XIWARP_VERSION);
MODULE_LICENSE("Dual BSD/GPL");
