// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FPDUs (RFC 5044 4). The stream in either direction:
 *
 *	[marker] length header payload pad crc | [marker] length ...
 *
 * with a marker wherever 512 bytes have gone by since the last one began. FPDUs
 * are multiples of four bytes long, so markers fall on 4-byte boundaries of
 * them. A marker right before the length field belongs to the FPDU that follows,
 * its CRC included; so does one right before the CRC field.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "fpdu.h"
#include "wire.h"

/* The first bytes to collect: length and control octets, or a pad. */
#define FIRST_BYTES	4
/* Stream bytes between the end of a marker and the start of the next. */
#define MARKER_GAP	(XIWARP_MARKER_EVERY - XIWARP_MARKER_BYTES)
#define MAX_EMSS	65535U

static u32 pad_of(u32 ulpdu)
{
	return -(XIWARP_LENGTH_BYTES + ulpdu) & 3;
}

u32 xiwarp_fpdu_mulpdu(u32 emss, bool markers)
{
	u32 overhead, mulpdu;

	emss = min(emss, MAX_EMSS);
	overhead = XIWARP_LENGTH_BYTES + XIWARP_CRC_BYTES + (emss & 3);
	if (markers)
		overhead += XIWARP_MARKER_BYTES *
			    ((emss + XIWARP_MARKER_EVERY - 1) / XIWARP_MARKER_EVERY);
	mulpdu = emss > overhead ? emss - overhead : 0;
	return max_t(u32, mulpdu, XIWARP_MIN_MULPDU);
}

/* ---- receiving ----------------------------------------------------------- */

void xiwarp_deframer_init(struct xiwarp_deframer *d, bool has_markers,
			  bool has_crc)
{
	memset(d, 0, sizeof(*d));
	d->has_markers = has_markers;
	d->has_crc = has_crc;
	d->crc = XIWARP_CRC_SEED;
	d->hdr_len = FIRST_BYTES;
}

/* A marker is due, or has begun. */
static bool in_marker(const struct xiwarp_deframer *d)
{
	return d->has_markers && (d->marker_got || !d->to_marker);
}

/* The four bytes are there: how long are header, payload and tail? */
static void read_length(struct xiwarp_deframer *d)
{
	u32 pad, hdr;

	d->ulpdu = get_unaligned_be16(d->hdr);
	pad = pad_of(d->ulpdu);
	hdr = xiwarp_wire_hdr_len(d->hdr + XIWARP_LENGTH_BYTES, d->ulpdu);
	d->left = d->ulpdu - hdr;
	d->tail_len = (u8)(pad + XIWARP_CRC_BYTES);
	d->hdr_len = (u8)(XIWARP_LENGTH_BYTES + hdr);
	if (d->hdr_len < FIRST_BYTES) {
		/* An ULPDU of 0 or 1 byte: some pad is among the four. */
		d->tail_len = (u8)(d->tail_len - FIRST_BYTES + d->hdr_len);
		d->hdr_len = FIRST_BYTES;
	}
}

/* The marker is collected: does it point to the start of this FPDU? */
static void read_marker(struct xiwarp_deframer *d)
{
	if (get_unaligned_be16(d->marker + 2) != (u16)d->at)
		d->is_marker_bad = true;
	d->crc = d->has_crc ? xiwarp_crc(d->crc, d->marker, XIWARP_MARKER_BYTES) : 0;
	/* In front of the length field it does not count. */
	if (d->at)
		d->at += XIWARP_MARKER_BYTES;
	d->to_marker = MARKER_GAP;
	d->marker_got = 0;
}

/* @n stream bytes went by that are not of a marker. */
static void advance(struct xiwarp_deframer *d, unsigned int n)
{
	d->at += n;
	if (d->has_markers)
		d->to_marker -= n;
}

enum xiwarp_want xiwarp_deframer_want(struct xiwarp_deframer *d, u8 **buf,
				      unsigned int *len)
{
	unsigned int room = d->has_markers ? d->to_marker : ~0U;
	bool has_header = d->hdr_got == d->hdr_len;

	if (has_header && !d->is_read)
		return XIWARP_WANT_HEADER;
	if (has_header && !d->left && d->tail_got == d->tail_len)
		return XIWARP_WANT_DONE;
	if (in_marker(d)) {
		*buf = d->marker + d->marker_got;
		*len = XIWARP_MARKER_BYTES - d->marker_got;
		return XIWARP_WANT_BYTES;
	}
	if (!has_header) {
		*buf = d->hdr + d->hdr_got;
		*len = min_t(unsigned int, d->hdr_len - d->hdr_got, room);
		return XIWARP_WANT_BYTES;
	}
	if (d->left) {
		*len = min_t(unsigned int, d->left, room);
		return XIWARP_WANT_PAYLOAD;
	}
	*buf = d->tail + d->tail_got;
	*len = min_t(unsigned int, d->tail_len - d->tail_got, room);
	return XIWARP_WANT_BYTES;
}

static void took_header(struct xiwarp_deframer *d, unsigned int n)
{
	if (d->has_crc)
		d->crc = xiwarp_crc(d->crc, d->hdr + d->hdr_got, n);
	d->hdr_got += (u8)n;
	if (d->hdr_got == FIRST_BYTES)
		read_length(d);
}

/* The pad is covered by the CRC, the CRC field is not. */
static void took_tail(struct xiwarp_deframer *d, unsigned int n)
{
	unsigned int pad = d->tail_len - XIWARP_CRC_BYTES;

	if (d->has_crc && d->tail_got < pad)
		d->crc = xiwarp_crc(d->crc, d->tail + d->tail_got,
				    min(n, pad - d->tail_got));
	d->tail_got += (u8)n;
}

