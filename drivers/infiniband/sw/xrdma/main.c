// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What makes the library a module; the functions are in the other files. */

#include <linux/build_bug.h>
#include <linux/module.h>
#include <asm/bitsperlong.h>
#include "mr.h"

/* Keys and addresses of the verbs are 64 bit and stand for kernel pointers. */
static_assert(BITS_PER_LONG == 64);

static int __init xrdma_init(void)
{
	int err;

	err = xrdma_paging_wq_init();
	if (err)
		return err;
	err = xrdma_consumer_wq_init();
	if (err) {
		xrdma_paging_wq_exit();
		return err;
	}
	xrdma_crc_init();
	return 0;
}

static void __exit xrdma_exit(void)
{
	xrdma_crc_exit();
	xrdma_consumer_wq_exit();
	xrdma_paging_wq_exit();
}

module_init(xrdma_init);
module_exit(xrdma_exit);

MODULE_DESCRIPTION("Common parts of software RDMA drivers");
MODULE_LICENSE("Dual BSD/GPL");
