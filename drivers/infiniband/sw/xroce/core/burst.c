// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From a run to its packets. Knows nothing of QPs: the opcodes of the later
 * packets were chosen by whoever filled the burst.
 */
#include "burst.h"
#include "psn.h"

/* Everything that packet @i has in another way than the first. */
static void set_position(const struct xroce_burst *burst, u32 i, bool is_end,
			 struct xroce_pkt *pkt)
{
	if (i) {
		pkt->psn = xroce_psn_add(pkt->psn, i);
		pkt->opcode = is_end && burst->is_last ? burst->last_opcode :
							 burst->middle_opcode;
		pkt->ack_req = false;
		pkt->solicited = false;
	}
	if (is_end) {
		pkt->ack_req |= burst->ack_req_last;
		pkt->solicited |= burst->is_last && burst->solicited_last;
	}
}

void xroce_burst_packet(const struct xroce_burst *burst, u32 i,
			struct xroce_pkt *pkt)
{
	bool is_end = i == burst->npkts - 1;

	*pkt = burst->first;
	set_position(burst, i, is_end, pkt);
	pkt->info = xroce_opcode_find(pkt->opcode);
	pkt->hdr_len = pkt->info->hdr_len;
	pkt->payload_len = is_end ? burst->bytes - i * burst->pmtu : burst->pmtu;
	pkt->pad = -pkt->payload_len & 3;
}