void xiwarp_deframer_took(struct xiwarp_deframer *d, unsigned int n)
{
	if (in_marker(d)) {
		d->marker_got += (u8)n;
		if (d->marker_got == XIWARP_MARKER_BYTES)
			read_marker(d);
		return;
	}
	advance(d, n);
	if (d->hdr_got < d->hdr_len)
		took_header(d, n);
	else
		took_tail(d, n);
}

void xiwarp_deframer_passed(struct xiwarp_deframer *d, unsigned int n, u32 crc)
{
	advance(d, n);
	d->left -= n;
	if (d->has_crc)
		d->crc = crc;
}

void xiwarp_deframer_go_on(struct xiwarp_deframer *d)
{
	d->is_read = true;
}

bool xiwarp_deframer_crc_ok(const struct xiwarp_deframer *d)
{
	const u8 *field = d->tail + d->tail_len - XIWARP_CRC_BYTES;

	return !d->has_crc || get_unaligned_le32(field) == ~d->crc;
}

void xiwarp_deframer_next(struct xiwarp_deframer *d)
{
	d->is_read = false;
	d->is_marker_bad = false;
	d->at = 0;
	d->crc = XIWARP_CRC_SEED;
	d->hdr_len = FIRST_BYTES;
	d->hdr_got = 0;
	d->tail_got = 0;
}

bool xiwarp_deframer_is_idle(const struct xiwarp_deframer *d)
{
	return !d->hdr_got && !d->marker_got;
}

/* ---- sending ------------------------------------------------------------- */

void xiwarp_framer_init(struct xiwarp_framer *f, bool has_markers, bool has_crc)
{
	memset(f, 0, sizeof(*f));
	f->has_markers = has_markers;
	f->has_crc = has_crc;
}

void xiwarp_framer_begin(struct xiwarp_framer *f, const u8 *hdr,
			 unsigned int hdr_len, unsigned int payload)
{
	u32 ulpdu = hdr_len + payload;

	put_unaligned_be16((u16)ulpdu, f->hdr);
	if (hdr_len)
		memcpy(f->hdr + XIWARP_LENGTH_BYTES, hdr, hdr_len);
	f->hdr_len = (u8)(XIWARP_LENGTH_BYTES + hdr_len);
	f->hdr_done = 0;
	f->payload = payload;
	f->tail_len = (u8)(pad_of(ulpdu) + XIWARP_CRC_BYTES);
	f->tail_done = 0;
	f->at = 0;
	f->crc = XIWARP_CRC_SEED;
	memset(f->tail, 0, sizeof(f->tail));
}

static void give_marker(struct xiwarp_framer *f, struct xiwarp_piece *piece)
{
	put_unaligned_be16(0, f->marker);
	put_unaligned_be16((u16)f->at, f->marker + 2);
	if (f->has_crc)
		f->crc = xiwarp_crc(f->crc, f->marker, XIWARP_MARKER_BYTES);
	if (f->at)
		f->at += XIWARP_MARKER_BYTES;
	f->to_marker = MARKER_GAP;
	piece->data = f->marker;
	piece->len = XIWARP_MARKER_BYTES;
}

/* Count @n bytes that are not of a marker. */
static unsigned int give(struct xiwarp_framer *f, unsigned int n)
{
	if (f->has_markers) {
		n = min(n, f->to_marker);
		f->to_marker -= n;
	}
	f->at += n;
	return n;
}

static void give_header(struct xiwarp_framer *f, struct xiwarp_piece *piece)
{
	piece->data = f->hdr + f->hdr_done;
	piece->len = give(f, f->hdr_len - f->hdr_done);
	if (f->has_crc)
		f->crc = xiwarp_crc(f->crc, piece->data, piece->len);
	f->hdr_done += (u8)piece->len;
}

static void give_payload(struct xiwarp_framer *f, struct xiwarp_piece *piece)
{
	piece->data = NULL;
	piece->len = give(f, f->payload);
	f->payload -= piece->len;
}

/* Pad and CRC go out together, unless a marker comes between. */
static void give_tail(struct xiwarp_framer *f, struct xiwarp_piece *piece)
{
	unsigned int pad = f->tail_len - XIWARP_CRC_BYTES;

	piece->data = f->tail + f->tail_done;
	piece->len = give(f, f->tail_len - f->tail_done);
	if (f->has_crc && f->tail_done < pad)
		f->crc = xiwarp_crc(f->crc, piece->data,
				    min(piece->len, pad - f->tail_done));
	f->tail_done += (u8)piece->len;
	if (f->has_crc && f->tail_done > pad)
		put_unaligned_le32(~f->crc, f->tail + pad);
}

bool xiwarp_framer_next(struct xiwarp_framer *f, struct xiwarp_piece *piece)
{
	if (f->tail_done == f->tail_len)
		return false;
	if (f->has_markers && !f->to_marker)
		give_marker(f, piece);
	else if (f->hdr_done < f->hdr_len)
		give_header(f, piece);
	else if (f->payload)
		give_payload(f, piece);
	else
		give_tail(f, piece);
	return true;
}

u32 xiwarp_framer_bytes(const struct xiwarp_framer *f, u32 ulpdu)
{
	u32 bytes = xiwarp_fpdu_bytes(ulpdu);

	if (!f->has_markers || bytes <= f->to_marker)
		return bytes;
	return bytes + XIWARP_MARKER_BYTES *
	       ((bytes - f->to_marker + MARKER_GAP - 1) / MARKER_GAP);
}
