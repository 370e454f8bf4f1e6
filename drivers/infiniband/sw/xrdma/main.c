// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What makes the library a module; the functions are in the other files. */

#include <linux/build_bug.h>
#include <linux/module.h>
#include <asm/bitsperlong.h>

/* Keys and addresses of the verbs are 64 bit and stand for kernel pointers. */
static_assert(BITS_PER_LONG == 64);

MODULE_DESCRIPTION("Common parts of software RDMA drivers");
MODULE_LICENSE("Dual BSD/GPL");
