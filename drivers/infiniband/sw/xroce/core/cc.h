/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion control: how fast and how far ahead a QP may send. An algorithm is
 * a set of hooks with a private block, found by name; nobody else knows which one
 * it is. Times are in ns, rates in bytes per second on the wire.
 *
 *	sent, acked, lost, CNP --> algorithm --> rate, window
 *
 * A rate of XROCE_CC_UNLIMITED means that nothing was heard of congestion: such a
 * QP costs a comparison a burst.
 */
#ifndef XROCE_CORE_CC_H
#define XROCE_CORE_CC_H

#include <linux/limits.h>
#include <linux/types.h>

#define XROCE_CC_UNLIMITED	U64_MAX
#define XROCE_CC_PRIV_WORDS	12

/* Bytes of a packet on the wire besides its IP packet: MAC, FCS, preamble, gap. */
#define XROCE_CC_FRAME_BYTES	38

/*
 * Parameters of the reaction point, with the names and units that the drivers of
 * NICs have for them: us, Mbit/s, alpha of 1024. X(name, default, least, most)
 */
#define XROCE_RP_PARAMS(X)						\
	X(clamp_tgt_rate,		0,	0, 1)			\
	X(clamp_tgt_rate_after_time_inc, 1,	0, 1)			\
	X(rpg_time_reset,		1000,	1, 131071)		\
	X(rpg_byte_reset,		32767,	0, 32767)		\
	X(rpg_threshold,		1,	1, 31)			\
	X(rpg_max_rate,			0,	0, 1000000)		\
	X(rpg_ai_rate,			5,	1, 1000000)		\
	X(rpg_hai_rate,			50,	1, 1000000)		\
	X(rpg_gd,			11,	0, 15)			\
	X(rpg_min_dec_fac,		50,	1, 100)			\
	X(rpg_min_rate,			1,	1, 1000000)		\
	X(rate_to_set_on_first_cnp,	0,	0, 1000000)		\
	X(dce_tcp_g,			1019,	0, 1023)		\
	X(dce_tcp_rtt,			1,	1, 131071)		\
	X(rate_reduce_monitor_period,	4,	1, 131071)		\
	X(initial_alpha_value,		1023,	1, 1023)		\
	X(delay_target,			200,	10, 1000000)		\
	X(delay_scaling,		2000,	0, 1000000)		\
	X(delay_probe_interval,		1000000, 10000, 100000000)

/**
 * struct xroce_cc_params - parameters, of a device
 * @clamp_tgt_rate: each cut makes the old rate the target
 * @clamp_tgt_rate_after_time_inc: so does the first after an increase by time
 * @rpg_time_reset: us between increases by time
 * @rpg_byte_reset: units of 64 bytes between increases by bytes, 0 = none
 * @rpg_threshold: steps of fast recovery
 * @rpg_max_rate: Mbit/s, 0 = that of the link
 * @rpg_ai_rate: Mbit/s of an additive increase
 * @rpg_hai_rate: Mbit/s of a hyper increase
 * @rpg_gd: a cut is alpha * 1024 / 2^rpg_gd
 * @rpg_min_dec_fac: least per cent of the rate that a cut leaves
 * @rpg_min_rate: Mbit/s
 * @rate_to_set_on_first_cnp: Mbit/s, 0 = what arrived lately
 * @dce_tcp_g: 1 - g, of 1024
 * @dce_tcp_rtt: us between updates of alpha
 * @rate_reduce_monitor_period: us between cuts
 * @initial_alpha_value: of 1024
 * @delay_target: us of queueing that are aimed at
 * @delay_scaling: us more for a window of one packet, less for larger ones
 * @delay_probe_interval: us that a base RTT is believed
 */
#define XROCE_CC_PARAM(name, def, least, most) u32 name;
struct xroce_cc_params {
	XROCE_RP_PARAMS(XROCE_CC_PARAM)
};
#undef XROCE_CC_PARAM

extern const struct xroce_cc_params xroce_cc_defaults;

struct xroce_cc_ops;

