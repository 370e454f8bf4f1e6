/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_UNALIGNED_H
#define SHIM_LINUX_UNALIGNED_H

#include <string.h>
#include <asm/byteorder.h>
#include <linux/types.h>

#define get_unaligned(ptr) ({				\
	typeof(*(ptr)) __val;				\
	memcpy(&__val, (ptr), sizeof(__val));		\
	__val; })
#define put_unaligned(val, ptr) do {			\
	typeof(*(ptr)) __val = (val);			\
	memcpy((ptr), &__val, sizeof(__val));		\
} while (0)

#define __shim_unaligned(order, bits)					\
static inline u##bits get_unaligned_##order##bits(const void *p)	\
{									\
	__##order##bits val;						\
									\
	memcpy(&val, p, sizeof(val));					\
	return order##bits##_to_cpu(val);				\
}									\
									\
static inline void put_unaligned_##order##bits(u##bits cpu, void *p)	\
{									\
	__##order##bits val = cpu_to_##order##bits(cpu);		\
									\
	memcpy(p, &val, sizeof(val));					\
}

__shim_unaligned(be, 16)
__shim_unaligned(be, 32)
__shim_unaligned(be, 64)
__shim_unaligned(le, 16)
__shim_unaligned(le, 32)
__shim_unaligned(le, 64)

static inline u32 get_unaligned_be24(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 16 | (u32)b[1] << 8 | b[2];
}

static inline void put_unaligned_be24(u32 val, void *p)
{
	u8 *b = p;

	b[0] = (u8)(val >> 16);
	b[1] = (u8)(val >> 8);
	b[2] = (u8)val;
}

#endif
