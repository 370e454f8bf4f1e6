// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* iw_verbs CASE DEVICE ADDRESS: one case about what verbs promise over iWARP. */
#define _GNU_SOURCE
#include "pair_cm.h"
#include <poll.h>

#define MAX_SGE 6
#define MAX_INLINE 80

static void expect_event(const char *what, enum ibv_event_type wanted)
{
	struct pollfd pfd = { .fd = context->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	if (poll(&pfd, 1, PATIENCE * 1000) <= 0)
		die("%s: no event", what);
	if (ibv_get_async_event(context, &event))
		die("%s: %m", what);
	if (event.event_type != wanted)
		die("%s: %s", what, ibv_event_type_str(event.event_type));
	ibv_ack_async_event(&event);
}

static void post_recv(struct ibv_qp *qp, uint8_t *at, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)at, length, own_mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(qp, &wr, &bad))
		die("post_recv: %m");
}

static void post_srq_recv(struct ibv_srq *srq)
{
	struct ibv_sge sge = { (uintptr_t)own + PAGE, PAGE, own_mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_srq_recv(srq, &wr, &bad))
		die("post_srq_recv: %m");
}

static void post_plain_send(uint32_t length, unsigned int flags)
{
	struct ibv_sge sge = from_own(length);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };

	post_with(&wr, flags);
}

static void exchange(const char *what)
{
	must_end(what, IBV_WC_SUCCESS);
	must_end(what, IBV_WC_SUCCESS);
}

static void check_message(const char *what, const uint8_t *at, uint32_t length)
{
	if (memcmp(own, at, length))
		die("%s: something else came", what);
}

/* What is posted before there is a connection waits for it. */
static void early(void)
{
	leave_pair();
	reset_both();
	fill(own, PAGE, 1);
	post_recv(answerer, own + PAGE, PAGE);
	post_plain_send(PAGE, IBV_SEND_SIGNALED);
	connect_by_cm();
	exchange("a SEND before the connection");
	check_message("a SEND before the connection", own + PAGE, PAGE);
}

/* What is posted after its end is flushed, receives, too, which ring no bell. */
static void late(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	if (ibv_modify_qp(asker, &attr, IBV_QP_STATE))
		die("to ERR: %m");
	post_plain_send(8, IBV_SEND_SIGNALED);
	if (wait_for_completion() != IBV_WC_WR_FLUSH_ERR)
		die("a SEND was not flushed");
	post_recv(asker, own, 8);
	if (wait_for_completion() != IBV_WC_WR_FLUSH_ERR)
		die("a receive was not flushed");
}

static struct ibv_srq *with_srq(unsigned int limit, int receives)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq_attr attr = { .srq_limit = limit };
	struct ibv_srq *srq = ibv_create_srq(pd, &init);

	if (!srq)
		die("no SRQ: %m");
	while (receives--)
		post_srq_recv(srq);
	if (limit && ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT))
		die("no limit: %m");
	answerer = make_qp(pd, cq, srq, IBV_QPT_RC, 16);
	mend_pair();
	return srq;
}

static void srq_limit(void)
{
	int i;

	with_srq(2, 4);
	for (i = 0; i < 3; i++) {
		post_plain_send(100, IBV_SEND_SIGNALED);
		exchange("a SEND to an SRQ");
	}
	expect_event("fewer receives than the limit", IBV_EVENT_SRQ_LIMIT_REACHED);
}

static void last_wqe(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	with_srq(0, 2);
	if (ibv_modify_qp(answerer, &attr, IBV_QP_STATE))
		die("to ERR: %m");
	expect_event("the end of a QP with an SRQ", IBV_EVENT_QP_LAST_WQE_REACHED);
}

static int has_completion_event(struct ibv_comp_channel *from, int wait_ms)
{
	struct pollfd pfd = { .fd = from->fd, .events = POLLIN };

	return poll(&pfd, 1, wait_ms) > 0;
}

