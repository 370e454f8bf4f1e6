/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a peer may do with memory of ours. */
#ifndef XIWARP_MEM_H
#define XIWARP_MEM_H

#include <linux/types.h>
#include "core/fault.h"

struct xiwarp_qp;
struct xiwarp_wr;
struct xrdma_mr;

/*
 * The region of @rkey, if the peer may do @access (enum ib_access_flags) to
 * @length bytes at @va. Any context.
 * Return: XIWARP_MEM_OK and *@mr with a reference, or why not.
 */
enum xiwarp_mem xiwarp_mem_get(const struct xiwarp_qp *qp, u32 rkey, u32 access,
			       u64 va, u64 length, struct xrdma_mr **mr);

/* @key, of a message or a request, finds nothing any more. Softirq or process. */
bool xiwarp_mem_invalidate(const struct xiwarp_qp *qp, u32 key);

/* Carry out LOCAL_INV or REG_MR. Softirq or process. */
enum xiwarp_status xiwarp_mem_local(const struct xiwarp_qp *qp,
				    const struct xiwarp_wr *wr);

#endif
