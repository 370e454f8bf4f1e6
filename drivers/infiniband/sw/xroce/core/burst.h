/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the engine asks the back end to send: n consecutive packets of one
 * message, each full but the last. One packet is the common small case; a
 * back end that can segment takes the whole run at once.
 */
#ifndef XROCE_CORE_BURST_H
#define XROCE_CORE_BURST_H

#include <linux/types.h>
#include "wire.h"
#include "wr.h"

enum xroce_source {
	XROCE_FROM_NOWHERE,	/* no payload */
	XROCE_FROM_WR,		/* gather list of @wr */
	XROCE_FROM_MR,		/* responder: memory behind @rkey */
};

/**
 * struct xroce_burst - a run of packets
 * @first: header of the first packet, complete (opcode, dest_qp, pkey, psn, ...)
 *	but for info, hdr_len, payload_len and pad, which are not read; ImmDt,
 *	IETH and AETH fields are those of whichever packet of the run has them
 * @source: where the payload comes from
 * @wr: requester: the work request
 * @offset: first payload byte of the run, counted from the start of the message
 * @rkey: responder, XROCE_FROM_MR
 * @va: responder: address of the byte at @offset
 * @bytes: payload of all packets together
 * @npkts: at least 1
 * @pmtu: payload of every packet but the last of the run
 * @is_last: the run ends its message
 * @middle_opcode: of packets 1.. but the one that ends the message; not used
 *	if there is none
 * @last_opcode: of packet npkts - 1 if npkts > 1 and @is_last
 * @ack_req_last: the last packet of the run, be it the last of the message or
 *	not, asks for an ack. first.ack_req is for packet 0 alone
 * @is_repair: requester: sent once more, out of turn
 * @is_again: requester: sent once more, since it seems to have been lost
 * @max_psn: requester: one past the newest PSN that had been sent before
 * @solicited_last: the last packet of the message has BTH SE; no effect
 *	without @is_last
 *
 * Packet i carries the @bytes from i * pmtu on: pmtu of them, the last packet of
 * the run what is left. @middle_opcode and what follows say how packets 1..
 * differ from the first; back ends use xroce_burst_packet() instead.
 */
struct xroce_burst {
	struct xroce_pkt first;
	enum xroce_source source;
	struct xroce_wr *wr;
	u32 offset;
	u32 rkey;
	u64 va;
	u32 bytes;
	u32 npkts;
	u32 pmtu;
	u32 max_psn;
	bool is_last;
	u8 middle_opcode;
	u8 last_opcode;
	bool ack_req_last;
	bool is_repair;
	bool is_again;
	bool solicited_last;
};

/*
 * The header of packet @i < npkts, ready for xroce_wire_build(): info, hdr_len,
 * payload_len and pad are set. The opcodes in @burst must exist.
 */
void xroce_burst_packet(const struct xroce_burst *burst, u32 i,
			struct xroce_pkt *pkt);

#endif