static void solicited(void)
{
	struct ibv_comp_channel *from = ibv_create_comp_channel(context);
	struct ibv_cq *watched = from ? ibv_create_cq(context, 16, NULL, from, 0) : NULL;
	struct ibv_wc wc;
	int n = 0;

	if (!watched)
		die("no CQ with a channel: %m");
	answerer = make_qp(pd, watched, NULL, IBV_QPT_RC, 16);
	mend_pair();
	post_recv(answerer, own + PAGE, PAGE);
	post_recv(answerer, own + PAGE, PAGE);
	if (ibv_req_notify_cq(watched, 1))
		die("cannot arm: %m");
	post_plain_send(100, IBV_SEND_SIGNALED);
	must_end("a SEND", IBV_WC_SUCCESS);
	if (has_completion_event(from, 300))
		die("an event that nobody solicited");
	post_plain_send(100, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	must_end("a SEND that solicits", IBV_WC_SUCCESS);
	if (!has_completion_event(from, PATIENCE * 1000))
		die("no event was solicited");
	while (ibv_poll_cq(watched, 1, &wc) > 0)
		n++;
	if (n != 2)
		die("%d messages came, not 2", n);
}

#define BURSTS		6000
#define MAX_BURST	16

static unsigned int chance(unsigned int below)
{
	static unsigned int state = 1;

	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

/* Small WRITEs, one doorbell each if the provider rings at all, the last one signaled. */
static void post_burst(unsigned int n, const struct ibv_mr *to)
{
	struct ibv_sge sge = from_own(8);
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)to->addr, to->rkey },
	};
	volatile unsigned int pause;

	while (n--) {
		for (pause = chance(300); pause; pause--)
			;
		post_with(&wr, n ? 0 : IBV_SEND_SIGNALED);
	}
}

static int has_ended(struct ibv_cq *watched)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(watched, 1, &wc);

	if (n < 0 || (n && wc.status != IBV_WC_SUCCESS))
		die("a WRITE: %s", n < 0 ? "poll_cq" : ibv_wc_status_str(wc.status));
	return n;
}

/* As programs that sleep do: armed, then looked at once more. */
static void sleep_for(struct ibv_cq *watched, struct ibv_comp_channel *from)
{
	struct ibv_cq *which;
	void *context_of;

	while (!has_ended(watched)) {
		if (ibv_req_notify_cq(watched, 0))
			die("cannot arm: %m");
		if (has_ended(watched))
			return;
		if (!has_completion_event(from, PATIENCE * 1000))
			die("no event");
		if (ibv_get_cq_event(from, &which, &context_of))
			die("cannot get the event: %m");
		ibv_ack_cq_events(which, 1);
	}
}

static void poll_for(struct ibv_cq *watched)
{
	time_t end = time(NULL) + PATIENCE;

	while (!has_ended(watched))
		if (time(NULL) > end)
			die("no completion");
}

/* The last WRITE is older than this READ. */
static void read_back(struct ibv_cq *watched, const struct ibv_mr *from, const uint64_t *wanted)
{
	struct ibv_sge sge = { (uintptr_t)own + PAGE, sizeof(*wanted), own_mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { (uintptr_t)from->addr, from->rkey },
	};

	post(&wr);
	poll_for(watched);
	if (memcmp(own + PAGE, wanted, sizeof(*wanted)))
		die("the last WRITE did not arrive");
}

/* No doorbell is missed, and no wish for an event, whoever sends what was posted. */
static void bursts(void)
{
	struct ibv_comp_channel *from = ibv_create_comp_channel(context);
	struct ibv_cq *watched = from ? ibv_create_cq(context, 64, NULL, from, 0) : NULL;
	uint8_t *memory = new_memory(PAGE);
	struct ibv_mr *to = new_plain_region(memory, PAGE, ALL);
	uint64_t i;

	if (!watched)
		die("no CQ with a channel: %m");
	asker = make_qp(pd, watched, NULL, IBV_QPT_RC, 16);
	mend_pair();
	for (i = 0; i < BURSTS; i++) {
		memcpy(own, &i, sizeof(i));
		post_burst(1 + chance(MAX_BURST), to);
		if (chance(2))
			sleep_for(watched, from);
		else
			poll_for(watched);
	}
	i--;
	read_back(watched, to, &i);
}

static void expect_state(const struct ibv_qp *qp, enum ibv_qp_state wanted, int depth)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp((struct ibv_qp *)qp, &attr, IBV_QP_STATE | IBV_QP_CAP, &init))
		die("query_qp: %m");
	if (attr.qp_state != wanted)
		die("state %d, not %d", attr.qp_state, wanted);
	if (attr.max_rd_atomic != depth || attr.max_dest_rd_atomic != depth)
		die("%d and %d READs at a time, not %d", attr.max_rd_atomic,
		    attr.max_dest_rd_atomic, depth);
	if (attr.cap.max_send_wr < 16 || attr.cap.max_recv_wr < 16 ||
	    attr.cap.max_send_sge != MAX_SGE || attr.cap.max_inline_data != MAX_INLINE)
		die("queues of %u and %u, %u SGEs, %u bytes inline", attr.cap.max_send_wr,
		    attr.cap.max_recv_wr, attr.cap.max_send_sge, attr.cap.max_inline_data);
	if (init.qp_type != IBV_QPT_RC || init.sq_sig_all)
		die("another QP than was made");
}

