// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * hostile_rings DEVICE GID-INDEX SECONDS [SEED]: a program that writes what it
 * likes into the rings that it shares with the kernel.
 *
 * It makes CQs, an SRQ and RC, UC and UD QPs through libibverbs, finds the rings
 * in its own memory map, and then, against honest QPs that send to it, scribbles
 * over slots and indices - at random, or with requests that are right but for one
 * field - while it rings doorbells, arms, resizes and destroys. Nothing is
 * expected of what the kernel answers. The kernel has to live, that is all; and
 * memory beside the registered region has to stay as it was.
 */
#include "verbs.h"
#include <errno.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define DEPTH 32
#define BYTES 65536
#define FILL 0x5a

/* A ring as it lies in memory. */
struct header {
	uint32_t log2_elem_size;
	uint32_t index_mask;
	uint32_t pad0[30];
	uint32_t producer_index;
	uint32_t pad1[31];
	uint32_t consumer_index;
	uint32_t pad2[31];
	uint8_t slots[];
};

/* A slot of a send ring. */
struct send_slot {
	uint64_t wr_id;
	uint32_t reserved;
	uint32_t opcode;
	uint32_t send_flags;
	uint32_t imm;
	uint64_t wr[15];
	uint32_t status, state;
	uint64_t iova;
	uint32_t mask, first_psn, last_psn, ack_length, ssn, has_rd_atomic;
	uint32_t length, resid, cur_sge, num_sge, sge_offset, reserved2;
	struct { uint64_t addr; uint32_t length, lkey; } sge[4];
};

struct recv_slot {
	uint64_t wr_id;
	uint64_t reserved;
	uint32_t length, resid, cur_sge, num_sge, sge_offset, reserved2;
	struct { uint64_t addr; uint32_t length, lkey; } sge[4];
};

/* @step: bytes of a slot, noted while it was right. */
struct ring {
	struct header *header;
	size_t bytes;
	size_t step;
};

#define MAX_RINGS 32
static struct ring rings[MAX_RINGS];
static int num_rings;

static const char *device;
static int gid_index;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static uint8_t *memory;
static struct ibv_cq *cq, *honest_cq;
static struct ibv_srq *srq;
static struct ibv_qp *hostile[3], *honest[3];
static struct ibv_ah *ah;
static union ibv_gid gid;
static atomic_bool is_over;
static unsigned long scribbles, doorbells, honest_sends;

static const enum ibv_qp_type types[3] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

static uint32_t rnd(void)
{
	return (uint32_t)random() ^ (uint32_t)random() << 16;
}

/* Values that are off by one, or have the top bit, are the interesting ones. */
static uint32_t odd_number(void)
{
	static const uint32_t numbers[] = {
		0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 255, 256, 0xffff, 0x10000,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	};

	if (random() % 4 == 0)
		return rnd();
	return numbers[random() % (sizeof(numbers) / sizeof(*numbers))];
}

static void find_rings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[512];

	num_rings = 0;
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "uverbs") ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		if (num_rings < MAX_RINGS)
			rings[num_rings++] = (struct ring) {
				(void *)from, to - from,
				1ul << ((struct header *)from)->log2_elem_size,
			};
	}
	if (maps)
		fclose(maps);
	if (!num_rings)
		die("found no rings in the memory map");
}

static void *at_random_slot(struct ring *ring, size_t room)
{
	size_t space = ring->bytes - sizeof(struct header);

	if (space <= room)
		return NULL;
	return ring->header->slots + (random() % (space - room) & ~15ul);
}

static void scribble_bytes(struct ring *ring)
{
	uint8_t *at = at_random_slot(ring, 256);
	int i, n = random() % 256;

	for (i = 0; at && i < n; i++)
		at[i] = random();
}

/* The kernel should keep its own; what lies here is at most advice. */
static void scribble_indices(struct ring *ring)
{
	switch (random() % 5) {
	case 0:
		ring->header->producer_index = odd_number();
		break;
	case 1:
		ring->header->consumer_index = odd_number();
		break;
	case 2:
		ring->header->log2_elem_size = odd_number();
		break;
	case 3:
		ring->header->index_mask = odd_number();
		break;
	case 4:
		ring->header->producer_index = (ring->header->producer_index + 1) & (DEPTH - 1);
		break;
	}
}

