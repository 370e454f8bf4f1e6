// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * BTH and extension headers (IBTA 9.2 and 9.3): one parse and one build
 * function per header, in wire order. Each returns where the next one begins.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "wire.h"

/* BTH byte 1 */
#define BTH_SOLICITED	BIT(7)
#define BTH_MIG_REQ	BIT(6)
#define BTH_PAD		GENMASK(5, 4)
#define BTH_VERSION	GENMASK(3, 0)
/* byte 4 */
#define BTH_BECN	BIT(6)
/* byte 8 */
#define BTH_ACK_REQ	BIT(7)

#define FETH_LEVEL	GENMASK(5, 4)
#define FETH_TYPE	GENMASK(3, 0)

static const u8 *parse_bth(struct xroce_pkt *pkt, const u8 *p)
{
	pkt->opcode = p[0];
	pkt->solicited = p[1] & BTH_SOLICITED;
	pkt->mig_req = p[1] & BTH_MIG_REQ;
	pkt->pad = (u8)FIELD_GET(BTH_PAD, p[1]);
	pkt->pkey = get_unaligned_be16(p + 2);
	pkt->becn = p[4] & BTH_BECN;
	pkt->dest_qp = get_unaligned_be24(p + 5);
	pkt->ack_req = p[8] & BTH_ACK_REQ;
	pkt->psn = get_unaligned_be24(p + 9);
	return p + XROCE_BTH_BYTES;
}

static u8 *build_bth(const struct xroce_pkt *pkt, u8 *p)
{
	p[0] = pkt->opcode;
	p[1] = (u8)(FIELD_PREP(BTH_SOLICITED, pkt->solicited) |
		    FIELD_PREP(BTH_MIG_REQ, pkt->mig_req) |
		    FIELD_PREP(BTH_PAD, pkt->pad));
	put_unaligned_be16(pkt->pkey, p + 2);
	p[4] = pkt->becn ? BTH_BECN : 0;
	put_unaligned_be24(pkt->dest_qp, p + 5);
	p[8] = pkt->ack_req ? BTH_ACK_REQ : 0;
	put_unaligned_be24(pkt->psn, p + 9);
	return p + XROCE_BTH_BYTES;
}

static const u8 *parse_deth(struct xroce_pkt *pkt, const u8 *p)
{
	pkt->qkey = get_unaligned_be32(p);
	pkt->src_qp = get_unaligned_be24(p + 5);
	return p + XROCE_DETH_BYTES;
}

static u8 *build_deth(const struct xroce_pkt *pkt, u8 *p)
{
	put_unaligned_be32(pkt->qkey, p);
	p[4] = 0;
	put_unaligned_be24(pkt->src_qp, p + 5);
	return p + XROCE_DETH_BYTES;
}

static const u8 *parse_feth(struct xroce_pkt *pkt, const u8 *p)
{
	pkt->flush_level = (u8)FIELD_GET(FETH_LEVEL, p[3]);
	pkt->flush_type = (u8)FIELD_GET(FETH_TYPE, p[3]);
	return p + XROCE_FETH_BYTES;
}

static u8 *build_feth(const struct xroce_pkt *pkt, u8 *p)
{
	put_unaligned_be32((u32)(FIELD_PREP(FETH_LEVEL, pkt->flush_level) |
				 FIELD_PREP(FETH_TYPE, pkt->flush_type)), p);
	return p + XROCE_FETH_BYTES;
}

static const u8 *parse_reth(struct xroce_pkt *pkt, const u8 *p)
{
	pkt->va = get_unaligned_be64(p);
	pkt->rkey = get_unaligned_be32(p + 8);
	pkt->dma_len = get_unaligned_be32(p + 12);
	return p + XROCE_RETH_BYTES;
}

static u8 *build_reth(const struct xroce_pkt *pkt, u8 *p)
{
	put_unaligned_be64(pkt->va, p);
	put_unaligned_be32(pkt->rkey, p + 8);
	put_unaligned_be32(pkt->dma_len, p + 12);
	return p + XROCE_RETH_BYTES;
}

static const u8 *parse_atomiceth(struct xroce_pkt *pkt, const u8 *p)
{
	pkt->va = get_unaligned_be64(p);
	pkt->rkey = get_unaligned_be32(p + 8);
	pkt->swap_add = get_unaligned_be64(p + 12);
	pkt->compare = get_unaligned_be64(p + 20);
	return p + XROCE_ATOMICETH_BYTES;
}

static u8 *build_atomiceth(const struct xroce_pkt *pkt, u8 *p)
{
	put_unaligned_be64(pkt->va, p);
	put_unaligned_be32(pkt->rkey, p + 8);
	put_unaligned_be64(pkt->swap_add, p + 12);
	put_unaligned_be64(pkt->compare, p + 20);
	return p + XROCE_ATOMICETH_BYTES;
}

static const u8 *parse_aeth(struct xroce_pkt *pkt, const u8 *p)
{
	pkt->syndrome = p[0];
	pkt->msn = get_unaligned_be24(p + 1);
	return p + XROCE_AETH_BYTES;
}

