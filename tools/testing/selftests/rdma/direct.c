// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * direct CASE DEVICE GID-INDEX: one case about payload that a device takes from its
 * own memory to its own memory (see pair.h).
 */
#include "pair.h"
#include <stdbool.h>

#define LISTED 12		/* SGEs; more than are handed over by reference */
#define LONGEST 300000
#define AREA (LONGEST + 8 * PAGE)
#define ROUNDS 150

static uint8_t *from, *to, *wanted;
static struct ibv_mr *from_mr, *to_mr;
static struct ibv_cq *recv_cq;

/* ---- two QPs with long lists ------------------------------------------------------- */

static struct ibv_qp *new_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = recv_cq,
		.qp_type = IBV_QPT_RC,
		.cap = { 16, 16, LISTED, LISTED, 0 },
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &attr);

	if (!qp)
		die("create_qp: %m");
	return qp;
}

static void join(enum ibv_mtu askers, enum ibv_mtu answerers)
{
	struct ibv_qp_attr wish = { .path_mtu = askers, .timeout = ack_timeout };

	connect_qp_with(asker, gid_index, &gid, answerer->qp_num, &wish);
	wish.path_mtu = answerers;
	connect_qp_with(answerer, gid_index, &gid, asker->qp_num, &wish);
}

static void join_again(enum ibv_mtu askers, enum ibv_mtu answerers)
{
	struct ibv_wc wc;

	reset_both();
	while (ibv_poll_cq(recv_cq, 1, &wc) > 0)
		;
	join(askers, answerers);
}

static void prepare(void)
{
	recv_cq = ibv_create_cq(context, 64, NULL, NULL, 0);
	if (!recv_cq)
		die("create_cq: %m");
	asker = new_qp();
	answerer = new_qp();
	join(IBV_MTU_1024, IBV_MTU_1024);
	from = new_memory(AREA);
	to = new_memory(AREA);
	wanted = new_memory(AREA);
	from_mr = new_plain_region(from, AREA, ALL);
	to_mr = new_plain_region(to, AREA, ALL);
}

/* ---- lists --------------------------------------------------------------------------- */

struct list {
	struct ibv_sge sge[LISTED];
	int num;
};

/* @length bytes, scattered over @mr in order, with gaps; @most SGEs. */
static struct list scatter(const struct ibv_mr *mr, uint32_t length, int most)
{
	uint64_t at = (uintptr_t)mr->addr + rand() % PAGE;
	uint32_t gaps = AREA - PAGE - length, n;
	struct list list = { .num = 0 };

	for (; length; length -= n) {
		bool is_last = list.num == most - 1 || rand() % 8 == 0;

		n = is_last ? length : 1 + rand() % length;
		list.sge[list.num++] = (struct ibv_sge) { at, n, mr->lkey };
		at += n;
		if (!is_last && gaps > PAGE) {
			uint32_t gap = rand() % PAGE;

			at += gap;
			gaps -= gap;
		}
	}
	return list;
}

/* What the list's memory is to have afterwards. */
static void gather(const struct list *list, uint8_t *bytes)
{
	int i;

	for (i = 0; i < list->num; i++) {
		memcpy(bytes, (void *)(uintptr_t)list->sge[i].addr, list->sge[i].length);
		bytes += list->sge[i].length;
	}
}

static void spread(const struct list *list, const uint8_t *bytes, const struct ibv_mr *mr,
		   uint8_t *image)
{
	int i;

	for (i = 0; i < list->num; i++) {
		memcpy(image + (list->sge[i].addr - (uintptr_t)mr->addr), bytes,
		       list->sge[i].length);
		bytes += list->sge[i].length;
	}
}

static void must_receive(uint32_t length)
{
	time_t end = time(NULL) + PATIENCE;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(recv_cq, 1, &wc)))
		if (time(NULL) > end)
			die("nothing was received");
	if (n < 0 || wc.status != IBV_WC_SUCCESS || wc.byte_len != length)
		die("received %s, %u bytes of %u", ibv_wc_status_str(wc.status),
		    wc.byte_len, length);
}

