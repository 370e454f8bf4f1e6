// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Cases of fast registration and invalidation. */

#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include "pair.h"

#define MAX_PIECES	6

/**
 * struct piece - of one allocation, what is registered
 * @skip: bytes at its beginning that are not
 * @len: bytes that are
 */
struct piece {
	u32 skip;
	u32 len;
};

/**
 * struct region - what a fast registration makes of scattered memory
 * @mr: region
 * @sg: pieces of @chunk
 * @chunk: allocations, none of them behind the one before
 * @chunk_bytes: size of each
 * @n: number of them
 * @len: bytes in the region
 * @flat: as many in one piece: what is sent into it, or was read from it
 * @dma: address of @flat
 */
struct region {
	struct ib_mr *mr;
	struct scatterlist sg[MAX_PIECES];
	void *chunk[MAX_PIECES];
	u32 chunk_bytes;
	u32 n;
	u32 len;
	void *flat;
	u64 dma;
};

static void destroy_region(struct ib_device *dev, struct region *r)
{
	u32 i;

	if (r->mr)
		ib_dereg_mr(r->mr);
	if (r->dma)
		ib_dma_unmap_single(dev, r->dma, r->len, DMA_BIDIRECTIONAL);
	if (r->flat)
		free_pages_exact(r->flat, r->len);
	for (i = 0; i < r->n; i++) {
		if (r->chunk[i])
			free_pages_exact(r->chunk[i], r->chunk_bytes);
	}
}

/* The first @offset bytes of the first piece are left out by ib_map_mr_sg(). */
static int create_region(struct kverbs_pair *pair, struct region *r, enum ib_mr_type type,
			 u32 page_size, const struct piece *pieces, u32 n, u32 offset)
{
	u32 i, skip = offset;

	*r = (struct region){ .n = n, .chunk_bytes = page_size };
	sg_init_table(r->sg, n);
	/* From the last to the first, for the allocator goes upwards. */
	for (i = n; i-- > 0;) {
		r->chunk[i] = alloc_pages_exact(page_size, GFP_KERNEL | __GFP_ZERO);
		expect(r->chunk[i]);
		sg_set_buf(&r->sg[i], r->chunk[i] + pieces[i].skip, pieces[i].len);
		r->len += pieces[i].len;
	}
	r->len -= offset;
	r->flat = alloc_pages_exact(r->len, GFP_KERNEL);
	expect(r->flat);
	r->dma = ib_dma_map_single(pair->dev, r->flat, r->len, DMA_BIDIRECTIONAL);
	expect(!ib_dma_mapping_error(pair->dev, r->dma));
	expect(ib_dma_map_sg(pair->dev, r->sg, n, DMA_BIDIRECTIONAL) == n);
	r->mr = ib_alloc_mr(pair->pd, type, n);
	if (IS_ERR(r->mr)) {
		r->mr = NULL;
		expect(r->mr);
	}
	expect(ib_map_mr_sg(r->mr, r->sg, n, &skip, page_size) == n);
	expect(r->mr->length == r->len);
	return 0;
}

static int reg(struct kverbs_pair *pair, int side, struct region *r)
{
	union kverbs_wr wr = {
		.reg = {
			.wr.opcode = IB_WR_REG_MR,
			.mr = r->mr,
			.key = r->mr->rkey,
			.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				  IB_ACCESS_REMOTE_READ,
		},
	};

	return kverbs_do(pair, side, &wr);
}

static int invalidate(struct kverbs_pair *pair, int side, u32 rkey)
{
	union kverbs_wr wr = {
		.wr.opcode = IB_WR_LOCAL_INV,
		.wr.ex.invalidate_rkey = rkey,
	};

	return kverbs_do(pair, side, &wr);
}

/* READ or WRITE @len bytes from @offset on, by the first QP. */
static int access(struct kverbs_pair *pair, struct region *r, enum ib_wr_opcode opcode,
		  s32 offset, u32 len)
{
	struct ib_sge sge = {
		.addr = r->dma,
		.length = len,
		.lkey = pair->pd->local_dma_lkey,
	};
	union kverbs_wr wr = {
		.rdma = {
			.wr.opcode = opcode,
			.wr.sg_list = &sge,
			.wr.num_sge = 1,
			.remote_addr = r->mr->iova + offset,
			.rkey = r->mr->rkey,
		},
	};

	return kverbs_do(pair, 0, &wr);
}

/* Is in the pieces what is in the flat memory? */
static bool agrees(const struct region *r, const struct piece *pieces, u32 offset)
{
	const void *flat = r->flat;
	u32 i;

	for (i = 0; i < r->n; i++) {
		u32 skip = i ? 0 : offset, len = pieces[i].len - skip;

		if (memcmp(r->chunk[i] + pieces[i].skip + skip, flat, len))
			return false;
		flat += len;
	}
	return true;
}

