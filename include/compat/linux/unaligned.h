/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* 6.1 has it in asm/ only. */
#ifdef HAVE_LINUX_UNALIGNED
#include_next <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif
