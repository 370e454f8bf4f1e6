// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * iw_races ADDRESS SECONDS connect|accept|destroy: connections whose QPs go just when
 * the CM needs them. ADDRESS is this host's.
 *
 * connect: the QP is destroyed while its connection is being made.
 * accept: one thread accepts, another destroys the QP.
 * destroy: of an established connection, one thread destroys the QP, another the id.
 *
 * Prints how many connections there were, and how many came to be established.
 */
#include "verbs.h"
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define PORT		7191
#define HANDSHAKE_NS	3000000		/* and more */
#define MEETING_NS	200000
#define PATIENCE_MS	10000

static struct sockaddr_in address = { .sin_family = AF_INET };
static bool is_accept_race;
static atomic_bool is_over;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Not by sleeping, which takes too long and always as long. */
static void pass_time(unsigned int most_ns)
{
	uint64_t end = now_ns() + rand() % most_ns;

	while (now_ns() < end)
		;
}

/* ---- what a connection needs ------------------------------------------------------ */

/**
 * struct side - one thread's end of connections, one after the other
 */
struct side {
	struct rdma_event_channel *channel;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
};

static void open_side(struct side *side)
{
	side->channel = rdma_create_event_channel();
	if (!side->channel)
		die("no event channel: %m");
}

static void give_qp(struct side *side, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 1, .max_recv_wr = 1,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};

	if (!side->pd) {
		side->pd = ibv_alloc_pd(id->verbs);
		side->cq = ibv_create_cq(id->verbs, 16, NULL, NULL, 0);
	}
	init.send_cq = init.recv_cq = side->cq;
	if (!side->pd || !side->cq || rdma_create_qp(id, side->pd, &init))
		die("no QP: %m");
}

static struct ibv_qp *take_qp(struct rdma_cm_id *id)
{
	struct ibv_qp *qp = id->qp;

	id->qp = NULL;
	return qp;
}

static void drop_qp(struct ibv_qp *qp)
{
	if (qp && ibv_destroy_qp(qp))
		die("cannot destroy a QP: %m");
}

static void drop_id(struct rdma_cm_id *id)
{
	if (rdma_destroy_id(id))
		die("cannot destroy an id: %m");
}

/* Return: the event, or -1 if none comes. */
static int next_event(struct side *side, int wait_ms, struct rdma_cm_id **id)
{
	struct pollfd pfd = { .fd = side->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	int type;

	if (poll(&pfd, 1, wait_ms) <= 0)
		return -1;
	if (rdma_get_cm_event(side->channel, &event))
		die("no event: %m");
	type = event->event;
	if (id)
		*id = event->id;
	rdma_ack_cm_event(event);
	return type;
}

/* ---- calls that meet -------------------------------------------------------------------- */

static pthread_barrier_t barrier;

static void *destroy_qp(void *qp)
{
	pthread_barrier_wait(&barrier);
	pass_time(MEETING_NS);
	drop_qp(qp);
	return NULL;
}

/*
 * Destroy the QP of @id in another thread while @call is made here. The library
 * must not touch what another thread frees, so it gets the number only.
 */
static void meet(struct rdma_cm_id *id, void (*call)(struct rdma_cm_id *id, uint32_t qpn))
{
	struct ibv_qp *qp = take_qp(id);
	uint32_t qpn = qp->qp_num;
	pthread_t thread;

	if (pthread_create(&thread, NULL, destroy_qp, qp))
		die("no thread");
	pthread_barrier_wait(&barrier);
	pass_time(MEETING_NS);
	call(id, qpn);
	pthread_join(thread, NULL);
}

/* ---- server ------------------------------------------------------------------------------ */

/* The QP may be gone already. */
static void accept_now(struct rdma_cm_id *id, uint32_t qpn)
{
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1, .qp_num = qpn,
	};

	rdma_accept(id, &param);
}

static void end(struct rdma_cm_id *id)
{
	rdma_disconnect(id);
	drop_qp(take_qp(id));
	drop_id(id);
}

