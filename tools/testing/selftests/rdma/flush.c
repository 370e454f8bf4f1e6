// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * flush CASE DEVICE GID-INDEX: one case about FLUSH and atomic WRITE (see pair.h).
 * libibverbs before 47 knows neither.
 */
#define _GNU_SOURCE
#include "pair.h"
#include <fcntl.h>

#ifdef HAVE_FLUSH

#define FLUSH_CAP (1ull << 38)	/* IB_UVERBS_DEVICE_FLUSH_GLOBAL */
#define FLUSHABLE (ALL | IBV_ACCESS_FLUSH_GLOBAL)

static struct ibv_qp_ex *asker_ex;
static uint8_t *memory;

/* The asker of the pair is of the kind that has no way to ask for this. */
static void use_extended_qp(void)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16,
			 .max_send_sge = 2, .max_recv_sge = 2 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_FLUSH |
				  IBV_QP_EX_WITH_ATOMIC_WRITE,
	};

	if (ibv_destroy_qp(asker))
		die("cannot destroy the QP: %m");
	asker = ibv_create_qp_ex(context, &init);
	if (!asker)
		die("no QP for FLUSH: %m");
	asker_ex = ibv_qp_to_qp_ex(asker);
	connect_again();
	memory = new_memory(2 * PAGE);
}

/* What the answerer grants is lost with each reconnection. */
static void grant(unsigned int access)
{
	struct ibv_qp_attr attr = { .qp_access_flags = access };

	if (ibv_modify_qp(answerer, &attr, IBV_QP_ACCESS_FLAGS))
		die("cannot change the rights of the QP: %m");
}

static void flush(const char *what, uint64_t va, size_t length, uint32_t rkey,
		  uint8_t type, uint8_t level, enum ibv_wc_status wanted)
{
	grant(FLUSHABLE | IBV_ACCESS_FLUSH_PERSISTENT);
	ibv_wr_start(asker_ex);
	asker_ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_flush(asker_ex, rkey, va, length, type, level);
	if (ibv_wr_complete(asker_ex))
		die("%s: cannot post", what);
	must_end(what, wanted);
}

static void atomic_write(const char *what, uint64_t va, uint32_t rkey,
			 const void *bytes, enum ibv_wc_status wanted)
{
	ibv_wr_start(asker_ex);
	asker_ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_atomic_write(asker_ex, rkey, va, bytes);
	if (ibv_wr_complete(asker_ex))
		die("%s: cannot post", what);
	must_end(what, wanted);
}

static void ranges(void)
{
	uint64_t at = (uintptr_t)memory;
	struct ibv_mr *mr = new_plain_region(memory, PAGE, FLUSHABLE);
	struct ibv_mr *plain = new_plain_region(memory, PAGE, ALL);
	uint8_t global = IBV_FLUSH_GLOBAL;

	flush("a range", at, PAGE, mr->rkey, global, IBV_FLUSH_RANGE, IBV_WC_SUCCESS);
	flush("no bytes", at, 0, mr->rkey, global, IBV_FLUSH_RANGE, IBV_WC_SUCCESS);
	flush("all of it", 0, 0, mr->rkey, global, IBV_FLUSH_MR, IBV_WC_SUCCESS);
	flush("all of it, at a strange address", -1, 12345, mr->rkey, global,
	      IBV_FLUSH_MR, IBV_WC_SUCCESS);
	flush("a byte too much", at, PAGE + 1, mr->rkey, global, IBV_FLUSH_RANGE,
	      IBV_WC_REM_ACCESS_ERR);
	flush("no bytes elsewhere", at + 2 * PAGE, 0, mr->rkey, global,
	      IBV_FLUSH_RANGE, IBV_WC_REM_ACCESS_ERR);
	flush("another key", at, 8, mr->rkey ^ 1, global, IBV_FLUSH_RANGE,
	      IBV_WC_REM_ACCESS_ERR);
	flush("all of another key", at, 8, mr->rkey ^ 1, global, IBV_FLUSH_MR,
	      IBV_WC_REM_ACCESS_ERR);
	flush("a region without the right", at, 8, plain->rkey, global,
	      IBV_FLUSH_RANGE, IBV_WC_REM_ACCESS_ERR);
	flush("persistence without the right", at, 8, mr->rkey, IBV_FLUSH_PERSISTENT,
	      IBV_FLUSH_RANGE, IBV_WC_REM_ACCESS_ERR);
	flush("no type", at, 8, mr->rkey, 0, IBV_FLUSH_RANGE, IBV_WC_REM_INV_REQ_ERR);
	flush("a level that is none", at, 8, mr->rkey, global, 2,
	      IBV_WC_REM_INV_REQ_ERR);
}

