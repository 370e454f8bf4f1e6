// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DCQCN, the reaction point (Zhu et al., SIGCOMM 2015), with the parameters that
 * NICs have.
 *
 *	          CNP: target = rate, rate -= rate * alpha / 2
 *	   +------------------------------------------------------+
 *	   v                                                      |
 *	fast recovery ---> additive increase ---> hyper increase --+--> unlimited
 *	(rate + target) / 2   target += AI          target += n * HAI   (line rate)
 *	  for F steps         and the same          once both time and
 *	                                            bytes made F steps
 *
 * A step is taken by time and by bytes sent, each counted on its own. alpha, the
 * share of the last intervals that had a CNP, falls by 1 - g in those without.
 *
 * There are no timers: what would have happened since the last event is made up
 * for when the QP sends again or a CNP comes. And no interval is shorter than the
 * round trip or the gap between two packets, since nothing is heard sooner: NICs
 * with their few us of delay need not care, we do.
 */
#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include "cc.h"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_SEC	1000000000ULL

/* alpha has 24 fractional bits: with fewer it stops falling far from 0. */
#define ALPHA_BITS	24
#define ALPHA_ONE	(1U << ALPHA_BITS)
/* What NICs show of it has 10. */
#define SHOWN_BITS	10

/* After so many intervals without a CNP alpha is as good as 0. */
#define MAX_DECAY	2048U
/* Steps made up for at once; more would have reached the line rate. */
#define MAX_STEPS	64U

/* Packets that may fly at any rate. */
#define WINDOW_FLOOR	4U

/**
 * struct dcqcn - private block
 * @target: rate to go back to
 * @alpha: 0..ALPHA_ONE
 * @alpha_at: of the last CNP or update
 * @cut_at: of the last cut
 * @step_at: of the last step by time
 * @bytes: sent since the last step by bytes
 * @time_steps: since the last cut
 * @byte_steps: since the last cut
 */
struct dcqcn {
	u64 target;
	u64 alpha_at;
	u64 cut_at;
	u64 step_at;
	u64 bytes;
	u32 alpha;
	u32 time_steps;
	u32 byte_steps;
};

static struct dcqcn *dcqcn_of(struct xroce_cc *cc)
{
	BUILD_BUG_ON(sizeof(struct dcqcn) > sizeof(cc->priv));
	return (struct dcqcn *)cc->priv;
}

static u64 line_rate(const struct xroce_cc *cc)
{
	u64 most = xroce_cc_mbps(cc->params->rpg_max_rate);

	return most ? min(most, cc->line_rate) : cc->line_rate;
}

static u64 interval(const struct xroce_cc *cc, u32 us)
{
	u64 gap = div64_u64((cc->pmtu + 2 * XROCE_CC_FRAME_BYTES) *
			    NSEC_PER_SEC, cc->rate);

	return max(us * NSEC_PER_USEC, max(cc->srtt, gap));
}

static void set_rate(struct xroce_cc *cc, u64 rate)
{
	u64 least = xroce_cc_mbps(cc->params->rpg_min_rate);
	u64 window;

	cc->rate = clamp(rate, min(least, line_rate(cc)), line_rate(cc));
	window = 2 * mul_u64_u64_div_u64(cc->rate, cc->base_rtt, NSEC_PER_SEC);
	cc->window = (u32)clamp_t(u64, window, WINDOW_FLOOR * cc->pmtu, U32_MAX);
}

static void forget(struct xroce_cc *cc)
{
	cc->rate = XROCE_CC_UNLIMITED;
	cc->window = U32_MAX;
}

/* ---- alpha ------------------------------------------------------------------ */

static u32 decay(const struct xroce_cc *cc, u32 alpha)
{
	return (u32)((u64)alpha * cc->params->dce_tcp_g >> SHOWN_BITS);
}

/* Intervals without a CNP. */
static void lower_alpha(struct xroce_cc *cc, u64 now)
{
	struct dcqcn *cn = dcqcn_of(cc);
	u64 every = interval(cc, cc->params->dce_tcp_rtt);
	u64 n = div64_u64(now - cn->alpha_at, every);

	cn->alpha_at += n * every;
	for (n = min_t(u64, n, MAX_DECAY); n && cn->alpha; n--)
		cn->alpha = decay(cc, cn->alpha);
}

static void raise_alpha(struct xroce_cc *cc)
{
	struct dcqcn *cn = dcqcn_of(cc);
	u32 g = 1024 - cc->params->dce_tcp_g;

	cn->alpha = decay(cc, cn->alpha) + (g << (ALPHA_BITS - SHOWN_BITS));
}

/* ---- decrease ----------------------------------------------------------------- */

