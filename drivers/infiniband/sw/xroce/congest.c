// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Congestion: marks, CNPs, pacing (see congest.h). */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/sch_generic.h>
#include "congest.h"
#include "qp.h"
#include "rx.h"
#include "stats.h"
#include "tx.h"

/* As NICs do for all of a peer's QPs together. */
#define PEER_INTERVAL_NS	(4 * NSEC_PER_USEC)

/* What fq may have before its time. */
#define FQ_AHEAD_NS		(1 * NSEC_PER_MSEC)

/* Where the netdev can't tell. */
#define DEFAULT_MBPS	10000

void xroce_congest_init(struct xroce_congest *congest)
{
#define DEFAULT(name, def, least, most) .name = def,
	*congest = (struct xroce_congest) {
		.algorithm = xroce_cc_at(0),
		.ecn = 1,
		.rp = xroce_cc_defaults,
		.np = { XROCE_NP_PARAMS(DEFAULT) },
	};
#undef DEFAULT
}

static struct xroce_congest *congest_of(const struct xroce_qp *qp)
{
	return &xroce_qp_dev(qp)->congest;
}

static bool has_cc(const struct xroce_qp *qp)
{
	return qp->cc && qp->cc->ops;
}

/* ---- set-up ------------------------------------------------------------------- */

static u32 link_mbps(const struct xroce_qp *qp)
{
	return READ_ONCE(congest_of(qp)->mbps) ?: DEFAULT_MBPS;
}

static u64 cap_of(const struct xroce_qp *qp)
{
	int mbps = ib_rate_to_mbps(rdma_ah_get_static_rate(&qp->attr.ah_attr));
	u64 cap = XROCE_CC_UNLIMITED;

	/* rdma_cm gives that of the link: no limit at all. */
	if (mbps > 0 && mbps < link_mbps(qp))
		cap = xroce_cc_mbps(mbps);
	/* kbit/s */
	if (qp->attr.rate_limit)
		cap = min(cap, qp->attr.rate_limit * 125ULL);
	return cap;
}

int xroce_congest_create(struct xroce_qp *qp)
{
	if (qp->service == XROCE_UD)
		return 0;
	qp->cc = kzalloc(sizeof(*qp->cc), GFP_KERNEL_ACCOUNT);
	return qp->cc ? 0 : -ENOMEM;
}

void xroce_congest_destroy(struct xroce_qp *qp)
{
	struct xroce_cc *cc = qp->cc;
	unsigned long flags;

	/* "rdma resource" may look at it still. */
	spin_lock_irqsave(&qp->post_lock, flags);
	qp->cc = NULL;
	spin_unlock_irqrestore(&qp->post_lock, flags);
	kfree(cc);
}

void xroce_congest_reset(struct xroce_qp *qp)
{
	memset(&qp->congest, 0, sizeof(qp->congest));
	if (qp->cc)
		memset(qp->cc, 0, sizeof(*qp->cc));
}

void xroce_congest_start(struct xroce_qp *qp)
{
	struct xroce_congest *congest = congest_of(qp);

	xroce_congest_reset(qp);
	if (!qp->cc)
		return;
	xroce_cc_init(qp->cc,
		      qp->service == XROCE_RC ? READ_ONCE(congest->algorithm) :
						&xroce_cc_none,
		      &congest->rp, xroce_cc_mbps(link_mbps(qp)),
		      ib_mtu_enum_to_int(qp->attr.path_mtu));
	xroce_congest_reconfigure(qp);
}

void xroce_congest_reconfigure(struct xroce_qp *qp)
{
	struct xroce_cc *cc = qp->cc;

	if (!has_cc(qp))
		return;
	cc->cap = cap_of(qp);
	qp->req.cc = qp->service == XROCE_RC ? cc : NULL;
}

void xroce_congest_mark_av(const struct xroce_qp *qp, struct xroce_av *av)
{
	const struct xroce_congest *congest = congest_of(qp);

	/* RoCEv1 has no one to mark and no CNP. */
	if (av->l3 == XROCE_L3_GRH)
		return;
	av->tclass &= ~INET_ECN_MASK;
	/* Who does not react does not claim to. */
	if (qp->service == XROCE_RC && READ_ONCE(congest->ecn) &&
	    READ_ONCE(congest->algorithm)->cnp)
		av->tclass |= INET_ECN_ECT_0;
}

/* ---- notification point ----------------------------------------------------------- */

static bool is_marked(const struct sk_buff *skb)
{
	u8 dsfield;

	switch (xroce_rx_cb((struct sk_buff *)skb)->l3) {
	case XROCE_L3_IPV4:
		dsfield = ipv4_get_dsfield(ip_hdr(skb));
		break;
	case XROCE_L3_IPV6:
		dsfield = ipv6_get_dsfield(ipv6_hdr(skb));
		break;
	default:
		return false;
	}
	return INET_ECN_is_ce(dsfield);
}

