/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which function is which verb. */
#ifndef XIWARP_OPS_H
#define XIWARP_OPS_H

struct ib_device_ops;

extern const struct ib_device_ops xiwarp_ops;

#endif
