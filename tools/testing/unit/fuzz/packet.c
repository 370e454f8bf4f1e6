// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Any bytes as a packet: the first chooses the network header and how much of
 * the packet can be read in place, the rest is the packet, network header to
 * ICRC. Parsing stays in bounds; building again gives the same headers but for
 * reserved bits; the ICRC of what was built verifies.
 */
#include <stdlib.h>
#include <string.h>
#include "icrc.h"
#include "wire.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void expect(bool cond)
{
	if (!cond)
		abort();
}

/* A heap block of exactly @len bytes, so that ASan sees one byte too many. */
static u8 *exact(const u8 *data, size_t len)
{
	u8 *copy = malloc(len ? len : 1);

	expect(copy);
	memcpy(copy, data, len);
	return copy;
}

/* Zero what the struct does not keep. */
static void clear_reserved(u8 *bth, u16 hdrs)
{
	u8 *ext = bth + XROCE_BTH_BYTES;

	bth[4] &= 0x40;
	bth[8] &= 0x80;
	if (hdrs & XROCE_HDR_DETH)
		ext[4] = 0;
	if (hdrs & XROCE_HDR_FETH) {
		memset(ext, 0, 3);
		ext[3] &= 0x3f;
	}
	if (hdrs & XROCE_HDR_CNP)
		memset(ext, 0, XROCE_CNP_BYTES);
}

static void check_rebuild(const struct xroce_pkt *pkt, u8 *bth)
{
	u8 *again = malloc(pkt->hdr_len);

	expect(again);
	expect(xroce_wire_build(pkt, again) == pkt->hdr_len);
	clear_reserved(bth, pkt->info->hdrs);
	expect(!memcmp(again, bth, pkt->hdr_len));
	free(again);
}

static void check_icrc(enum xroce_l3 l3, const u8 *net, const u8 *bth,
		       const struct xroce_pkt *pkt)
{
	unsigned int body = pkt->payload_len + pkt->pad;
	u8 icrc[XROCE_ICRC_BYTES];
	u32 crc;

	crc = xroce_icrc_headers(l3, net, bth, pkt->hdr_len);
	crc = xroce_icrc_update(crc, bth + pkt->hdr_len, body);
	expect(crc == xroce_icrc_headers(l3, net, bth, pkt->hdr_len + body));
	xroce_icrc_put(crc, icrc);
	expect(xroce_icrc_ok(crc, icrc));
	expect(!xroce_icrc_ok(crc ^ 1, icrc));
}

static void check_packet(enum xroce_l3 l3, const u8 *net, u8 *bth,
			 unsigned int len)
{
	struct xroce_pkt pkt;

	if (xroce_wire_parse(&pkt, bth, len, len))
		return;
	expect(pkt.hdr_len + pkt.payload_len + pkt.pad + XROCE_ICRC_BYTES == len);
	check_icrc(l3, net, bth, &pkt);
	check_rebuild(&pkt, bth);
}

/* Only @avail bytes exist; the packet claims @len. */
static void check_partial(const u8 *data, unsigned int avail, unsigned int len)
{
	u8 *bth = exact(data, avail);
	struct xroce_pkt pkt;

	if (!xroce_wire_parse(&pkt, bth, avail, len)) {
		expect(pkt.hdr_len <= avail);
		expect(pkt.payload_len < len);
	}
	free(bth);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	unsigned int net_len, len, avail;
	enum xroce_l3 l3;
	u8 *net, *bth;

	if (!size)
		return 0;
	l3 = data[0] % 3;
	avail = data[0] / 3;
	net_len = xroce_icrc_l3_bytes(l3);
	if (size < 1 + net_len)
		return 0;
	len = (unsigned int)(size - 1 - net_len);
	net = exact(data + 1, net_len);
	bth = exact(data + 1 + net_len, len);
	check_packet(l3, net, bth, len);
	check_partial(data + 1 + net_len, avail < len ? avail : len,
		      avail & 1 ? len : ~0U - avail);
	free(net);
	free(bth);
	return 0;
}
