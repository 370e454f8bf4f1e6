// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Scatter-gather lists: where byte N of a message is in memory. */

#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "xrdma.h"

/* @buf: NULL: only look whether the memory is present */
static int copy_sge(struct xrdma_table *table, const struct ib_pd *pd,
		    const struct ib_sge *sge, u32 offset, void *buf, u32 length,
		    enum xrdma_dir dir, struct xrdma_want *want)
{
	u32 access = dir == XRDMA_TO_MEM ? IB_ACCESS_LOCAL_WRITE : 0;
	u64 va = sge->addr + offset;
	struct xrdma_mr *mr;
	int err;

	if (va < sge->addr)
		return -EACCES;
	mr = xrdma_mr_get(table, pd, sge->lkey, access, va, length);
	if (!mr)
		return -EACCES;
	if (buf)
		err = xrdma_mr_copy(mr, va, buf, length, dir);
	else
		err = xrdma_mr_is_present(mr, va, length) ? 0 : -EAGAIN;
	xrdma_mr_put(mr);
	if (err && want)
		*want = (struct xrdma_want){
			.key = sge->lkey,
			.access = access,
			.va = va,
			.length = length,
			.ahead = sge->length - offset - length,
			.is_write = dir == XRDMA_TO_MEM,
		};
	return err;
}

/* The list has @length bytes at @offset, but for what its SGEs lack. */
static int copy_list(struct xrdma_table *table, const struct ib_pd *pd,
		     const struct xrdma_sgl *sgl, u64 offset, void *buf, u32 length,
		     enum xrdma_dir dir, struct xrdma_want *want)
{
	const struct ib_sge *sge = sgl->sge;
	u32 i, n;
	int err;

	for (i = 0; i < sgl->num_sge && length; i++, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		n = min_t(u64, length, sge->length - offset);
		err = copy_sge(table, pd, sge, offset, buf, n, dir, want);
		if (err)
			return err;
		if (buf)
			buf += n;
		length -= n;
		offset = 0;
	}
	return length ? -EINVAL : 0;
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
 * @want: NULL, or set where memory is not present
 *
 * The key of an empty SGE is not looked at (IBTA 10.7.3.2.1).
 *
 * Context: any.
 * Return: 0, -EINVAL beyond the end, -EACCES when a key, PD or range is wrong,
 * -EAGAIN where on-demand memory is not present (what comes before it is copied then).
 */
int xrdma_sgl_copy(struct xrdma_table *table, const struct ib_pd *pd,
		   const struct xrdma_sgl *sgl, u64 offset, void *buf, u32 length,
		   enum xrdma_dir dir, struct xrdma_want *want)
{
	if (offset > sgl->length || length > sgl->length - offset)
		return -EINVAL;

	if (sgl->data) {
		if (dir == XRDMA_TO_MEM)
			return -EACCES;
		memcpy(buf, sgl->data + offset, length);
		return 0;
	}
	return copy_list(table, pd, sgl, offset, buf, length, dir, want);
}
EXPORT_SYMBOL_GPL(xrdma_sgl_copy);

/**
 * xrdma_sgl_get - the one region that a part of a list is in
 * @table: key table of the device
 * @pd: of the QP or SRQ
 * @sgl: the list
 * @offset: first byte, counted from the start of the list
 * @length: bytes
 * @access: needed, as xrdma_mr_get() takes it
 * @va: set to where they begin in the region
 *
 * Context: any; who has the region must not sleep.
 * Return: the region with a reference. NULL if they are in several SGEs, or a key, PD
 * or range is wrong.
 */
struct xrdma_mr *xrdma_sgl_get(struct xrdma_table *table, const struct ib_pd *pd,
			       const struct xrdma_sgl *sgl, u64 offset, u32 length,
			       u32 access, u64 *va)
{
	const struct ib_sge *sge = sgl->sge;
	u32 i;

	if (sgl->data || !length)
		return NULL;
	for (i = 0; i < sgl->num_sge && offset >= sge->length; i++, sge++)
		offset -= sge->length;
	if (i == sgl->num_sge || length > sge->length - offset)
		return NULL;
	*va = sge->addr + offset;
	if (*va < sge->addr)
		return NULL;
	return xrdma_mr_get(table, pd, sge->lkey, access, *va, length);
}
EXPORT_SYMBOL_GPL(xrdma_sgl_get);

/**
 * xrdma_sgl_is_present - may the memory that a list describes be read at once?
 * @table: key table of the device
 * @pd: of the QP
 * @sgl: the list
 * @offset: first byte, counted from the start of the list
 * @length: bytes
 * @want: set if not: the same as xrdma_sgl_copy() would ask for
 *
 * Context: any.
 * Return: false if on-demand memory is not present.
 */
bool xrdma_sgl_is_present(struct xrdma_table *table, const struct ib_pd *pd,
			  const struct xrdma_sgl *sgl, u64 offset, u32 length,
			  struct xrdma_want *want)
{
	return sgl->data ||
	       copy_list(table, pd, sgl, offset, NULL, length, XRDMA_FROM_MEM,
			 want) != -EAGAIN;
}
EXPORT_SYMBOL_GPL(xrdma_sgl_is_present);

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
