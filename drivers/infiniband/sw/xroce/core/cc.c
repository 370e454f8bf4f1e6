// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What all algorithms share: their list, the round trip and the rate of arrival,
 * pacing. Pacing is by time of departure: each burst puts off the next one by the
 * time that it takes at the rate. What was not used is not saved up.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "cc.h"

#define NSEC_PER_SEC	1000000000ULL
/* A burst may be this long; a timer's wake-up costs about as much as it sends. */
#define BURST_NS	50000ULL
/* Debts are forgotten beyond this: the rate was raised meanwhile. */
#define DEBT_NS		1000000000ULL

#define PARAM(name, def, least, most) .name = def,
const struct xroce_cc_params xroce_cc_defaults = {
	XROCE_RP_PARAMS(PARAM)
};
#undef PARAM

static void none_init(struct xroce_cc *cc)
{
	cc->rate = XROCE_CC_UNLIMITED;
}

const struct xroce_cc_ops xroce_cc_none = {
	.name = "none",
	.init = none_init,
};

static const struct xroce_cc_ops *const algorithms[] = {
	&xroce_cc_dcqcn,
	&xroce_cc_delay,
	&xroce_cc_none,
};

const struct xroce_cc_ops *xroce_cc_at(unsigned int i)
{
	return i < sizeof(algorithms) / sizeof(algorithms[0]) ? algorithms[i] :
								NULL;
}

const struct xroce_cc_ops *xroce_cc_find(const char *name, size_t len)
{
	const struct xroce_cc_ops *ops;
	unsigned int i;

	for (i = 0; (ops = xroce_cc_at(i)); i++)
		if (strlen(ops->name) == len && !memcmp(ops->name, name, len))
			return ops;
	return NULL;
}

void xroce_cc_init(struct xroce_cc *cc, const struct xroce_cc_ops *ops,
		   const struct xroce_cc_params *params, u64 line_rate,
		   u32 pmtu)
{
	memset(cc, 0, sizeof(*cc));
	cc->ops = ops;
	cc->params = params;
	cc->line_rate = line_rate;
	cc->pmtu = pmtu;
	cc->cap = XROCE_CC_UNLIMITED;
	cc->rate = XROCE_CC_UNLIMITED;
	cc->window = U32_MAX;
	ops->init(cc);
}

u32 xroce_cc_burst(const struct xroce_cc *cc, u32 bytes, u32 max_pkts)
{
	u64 pkts;

	if (!xroce_cc_is_paced(cc))
		return max_pkts;
	pkts = div64_u64(mul_u64_u64_div_u64(xroce_cc_rate(cc), BURST_NS,
					     NSEC_PER_SEC), bytes);
	return (u32)clamp_t(u64, pkts, 1, max_pkts);
}

u64 xroce_cc_sent(struct xroce_cc *cc, u32 bytes, u64 now)
{
	u64 rate = xroce_cc_rate(cc);
	u64 at;

	if (cc->ops->sent)
		cc->ops->sent(cc, bytes, now);
	if (rate == XROCE_CC_UNLIMITED)
		return 0;
	at = clamp(cc->next_send, now, now + DEBT_NS);
	cc->next_send = at + div64_u64(bytes * NSEC_PER_SEC, rate);
	return at;
}

static void take_rtt(struct xroce_cc *cc, u64 rtt, u64 now)
{
	cc->srtt = cc->srtt ? cc->srtt - cc->srtt / 8 + rtt / 8 : rtt;
	if (!cc->base_rtt || rtt <= cc->base_rtt) {
		cc->base_rtt = rtt;
		cc->base_at = now;
	}
}

/* What arrives in a round trip, over its length. */
static void take_bytes(struct xroce_cc *cc, u32 bytes, u64 now)
{
	u64 elapsed = now - cc->round_at;

	cc->round_bytes += bytes;
	if (elapsed < cc->srtt || !elapsed)
		return;
	/* After a pause it says nothing. */
	if (cc->round_at && elapsed < 4 * cc->srtt)
		cc->delivery = mul_u64_u64_div_u64(cc->round_bytes,
						   NSEC_PER_SEC, elapsed);
	cc->round_at = now;
	cc->round_bytes = 0;
}

void xroce_cc_acked(struct xroce_cc *cc, u32 bytes, u64 rtt, u64 now)
{
	if (rtt)
		take_rtt(cc, rtt, now);
	take_bytes(cc, bytes, now);
	if (cc->ops->acked)
		cc->ops->acked(cc, bytes, rtt, now);
}

void xroce_cc_lost(struct xroce_cc *cc, bool is_timeout, u64 now)
{
	if (cc->ops->lost)
		cc->ops->lost(cc, is_timeout, now);
}

void xroce_cc_cnp(struct xroce_cc *cc, u64 now)
{
	if (cc->ops->cnp)
		cc->ops->cnp(cc, now);
}