/* A region that is zero but for what was written through it. */
static bool is_clean_around(const struct region *r, const struct piece *pieces, u32 offset)
{
	u32 i;

	for (i = 0; i < r->n; i++) {
		u32 begin = pieces[i].skip + (i ? 0 : offset);
		u32 end = pieces[i].skip + pieces[i].len;

		if (memchr_inv(r->chunk[i], 0, begin) ||
		    memchr_inv(r->chunk[i] + end, 0, r->chunk_bytes - end))
			return false;
	}
	return true;
}

static int there_and_back(struct kverbs_pair *pair, struct region *r,
			  const struct piece *pieces, u32 offset)
{
	expect(!reg(pair, 1, r));
	get_random_bytes(r->flat, r->len);
	expect(!access(pair, r, IB_WR_RDMA_WRITE, 0, r->len));
	/* Over iWARP it may be under way still; what a READ finds has come before it. */
	if (kverbs_is_iwarp(pair->dev))
		expect(!access(pair, r, IB_WR_RDMA_READ, 0, 1));
	expect(agrees(r, pieces, offset));
	expect(is_clean_around(r, pieces, offset));
	memset(r->flat, 0, r->len);
	expect(!access(pair, r, IB_WR_RDMA_READ, 0, r->len));
	expect(agrees(r, pieces, offset));
	expect(!invalidate(pair, 1, r->mr->rkey));
	return 0;
}

static int try_region(struct kverbs_pair *pair, enum ib_mr_type type, u32 page_size,
		      const struct piece *pieces, u32 n, u32 offset)
{
	struct region r;
	int err;

	err = create_region(pair, &r, type, page_size, pieces, n, offset);
	if (!err)
		err = there_and_back(pair, &r, pieces, offset);
	destroy_region(pair->dev, &r);
	return err;
}

int kverbs_page_sizes(struct ib_device *dev)
{
	static const u32 sizes[] = { SZ_4K, SZ_8K, SZ_64K, SZ_256K };
	struct kverbs_pair pair;
	size_t i;
	int err;

	err = kverbs_pair_create(&pair, dev, IB_QPT_RC, NULL, NULL);
	for (i = 0; i < ARRAY_SIZE(sizes) && !err; i++) {
		const struct piece pieces[] = {
			{ 0, sizes[i] }, { 0, sizes[i] }, { 0, sizes[i] - 200 },
		};

		err = try_region(&pair, IB_MR_TYPE_MEM_REG, sizes[i], pieces, 3, 100);
		if (err)
			pr_err("kverbs: pages of %u bytes\n", sizes[i]);
	}
	kverbs_pair_destroy(&pair, true);
	return err;
}

/* Pieces that begin and end in the middle of pages. */
int kverbs_gaps(struct ib_device *dev)
{
	static const struct piece pieces[] = {
		{ 10, 501 }, { 0, SZ_4K }, { 777, 1 }, { 4000, 96 }, { 1, 4095 }, { 3, 7 },
	};
	struct kverbs_pair pair;
	int err;

	if (!(dev->attrs.kernel_cap_flags & IBK_SG_GAPS_REG)) {
		pr_err("kverbs: the device has no registration with gaps\n");
		return -EOPNOTSUPP;
	}
	err = kverbs_pair_create(&pair, dev, IB_QPT_RC, NULL, NULL);
	if (!err)
		err = try_region(&pair, IB_MR_TYPE_SG_GAPS, SZ_4K, pieces, ARRAY_SIZE(pieces), 11);
	kverbs_pair_destroy(&pair, true);
	return err;
}

/* ---- limits ------------------------------------------------------------------------ */

static const struct piece two_pages[] = { { 0, SZ_4K }, { 0, SZ_4K } };

/* A pair of its own for each, since after a bad access the QPs are of no use. */
static int with_region(struct ib_device *dev,
		       int (*test)(struct kverbs_pair *pair, struct region *r, const void *arg),
		       const void *arg)
{
	struct kverbs_pair pair;
	struct region r = {};
	int err;

	err = kverbs_pair_create(&pair, dev, IB_QPT_RC, NULL, NULL);
	if (!err)
		err = create_region(&pair, &r, IB_MR_TYPE_MEM_REG, SZ_4K, two_pages, 2, 0);
	if (!err)
		err = test(&pair, &r, arg);
	destroy_region(dev, &r);
	kverbs_pair_destroy(&pair, true);
	return err;
}

static const struct attempt {
	s32 offset;
	u32 len;
	int status;
} attempts[] = {
	{ 0, SZ_8K, IB_WC_SUCCESS },
	{ SZ_8K - 1, 1, IB_WC_SUCCESS },
	{ SZ_8K - 1, 2, IB_WC_REM_ACCESS_ERR },
	{ SZ_8K, 1, IB_WC_REM_ACCESS_ERR },
	{ -1, 2, IB_WC_REM_ACCESS_ERR },
};

