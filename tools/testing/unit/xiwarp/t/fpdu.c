// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fpdu.h"
#include "vectors.h"
#include "wire.h"

#define MAX_STREAM	200000

static struct xiwarp_framer framer;
static struct xiwarp_deframer deframer;
static u8 stream[MAX_STREAM];
static unsigned int stream_len;
static u8 expected[MAX_STREAM];

/* ---- sending ---- */

/* Append an FPDU of these bytes; @hdr_len of them are header. */
static void frame(const u8 *ulpdu, unsigned int hdr_len, unsigned int len)
{
	struct xiwarp_piece piece;
	unsigned int at = hdr_len;
	unsigned int start = stream_len;
	u32 bytes = xiwarp_framer_bytes(&framer, len);

	xiwarp_framer_begin(&framer, ulpdu, hdr_len, len - hdr_len);
	while (xiwarp_framer_next(&framer, &piece)) {
		CHECK(piece.len);
		CHECK(stream_len + piece.len <= MAX_STREAM);
		if (piece.data) {
			memcpy(stream + stream_len, piece.data, piece.len);
		} else {
			memcpy(stream + stream_len, ulpdu + at, piece.len);
			framer.crc = xiwarp_crc(framer.crc, ulpdu + at, piece.len);
			at += piece.len;
		}
		stream_len += piece.len;
	}
	CHECK_EQ(at, len);
	CHECK_EQ(stream_len - start, bytes);
}

/* The ULPDU of a vector gives the vector. @skip: marker in front of it. */
static void check_framed(const char *text, unsigned int skip)
{
	u8 buf[256];
	unsigned int len = vector(text, buf), ulpdu, hdr;

	ulpdu = (unsigned int)(buf[skip] << 8 | buf[skip + 1]);
	hdr = xiwarp_wire_hdr_len(buf + skip + 2, ulpdu);
	stream_len = 0;
	frame(buf + skip + 2, hdr, ulpdu);
	CHECK_EQ(stream_len, len);
	CHECK_MEM(stream, buf, len);
}

TEST(framer__vectors)
{
	xiwarp_framer_init(&framer, false, true);
	check_framed(FPDU_RTR_WRITE, 0);
	check_framed(FPDU_RTR_READ, 0);
	check_framed(FPDU_RTR_EMPTY, 0);
	check_framed(FPDU_EMPTY_RESPONSE, 0);
	check_framed(FPDU_SEND_HELLO, 0);
	check_framed(FPDU_SEND_SE_INV, 0);
	check_framed(FPDU_WRITE, 0);
	check_framed(FPDU_READ, 0);
	check_framed(FPDU_RESPONSE, 0);
	check_framed(FPDU_TERM_NO_BUFFER, 0);
	check_framed(FPDU_TERM_READ_STAG, 0);
	check_framed(FPDU_TERM_CRC, 0);
	check_framed(FPDU_IMMEDIATE, 0);
	check_framed(FPDU_FETCH_ADD, 0);
	check_framed(FPDU_CMP_SWAP, 0);
	check_framed(FPDU_RESULT, 0);
}

TEST(framer__without_crc)
{
	xiwarp_framer_init(&framer, false, false);
	check_framed(FPDU_SEND_HELLO_NO_CRC, 0);
}

TEST(framer__marker_in_front)
{
	xiwarp_framer_init(&framer, true, true);
	check_framed(FPDU_SEND_HELLO_MARKED, 4);
}

/* RFC 5044's own two FPDUs; the second has its marker at offset 20. */
TEST(framer__examples_of_the_rfc)
{
	u8 buf[256];
	unsigned int len;

	xiwarp_framer_init(&framer, true, true);
	check_framed(FPDU_RFC_1, 4);
	framer.to_marker = 20;
	stream_len = 0;
	len = vector(FPDU_RFC_2, buf);
	memmove(buf + 20, buf + 24, len - 24);	/* take the marker out */
	frame(buf + 2, 18, 0x2a);
	vector(FPDU_RFC_2, buf);
	CHECK_EQ(stream_len, len);
	CHECK_MEM(stream, buf, len);
}

