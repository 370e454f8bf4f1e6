// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fast registration: a region that a kernel user fills with pieces of its memory
 * again and again, and whose key a work request makes valid.
 *
 *	alloc --> free --- map_sg, REG_MR ---> valid
 *	           ^                            |
 *	           +------- invalidation -------+
 *
 * Pieces may begin and end anywhere, so neither the size of pages nor gaps
 * between pieces matter.
 */

#include <linux/export.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "mr.h"

/**
 * xrdma_mr_alloc - a region for fast registration
 * @table: key table of the device
 * @pd: a kernel user's
 * @type: MEM_REG or SG_GAPS
 * @max_num_sg: pieces it can hold
 *
 * Context: process, may sleep.
 * Return: the region or an ERR_PTR: -EINVAL, -EOPNOTSUPP, -ENOSPC, -ENOMEM.
 */
struct ib_mr *xrdma_mr_alloc(struct xrdma_table *table, struct ib_pd *pd,
			     enum ib_mr_type type, u32 max_num_sg)
{
	struct xrdma_mr *mr;
	s64 key;

	if (type != IB_MR_TYPE_MEM_REG && type != IB_MR_TYPE_SG_GAPS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > XRDMA_MAX_PIECES)
		return ERR_PTR(-EINVAL);
	mr = kzalloc_obj(*mr, GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	xrdma_mr_init(mr, XRDMA_FAST);
	mr->max_pieces = max_num_sg;
	mr->pieces = kvmalloc_array(max_num_sg, sizeof(*mr->pieces), GFP_KERNEL);
	if (!mr->pieces) {
		kfree(mr);
		return ERR_PTR(-ENOMEM);
	}
	key = xrdma_mr_enter(mr, table, pd);
	if (key < 0) {
		kvfree(mr->pieces);
		kfree(mr);
		return ERR_PTR(key);
	}
	mr->ibmr.lkey = key;
	mr->ibmr.rkey = key;
	return &mr->ibmr;
}
EXPORT_SYMBOL_GPL(xrdma_mr_alloc);

/* Add what follows the first @skip bytes of @sg. False if there is no room. */
static bool add_piece(struct xrdma_mr *mr, const struct scatterlist *sg,
		      unsigned int skip)
{
	if (mr->num_pieces == mr->max_pieces)
		return false;
	/* Of a device without DMA, "DMA addresses" are kernel virtual ones. */
	mr->pieces[mr->num_pieces++] = (struct xrdma_piece){
		.start = mr->ibmr.length,
		.addr = (void *)(uintptr_t)(sg_dma_address(sg) + skip),
	};
	mr->ibmr.length += sg_dma_len(sg) - skip;
	return true;
}

/**
 * xrdma_mr_map_sg - what the next REG_MR is to make accessible
 * @ibmr: region, free
 * @sg: mapped by ib_dma_map_sg()
 * @sg_nents: its entries
 * @sg_offset: bytes to skip in the first one; 0 afterwards. May be NULL
 *
 * Context: process or softirq.
 * Return: the number of entries mapped.
 */
int xrdma_mr_map_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset)
{
	struct xrdma_mr *mr = to_xrdma_mr(ibmr);
	unsigned int skip = sg_offset ? *sg_offset : 0;
	struct scatterlist *entry;
	int i;

	if (sg_nents <= 0 || skip > sg_dma_len(sg))
		return -EINVAL;
	write_lock_bh(&mr->lock);
	mr->num_pieces = 0;
	ibmr->length = 0;
	ibmr->iova = sg_dma_address(sg) + skip;
	for_each_sg(sg, entry, sg_nents, i) {
		if (!add_piece(mr, entry, skip))
			break;
		skip = 0;
	}
	/* A key that is still valid gives what there was, or nothing. */
	mr->length = min_t(u64, mr->length, ibmr->length);
	write_unlock_bh(&mr->lock);
	if (sg_offset)
		*sg_offset = 0;
	return i;
}
EXPORT_SYMBOL_GPL(xrdma_mr_map_sg);

/**
 * xrdma_mr_fast_reg - make valid what was mapped
 * @mr: region, free
 * @pd: of the QP that this was posted to
 * @key: new key; only the low eight bits are the user's choice
 * @access: enum ib_access_flags
 *
 * Context: process or softirq.
 * Return: 0 or -EINVAL.
 */
int xrdma_mr_fast_reg(struct xrdma_mr *mr, const struct ib_pd *pd, u32 key,
		      u32 access)
{
	int err = -EINVAL;

	if (mr->kind != XRDMA_FAST || mr->ibmr.pd != pd ||
	    key >> 8 != mr->ref->index || xrdma_mr_check_access(access))
		return -EINVAL;
	write_lock_bh(&mr->lock);
	if (!mr->key && mr->num_pieces) {
		mr->access = access;
		mr->iova = mr->ibmr.iova;
		mr->length = mr->ibmr.length;
		mr->key = key;
		mr->ibmr.lkey = key;
		mr->ibmr.rkey = key;
		err = 0;
	}
	write_unlock_bh(&mr->lock);
	return err;
}
EXPORT_SYMBOL_GPL(xrdma_mr_fast_reg);
