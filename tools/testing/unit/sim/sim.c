// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random runs by seed, and scenarios with names.
 *
 *   sim             1000 seeds with sanitizers, else 10000, and all scenarios
 *   sim SEED        this seed, with every packet shown
 *   sim FIRST N     N seeds
 */
#include <stdarg.h>
#include "sim.h"
#include "test.h"

#ifdef __SANITIZE_ADDRESS__
#define SEEDS	1000U
#else
#define SEEDS	10000U
#endif

void sim_fail(const struct world *world, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	test_fail("sim %llu, at %llu ns: %s", (unsigned long long)world->seed,
		  (unsigned long long)world->now, text);
}

void sim_trace(const struct world *world, const char *fmt, ...)
{
	va_list args;

	if (!world->is_traced)
		return;
	printf("# %9llu ", (unsigned long long)world->now);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static void play(struct world *world)
{
	node_start(&world->node[0]);
	node_start(&world->node[1]);
	world_run(world);
	node_check_end(&world->node[0]);
	node_check_end(&world->node[1]);
}

struct totals {
	unsigned long long pkts, lost, resent, timeouts, seq_naks, implied_naks,
			   rnr_naks, failed, ops;
};

static void add_up(struct totals *sum, const struct world *world)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct node *node = &world->node[i];
		const struct xroce_req_stats *stats = &node->req.stats;

		sum->pkts += node->sent_pkts;
		sum->lost += world->link[i].lost + world->link[i].damaged;
		sum->resent += stats->resent;
		sum->timeouts += stats->timeouts;
		sum->seq_naks += stats->seq_naks;
		sum->implied_naks += stats->implied_naks;
		sum->rnr_naks += stats->rnr_naks;
		sum->failed += node->failed_at != MAX_OPS;
		sum->ops += node->out.n_ops;
	}
}

static void run_seed(u64 seed, bool is_traced, struct totals *sum)
{
	static struct world world;

	world_init(&world, seed);
	world.is_traced = is_traced;
	workload_random(&world);
	play(&world);
	add_up(sum, &world);
	world_fini(&world);
}

static u64 first_seed(void)
{
	return test_argc > 1 ? strtoull(test_argv[1], NULL, 0) : 0;
}

static u64 num_seeds(void)
{
	if (test_argc > 2)
		return strtoull(test_argv[2], NULL, 0);
	return test_argc > 1 ? 1 : SEEDS;
}

TEST(sim__seeds)
{
	struct totals sum = { 0 };
	u64 i;

	for (i = 0; i < num_seeds(); i++)
		run_seed(first_seed() + i, test_argc == 2, &sum);
	printf("# %llu ops, %llu packets (%llu lost or damaged, %llu resent)\n",
	       sum.ops, sum.pkts, sum.lost, sum.resent);
	printf("# %llu timeouts, %llu sequence, %llu implied, %llu RNR NAKs; %llu QPs failed\n",
	       sum.timeouts, sum.seq_naks, sum.implied_naks, sum.rnr_naks,
	       sum.failed);
}

/* --- scenarios -------------------------------------------------------- */

static struct world scene;

static struct node *stage(u8 service, u32 pmtu)
{
	world_init(&scene, 1);
	workload_plain(&scene, service, pmtu);
	return &scene.node[0];
}

static void all_kinds(struct node *node, u32 pmtu)
{
	u8 op;

	for (op = 0; op < XROCE_WR_OPS; op++) {
		struct op *added = workload_add(node, op, 3 * pmtu + 5);

		added->swap_add = 1;
		if (op == XROCE_WR_CMP_SWAP)
			added->flags = XROCE_WR_FENCE;
	}
}

static bool lose_all(struct world *world, const struct xroce_pkt *pkt, u32 nth)
{
	return true;
}

TEST(scenario__total_loss_ends_after_exactly_the_retries)
{
	u8 retry_cnt;

	for (retry_cnt = 0; retry_cnt <= 7; retry_cnt++) {
		struct node *a = stage(XROCE_RC, 1024);

		a->params.req.retry_cnt = retry_cnt;
		scene.link[0].filter = lose_all;
		workload_add(a, XROCE_WR_SEND, 8);
		workload_add(a, XROCE_WR_SEND, 0)->delay = 100000000;
		play(&scene);
		CHECK_EQ(a->failed_at, 0);
		CHECK_EQ(a->failed_status, XROCE_RETRY_EXC_ERR);
		CHECK_EQ(a->sent_pkts, retry_cnt + 1);
		CHECK_EQ(a->req.stats.resent, retry_cnt);
		world_fini(&scene);
	}
}

