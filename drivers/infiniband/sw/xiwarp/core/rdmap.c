// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One RDMAP stream: its beginning. See input.c, output.c, sendq.c, abort.c.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include "rdmap.h"

void xiwarp_rdmap_init(struct xiwarp_rdmap *s, const struct xiwarp_rdmap_cfg *cfg,
		       const struct xiwarp_sq *sq, struct xiwarp_rd *rd)
{
	int qn;

	memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	s->sq = *sq;
	s->rd = rd;
	s->is_rtr_due = cfg->rtr_send;
	for (qn = 0; qn < XIWARP_QUEUES; qn++) {
		s->tx_msn[qn] = 1;
		s->rx_msn[qn] = 1;
	}
	xiwarp_rdmap_set_mulpdu(s, cfg->mulpdu);
	xiwarp_deframer_init(&s->deframer, cfg->rx_markers, cfg->crc);
}

void xiwarp_rdmap_set_mulpdu(struct xiwarp_rdmap *s, u32 mulpdu)
{
	s->cfg.mulpdu = clamp_t(u32, mulpdu, XIWARP_MIN_MULPDU, 65535U);
}

bool xiwarp_rdmap_may_end(const struct xiwarp_rdmap *s)
{
	return s->is_broken || xiwarp_deframer_is_idle(&s->deframer);
}