static void post_receive(struct list *list)
{
	struct ibv_recv_wr wr = { .sg_list = list->sge, .num_sge = list->num }, *bad;

	if (ibv_post_recv(answerer, &wr, &bad))
		die("post_recv: %m");
}

/* Memory of the side that data go to: as before but for what came. */
static void transfer(enum ibv_wr_opcode opcode, uint32_t length)
{
	static uint8_t bytes[LONGEST];
	bool is_read = opcode == IBV_WR_RDMA_READ;
	struct list source = scatter(from_mr, length, is_read ? 1 : LISTED);
	struct list target = scatter(to_mr, length, opcode == IBV_WR_RDMA_WRITE ? 1 : LISTED);
	struct list *here = is_read ? &target : &source, *there = is_read ? &source : &target;
	struct ibv_send_wr wr = {
		.sg_list = here->sge,
		.num_sge = here->num,
		.opcode = opcode,
		.wr.rdma = { there->sge[0].addr, (is_read ? from_mr : to_mr)->rkey },
	};

	fill(from, AREA, rand());
	fill(to, AREA, rand());
	memcpy(wanted, to, AREA);
	gather(&source, bytes);
	spread(&target, bytes, to_mr, wanted);
	if (opcode == IBV_WR_SEND)
		post_receive(&target);
	post(&wr);
	must_end("transfer", IBV_WC_SUCCESS);
	if (opcode == IBV_WR_SEND)
		must_receive(length);
	if (memcmp(to, wanted, AREA))
		die("opcode %d, %u bytes of %d pieces to %d: other bytes", opcode, length,
		    source.num, target.num);
}

static void lists(void)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND,
	};
	int i;

	for (i = 0; i < ROUNDS; i++) {
		if (i % 30 == 0)
			join_again(IBV_MTU_256 + i / 30, IBV_MTU_256 + i / 30);
		/* Short and long ones, and those about where it begins to pay. */
		transfer(opcodes[rand() % 3], rand() % 3 ? 1 + rand() % LONGEST :
						       1000 + rand() % 50);
	}
}

/* ---- what does not fit ---------------------------------------------------------------- */