TEST(scenario__receiver_that_is_never_ready)
{
	u8 rnr_retry;

	for (rnr_retry = 0; rnr_retry < 7; rnr_retry++) {
		struct node *a = stage(XROCE_RC, 1024);

		a->params.req.rnr_retry = rnr_retry;
		workload_add(a, XROCE_WR_WRITE, 8);
		workload_add(a, XROCE_WR_SEND, 8)->recv_delay = 2000000000;
		play(&scene);
		CHECK_EQ(a->failed_at, 1);
		CHECK_EQ(a->failed_status, XROCE_RNR_RETRY_EXC_ERR);
		CHECK_EQ(scene.node[1].resp.stats.rnr_naks, rnr_retry + 1);
		CHECK_EQ(a->req.stats.timeouts, 0);
		world_fini(&scene);
	}
}

TEST(scenario__receiver_that_is_ready_late)
{
	struct node *a = stage(XROCE_RC, 1024);

	/* seven retries would be over long before */
	workload_add(a, XROCE_WR_SEND, 8)->recv_delay = 2000000000;
	a->params.req.retry_cnt = 0;
	play(&scene);
	CHECK_EQ(a->failed_at, MAX_OPS);
	CHECK(a->req.stats.rnr_naks > 1000);
	world_fini(&scene);
}

TEST(scenario__every_fault_is_reported_to_both)
{
	static const struct {
		u8 poison, op, status, event;
	} want[] = {
		{ POISON_RKEY, XROCE_WR_WRITE, XROCE_REM_ACCESS_ERR,
		  XROCE_EVENT_QP_ACCESS_ERR },
		{ POISON_RKEY, XROCE_WR_WRITE_IMM, XROCE_REM_ACCESS_ERR,
		  XROCE_EVENT_QP_ACCESS_ERR },
		{ POISON_RANGE, XROCE_WR_READ, XROCE_REM_ACCESS_ERR,
		  XROCE_EVENT_QP_ACCESS_ERR },
		{ POISON_WRAP, XROCE_WR_READ, XROCE_REM_ACCESS_ERR,
		  XROCE_EVENT_QP_ACCESS_ERR },
		{ POISON_MISALIGNED, XROCE_WR_FETCH_ADD,
		  XROCE_REM_INV_REQ_ERR, XROCE_EVENT_QP_REQ_ERR },
		{ POISON_TOO_LONG, XROCE_WR_SEND, XROCE_REM_INV_REQ_ERR, 0 },
		{ POISON_RECV_KEY, XROCE_WR_SEND, XROCE_REM_OP_ERR, 0 },
		{ POISON_AT_POST, XROCE_WR_SEND, XROCE_LOC_PROT_ERR, 0 },
		{ POISON_SOURCE, XROCE_WR_SEND, XROCE_LOC_PROT_ERR, 0 },
		{ POISON_SINK, XROCE_WR_READ, XROCE_LOC_PROT_ERR, 0 },
		{ POISON_SINK, XROCE_WR_CMP_SWAP, XROCE_LOC_PROT_ERR, 0 },
		{ POISON_READ_GONE, XROCE_WR_READ, XROCE_REM_ACCESS_ERR,
		  XROCE_EVENT_QP_ACCESS_ERR },
	};
	u32 i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct node *a = stage(XROCE_RC, 256);
		u32 n;

		test_context("row %u", i);
		workload_add(a, XROCE_WR_SEND, 700);
		workload_add(a, XROCE_WR_READ, 700);
		workload_add(a, want[i].op, 700)->poison = want[i].poison;
		for (n = 0; n < 3; n++)
			workload_add(a, XROCE_WR_WRITE, 700);
		play(&scene);
		CHECK_EQ(a->failed_at, 2);
		CHECK_EQ(a->failed_status, want[i].status);
		CHECK_EQ(scene.node[1].last_event, want[i].event);
		CHECK_EQ(a->req.stats.timeouts, 0);
		world_fini(&scene);
	}
}

TEST(scenario__everything_arrives_twice)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		struct node *a = stage(XROCE_RC, 512);

		scene.link[0].params.dup = 1000;
		scene.link[1].params.dup = 1000;
		/* the copy at once, or much later */
		scene.link[0].params.reorder = i ? 500 : 0;
		scene.link[0].params.jitter = 50000;
		all_kinds(a, 512);
		all_kinds(a, 512);
		all_kinds(&scene.node[1], 512);
		play(&scene);
		CHECK_EQ(a->failed_at, MAX_OPS);
		CHECK_EQ(scene.node[1].failed_at, MAX_OPS);
		world_fini(&scene);
	}
}

static bool lose_one(struct world *world, const struct xroce_pkt *pkt, u32 nth)
{
	return nth == *(u32 *)world->cookie;
}