/* Without the QP's permission it is another error than without the key's. */
static void permission(void)
{
	struct ibv_mr *mr = new_plain_region(memory, PAGE, FLUSHABLE);

	flush("granted", (uintptr_t)memory, 8, mr->rkey, IBV_FLUSH_GLOBAL,
	      IBV_FLUSH_RANGE, IBV_WC_SUCCESS);
	grant(ALL);
	ibv_wr_start(asker_ex);
	asker_ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_flush(asker_ex, mr->rkey, (uintptr_t)memory, 8, IBV_FLUSH_GLOBAL,
		     IBV_FLUSH_RANGE);
	if (ibv_wr_complete(asker_ex))
		die("cannot post");
	must_end("not granted", IBV_WC_REM_INV_REQ_ERR);
}

static void persistence(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, PAGE, FLUSHABLE |
				       IBV_ACCESS_FLUSH_PERSISTENT);

	if (mr)
		die("memory that forgets is registered as persistent");
	if (errno != EINVAL)
		die("error %d, not EINVAL: %m", errno);
}

#define DAX_BYTES (2 << 20)

static void persistent_memory(void)
{
	uint8_t type = IBV_FLUSH_PERSISTENT, both = IBV_FLUSH_PERSISTENT | IBV_FLUSH_GLOBAL;
	int fd = open("/dev/dax0.0", O_RDWR);
	struct ibv_mr *mr, *forgets;
	uint8_t *at;

	if (fd < 0)
		skip("no persistent memory (/dev/dax0.0) here");
	at = mmap(NULL, DAX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		die("cannot map persistent memory: %m");
	mr = new_plain_region(at, DAX_BYTES, FLUSHABLE | IBV_ACCESS_FLUSH_PERSISTENT);
	forgets = new_plain_region(memory, PAGE, FLUSHABLE);
	fill(own, PAGE, 1);
	write_own("a WRITE", PAGE, (uintptr_t)at + PAGE, mr->rkey, IBV_WC_SUCCESS);
	flush("a range of it", (uintptr_t)at + PAGE, PAGE, mr->rkey, type, IBV_FLUSH_RANGE,
	      IBV_WC_SUCCESS);
	flush("all of it", 0, 0, mr->rkey, both, IBV_FLUSH_MR, IBV_WC_SUCCESS);
	if (memcmp(at + PAGE, own, PAGE))
		die("it is not what was written");
	flush("beyond it", (uintptr_t)at + DAX_BYTES, 8, mr->rkey, type, IBV_FLUSH_RANGE,
	      IBV_WC_REM_ACCESS_ERR);
	flush("what forgets", (uintptr_t)memory, 8, forgets->rkey, type, IBV_FLUSH_RANGE,
	      IBV_WC_REM_ACCESS_ERR);
}

static void words(void)
{
	uint64_t at = (uintptr_t)memory, value = 0x1122334455667788ull;
	struct ibv_mr *mr = new_plain_region(memory, PAGE, ALL);
	struct ibv_mr *readable = new_plain_region(memory, PAGE,
						   IBV_ACCESS_REMOTE_READ);

	atomic_write("a word", at + 16, mr->rkey, &value, IBV_WC_SUCCESS);
	if (memcmp(memory + 16, &value, 8) || memory[15] || memory[24])
		die("it is not where it should be");
	atomic_write("the last one", at + PAGE - 8, mr->rkey, &value, IBV_WC_SUCCESS);
	atomic_write("behind the last one", at + PAGE, mr->rkey, &value,
		     IBV_WC_REM_ACCESS_ERR);
	atomic_write("between words", at + 20, mr->rkey, &value,
		     IBV_WC_REM_INV_REQ_ERR);
	atomic_write("a region to be read", at, readable->rkey, &value,
		     IBV_WC_REM_ACCESS_ERR);
	if (memory[0] || memory[28])
		die("it changed what it must not");
}

static const struct test_case cases[] = {
	{ "ranges", ranges },
	{ "permission", permission },
	{ "persistence", persistence },
	{ "persistent-memory", persistent_memory },
	{ "words", words },
};

static void prepare(void)
{
	struct ibv_device_attr_ex attr;

	if (ibv_query_device_ex(context, NULL, &attr))
		die("query_device_ex: %m");
	if (!(attr.device_cap_flags_ex & FLUSH_CAP))
		skip("the verbs of this kernel have no FLUSH");
	use_extended_qp();
}
#endif

int main(int argc, char **argv)
{
#ifdef HAVE_FLUSH
	return run_case(argc, argv, cases, sizeof(cases) / sizeof(*cases), prepare);
#else
	skip("this libibverbs has no FLUSH");
#endif
}