/**
 * struct xroce_cc - congestion control of one QP
 * @ops: NULL until xroce_cc_init()
 * @params: those of the device; may change at any time
 * @line_rate: of the link
 * @cap: what the user allows, XROCE_CC_UNLIMITED if he doesn't mind
 * @pmtu: payload bytes of a full packet
 * @rate: what the algorithm allows, XROCE_CC_UNLIMITED
 * @window: bytes it lets fly, U32_MAX = no limit
 * @next_send: when the next packet may leave
 * @srtt: smoothed RTT, 0 = none measured
 * @base_rtt: shortest RTT, 0 = none measured
 * @base_at: when that was
 * @round_at: when the present count of acknowledged bytes began
 * @round_bytes: acknowledged since
 * @delivery: bytes per second that were acknowledged lately, 0 = unknown
 * @priv: the algorithm's
 */
struct xroce_cc {
	const struct xroce_cc_ops *ops;
	const struct xroce_cc_params *params;
	u64 line_rate;
	u64 cap;
	u32 pmtu;
	u32 window;
	u64 rate;
	u64 next_send;
	u64 srtt;
	u64 base_rtt;
	u64 base_at;
	u64 round_at;
	u64 round_bytes;
	u64 delivery;
	u64 priv[XROCE_CC_PRIV_WORDS];
};

/**
 * struct xroce_cc_ops - an algorithm
 * @name: what users call it
 * @init: required; @rate and @window of the QP are unlimited before it
 * @sent: optional, for each burst: wire bytes
 * @acked: optional: @bytes of payload arrived; @rtt 0 = not measured
 * @lost: optional: something was lost; @is_timeout: and nothing arrived since
 * @cnp: optional: the peer got a packet that was marked
 */
struct xroce_cc_ops {
	const char *name;
	void (*init)(struct xroce_cc *cc);
	void (*sent)(struct xroce_cc *cc, u32 bytes, u64 now);
	void (*acked)(struct xroce_cc *cc, u32 bytes, u64 rtt, u64 now);
	void (*lost)(struct xroce_cc *cc, bool is_timeout, u64 now);
	void (*cnp)(struct xroce_cc *cc, u64 now);
};

extern const struct xroce_cc_ops xroce_cc_none;
extern const struct xroce_cc_ops xroce_cc_dcqcn;
extern const struct xroce_cc_ops xroce_cc_delay;

/* The algorithm called @name, @len bytes long; NULL if there is none. */
const struct xroce_cc_ops *xroce_cc_find(const char *name, size_t len);

/* The @i-th algorithm, the default first; NULL past the last. */
const struct xroce_cc_ops *xroce_cc_at(unsigned int i);

void xroce_cc_init(struct xroce_cc *cc, const struct xroce_cc_ops *ops,
		   const struct xroce_cc_params *params, u64 line_rate,
		   u32 pmtu);

/* Bytes per second from Mbit/s. */
static inline u64 xroce_cc_mbps(u32 mbps)
{
	return mbps * 125000ULL;
}

/* What both the algorithm and the user allow. */
static inline u64 xroce_cc_rate(const struct xroce_cc *cc)
{
	return cc->rate < cc->cap ? cc->rate : cc->cap;
}

static inline bool xroce_cc_is_paced(const struct xroce_cc *cc)
{
	return xroce_cc_rate(cc) != XROCE_CC_UNLIMITED;
}

/* May a packet leave at @now? */
static inline bool xroce_cc_may_send(const struct xroce_cc *cc, u64 now)
{
	return !xroce_cc_is_paced(cc) || cc->next_send <= now;
}

/* Packets of @bytes wire bytes that may leave in one burst, at least 1. */
u32 xroce_cc_burst(const struct xroce_cc *cc, u32 bytes, u32 max_pkts);

/*
 * @bytes on the wire leave now. Return: when the first of them should be on its
 * way, 0 = at once.
 */
u64 xroce_cc_sent(struct xroce_cc *cc, u32 bytes, u64 now);

/* @bytes of payload were acknowledged; @rtt: 0 = not measured. */
void xroce_cc_acked(struct xroce_cc *cc, u32 bytes, u64 rtt, u64 now);

void xroce_cc_lost(struct xroce_cc *cc, bool is_timeout, u64 now);
void xroce_cc_cnp(struct xroce_cc *cc, u64 now);

#endif
