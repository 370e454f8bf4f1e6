// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The sending half (see tx.h). Payload is copied and its CRC computed over the
 * copy, piece by piece while it is in the cache: a program that scribbles over
 * its buffer can't break its own checksum. The copies lie in pages of ours that
 * TCP takes as they are, many FPDUs in one call.
 */
#include <linux/ktime.h>
#include <linux/local_lock.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <net/tcp.h>
#include "mem.h"
#include "qp.h"
#include "tx.h"

/* Payload of one burst; what a batch ends with if it is reached. */
#define BURST_BYTES	(64U * 1024)
#define BATCH_BYTES	(128U * 1024)
/* Frags that a burst may need if there are only single pages. */
#define BURST_FRAGS	(BURST_BYTES / PAGE_SIZE + 3)
/* To copy and checksum at a time. */
#define PIECE_BYTES	(8U * 1024)

/**
 * struct fragment - where the next bytes of whoever sends on this CPU go
 * @lock: real-time kernels have several tasks with bottom halves off per CPU. Held for
 *	a burst, with locks of memory regions inside
 * @frag: from what offset on
 */
struct fragment {
	local_lock_t lock;
	struct page_frag frag;
};

static DEFINE_PER_CPU(struct fragment, fragments) = {
	.lock = INIT_LOCAL_LOCK(lock),
};

/* ---- appending ------------------------------------------------------------- */

/* Up to *@len bytes to fill, at least 1; then claim(). NULL: no memory. */
static void *room(struct page_frag *pf, unsigned int *len)
{
	if (!skb_page_frag_refill(32, pf, GFP_ATOMIC | __GFP_NOWARN))
		return NULL;
	*len = min(*len, pf->size - pf->offset);
	return page_address(pf->page) + pf->offset;
}

static int claim(struct xiwarp_tx *tx, struct page_frag *pf, unsigned int len)
{
	struct bio_vec *last = tx->num ? &tx->frags[tx->num - 1] : NULL;

	if (last && last->bv_page == pf->page &&
	    last->bv_offset + last->bv_len == pf->offset) {
		last->bv_len += len;
	} else {
		if (WARN_ON_ONCE(tx->num == XIWARP_TX_FRAGS))
			return -ENOBUFS;
		get_page(pf->page);
		bvec_set_page(&tx->frags[tx->num++], pf->page, len, pf->offset);
	}
	pf->offset += len;
	tx->bytes += len;
	return 0;
}

static int append(struct xiwarp_tx *tx, const u8 *data, unsigned int len)
{
	struct page_frag *pf = this_cpu_ptr(&fragments.frag);
	unsigned int n;
	void *to;
	int err;

	for (; len; data += n, len -= n) {
		n = len;
		to = room(pf, &n);
		if (!to)
			return -ENOBUFS;
		memcpy(to, data, n);
		err = claim(tx, pf, n);
		if (err)
			return err;
	}
	return 0;
}

/* Back to @bytes, when a burst could not be completed. */
static void truncate_to(struct xiwarp_tx *tx, u32 bytes)
{
	struct bio_vec *last;
	u32 n;

	while (tx->bytes > bytes) {
		last = &tx->frags[tx->num - 1];
		n = min(last->bv_len, tx->bytes - bytes);
		last->bv_len -= n;
		tx->bytes -= n;
		if (!last->bv_len) {
			put_page(last->bv_page);
			tx->num--;
		}
	}
}

/* ---- payload ------------------------------------------------------------------ */

/**
 * struct source - where the payload of a burst comes from
 * @qp: whose
 * @sgl: gather list, if @mr is NULL
 * @mr: region, with a reference
 * @va: of the burst's first byte in @mr
 * @offset: of the burst's first byte in @sgl
 */
struct source {
	struct xiwarp_qp *qp;
	struct xrdma_sgl sgl;
	struct xrdma_mr *mr;
	u64 va;
	u32 offset;
};

/* @at: counted from the burst's first byte. */
static int copy_from(const struct source *src, u32 at, void *to, u32 len)
{
	struct xiwarp_qp *qp = src->qp;

	if (src->mr)
		return xrdma_mr_copy(src->mr, src->va + at, to, len,
				     XRDMA_FROM_MEM);
	return xrdma_sgl_copy(&xiwarp_qp_dev(qp)->keys, qp->ibqp.pd, &src->sgl,
			      src->offset + at, to, len, XRDMA_FROM_MEM, NULL);
}

static int append_payload(const struct source *src, u32 at, u32 len)
{
	struct page_frag *pf = this_cpu_ptr(&fragments.frag);
	struct xiwarp_framer *framer = &src->qp->framer;
	unsigned int n;
	void *to;
	int err;

	for (; len; at += n, len -= n) {
		n = min(len, PIECE_BYTES);
		to = room(pf, &n);
		if (!to)
			return -ENOBUFS;
		err = copy_from(src, at, to, n);
		if (err)
			return err;
		if (framer->has_crc)
			framer->crc = xiwarp_crc(framer->crc, to, n);
		err = claim(&src->qp->tx, pf, n);
		if (err)
			return err;
	}
	return 0;
}

