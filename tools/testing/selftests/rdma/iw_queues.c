// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * iw_queues DEVICE: objects of a device that needs a connection manager, as far as they
 * can be used without one.
 *
 * Many QPs and CQs of one context, more than 0x90000 bytes of mappings, since the siw
 * provider takes that offset for "none"; queues of no entries; SRQs; receives posted in
 * ERROR are flushed; wrong arguments bring the right errno.
 */
#include "verbs.h"
#include <errno.h>
#include <stdbool.h>

#define QPS 200

static struct ibv_context *context;
static struct ibv_pd *pd;

static struct ibv_qp *create_qp(struct ibv_cq *cq, struct ibv_srq *srq,
				unsigned int send_wr, unsigned int recv_wr)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = { send_wr, recv_wr, 1, recv_wr ? 1 : 0, 0 },
		.qp_type = IBV_QPT_RC,
	};

	return ibv_create_qp(pd, &init);
}

static void many_mappings(struct ibv_cq *cq)
{
	struct ibv_qp *qps[QPS];
	int i;

	for (i = 0; i < QPS; i++) {
		qps[i] = create_qp(cq, NULL, 16, 16);
		if (!qps[i])
			die("QP %d: %s", i, strerror(errno));
	}
	for (i = 0; i < QPS; i++)
		if (ibv_destroy_qp(qps[i]))
			die("destroy QP %d", i);
}

static void no_receives(struct ibv_cq *cq)
{
	struct ibv_qp *qp = create_qp(cq, NULL, 1, 0);

	if (!qp)
		die("QP without receive queue: %s", strerror(errno));
	ibv_destroy_qp(qp);
}

static void with_srq(struct ibv_cq *cq)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 100, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &init);
	struct ibv_qp *qp;

	if (!srq)
		die("SRQ: %s", strerror(errno));
	qp = create_qp(cq, srq, 4, 0);
	if (!qp)
		die("QP with SRQ: %s", strerror(errno));
	ibv_destroy_qp(qp);
	if (ibv_destroy_srq(srq))
		die("destroy SRQ");
}

static void to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("modify to %d: %s", state, strerror(errno));
}

static void post(struct ibv_qp *qp, uint64_t id)
{
	static char memory[64];
	struct ibv_sge sge = { (uintptr_t)memory, 0, 0 };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	if (ibv_post_recv(qp, &wr, &bad))
		die("post receive %d", (int)id);
}

static void expect_flush(struct ibv_cq *cq, uint64_t id)
{
	struct ibv_wc wc = {};
	int i, n = 0;

	for (i = 0; i < 3000 && !n; i++) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (!n)
			usleep(1000);
	}
	if (n != 1 || wc.status != IBV_WC_WR_FLUSH_ERR || wc.wr_id != id)
		die("no flush of %d: %d completions, status %d, id %d", (int)id, n,
		    wc.status, (int)wc.wr_id);
}

static void flushes(struct ibv_cq *cq)
{
	struct ibv_qp *qp = create_qp(cq, NULL, 4, 4);

	if (!qp)
		die("QP: %s", strerror(errno));
	post(qp, 1);
	to_state(qp, IBV_QPS_ERR);
	expect_flush(cq, 1);
	usleep(300000);
	post(qp, 2);	/* rings no bell */
	expect_flush(cq, 2);
	to_state(qp, IBV_QPS_RESET);
	ibv_destroy_qp(qp);
}

static void wrong_arguments(struct ibv_cq *cq)
{
	struct ibv_device_attr attr;
	struct ibv_qp_attr qp_attr = { .qp_state = IBV_QPS_RTS };
	struct ibv_qp *qp;

	if (ibv_query_device(context, &attr))
		die("query device");
	if (ibv_create_cq(context, attr.max_cqe + 1, NULL, NULL, 0) || errno != EINVAL)
		die("a CQ larger than max_cqe: %s", strerror(errno));
	if (create_qp(cq, NULL, attr.max_qp_wr + 1, 1) || errno != EINVAL)
		die("a QP larger than max_qp_wr: %s", strerror(errno));
	qp = create_qp(cq, NULL, 1, 1);
	if (!qp)
		die("QP");
	if (!ibv_modify_qp(qp, &qp_attr, IBV_QP_STATE))
		die("RTS without a connection");
	ibv_destroy_qp(qp);
}

int main(int argc, char **argv)
{
	struct ibv_cq *cq;

	if (argc != 2)
		die("usage: iw_queues DEVICE");
	context = open_device(argv[1]);
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 256, NULL, NULL, 0);
	if (!pd || !cq)
		die("PD, CQ: %s", strerror(errno));
	many_mappings(cq);
	no_receives(cq);
	with_srq(cq);
	flushes(cq);
	wrong_arguments(cq);
	puts("ok");
	return 0;
}
