// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * iw_hostile_rings ADDRESS PORT SECONDS SEED: connects to itself again and again and
 * writes random things into all queues that it shares with the kernel, while it posts
 * and rings the doorbell. Whatever becomes of its own connections, it ends by itself.
 */
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include "verbs.h"

#define MAX_MAPS 64
#define BYTES 65536

struct map {
	uint64_t *start;
	size_t words;
};

static struct map maps[MAX_MAPS];
static int num_maps;
static atomic_bool is_over;
static uint64_t state;
static char memory[BYTES];

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void find_maps(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];

	num_maps = 0;
	while (file && num_maps < MAX_MAPS && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "uverbs") ||
		    sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		maps[num_maps].start = (uint64_t *)start;
		maps[num_maps++].words = (end - start) / 8;
	}
	if (file)
		fclose(file);
}

/* Flags and numbers that mean something are worth more than noise. */
static void scribble(void)
{
	static const uint64_t words[] = {
		0, 1, 3, 0x0b010001, 0x05010005, 0x03060001, 0x0aff0001, ~0ULL,
		0x8000000000000000ULL, 0xffffffff00000000ULL,
	};
	struct map *map;

	if (!num_maps)
		return;
	map = &maps[any() % num_maps];
	map->start[any() % map->words] = any() % 4 ? words[any() % 10] : any();
}

static struct rdma_cm_id *make_id(const char *address, const char *port, bool passive)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr init = {
		.cap = { 64, 64, 2, 2, 64 },
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_addrinfo *info;
	struct rdma_cm_id *id = NULL;

	if (passive)
		hints.ai_flags = RAI_PASSIVE;
	if (rdma_getaddrinfo(address, port, &hints, &info))
		die("%s: %m", address);
	if (rdma_create_ep(&id, info, NULL, &init))
		id = NULL;
	rdma_freeaddrinfo(info);
	return id;
}

static void post(struct rdma_cm_id *id, struct ibv_mr *mr)
{
	struct ibv_sge sge = { (uintptr_t)memory, any() % BYTES, mr->lkey };
	struct ibv_send_wr *bad_send, send = {
		.sg_list = &sge,
		.num_sge = any() % 2,
		.opcode = (enum ibv_wr_opcode)(any() % 3 * 2),
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)memory, mr->rkey },
	};
	struct ibv_recv_wr *bad_recv, recv = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_wc wc;

	sge.length = any() % 2 ? sge.length : 64;
	ibv_post_recv(id->qp, &recv, &bad_recv);
	ibv_post_send(id->qp, &send, &bad_send);
	ibv_poll_cq(id->send_cq, 1, &wc);
	ibv_poll_cq(id->recv_cq, 1, &wc);
}

static void *serve(void *arg)
{
	struct rdma_cm_id *id = NULL;

	if (!rdma_get_request(arg, &id) && rdma_accept(id, NULL))
		rdma_destroy_ep(id), id = NULL;
	return id;
}

/* One pair of connected QPs for a moment. */
static void round_of(struct rdma_cm_id *listener, const char *address, const char *port)
{
	struct rdma_cm_id *client = make_id(address, port, false);
	struct rdma_cm_id *server = NULL;
	struct ibv_mr *mr[2];
	pthread_t thread;
	int i;

	if (!client)
		return;
	pthread_create(&thread, NULL, serve, listener);
	if (rdma_connect(client, NULL))
		die("connect: %m");
	pthread_join(thread, (void **)&server);
	if (!server)
		die("accept: %m");
	mr[0] = ibv_reg_mr(client->pd, memory, BYTES, 7);
	mr[1] = ibv_reg_mr(server->pd, memory, BYTES, 7);
	find_maps();
	for (i = 0; i < 3000 && !is_over; i++) {
		scribble();
		post(i % 2 ? client : server, mr[!(i % 2)]);
	}
	num_maps = 0;
	rdma_disconnect(client);
	ibv_dereg_mr(mr[0]);
	ibv_dereg_mr(mr[1]);
	rdma_destroy_ep(client);
	rdma_destroy_ep(server);
}

int main(int argc, char **argv)
{
	struct rdma_cm_id *listener;
	int rounds = 0;
	time_t end;

	if (argc != 5)
		die("usage: iw_hostile_rings ADDRESS PORT SECONDS SEED");
	state = strtoull(argv[4], NULL, 0) * 0x9e3779b97f4a7c15ULL + 1;
	listener = make_id(argv[1], argv[2], true);
	if (!listener || rdma_listen(listener, 8))
		die("listen: %m");
	end = time(NULL) + atoi(argv[3]);
	while (time(NULL) < end) {
		round_of(listener, argv[1], argv[2]);
		rounds++;
	}
	rdma_destroy_ep(listener);
	printf("%d rounds\n", rounds);
	return 0;
}
