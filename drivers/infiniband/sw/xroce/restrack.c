// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Details of QPs, CQs and MRs for "rdma resource show -dd" (see restrack.h). */
#include <rdma/restrack.h>
#include "qp.h"
#include "restrack.h"

/* 0 = not limited */
static u64 rate_kbps(const struct xroce_cc *cc)
{
	u64 rate = min(READ_ONCE(cc->rate), READ_ONCE(cc->cap));

	return rate == XROCE_CC_UNLIMITED ? 0 : div_u64(rate, 125);
}

struct pace {
	u64 kbps;
	u32 window;
};

/* The dump comes until the verbs object is gone: destruction takes the rest away. */
static struct pace pace_of(struct xroce_qp *qp)
{
	struct pace pace = { };
	unsigned long flags;

	spin_lock_irqsave(&qp->post_lock, flags);
	if (qp->cc) {
		pace.kbps = rate_kbps(qp->cc);
		pace.window = READ_ONCE(qp->cc->window);
	}
	spin_unlock_irqrestore(&qp->post_lock, flags);
	return pace;
}

int xroce_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct xroce_qp *qp = to_xroce_qp(ibqp);
	const struct xroce_req *req = &qp->req;
	const struct xroce_resp *resp = &qp->resp;
	const struct pace pace = pace_of(qp);
	const struct xrdma_detail details[] = {
		{ "sq_posted",		READ_ONCE(qp->posted) },
		{ "sq_completed",	READ_ONCE(qp->reaped) },
		{ "una_psn",		READ_ONCE(req->una_psn) },
		{ "next_psn",		READ_ONCE(req->next_psn) },
		{ "retries_left",	READ_ONCE(req->retry_left) },
		{ "timeouts",		READ_ONCE(req->stats.timeouts) },
		{ "seq_naks",		READ_ONCE(req->stats.seq_naks) },
		{ "rnr_naks",		READ_ONCE(req->stats.rnr_naks) },
		{ "resent_packets",	READ_ONCE(req->stats.resent) },
		{ "expected_psn",	READ_ONCE(resp->epsn) },
		{ "msn",		READ_ONCE(resp->msn) },
		{ "duplicates",		READ_ONCE(resp->stats.duplicates) },
		{ "out_of_sequence",	READ_ONCE(resp->stats.out_of_sequence) },
		{ "kept_packets",	READ_ONCE(resp->n_kept) },
		{ "srtt_us",		div_u64(READ_ONCE(req->rtt.smoothed),
						NSEC_PER_USEC) },
		{ "cc_rate_kbps",	pace.kbps },
		{ "cc_window",		pace.window },
		{ "rx_backlog",		skb_queue_len_lockless(&qp->rx) },
	};

	return xrdma_put_details(msg, details, ARRAY_SIZE(details));
}

int xroce_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct xroce_cq *cq = to_xroce_cq(ibcq);
	struct xrdma_detail details[3];
	unsigned long flags;

	/* A resize may exchange the ring, and destruction takes it away. */
	spin_lock_irqsave(&cq->lock, flags);
	details[0] = (struct xrdma_detail){ "pending",
		cq->ring.mem ? (cq->ring.index -
				xroce_ring_consumer(&cq->ring)) &
			       cq->ring.mask : 0 };
	details[1] = (struct xrdma_detail){ "armed", cq->notify };
	details[2] = (struct xrdma_detail){ "overflowed", cq->is_dead };
	spin_unlock_irqrestore(&cq->lock, flags);
	return xrdma_put_details(msg, details, ARRAY_SIZE(details));
}

int xroce_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct xrdma_mr *mr = to_xrdma_mr(ibmr);
	const struct xrdma_detail details[] = {
		{ "access",	mr->access },
		{ "pages",	mr->npages },
		{ "dma",	mr->kind == XRDMA_DMA },
		{ "fast",	mr->kind == XRDMA_FAST },
		{ "windows",	atomic_read(&mr->windows) },
	};

	return xrdma_put_details(msg, details, ARRAY_SIZE(details));
}
