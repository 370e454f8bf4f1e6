/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two complete endpoints joined by two byte streams that are cut anywhere.
 *
 *   model.c     what must come out: byte arrays and a list of messages
 *   workload.c  a seed makes parameters and requests
 *   node.c      the owner of one stream: memory, receive requests, ring
 *   sim.c       whose turn it is, and the tests
 */
#ifndef SIM_H
#define SIM_H

#include <linux/types.h>
#include "mpa.h"
#include "rdmap.h"

#define MAX_OPS		64
#define RING_SLOTS	8
#define MAX_IRD		8
#define AREA_BYTES	8192U		/* of each kind of memory */
#define COUNTERS	4
#define MEM_BYTES	(2 * AREA_BYTES + COUNTERS * 8)
#define MEM_BASE	0x00007f5500001000ULL
#define GOOD_STAG	0x123400
#define BAD_STAG	0xdead00
#define PIPE_BYTES	(4U << 20)

struct rng {
	u64 state;
};

u32 rng_below(struct rng *rng, u32 n);
bool rng_chance(struct rng *rng, u32 permille);

/* What is wrong with a request. */
enum poison {
	POISON_NONE,
	POISON_WRITE,		/* unknown STag */
	POISON_WRITE_RANGE,	/* runs over the end of the region */
	POISON_READ,		/* unknown STag */
	POISON_TOO_LONG,	/* receive request is a byte short */
	POISON_NO_RECV,		/* there is none */
	POISON_RECV_KEY,	/* it has no memory */
	POISON_INVALIDATE,	/* STag can't be invalidated */
	POISON_AT_POST,		/* known to be bad when posted */
	POISON_SOURCE,		/* lkey fails when it is to be sent */
	POISON_SINK,		/* lkey fails when the response comes */
	POISON_LOCAL,		/* LOCAL_INV fails */
	POISON_DAMAGE,		/* a bit of the stream changes on the way */
	POISONS
};

struct op {
	u8 op;			/* enum xiwarp_wr_op */
	u8 flags;
	u8 poison;
	u32 len;
	u32 src;		/* offset in the sender's source bytes */
	u32 at;			/* offset in the receiver's memory */
	u64 compare;
	u64 swap_add;
	u32 imm;
	u32 inv;
	u8 *got;		/* READ, atomics: what came */
	u8 *want;		/* what the model says */
};

/* The naive twin of one direction: ops take effect one after the other. */
struct model {
	struct op ops[MAX_OPS];
	u32 n_ops;
	u32 bad_op;		/* the poisoned one, MAX_OPS: none */
	u8 source[AREA_BYTES];	/* sender's bytes, constant */
	u8 mem[MEM_BYTES];	/* receiver's memory as it should be */
	u32 executed;
	u32 next_recv;
};

bool op_takes_recv(const struct op *op);
bool op_is_rd(const struct op *op);
void model_run(struct model *model, u32 end);
/* The op whose message the next receive completion must report. */
struct op *model_next_recv(struct model *model, u32 *index);

struct world;

struct pipe {
	u8 *bytes;
	u32 in, out;
	u32 damage_at;		/* stream offset, ~0: never */
};

struct slot {
	struct xiwarp_wr wr;
	u32 op;
};

struct node {
	struct world *world;
	struct node *peer;
	struct model out;		/* what this node sends */
	struct xiwarp_mpa_policy policy;
	struct xiwarp_mpa_agreed agreed;
	struct xiwarp_rdmap s;
	struct xiwarp_framer framer;
	struct xiwarp_rd rd[MAX_IRD];
	struct slot ring[RING_SLOTS];
	struct pipe pipe;		/* away from this node */
	u8 mem[MEM_BYTES];		/* what the peer may write and read */

	u8 *recv;			/* buffer of the message that arrives */
	u32 recv_len, recv_op;
	u32 recvs;			/* completed */
	u32 posted_ops, reaped;
	u32 failed_at;			/* first op that did not succeed */
	u8 failed_status;
	u8 fault;			/* enum xiwarp_fault this node found */
	u8 told;			/* enum xiwarp_what GOT_TERMINATE came */
	bool is_dead;
	bool is_unsent;			/* bursts without sent() */
	u32 fpdus;
};

struct world {
	u64 seed;
	struct rng rng;
	struct node node[2];		/* 0 is the initiator */
	bool is_traced;
};

/* workload.c */
void workload_random(struct world *world);

/* node.c */
bool node_connect(struct node *initiator, struct node *responder);
void node_start(struct node *node);
void node_fini(struct node *node);
/* Each returns whether anything happened. */
bool node_post(struct node *node);
bool node_input(struct node *node, u32 max_bytes);
bool node_output(struct node *node, u32 max_bytes);
bool node_sent(struct node *node);
void node_check_end(struct node *node);

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
