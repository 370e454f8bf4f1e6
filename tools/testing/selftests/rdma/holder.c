// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * holder DEVICE GID-INDEX: has one of everything on a device and keeps it busy
 * until the device goes away beneath it; then lets go of all of it.
 *
 * Two RC QPs send to each other without pause, a thread sleeps in
 * ibv_get_cq_event(), an SRQ, a UD QP, an address handle and an MR are there.
 * Says "holding" when all is up. Succeeds if IBV_EVENT_DEVICE_FATAL came, the
 * sleeping thread woke up, and the verbs still return afterwards.
 */
#include "verbs.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define BYTES (1 << 20)
#define DEPTH 64
#define MESSAGE 5000

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq, *quiet_cq;
static struct ibv_srq *srq;
static struct ibv_qp *qp[2], *ud;
static struct ibv_ah *ah;
static char *memory;
static union ibv_gid gid;
static atomic_bool is_over, has_woken;
static atomic_ulong completions;

static void post_recv(int i)
{
	struct ibv_sge sge = { (uintptr_t)memory, MESSAGE, mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	ibv_post_recv(qp[i], &wr, &bad);
}

static void post_send(int i)
{
	struct ibv_sge sge = { (uintptr_t)memory + BYTES / 2, MESSAGE, mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = 2 + i,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_send_wr *bad;

	ibv_post_send(qp[i], &wr, &bad);
}

/* Works on mapped rings: also when the device is gone. */
static void *keep_busy(void *arg)
{
	struct ibv_wc wc[16];
	int i, n;

	while (!is_over) {
		n = ibv_poll_cq(cq, 16, wc);
		if (n < 0)
			die("poll: %d", n);
		for (i = 0; i < n; i++) {
			if (wc[i].status != IBV_WC_SUCCESS)
				continue;
			completions++;
			if (wc[i].wr_id < 2)
				post_recv(wc[i].wr_id);
			else
				post_send(wc[i].wr_id - 2);
		}
		if (!n)
			usleep(100);
	}
	return NULL;
}

static void *sleep_for_event(void *arg)
{
	struct ibv_cq *which;
	void *its_context;

	if (ibv_get_cq_event(channel, &which, &its_context) == 0)
		die("an event on a CQ that nobody uses");
	has_woken = true;
	return NULL;
}

static void make_everything(const char *name, int gid_index)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_ah_attr ah_attr = {
		.is_global = 1,
		.grh = { .sgid_index = gid_index, .hop_limit = 64 },
		.port_num = 1,
	};
	int i;

	context = open_device(name);
	pd = ibv_alloc_pd(context);
	memory = aligned_alloc(4096, BYTES);
	memset(memory, 1, BYTES);
	mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	channel = ibv_create_comp_channel(context);
	cq = ibv_create_cq(context, 4 * DEPTH, NULL, NULL, 0);
	quiet_cq = ibv_create_cq(context, 16, NULL, channel, 0);
	if (!pd || !mr || !channel || !cq || !quiet_cq)
		die("cannot make PD, MR, channel and CQs: %m");
	if (ibv_req_notify_cq(quiet_cq, 0))
		die("cannot arm a CQ");
	srq = ibv_create_srq(pd, &srq_init);
	if (!srq || ibv_query_gid(context, 1, gid_index, &gid))
		die("cannot make an SRQ: %m");
	ah_attr.grh.dgid = gid;
	ah = ibv_create_ah(pd, &ah_attr);
	if (!ah)
		die("cannot make an AH: %m");
	ud = make_qp(pd, quiet_cq, srq, IBV_QPT_UD, 16);
	connect_qp(ud, gid_index, NULL, 0);
	for (i = 0; i < 2; i++)
		qp[i] = make_qp(pd, cq, NULL, IBV_QPT_RC, DEPTH);
	for (i = 0; i < 2; i++)
		connect_qp(qp[i], gid_index, &gid, qp[!i]->qp_num);
}

/* What they return does not matter, only that they do. */
static void try_verbs(void)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_wc wc;
	int i;

	ibv_query_device(context, &device);
	ibv_query_port(context, 1, &port);
	ibv_modify_qp(qp[0], &attr, IBV_QP_STATE);
	ibv_req_notify_cq(cq, 0);
	for (i = 0; i < 2; i++) {
		post_recv(i);
		post_send(i);
	}
	for (i = 0; i < 8 * DEPTH; i++)
		ibv_poll_cq(cq, 1, &wc);
	if (ibv_alloc_pd(context))
		die("a PD on a device that is gone");
}

static void drop_everything(void)
{
	int i;

	for (i = 0; i < 2; i++)
		ibv_destroy_qp(qp[i]);
	ibv_destroy_qp(ud);
	ibv_destroy_ah(ah);
	ibv_destroy_srq(srq);
	ibv_destroy_cq(quiet_cq);
	ibv_destroy_cq(cq);
	ibv_destroy_comp_channel(channel);
	ibv_dereg_mr(mr);
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
}

static void wait_for_fatal(void)
{
	struct ibv_async_event event;
	enum ibv_event_type type;

	do {
		if (ibv_get_async_event(context, &event))
			die("no more events, and none was fatal: %m");
		type = event.event_type;
		printf("event %d: %s%s\n", type, ibv_event_type_str(type),
		       type == IBV_EVENT_DEVICE_FATAL ?
		       ", IBV_EVENT_DEVICE_FATAL" : "");
		fflush(stdout);
		ibv_ack_async_event(&event);
	} while (type != IBV_EVENT_DEVICE_FATAL);
}

int main(int argc, char **argv)
{
	pthread_t busy, sleeper;
	int i, j;

	if (argc != 3)
		die("usage: holder DEVICE GID-INDEX");
	make_everything(argv[1], atoi(argv[2]));
	for (i = 0; i < 2; i++) {
		for (j = 0; j < DEPTH; j++)
			post_recv(i);
		for (j = 0; j < 4; j++)
			post_send(i);
	}
	pthread_create(&busy, NULL, keep_busy, NULL);
	pthread_create(&sleeper, NULL, sleep_for_event, NULL);
	while (completions < 100)
		usleep(1000);
	printf("holding\n");
	fflush(stdout);

	wait_for_fatal();
	for (i = 0; i < 500 && !has_woken; i++)
		usleep(10000);
	if (!has_woken)
		die("the sleeping thread did not wake up");
	pthread_join(sleeper, NULL);
	try_verbs();
	is_over = true;
	pthread_join(busy, NULL);
	drop_everything();
	printf("over\n");
	return 0;
}