static void answer(struct side *side, struct rdma_cm_id *id)
{
	give_qp(side, id);
	if (is_accept_race) {
		meet(id, accept_now);
		drop_id(id);
	} else {
		accept_now(id, id->qp->qp_num);
	}
}

static void *serve(void *side)
{
	struct rdma_cm_id *id;

	while (!is_over) {
		switch (next_event(side, 100, &id)) {
		case RDMA_CM_EVENT_CONNECT_REQUEST:
			answer(side, id);
			break;
		case RDMA_CM_EVENT_DISCONNECTED:
		case RDMA_CM_EVENT_CONNECT_ERROR:
		case RDMA_CM_EVENT_UNREACHABLE:
			end(id);
			break;
		}
	}
	return NULL;
}

static void listen_at(struct side *side)
{
	struct rdma_cm_id *id;

	if (rdma_create_id(side->channel, &id, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(id, (struct sockaddr *)&address) || rdma_listen(id, 128))
		die("cannot listen: %m");
}

/* ---- client --------------------------------------------------------------------------------- */

static void expect(struct side *side, int wanted)
{
	int got = next_event(side, PATIENCE_MS, NULL);

	if (got != wanted)
		die("event %d, not %d", got, wanted);
}

static struct rdma_cm_id *start_connect(struct side *side)
{
	struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1 };
	struct rdma_cm_id *id;

	if (rdma_create_id(side->channel, &id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 2000))
		die("cannot resolve: %m");
	expect(side, RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rdma_resolve_route(id, 2000))
		die("no route: %m");
	expect(side, RDMA_CM_EVENT_ROUTE_RESOLVED);
	give_qp(side, id);
	if (rdma_connect(id, &param))
		die("cannot connect: %m");
	return id;
}

static bool connect_race(struct side *side)
{
	struct rdma_cm_id *id = start_connect(side);
	bool is_established;

	pass_time(HANDSHAKE_NS);
	drop_qp(take_qp(id));
	is_established = next_event(side, PATIENCE_MS, NULL) == RDMA_CM_EVENT_ESTABLISHED;
	drop_id(id);
	return is_established;
}

static bool accept_race(struct side *side)
{
	struct rdma_cm_id *id = start_connect(side);
	int type = next_event(side, PATIENCE_MS, NULL);

	if (type < 0)
		die("no answer to a connect");
	end(id);
	return type == RDMA_CM_EVENT_ESTABLISHED;
}

static void drop_id_now(struct rdma_cm_id *id, uint32_t qpn)
{
	drop_id(id);
}

static bool destroy_race(struct side *side)
{
	struct rdma_cm_id *id = start_connect(side);

	expect(side, RDMA_CM_EVENT_ESTABLISHED);
	meet(id, drop_id_now);
	return true;
}

static const struct {
	const char *name;
	bool (*race)(struct side *side);
} races[] = {
	{ "connect",	connect_race },
	{ "accept",	accept_race },
	{ "destroy",	destroy_race },
};

static bool (*find(const char *name))(struct side *side)
{
	size_t i;

	for (i = 0; i < sizeof(races) / sizeof(races[0]); i++) {
		if (!strcmp(races[i].name, name))
			return races[i].race;
	}
	die("no race %s", name);
}

int main(int argc, char **argv)
{
	bool (*race)(struct side *side);
	struct side server = {}, client = {};
	unsigned int rounds = 0, established = 0;
	pthread_t thread;
	time_t stop;

	address.sin_port = htons(PORT);
	if (argc != 4 || inet_pton(AF_INET, argv[1], &address.sin_addr) != 1)
		die("usage: iw_races ADDRESS SECONDS connect|accept|destroy");
	race = find(argv[3]);
	is_accept_race = race == accept_race;
	stop = time(NULL) + atoi(argv[2]);
	pthread_barrier_init(&barrier, NULL, 2);
	open_side(&server);
	open_side(&client);
	listen_at(&server);
	if (pthread_create(&thread, NULL, serve, &server))
		die("no thread");
	while (time(NULL) < stop) {
		established += race(&client);
		rounds++;
	}
	is_over = true;
	pthread_join(thread, NULL);
	printf("%u connections, %u established\n", rounds, established);
	return 0;
}