/* Header and tail come in one piece each where no marker is in the way. */
TEST(framer__three_pieces)
{
	u8 hdr[14] = { 0 };
	struct xiwarp_piece piece;

	xiwarp_framer_init(&framer, false, false);
	xiwarp_framer_begin(&framer, hdr, sizeof(hdr), 1001);
	CHECK(xiwarp_framer_next(&framer, &piece));
	CHECK(piece.data);
	CHECK_EQ(piece.len, 16);
	CHECK(xiwarp_framer_next(&framer, &piece));
	CHECK(!piece.data);
	CHECK_EQ(piece.len, 1001);
	CHECK(xiwarp_framer_next(&framer, &piece));
	CHECK(piece.data);
	CHECK_EQ(piece.len, 3 + 4);
	CHECK(!xiwarp_framer_next(&framer, &piece));
}

/* ---- receiving ---- */

static u8 payload[65536];
static unsigned int payload_len;
static unsigned int fpdus;

/* Swallow @len stream bytes in pieces of at most @most. Return: bytes left. */
static unsigned int feed(const u8 *bytes, unsigned int len, unsigned int most)
{
	u8 *buf;
	unsigned int n;

	for (;;) {
		switch (xiwarp_deframer_want(&deframer, &buf, &n)) {
		case XIWARP_WANT_BYTES:
			if (!len)
				return 0;
			CHECK(n);
			n = n < len ? n : len;
			n = n < most ? n : most;
			memcpy(buf, bytes, n);
			xiwarp_deframer_took(&deframer, n);
			break;
		case XIWARP_WANT_HEADER:
			xiwarp_deframer_go_on(&deframer);
			continue;
		case XIWARP_WANT_PAYLOAD:
			if (!len)
				return 0;
			CHECK(n);
			n = n < len ? n : len;
			n = n < most ? n : most;
			memcpy(payload + payload_len, bytes, n);
			payload_len += n;
			xiwarp_deframer_passed(&deframer, n,
					       xiwarp_crc(deframer.crc, bytes, n));
			break;
		case XIWARP_WANT_DONE:
			return len;
		}
		bytes += n;
		len -= n;
	}
}

static void check_deframed(const char *text, unsigned int most)
{
	u8 buf[256];
	unsigned int len = vector(text, buf);

	payload_len = 0;
	CHECK_EQ(feed(buf, len, most), 0);
	CHECK(xiwarp_deframer_crc_ok(&deframer));
	CHECK(!deframer.is_marker_bad);
	xiwarp_deframer_next(&deframer);
	CHECK(xiwarp_deframer_is_idle(&deframer));
}

static const char *const vectors[] = {
	FPDU_RTR_WRITE, FPDU_RTR_READ, FPDU_RTR_EMPTY, FPDU_EMPTY_RESPONSE,
	FPDU_SEND_HELLO, FPDU_SEND_SE_INV, FPDU_WRITE, FPDU_READ, FPDU_RESPONSE,
	FPDU_TERM_NO_BUFFER, FPDU_TERM_READ_STAG, FPDU_TERM_CRC, FPDU_IMMEDIATE,
	FPDU_FETCH_ADD, FPDU_CMP_SWAP, FPDU_RESULT,
};

TEST(deframer__vectors_in_pieces)
{
	unsigned int i, most;

	for (most = 1; most < 90; most += most < 10 ? 1 : 20) {
		xiwarp_deframer_init(&deframer, false, true);
		for (i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
			test_context("vector %u by %u", i, most);
			check_deframed(vectors[i], most);
		}
	}
}

TEST(deframer__every_flipped_bit_shows)
{
	unsigned int i, bit;
	u8 buf[256];

	for (i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		unsigned int len = vector(vectors[i], buf);

		/* behind the length field */
		for (bit = 16; bit < len * 8; bit++) {
			test_context("vector %u bit %u", i, bit);
			xiwarp_deframer_init(&deframer, false, true);
			vector(vectors[i], buf);
			buf[bit / 8] ^= (u8)(1 << bit % 8);
			payload_len = 0;
			CHECK_EQ(feed(buf, len, 1000), 0);
			CHECK(!xiwarp_deframer_crc_ok(&deframer));
		}
	}
}

TEST(deframer__without_crc)
{
	xiwarp_deframer_init(&deframer, false, false);
	check_deframed(FPDU_SEND_HELLO_NO_CRC, 100);
	CHECK_EQ(payload_len, 5);
	CHECK_MEM(payload, "hello", 5);
	/* whatever stands there */
	check_deframed(FPDU_SEND_HELLO, 100);
}

