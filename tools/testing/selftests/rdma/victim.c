// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * victim DEVICE GID-INDEX PEER-IPV4 N: N RC QPs, and a UC and a UD QP, which
 * believe that their peer is at that address, and one memory region in the middle
 * of memory that nobody may touch. Says what an attacker would have to guess:
 *
 *	rc QPN... uc QPN ud QPN psn PSN va VA rkey RKEY length LENGTH
 *
 * On end of standard input it looks at its memory and says for each byte range
 * "clean" or "touched", and how many QPs are still alive:
 *
 *	region clean|touched outside clean|touched alive N
 */
#include "verbs.h"
#include <arpa/inet.h>

#define REGION 4096
#define AROUND 65536
#define FILL 0x5a
#define MAX_QPS 256
#define PEER_QPN 0x1234

static uint8_t *memory;

static int is_filled(const uint8_t *from, size_t n)
{
	while (n--) {
		if (*from++ != FILL)
			return 0;
	}
	return 1;
}

static void post_recv(struct ibv_qp *qp, struct ibv_mr *mr, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, length, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(qp, &wr, &bad))
		die("post_recv: %m");
}

int main(int argc, char **argv)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_context *context;
	struct ibv_mr *mr, *buffer;
	struct ibv_qp *qp[MAX_QPS + 2];
	union ibv_gid peer = { .raw = { [10] = 0xff, [11] = 0xff } };
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	int i, n, alive = 0;

	if (argc != 5 || inet_pton(AF_INET, argv[3], peer.raw + 12) != 1)
		die("usage: victim DEVICE GID-INDEX PEER-IPV4 N");
	n = atoi(argv[4]);
	if (n < 1 || n > MAX_QPS)
		die("N is 1 to %d", MAX_QPS);

	context = open_device(argv[1]);
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 4096, NULL, NULL, 0);
	memory = aligned_alloc(4096, 2 * AROUND + REGION);
	if (!pd || !cq || !memory)
		die("no PD, CQ or memory: %m");
	memset(memory, FILL, 2 * AROUND + REGION);
	mr = ibv_reg_mr(pd, memory + AROUND, REGION, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC);
	buffer = ibv_reg_mr(pd, aligned_alloc(4096, 4096), 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!mr || !buffer)
		die("no MR: %m");

	printf("rc");
	for (i = 0; i < n + 2; i++) {
		qp[i] = make_qp(pd, cq, NULL, i < n ? IBV_QPT_RC :
				i == n ? IBV_QPT_UC : IBV_QPT_UD, 16);
		connect_qp(qp[i], atoi(argv[2]), &peer, PEER_QPN);
		post_recv(qp[i], buffer, 128);
		printf("%s %u", i == n ? " uc" : i == n + 1 ? " ud" : "",
		       qp[i]->qp_num);
	}
	printf(" psn %u va %llu rkey %u length %u\n", PSN,
	       (unsigned long long)(uintptr_t)mr->addr, mr->rkey, REGION);
	fflush(stdout);

	while (getchar() != EOF)
		;
	for (i = 0; i < n; i++) {
		if (ibv_query_qp(qp[i], &attr, IBV_QP_STATE, &init))
			die("query_qp");
		alive += attr.qp_state == IBV_QPS_RTS;
	}
	printf("region %s outside %s alive %d\n",
	       is_filled(memory + AROUND, REGION) ? "clean" : "touched",
	       is_filled(memory, AROUND) &&
	       is_filled(memory + AROUND + REGION, AROUND) ? "clean" : "touched",
	       alive);
	return 0;
}
