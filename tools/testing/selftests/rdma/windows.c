// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * windows CASE DEVICE GID-INDEX: one case about memory windows (see pair.h), which
 * the answerer binds to its region and the asker writes and reads through.
 */
#define _GNU_SOURCE
#include "pair.h"

#define REGION_BYTES (2 * PAGE)
#define READ_WRITE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

static uint8_t *memory;
static struct ibv_mr *region;

static void make_region(int access)
{
	memory = new_memory(REGION_BYTES);
	region = new_plain_region(memory, REGION_BYTES, access);
}

static struct ibv_mw *new_window(struct ibv_pd *of, enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(of, type);

	if (!mw)
		die("no window of type %d: %m", type);
	return mw;
}

static void drop_window(struct ibv_mw *mw)
{
	int err = ibv_dealloc_mw(mw);

	if (err)
		die("cannot deallocate a window: %s", strerror(err));
}

static void post_to(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int err;

	wr->send_flags = IBV_SEND_SIGNALED;
	err = ibv_post_send(qp, wr, &bad);
	if (err)
		die("post_send: %s", strerror(err));
}

/* Return: the window's key if it was bound. */
static uint32_t bind_at(const char *what, struct ibv_qp *qp, struct ibv_mw *mw,
			struct ibv_mr *mr, uint64_t addr, uint64_t length,
			unsigned int access, enum ibv_wc_status wanted)
{
	uint32_t key = ibv_inc_rkey(mw->rkey);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = mw,
			.rkey = key,
			.bind_info = { mr, addr, length, access },
		},
	};

	post_to(qp, &wr);
	must_end(what, wanted);
	if (wanted == IBV_WC_SUCCESS)
		mw->rkey = key;
	return mw->rkey;
}

static uint32_t bind_window(const char *what, struct ibv_mw *mw, uint64_t offset,
			    uint64_t length, unsigned int access,
			    enum ibv_wc_status wanted)
{
	return bind_at(what, answerer, mw, region, (uintptr_t)memory + offset, length,
		       access, wanted);
}

static void local_invalidate(const char *what, struct ibv_qp *qp, uint32_t key,
			     enum ibv_wc_status wanted)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.invalidate_rkey = key,
	};

	post_to(qp, &wr);
	must_end(what, wanted);
}

static uint64_t at(uint64_t offset)
{
	return (uintptr_t)memory + offset;
}

/* ---- cases ------------------------------------------------------------------------------ */

static void check_limits(enum ibv_mw_type type)
{
	struct ibv_mw *mw = new_window(pd, type);
	uint32_t key = bind_window("bind", mw, 100, 200, READ_WRITE, IBV_WC_SUCCESS);

	fill(own, OWN_BYTES, 1);
	write_own("all of it", 200, at(100), key, IBV_WC_SUCCESS);
	if (memcmp(memory + 100, own, 200) || memory[99] || memory[300])
		die("a WRITE through the window is not where it should be");
	read_own("its last byte", 1, at(299), key, IBV_WC_SUCCESS);
	if (own[0] != memory[299])
		die("a READ through the window brings something else");
	write_own("a byte before it", 1, at(99), key, IBV_WC_REM_ACCESS_ERR);
	write_own("a byte behind it", 1, at(300), key, IBV_WC_REM_ACCESS_ERR);
	read_own("a byte more than it", 201, at(100), key, IBV_WC_REM_ACCESS_ERR);
	write_own("nothing at all of it", 8, 0, key, IBV_WC_REM_ACCESS_ERR);
	write_own("another key of it", 8, at(100), key ^ 1, IBV_WC_REM_ACCESS_ERR);
	write_own("the region's own key", 8, at(0), region->rkey, IBV_WC_SUCCESS);
	drop_window(mw);
	write_own("a window that is gone", 8, at(100), key, IBV_WC_REM_ACCESS_ERR);
}

static void limits_1(void)
{
	make_region(ALL | IBV_ACCESS_MW_BIND);
	check_limits(IBV_MW_TYPE_1);
}