static void queried(void)
{
	expect_state(asker, IBV_QPS_RTS, 4);
	expect_state(answerer, IBV_QPS_RTS, 4);
	leave_pair();
	reset_both();
	expect_state(asker, IBV_QPS_RESET, 0);
}

/* A region at another address than its memory. */
static void iova(void)
{
	uint8_t *memory = new_memory(2 * PAGE);
	uint64_t at = 0x123456789000 + 100;
	struct ibv_mr *mr = new_region(memory + 100, PAGE, at, ALL);

	fill(own, PAGE, 1);
	write_own("WRITE", PAGE, at, mr->rkey, IBV_WC_SUCCESS);
	check_message("WRITE", memory + 100, PAGE);
	memset(own, 0, PAGE);
	read_own("READ", PAGE - 8, at + 8, mr->rkey, IBV_WC_SUCCESS);
	check_message("READ", memory + 108, PAGE - 8);
	read_own("READ by the memory's own address", 8, (uintptr_t)memory + 100, mr->rkey,
		 IBV_WC_REM_ACCESS_ERR);
	read_own("READ beyond", 8, at + PAGE - 7, mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

/* All SGEs that there are, with lengths that are odd or nothing. */
static void gathered(void)
{
	static const uint32_t lengths[MAX_SGE] = { 1, 0, 1001, 3, 2047, 512 };
	struct ibv_sge sges[MAX_SGE];
	struct ibv_send_wr wr = {
		.sg_list = sges, .num_sge = MAX_SGE, .opcode = IBV_WR_SEND,
	};
	uint32_t at = 0;
	int i;

	fill(own, 2 * PAGE, 1);
	for (i = 0; i < MAX_SGE; i++) {
		sges[i] = (struct ibv_sge) { (uintptr_t)own + at, lengths[i], own_mr->lkey };
		at += lengths[i];
	}
	post_recv(answerer, own + 4 * PAGE, 2 * PAGE);
	post(&wr);
	exchange("a SEND of six pieces");
	check_message("a SEND of six pieces", own + 4 * PAGE, at);
}

/* The bytes are taken when it is posted. */
static void in_line(void)
{
	uint8_t bytes[MAX_INLINE];

	fill(bytes, sizeof(bytes), 1);
	memcpy(own, bytes, sizeof(bytes));
	post_recv(answerer, own + PAGE, PAGE);
	post_plain_send(sizeof(bytes), IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	memset(own, 0, sizeof(bytes));
	exchange("inline bytes");
	if (memcmp(own + PAGE, bytes, sizeof(bytes)))
		die("other bytes than were posted");
}

/* ---- the largest message ------------------------------------------------------------- */

#define PIECE (16U << 20)
#define LARGEST 0xffffffffU

/* 4 GiB of addresses that are the same 16 MiB again and again: @memory. */
static uint8_t *repeated(int *memory)
{
	uint8_t *at = map_memory(1UL << 32, PROT_NONE);
	uint64_t offset;

	*memory = memfd_create("piece", 0);
	if (*memory < 0 || ftruncate(*memory, PIECE))
		die("memfd: %m");
	for (offset = 0; offset < 1UL << 32; offset += PIECE)
		if (mmap(at + offset, PIECE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_SHARED,
			 *memory, 0) == MAP_FAILED)
			die("mmap: %m");
	return at;
}

static void largest(void)
{
	int from_memory, to_memory;
	uint8_t *from = repeated(&from_memory), *to = repeated(&to_memory);
	struct ibv_mr *from_mr = new_plain_region(from, 1UL << 32, IBV_ACCESS_ON_DEMAND | ALL);
	struct ibv_mr *to_mr = new_plain_region(to, 1UL << 32, IBV_ACCESS_ON_DEMAND | ALL);

	patience = 600;
	fill(from, PIECE, 1);
	request("READ", IBV_WR_RDMA_READ,
		(struct ibv_sge) { (uintptr_t)to, LARGEST, to_mr->lkey },
		(uintptr_t)from, from_mr->rkey, IBV_WC_SUCCESS);
	if (memcmp(from, to, PIECE))
		die("something else was read");
}

static const struct test_case cases[] = {
	{ "early", early },
	{ "late", late },
	{ "srq_limit", srq_limit },
	{ "last_wqe", last_wqe },
	{ "solicited", solicited },
	{ "bursts", bursts },
	{ "queried", queried },
	{ "iova", iova },
	{ "gathered", gathered },
	{ "inline", in_line },
	{ "largest", largest },
};

int main(int argc, char **argv)
{
	pair_by_cm();
	return run_case(argc, argv, cases, sizeof(cases) / sizeof(*cases), NULL);
}