static void write_send_slot(struct send_slot *slot)
{
	uint32_t *words = (uint32_t *)slot;
	int i;

	memset(slot, 0, sizeof(*slot));
	slot->wr_id = rnd();
	slot->opcode = random() % 16;
	slot->send_flags = random() % 32;
	slot->num_sge = random() % 4;
	for (i = 0; i < 4; i++) {
		slot->sge[i].addr = (uintptr_t)mr->addr + random() % 4096;
		slot->sge[i].length = random() % 2048;
		slot->sge[i].lkey = mr->lkey;
	}
	slot->length = random() % 4096;
	slot->resid = slot->length;
	slot->wr[0] = (uintptr_t)mr->addr;
	slot->wr[1] = mr->rkey;
	slot->iova = slot->wr[0];
	slot->wr[4] = random() % 8;
	/* Right but for some field. */
	for (i = random() % 3; i > 0; i--)
		words[random() % (sizeof(*slot) / 4)] = odd_number();
	if (random() % 4 == 0)
		slot->num_sge = odd_number();
	if (random() % 8 == 0)
		slot->length = odd_number();
}

static void write_recv_slot(struct recv_slot *slot)
{
	uint32_t *words = (uint32_t *)slot;
	int i;

	memset(slot, 0, sizeof(*slot));
	slot->wr_id = rnd();
	slot->num_sge = random() % 5;
	for (i = 0; i < 4; i++) {
		slot->sge[i].addr = (uintptr_t)mr->addr;
		slot->sge[i].length = random() % 4096;
		slot->sge[i].lkey = mr->lkey;
	}
	slot->length = random() % 8192;
	for (i = random() % 3; i > 0; i--)
		words[random() % (sizeof(*slot) / 4)] = odd_number();
	if (random() % 4 == 0)
		slot->num_sge = odd_number();
}

/* Slots of send rings are the large ones. */
static void scribble_requests(struct ring *ring)
{
	size_t at;

	for (at = sizeof(struct header); at + ring->step <= ring->bytes;
	     at += ring->step) {
		if (ring->step >= sizeof(struct send_slot))
			write_send_slot((void *)((uint8_t *)ring->header + at));
		else if (ring->step >= sizeof(struct recv_slot))
			write_recv_slot((void *)((uint8_t *)ring->header + at));
	}
}

static void scribble(void)
{
	struct ring *ring = &rings[random() % num_rings];

	scribbles++;
	switch (random() % 4) {
	case 0:
		scribble_bytes(ring);
		break;
	case 1:
		scribble_requests(ring);
		break;
	default:
		scribble_indices(ring);
		break;
	}
}

/* The provider's doorbell, without its trust in the rings. */
static void ring_doorbell(struct ibv_qp *qp)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send send;
	} __attribute__((packed)) cmd = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_POST_SEND,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(struct ib_uverbs_post_send_resp) / 4,
		},
		.send = {
			.qp_handle = qp->handle,
			.wqe_size = sizeof(struct ib_uverbs_send_wr),
		},
	};
	struct ib_uverbs_post_send_resp response;

	cmd.send.response = (uintptr_t)&response;
	doorbells++;
	if (write(context->cmd_fd, &cmd, sizeof(cmd)) != sizeof(cmd) &&
	    errno == EBADF)
		die("doorbell: %m");
}

