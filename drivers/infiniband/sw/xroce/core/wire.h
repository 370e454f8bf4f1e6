/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The transport packet, from BTH to the ICRC: parsed once into host order,
 * built from the same struct. Knows neither QPs nor the network below.
 */
#ifndef XROCE_CORE_WIRE_H
#define XROCE_CORE_WIRE_H

#include <linux/types.h>
#include "opcode.h"

#define XROCE_ICRC_BYTES	4
/* BTH + AtomicETH is the longest: 40; rounded up for scratch buffers. */
#define XROCE_MAX_HDR_BYTES	48
#define XROCE_UDP_PORT		4791
#define XROCE_ETHERTYPE_V1	0x8915
#define XROCE_DEFAULT_PKEY	0xffff
#define XROCE_MULTICAST_QPN	0xffffff
#define XROCE_CNP_OPCODE	0x81
#define XROCE_GSI_QPN		1
#define XROCE_GSI_QKEY		0x80010000U
#define XROCE_MAX_MESSAGE	(1U << 31)

/* AETH syndrome (IBTA 9.7.5.2.1). */
#define XROCE_AETH_KIND		0x60
#define XROCE_AETH_ACK		0x00
#define XROCE_AETH_RNR_NAK	0x20
#define XROCE_AETH_NAK		0x60
#define XROCE_AETH_VALUE	0x1f
#define XROCE_NAK_PSN_SEQUENCE		0x60
#define XROCE_NAK_INVALID_REQUEST	0x61
#define XROCE_NAK_REMOTE_ACCESS		0x62
#define XROCE_NAK_REMOTE_OPERATION	0x63

/* FETH (IBTA A19): what a FLUSH is to reach, and how much it flushes. */
#define XROCE_FLUSH_GLOBAL	BIT(0)
#define XROCE_FLUSH_PERSISTENT	BIT(1)
#define XROCE_FLUSH_RANGE	0
#define XROCE_FLUSH_MR		1

/**
 * struct xroce_pkt - one transport packet in host order
 * @info: its opcode row, never NULL after a good parse
 * @opcode: BTH opcode
 * @pad: pad bytes after the payload, 0..3
 * @solicited: BTH SE
 * @mig_req: BTH M
 * @ack_req: BTH A
 * @becn: BTH B
 * @pkey: P_Key
 * @dest_qp: destination QPN, 24 bit
 * @psn: 24 bit
 * @qkey: DETH
 * @src_qp: DETH
 * @va: RETH or AtomicETH
 * @rkey: RETH or AtomicETH
 * @dma_len: RETH
 * @swap_add: AtomicETH
 * @compare: AtomicETH
 * @syndrome: AETH
 * @msn: AETH
 * @orig: AtomicAckETH
 * @imm: ImmDt, kept in network order as the verbs do
 * @inv_rkey: IETH
 * @flush_type: FETH PLT: XROCE_FLUSH_GLOBAL, XROCE_FLUSH_PERSISTENT
 * @flush_level: FETH SEL: XROCE_FLUSH_RANGE, XROCE_FLUSH_MR
 * @hdr_len: bytes from the BTH to the payload
 * @payload_len: payload without pad
 *
 * Only the fields that @info->hdrs names are meaningful.
 */
struct xroce_pkt {
	const struct xroce_opcode *info;
	u8 opcode;
	u8 pad;
	bool solicited;
	bool mig_req;
	bool ack_req;
	bool becn;
	u16 pkey;
	u32 dest_qp;
	u32 psn;
	u32 qkey;
	u32 src_qp;
	u64 va;
	u32 rkey;
	u32 dma_len;
	u64 swap_add;
	u64 compare;
	u64 orig;
	u8 syndrome;
	u8 flush_type;
	u8 flush_level;
	u32 msn;
	__be32 imm;
	u32 inv_rkey;
	u16 hdr_len;
	u32 payload_len;
};

enum xroce_parse {
	XROCE_PARSE_OK,
	XROCE_PARSE_SHORT,	/* shorter than its own headers, pad and ICRC */
	XROCE_PARSE_OPCODE,	/* unknown opcode */
	XROCE_PARSE_VERSION,	/* BTH TVer is not 0 */
};

/**
 * xroce_wire_parse - read the headers of one packet
 * @pkt: filled on success; contents undefined otherwise
 * @bth: first byte of the BTH
 * @avail: bytes that may be read at @bth (the headers must lie within)
 * @len: bytes of the whole packet, BTH to ICRC inclusive
 */
enum xroce_parse xroce_wire_parse(struct xroce_pkt *pkt, const u8 *bth,
				  unsigned int avail, unsigned int len);

/**
 * xroce_wire_build - write BTH and extension headers
 * @pkt: only @pkt->opcode selects the headers; info and hdr_len are not read
 * @buf: at least XROCE_MAX_HDR_BYTES
 *
 * Return: bytes written, 0 for an unknown opcode.
 */
unsigned int xroce_wire_build(const struct xroce_pkt *pkt, u8 *buf);

#endif
