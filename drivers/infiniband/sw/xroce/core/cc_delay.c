// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control by delay, after Swift (Kumar et al., SIGCOMM 2020): a window
 * that grows by a packet each round trip while the delay is below a target, and
 * shrinks with the excess, at most once each round trip. It needs no switch.
 *
 *	              delay
 *	  target ......|......|\...........   target = base RTT + queueing wanted
 *	               |  /|  | \  /|         + more for small windows: with many
 *	               | / | /|  \/ |         flows each of them keeps a packet
 *	               |/  |/ |               in the queue
 *	               +--------------> time
 *
 * A window may be less than a packet: what is sent is paced, too. As long as no
 * delay was above the target nothing is limited.
 *
 * The other end's clock is not known, so the delay is that of the whole round trip,
 * and the base RTT is the shortest seen. It is forgotten after a while and found
 * anew with a small window: who came later saw others' queues in it. The shortest
 * delay of a round counts, since acknowledgements are merged and programs late.
 */
#include <linux/build_bug.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include "cc.h"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_SEC	1000000000ULL

/* Round trips below the target before growth is doubled. */
#define GOOD_ROUNDS	5U
#define MAX_GROWTH	8U
/* No cut leaves less than this part of the window. */
#define LEAST_KEPT_NUM	1U
#define LEAST_KEPT_DEN	2U
/* Packets that fly while the base RTT is looked for. */
#define PROBE_PKTS	2U
/* And how long at least, so that others see the queue go and look, too. */
#define PROBE_NS	(4 * 1000 * NSEC_PER_USEC)
/* Less than 1/64 packet in a round trip is left to rpg_min_rate. */
#define LEAST_SHARE	64U

/**
 * struct delay - private block
 * @window: bytes in a round trip
 * @round_at: when the present round began
 * @least: shortest delay in it, 0 = none yet
 * @good: rounds in a row below the target
 * @is_limited: a delay was above the target
 * @is_probing: looking for the base RTT, since @round_at
 */
struct delay {
	u64 window;
	u64 round_at;
	u64 least;
	u32 good;
	bool is_limited;
	bool is_probing;
};

static struct delay *delay_of(struct xroce_cc *cc)
{
	BUILD_BUG_ON(sizeof(struct delay) > sizeof(cc->priv));
	return (struct delay *)cc->priv;
}

/* 1 / sqrt(window in packets), of 16; never more than for one packet. */
static u32 scale(const struct xroce_cc *cc, u64 window)
{
	u64 pkts = div_u64(window, cc->pmtu);

	if (pkts <= 1)
		return 16;
	return 256 / (u32)int_sqrt(min_t(u64, pkts * 256, U32_MAX));
}

static u64 target(struct xroce_cc *cc)
{
	const struct xroce_cc_params *params = cc->params;
	u64 more = params->delay_scaling * NSEC_PER_USEC *
		   scale(cc, delay_of(cc)->window) / 16;

	return cc->base_rtt + params->delay_target * NSEC_PER_USEC + more;
}

static void apply(struct xroce_cc *cc)
{
	struct delay *delay = delay_of(cc);
	u64 least = cc->pmtu / LEAST_SHARE + 1;
	u64 most = 2 * mul_u64_u64_div_u64(cc->line_rate, cc->srtt,
					   NSEC_PER_SEC);

	delay->window = clamp(delay->window, least, max(most, least));
	cc->window = (u32)clamp_t(u64, delay->window, PROBE_PKTS * cc->pmtu,
				  U32_MAX);
	if (delay->is_probing)
		cc->window = PROBE_PKTS * cc->pmtu;
	cc->rate = max(mul_u64_u64_div_u64(delay->window, NSEC_PER_SEC,
					   max_t(u64, cc->srtt, 1)),
		       xroce_cc_mbps(cc->params->rpg_min_rate));
	/* Bunches of acknowledgements must not starve a window of some size. */
	if (delay->window > 4 * cc->pmtu)
		cc->rate += cc->rate / 4;
}

static void unlimit(struct xroce_cc *cc)
{
	delay_of(cc)->is_limited = false;
	cc->rate = XROCE_CC_UNLIMITED;
	cc->window = U32_MAX;
}

