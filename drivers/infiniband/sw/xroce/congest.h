/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion: marks seen on receive become CNPs (notification point), CNPs become
 * lower rates (reaction point). The arithmetic is in core/cc.
 */
#ifndef XROCE_CONGEST_H
#define XROCE_CONGEST_H

#include <linux/atomic.h>
#include "core/burst.h"
#include "core/cc.h"

struct sk_buff;
struct xroce_av;
struct xroce_dev;
struct xroce_qp;

#define XROCE_CNP_PEERS	64

/*
 * Parameters of the notification point, as NICs have them: us, DSCP, priority.
 * X(name, default, least, most)
 */
#define XROCE_NP_PARAMS(X)					\
	X(enable,			1,	0, 1)		\
	X(min_time_between_cnps,	50,	0, 131071)	\
	X(cnp_dscp,			48,	0, 63)		\
	X(cnp_802p_prio,		6,	0, 7)

#define XROCE_NP_PARAM(name, def, least, most) u32 name;
struct xroce_np_params {
	XROCE_NP_PARAMS(XROCE_NP_PARAM)
};
#undef XROCE_NP_PARAM

/**
 * struct xroce_congest - of a device; parameters may be written at any time
 * @algorithm: for QPs that are connected from now on
 * @ecn: they say that they react to marks, if the algorithm does
 * @rp: reaction point
 * @np: notification point
 * @mbps: of the link, 0 = unknown
 * @cnp_at: when the last CNP was sent to a peer with this hash, ns
 */
struct xroce_congest {
	const struct xroce_cc_ops *algorithm;
	u32 ecn;
	struct xroce_cc_params rp;
	struct xroce_np_params np;
	u32 mbps;
	atomic64_t cnp_at[XROCE_CNP_PEERS];
};

/**
 * struct xroce_qp_congest - of a QP, belongs to the owner
 * @cnp_at: when the last CNP was sent, ns
 * @held_until: something waits until then; 0 = nothing does
 * @departs: when the burst that is being sent may leave, ns; 0 = at once
 * @qdisc: of the way out when it was last looked at; compared, never followed
 * @has_fq: it was fq
 * @owes_cnp: one is to be sent
 */
struct xroce_qp_congest {
	u64 cnp_at;
	u64 held_until;
	u64 departs;
	const void *qdisc;
	bool has_fq;
	bool owes_cnp;
};

void xroce_congest_init(struct xroce_congest *congest);

/* The memory of a new QP, which is all zero. Process. Return: 0 or -ENOMEM. */
int xroce_congest_create(struct xroce_qp *qp);
void xroce_congest_destroy(struct xroce_qp *qp);

/* Nothing is paced, nothing is owed. Owner. */
void xroce_congest_reset(struct xroce_qp *qp);

/* The QP of a connected service is about to send and receive. */
void xroce_congest_start(struct xroce_qp *qp);

/* Attributes changed: address vector, rate limit. */
void xroce_congest_reconfigure(struct xroce_qp *qp);

/* The ECN bits of what @qp, of a connected service, sends by @av. */
void xroce_congest_mark_av(const struct xroce_qp *qp, struct xroce_av *av);

/* A good packet for @qp came in @skb: see whether it was marked on its way. */
void xroce_congest_look(struct xroce_qp *qp, const struct sk_buff *skb);

/* A CNP came for @qp. */
void xroce_congest_cnp(struct xroce_qp *qp, u64 now);

/* Send the CNP that is owed, if any. */
void xroce_congest_answer(struct xroce_qp *qp);

/* How many packets may leave now, at most @max; 0: none, the QP is run again. */
u32 xroce_congest_allows(struct xroce_qp *qp, u32 max, u64 now);

/* @burst goes to the back end now, with qp->congest.departs. */
void xroce_congest_sent(struct xroce_qp *qp, const struct xroce_burst *burst,
			u64 now);

/* The sooner of @at and of when something held up may leave. */
u64 xroce_congest_deadline(const struct xroce_qp *qp, u64 at);

#endif