static void limits_2(void)
{
	make_region(ALL | IBV_ACCESS_MW_BIND);
	check_limits(IBV_MW_TYPE_2);
}

/* The window says what a peer may do, not the region. */
static void rights(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_1);
	uint32_t key;

	make_region(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	key = bind_window("bind for reading", mw, 0, 64, IBV_ACCESS_REMOTE_READ,
			  IBV_WC_SUCCESS);
	read_own("READ", 64, at(0), key, IBV_WC_SUCCESS);
	write_own("WRITE", 64, at(0), key, IBV_WC_REM_ACCESS_ERR);
	atomic_request("FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, at(0), key, 1, 0,
		       IBV_WC_REM_ACCESS_ERR);
	key = bind_window("bind for atomics", mw, 0, 64, IBV_ACCESS_REMOTE_ATOMIC,
			  IBV_WC_SUCCESS);
	atomic_request("FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, at(0), key, 1, 0,
		       IBV_WC_SUCCESS);
	read_own("READ", 64, at(0), key, IBV_WC_REM_ACCESS_ERR);
}

static void bad_binds(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_1);
	struct ibv_mw *other = new_window(other_pd, IBV_MW_TYPE_1);
	struct ibv_mr *plain, *read_only, *foreign;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	plain = new_plain_region(memory, REGION_BYTES, ALL);
	read_only = new_plain_region(memory, REGION_BYTES, IBV_ACCESS_MW_BIND);
	foreign = ibv_reg_mr(other_pd, memory, REGION_BYTES, ALL | IBV_ACCESS_MW_BIND);
	if (!foreign)
		die("cannot register: %m");
	bind_at("a region without the right", answerer, mw, plain, at(0), 64,
		IBV_ACCESS_REMOTE_READ, IBV_WC_MW_BIND_ERR);
	bind_at("writing where nobody may", answerer, mw, read_only, at(0), 64,
		IBV_ACCESS_REMOTE_WRITE, IBV_WC_MW_BIND_ERR);
	bind_at("reading there", answerer, mw, read_only, at(0), 64,
		IBV_ACCESS_REMOTE_READ, IBV_WC_SUCCESS);
	bind_at("a region of another PD", answerer, mw, foreign, at(0), 64,
		IBV_ACCESS_REMOTE_READ, IBV_WC_MW_BIND_ERR);
	bind_window("a window of another PD", other, 0, 64, IBV_ACCESS_REMOTE_READ,
		    IBV_WC_MW_BIND_ERR);
	bind_window("a byte more than the region", mw, 0, REGION_BYTES + 1,
		    IBV_ACCESS_REMOTE_READ, IBV_WC_MW_BIND_ERR);
	bind_window("a byte before the region", mw, -1ull, 8, IBV_ACCESS_REMOTE_READ,
		    IBV_WC_MW_BIND_ERR);
	bind_window("a range that wraps", mw, 8, -8ull, IBV_ACCESS_REMOTE_READ,
		    IBV_WC_MW_BIND_ERR);
	bind_window("rights that no window has", mw, 0, 64, IBV_ACCESS_ON_DEMAND,
		    IBV_WC_MW_BIND_ERR);
	bind_window("type 1 based on zero", mw, 0, 64, IBV_ACCESS_REMOTE_READ |
		    IBV_ACCESS_ZERO_BASED, IBV_WC_MW_BIND_ERR);
}

static void rebinding(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_1);
	uint32_t first, second;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	first = bind_window("bind", mw, 0, 64, READ_WRITE, IBV_WC_SUCCESS);
	second = bind_window("bind again", mw, 64, 64, READ_WRITE, IBV_WC_SUCCESS);
	write_own("the new key", 64, at(64), second, IBV_WC_SUCCESS);
	write_own("the old key", 64, at(64), first, IBV_WC_REM_ACCESS_ERR);
	write_own("the old range", 8, at(0), second, IBV_WC_REM_ACCESS_ERR);
	first = bind_window("unbind", mw, 0, 0, 0, IBV_WC_SUCCESS);
	write_own("unbound", 8, at(64), first, IBV_WC_REM_ACCESS_ERR);
	write_own("unbound, old key", 8, at(64), second, IBV_WC_REM_ACCESS_ERR);
}

