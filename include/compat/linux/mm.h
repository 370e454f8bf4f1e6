/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_MM_H
#define XRDMA_COMPAT_MM_H

#include_next <linux/mm.h>

#ifndef HAVE_VM_FLAGS_SET
/* 6.1: flags are an ordinary member. */
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}
#endif

#endif