TEST(deframer__marker_in_front)
{
	xiwarp_deframer_init(&deframer, true, true);
	check_deframed(FPDU_SEND_HELLO_MARKED, 1);
	CHECK_MEM(payload, "hello", 5);
}

TEST(deframer__examples_of_the_rfc)
{
	xiwarp_deframer_init(&deframer, true, true);
	check_deframed(FPDU_RFC_1, 3);
	deframer.to_marker = 20;
	check_deframed(FPDU_RFC_2, 3);
	CHECK_EQ(payload_len, 24);
}

TEST(deframer__not_idle_within)
{
	u8 buf[256];

	vector(FPDU_SEND_HELLO_MARKED, buf);
	xiwarp_deframer_init(&deframer, true, true);
	CHECK(xiwarp_deframer_is_idle(&deframer));
	feed(buf, 1, 1);
	CHECK(!xiwarp_deframer_is_idle(&deframer));
	feed(buf + 1, 3, 3);
	CHECK(xiwarp_deframer_is_idle(&deframer));
	feed(buf + 4, 1, 1);
	CHECK(!xiwarp_deframer_is_idle(&deframer));
}

/* FPDUs shorter than their control octets, and unknown ones, go by whole. */
TEST(deframer__any_length)
{
	unsigned int len, most;
	u8 buf[300];

	memset(buf, 0x5f, sizeof(buf));	/* no opcode */
	for (len = 0; len < 100; len++) {
		for (most = 1; most < 8; most++) {
			unsigned int hdr = len < 2 ? len : 2;

			test_context("%u bytes by %u", len, most);
			xiwarp_framer_init(&framer, false, true);
			xiwarp_deframer_init(&deframer, false, true);
			stream_len = 0;
			frame(buf, hdr, len);
			CHECK_EQ(stream_len, xiwarp_fpdu_bytes(len));
			payload_len = 0;
			CHECK_EQ(feed(stream, stream_len, most), 0);
			CHECK(xiwarp_deframer_crc_ok(&deframer));
			CHECK_EQ(deframer.ulpdu, len);
			CHECK_EQ(payload_len, len - hdr);
			xiwarp_deframer_next(&deframer);
		}
	}
}

/* What went by is what was put in: FPDUs of all lengths, with markers. */
static void round_trip(bool markers, bool crc, unsigned int first,
		       unsigned int most)
{
	static u8 ulpdu[65536];
	unsigned int at = 0, len = first, total = 0, sent = 0, i;

	xiwarp_framer_init(&framer, markers, crc);
	xiwarp_deframer_init(&deframer, markers, crc);
	stream_len = 0;
	for (i = 0; i < sizeof(ulpdu); i++)
		ulpdu[i] = (u8)(i * 7 + 1);
	ulpdu[0] = 0xc1;
	ulpdu[1] = 0x40;
	while (stream_len < 20000) {
		frame(ulpdu, 14, len);
		memcpy(expected + total, ulpdu + 14, len - 14);
		total += len - 14;
		sent++;
		len = len * 5 / 4 + 1;
		if (len > 9000)
			len = first + 1;
	}
	payload_len = 0;
	fpdus = 0;
	while (at < stream_len) {
		unsigned int left = feed(stream + at, stream_len - at, most);

		at = stream_len - left;
		CHECK(xiwarp_deframer_crc_ok(&deframer));
		CHECK(!deframer.is_marker_bad);
		CHECK_MEM(deframer.hdr + 2, ulpdu, 14);
		xiwarp_deframer_next(&deframer);
		fpdus++;
	}
	CHECK_EQ(fpdus, sent);
	CHECK_EQ(payload_len, total);
	CHECK_MEM(payload, expected, total);
}

TEST(stream__all_alignments_of_markers)
{
	unsigned int first, most;

	for (first = 14; first < 14 + 520; first += 3) {
		for (most = 1; most <= 2048; most *= 8) {
			test_context("first %u by %u", first, most);
			round_trip(true, true, first, most);
		}
	}
}

TEST(stream__without_markers)
{
	unsigned int first;

	for (first = 14; first < 30; first++) {
		round_trip(false, true, first, 100);
		round_trip(false, false, first, 1);
	}
	round_trip(true, false, 100, 3);
}