static void type_2(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_2);
	uint32_t key;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	bind_window("no bytes", mw, 0, 0, READ_WRITE, IBV_WC_MW_BIND_ERR);
	key = bind_window("bind", mw, 0, 64, READ_WRITE, IBV_WC_SUCCESS);
	bind_window("while it is bound", mw, 0, 64, READ_WRITE, IBV_WC_MW_BIND_ERR);
	local_invalidate("by another QP", asker, key, IBV_WC_LOC_PROT_ERR);
	write_own("still bound", 8, at(0), key, IBV_WC_SUCCESS);
	local_invalidate("by its QP", answerer, key, IBV_WC_SUCCESS);
	write_own("invalid", 8, at(0), key, IBV_WC_REM_ACCESS_ERR);
	local_invalidate("twice", answerer, key, IBV_WC_LOC_PROT_ERR);
	key = bind_window("bind again", mw, 0, 64, READ_WRITE, IBV_WC_SUCCESS);
	write_own("bound again", 8, at(0), key, IBV_WC_SUCCESS);
}

/* Addresses count from the window's first byte; words are those of the memory. */
static void zero_based(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_2);
	uint32_t key;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	key = bind_window("bind", mw, PAGE - 4, 100, READ_WRITE |
			  IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED,
			  IBV_WC_SUCCESS);
	fill(own, OWN_BYTES, 3);
	write_own("the first byte", 100, 0, key, IBV_WC_SUCCESS);
	if (memcmp(memory + PAGE - 4, own, 100))
		die("it went elsewhere");
	write_own("behind it", 1, 100, key, IBV_WC_REM_ACCESS_ERR);
	write_own("at the memory's address", 1, at(PAGE), key, IBV_WC_REM_ACCESS_ERR);
	/* 8 bytes across two pages are no word, though 0 is aligned */
	atomic_request("across pages", IBV_WR_ATOMIC_FETCH_AND_ADD, 0, key, 1, 0,
		       IBV_WC_REM_ACCESS_ERR);
	if (memcmp(memory + PAGE - 4, own, 100))
		die("it changed something");
}

static void invalid_types(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_1);
	uint32_t key;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	key = bind_window("bind", mw, 0, 64, READ_WRITE, IBV_WC_SUCCESS);
	local_invalidate("a window of type 1", answerer, key, IBV_WC_LOC_PROT_ERR);
	local_invalidate("a region of a user", answerer, region->rkey,
			 IBV_WC_LOC_PROT_ERR);
	local_invalidate("key 0", answerer, 0, IBV_WC_LOC_PROT_ERR);
	write_own("all still valid", 8, at(0), key, IBV_WC_SUCCESS);
	write_own("all still valid", 8, at(0), region->rkey, IBV_WC_SUCCESS);
}

/* ---- SEND with invalidate ---------------------------------------------------------------- */

static void post_receive(void)
{
	struct ibv_recv_wr wr = { .wr_id = 7 }, *bad;

	if (ibv_post_recv(answerer, &wr, &bad))
		die("post_recv: %m");
}

static void send_invalidate(uint32_t key)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_INV,
		.invalidate_rkey = key,
	};

	post_receive();
	post_to(asker, &wr);
}

static struct ibv_wc next_receive(void)
{
	time_t end = time(NULL) + PATIENCE;
	struct ibv_wc wc;

	while (time(NULL) <= end) {
		if (ibv_poll_cq(cq, 1, &wc) > 0 && wc.wr_id == 7)
			return wc;
	}
	die("no receive completion");
}

