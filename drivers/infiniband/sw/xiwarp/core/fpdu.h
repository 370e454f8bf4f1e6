/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * FPDUs (RFC 5044 4): length, pad, CRC, markers, in both directions, in any
 * pieces. No payload byte is held here: payload goes straight between the
 * socket and its place; only headers, markers and trailers are collected.
 */
#ifndef XIWARP_CORE_FPDU_H
#define XIWARP_CORE_FPDU_H

#include <linux/crc32c.h>
#include <linux/types.h>
#include "opcode.h"

#define XIWARP_LENGTH_BYTES	2
#define XIWARP_CRC_BYTES	4
#define XIWARP_MARKER_BYTES	4
#define XIWARP_MARKER_EVERY	512U
#define XIWARP_MAX_TAIL_BYTES	(3 + XIWARP_CRC_BYTES)
#define XIWARP_CRC_SEED		0xffffffffU
/* Smallest MULPDU whatever the path (RFC 5044 5.1). */
#define XIWARP_MIN_MULPDU	128

/* Continue a CRC over payload; not finished, seed XIWARP_CRC_SEED. */
static inline u32 xiwarp_crc(u32 crc, const void *data, unsigned int len)
{
	return crc32c(crc, data, len);
}

/**
 * xiwarp_fpdu_mulpdu - the longest ULPDU whose FPDU fits into one TCP segment
 * @emss: bytes that TCP puts into a segment now (0 = unknown). Larger than the
 *	real one, up to 65535, for peers known to be software
 * @markers: markers are sent
 *
 * Return: at least XIWARP_MIN_MULPDU; the whole FPDU, markers included, is no
 * longer than 65535 bytes (RFC 5044 4.5).
 */
u32 xiwarp_fpdu_mulpdu(u32 emss, bool markers);

/* Bytes on the stream of an FPDU with @ulpdu bytes, not counting markers. */
static inline u32 xiwarp_fpdu_bytes(u32 ulpdu)
{
	return ((XIWARP_LENGTH_BYTES + ulpdu + 3) & ~3U) + XIWARP_CRC_BYTES;
}

/* ---- receiving ----------------------------------------------------------- */

enum xiwarp_want {
	XIWARP_WANT_BYTES,	/* up to len bytes to buf, then took() */
	XIWARP_WANT_HEADER,	/* header complete: look at it, then go_on() */
	XIWARP_WANT_PAYLOAD,	/* up to len payload bytes to their place, then passed() */
	XIWARP_WANT_DONE,	/* FPDU complete: judge it, then next() */
};

/**
 * struct xiwarp_deframer - receive side of a stream
 * @has_markers: markers come
 * @has_crc: CRC is checked
 * @is_read: the header has been looked at
 * @is_marker_bad: an FPDUPTR of this FPDU was wrong
 * @to_marker: stream bytes before the next marker, 0 = it is due
 * @at: stream bytes of this FPDU so far, from the length field on
 * @crc: running, over what came so far
 * @ulpdu: ULPDU_Length, valid from four header bytes on
 * @left: payload bytes to come
 * @hdr_len: bytes of @hdr to collect
 * @hdr_got: bytes of @hdr collected
 * @tail_len: pad and CRC
 * @tail_got: collected
 * @marker_got: collected
 * @hdr: length field and headers
 * @tail: pad and CRC
 * @marker: marker being collected
 *
 * The phase follows from the counters.
 */
struct xiwarp_deframer {
	bool has_markers;
	bool has_crc;
	bool is_read;
	bool is_marker_bad;
	u32 to_marker;
	u32 at;
	u32 crc;
	u32 left;
	u16 ulpdu;
	u8 hdr_len;
	u8 hdr_got;
	u8 tail_len;
	u8 tail_got;
	u8 marker_got;
	u8 hdr[XIWARP_LENGTH_BYTES + XIWARP_MAX_HDR_BYTES];
	u8 tail[XIWARP_MAX_TAIL_BYTES];
	u8 marker[XIWARP_MARKER_BYTES];
};

