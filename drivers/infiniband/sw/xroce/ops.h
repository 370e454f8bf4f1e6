/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which function is which verb. */
#ifndef XROCE_OPS_H
#define XROCE_OPS_H

struct ib_device_ops;

extern const struct ib_device_ops xroce_ops;

#endif