/* ---- FPDUs --------------------------------------------------------------------- */

static int make_fpdu(struct xiwarp_qp *qp, const struct xiwarp_burst *burst,
		     u32 i, const struct source *src)
{
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	struct xiwarp_piece piece;
	struct xiwarp_seg seg;
	unsigned int len = 0;
	u32 at = 0;
	int err;

	if (burst->source == XIWARP_FPDU) {
		seg.payload_len = 0;
	} else {
		at = xiwarp_burst_segment(burst, i, &seg);
		len = xiwarp_wire_build(&seg, hdr);
	}
	xiwarp_framer_begin(&qp->framer, hdr, len, seg.payload_len);
	while (xiwarp_framer_next(&qp->framer, &piece)) {
		if (piece.data) {
			err = append(&qp->tx, piece.data, piece.len);
		} else {
			err = append_payload(src, at, piece.len);
			at += piece.len;
		}
		if (err)
			return err;
	}
	return 0;
}

/* All of a burst, or nothing of it. */
static int make_fpdus(struct xiwarp_qp *qp, const struct xiwarp_burst *burst,
		      const struct source *src)
{
	struct xiwarp_framer framer = qp->framer;
	u32 bytes = qp->tx.bytes;
	int err = 0;
	u32 i;

	for (i = 0; i < burst->nsegs && !err; i++)
		err = make_fpdu(qp, burst, i, src);
	if (err) {
		qp->framer = framer;
		truncate_to(&qp->tx, bytes);
	}
	return err;
}

unsigned int xiwarp_tx_build(struct xiwarp_framer *framer,
			     const struct xiwarp_burst *burst, u8 *buf,
			     unsigned int size)
{
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	struct xiwarp_piece piece;
	struct xiwarp_seg seg;
	unsigned int len, n = 0;

	xiwarp_burst_segment(burst, 0, &seg);
	len = xiwarp_wire_build(&seg, hdr);
	xiwarp_framer_begin(framer, hdr, len, 0);
	while (xiwarp_framer_next(framer, &piece)) {
		if (!piece.data || piece.len > size - n)
			return 0;
		memcpy(buf + n, piece.data, piece.len);
		n += piece.len;
	}
	return n;
}

/* ---- bursts, by source ------------------------------------------------------------ */

/*
 * These return 0 also if the burst failed and the engine was told; -ENOBUFS or -EAGAIN
 * to try again later.
 */

/* Memory is not present. Always asks for the same of the same burst. */
static int wait_for_pages(struct xiwarp_qp *qp, const struct xrdma_want *want)
{
	return xrdma_paging_wait(qp->paging, qp->ibqp.pd, want) ? -EAGAIN : -EACCES;
}

static int wait_for_list(struct xiwarp_qp *qp, const struct source *src, u32 bytes)
{
	struct xrdma_want want;

	/* It may have come meanwhile. */
	if (xrdma_sgl_is_present(&xiwarp_qp_dev(qp)->keys, qp->ibqp.pd, &src->sgl,
				 src->offset, bytes, &want))
		return -EAGAIN;
	return wait_for_pages(qp, &want);
}

static int send_from_wr(struct xiwarp_qp *qp, struct xiwarp_burst *burst)
{
	struct xiwarp_swqe *swqe = to_xiwarp_swqe(burst->wr);
	struct source src = {
		.qp = qp,
		.sgl = {
			.sge = swqe->sge,
			.num_sge = swqe->num_sge,
			.length = burst->wr->length,
		},
		.offset = burst->offset,
	};
	int err;

	if (burst->wr->flags & XIWARP_WR_INLINE)
		src.sgl.data = swqe->data;
	err = make_fpdus(qp, burst, &src);
	if (err == -EAGAIN)
		err = wait_for_list(qp, &src, burst->bytes);
	if (!err || err == -ENOBUFS || err == -EAGAIN)
		return err;
	xiwarp_rdmap_fail_wr(&qp->rdmap, burst, XIWARP_LOC_PROT_ERR);
	return 0;
}

static int send_from_mr(struct xiwarp_qp *qp, struct xiwarp_burst *burst)
{
	const struct xrdma_want want = {
		.key = burst->rkey,
		.access = IB_ACCESS_REMOTE_READ,
		.va = burst->va,
		.length = burst->bytes,
		.ahead = burst->check_len - burst->bytes,
	};
	struct source src = { .qp = qp, .va = burst->va };
	enum xiwarp_mem mem;
	int err;

	mem = xiwarp_mem_get(qp, burst->rkey, IB_ACCESS_REMOTE_READ, burst->va,
			     burst->check_len, &src.mr);
	if (mem != XIWARP_MEM_OK) {
		xiwarp_rdmap_read_refused(&qp->rdmap, burst, mem);
		return 0;
	}
	err = make_fpdus(qp, burst, &src);
	xrdma_mr_put(src.mr);
	if (err == -EAGAIN)
		err = wait_for_pages(qp, &want);
	if (err != -EACCES)
		return err;
	xiwarp_rdmap_read_refused(&qp->rdmap, burst, XIWARP_MEM_ACCESS);
	return 0;
}