/* Markers stand every 512 bytes and point back, by the definition itself. */
TEST(framer__positions_of_markers)
{
	static u8 ulpdu[3000];
	unsigned int starts[200], n = 0, at, i;

	xiwarp_framer_init(&framer, true, true);
	stream_len = 0;
	while (stream_len < 60000) {
		bool is_due = !(stream_len % 512);

		starts[n++] = stream_len + (is_due ? 4 : 0);
		memset(ulpdu, 0xee, sizeof(ulpdu));
		frame(ulpdu, 18, 18 + n * 13);
	}
	for (at = 0; at < stream_len; at += 512) {
		unsigned int ptr = (unsigned int)(stream[at + 2] << 8 | stream[at + 3]);

		test_context("marker at %u", at);
		CHECK_EQ(stream[at], 0);
		CHECK_EQ(stream[at + 1], 0);
		for (i = 0; i + 1 < n && starts[i + 1] <= at; i++)
			;
		if (i + 1 < n && starts[i + 1] == at + 4)
			i++;
		CHECK_EQ(ptr, starts[i] > at ? 0 : at - starts[i]);
	}
}

TEST(deframer__bad_marker)
{
	u8 buf[256];
	unsigned int len = vector(FPDU_RFC_2, buf);

	buf[23] ^= 4;
	xiwarp_deframer_init(&deframer, true, false);
	deframer.to_marker = 20;
	CHECK_EQ(feed(buf, len, 100), 0);
	CHECK(deframer.is_marker_bad);
	xiwarp_deframer_next(&deframer);
	CHECK(!deframer.is_marker_bad);
}

TEST(deframer__marker_pointing_elsewhere_in_front)
{
	u8 buf[256];
	unsigned int len = vector(FPDU_SEND_HELLO_MARKED, buf);

	buf[3] = 8;
	xiwarp_deframer_init(&deframer, true, false);
	payload_len = 0;
	CHECK_EQ(feed(buf, len, 100), 0);
	CHECK(deframer.is_marker_bad);
}

/* The longest of all: pointers don't fit 16 bits any more and still agree. */
TEST(stream__longest_fpdu)
{
	static u8 ulpdu[65535];

	memset(ulpdu, 0x3f, sizeof(ulpdu));
	xiwarp_framer_init(&framer, true, true);
	xiwarp_deframer_init(&deframer, true, true);
	stream_len = 0;
	frame(ulpdu, 2, sizeof(ulpdu));
	payload_len = 0;
	CHECK_EQ(feed(stream, stream_len, 1000), 0);
	CHECK(xiwarp_deframer_crc_ok(&deframer));
	CHECK(!deframer.is_marker_bad);
	CHECK_EQ(payload_len, 65533);
}

TEST(fpdu_mulpdu__table)
{
	static const u32 spec[][3] = {	/* EMSS, without, with markers */
		{ 1448, 1442, 1430 },
		{ 1460, 1454, 1442 },
		{ 8948, 8942, 8870 },
		{ 65483, 65474, 64962 },
		{ 0, 128, 128 },
		{ 100, 128, 128 },
		{ 134, 128, 128 },
		{ 536, 530, 522 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		CHECK_EQ(xiwarp_fpdu_mulpdu(spec[i][0], false), spec[i][1]);
		CHECK_EQ(xiwarp_fpdu_mulpdu(spec[i][0], true), spec[i][2]);
	}
	CHECK(xiwarp_fpdu_bytes(xiwarp_fpdu_mulpdu(~0U, false)) <= 65535);
}

/* An FPDU of MULPDU bytes fits the segment wherever the markers are. */
TEST(fpdu_mulpdu__fits)
{
	u32 emss;

	for (emss = 200; emss < 10000; emss += 7) {
		u32 to_marker;

		test_context("EMSS %u", emss);
		CHECK(xiwarp_fpdu_bytes(xiwarp_fpdu_mulpdu(emss, false)) <= emss);
		xiwarp_framer_init(&framer, true, true);
		for (to_marker = 0; to_marker <= 508; to_marker += 4) {
			framer.to_marker = to_marker;
			CHECK(xiwarp_framer_bytes(&framer,
						  xiwarp_fpdu_mulpdu(emss, true)) <= emss);
		}
	}
}