/* Lose each packet once, of requests and of answers. */
static void lose_each(bool is_like_rxe)
{
	u32 side, nth;

	for (side = 0; side < 2; side++) {
		for (nth = 0;; nth++) {
			struct node *a = stage(XROCE_RC, 256);
			bool is_past_end;

			test_context("packet %u of side %u", nth, side);
			scene.link[side].filter = lose_one;
			scene.cookie = &nth;
			scene.node[1].params.is_like_rxe = is_like_rxe;
			a->params.psn = 0xffffff;
			all_kinds(a, 256);
			play(&scene);
			CHECK_EQ(a->failed_at, MAX_OPS);
			CHECK(a->req.stats.timeouts + a->req.stats.seq_naks +
			      a->req.stats.implied_naks <= 2);
			is_past_end = !scene.link[side].lost;
			world_fini(&scene);
			if (is_past_end)
				break;
		}
		CHECK(nth > 5);
	}
}

TEST(scenario__each_packet_is_lost_once)
{
	lose_each(false);
}

TEST(scenario__each_packet_is_lost_once_with_a_peer_like_rxe)
{
	lose_each(true);
}

TEST(scenario__reads_longer_than_the_window)
{
	struct node *a = stage(XROCE_RC, 256);
	u32 i;

	a->params.req.window = 4;
	a->params.max_run = 3;
	for (i = 0; i < 5; i++) {
		workload_add(a, XROCE_WR_READ, 5000);
		workload_add(a, XROCE_WR_SEND, 3000);
	}
	play(&scene);
	CHECK_EQ(a->req.stats.resent, 0);
	CHECK_EQ(a->failed_at, MAX_OPS);
	world_fini(&scene);
}

TEST(scenario__clean_link_needs_no_repetition)
{
	struct node *a = stage(XROCE_RC, 1024);

	all_kinds(a, 1024);
	all_kinds(&scene.node[1], 1024);
	play(&scene);
	CHECK_EQ(a->req.stats.resent, 0);
	CHECK_EQ(scene.node[1].req.stats.resent, 0);
	CHECK_EQ(scene.node[1].resp.stats.duplicates, 0);
	world_fini(&scene);
}

TEST(scenario__uc_loses_messages_only)
{
	u32 nth;

	for (nth = 0; nth < 12; nth++) {
		struct node *a = stage(XROCE_UC, 256);
		u32 i;

		test_context("packet %u", nth);
		scene.link[0].filter = lose_one;
		scene.cookie = &nth;
		for (i = 0; i < 4; i++)
			workload_add(a, i & 1 ? XROCE_WR_WRITE_IMM :
						XROCE_WR_SEND_IMM, 700);
		play(&scene);
		CHECK_EQ(a->failed_at, MAX_OPS);
		CHECK_EQ(scene.node[1].recvs_done, 3);
		world_fini(&scene);
	}
}

/* --- what is lost is sent again, and little else ------------------------- */

/* A tenth of the seeds, of a row each: 1000 in all. */
#define SEEDS_PER_ROW_SEED	10
/* Among fewer, one timeout weighs as much as all that was lost. */
#define LEAST_ROW_SEEDS		500
#define ROW_OPS			30

struct row {
	const char *name;
	struct link_params link;	/* mishaps, both ways */
	u32 most_resent;	/* per mille of what was lost */
	u32 most_spare;		/* per mille of all packets, besides */
};

static void play_row(const struct row *row, u64 seed, struct totals *sum)
{
	u32 i;

	world_init(&scene, seed);
	workload_plain(&scene, XROCE_RC, 256);
	for (i = 0; i < 2; i++) {
		struct link_params *link = &scene.link[i].params;

		*link = row->link;
		link->delay = 50000;
		link->ns_per_kb = 4000;
		scene.node[i].params.req.window = 128;
		scene.node[i].params.req.timeout_ns = 67108864;
		scene.node[i].params.resp.keep = XROCE_KEEP;
		scene.node[i].params.ring_slots = RING_SLOTS;
	}
	for (i = 0; i < ROW_OPS; i++)
		workload_add(&scene.node[0],
			     i % 4 ? XROCE_WR_WRITE : XROCE_WR_SEND, 4096);
	play(&scene);
	CHECK_EQ(scene.node[0].failed_at, MAX_OPS);
	add_up(sum, &scene);
	world_fini(&scene);
}