static void begin(struct xroce_cc *cc, u64 now)
{
	const struct xroce_cc_params *params = cc->params;
	struct dcqcn *cn = dcqcn_of(cc);
	u64 rate = xroce_cc_mbps(params->rate_to_set_on_first_cnp);

	if (!rate)
		rate = cc->delivery;
	if (!rate)
		rate = line_rate(cc);
	*cn = (struct dcqcn){
		.alpha = params->initial_alpha_value == 1023 ? ALPHA_ONE :
			 params->initial_alpha_value << (ALPHA_BITS - SHOWN_BITS),
		.alpha_at = now,
	};
	set_rate(cc, rate);
	cn->target = cc->rate;
	cn->time_steps = 1;
}

static void cut(struct xroce_cc *cc, u64 now)
{
	const struct xroce_cc_params *params = cc->params;
	struct dcqcn *cn = dcqcn_of(cc);
	u64 less = cc->rate * cn->alpha >> (ALPHA_BITS - SHOWN_BITS + params->rpg_gd);
	u64 most = div_u64(cc->rate * (100 - params->rpg_min_dec_fac), 100);

	if (params->clamp_tgt_rate ||
	    (params->clamp_tgt_rate_after_time_inc && cn->time_steps))
		cn->target = cc->rate;
	set_rate(cc, cc->rate - min(less, most));
	raise_alpha(cc);
	cn->cut_at = now;
	cn->bytes = 0;
	cn->time_steps = 0;
	cn->byte_steps = 0;
}

/* ---- increase ------------------------------------------------------------------- */

static void step(struct xroce_cc *cc)
{
	const struct xroce_cc_params *params = cc->params;
	struct dcqcn *cn = dcqcn_of(cc);
	u32 least = min(cn->time_steps, cn->byte_steps);

	if (least > params->rpg_threshold)
		cn->target += (least - params->rpg_threshold) *
			      xroce_cc_mbps(params->rpg_hai_rate);
	else if (max(cn->time_steps, cn->byte_steps) >= params->rpg_threshold)
		cn->target += xroce_cc_mbps(params->rpg_ai_rate);
	cn->target = min(cn->target, line_rate(cc));
	set_rate(cc, (cc->rate + cn->target) / 2);
	/* As fast as the link: there is nothing to hold back. */
	if (cc->rate >= line_rate(cc) - line_rate(cc) / 128)
		forget(cc);
}

static void step_by_time(struct xroce_cc *cc, u64 now)
{
	struct dcqcn *cn = dcqcn_of(cc);
	u32 n;

	for (n = 0; n < MAX_STEPS; n++) {
		u64 every = interval(cc, cc->params->rpg_time_reset);

		if (now - cn->step_at < every)
			return;
		cn->step_at += every;
		cn->time_steps++;
		step(cc);
		if (cc->rate == XROCE_CC_UNLIMITED)
			return;
	}
	cn->step_at = now;
}

static void step_by_bytes(struct xroce_cc *cc, u32 bytes)
{
	struct dcqcn *cn = dcqcn_of(cc);
	u64 every = cc->params->rpg_byte_reset * 64ULL;

	cn->bytes += bytes;
	if (!every || cn->bytes < every)
		return;
	cn->bytes = 0;
	cn->byte_steps++;
	step(cc);
}

/* ---- hooks ---------------------------------------------------------------------- */

static void dcqcn_init(struct xroce_cc *cc)
{
	forget(cc);
}

static void dcqcn_sent(struct xroce_cc *cc, u32 bytes, u64 now)
{
	if (cc->rate == XROCE_CC_UNLIMITED)
		return;
	lower_alpha(cc, now);
	step_by_time(cc, now);
	if (cc->rate != XROCE_CC_UNLIMITED)
		step_by_bytes(cc, bytes);
}

static void dcqcn_cnp(struct xroce_cc *cc, u64 now)
{
	struct dcqcn *cn = dcqcn_of(cc);
	u32 period = cc->params->rate_reduce_monitor_period;
	bool is_first;

	if (cc->rate != XROCE_CC_UNLIMITED) {
		lower_alpha(cc, now);
		step_by_time(cc, now);
	}
	is_first = cc->rate == XROCE_CC_UNLIMITED;
	if (is_first)
		begin(cc, now);
	cn->alpha_at = now;
	cn->step_at = now;
	if (is_first || now - cn->cut_at >= interval(cc, period))
		cut(cc, now);
}

/* A timeout is the strongest sign of all, and the only one without marking. */
static void dcqcn_lost(struct xroce_cc *cc, bool is_timeout, u64 now)
{
	if (is_timeout)
		dcqcn_cnp(cc, now);
}

const struct xroce_cc_ops xroce_cc_dcqcn = {
	.name = "dcqcn",
	.init = dcqcn_init,
	.sent = dcqcn_sent,
	.lost = dcqcn_lost,
	.cnp = dcqcn_cnp,
};