static void shrink(struct xroce_cc *cc, u64 num, u64 den)
{
	struct delay *delay = delay_of(cc);

	if (num * LEAST_KEPT_DEN < den * LEAST_KEPT_NUM) {
		num = LEAST_KEPT_NUM;
		den = LEAST_KEPT_DEN;
	}
	delay->window = mul_u64_u64_div_u64(delay->window, num, den);
	delay->good = 0;
}

/* The first sign of a queue: what arrived in a round trip is what fits. */
static void limit(struct xroce_cc *cc)
{
	struct delay *delay = delay_of(cc);
	u64 rate = cc->delivery ? cc->delivery : cc->line_rate / 2;

	delay->is_limited = true;
	delay->good = 0;
	delay->window = mul_u64_u64_div_u64(rate, cc->base_rtt, NSEC_PER_SEC);
}

static void grow(struct xroce_cc *cc)
{
	struct delay *delay = delay_of(cc);
	u32 pkts = 1;

	if (++delay->good > GOOD_ROUNDS)
		pkts = min(delay->good - GOOD_ROUNDS + 1, MAX_GROWTH);
	/* Less than a packet grows by its like. */
	delay->window += delay->window < cc->pmtu ?
			 min_t(u64, delay->window, cc->pmtu / 8) :
			 pkts * cc->pmtu;
}

static void end_round(struct xroce_cc *cc, u64 now)
{
	struct delay *delay = delay_of(cc);
	u64 want = target(cc);
	u64 got = delay->least;

	delay->round_at = now;
	delay->least = 0;
	if (delay->is_probing) {
		delay->is_probing = false;
	} else if (got <= want) {
		grow(cc);
	} else {
		/* 0.8 of the excess: Swift's beta. */
		shrink(cc, got - (got - want) * 4 / 5, got);
	}
	apply(cc);
	/* More than twice the link fits: nothing to hold back. */
	if (cc->rate >= cc->line_rate)
		unlimit(cc);
}

static void probe(struct xroce_cc *cc, u64 rtt, u64 now)
{
	struct delay *delay = delay_of(cc);

	cc->base_rtt = rtt;
	cc->base_at = now;
	delay->is_probing = true;
	delay->round_at = now;
	delay->least = 0;
	apply(cc);
}

static u64 round_length(struct xroce_cc *cc)
{
	return delay_of(cc)->is_probing ? max(cc->srtt, PROBE_NS) : cc->srtt;
}

static void take_delay(struct xroce_cc *cc, u64 rtt, u64 now)
{
	struct delay *delay = delay_of(cc);

	if (!delay->least || rtt < delay->least)
		delay->least = rtt;
	if (!delay->is_limited) {
		delay->window = U32_MAX;
		if (now - delay->round_at < cc->srtt)
			return;
		if (delay->least > target(cc)) {
			limit(cc);
			apply(cc);
		}
		delay->round_at = now;
		delay->least = 0;
			return;
	}
	if (now - cc->base_at > cc->params->delay_probe_interval * NSEC_PER_USEC)
		probe(cc, rtt, now);
	else if (now - delay->round_at >= round_length(cc))
		end_round(cc, now);
}

static void delay_init(struct xroce_cc *cc)
{
	unlimit(cc);
}

static void delay_acked(struct xroce_cc *cc, u32 bytes, u64 rtt, u64 now)
{
	if (rtt)
		take_delay(cc, rtt, now);
}

/* A loss alone says nothing of a queue; nothing arriving does. */
static void delay_lost(struct xroce_cc *cc, bool is_timeout, u64 now)
{
	struct delay *delay = delay_of(cc);

	if (!is_timeout || !cc->srtt)
		return;
	if (!delay->is_limited)
		limit(cc);
	shrink(cc, LEAST_KEPT_NUM, LEAST_KEPT_DEN);
	apply(cc);
}

const struct xroce_cc_ops xroce_cc_delay = {
	.name = "delay",
	.init = delay_init,
	.acked = delay_acked,
	.lost = delay_lost,
};
