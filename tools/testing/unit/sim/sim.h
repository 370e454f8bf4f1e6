/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two complete endpoints, a bad link and a virtual clock.
 *
 *   model.c     what must come out: byte arrays and a list of messages
 *   workload.c  a seed makes parameters and requests
 *   node.c      the owner of one engine pair: memory, receive queue, ring
 *   watch.c     looks at what is sent
 *   link.c      carries bytes; loses, doubles, delays and damages them
 *   world.c     the clock and its events
 *   sim.c       the tests
 */
#ifndef SIM_H
#define SIM_H

#include <linux/types.h>
#include "burst.h"
#include "requester.h"
#include "responder.h"

#define MAX_OPS		96
#define RING_SLOTS	32
#define MAX_RD		16
#define MEM_BASE	0x7f5500001000ULL
#define GOOD_RKEY	0x1234
#define COUNTERS	8	/* atomics: u64 each, behind the memory */

struct rng {
	u64 state;
};

u32 rng_below(struct rng *rng, u32 n);
u32 rng_between(struct rng *rng, u32 lo, u32 hi);
bool rng_chance(struct rng *rng, u32 permille);

/* What is wrong with a request. */
enum poison {
	POISON_NONE,
	POISON_RKEY,		/* unknown R_Key */
	POISON_RANGE,		/* runs over the end of the region */
	POISON_WRAP,		/* runs over the end of the address space */
	POISON_MISALIGNED,	/* atomic */
	POISON_TOO_LONG,	/* receive buffer is a byte short */
	POISON_RECV_KEY,	/* L_Key of the receive buffer fails */
	POISON_AT_POST,		/* known to be bad when posted */
	POISON_SOURCE,		/* L_Key fails when it is to be sent */
	POISON_SINK,		/* L_Key fails when the answer comes */
	POISON_READ_GONE,	/* R_Key fails while the READ is answered */
	POISONS
};

struct op {
	u8 op;			/* enum xroce_wr_op */
	u8 flags;
	u8 poison;
	u32 len;
	u32 src;		/* offset in the sender's source bytes */
	u32 at;			/* offset in the receiver's memory */
	u64 compare;
	u64 swap_add;
	u32 imm;
	u32 inv_rkey;
	u32 delay;		/* ns after the one before was posted */
	u32 recv_delay;		/* the same for its receive request */
	/* READ, atomics: what came and what the model says */
	u8 *got;
	u8 *want;
};

/* The naive twin of one direction: ops take effect one after the other. */
struct model {
	struct op *ops;
	u32 n_ops;
	u8 *source;		/* sender's bytes, constant */
	u8 *mem;		/* receiver's memory as it should be */
	u32 mem_len;
	u32 executed;		/* ops that have taken effect */
	u32 next_recv;		/* where to look for the next message */
};

bool op_takes_recv(const struct op *op);
bool op_is_rd(const struct op *op);
/* On a word of its own: atomics. */
bool op_is_atomic(const struct op *op);
bool op_is_local(const struct op *op);
void model_run(struct model *model, u32 end);
/* The op whose message the next receive completion must report. */
struct op *model_next_recv(struct model *model, u32 *index);

struct params {
	u8 service;
	u32 pmtu;
	u32 psn;		/* of this node's requester */
	struct xroce_req_cfg req;
	struct xroce_resp_cfg resp;
	u32 ring_slots;
	u32 max_run;		/* packets per run */
	u32 run_delay;		/* ns an owner may wait to collect a batch */
	u32 keep_fails;		/* permille: no memory to keep a packet */
	u32 unsent;		/* permille: a burst does not leave as a whole */
	bool is_like_rxe;	/* answers repeated READs with MIDDLE and LAST */
	u32 holds;		/* permille: SQD now and then */
	u32 ghosts;		/* permille: answers to what was never sent */
};

struct link_params {
	u32 loss, dup, corrupt, reorder;	/* permille */
	u32 delay, jitter;			/* ns */
	u32 ns_per_kb;
};

struct slot {
	struct xroce_wr wr;
	u32 op;
};

struct recv {
	u8 *buf;
	u32 len;
	u32 op;
};

#define WATCHED_PSNS	4096

struct sent {
	bool is_used;
	u8 opcode;
	u32 psn;
	u32 len;
};

