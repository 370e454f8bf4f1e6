/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_CRC32_H
#define XRDMA_COMPAT_CRC32_H

#include_next <linux/crc32.h>

#ifndef HAVE_FAST_CRC32
/* 6.1 and 6.12: only the crypto API knows of PCLMULQDQ. */
u32 xrdma_crc32_le(u32 crc, const void *data, size_t len);
#define crc32_le(crc, data, len) xrdma_crc32_le(crc, data, len)
#endif

#endif
