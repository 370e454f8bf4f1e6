// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Details of QPs, CQs and MRs for "rdma resource show -dd" (see restrack.h). */
#include <linux/tcp.h>
#include <net/tcp.h>
#include <rdma/restrack.h>
#include "ep.h"
#include "qp.h"
#include "restrack.h"
#include "run.h"

/*
 * What TCP says of the QP's connection, or zeros. The QP keeps the endpoint while
 * we own it, and the socket is then locked by nobody for long.
 */
static int get_tcp_info(struct xiwarp_qp *qp, struct tcp_info *info)
{
	int err;

	memset(info, 0, sizeof(*info));
	err = xrdma_engine_own(&qp->engine);
	if (err)
		return err;
	if (qp->ep)
		tcp_get_info(xiwarp_ep_sk(qp->ep), info);
	xiwarp_qp_disown(qp);
	return 0;
}

int xiwarp_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct xiwarp_qp *qp = to_xiwarp_qp(ibqp);
	const struct xiwarp_rdmap *rdmap = &qp->rdmap;
	struct tcp_info tcp;
	int err = get_tcp_info(qp, &tcp);
	const struct xrdma_detail details[] = {
		{ "sq_posted",		READ_ONCE(qp->posted) },
		{ "sq_completed",	READ_ONCE(qp->reaped) },
		{ "ird",		READ_ONCE(qp->ird) },
		{ "ord",		READ_ONCE(qp->ord) },
		{ "reads_in_flight",	xiwarp_rdmap_reads_in_flight(rdmap) },
		{ "reads_to_answer",	xiwarp_rdmap_reads_to_answer(rdmap) },
		{ "tx_fpdus",		READ_ONCE(rdmap->stats.tx_fpdus) },
		{ "rx_fpdus",		READ_ONCE(rdmap->stats.rx_fpdus) },
		{ "crc",		xiwarp_rdmap_has_crc(rdmap) },
		{ "tx_backlog",		READ_ONCE(qp->tx.bytes) },
		{ "tcp_state",		tcp.tcpi_state },
		{ "tcp_mss",		tcp.tcpi_snd_mss },
		{ "tcp_rtt_us",		tcp.tcpi_rtt },
		{ "tcp_cwnd",		tcp.tcpi_snd_cwnd },
		{ "tcp_unacked",	tcp.tcpi_unacked },
		{ "tcp_retransmits",	tcp.tcpi_total_retrans },
		{ "tcp_lost",		tcp.tcpi_lost },
	};

	if (err)
		return err;
	return xrdma_put_details(msg, details, ARRAY_SIZE(details));
}

int xiwarp_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct xiwarp_cq *cq = to_xiwarp_cq(ibcq);
	const struct xrdma_detail details[] = {
		{ "pending",	xiwarp_cq_pending(cq) },
		{ "overflowed",	READ_ONCE(cq->is_dead) },
	};

	return xrdma_put_details(msg, details, ARRAY_SIZE(details));
}

int xiwarp_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct xrdma_mr *mr = to_xrdma_mr(ibmr);
	const struct xrdma_detail details[] = {
		{ "access",	mr->access },
		{ "pages",	mr->npages },
		{ "dma",	mr->kind == XRDMA_DMA },
		{ "fast",	mr->kind == XRDMA_FAST },
	};

	return xrdma_put_details(msg, details, ARRAY_SIZE(details));
}
