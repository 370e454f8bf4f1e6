// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Any stream, cut in two ways: flags, how the pieces are made, then the bytes.
 * Both ways find the same FPDUs with the same payload, CRC and markers. What was
 * found is framed again; the receiver of that agrees.
 */
#include <stdlib.h>
#include <string.h>
#include "fpdu.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define MAX_FPDUS	64
#define MAX_BYTES	8192

static void expect(bool cond)
{
	if (!cond)
		abort();
}

struct seen {
	u32 n, bytes;
	u16 ulpdu[MAX_FPDUS];
	u8 hdr_len[MAX_FPDUS];
	bool is_good[MAX_FPDUS], is_marked_badly[MAX_FPDUS];
	u8 payload[MAX_BYTES];
	u32 hdr_sum;
};

struct cutter {
	const u8 *data;
	size_t left;
	const u8 *cuts;
	u32 n_cuts, at;
};

static unsigned int next_cut(struct cutter *cutter)
{
	if (!cutter->n_cuts)
		return ~0U;
	return 1 + cutter->cuts[cutter->at++ % cutter->n_cuts];
}

/* At most @want bytes of what is left. */
static unsigned int cut(struct cutter *cutter, unsigned int want)
{
	unsigned int n = next_cut(cutter);

	n = n < want ? n : want;
	return n < cutter->left ? n : (unsigned int)cutter->left;
}

static void note(struct xiwarp_deframer *d, struct seen *seen)
{
	u32 i;

	seen->ulpdu[seen->n] = d->ulpdu;
	seen->hdr_len[seen->n] = d->hdr_len;
	seen->is_good[seen->n] = xiwarp_deframer_crc_ok(d);
	seen->is_marked_badly[seen->n] = d->is_marker_bad;
	for (i = 0; i < d->hdr_len; i++)
		seen->hdr_sum = seen->hdr_sum * 31 + d->hdr[i];
	seen->n++;
}

/* One turn. Return: false when the bytes are used up. */
static bool turn(struct xiwarp_deframer *d, struct cutter *cutter, struct seen *seen)
{
	unsigned int n, len;
	u8 *buf;

	switch (xiwarp_deframer_want(d, &buf, &len)) {
	case XIWARP_WANT_HEADER:
		expect(d->hdr_len <= sizeof(d->hdr));
		xiwarp_deframer_go_on(d);
		return true;
	case XIWARP_WANT_DONE:
		note(d, seen);
		xiwarp_deframer_next(d);
		return seen->n < MAX_FPDUS;
	case XIWARP_WANT_PAYLOAD:
		expect(len && len <= 65535);
		n = cut(cutter, len);
		if (!n)
			return false;
		memcpy(seen->payload + seen->bytes, cutter->data, n);
		seen->bytes += n;
		xiwarp_deframer_passed(d, n, xiwarp_crc(d->crc, cutter->data, n));
		break;
	default:
		expect(len);
		expect(buf >= (u8 *)d && buf + len <= (u8 *)(d + 1));
		n = cut(cutter, len);
		if (!n)
			return false;
		memcpy(buf, cutter->data, n);
		xiwarp_deframer_took(d, n);
	}
	cutter->data += n;
	cutter->left -= n;
	return true;
}

static void receive(u8 flags, struct cutter cutter, struct seen *seen)
{
	struct xiwarp_deframer *d = malloc(sizeof(*d));

	memset(seen, 0, sizeof(*seen));
	xiwarp_deframer_init(d, flags & 1, flags & 2);
	while (turn(d, &cutter, seen))
		;
	free(d);
}

/* Payload and headers of @seen, framed. Return: bytes. */
static size_t send(u8 flags, const struct seen *seen, u8 *stream)
{
	static const u8 hdr[XIWARP_MAX_HDR_BYTES] = { 0x5f, 0x5f };
	struct xiwarp_framer f;
	size_t len = 0;
	u32 i, at = 0;

	xiwarp_framer_init(&f, flags & 1, flags & 2);
	for (i = 0; i < seen->n; i++) {
		unsigned int hdr_len = seen->ulpdu[i] < 2 ? seen->ulpdu[i] : 2;
		unsigned int payload = seen->ulpdu[i] - hdr_len;
		u32 want = xiwarp_framer_bytes(&f, seen->ulpdu[i]);
		struct xiwarp_piece piece;
		size_t start = len;

		if (payload > seen->bytes - at)
			break;
		xiwarp_framer_begin(&f, hdr, hdr_len, payload);
		while (xiwarp_framer_next(&f, &piece)) {
			const u8 *from = piece.data;

			if (!from) {
				from = seen->payload + at;
				at += piece.len;
				f.crc = xiwarp_crc(f.crc, from, piece.len);
			}
			memcpy(stream + len, from, piece.len);
			len += piece.len;
		}
		expect(len - start == want);
	}
	return len;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct seen one, two, again;
	static u8 stream[2 * MAX_BYTES];
	struct cutter cutter;
	u32 i, n_cuts;
	u8 flags;

	if (size < 2)
		return 0;
	flags = data[0];
	n_cuts = data[1] % 16;
	if (size < 2 + n_cuts || size > MAX_BYTES)
		return 0;
	cutter = (struct cutter){
		.data = data + 2 + n_cuts, .left = size - 2 - n_cuts,
		.cuts = data + 2, .n_cuts = n_cuts,
	};
	receive(flags, cutter, &one);
	cutter.n_cuts = 0;
	receive(flags, cutter, &two);
	expect(!memcmp(&one, &two, sizeof(one)));
	cutter.data = stream;
	cutter.left = send(flags, &one, stream);
	cutter.n_cuts = n_cuts;
	receive(flags, cutter, &again);
	for (i = 0; i < again.n; i++) {
		expect(again.ulpdu[i] == one.ulpdu[i]);
		expect(again.is_good[i] && !again.is_marked_badly[i]);
	}
	return 0;
}
