// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Scatter-gather lists: where byte N of a message is in memory. */

#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "xrdma.h"

static int copy_sge(struct xrdma_table *table, const struct ib_pd *pd,
		    const struct ib_sge *sge, u32 offset, void *buf, u32 length,
		    enum xrdma_dir dir)
{
	u32 access = dir == XRDMA_TO_MEM ? IB_ACCESS_LOCAL_WRITE : 0;
	u64 va = sge->addr + offset;
	struct xrdma_mr *mr;

	if (va < sge->addr)
		return -EACCES;
	mr = xrdma_mr_get(table, pd, sge->lkey, access, va, length);
	if (!mr)
		return -EACCES;
	xrdma_mr_copy(mr, va, buf, length, dir);
	xrdma_mr_put(mr);
	return 0;
}

/**
 * xrdma_sgl_copy - copy from or to the memory a list describes
 * @table: key table of the device
 * @pd: of the QP or SRQ
 * @sgl: the list
 * @offset: first byte, counted from the start of the list
 * @buf: other side
 * @length: bytes
 * @dir: which way
 *
 * The key of an empty SGE is not looked at (IBTA 10.7.3.2.1).
 *
 * Context: any.
 * Return: 0, -EINVAL beyond the end, -EACCES when a key, PD or range is wrong
 * (what comes before it is copied then).
 */
int xrdma_sgl_copy(struct xrdma_table *table, const struct ib_pd *pd,
		   const struct xrdma_sgl *sgl, u64 offset, void *buf, u32 length,
		   enum xrdma_dir dir)
{
	const struct ib_sge *sge = sgl->sge;
	u32 i, n;
	int err;

	if (offset > sgl->length || length > sgl->length - offset)
		return -EINVAL;

	if (sgl->data) {
		if (dir == XRDMA_TO_MEM)
			return -EACCES;
		memcpy(buf, sgl->data + offset, length);
		return 0;
	}

	for (i = 0; i < sgl->num_sge && length; i++, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		n = min_t(u64, length, sge->length - offset);
		err = copy_sge(table, pd, sge, offset, buf, n, dir);
		if (err)
			return err;
		buf += n;
		length -= n;
		offset = 0;
	}
	return length ? -EINVAL : 0;
}
EXPORT_SYMBOL_GPL(xrdma_sgl_copy);

/**
 * xrdma_sge_sum - bytes that a list describes
 * @sge: the list
 * @num_sge: its entries
 *
 * Return: the sum of the lengths.
 */
u64 xrdma_sge_sum(const struct ib_sge *sge, u32 num_sge)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num_sge; i++)
		sum += sge[i].length;
	return sum;
}
EXPORT_SYMBOL_GPL(xrdma_sge_sum);
