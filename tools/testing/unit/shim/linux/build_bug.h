/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_BUILD_BUG_H
#define SHIM_LINUX_BUILD_BUG_H

#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), "!(" #cond ")")
#define static_assert(expr, ...)	_Static_assert(expr, "" __VA_ARGS__ #expr)

#endif
