/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * For programs of the form "PROGRAM CASE DEVICE WHERE": two RC QPs of a device that
 * are connected to each other, by the GID of index WHERE or as pair_cm.h says. Requests of "asker" meet regions at "answerer";
 * both have the same PD. A program ends with status 0 if all is as promised, 4 if
 * this machine can't tell, 1 and words if not.
 */
#ifndef PAIR_H
#define PAIR_H

#include "verbs.h"
#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#define SKIP 4
#define PAGE 4096
#define PATIENCE 20		/* seconds for an event, and for most completions */
#define ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |	\
	     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static struct ibv_context *context;
static struct ibv_pd *pd, *other_pd;
static struct ibv_cq *cq;
static struct ibv_qp *asker, *answerer;
static union ibv_gid gid;
static int gid_index;
static int patience = PATIENCE;	/* seconds for a completion */

/* What requests send from and read into. */
#define OWN_BYTES (16 * PAGE)
static uint8_t *own;
static struct ibv_mr *own_mr;

static inline void __attribute__((noreturn)) skip(const char *reason)
{
	printf("%s\n", reason);
	exit(SKIP);
}

/* ---- memory ------------------------------------------------------------------------ */

static inline uint8_t *map_memory(size_t length, int protection)
{
	void *at = mmap(NULL, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("no %zu bytes of memory: %m", length);
	return at;
}

static inline uint8_t *new_memory(size_t length)
{
	return map_memory(length, PROT_READ | PROT_WRITE);
}

/* No two bytes that are near are alike, and no two seeds. */
static inline void fill(uint8_t *at, size_t length, unsigned int seed)
{
	size_t i;

	for (i = 0; i < length; i++)
		at[i] = (i * 7 + seed) ^ (i >> 8);
}

static inline struct ibv_mr *new_region(const void *start, size_t length, uint64_t iova,
				 int access)
{
	struct ibv_mr *mr = ibv_reg_mr_iova(pd, (void *)start, length, iova, access);

	if (!mr)
		die("cannot register %zu bytes, access %#x: %m", length, access);
	return mr;
}

static inline struct ibv_mr *new_plain_region(const void *start, size_t length, int access)
{
	return new_region(start, length, (uintptr_t)start, access);
}

static inline void drop_region(struct ibv_mr *mr)
{
	int err = ibv_dereg_mr(mr);

	if (err)
		die("cannot deregister: %s", strerror(err));
}

/* ---- requests ------------------------------------------------------------------------ */

/* Before run_case(): how long they wait for each other (4.096 us << that). */
static int ack_timeout = 14;

static inline void connect_both(void)
{
	struct ibv_qp_attr wish = { .path_mtu = IBV_MTU_1024, .timeout = ack_timeout };

	connect_qp_with(asker, gid_index, &gid, answerer->qp_num, &wish);
	connect_qp_with(answerer, gid_index, &gid, asker->qp_num, &wish);
}

static inline void join_by_gid(const char *where)
{
	gid_index = atoi(where);
	if (ibv_query_gid(context, 1, gid_index, &gid))
		die("no GID: %m");
	connect_both();
}

static inline void reset_both(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_wc wc;

	if (ibv_modify_qp(asker, &attr, IBV_QP_STATE) ||
	    ibv_modify_qp(answerer, &attr, IBV_QP_STATE))
		die("to RESET: %m");
	while (ibv_poll_cq(cq, 1, &wc) > 0)
		;
}

static inline void mend_by_gid(void)
{
	reset_both();
	connect_both();
}

static void (*join_pair)(const char *where) = join_by_gid;
static void (*mend_pair)(void) = mend_by_gid;

/*
 * Those of iWARP: a READ of nothing behind them tells how they ended. It is flushed if
 * the peer refused them.
 */
static int writes_end_early;

/* After an error, which both QPs have seen. */
static inline void connect_again(void)
{
	mend_pair();
}

static inline enum ibv_wc_status wait_for_completion(void)
{
	time_t end = time(NULL) + patience;
	struct ibv_wc wc;
	int n;

	do {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n < 0)
			die("poll_cq: %d", n);
		if (n)
			return wc.status;
	} while (time(NULL) <= end);
	die("no completion for %d s", patience);
}

