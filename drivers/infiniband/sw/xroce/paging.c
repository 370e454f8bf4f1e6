// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What is sent from on-demand memory (see paging.h). */
#include "core/requester.h"
#include "core/responder.h"
#include "paging.h"
#include "qp.h"

/* A packet's memory is not present: may it be sent, to fail? */
static bool may_fail(struct xroce_qp *qp, const struct xrdma_want *want)
{
	if (xrdma_paging_is_waiting(qp->paging))
		return false;
	if (xrdma_paging_has_failed(qp->paging, want))
		return true;
	xrdma_paging_wait(qp->paging, qp->ibqp.pd, want);
	return false;
}

/**
 * struct ahead - the rest of a message that is to be sent
 * @qp: sender
 * @swqe: of a request
 * @rkey: of an answer
 * @va: of an answer, of the next byte
 * @offset: of the next byte
 * @length: bytes from there
 */
struct ahead {
	struct xroce_qp *qp;
	const struct xroce_swqe *swqe;
	u32 rkey;
	u64 va;
	u64 offset;
	u64 length;
};

static bool is_request_present(const struct ahead *ahead, u32 at, u32 length,
			       struct xrdma_want *want)
{
	struct xroce_qp *qp = ahead->qp;
	struct xrdma_sgl sgl = {
		.sge = ahead->swqe->sge,
		.num_sge = ahead->swqe->num_sge,
		.length = ahead->swqe->wr.length,
	};

	return xrdma_sgl_is_present(&xroce_qp_dev(qp)->keys, qp->ibqp.pd, &sgl,
				    ahead->offset + at, length, want);
}

static bool is_answer_present(const struct ahead *ahead, u32 at, u32 length,
			      struct xrdma_want *want)
{
	struct xroce_qp *qp = ahead->qp;
	u64 va = ahead->va + at;
	struct xrdma_mr *mr;
	bool is_present;

	/* What is wrong with the key is found when it is copied. */
	mr = xrdma_mr_get_remote(&xroce_qp_dev(qp)->keys, qp->ibqp.pd,
				 &qp->windows, ahead->rkey,
				 IB_ACCESS_REMOTE_READ, va, length);
	if (!mr)
		return true;
	is_present = xrdma_mr_is_present(mr, va, length);
	xrdma_mr_put(mr);
	if (!is_present)
		*want = (struct xrdma_want){
			.key = ahead->rkey,
			.access = IB_ACCESS_REMOTE_READ,
			.va = va,
			.length = length,
			.ahead = ahead->length - at - length,
		};
	return is_present;
}

/* Packets of @mtu bytes whose memory is present, at most @max; or as paging.h says. */
static u32 count_present(const struct ahead *ahead, u32 mtu, u32 max)
{
	struct xrdma_want want;
	u32 i, at, length;
	bool is_present;

	for (i = 0; i < max && i * mtu < ahead->length; i++) {
		at = i * mtu;
		length = min_t(u64, mtu, ahead->length - at);
		is_present = ahead->swqe ?
			     is_request_present(ahead, at, length, &want) :
			     is_answer_present(ahead, at, length, &want);
		if (is_present)
			continue;
		return i ? i : may_fail(ahead->qp, &want);
	}
	return max;
}

static bool may_page(const struct xroce_qp *qp)
{
	return READ_ONCE(xroce_qp_dev(qp)->has_on_demand);
}

u32 xroce_paging_requests(struct xroce_qp *qp, u32 max)
{
	struct ahead ahead = { .qp = qp };
	const struct xroce_wr *wr;
	u32 offset;

	if (!may_page(qp))
		return max;
	wr = xroce_req_peek(&qp->req, &offset);
	if (!wr || wr->flags & XROCE_WR_INLINE)
		return max;
	ahead.swqe = container_of(wr, struct xroce_swqe, wr);
	ahead.offset = offset;
	ahead.length = wr->length - offset;
	return count_present(&ahead, qp->req.cfg.pmtu, max);
}

u32 xroce_paging_answers(struct xroce_qp *qp, u32 max)
{
	struct ahead ahead = { .qp = qp };
	struct xroce_resp_peek peek;

	if (!may_page(qp) || !xroce_resp_peek(&qp->resp, &peek))
		return max;
	ahead.rkey = peek.rkey;
	ahead.va = peek.va;
	ahead.length = peek.bytes;
	return count_present(&ahead, qp->resp.cfg.pmtu, max);
}
