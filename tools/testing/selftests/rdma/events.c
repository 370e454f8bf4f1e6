// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * events DEVICE GID-INDEX CASE: what two connected RC QPs of one device tell of
 * themselves.
 *
 *	established	a packet that comes before the receiver is in RTS raises
 *			COMM_EST, once
 *	drained		SQD with notification raises SQ_DRAINED, once, when all that
 *			was posted before is complete
 *	forbidden	a WRITE that the QP does not permit raises QP_REQ_ERR
 *	inaccessible	one whose key nobody has raises QP_ACCESS_ERR
 *	unusable	a receive buffer that nobody has raises nothing, for its completion
 *			tells it
 */
#include "verbs.h"
#include <poll.h>

#define SENDS 16

static struct ibv_context *context;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static char buffer[65536];
static int access_flags, is_unusable;

/* The next event of @qp within @ms; -1 if there is none. */
static int next_event(const struct ibv_qp *qp, int ms)
{
	struct pollfd fd = { .fd = context->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	while (poll(&fd, 1, ms) == 1) {
		if (ibv_get_async_event(context, &event))
			die("get_async_event: %m");
		ibv_ack_async_event(&event);
		if (event.element.qp == qp)
			return event.event_type;
	}
	return -1;
}

static void expect_event(const struct ibv_qp *qp, int wanted)
{
	int event = next_event(qp, 5000);

	if (event != wanted)
		die("event %d, not %s", event, ibv_event_type_str(wanted));
}

static void expect_no_event(const struct ibv_qp *qp)
{
	int event = next_event(qp, 300);

	if (event != -1)
		die("an event more: %s", ibv_event_type_str(event));
}

static void modify(struct ibv_qp *qp, struct ibv_qp_attr attr, int mask)
{
	if (ibv_modify_qp(qp, &attr, mask))
		die("modify_qp: %m");
}

static void to_rtr(struct ibv_qp *qp, int gid_index, const union ibv_gid *gid,
		   uint32_t dest_qp)
{
	modify(qp, (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = access_flags,
	}, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	modify(qp, (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.rq_psn = PSN,
		.dest_qp_num = dest_qp,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = *gid, .sgid_index = gid_index, .hop_limit = 64 },
		},
	}, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
	   IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static void to_rts(struct ibv_qp *qp)
{
	modify(qp, (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = PSN,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
	}, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
	   IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static void post_recvs(struct ibv_qp *qp, int n)
{
	struct ibv_sge sge = { (uintptr_t)buffer, sizeof(buffer), mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (is_unusable)
		sge.lkey += 0x100;
	while (n--) {
		if (ibv_post_recv(qp, &wr, &bad))
			die("post_recv: %m");
	}
}

static void post_sends(struct ibv_qp *qp, int n, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)buffer, length, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	while (n--) {
		if (ibv_post_send(qp, &wr, &bad))
			die("post_send: %m");
	}
}

/* @return how many good completions of sends of @qp are there by now. */
static int completed_sends(const struct ibv_qp *qp)
{
	struct ibv_wc wc;
	int n = 0;

	while (ibv_poll_cq(cq, 1, &wc) == 1) {
		if (wc.status)
			die("%s", ibv_wc_status_str(wc.status));
		n += wc.qp_num == qp->qp_num && wc.opcode == IBV_WC_SEND;
	}
	return n;
}

/* Its own completion is its, and the event is the peer's, which goes to ERR. */
static void expect_failure(const struct ibv_qp *qp, enum ibv_wc_status wanted)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 5000; i++) {
		if (ibv_poll_cq(cq, 1, &wc) == 1 && wc.qp_num == qp->qp_num)
			break;
		usleep(1000);
	}
	if (i == 5000)
		die("no completion");
	if (wc.status != wanted)
		die("%s, not %s", ibv_wc_status_str(wc.status), ibv_wc_status_str(wanted));
}

static void expect_error_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) || attr.qp_state != IBV_QPS_ERR)
		die("the QP is in state %d", attr.qp_state);
}

static void refused(struct ibv_qp *qp, struct ibv_qp *peer, enum ibv_wc_status status,
		    int event)
{
	struct ibv_sge sge = { (uintptr_t)buffer, 64, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = (uintptr_t)buffer, .rkey = mr->rkey + 0x100 },
	}, *bad;

	to_rts(qp);
	to_rts(peer);
	if (ibv_post_send(qp, &wr, &bad))
		die("post_send: %m");
	expect_event(peer, event);
	expect_failure(qp, status);
	expect_no_event(peer);
	expect_error_state(peer);
	expect_error_state(qp);
}

static void unusable(struct ibv_qp *qp, struct ibv_qp *peer)
{
	to_rts(qp);
	to_rts(peer);
	post_sends(qp, 1, 64);
	expect_no_event(peer);
	expect_error_state(peer);
}

static void established(struct ibv_qp *early, struct ibv_qp *late)
{
	to_rts(early);
	expect_no_event(late);
	post_sends(early, 4, 64);
	expect_event(late, IBV_EVENT_COMM_EST);
	expect_no_event(late);
	to_rts(late);
	post_sends(late, 1, 64);
	expect_no_event(early);
}

static void drained(struct ibv_qp *qp, struct ibv_qp *peer)
{
	int before, after;

	to_rts(qp);
	to_rts(peer);
	post_sends(qp, SENDS, sizeof(buffer));
	modify(qp, (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_SQD,
		.en_sqd_async_notify = 1,
	}, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
	/* Held back until the queue goes on. */
	post_sends(qp, 1, 64);
	expect_event(qp, IBV_EVENT_SQ_DRAINED);
	/* Those that had begun. */
	before = completed_sends(qp);
	expect_no_event(qp);
	if (completed_sends(qp))
		die("a send of a drained queue is complete");
	modify(qp, (struct ibv_qp_attr) { .qp_state = IBV_QPS_RTS }, IBV_QP_STATE);
	usleep(300000);
	after = completed_sends(qp);
	if (!after || before + after != SENDS + 1)
		die("%d sends were complete, and then %d", before, after);
}

int main(int argc, char **argv)
{
	struct ibv_qp *one, *two;
	union ibv_gid gid;
	struct ibv_pd *pd;
	const char *name;
	int gid_index;

	if (argc != 4)
		die("usage: events DEVICE GID-INDEX CASE");
	name = argv[3];
	context = open_device(argv[1]);
	gid_index = atoi(argv[2]);
	if (ibv_query_gid(context, 1, gid_index, &gid))
		die("no such GID");
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 256, NULL, NULL, 0);
	mr = pd ? ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE) : NULL;
	if (!cq || !mr)
		die("no CQ or MR: %m");
	is_unusable = strcmp(name, "unusable") == 0;
	if (strcmp(name, "inaccessible") == 0)
		access_flags = IBV_ACCESS_REMOTE_WRITE;
	one = make_qp(pd, cq, NULL, IBV_QPT_RC, 64);
	two = make_qp(pd, cq, NULL, IBV_QPT_RC, 64);
	to_rtr(one, gid_index, &gid, two->qp_num);
	to_rtr(two, gid_index, &gid, one->qp_num);
	post_recvs(one, 8);
	post_recvs(two, SENDS + 8);
	if (strcmp(name, "established") == 0)
		established(one, two);
	else if (strcmp(name, "drained") == 0)
		drained(one, two);
	else if (strcmp(name, "forbidden") == 0)
		refused(one, two, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
	else if (strcmp(name, "inaccessible") == 0)
		refused(one, two, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
	else if (strcmp(name, "unusable") == 0)
		unusable(one, two);
	else
		die("no such case: %s", name);
	return 0;
}
