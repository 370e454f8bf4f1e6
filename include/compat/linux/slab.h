/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_SLAB_H
#define XRDMA_COMPAT_SLAB_H

#include_next <linux/slab.h>

#ifndef HAVE_KMALLOC_OBJ
/* 6.1. The type is that of the first argument, GFP_KERNEL the default. */
#define compat_alloc(alloc, size, gfp, ...) alloc(size, gfp)
#define kmalloc_obj(x, ...) ((typeof(x) *)			\
	compat_alloc(kmalloc, sizeof(x), ##__VA_ARGS__, GFP_KERNEL))
#define kzalloc_obj(x, ...) ((typeof(x) *)			\
	compat_alloc(kzalloc, sizeof(x), ##__VA_ARGS__, GFP_KERNEL))
#endif

#endif
