// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * states CASE DEVICE GID-INDEX: one case about the states of QPs, CQs and SRQs, and
 * the events that tell of them (see pair.h).
 */
#define _GNU_SOURCE
#include "pair.h"
#include <poll.h>
#include <stdbool.h>

#define SOON 300		/* ms in which what must not happen would */

/* ---- events ------------------------------------------------------------------------------ */

static bool has_event(int patience_ms)
{
	struct pollfd fd = { .fd = context->async_fd, .events = POLLIN };

	return poll(&fd, 1, patience_ms) > 0;
}

static struct ibv_async_event next_event(const char *what)
{
	struct ibv_async_event event;

	if (!has_event(PATIENCE * 1000) || ibv_get_async_event(context, &event))
		die("%s: no event", what);
	ibv_ack_async_event(&event);
	return event;
}

static void must_raise(enum ibv_event_type wanted)
{
	struct ibv_async_event event = next_event(ibv_event_type_str(wanted));

	if (event.event_type != wanted)
		die("%s, not %s", ibv_event_type_str(event.event_type),
		    ibv_event_type_str(wanted));
}

static void must_be_silent(void)
{
	if (has_event(SOON))
		die("unexpected event: %s",
		    ibv_event_type_str(next_event("").event_type));
}

/* COMM_EST tells when the first packet came, which these cases are not about. */
static void drop_events(void)
{
	while (has_event(SOON))
		next_event("");
}

/* ---- requests ------------------------------------------------------------------------------ */

static int error_of_modify(struct ibv_qp *qp, struct ibv_qp_attr attr, int mask)
{
	return ibv_modify_qp(qp, &attr, mask);
}

static void modify(struct ibv_qp *qp, struct ibv_qp_attr attr, int mask)
{
	int err = error_of_modify(qp, attr, mask);

	if (err)
		die("modify, mask %#x: %s", mask, strerror(err));
}

static void to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	modify(qp, (struct ibv_qp_attr) { .qp_state = state }, IBV_QP_STATE);
}

static struct ibv_qp_attr query(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_MAX_DEST_RD_ATOMIC, &init))
		die("query_qp: %m");
	return attr;
}

static void must_be_in(const char *what, struct ibv_qp *qp, enum ibv_qp_state state)
{
	time_t end = time(NULL) + PATIENCE;

	while (query(qp).qp_state != state) {
		if (time(NULL) > end)
			die("%s: state %d, not %d", what, query(qp).qp_state, state);
	}
}

static int try_send(struct ibv_qp *qp, enum ibv_wr_opcode opcode, struct ibv_sge sge,
		    unsigned int flags, uint32_t rkey)
{
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = flags,
		.wr.rdma = { (uintptr_t)own, rkey },
	}, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

static void send_to(struct ibv_qp *qp, enum ibv_wr_opcode opcode, struct ibv_sge sge)
{
	int err = try_send(qp, opcode, sge, IBV_SEND_SIGNALED, own_mr->rkey);

	if (err)
		die("post_send: %s", strerror(err));
}