static void remote_invalidation(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_2);
	struct ibv_wc wc;
	uint32_t key;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	key = bind_window("bind", mw, 0, 64, READ_WRITE, IBV_WC_SUCCESS);
	send_invalidate(key);
	wc = next_receive();
	if (wc.status || !(wc.wc_flags & IBV_WC_WITH_INV) || wc.invalidated_rkey != key)
		die("status %d flags %#x key %#x", wc.status, wc.wc_flags,
		    wc.invalidated_rkey);
	connect_again();
	write_own("invalid", 8, at(0), key, IBV_WC_REM_ACCESS_ERR);

	send_invalidate(region->rkey);
	wc = next_receive();
	if (wc.status != IBV_WC_REM_INV_REQ_ERR)
		die("a user's region: %s", ibv_wc_status_str(wc.status));
	connect_again();
	write_own("still valid", 8, at(0), region->rkey, IBV_WC_SUCCESS);
}

/* ---- lives ---------------------------------------------------------------------------------- */

static void bound_region(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_1);
	int err;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	bind_window("bind", mw, 0, 64, READ_WRITE, IBV_WC_SUCCESS);
	err = ibv_dereg_mr(region);
	if (err != EBUSY)
		die("deregistration: error %d, not EBUSY", err);
	write_own("it is still there", 8, at(0), mw->rkey, IBV_WC_SUCCESS);
	drop_window(mw);
	drop_region(region);
}

static void of_a_qp(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_2);
	struct ibv_qp *third = make_qp(pd, cq, NULL, IBV_QPT_RC, 16);
	uint32_t key;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	connect_qp(third, gid_index, &gid, asker->qp_num);
	key = bind_at("bind by a third QP", third, mw, region, at(0), 64, READ_WRITE,
		      IBV_WC_SUCCESS);
	write_own("through another QP", 8, at(0), key, IBV_WC_REM_ACCESS_ERR);
	if (ibv_destroy_qp(third))
		die("cannot destroy the QP: %m");
	/* With the QP went the binding: both are free. */
	key = bind_window("bind again", mw, 0, 64, READ_WRITE, IBV_WC_SUCCESS);
	write_own("bound again", 8, at(0), key, IBV_WC_SUCCESS);
	local_invalidate("unbind", answerer, key, IBV_WC_SUCCESS);
	drop_region(region);
	drop_window(mw);
}

/* Nothing is undone: the kernel has to find its way. */
static void left_behind(void)
{
	make_region(ALL | IBV_ACCESS_MW_BIND);
	bind_window("bind", new_window(pd, IBV_MW_TYPE_1), 0, 64, READ_WRITE,
		    IBV_WC_SUCCESS);
	bind_window("bind", new_window(pd, IBV_MW_TYPE_2), 0, 64, READ_WRITE,
		    IBV_WC_SUCCESS);
}

static void not_for_sges(void)
{
	struct ibv_mw *mw = new_window(pd, IBV_MW_TYPE_1);
	struct ibv_sge sge;

	make_region(ALL | IBV_ACCESS_MW_BIND);
	bind_window("bind", mw, 0, 64, READ_WRITE, IBV_WC_SUCCESS);
	sge = (struct ibv_sge) { at(0), 8, mw->rkey };
	request("a window's key in an SGE", IBV_WR_RDMA_WRITE, sge, at(0),
		region->rkey, IBV_WC_LOC_PROT_ERR);
}

static const struct test_case cases[] = {
	{ "limits-1", limits_1 },
	{ "limits-2", limits_2 },
	{ "rights", rights },
	{ "bad-binds", bad_binds },
	{ "rebinding", rebinding },
	{ "type-2", type_2 },
	{ "zero-based", zero_based },
	{ "invalid-types", invalid_types },
	{ "remote-invalidation", remote_invalidation },
	{ "bound-region", bound_region },
	{ "of-a-qp", of_a_qp },
	{ "left-behind", left_behind },
	{ "not-for-sges", not_for_sges },
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof(cases) / sizeof(*cases), NULL);
}