/* The stream begins at its next byte (right behind the startup frame). */
void xiwarp_deframer_init(struct xiwarp_deframer *d, bool has_markers, bool has_crc);

/* What the next stream bytes are. @buf, @len: for BYTES and PAYLOAD (len only). */
enum xiwarp_want xiwarp_deframer_want(struct xiwarp_deframer *d, u8 **buf,
				      unsigned int *len);
/* @n bytes, 1..len, are in buf. */
void xiwarp_deframer_took(struct xiwarp_deframer *d, unsigned int n);
/* @n payload bytes are dealt with; @crc: continued over them (ignored without CRC). */
void xiwarp_deframer_passed(struct xiwarp_deframer *d, unsigned int n, u32 crc);
/* The header was looked at: go on to payload and tail. */
void xiwarp_deframer_go_on(struct xiwarp_deframer *d);
/* At DONE: the CRC fits, or is not used. */
bool xiwarp_deframer_crc_ok(const struct xiwarp_deframer *d);
/* At DONE: on to the next FPDU. */
void xiwarp_deframer_next(struct xiwarp_deframer *d);
/* True between FPDUs: the stream may end here. */
bool xiwarp_deframer_is_idle(const struct xiwarp_deframer *d);

/* ---- sending ------------------------------------------------------------- */

/**
 * struct xiwarp_framer - send side of a stream
 * @has_markers: insert markers
 * @has_crc: compute the CRC (else the field is zero)
 * @to_marker: stream bytes before the next marker
 * @at: stream bytes of this FPDU so far
 * @crc: running
 * @payload: payload bytes still to come
 * @hdr_len: bytes of @hdr
 * @hdr_done: given out
 * @tail_len: pad and CRC
 * @tail_done: given out
 * @hdr: length field and headers
 * @tail: pad and CRC
 * @marker: the marker given out last
 */
struct xiwarp_framer {
	bool has_markers;
	bool has_crc;
	u32 to_marker;
	u32 at;
	u32 crc;
	u32 payload;
	u8 hdr_len;
	u8 hdr_done;
	u8 tail_len;
	u8 tail_done;
	u8 hdr[XIWARP_LENGTH_BYTES + XIWARP_MAX_HDR_BYTES];
	u8 tail[XIWARP_MAX_TAIL_BYTES];
	u8 marker[XIWARP_MARKER_BYTES];
};

/**
 * struct xiwarp_piece - the next bytes of an FPDU
 * @data: bytes to put into the stream, valid until the next call; NULL: the next
 *	@len payload bytes
 * @len: at least 1
 */
struct xiwarp_piece {
	const u8 *data;
	unsigned int len;
};

void xiwarp_framer_init(struct xiwarp_framer *f, bool has_markers, bool has_crc);

/**
 * xiwarp_framer_begin - start an FPDU; the previous one is complete
 * @f: framer
 * @hdr: DDP and RDMAP header (xiwarp_wire_build())
 * @hdr_len: 0 for the zero-length FPDU, at most XIWARP_MAX_HDR_BYTES
 * @payload: bytes that follow, @hdr_len + @payload <= 65535
 */
void xiwarp_framer_begin(struct xiwarp_framer *f, const u8 *hdr,
			 unsigned int hdr_len, unsigned int payload);

/*
 * The next piece; false when the FPDU is complete. After a piece of payload the
 * caller says what the CRC became before asking on:
 *
 *	while (xiwarp_framer_next(f, &piece))
 *		if (piece.data)
 *			append(piece.data, piece.len);
 *		else
 *			f->crc = append_payload(piece.len, f->crc);
 *
 * Without markers: header, payload if any, tail. Without CRC (@f->has_crc clear)
 * f->crc need not be touched.
 */
bool xiwarp_framer_next(struct xiwarp_framer *f, struct xiwarp_piece *piece);

/* Stream bytes of an FPDU with @ulpdu bytes begun now, markers included. */
u32 xiwarp_framer_bytes(const struct xiwarp_framer *f, u32 ulpdu);

#endif