static void post_receive(struct ibv_qp *qp)
{
	struct ibv_sge sge = from_own(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = ibv_post_recv(qp, &wr, &bad);

	if (err)
		die("post_recv: %s", strerror(err));
}

static void must_complete(const char *what, enum ibv_wc_status wanted)
{
	enum ibv_wc_status status = wait_for_completion();

	if (status != wanted)
		die("%s: %s, not %s", what, ibv_wc_status_str(status),
		    ibv_wc_status_str(wanted));
}

static void must_not_complete(const char *what)
{
	struct ibv_wc wc;

	usleep(SOON * 1000);
	if (ibv_poll_cq(cq, 1, &wc))
		die("%s: completes with %s", what, ibv_wc_status_str(wc.status));
}

/* ---- SQD -------------------------------------------------------------------------------------- */

static void drain(void)
{
	drop_events();
	send_to(asker, IBV_WR_RDMA_WRITE, from_own(OWN_BYTES));
	modify(asker, (struct ibv_qp_attr) { .qp_state = IBV_QPS_SQD,
					     .en_sqd_async_notify = 1 },
	       IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
	must_raise(IBV_EVENT_SQ_DRAINED);
	must_complete("started before", IBV_WC_SUCCESS);
	send_to(asker, IBV_WR_RDMA_WRITE, from_own(8));
	must_not_complete("posted while drained");
	to_state(asker, IBV_QPS_RTS);
	must_complete("sent again", IBV_WC_SUCCESS);

	to_state(asker, IBV_QPS_SQD);
	must_be_silent();
	to_state(asker, IBV_QPS_RTS);
}

#define MANY_READS 16

/* connect_qp() agrees on 4. */
static void grow(void)
{
	int i;

	to_state(answerer, IBV_QPS_SQD);
	modify(answerer, (struct ibv_qp_attr) { .max_dest_rd_atomic = MANY_READS },
	       IBV_QP_MAX_DEST_RD_ATOMIC);
	if (query(answerer).max_dest_rd_atomic != MANY_READS)
		die("max_dest_rd_atomic is %u", query(answerer).max_dest_rd_atomic);
	to_state(answerer, IBV_QPS_RTS);
	to_state(asker, IBV_QPS_SQD);
	modify(asker, (struct ibv_qp_attr) { .max_rd_atomic = MANY_READS },
	       IBV_QP_MAX_QP_RD_ATOMIC);
	to_state(asker, IBV_QPS_RTS);
	for (i = 0; i < MANY_READS - 1; i++)
		send_to(asker, IBV_WR_RDMA_READ, from_own(4 * PAGE));
	for (i = 0; i < MANY_READS - 1; i++)
		must_complete("one of many READs", IBV_WC_SUCCESS);

	to_state(answerer, IBV_QPS_SQD);
	modify(answerer, (struct ibv_qp_attr) { .max_dest_rd_atomic = 0 },
	       IBV_QP_MAX_DEST_RD_ATOMIC);
	to_state(answerer, IBV_QPS_RTS);
	send_to(asker, IBV_WR_RDMA_READ, from_own(8));
	must_complete("a READ that was not agreed", IBV_WC_REM_INV_REQ_ERR);
}

static void limits(void)
{
	struct ibv_device_attr device;
	int err;

	if (ibv_query_device(context, &device))
		die("query_device: %m");
	to_state(asker, IBV_QPS_SQD);
	modify(asker, (struct ibv_qp_attr) {
		.max_rd_atomic = device.max_qp_init_rd_atom,
		.max_dest_rd_atomic = device.max_qp_rd_atom,
	}, IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC);
	err = error_of_modify(asker, (struct ibv_qp_attr) {
		.max_rd_atomic = device.max_qp_init_rd_atom + 1,
	}, IBV_QP_MAX_QP_RD_ATOMIC);
	if (err != EINVAL)
		die("too high a max_rd_atomic: error %d", err);
	err = error_of_modify(asker, (struct ibv_qp_attr) {
		.max_dest_rd_atomic = device.max_qp_rd_atom + 1,
	}, IBV_QP_MAX_DEST_RD_ATOMIC);
	if (err != EINVAL)
		die("too high a max_dest_rd_atomic: error %d", err);
	modify(asker, (struct ibv_qp_attr) { .max_rd_atomic = 0 },
	       IBV_QP_MAX_QP_RD_ATOMIC);
	to_state(asker, IBV_QPS_RTS);
	send_to(asker, IBV_WR_RDMA_READ, from_own(8));
	must_complete("READ without credit", IBV_WC_LOC_QP_OP_ERR);
}

/* ---- credits --------------------------------------------------------------------------------- */

#define LATE 10

/*
 * The answer to the first message says that no receive request is left, so one of those
 * that follow goes out, not all: what the answerer could not take in order is counted.
 */
static void credits(void)
{
	int i;

	post_receive(answerer);
	send_to(asker, IBV_WR_SEND, from_own(8));
	must_complete("the first message", IBV_WC_SUCCESS);
	must_complete("the first message", IBV_WC_SUCCESS);

	to_state(asker, IBV_QPS_SQD);
	for (i = 0; i < LATE; i++)
		send_to(asker, IBV_WR_SEND, from_own(8));
	to_state(asker, IBV_QPS_RTS);
	must_not_complete("a message without a receive request");
	for (i = 0; i < LATE; i++)
		post_receive(answerer);
	for (i = 0; i < 2 * LATE; i++)
		must_complete("a message", IBV_WC_SUCCESS);
}

/* A request that waits for a receive request holds no memory. */
static void dereg_in_rnr(void)
{
	uint8_t *memory = new_memory(PAGE);
	struct ibv_mr *mr = new_plain_region(memory, PAGE, ALL);

	send_to(asker, IBV_WR_RDMA_WRITE_WITH_IMM,
		(struct ibv_sge) { (uintptr_t)memory, 64, mr->lkey });
	must_not_complete("without a receive request");
	drop_region(mr);
	post_receive(answerer);
	must_complete("its region is gone", IBV_WC_LOC_PROT_ERR);
}

/* ---- SQE, ERR, RESET ---------------------------------------------------------------------------- */

static void sqe(void)
{
	struct ibv_qp *uc = make_qp(pd, cq, NULL, IBV_QPT_UC, 16);
	struct ibv_qp *sink = make_qp(pd, cq, NULL, IBV_QPT_UC, 16);
	struct ibv_sge bad = from_own(8);

	bad.lkey ^= 1;
	connect_qp(uc, gid_index, &gid, sink->qp_num);
	connect_qp(sink, gid_index, &gid, uc->qp_num);
	send_to(uc, IBV_WR_RDMA_WRITE, bad);
	must_complete("a bad L_Key", IBV_WC_LOC_PROT_ERR);
	must_be_in("after it", uc, IBV_QPS_SQE);
	send_to(uc, IBV_WR_RDMA_WRITE, from_own(8));
	must_complete("posted in SQE", IBV_WC_WR_FLUSH_ERR);
	to_state(uc, IBV_QPS_RTS);
	send_to(uc, IBV_WR_RDMA_WRITE, from_own(8));
	must_complete("posted in RTS again", IBV_WC_SUCCESS);
}

static void error(void)
{
	int i;

	for (i = 0; i < 4; i++)
		post_receive(asker);
	to_state(asker, IBV_QPS_ERR);
	for (i = 0; i < 4; i++)
		must_complete("posted before", IBV_WC_WR_FLUSH_ERR);
	for (i = 0; i < 16; i++)
		send_to(asker, IBV_WR_RDMA_WRITE, from_own(8));
	for (i = 0; i < 16; i++)
		must_complete("a request posted in ERR", IBV_WC_WR_FLUSH_ERR);
	for (i = 0; i < 16; i++)
		post_receive(asker);
	for (i = 0; i < 16; i++)
		must_complete("a receive request posted in ERR", IBV_WC_WR_FLUSH_ERR);
}

static void reset(void)
{
	post_receive(asker);
	to_state(answerer, IBV_QPS_RESET);
	send_to(asker, IBV_WR_RDMA_WRITE, from_own(8));
	to_state(asker, IBV_QPS_RESET);
	must_not_complete("forgotten by RESET");
	if (!try_send(asker, IBV_WR_RDMA_WRITE, from_own(8), 0, 0))
		die("RESET takes requests");
	connect_both();
	send_to(asker, IBV_WR_RDMA_WRITE, from_own(8));
	must_complete("connected again", IBV_WC_SUCCESS);
}

/* ---- inline data ------------------------------------------------------------------------------------ */

#define MOST_INLINE 512

static struct ibv_qp *new_inline_qp(uint32_t bytes)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1, .max_inline_data = bytes },
		.qp_type = IBV_QPT_RC,
	};

	return ibv_create_qp(pd, &init);
}

