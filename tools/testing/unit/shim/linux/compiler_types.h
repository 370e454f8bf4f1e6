/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What every kernel source file gets without asking. The kernel's build
 * force-includes its own header of this name; so does our Makefile.
 */
#ifndef SHIM_LINUX_COMPILER_TYPES_H
#define SHIM_LINUX_COMPILER_TYPES_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define __always_inline	inline __attribute__((__always_inline__))
#define __maybe_unused	__attribute__((__unused__))
#define __must_check	__attribute__((__warn_unused_result__))
#define __packed	__attribute__((__packed__))
#define fallthrough	__attribute__((__fallthrough__))
#define __force

#endif