static int try_access(struct kverbs_pair *pair, struct region *r, const void *arg)
{
	const struct attempt *it = arg;
	int status;

	expect(!reg(pair, 1, r));
	status = access(pair, r, IB_WR_RDMA_WRITE, it->offset, it->len);
	if (status == it->status)
		return 0;
	pr_err("kverbs: %u bytes at %d: %d, not %d\n", it->len, it->offset, status, it->status);
	return -EIO;
}

/* More pieces than there is room for: what fits, and how much that is. */
static int try_too_many(struct kverbs_pair *pair, struct region *r, const void *arg)
{
	struct ib_mr *small = ib_alloc_mr(pair->pd, IB_MR_TYPE_MEM_REG, 1);
	int n, err = 0;

	if (IS_ERR(small))
		return PTR_ERR(small);
	n = ib_map_mr_sg(small, r->sg, 2, NULL, SZ_4K);
	if (n != 1 || small->length != SZ_4K) {
		pr_err("kverbs: two pages in a region for one: %d\n", n);
		err = -EIO;
	}
	ib_dereg_mr(small);
	return err;
}

int kverbs_limits(struct ib_device *dev)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attempts); i++)
		expect(!with_region(dev, try_access, &attempts[i]));
	return with_region(dev, try_too_many, NULL);
}

/* ---- invalidation ------------------------------------------------------------------ */

/* Its own user, and registered again by another key: the old one is void. */
static int void_key(struct kverbs_pair *pair, struct region *r, const void *arg)
{
	u32 old = r->mr->rkey;

	expect(!reg(pair, 1, r));
	expect(!invalidate(pair, 1, old));
	ib_update_fast_reg_key(r->mr, ib_inc_rkey(old));
	expect(ib_map_mr_sg(r->mr, r->sg, r->n, NULL, SZ_4K) == r->n);
	expect(!reg(pair, 1, r));
	expect(!access(pair, r, IB_WR_RDMA_WRITE, 0, r->len));
	r->mr->rkey = old;
	expect(access(pair, r, IB_WR_RDMA_WRITE, 0, r->len) == IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* By the peer, who says so in the completion of its message. */
static int remote(struct kverbs_pair *pair, struct region *r, const void *arg)
{
	struct ib_sge sge = {
		.addr = r->dma,
		.length = 64,
		.lkey = pair->pd->local_dma_lkey,
	};
	union kverbs_wr wr = {
		.wr.opcode = IB_WR_SEND_WITH_INV,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
		.wr.ex.invalidate_rkey = r->mr->rkey,
	};
	struct ib_wc wc;

	expect(!reg(pair, 1, r));
	expect(!access(pair, r, IB_WR_RDMA_WRITE, 0, r->len));
	expect(!kverbs_recv(pair->qp[1], &sge));
	expect(!kverbs_do(pair, 0, &wr));
	expect(!kverbs_await(pair->cq[1], &wc));
	expect(!wc.status && wc.opcode == IB_WC_RECV);
	expect(wc.wc_flags & IB_WC_WITH_INVALIDATE);
	expect(wc.ex.invalidate_rkey == r->mr->rkey);
	expect(access(pair, r, IB_WR_RDMA_WRITE, 0, r->len) == IB_WC_REM_ACCESS_ERR);
	return 0;
}

int kverbs_invalidation(struct ib_device *dev)
{
	return with_region(dev, void_key, NULL) ?: with_region(dev, remote, NULL);
}

/* What a READ filled is void once it is complete, and can be registered again. */
static int read_into(struct kverbs_pair *pair, struct region *r, const void *arg)
{
	struct ib_sge sge;
	union kverbs_wr wr = {
		.rdma = {
			.wr.opcode = IB_WR_RDMA_READ_WITH_INV,
			.wr.sg_list = &sge,
			.wr.num_sge = 1,
			.wr.ex.invalidate_rkey = r->mr->lkey,
		},
	};
	struct region source;
	int err;

	expect(!reg(pair, 0, r));
	sge = (struct ib_sge){
		.addr = r->mr->iova,
		.length = r->len,
		.lkey = r->mr->lkey,
	};
	err = create_region(pair, &source, IB_MR_TYPE_MEM_REG, SZ_4K, two_pages, 2, 0);
	if (!err)
		err = reg(pair, 1, &source);
	if (!err) {
		get_random_bytes(source.chunk[0], SZ_4K);
		get_random_bytes(source.chunk[1], SZ_4K);
		wr.rdma.remote_addr = source.mr->iova;
		wr.rdma.rkey = source.mr->rkey;
		err = kverbs_do(pair, 0, &wr);
	}
	if (!err && (memcmp(r->chunk[0], source.chunk[0], SZ_4K) ||
		     memcmp(r->chunk[1], source.chunk[1], SZ_4K)))
		err = -EILSEQ;
	destroy_region(pair->dev, &source);
	expect(!err);
	expect(ib_map_mr_sg(r->mr, r->sg, r->n, NULL, SZ_4K) == r->n);
	expect(!reg(pair, 0, r));
	return 0;
}

int kverbs_read_with_invalidation(struct ib_device *dev)
{
	return with_region(dev, read_into, NULL);
}
