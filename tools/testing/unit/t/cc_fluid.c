// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many flows over one bottleneck, with nothing of RDMA but congestion control:
 *
 *	flow 1 --+
 *	...      +--> queue, marks or only grows --> link --> acks, CNPs
 *	flow n --+
 *
 * All have the same way to go, so packets come to the queue in the order they
 * were sent in and answers come back in the order they leave it: a heap of flows
 * by their time to send and a line of answers are all there is.
 */
#include <linux/compiler_types.h>
#include <linux/types.h>
#include <linux/minmax.h>
#include "cc.h"
#include "test.h"

#define US	1000ULL
#define MS	1000000ULL
#define SEC	1000000000ULL
#define PMTU	4096U
#define WIRE	(PMTU + 66 + XROCE_CC_FRAME_BYTES)
#define FLOWS	1000

/**
 * struct scene - a bottleneck
 * @ops: all flows use it
 * @flows: how many
 * @mbps: of the bottleneck
 * @rtt: without a queue
 * @kmin, @kmax, @pmax: marking by RED: bytes, bytes, per mille; kmin 0 = none
 * @limit: bytes of the queue
 * @stagger: between the begin of one flow and of the next
 */
struct scene {
	const struct xroce_cc_ops *ops;
	u32 flows;
	u32 mbps;
	u64 rtt;
	u64 kmin, kmax;
	u32 pmax;
	u64 limit;
	u64 stagger;
};

struct flow {
	struct xroce_cc cc;
	u64 send_at;
	u64 cnp_at;
	u32 in_flight;
	u32 heap_at;
	u64 got;
};

struct answer {
	u64 at;
	u64 sent_at;
	u32 flow;
	bool is_marked;
	bool is_lost;
};

struct result {
	double use, jain, loss;
	u64 queue_max, queue_mean;
};

static const struct scene *scene;
static struct xroce_cc_params params;
static struct flow flows[FLOWS];
static u32 heap[FLOWS];
static struct answer *line;
static u64 line_head, line_tail;
#define LINE_MAX_LEN	(1U << 20)
static u64 now, link_free;
static u64 seed;

static u32 permille(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)((seed >> 33) % 1000);
}

/* ---- heap of flows by send_at --------------------------------------------- */

static void put(u32 at, u32 flow)
{
	heap[at] = flow;
	flows[flow].heap_at = at;
}

static void sift(u32 at)
{
	u32 flow = heap[at], child;

	for (; at && flows[heap[(at - 1) / 2]].send_at > flows[flow].send_at;
	     at = (at - 1) / 2)
		put(at, heap[(at - 1) / 2]);
	for (; (child = 2 * at + 1) < scene->flows; at = child) {
		if (child + 1 < scene->flows &&
		    flows[heap[child + 1]].send_at < flows[heap[child]].send_at)
			child++;
		if (flows[heap[child]].send_at >= flows[flow].send_at)
			break;
		put(at, heap[child]);
	}
	put(at, flow);
}

/* ---- link ------------------------------------------------------------------ */

static u64 queue_bytes(void)
{
	return link_free > now ? (link_free - now) * scene->mbps / 8000 : 0;
}

static bool marks(u64 queue)
{
	if (!scene->kmin || queue < scene->kmin)
		return false;
	if (queue >= scene->kmax)
		return true;
	return permille() < scene->pmax * (queue - scene->kmin) /
			    (scene->kmax - scene->kmin);
}

static void send_packet(u32 i)
{
	struct flow *flow = &flows[i];
	u64 queue = queue_bytes();
	struct answer *answer = &line[line_tail++ % LINE_MAX_LEN];

	*answer = (struct answer){ .flow = i, .sent_at = now };
	xroce_cc_sent(&flow->cc, WIRE, now);
	flow->in_flight += PMTU;
	if (queue + WIRE > scene->limit) {
		answer->is_lost = true;
	} else {
		link_free = max(link_free, now) + WIRE * 8000ULL / scene->mbps;
		answer->is_marked = marks(queue);
	}
	/* a hole shows when what was sent after it arrives */
	answer->at = max(link_free, now) + scene->rtt;
}

static bool has_window(const struct flow *flow)
{
	return flow->in_flight + PMTU <= min(flow->cc.window, 128 * PMTU);
}

static void plan(u32 i, u64 at)
{
	flows[i].send_at = at;
	sift(flows[i].heap_at);
}

static void try_send(u32 i)
{
	struct flow *flow = &flows[i];

	if (!has_window(flow)) {
		plan(i, U64_MAX);
		return;
	}
	send_packet(i);
	/* no faster than its own link */
	plan(i, max(now + WIRE * 8 * SEC / 8 / flow->cc.line_rate,
		    xroce_cc_is_paced(&flow->cc) ? flow->cc.next_send : 0));
}

static void take_answer(const struct answer *answer)
{
	struct flow *flow = &flows[answer->flow];

	flow->in_flight -= PMTU;
	if (answer->is_lost) {
		xroce_cc_lost(&flow->cc, false, now);
	} else {
		if (answer->is_marked && now - flow->cnp_at >= 50 * US) {
			flow->cnp_at = now;
			xroce_cc_cnp(&flow->cc, now);
		}
		xroce_cc_acked(&flow->cc, PMTU, now - answer->sent_at, now);
		flow->got += PMTU;
	}
	if (flow->send_at == U64_MAX && has_window(flow))
		plan(answer->flow, max(now, xroce_cc_is_paced(&flow->cc) ?
					    flow->cc.next_send : now));
}