/* All QPs of a peer together; peers that share a hash share the allowance. */
static bool peer_may_have_one(struct xroce_qp *qp, u64 now)
{
	u32 hash = jhash2((const u32 *)qp->av->dgid.raw, 4, 0);
	atomic64_t *at = &congest_of(qp)->cnp_at[hash % XROCE_CNP_PEERS];
	u64 last = atomic64_read(at);

	return now - last >= PEER_INTERVAL_NS &&
	       atomic64_cmpxchg(at, last, now) == last;
}

void xroce_congest_look(struct xroce_qp *qp, const struct sk_buff *skb)
{
	const struct xroce_np_params *np = &congest_of(qp)->np;
	u64 interval = READ_ONCE(np->min_time_between_cnps) * NSEC_PER_USEC;
	u64 now;

	if (!is_marked(skb))
		return;
	now = ktime_get_ns();
	xroce_qp_count(qp, XROCE_STAT_NP_ECN_MARKED, 1);
	if (!READ_ONCE(np->enable) || qp->congest.owes_cnp ||
	    (qp->congest.cnp_at && now - qp->congest.cnp_at < interval) ||
	    !peer_may_have_one(qp, now))
		return;
	qp->congest.cnp_at = now;
	qp->congest.owes_cnp = true;
}

void xroce_congest_answer(struct xroce_qp *qp)
{
	const struct xroce_np_params *np = &congest_of(qp)->np;

	if (!qp->congest.owes_cnp)
		return;
	qp->congest.owes_cnp = false;
	qp->congest.departs = 0;
	xroce_qp_count(qp, XROCE_STAT_NP_CNP_SENT, 1);
	xroce_tx_cnp(qp, READ_ONCE(np->cnp_dscp) << 2,
		     READ_ONCE(np->cnp_802p_prio));
}

/* ---- reaction point ------------------------------------------------------------------ */

void xroce_congest_cnp(struct xroce_qp *qp, u64 now)
{
	if (!has_cc(qp) || !qp->cc->ops->cnp) {
		xroce_qp_count(qp, XROCE_STAT_RP_CNP_IGNORED, 1);
		return;
	}
	xroce_qp_count(qp, XROCE_STAT_RP_CNP_HANDLED, 1);
	xroce_cc_cnp(qp->cc, now);
}

/* Of a full packet on the wire; headers more or less. */
static u32 overhead(const struct xroce_qp *qp)
{
	return xroce_icrc_l3_bytes(qp->av->l3) + XROCE_BTH_BYTES +
	       XROCE_ICRC_BYTES + XROCE_CC_FRAME_BYTES;
}

/*
 * fq lets each packet out at its own time: it may have them somewhat sooner. Of the
 * first queue only, and a hint: who is wrong sends a little burst.
 */
static bool has_fq(struct xroce_qp *qp)
{
	const struct dst_entry *dst = qp->route.dst;
	const struct Qdisc *qdisc;

	if (!dst)
		return false;
	rcu_read_lock();
	qdisc = rcu_dereference(netdev_get_tx_queue(dst->dev, 0)->qdisc);
	if (qdisc != qp->congest.qdisc) {
		qp->congest.qdisc = qdisc;
		qp->congest.has_fq = qdisc && !strcmp(qdisc->ops->id, "fq");
	}
	rcu_read_unlock();
	return qp->congest.has_fq;
}

u32 xroce_congest_allows(struct xroce_qp *qp, u32 max, u64 now)
{
	struct xroce_cc *cc = qp->cc;
	u64 ahead;

	if (!has_cc(qp) || !xroce_cc_is_paced(cc))
		return max;
	ahead = has_fq(qp) ? FQ_AHEAD_NS : 0;
	if (!xroce_cc_may_send(cc, now + ahead)) {
		qp->congest.held_until = cc->next_send - ahead / 2;
		return 0;
	}
	return xroce_cc_burst(cc, cc->pmtu + overhead(qp), max);
}

void xroce_congest_sent(struct xroce_qp *qp, const struct xroce_burst *burst,
			u64 now)
{
	struct xroce_cc *cc = qp->cc;

	qp->congest.departs = 0;
	if (has_cc(qp) && xroce_cc_is_paced(cc))
		qp->congest.departs =
			xroce_cc_sent(cc, burst->bytes +
					  burst->npkts * overhead(qp), now);
}

u64 xroce_congest_deadline(const struct xroce_qp *qp, u64 at)
{
	return qp->congest.held_until ? min(at, qp->congest.held_until) : at;
}