struct watch {
	bool has_sent, in_read, has_answered, has_nakked;
	u32 next_psn;		/* after the last packet sent, repairs apart */
	u32 silence;
	u32 read_psn;		/* next of the answer to a READ */
	u32 answered_psn;	/* behind the youngest READ answered to its end */
	u32 nak_psn;
	u64 quiet_until;	/* RNR */
	u32 mishaps;		/* of the links, at the last progress */
	struct sent sent[WATCHED_PSNS];
};

struct world;
struct packet;

struct node {
	struct world *world;
	struct node *peer;
	const char *name;
	struct params params;
	struct xroce_req req;
	struct xroce_resp resp;
	struct xroce_rd rd[MAX_RD];
	struct slot ring[RING_SLOTS];
	struct model out;	/* what this node sends */

	u8 *mem;		/* what the peer may write and read */
	struct packet *packets[XROCE_KEEP];	/* by PSN */
	struct xroce_kept kept;
	struct xroce_gap gaps[XROCE_GAPS];
	struct recv recvs[MAX_OPS];
	u32 recvs_posted;
	u32 recvs_taken;
	struct recv *recv;	/* taken and not completed */
	u32 recvs_done;

	u32 posted_ops;
	u32 reaped;
	u32 executed;		/* local requests, one past the last */
	u32 failed_at;		/* op that failed, MAX_OPS = none */
	u8 failed_status;
	u8 last_event;		/* enum xroce_event */
	bool is_closing;	/* to error once output ran dry */
	bool is_dead;
	bool run_scheduled;
	u32 messages_in;
	struct watch watch;
	u32 sent_pkts, input_pkts, drops[XROCE_DROPS];
};

struct packet {
	u32 len;
	u8 bytes[];
};

struct link {
	struct link_params params;
	u64 busy_until;
	u32 sent, lost, doubled, damaged, reordered;
	/* scenarios: return true to lose @pkt, the @nth of this direction */
	bool (*filter)(struct world *world, const struct xroce_pkt *pkt,
		       u32 nth);
};

enum event_kind { EVENT_PACKET, EVENT_RUN, EVENT_POST, EVENT_RECV, EVENT_HOLD };

struct event {
	u64 at;
	u64 order;
	enum event_kind kind;
	struct node *node;
	struct packet *packet;
};

struct world {
	u64 now;
	u64 order;
	u64 seed;
	struct rng rng;
	struct node node[2];
	struct link link[2];	/* [i]: away from node i */
	struct event *heap;
	u32 n_events, max_events;
	void *cookie;		/* scenarios */
	bool is_traced;
};

/* world.c */
void world_init(struct world *world, u64 seed);
void world_fini(struct world *world);
void world_at(struct world *world, u64 delay, enum event_kind kind,
	      struct node *node, struct packet *packet);
void world_run(struct world *world);

/* workload.c */
void workload_random(struct world *world);
void workload_plain(struct world *world, u8 service, u32 pmtu);
/* The same with messages of up to @max_len bytes. */
void workload_long(struct world *world, u8 service, u32 pmtu, u32 max_len);
struct op *workload_add(struct node *node, u8 op, u32 len);

/* node.c */
void node_start(struct node *node);
void node_fini(struct node *node);
void node_event(struct node *node, const struct event *event);
void node_expire(struct node *node);
u64 node_deadline(const struct node *node);
void node_check_end(struct node *node);

/* watch.c */
void watch_request(struct node *node, const struct xroce_pkt *pkt,
		   bool is_repair);
void watch_response(struct node *node, const struct xroce_pkt *pkt);
void watch_input(struct node *node, const struct xroce_pkt *pkt, u32 una_psn);

/* link.c */
u32 link_mishaps(const struct link *link);
void link_send(struct node *from, const struct xroce_pkt *pkt,
	       const u8 *payload);
bool link_open(const struct packet *packet, struct xroce_pkt *pkt,
	       const u8 **payload);

/* sim.c */
__attribute__((noreturn, format(printf, 2, 3)))
void sim_fail(const struct world *world, const char *fmt, ...);
__attribute__((format(printf, 2, 3)))
void sim_trace(const struct world *world, const char *fmt, ...);

#define SIM_CHECK(world, cond) do {					\
	if (!(cond))							\
		sim_fail(world, "%s:%d: %s", __FILE__, __LINE__, #cond); \
} while (0)

#endif
