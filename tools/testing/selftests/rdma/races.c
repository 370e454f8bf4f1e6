// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * races DEVICE GID-INDEX SECONDS CASE [SEED]: calls that meet in the kernel.
 *
 * states: a QP is led through all its states, right and wrong ways, while requests
 *	lie in its rings and another thread rings the doorbell. In the end it has to
 *	carry a message.
 * resize: threads resize one CQ and one SRQ at once, as libibverbs would not.
 * objects: objects come and go, for those who look at them from outside.
 * flush: receives posted while a QP goes to ERR and after: each has to come back.
 * depths: the number of READs that a QP answers at once changes while they come.
 * crowd: a thousand QPs and regions, made and ended by eight threads at once.
 */
#include "verbs.h"
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define DEPTH 64
#define BYTES 4096

static int gid_index;
static union ibv_gid gid;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static struct ibv_qp *qp;
static time_t end;
static atomic_bool is_over;

static bool time_left(void)
{
	return time(NULL) < end;
}

static int send_command(uint32_t number, void *message, size_t in, size_t out)
{
	*(struct ib_uverbs_cmd_hdr *)message = (struct ib_uverbs_cmd_hdr) {
		.command = number,
		.in_words = in / 4,
		.out_words = out / 4,
	};
	return write(context->cmd_fd, message, in) == (ssize_t)in ? 0 : -1;
}

static int post_send(void)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, 16, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

static int post_recv(uint64_t id)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, 16, mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

/* Return: completions taken. */
static int drain(enum ibv_wc_status *last)
{
	struct ibv_wc wc[16];
	int n, sum = 0;

	while ((n = ibv_poll_cq(cq, 16, wc)) > 0) {
		sum += n;
		if (last)
			*last = wc[n - 1].status;
	}
	return sum;
}

/* ---- states ---------------------------------------------------------------------- */

/* One way of many, with all that the state could ask for. */
static int go(enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {
		.qp_state = state,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE,
		.path_mtu = IBV_MTU_1024,
		.rq_psn = PSN,
		.sq_psn = PSN,
		.dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 4,
		.max_rd_atomic = 4,
		.min_rnr_timer = 1,
		.timeout = 10,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = {
			.is_global = 1,
			.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
			.port_num = 1,
		},
	};
	int mask = IBV_QP_STATE;

	if (state == IBV_QPS_INIT)
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	if (state == IBV_QPS_RTR)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (state == IBV_QPS_RTS && qp->state == IBV_QPS_RTR)
		mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &attr, mask);
}

/*
 * Also where a QP does not take requests: the provider fills its ring all the same. In
 * ERR they come back at once, and must not overrun the CQ.
 */
static void *post_on(void *arg)
{
	while (!is_over) {
		post_send();
		post_recv(0);
		drain(NULL);
	}
	return NULL;
}

static void carry_one_message(void)
{
	enum ibv_wc_status status = IBV_WC_GENERAL_ERR;
	int n = 0, tries = 0;

	if (go(IBV_QPS_RESET))
		die("to RESET: %m");
	drain(NULL);
	if (go(IBV_QPS_INIT) || go(IBV_QPS_RTR) || go(IBV_QPS_RTS) ||
	    post_recv(1) || post_send())
		die("the QP does not go to RTS any more: %m");
	while (n < 2 && tries++ < 10000) {
		n += drain(&status);
		usleep(1000);
	}
	if (n != 2 || status != IBV_WC_SUCCESS)
		die("%d of 2 completions, status %d", n, status);
}

/* To ERR without having been in RTS, with a request in the ring. */
static void error_with_requests(void)
{
	static const enum ibv_qp_state ways[][3] = {
		{ IBV_QPS_INIT, IBV_QPS_ERR },
		{ IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_ERR },
	};
	size_t i, j;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		go(IBV_QPS_RESET);
		drain(NULL);
		for (j = 0; j < 3 && ways[i][j]; j++) {
			post_send();
			if (go(ways[i][j]))
				die("way %zu, step %zu: %m", i, j);
		}
		post_send();
	}
}

static void states(void)
{
	unsigned long steps = 0, taken = 0;
	pthread_t other;

	while (time_left()) {
		int i;

		error_with_requests();
		carry_one_message();
		is_over = false;
		pthread_create(&other, NULL, post_on, NULL);
		for (i = 0; i < 200; i++, steps++) {
			/* Mostly the way forward, so that all states are seen. */
			enum ibv_qp_state next = random() % 4 ? qp->state + 1 : random() % 7;

			taken += !go(next <= IBV_QPS_ERR ? next : IBV_QPS_RESET);
			drain(NULL);
		}
		is_over = true;
		pthread_join(other, NULL);
		carry_one_message();
	}
	printf("%lu of %lu transitions\n", taken, steps);
	if (!taken)
		die("no transition worked");
}

/* ---- resize ---------------------------------------------------------------------- */