/* A message that is longer than the receive request: nothing behind that is touched. */
static void short_receive(void)
{
	struct list target = { .num = 1 };
	struct ibv_sge sge = { (uintptr_t)from, 40000, from_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	time_t end = time(NULL) + PATIENCE;
	struct ibv_wc wc;
	uint32_t i;

	fill(from, AREA, 1);
	target.sge[0] = (struct ibv_sge) { (uintptr_t)to, 10000, to_mr->lkey };
	post_receive(&target);
	post(&wr);
	if (wait_for_completion() != IBV_WC_REM_INV_REQ_ERR)
		die("the sender is not told");
	while (!ibv_poll_cq(recv_cq, 1, &wc))
		if (time(NULL) > end)
			die("the receiver is not told");
	if (wc.status != IBV_WC_LOC_LEN_ERR)
		die("receiver: %s", ibv_wc_status_str(wc.status));
	for (i = 10000; i < AREA; i++)
		if (to[i])
			die("byte %u behind the receive request was written", i);
}

/* Sides that differ in their path MTU: refused, as it would be on a wire. */
static void path_mtus(void)
{
	static const enum ibv_mtu mtus[][2] = {
		{ IBV_MTU_1024, IBV_MTU_4096 }, { IBV_MTU_4096, IBV_MTU_1024 },
	};
	int i;

	fill(from, AREA, 1);
	for (i = 0; i < 2; i++) {
		struct ibv_sge sge = { (uintptr_t)from, 20000, from_mr->lkey };
		struct ibv_send_wr wr = {
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_RDMA_WRITE,
			.wr.rdma = { (uintptr_t)to, to_mr->rkey },
		};

		join_again(mtus[i][0], mtus[i][1]);
		post(&wr);
		if (wait_for_completion() != IBV_WC_REM_INV_REQ_ERR)
			die("case %d: not refused", i);
		if (memcmp(to, wanted, AREA))
			die("case %d: something was written", i);
	}
}

/*
 * A WRITE with immediate data and no receive request for it: what its last packet has is
 * not written before there is one.
 */
static void no_receive(void)
{
	struct ibv_sge sge = { (uintptr_t)from, 3000, from_mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.wr.rdma = { (uintptr_t)to, to_mr->rkey },
	};
	struct list none = { .num = 0 };
	time_t end = time(NULL) + PATIENCE;

	fill(from, AREA, 1);
	memcpy(wanted, from, 2048);
	post(&wr);
	while (memcmp(to, from, 2048))
		if (time(NULL) > end)
			die("the first packets did not come");
	usleep(20000);
	if (memcmp(to, wanted, AREA))
		die("the last packet was written");
	post_receive(&none);
	must_end("WRITE with immediate", IBV_WC_SUCCESS);
	must_receive(3000);
	if (memcmp(to, from, 3000))
		die("other bytes");
}

/* ---- memory that goes ------------------------------------------------------------------- */

/* Regions are deregistered while requests use them: at once, and nothing else breaks. */
static void deregister(void)
{
	int round, i;

	fill(from, AREA, 1);
	for (round = 0; round < 40; round++) {
		struct ibv_mr *mr = new_plain_region(from, AREA, ALL);
		struct ibv_sge sge = { (uintptr_t)from, 200000, mr->lkey };
		struct ibv_send_wr wr = {
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = round % 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
			.wr.rdma = { (uintptr_t)to, to_mr->rkey },
		};

		for (i = 0; i < 8; i++)
			post(&wr);
		drop_region(mr);
		for (i = 0; i < 8; i++) {
			switch (wait_for_completion()) {
			case IBV_WC_SUCCESS:
			case IBV_WC_LOC_PROT_ERR:
			case IBV_WC_WR_FLUSH_ERR:
				break;
			default:
				die("round %d: another status", round);
			}
		}
		join_again(IBV_MTU_4096, IBV_MTU_4096);
	}
}

/* Several at a time to and from memory that must be fetched: the later ones wait, too. */
static void on_demand(void)
{
	enum { AT_ONCE = 8, BYTES = 30000 };
	int round, i;

	for (round = 0; round < 20; round++) {
		uint8_t *target = new_memory(AT_ONCE * BYTES);
		struct ibv_mr *mr = ibv_reg_mr(pd, target, AT_ONCE * BYTES,
					       ALL | IBV_ACCESS_ON_DEMAND);

		if (!mr)
			skip("no on-demand memory");
		fill(from, AREA, round);
		for (i = 0; i < AT_ONCE; i++) {
			uint8_t *at = target + i * BYTES;
			bool is_read = round % 2;
			struct ibv_sge sge = { (uintptr_t)from, BYTES, from_mr->lkey };
			struct ibv_send_wr wr = {
				.sg_list = &sge,
				.num_sge = 1,
				.opcode = is_read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
				.wr.rdma = { (uintptr_t)at, mr->rkey },
			};

			if (is_read) {
				sge = (struct ibv_sge) { (uintptr_t)at, BYTES, mr->lkey };
				wr.wr.rdma.remote_addr = (uintptr_t)from;
				wr.wr.rdma.rkey = from_mr->rkey;
			}
			post(&wr);
		}
		for (i = 0; i < AT_ONCE; i++)
			must_end("on demand", IBV_WC_SUCCESS);
		for (i = 0; i < AT_ONCE; i++)
			if (memcmp(target + i * BYTES, from, BYTES))
				die("round %d: other bytes in %d", round, i);
		drop_region(mr);
		munmap(target, AT_ONCE * BYTES);
	}
}

static const struct test_case cases[] = {
	{ "lists", lists },
	{ "short-receive", short_receive },
	{ "path-mtus", path_mtus },
	{ "no-receive", no_receive },
	{ "deregister", deregister },
	{ "on-demand", on_demand },
};

int main(int argc, char **argv)
{
	const char *seed = getenv("SEED");

	srand(seed ? atoi(seed) : 1);
	return run_case(argc, argv, cases, sizeof(cases) / sizeof(*cases), prepare);
}
