/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_ASM_BYTEORDER_H
#define SHIM_ASM_BYTEORDER_H

#include <linux/types.h>
#include_next <asm/byteorder.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define __shim_be(bits, x)	__builtin_bswap##bits(x)
#define __shim_le(bits, x)	(x)
#else
#define __shim_be(bits, x)	(x)
#define __shim_le(bits, x)	__builtin_bswap##bits(x)
#endif

#define cpu_to_be16(x)	((__be16)__shim_be(16, (u16)(x)))
#define cpu_to_be32(x)	((__be32)__shim_be(32, (u32)(x)))
#define cpu_to_be64(x)	((__be64)__shim_be(64, (u64)(x)))
#define be16_to_cpu(x)	((u16)__shim_be(16, (x)))
#define be32_to_cpu(x)	((u32)__shim_be(32, (x)))
#define be64_to_cpu(x)	((u64)__shim_be(64, (x)))
#define cpu_to_le16(x)	((__le16)__shim_le(16, (u16)(x)))
#define cpu_to_le32(x)	((__le32)__shim_le(32, (u32)(x)))
#define cpu_to_le64(x)	((__le64)__shim_le(64, (u64)(x)))
#define le16_to_cpu(x)	((u16)__shim_le(16, (x)))
#define le32_to_cpu(x)	((u32)__shim_le(32, (x)))
#define le64_to_cpu(x)	((u64)__shim_le(64, (x)))

#endif
