// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DDP and RDMAP headers, between host order and the wire. Each header is read
 * and written once, here; big-endian values go no further.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "wire.h"

/* DDP control octet (RFC 5041 4.1) */
#define DDP_TAGGED	BIT(7)
#define DDP_LAST	BIT(6)
#define DDP_VERSION	0x03
#define DDP_VERSION_1	0x01

/* RDMAP control octet (RFC 5040 4.1) */
#define RDMAP_VERSION	0xc0
#define RDMAP_VERSION_1	0x40
#define RDMAP_OPCODE	0x0f

/* Terminate control (RFC 5040 4.8) */
#define TERM_LENGTH	BIT(7)	/* M */
#define TERM_DDP	BIT(6)	/* D */
#define TERM_READ	BIT(5)	/* R */
#define TERM_FLAGS	(TERM_LENGTH | TERM_DDP | TERM_READ)
/* The same as siw writes them on a little-endian host. */
#define SWAPPED_LENGTH	BIT(0)
#define SWAPPED_DDP	BIT(1)
#define SWAPPED_READ	BIT(2)

/* Atomic control: the opcode is the last four bits of the word. */
#define ATOMIC_OPCODE	0x0f

#define CTRL_BYTES	2

unsigned int xiwarp_wire_hdr_len(const u8 *ctrl, unsigned int ulpdu)
{
	const struct xiwarp_opcode *row;

	if (ulpdu < CTRL_BYTES)
		return ulpdu;
	row = xiwarp_opcode_find(ctrl[1]);
	/* What can't be parsed is judged by its control octets. */
	if (!row || row->is_tagged != !!(ctrl[0] & DDP_TAGGED))
		return CTRL_BYTES;
	return min_t(unsigned int, row->max_len, ulpdu);
}

static void parse_read(struct xiwarp_read *read, const u8 *p)
{
	read->sink_stag = get_unaligned_be32(p);
	read->sink_to = get_unaligned_be64(p + 4);
	read->length = get_unaligned_be32(p + 12);
	read->src_stag = get_unaligned_be32(p + 16);
	read->src_to = get_unaligned_be64(p + 20);
}

static void build_read(const struct xiwarp_read *read, u8 *p)
{
	put_unaligned_be32(read->sink_stag, p);
	put_unaligned_be64(read->sink_to, p + 4);
	put_unaligned_be32(read->length, p + 12);
	put_unaligned_be32(read->src_stag, p + 16);
	put_unaligned_be64(read->src_to, p + 20);
}

static void parse_atomic(struct xiwarp_atomic *atomic, const u8 *p)
{
	atomic->op = p[3] & ATOMIC_OPCODE;
	atomic->id = get_unaligned_be32(p + 4);
	atomic->stag = get_unaligned_be32(p + 8);
	atomic->to = get_unaligned_be64(p + 12);
	atomic->swap_add = get_unaligned_be64(p + 20);
	atomic->mask = get_unaligned_be64(p + 28);
	atomic->compare = get_unaligned_be64(p + 36);
	atomic->compare_mask = get_unaligned_be64(p + 44);
}

static void build_atomic(const struct xiwarp_atomic *atomic, u8 *p)
{
	put_unaligned_be32(atomic->op & ATOMIC_OPCODE, p);
	put_unaligned_be32(atomic->id, p + 4);
	put_unaligned_be32(atomic->stag, p + 8);
	put_unaligned_be64(atomic->to, p + 12);
	put_unaligned_be64(atomic->swap_add, p + 20);
	put_unaligned_be64(atomic->mask, p + 28);
	put_unaligned_be64(atomic->compare, p + 36);
	put_unaligned_be64(atomic->compare_mask, p + 44);
}

/*
 * Control octets in siw's order: flags only where the RFC has none. Without any
 * flag the first octet must tell: 21 is no layer and type of the RFC but siw's DDP
 * untagged; 02 is RDMAP operation, whose codes begin at 5, or siw's LLP.
 */
static bool is_swapped(const u8 *p)
{
	if (p[2] & TERM_FLAGS)
		return false;
	if (p[2] & (SWAPPED_LENGTH | SWAPPED_DDP | SWAPPED_READ))
		return true;
	return p[0] == 0x21 || (p[0] == 0x02 && p[1] < 0x05);
}