static int resize_cq(uint32_t entries)
{
	struct {
		struct ib_uverbs_cmd_hdr header;
		struct ib_uverbs_resize_cq cmd;
	} message = { .cmd = { .cq_handle = cq->handle, .cqe = entries } };
	uint64_t response[8];

	message.cmd.response = (uintptr_t)response;
	return send_command(IB_USER_VERBS_CMD_RESIZE_CQ, &message, sizeof(message), 24);
}

static int resize_srq(uint32_t entries, uint32_t limit)
{
	uint64_t info[2];
	struct {
		struct ib_uverbs_cmd_hdr header;
		struct ib_uverbs_modify_srq cmd;
		uint64_t info_address;
	} message = {
		.cmd = {
			.srq_handle = srq->handle,
			.attr_mask = IBV_SRQ_MAX_WR | (limit ? IBV_SRQ_LIMIT : 0),
			.max_wr = entries,
			.srq_limit = limit,
		},
		.info_address = (uintptr_t)info,
	};

	return send_command(IB_USER_VERBS_CMD_MODIFY_SRQ, &message, sizeof(message), 0);
}

static void *resize_on(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	unsigned long n = 0;

	while (!is_over) {
		n += !resize_cq(DEPTH + rand_r(&seed) % 256);
		n += !resize_srq(DEPTH + rand_r(&seed) % 256, rand_r(&seed) % 8);
	}
	return (void *)n;
}

static void resize(void)
{
	pthread_t threads[3];
	unsigned long sum = 0;
	uintptr_t i;

	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, resize_on, (void *)i);
	while (time_left())
		usleep(100000);
	is_over = true;
	for (i = 0; i < 3; i++) {
		void *n;

		pthread_join(threads[i], &n);
		sum += (unsigned long)n;
	}
	printf("%lu resizes\n", sum);
	if (!sum)
		die("nothing was resized");
}

/* ---- objects ------------------------------------------------------------------------ */

static void objects(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 1 } };
	unsigned long rounds;

	for (rounds = 0; time_left(); rounds++) {
		struct ibv_cq *own_cq = ibv_create_cq(context, DEPTH, NULL, NULL, 0);
		struct ibv_srq *own_srq = ibv_create_srq(pd, &init);
		struct ibv_mr *own_mr = ibv_reg_mr(pd, mr->addr, BYTES, 0);
		struct ibv_qp *own_qp;

		if (!own_cq || !own_srq || !own_mr)
			die("round %lu: %m", rounds);
		own_qp = make_qp(pd, own_cq, own_srq, IBV_QPT_RC, DEPTH);
		if (ibv_destroy_qp(own_qp) || ibv_dereg_mr(own_mr) ||
		    ibv_destroy_srq(own_srq) || ibv_destroy_cq(own_cq))
			die("round %lu: %m", rounds);
	}
	printf("%lu rounds\n", rounds);
}

/* ---- flush --------------------------------------------------------------------------- */

static void *to_error(void *arg)
{
	usleep((uintptr_t)arg);
	if (go(IBV_QPS_ERR))
		die("to ERR: %m");
	return NULL;
}

/* @late: of them are posted when the QP surely is in ERR. */
static void flush_round(int n, int late)
{
	enum ibv_wc_status status = IBV_WC_SUCCESS;
	int i, came = 0, tries = 0;
	pthread_t other;

	if (go(IBV_QPS_RESET))
		die("to RESET: %m");
	drain(NULL);
	if (go(IBV_QPS_INIT) || go(IBV_QPS_RTR) || go(IBV_QPS_RTS))
		die("to RTS: %m");
	pthread_create(&other, NULL, to_error, (void *)(uintptr_t)(random() % 200));
	for (i = 0; i < n - late; i++) {
		if (post_recv(i))
			die("receive %d: %m", i);
	}
	pthread_join(other, NULL);
	for (; i < n; i++) {
		if (post_recv(i))
			die("receive %d in ERR: %m", i);
	}
	while (came < n && tries++ < 20000) {
		came += drain(&status);
		usleep(500);
	}
	if (came != n || status != IBV_WC_WR_FLUSH_ERR)
		die("%d of %d came back, the last with status %d", came, n, status);
}

static void flush(void)
{
	unsigned long rounds;

	for (rounds = 0; time_left(); rounds++)
		flush_round(DEPTH - 1, random() % 4 * 8);
	printf("%lu rounds\n", rounds);
}

/* ---- depths -------------------------------------------------------------------------- */

#define READS 4			/* at once: what connect_qp() allows */

static struct ibv_qp *reader, *read_from;