/* The rings found in between are those of the hostile side alone. */
static void make_objects(void)
{
	struct ibv_srq_init_attr srq_init = {
		.attr = { .max_wr = DEPTH - 1, .max_sge = 4 },
	};
	struct ibv_ah_attr ah_attr = {
		.is_global = 1,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
		.port_num = 1,
	};
	int i;

	cq = ibv_create_cq(context, 4 * DEPTH, NULL, NULL, 0);
	srq = ibv_create_srq(pd, &srq_init);
	ah = ibv_create_ah(pd, &ah_attr);
	if (!cq || !srq || !ah)
		die("no CQ, SRQ or AH: %m");
	for (i = 0; i < 3; i++)
		hostile[i] = make_qp(pd, cq, random() % 2 ? srq : NULL,
				     types[i], DEPTH - 1);
	find_rings();

	honest_cq = ibv_create_cq(context, 4 * DEPTH, NULL, NULL, 0);
	if (!honest_cq)
		die("no CQ: %m");
	for (i = 0; i < 3; i++)
		honest[i] = make_qp(pd, honest_cq, NULL, types[i], DEPTH - 1);
	for (i = 0; i < 3; i++) {
		connect_qp(hostile[i], gid_index, &gid, honest[i]->qp_num);
		connect_qp(honest[i], gid_index, &gid, hostile[i]->qp_num);
	}
}

static void drop_objects(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		ibv_destroy_qp(hostile[i]);
		ibv_destroy_qp(honest[i]);
	}
	ibv_destroy_ah(ah);
	ibv_destroy_srq(srq);
	ibv_destroy_cq(cq);
	ibv_destroy_cq(honest_cq);
}

/* For the hostile receive rings to be looked at, something must arrive. */
static void send_honestly(int i)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, random() % 1000, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = random() % 2 ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { ah, hostile[i]->qp_num, QKEY },
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc[16];

	ibv_poll_cq(honest_cq, 16, wc);
	if (ibv_post_send(honest[i], &wr, &bad) == 0)
		honest_sends++;
}

/* Scribbles while the kernel reads. */
static void *scribble_on(void *arg)
{
	while (!is_over)
		scribble();
	return NULL;
}

/*
 * One life. On the hostile objects nothing that reads rings in user space, as
 * that would crash ourselves.
 */
static void live(void)
{
	struct ibv_qp_attr to_error = { .qp_state = IBV_QPS_ERR };
	struct ibv_srq_attr limit = { .srq_limit = 1 };
	pthread_t other;
	int i;

	make_objects();
	is_over = false;
	pthread_create(&other, NULL, scribble_on, NULL);
	for (i = 0; i < 300; i++) {
		ring_doorbell(hostile[random() % 3]);
		send_honestly(random() % 3);
		if (random() % 16 == 0)
			ibv_req_notify_cq(cq, random() % 2);
		if (random() % 64 == 0)
			ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT);
	}
	if (random() % 2)
		ibv_modify_qp(hostile[random() % 3], &to_error, IBV_QP_STATE);
	for (i = 0; i < 3; i++)
		ring_doorbell(hostile[i]);
	is_over = true;
	pthread_join(other, NULL);
	/* Copies what is pending by the indices it finds. */
	if (random() % 2)
		ibv_resize_cq(cq, 8 * DEPTH);
	drop_objects();
}

static int is_filled(const uint8_t *from, size_t n)
{
	while (n--) {
		if (*from++ != FILL)
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	unsigned int seed, lives = 0;
	time_t end;

	if (argc < 4)
		die("usage: hostile_rings DEVICE GID-INDEX SECONDS [SEED]");
	device = argv[1];
	gid_index = atoi(argv[2]);
	end = time(NULL) + atoi(argv[3]);
	seed = argc > 4 ? atoi(argv[4]) : 1;
	srandom(seed);

	context = open_device(device);
	pd = ibv_alloc_pd(context);
	memory = aligned_alloc(4096, 3 * BYTES);
	if (!pd || !memory || ibv_query_gid(context, 1, gid_index, &gid))
		die("no PD, memory or GID: %m");
	memset(memory, FILL, 3 * BYTES);
	mr = ibv_reg_mr(pd, memory + BYTES, BYTES, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC);
	if (!mr)
		die("no MR: %m");
	while (time(NULL) < end) {
		live();
		lives++;
	}
	printf("seed %u: %u lives, %lu scribbles, %lu doorbells, %lu honest sends\n",
	       seed, lives, scribbles, doorbells, honest_sends);
	if (!is_filled(memory, BYTES) || !is_filled(memory + 2 * BYTES, BYTES))
		die("memory beside the region was written");
	return 0;
}
