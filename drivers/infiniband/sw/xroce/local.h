/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests that send nothing: BIND_MW, REG_MR, LOCAL_INV. */
#ifndef XROCE_LOCAL_H
#define XROCE_LOCAL_H

#include <linux/types.h>

struct xroce_qp;

/* Owner. Execute the one whose turn has come. Return: false if there is none. */
bool xroce_execute_local(struct xroce_qp *qp);

#endif