static u8 term_flags(struct xiwarp_term *term, const u8 *p)
{
	term->is_swapped = is_swapped(p);
	term->layer = term->is_swapped ? p[0] & 0x0f : p[0] >> 4;
	term->etype = term->is_swapped ? p[0] >> 4 : p[0] & 0x0f;
	term->code = p[1];
	if (!term->is_swapped)
		return p[2] & TERM_FLAGS;
	return (p[2] & SWAPPED_LENGTH ? TERM_LENGTH : 0) |
	       (p[2] & SWAPPED_DDP ? TERM_DDP : 0) |
	       (p[2] & SWAPPED_READ ? TERM_READ : 0);
}

/* Copies that the flags promise but the message lacks are left out. */
static void parse_term(struct xiwarp_term *term, const u8 *p, unsigned int len)
{
	unsigned int at = XIWARP_TERM_MIN_BYTES;
	u8 flags;

	memset(term, 0, sizeof(*term));
	flags = term_flags(term, p);
	/* The length field is there with either of M and D. */
	if (!(flags & (TERM_LENGTH | TERM_DDP)) || len < at + 2)
		return;
	term->has_length = flags & TERM_LENGTH;
	term->seg_len = get_unaligned_be16(p + at);
	at += 2;
	if (!(flags & TERM_DDP) || len == at)
		return;
	term->ddp_len = p[at] & DDP_TAGGED ? XIWARP_TAGGED_BYTES :
					     XIWARP_UNTAGGED_BYTES;
	if (len < at + term->ddp_len)
		return;
	term->has_ddp = true;
	memcpy(term->ddp, p + at, term->ddp_len);
	at += term->ddp_len;
	if (!(flags & TERM_READ) || len < at + XIWARP_READ_BYTES)
		return;
	term->has_read = true;
	memcpy(term->read, p + at, XIWARP_READ_BYTES);
}

/* Return: bytes written. */
static unsigned int build_term(const struct xiwarp_term *term, u8 *p)
{
	unsigned int at = XIWARP_TERM_MIN_BYTES;

	p[0] = (u8)(term->layer << 4 | (term->etype & 0x0f));
	p[1] = term->code;
	p[2] = (u8)((term->has_length ? TERM_LENGTH : 0) |
		    (term->has_ddp ? TERM_DDP : 0) |
		    (term->has_read ? TERM_READ : 0));
	p[3] = 0;
	if (!term->has_length && !term->has_ddp)
		return at;
	put_unaligned_be16(term->seg_len, p + at);
	at += 2;
	if (term->has_ddp) {
		memcpy(p + at, term->ddp, term->ddp_len);
		at += term->ddp_len;
	}
	if (term->has_read) {
		memcpy(p + at, term->read, XIWARP_READ_BYTES);
		at += XIWARP_READ_BYTES;
	}
	return at;
}

static void parse_tagged(struct xiwarp_seg *seg, const u8 *hdr)
{
	seg->stag = get_unaligned_be32(hdr + 2);
	seg->to = get_unaligned_be64(hdr + 6);
}

static void parse_untagged(struct xiwarp_seg *seg, const u8 *hdr)
{
	seg->stag = get_unaligned_be32(hdr + 2);
	seg->qn = get_unaligned_be32(hdr + 6);
	seg->msn = get_unaligned_be32(hdr + 10);
	seg->mo = get_unaligned_be32(hdr + 14);
}

static void parse_rdmap(struct xiwarp_seg *seg, const u8 *p)
{
	switch (seg->opcode) {
	case XIWARP_OP_READ_REQUEST:
		parse_read(&seg->read, p);
		break;
	case XIWARP_OP_ATOMIC_REQUEST:
		parse_atomic(&seg->atomic, p);
		break;
	case XIWARP_OP_ATOMIC_RESPONSE:
		seg->result.id = get_unaligned_be32(p);
		seg->result.value = get_unaligned_be64(p + 4);
		break;
	case XIWARP_OP_IMMEDIATE:
	case XIWARP_OP_IMMEDIATE_SE:
		memcpy(seg->imm, p, sizeof(seg->imm));
		break;
	case XIWARP_OP_TERMINATE:
		parse_term(&seg->term, p, seg->hdr_len - XIWARP_UNTAGGED_BYTES);
		break;
	}
}