static u64 atomic_result(const void *atomic, u64 old)
{
	return xiwarp_atomic_result(atomic, old);
}

static int send_atomic(struct xiwarp_qp *qp, struct xiwarp_burst *burst)
{
	const struct xiwarp_atomic *atomic = &burst->atomic;
	const struct xrdma_want want = {
		.key = burst->rkey,
		.access = IB_ACCESS_REMOTE_ATOMIC,
		.va = atomic->to,
		.length = sizeof(u64),
		.is_write = true,
	};
	struct xrdma_mr *mr;
	enum xiwarp_mem mem;
	u64 old = 0;
	int err;

	mem = xiwarp_mem_get(qp, burst->rkey, IB_ACCESS_REMOTE_ATOMIC, atomic->to,
			     sizeof(u64), &mr);
	if (mem != XIWARP_MEM_OK) {
		xiwarp_rdmap_read_refused(&qp->rdmap, burst, mem);
		return 0;
	}
	err = xrdma_mr_update(mr, atomic->to, atomic_result, atomic, &old);
	xrdma_mr_put(mr);
	if (err)
		err = wait_for_pages(qp, &want);
	if (err == -EAGAIN)
		return err;
	if (err) {
		xiwarp_rdmap_read_refused(&qp->rdmap, burst, XIWARP_MEM_ACCESS);
		return 0;
	}
	xiwarp_rdmap_atomic_done(&qp->rdmap, burst, old);
	return make_fpdus(qp, burst, NULL);
}

static int send_by_source(struct xiwarp_qp *qp, struct xiwarp_burst *burst)
{
	switch (burst->source) {
	case XIWARP_FROM_WR:
		return send_from_wr(qp, burst);
	case XIWARP_FROM_MR:
		return send_from_mr(qp, burst);
	case XIWARP_FROM_ATOMIC:
		return send_atomic(qp, burst);
	case XIWARP_LOCAL:
		xiwarp_rdmap_local_done(&qp->rdmap, burst,
					xiwarp_mem_local(qp, burst->wr));
		return 0;
	case XIWARP_FROM_NOWHERE:
	case XIWARP_FPDU:
		break;
	}
	return make_fpdus(qp, burst, NULL);
}

static int send_burst(struct xiwarp_qp *qp, struct xiwarp_burst *burst)
{
	int err;

	local_lock(&fragments.lock);
	err = send_by_source(qp, burst);
	local_unlock(&fragments.lock);
	return err;
}

bool xiwarp_tx_fill(struct xiwarp_qp *qp)
{
	struct xiwarp_tx *tx = &qp->tx;
	struct xiwarp_burst burst;

	while (tx->bytes < BATCH_BYTES &&
	       tx->num + BURST_FRAGS <= XIWARP_TX_FRAGS &&
	       !xrdma_paging_is_waiting(qp->paging) &&
	       xiwarp_rdmap_output(&qp->rdmap, BURST_BYTES, &burst)) {
		if (send_burst(qp, &burst)) {
			/* No memory, or none that is present: then we are called. */
			xiwarp_rdmap_take_back(&qp->rdmap, &burst);
			if (!xrdma_paging_is_waiting(qp->paging))
				qp->retry_at = ktime_get_ns() + XIWARP_RETRY_NS;
			break;
		}
	}
	return tx->bytes;
}

/* ---- the socket ---------------------------------------------------------------------- */

/* The socket took the first @n bytes. */
static void consume(struct xiwarp_tx *tx, u32 n)
{
	struct bio_vec *frag = tx->frags;
	u32 i;

	tx->bytes -= n;
	for (i = 0; i < tx->num && n >= frag->bv_len; i++, frag++) {
		n -= frag->bv_len;
		put_page(frag->bv_page);
	}
	tx->num -= i;
	memmove(tx->frags, frag, tx->num * sizeof(*frag));
	if (tx->num) {
		tx->frags[0].bv_offset += n;
		tx->frags[0].bv_len -= n;
	}
}

int xiwarp_tx_push(struct xiwarp_tx *tx, struct sock *sk)
{
	int n;

	while (tx->bytes) {
		n = xrdma_tcp_send_pages(sk, tx->frags, tx->num, tx->bytes);
		if (n <= 0)
			return n ?: -EPIPE;
		consume(tx, n);
	}
	return 0;
}

void xiwarp_tx_drop(struct xiwarp_tx *tx)
{
	truncate_to(tx, 0);
}

void xiwarp_tx_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct page_frag *pf = per_cpu_ptr(&fragments.frag, cpu);

		if (pf->page)
			put_page(pf->page);
	}
}