TEST(rows__little_more_is_resent_than_was_lost)
{
	static const struct row rows[] = {
		{ "loss 0.1 %", { .loss = 1 }, 1200, 0 },
		{ "loss 1 %", { .loss = 10 }, 1200, 0 },
		{ "loss 5 %", { .loss = 50 }, 1200, 0 },
		{ "corruption 1 %", { .corrupt = 10 }, 1200, 0 },
		{ "duplication 5 %", { .dup = 50 }, 1200, 1 },
		{ "reordering 25 %", { .reorder = 250, .jitter = 1000000 },
		  1200, 50 },
	};
	u64 first = first_seed() / SEEDS_PER_ROW_SEED;
	u64 n = num_seeds() / SEEDS_PER_ROW_SEED, seed;
	u32 i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct totals sum = { 0 };

		test_context("%s", rows[i].name);
		for (seed = first; seed < first + n; seed++)
			play_row(&rows[i], seed, &sum);
		printf("# %s: %llu packets, %llu lost, %llu resent, %llu timeouts\n",
		       rows[i].name, sum.pkts, sum.lost, sum.resent,
		       sum.timeouts);
		CHECK(n < LEAST_ROW_SEEDS ||
		      sum.resent * 1000 <= sum.lost * rows[i].most_resent +
					   sum.pkts * rows[i].most_spare);
	}
}

/* --- what loss costs ------------------------------------------------------ */

#define PATH_OPS	60
#define PATH_OP_BYTES	262144U
#define PATH_SEEDS	2

struct path {
	const char *name;
	u32 delay;		/* ns, one way */
	u32 loss, reorder, dup, corrupt;	/* permille, on the way of the data */
	bool goes_back;		/* as others do: the peer keeps nothing, window 128 */
};

/* One stream of WRITEs at 1 Gbit/s. Return: bytes in a ms. */
static u64 play_path(const struct path *path, u64 seed)
{
	struct link_params *there = &scene.link[0].params;
	u64 speed;
	u32 i;

	world_init(&scene, seed);
	workload_long(&scene, XROCE_RC, 1024, PATH_OP_BYTES);
	for (i = 0; i < 2; i++) {
		struct params *p = &scene.node[i].params;

		scene.link[i].params.delay = path->delay;
		scene.link[i].params.ns_per_kb = 8192;
		p->req.window = path->goes_back ? 128 : XROCE_KEEP;
		p->req.timeout_ns = 67108864;
		p->resp.keep = path->goes_back ? 0 : XROCE_KEEP;
	}
	there->loss = path->loss;
	there->reorder = path->reorder;
	there->jitter = 1000000;
	there->dup = path->dup;
	there->corrupt = path->corrupt;
	for (i = 0; i < PATH_OPS; i++)
		workload_add(&scene.node[0], XROCE_WR_WRITE, PATH_OP_BYTES);
	play(&scene);
	CHECK_EQ(scene.node[0].failed_at, MAX_OPS);
	speed = (u64)PATH_OPS * PATH_OP_BYTES * 1000000 / scene.now;
	world_fini(&scene);
	return speed;
}

static u64 speed_of(const struct path *path)
{
	u64 sum = 0, seed;

	test_context("%s", path->name);
	for (seed = 1; seed <= PATH_SEEDS; seed++)
		sum += play_path(path, seed);
	printf("# %s: %llu KB/s\n", path->name,
	       (unsigned long long)(sum / PATH_SEEDS));
	return sum / PATH_SEEDS;
}

TEST(paths__near_ones_hardly_suffer)
{
	static const struct path clean = { "0.1 ms", .delay = 50000 };
	static const struct {
		struct path path;
		u32 least;	/* per cent of the clean one */
	} rows[] = {
		{ { "0.1 ms, 1 % lost", .delay = 50000, .loss = 10 }, 90 },
		{ { "0.1 ms, 5 % lost", .delay = 50000, .loss = 50 }, 60 },
		{ { "0.1 ms, 25 % up to 1 ms late", .delay = 50000,
		    .reorder = 250 }, 80 },
		{ { "0.1 ms, 5 % doubled", .delay = 50000, .dup = 50 }, 90 },
		{ { "0.1 ms, 1 % damaged", .delay = 50000, .corrupt = 10 }, 80 },
	};
	u64 best;
	u32 i;

	/* Once, not for each range of seeds. */
	if (first_seed())
		return;
	best = speed_of(&clean);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK(speed_of(&rows[i].path) * 100 >= best * rows[i].least);
}

TEST(paths__far_ones_suffer_much_less_than_by_going_back)
{
	static const struct path kept = {
		"10 ms, 1 % lost", .delay = 5000000, .loss = 10,
	};
	static const struct path worse = {
		"10 ms, 5 % lost", .delay = 5000000, .loss = 50,
	};
	static const struct path back = {
		"10 ms, 1 % lost, going back", .delay = 5000000, .loss = 10,
		.goes_back = true,
	};
	u64 least;

	if (first_seed())
		return;
	least = speed_of(&back);
	CHECK(speed_of(&kept) >= 5 * least);
	CHECK(speed_of(&worse) >= least);
}