/* The octets that must be right before any other is worth reading. */
static enum xiwarp_parse check_ctrl(const u8 *ctrl,
				    const struct xiwarp_opcode *row)
{
	bool is_tagged = ctrl[0] & DDP_TAGGED;

	if ((ctrl[0] & DDP_VERSION) != DDP_VERSION_1)
		return is_tagged ? XIWARP_PARSE_TAGGED_VERSION :
				   XIWARP_PARSE_UNTAGGED_VERSION;
	if ((ctrl[1] & RDMAP_VERSION) != RDMAP_VERSION_1)
		return XIWARP_PARSE_RDMAP_VERSION;
	if (!row || row->is_tagged != is_tagged)
		return XIWARP_PARSE_OPCODE;
	return XIWARP_PARSE_OK;
}

enum xiwarp_parse xiwarp_wire_parse(struct xiwarp_seg *seg, const u8 *hdr,
				    unsigned int ulpdu)
{
	const struct xiwarp_opcode *row;
	enum xiwarp_parse result;

	if (ulpdu < CTRL_BYTES)
		return XIWARP_PARSE_SHORT;
	row = xiwarp_opcode_find(hdr[1]);
	result = check_ctrl(hdr, row);
	if (result != XIWARP_PARSE_OK)
		return result;
	if (ulpdu < row->hdr_len)
		return XIWARP_PARSE_SHORT;
	if (!row->has_payload && ulpdu > row->max_len)
		return XIWARP_PARSE_LONG;
	memset(seg, 0, sizeof(*seg));
	seg->info = row;
	seg->opcode = hdr[1] & RDMAP_OPCODE;
	seg->is_last = hdr[0] & DDP_LAST;
	seg->hdr_len = (u16)min_t(unsigned int, row->max_len, ulpdu);
	seg->payload_len = (u16)(ulpdu - seg->hdr_len);
	if (row->is_tagged) {
		parse_tagged(seg, hdr);
	} else {
		parse_untagged(seg, hdr);
		parse_rdmap(seg, hdr + XIWARP_UNTAGGED_BYTES);
	}
	return XIWARP_PARSE_OK;
}

/* Return: bytes written. */
static unsigned int build_rdmap(const struct xiwarp_seg *seg, u8 *p)
{
	switch (seg->opcode) {
	case XIWARP_OP_READ_REQUEST:
		build_read(&seg->read, p);
		return XIWARP_READ_BYTES;
	case XIWARP_OP_ATOMIC_REQUEST:
		build_atomic(&seg->atomic, p);
		return XIWARP_ATOMIC_BYTES;
	case XIWARP_OP_ATOMIC_RESPONSE:
		put_unaligned_be32(seg->result.id, p);
		put_unaligned_be64(seg->result.value, p + 4);
		return XIWARP_RESULT_BYTES;
	case XIWARP_OP_IMMEDIATE:
	case XIWARP_OP_IMMEDIATE_SE:
		memcpy(p, seg->imm, sizeof(seg->imm));
		return XIWARP_IMMEDIATE_BYTES;
	case XIWARP_OP_TERMINATE:
		return build_term(&seg->term, p);
	}
	return 0;
}

unsigned int xiwarp_wire_build(const struct xiwarp_seg *seg, u8 *buf)
{
	const struct xiwarp_opcode *row = xiwarp_opcode_find(seg->opcode);

	buf[0] = (u8)((row->is_tagged ? DDP_TAGGED : 0) |
		      (seg->is_last ? DDP_LAST : 0) | DDP_VERSION_1);
	buf[1] = (u8)(RDMAP_VERSION_1 | seg->opcode);
	put_unaligned_be32(seg->stag, buf + 2);
	if (row->is_tagged) {
		put_unaligned_be64(seg->to, buf + 6);
		return XIWARP_TAGGED_BYTES;
	}
	put_unaligned_be32(seg->qn, buf + 6);
	put_unaligned_be32(seg->msn, buf + 10);
	put_unaligned_be32(seg->mo, buf + 14);
	return XIWARP_UNTAGGED_BYTES +
	       build_rdmap(seg, buf + XIWARP_UNTAGGED_BYTES);
}

int xiwarp_wire_term_about(const struct xiwarp_term *term)
{
	return term->has_ddp ? term->ddp[1] & RDMAP_OPCODE : -1;
}