static void inline_data(void)
{
	uint8_t *target = new_memory(PAGE);
	struct ibv_mr *mr = new_plain_region(target, PAGE, ALL);
	struct ibv_sge sge = { (uintptr_t)own, MOST_INLINE, 12345 };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.wr.rdma = { (uintptr_t)target, mr->rkey },
	}, *bad;
	uint8_t wanted[MOST_INLINE];

	if (new_inline_qp(MOST_INLINE + 1) || errno != EINVAL)
		die("too much inline data: %m");
	ibv_destroy_qp(asker);
	asker = new_inline_qp(MOST_INLINE);
	if (!asker)
		die("no QP with %d bytes inline: %m", MOST_INLINE);
	connect_again();
	fill(own, OWN_BYTES, 9);
	memcpy(wanted, own, sizeof(wanted));
	if (ibv_post_send(asker, &wr, &bad))
		die("post_send: %m");
	fill(own, OWN_BYTES, 10);	/* it is mine again */
	must_complete("inline data", IBV_WC_SUCCESS);
	if (memcmp(target, wanted, sizeof(wanted)))
		die("other bytes came");
}

/* ---- CQ and SRQ ----------------------------------------------------------------------------------------- */

/* One QP fills a small CQ, and its neighbour hears of it, too. */
static void overflow(void)
{
	struct ibv_cq *small = ibv_create_cq(context, 3, NULL, NULL, 0);
	struct ibv_qp *busy, *idle;
	int i, fatal = 0, cq_errors = 0;

	if (!small)
		die("no CQ: %m");
	busy = make_qp(pd, small, NULL, IBV_QPT_RC, 16);
	idle = make_qp(pd, small, NULL, IBV_QPT_RC, 16);
	connect_qp(busy, gid_index, &gid, answerer->qp_num);
	connect_qp(idle, gid_index, &gid, answerer->qp_num);
	to_state(answerer, IBV_QPS_RESET);
	connect_qp(answerer, gid_index, &gid, busy->qp_num);
	drop_events();
	for (i = 0; i < small->cqe + 1; i++)
		send_to(busy, IBV_WR_RDMA_WRITE, from_own(8));
	for (i = 0; i < 3; i++) {
		struct ibv_async_event event = next_event("CQ_ERR, QP_FATAL twice");

		cq_errors += event.event_type == IBV_EVENT_CQ_ERR &&
			     event.element.cq == small;
		fatal += event.event_type == IBV_EVENT_QP_FATAL &&
			 (event.element.qp == busy || event.element.qp == idle);
	}
	if (cq_errors != 1 || fatal != 2)
		die("CQ_ERR %d times, QP_FATAL %d times", cq_errors, fatal);
	must_be_silent();
	must_be_in("the QP that filled it", busy, IBV_QPS_ERR);
	must_be_in("the idle QP", idle, IBV_QPS_ERR);
}