static void *change_depth(void *arg)
{
	struct ibv_qp_attr attr = { 0 };
	unsigned long changes = 0;

	while (!is_over) {
		attr.qp_state = IBV_QPS_SQD;
		attr.max_dest_rd_atomic = READS + random() % 100;
		if (ibv_modify_qp(read_from, &attr, IBV_QP_STATE) ||
		    ibv_modify_qp(read_from, &attr, IBV_QP_MAX_DEST_RD_ATOMIC))
			die("SQD: %m");
		attr.qp_state = IBV_QPS_RTS;
		if (ibv_modify_qp(read_from, &attr, IBV_QP_STATE))
			die("RTS: %m");
		changes++;
	}
	return (void *)changes;
}

/* READs of all there is, and one atomic after each. */
static void read_and_count(struct ibv_mr *source, bool is_atomic)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, is_atomic ? 8 : BYTES, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = is_atomic ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	if (is_atomic) {
		wr.wr.atomic.remote_addr = (uintptr_t)source->addr;
		wr.wr.atomic.rkey = source->rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)source->addr;
		wr.wr.rdma.rkey = source->rkey;
	}
	if (ibv_post_send(reader, &wr, &bad))
		die("post: %m");
}

static void depths(void)
{
	enum ibv_wc_status status = IBV_WC_SUCCESS;
	struct ibv_mr *source = ibv_reg_mr(pd, aligned_alloc(4096, BYTES), BYTES,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC);
	unsigned long posted = 0, done = 0;
	void *changes;
	pthread_t other;

	if (!source)
		die("no region: %m");
	memset(source->addr, 0, BYTES);
	reader = make_qp(pd, cq, NULL, IBV_QPT_RC, DEPTH);
	read_from = make_qp(pd, cq, NULL, IBV_QPT_RC, DEPTH);
	connect_qp(reader, gid_index, &gid, read_from->qp_num);
	connect_qp(read_from, gid_index, &gid, reader->qp_num);
	pthread_create(&other, NULL, change_depth, NULL);
	while (time_left() || done < posted) {
		for (; time_left() && posted < done + DEPTH / 2; posted++)
			read_and_count(source, posted % 2);
		done += drain(&status);
		if (status != IBV_WC_SUCCESS)
			die("request %lu: %s", done, ibv_wc_status_str(status));
	}
	is_over = true;
	pthread_join(other, &changes);
	if (*(uint64_t *)source->addr != posted / 2)
		die("%lu atomics made %lu", posted / 2, *(uint64_t *)source->addr);
	printf("%lu requests, %lu changes\n", done, (unsigned long)changes);
	if (!done || !changes)
		die("nothing happened");
}

/* ---- crowd --------------------------------------------------------------------------- */

#define THREADS 8
#define EACH 125

static pthread_barrier_t all_made;

static void *be_a_crowd(void *arg)
{
	struct ibv_qp *qps[EACH];
	struct ibv_mr *mrs[EACH];
	int i;

	for (i = 0; i < EACH; i++) {
		qps[i] = make_qp(pd, cq, NULL, IBV_QPT_RC, 4);
		connect_qp(qps[i], gid_index, &gid, qps[i]->qp_num);
		mrs[i] = ibv_reg_mr(pd, mr->addr, BYTES, IBV_ACCESS_LOCAL_WRITE);
		if (!mrs[i])
			die("region %d: %m", i);
	}
	pthread_barrier_wait(&all_made);
	for (i = 0; i < EACH; i++) {
		if (ibv_destroy_qp(qps[i]) || ibv_dereg_mr(mrs[i]))
			die("%d of the crowd stays: %m", i);
	}
	return NULL;
}

static void crowd(void)
{
	pthread_t threads[THREADS];
	int i;

	pthread_barrier_init(&all_made, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, be_a_crowd, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d QPs and regions\n", THREADS * EACH);
}

/* ------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "states", states }, { "resize", resize },
		{ "objects", objects }, { "flush", flush },
		{ "depths", depths }, { "crowd", crowd },
	};
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = DEPTH, .max_sge = 1 } };
	size_t i;

	if (argc < 5)
		die("usage: races DEVICE GID-INDEX SECONDS CASE [SEED]");
	gid_index = atoi(argv[2]);
	end = time(NULL) + atoi(argv[3]);
	srandom(argc > 5 ? atoi(argv[5]) : 1);

	context = open_device(argv[1]);
	pd = ibv_alloc_pd(context);
	if (!pd || ibv_query_gid(context, 1, gid_index, &gid))
		die("no PD or GID: %m");
	mr = ibv_reg_mr(pd, aligned_alloc(4096, BYTES), BYTES, IBV_ACCESS_LOCAL_WRITE);
	cq = ibv_create_cq(context, 8 * DEPTH, NULL, NULL, 0);
	srq = ibv_create_srq(pd, &srq_init);
	if (!mr || !cq || !srq)
		die("no MR, CQ or SRQ: %m");
	qp = make_qp(pd, cq, NULL, IBV_QPT_RC, DEPTH - 1);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(argv[4], cases[i].name) == 0) {
			cases[i].run();
			return 0;
		}
	}
	die("no such case: %s", argv[4]);
}
