// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * iw_many listen ADDRESS BACKLOG [PORT]
 * iw_many connect ADDRESS N AT-ONCE [PORT]
 * iw_many idle ADDRESS N
 *
 * Many connections. "listen" accepts whatever comes, and complains if requests come in
 * another order than that in which they were made. "connect" makes N, never more
 * than AT-ONCE of them at a time, says how many seconds they took and how many
 * failed, holds them until standard input ends, and says how long it took to end them.
 * "idle" holds N listeners, on as many ports.
 */
#include "verbs.h"
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include <time.h>

#define PORT 7192
#define IDLE_PORT 8192

static struct rdma_event_channel *channel;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct sockaddr_in address = { .sin_family = AF_INET };

static void give_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 1, .max_recv_wr = 1,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};

	if (!pd) {
		pd = ibv_alloc_pd(id->verbs);
		cq = ibv_create_cq(id->verbs, 16, NULL, NULL, 0);
	}
	init.send_cq = init.recv_cq = cq;
	if (!pd || !cq || rdma_create_qp(id, pd, &init))
		die("no QP: %m");
}

static void drop(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	rdma_destroy_id(id);
}

/* Each client numbers its requests from 0. */
static void check_order(const struct rdma_conn_param *param)
{
	static uint32_t wanted;
	uint32_t number;

	if (param->private_data_len < sizeof(number))
		die("a request without a number");
	memcpy(&number, param->private_data, sizeof(number));
	if (number && number != wanted)
		fprintf(stderr, "out of order: request %u in place of %u\n", number, wanted);
	wanted = number + 1;
}

static enum rdma_cm_event_type next_event(struct rdma_cm_id **id)
{
	struct rdma_cm_event *event;
	enum rdma_cm_event_type type;

	if (rdma_get_cm_event(channel, &event))
		die("no event: %m");
	type = event->event;
	*id = event->id;
	if (type == RDMA_CM_EVENT_CONNECT_REQUEST)
		check_order(&event->param.conn);
	rdma_ack_cm_event(event);
	return type;
}

/* ---- server ---------------------------------------------------------------------- */

static struct rdma_cm_id *listen_at(int port, int backlog)
{
	struct rdma_cm_id *id;

	address.sin_port = htons(port);
	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(id, (struct sockaddr *)&address) || rdma_listen(id, backlog))
		die("cannot listen: %m");
	return id;
}

static void __attribute__((noreturn)) serve(int port, int backlog)
{
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1,
	};
	struct rdma_cm_id *id;

	listen_at(port, backlog);
	for (;;) {
		switch (next_event(&id)) {
		case RDMA_CM_EVENT_CONNECT_REQUEST:
			give_qp(id);
			if (rdma_accept(id, &param))
				drop(id);
			break;
		case RDMA_CM_EVENT_DISCONNECTED:
		case RDMA_CM_EVENT_CONNECT_ERROR:
			drop(id);
			break;
		default:
			break;
		}
	}
}

/* ---- client ---------------------------------------------------------------------- */

static void begin(struct rdma_cm_id **id)
{
	if (rdma_create_id(channel, id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(*id, NULL, (struct sockaddr *)&address, 5000))
		die("cannot resolve: %m");
}

/* Return: 1 if the connection is there, -1 if it won't be, 0 if it goes on. */
static int go_on(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	static uint32_t number;
	struct rdma_conn_param param = {
		.private_data = &number, .private_data_len = sizeof(number),
		.responder_resources = 1, .initiator_depth = 1,
	};

	switch (type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(id, 5000))
			die("no route: %m");
		return 0;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		give_qp(id);
		if (rdma_connect(id, &param))
			die("cannot connect: %m");
		number++;
		return 0;
	case RDMA_CM_EVENT_ESTABLISHED:
		return 1;
	default:
		fprintf(stderr, "%s\n", rdma_event_str(type));
		return -1;
	}
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec + at.tv_nsec / 1e9;
}

static void make_many(struct rdma_cm_id **ids, int n, int at_once)
{
	int begun = 0, done = 0, failed = 0, result;
	double start = now();
	enum rdma_cm_event_type type;
	struct rdma_cm_id *id;

	while (done < n) {
		while (begun < n && begun - done < at_once)
			begin(&ids[begun++]);
		type = next_event(&id);
		/* Those that are there may end while others are being made. */
		if (type == RDMA_CM_EVENT_DISCONNECTED) {
			failed++;
			continue;
		}
		result = go_on(id, type);
		done += result != 0;
		failed += result < 0;
	}
	printf("%d connections in %.3f s, %d failed\n", n, now() - start, failed);
	fflush(stdout);
}

static void listen_idly(struct rdma_cm_id **ids, int n)
{
	int i;

	for (i = 0; i < n; i++)
		ids[i] = listen_at(IDLE_PORT + i, 1);
	printf("%d listeners\n", n);
	fflush(stdout);
}

static void drop_many(struct rdma_cm_id **ids, int n)
{
	double start = now();
	int i;

	for (i = 0; i < n; i++)
		drop(ids[i]);
	printf("%d ended in %.3f s\n", n, now() - start);
}

int main(int argc, char **argv)
{
	struct rdma_cm_id **ids;
	int n;

	if (argc < 4 || inet_pton(AF_INET, argv[2], &address.sin_addr) != 1)
		die("usage: iw_many listen ADDRESS BACKLOG [PORT] | "
		    "connect ADDRESS N AT-ONCE [PORT] | idle ADDRESS N");
	channel = rdma_create_event_channel();
	if (!channel)
		die("no event channel: %m");
	n = atoi(argv[3]);
	if (!strcmp(argv[1], "listen"))
		serve(argc > 4 ? atoi(argv[4]) : PORT, n);
	ids = calloc(n, sizeof(ids[0]));
	if (!strcmp(argv[1], "idle"))
		listen_idly(ids, n);
	else if (argc < 5)
		die("connect how many at once?");
	address.sin_port = htons(argc > 5 ? (uint16_t)atoi(argv[5]) : PORT);
	if (!strcmp(argv[1], "connect"))
		make_many(ids, n, atoi(argv[4]));
	while (getchar() != EOF)
		;
	drop_many(ids, n);
	return 0;
}