#define ROUNDS 200
#define BATCH 24

static void post_write(uint64_t wr_id)
{
	struct ibv_sge sge = from_own(8);
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)own, own_mr->rkey },
	}, *bad;
	int err = ibv_post_send(asker, &wr, &bad);

	if (err)
		die("post_send: %s", strerror(err));
}

/* @wr_id must be what the next completion has. */
static void must_follow(uint64_t wr_id)
{
	time_t end = time(NULL) + PATIENCE;
	struct ibv_wc wc;

	while (!ibv_poll_cq(cq, 1, &wc)) {
		if (time(NULL) > end)
			die("completion %llu is lost", (unsigned long long)wr_id);
	}
	if (wc.status || wc.wr_id != wr_id)
		die("completion %llu: %s, %llu", (unsigned long long)wr_id,
		    ibv_wc_status_str(wc.status), (unsigned long long)wc.wr_id);
}

/* Completions come while the ring is exchanged; all do, and in order. */
static void resize_cq(void)
{
	uint64_t posted = 0, done = 0;
	int i, j, err;

	ibv_destroy_qp(asker);
	asker = make_qp(pd, cq, NULL, IBV_QPT_RC, 2 * BATCH);
	connect_again();
	for (i = 0; i < ROUNDS; i++) {
		for (j = 0; j < BATCH; j++)
			post_write(posted++);
		err = ibv_resize_cq(cq, 64 << i % 4);
		if (err)
			die("resize_cq: %s", strerror(err));
		while (posted - done > (i % 2 ? 0 : BATCH))
			must_follow(done++);
	}
	while (done < posted)
		must_follow(done++);
	post_write(0);
	post_write(1);
	usleep(SOON * 1000);
	err = ibv_resize_cq(cq, 1);
	if (err != EINVAL)
		die("fewer than there are completions: error %d", err);
	must_follow(0);
	must_follow(1);
}

static struct ibv_srq *new_srq(uint32_t limit)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &init);
	struct ibv_srq_attr attr = { .srq_limit = limit };
	struct ibv_sge sge = from_own(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int i;

	if (!srq)
		die("no SRQ: %m");
	for (i = 0; i < 8; i++) {
		if (ibv_post_srq_recv(srq, &wr, &bad))
			die("post_srq_recv: %m");
	}
	if (limit && ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT))
		die("modify_srq: %m");
	return srq;
}

static void use_srq(struct ibv_srq *srq)
{
	ibv_destroy_qp(answerer);
	answerer = make_qp(pd, cq, srq, IBV_QPT_RC, 16);
	connect_again();
	drop_events();
}

static void last_wqe(void)
{
	int i;

	use_srq(new_srq(0));
	for (i = 0; i < 2; i++) {
		to_state(answerer, IBV_QPS_ERR);
		must_raise(IBV_EVENT_QP_LAST_WQE_REACHED);
		to_state(answerer, IBV_QPS_ERR);
		must_be_silent();
		connect_again();
		drop_events();
	}
}