/* ---- a run ------------------------------------------------------------------- */

static void begin(void)
{
	u32 i;

	line = calloc(LINE_MAX_LEN, sizeof(*line));
	line_head = 0;
	line_tail = 0;
	now = SEC;
	link_free = 0;
	seed = 1;
	memset(flows, 0, sizeof(flows));
	for (i = 0; i < scene->flows; i++) {
		xroce_cc_init(&flows[i].cc, scene->ops, &params,
			      xroce_cc_mbps(scene->mbps), PMTU);
		flows[i].send_at = now + i * scene->stagger;
		put(i, i);
	}
}

static void run_until(u64 end, struct result *result)
{
	u64 packets = 0, lost = 0, sum = 0, turns = 0;

	while (now < end) {
		u64 send = flows[heap[0]].send_at;
		u64 answer = line_head == line_tail ? U64_MAX :
			     line[line_head % LINE_MAX_LEN].at;

		now = min(send, answer);
		if (answer <= send) {
			const struct answer *got =
				&line[line_head++ % LINE_MAX_LEN];

			packets++;
			lost += got->is_lost;
			take_answer(got);
			continue;
		}
		turns++;
		sum += queue_bytes();
		result->queue_max = max(result->queue_max, queue_bytes());
		try_send(heap[0]);
	}
	result->loss = packets ? (double)lost / packets : 0;
	result->queue_mean = turns ? sum / turns : 0;
}

static void run(const struct scene *with, u64 settle, u64 measure,
		struct result *result)
{
	double sum = 0, squares = 0;
	u32 i;

	scene = with;
	begin();
	run_until(SEC + settle, result);
	for (i = 0; i < scene->flows; i++)
		flows[i].got = 0;
	*result = (struct result){ 0 };
	run_until(SEC + settle + measure, result);
	for (i = 0; i < scene->flows; i++) {
		double got = (double)flows[i].got;

		sum += got;
		squares += got * got;
	}
	free(line);
	result->use = sum * WIRE / PMTU * 8 / (scene->mbps * 1e6) / (measure / 1e9);
	result->jain = sum * sum / (scene->flows * squares);
	printf("# %s, %u flows, %u Mbit/s, RTT %llu us: use %.3f, Jain %.3f, loss %.5f, queue %llu KiB, most %llu\n",
	       scene->ops->name, scene->flows, scene->mbps,
	       (unsigned long long)(scene->rtt / US), result->use, result->jain,
	       result->loss, (unsigned long long)(result->queue_mean >> 10),
	       (unsigned long long)(result->queue_max >> 10));
}

static void converges(const struct xroce_cc_ops *ops, u32 n, u32 mbps, u64 rtt,
		      u64 threshold, u64 stagger)
{
	struct scene with = {
		.ops = ops,
		.flows = n,
		.mbps = mbps,
		.rtt = rtt,
		.kmin = threshold / 2,
		.kmax = threshold,
		.pmax = 1000,
		.stagger = stagger,
		.limit = 64 << 20,
	};
	struct result result = { 0 };

	test_context("%s, %u flows, %u Mbit/s", ops->name, n, mbps);
	params = xroce_cc_defaults;
	if (ops == &xroce_cc_delay)
		with.kmin = 0;
	run(&with, 2 * SEC, SEC, &result);
	CHECK(result.use >= (with.kmin ? 0.9 : 0.85));
	/* Who came late to a queue takes it for the way, for a while. */
	CHECK(result.jain >= (with.kmin || !stagger ? 0.95 : 0.85));
	CHECK(result.loss < 0.001);
	if (with.kmin)
		CHECK(result.queue_mean < 2 * threshold);
}

#define KIB	1024ULL

TEST(dcqcn__flows_converge)
{
	const struct xroce_cc_ops *ops = &xroce_cc_dcqcn;

	converges(ops, 2, 10000, 50 * US, 200 * KIB, 0);
	converges(ops, 8, 10000, 50 * US, 200 * KIB, 0);
	converges(ops, 64, 10000, 50 * US, 400 * KIB, 0);
	converges(ops, 1000, 40000, 50 * US, 5000 * KIB, 0);
	converges(ops, 8, 200, 100 * US, 200 * KIB, 0);
	converges(ops, 8, 200, 100 * US, 200 * KIB, 100 * MS);
	converges(ops, 8, 10000, 50 * US, 200 * KIB, 100 * MS);
	converges(ops, 8, 1000, 10 * MS, 1000 * KIB, 0);
}

TEST(delay__flows_converge)
{
	const struct xroce_cc_ops *ops = &xroce_cc_delay;

	converges(ops, 2, 10000, 50 * US, 0, 0);
	converges(ops, 8, 10000, 50 * US, 0, 0);
	converges(ops, 64, 10000, 50 * US, 0, 0);
	converges(ops, 1000, 40000, 50 * US, 0, 0);
	converges(ops, 8, 200, 100 * US, 0, 0);
	converges(ops, 8, 200, 100 * US, 0, 100 * MS);
	converges(ops, 8, 10000, 50 * US, 0, 100 * MS);
	converges(ops, 8, 1000, 10 * MS, 0, 0);
}