static inline void post_with(struct ibv_send_wr *wr, unsigned int flags)
{
	struct ibv_send_wr *bad;
	int err;

	wr->send_flags = flags;
	err = ibv_post_send(asker, wr, &bad);
	if (err)
		die("post_send: %s", strerror(err));
}

static inline void post(struct ibv_send_wr *wr)
{
	post_with(wr, IBV_SEND_SIGNALED);
}

/* The QPs are connected afterwards, whatever the answer. */
static inline void must_end(const char *what, enum ibv_wc_status wanted)
{
	enum ibv_wc_status status = wait_for_completion();

	if (status != wanted)
		die("%s: %s, not %s", what, ibv_wc_status_str(status),
		    ibv_wc_status_str(wanted));
	if (status != IBV_WC_SUCCESS)
		connect_again();
}

/* @va, @rkey: at the answerer. @opcode: WRITE or READ. */
static inline void request(const char *what, enum ibv_wr_opcode opcode, struct ibv_sge sge,
		    uint64_t va, uint32_t rkey, enum ibv_wc_status wanted)
{
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.wr.rdma = { va, rkey },
	};

	if (opcode == IBV_WR_RDMA_WRITE && writes_end_early) {
		post_with(&wr, 0);
		wr.opcode = IBV_WR_RDMA_READ;
		sge.length = 0;
		if (wanted == IBV_WC_REM_ACCESS_ERR)
			wanted = IBV_WC_WR_FLUSH_ERR;
	}
	post(&wr);
	must_end(what, wanted);
}

static inline struct ibv_sge from_own(uint32_t length)
{
	return (struct ibv_sge) { (uintptr_t)own, length, own_mr->lkey };
}

static inline void write_own(const char *what, uint32_t length, uint64_t va, uint32_t rkey,
		      enum ibv_wc_status wanted)
{
	request(what, IBV_WR_RDMA_WRITE, from_own(length), va, rkey, wanted);
}

static inline void read_own(const char *what, uint32_t length, uint64_t va, uint32_t rkey,
		     enum ibv_wc_status wanted)
{
	request(what, IBV_WR_RDMA_READ, from_own(length), va, rkey, wanted);
}

/* What was at @va is in the first 8 bytes of own memory then. */
static inline void atomic_request(const char *what, enum ibv_wr_opcode opcode, uint64_t va,
			   uint32_t rkey, uint64_t compare_add, uint64_t swap,
			   enum ibv_wc_status wanted)
{
	struct ibv_sge sge = from_own(8);
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.wr.atomic = { va, compare_add, swap, rkey },
	};

	post(&wr);
	must_end(what, wanted);
}

/* ---- cases ------------------------------------------------------------------------- */

struct test_case {
	const char *name;
	void (*check)(void);
};

static inline void set_up(const char *device, const char *where)
{
	context = open_device(device);
	pd = ibv_alloc_pd(context);
	other_pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 64, NULL, NULL, 0);
	if (!pd || !other_pd || !cq)
		die("no PDs or CQ: %m");
	asker = make_qp(pd, cq, NULL, IBV_QPT_RC, 16);
	answerer = make_qp(pd, cq, NULL, IBV_QPT_RC, 16);
	join_pair(where);
	own = new_memory(OWN_BYTES);
	own_mr = new_plain_region(own, OWN_BYTES, ALL);
}

/* @prepare: may be NULL */
static inline int run_case(int argc, char **argv, const struct test_case *cases,
			   size_t num_cases, void (*prepare)(void))
{
	size_t i;

	if (argc != 4)
		die("usage: %s CASE DEVICE WHERE", argv[0]);
	for (i = 0; i < num_cases; i++) {
		if (strcmp(cases[i].name, argv[1]) == 0) {
			set_up(argv[2], argv[3]);
			if (prepare)
				prepare();
			cases[i].check();
			return 0;
		}
	}
	die("no case %s", argv[1]);
}

#endif