static void srq_limit(void)
{
	int i;

	use_srq(new_srq(6));
	for (i = 0; i < 5; i++) {
		if (i == 2)
			must_be_silent();	/* 6 remain, not fewer */
		send_to(asker, IBV_WR_SEND, from_own(8));
		must_complete("SEND", IBV_WC_SUCCESS);
		must_complete("SEND", IBV_WC_SUCCESS);
	}
	must_raise(IBV_EVENT_SRQ_LIMIT_REACHED);
	must_be_silent();
}

/* Requests are taken while the ring is exchanged; all are, and in order. */
static void resize_srq(void)
{
	struct ibv_srq *srq = new_srq(0);
	struct ibv_sge sge = from_own(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_srq_attr attr = { 0 };
	uint64_t next = 100, wanted = 100;
	struct ibv_wc wc;
	int i, n = 0;

	use_srq(srq);
	for (i = 0; i < ROUNDS; i++) {
		wr.wr_id = next++;
		if (ibv_post_srq_recv(srq, &wr, &bad))
			die("post_srq_recv: %m");
		send_to(asker, IBV_WR_SEND, from_own(8));
		attr.max_wr = 16 << i % 4;
		if (ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR))
			die("modify_srq to %u: %m", attr.max_wr);
		for (n = 0; n < 2;) {
			if (!ibv_poll_cq(cq, 1, &wc))
				continue;
			if (wc.status)
				die("round %d: %s", i, ibv_wc_status_str(wc.status));
			/* 8 requests of new_srq() go first, with number 0 */
			if (wc.opcode == IBV_WC_RECV && i >= 8 && wc.wr_id != wanted++)
				die("round %d: request %llu", i,
				    (unsigned long long)wc.wr_id);
			n++;
		}
	}
}

/* ---- SRQ: a ring that no library would leave ------------------------------------------- */

#define ODD_DEPTH 1000		/* of no other ring here */

struct ring {
	uint32_t log2_elem_size, index_mask, pad0[30];
	uint32_t producer_index, pad1[31];
	uint32_t consumer_index;
};

static struct ring *ring_of(uint32_t depth)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct ring *found = NULL;
	unsigned long from;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "uverbs") || sscanf(line, "%lx-", &from) != 1)
			continue;
		if (((struct ring *)from)->index_mask > depth)
			found = (struct ring *)from;
	}
	if (!found)
		die("no ring for %u requests in the memory map", depth);
	fclose(maps);
	return found;
}

/* The answerer and another QP use it; both need a request of it. */
static void srq_error(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = ODD_DEPTH, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &init);
	int i, kind, seen[3] = { 0 };
	struct ibv_async_event event;
	struct ibv_qp *other;
	struct ring *ring;

	if (!srq)
		die("no SRQ: %m");
	use_srq(srq);
	other = make_qp(pd, cq, srq, IBV_QPT_RC, 16);
	ring = ring_of(ODD_DEPTH);
	ring->producer_index = 0x80000000;
	for (i = 0; i < 2; i++) {
		send_to(asker, IBV_WR_SEND, from_own(8));
		must_complete("into a damaged ring", IBV_WC_REM_OP_ERR);
		must_be_in("without its SRQ", answerer, IBV_QPS_ERR);
		ring->producer_index = 1;	/* too late */
		if (i)
			break;
		ibv_destroy_qp(answerer);
		answerer = other;
		connect_again();
	}
	while (has_event(SOON)) {
		event = next_event("");
		kind = event.event_type == IBV_EVENT_SRQ_ERR ? 0 :
		       event.event_type == IBV_EVENT_QP_FATAL ? 1 : 2;
		seen[kind]++;
		if (!kind && event.element.srq != srq)
			die("SRQ_ERR of another SRQ");
	}
	if (seen[0] != 1 || seen[1] < 1)
		die("SRQ_ERR %d times, QP_FATAL %d times", seen[0], seen[1]);
}

static const struct test_case cases[] = {
	{ "drain", drain },
	{ "grow", grow },
	{ "limits", limits },
	{ "credits", credits },
	{ "dereg-in-rnr", dereg_in_rnr },
	{ "sqe", sqe },
	{ "error", error },
	{ "reset", reset },
	{ "inline-data", inline_data },
	{ "overflow", overflow },
	{ "resize-cq", resize_cq },
	{ "last-wqe", last_wqe },
	{ "srq-limit", srq_limit },
	{ "resize-srq", resize_srq },
	{ "srq-error", srq_error },
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof(cases) / sizeof(*cases), NULL);
}