static u8 *build_aeth(const struct xroce_pkt *pkt, u8 *p)
{
	p[0] = pkt->syndrome;
	put_unaligned_be24(pkt->msn, p + 1);
	return p + XROCE_AETH_BYTES;
}

static const u8 *parse_atomicack(struct xroce_pkt *pkt, const u8 *p)
{
	pkt->orig = get_unaligned_be64(p);
	return p + XROCE_ATOMICACK_BYTES;
}

static u8 *build_atomicack(const struct xroce_pkt *pkt, u8 *p)
{
	put_unaligned_be64(pkt->orig, p);
	return p + XROCE_ATOMICACK_BYTES;
}

static const u8 *parse_immdt(struct xroce_pkt *pkt, const u8 *p)
{
	memcpy(&pkt->imm, p, XROCE_IMMDT_BYTES);
	return p + XROCE_IMMDT_BYTES;
}

static u8 *build_immdt(const struct xroce_pkt *pkt, u8 *p)
{
	memcpy(p, &pkt->imm, XROCE_IMMDT_BYTES);
	return p + XROCE_IMMDT_BYTES;
}

static void parse_ieth(struct xroce_pkt *pkt, const u8 *p)
{
	pkt->inv_rkey = get_unaligned_be32(p);
}

static u8 *build_ieth(const struct xroce_pkt *pkt, u8 *p)
{
	put_unaligned_be32(pkt->inv_rkey, p);
	return p + XROCE_IETH_BYTES;
}

static u8 *build_cnp(u8 *p)
{
	memset(p, 0, XROCE_CNP_BYTES);
	return p + XROCE_CNP_BYTES;
}

static void parse_extensions(struct xroce_pkt *pkt, u16 hdrs, const u8 *p)
{
	if (hdrs & XROCE_HDR_DETH)
		p = parse_deth(pkt, p);
	if (hdrs & XROCE_HDR_FETH)
		p = parse_feth(pkt, p);
	if (hdrs & XROCE_HDR_RETH)
		p = parse_reth(pkt, p);
	if (hdrs & XROCE_HDR_ATOMICETH)
		p = parse_atomiceth(pkt, p);
	if (hdrs & XROCE_HDR_AETH)
		p = parse_aeth(pkt, p);
	if (hdrs & XROCE_HDR_ATOMICACK)
		p = parse_atomicack(pkt, p);
	if (hdrs & XROCE_HDR_IMMDT)
		p = parse_immdt(pkt, p);
	if (hdrs & XROCE_HDR_IETH)
		parse_ieth(pkt, p);
}

static u8 *build_extensions(const struct xroce_pkt *pkt, u16 hdrs, u8 *p)
{
	if (hdrs & XROCE_HDR_DETH)
		p = build_deth(pkt, p);
	if (hdrs & XROCE_HDR_FETH)
		p = build_feth(pkt, p);
	if (hdrs & XROCE_HDR_RETH)
		p = build_reth(pkt, p);
	if (hdrs & XROCE_HDR_ATOMICETH)
		p = build_atomiceth(pkt, p);
	if (hdrs & XROCE_HDR_AETH)
		p = build_aeth(pkt, p);
	if (hdrs & XROCE_HDR_ATOMICACK)
		p = build_atomicack(pkt, p);
	if (hdrs & XROCE_HDR_IMMDT)
		p = build_immdt(pkt, p);
	if (hdrs & XROCE_HDR_IETH)
		p = build_ieth(pkt, p);
	if (hdrs & XROCE_HDR_CNP)
		p = build_cnp(p);
	return p;
}

enum xroce_parse xroce_wire_parse(struct xroce_pkt *pkt, const u8 *bth,
				  unsigned int avail, unsigned int len)
{
	const struct xroce_opcode *info;
	unsigned int overhead;
	const u8 *ext;

	if (avail < XROCE_BTH_BYTES || len < XROCE_BTH_BYTES + XROCE_ICRC_BYTES)
		return XROCE_PARSE_SHORT;
	info = xroce_opcode_find(bth[0]);
	if (!info)
		return XROCE_PARSE_OPCODE;

	ext = parse_bth(pkt, bth);
	overhead = info->hdr_len + pkt->pad + XROCE_ICRC_BYTES;
	if (avail < info->hdr_len || len < overhead)
		return XROCE_PARSE_SHORT;
	if (bth[1] & BTH_VERSION)
		return XROCE_PARSE_VERSION;

	parse_extensions(pkt, info->hdrs, ext);
	pkt->info = info;
	pkt->hdr_len = info->hdr_len;
	pkt->payload_len = len - overhead;
	return XROCE_PARSE_OK;
}

unsigned int xroce_wire_build(const struct xroce_pkt *pkt, u8 *buf)
{
	const struct xroce_opcode *info = xroce_opcode_find(pkt->opcode);

	if (!info)
		return 0;
	build_extensions(pkt, info->hdrs, build_bth(pkt, buf));
	return info->hdr_len;
}
