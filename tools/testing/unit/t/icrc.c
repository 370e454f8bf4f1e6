// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/crc32.h>
#include "icrc.h"
#include "test.h"
#include "vectors.h"
#include "wire.h"

#define MAX_NET_BYTES	48

/* Ones where the network may change something. */
static const struct {
	enum xroce_l3 l3;
	unsigned int bytes;
	const char *mutable;
} l3_masks[] = {
	{ XROCE_L3_GRH, 40,
	  "0f ff ff ff 00 00 00 ff 0000000000000000 0000000000000000"
	  "0000000000000000 0000000000000000" },
	{ XROCE_L3_IPV4, 28,
	  "00 ff 00 00 00 00 00 00 ff 00 ff ff 00000000 00000000"
	  "0000 0000 0000 ffff" },
	{ XROCE_L3_IPV6, 48,
	  "0f ff ff ff 00 00 00 ff 0000000000000000 0000000000000000"
	  "0000000000000000 0000000000000000 0000 0000 0000 ffff" },
};

static const char bth_mask[] = "00 00 0000 ff 000000 00 000000";

/* CRC of all but the ICRC, headers in one go. */
static u32 crc_of(enum xroce_l3 l3, const u8 *packet, unsigned int len)
{
	unsigned int net = xroce_icrc_l3_bytes(l3);

	return xroce_icrc_headers(l3, packet, packet + net,
				  len - net - XROCE_ICRC_BYTES);
}

TEST(icrc_l3_bytes__each_kind)
{
	CHECK_EQ(xroce_icrc_l3_bytes(XROCE_L3_GRH), 40);
	CHECK_EQ(xroce_icrc_l3_bytes(XROCE_L3_IPV4), 28);
	CHECK_EQ(xroce_icrc_l3_bytes(XROCE_L3_IPV6), 48);
}

TEST(icrc_headers__seed_is_eight_ones)
{
	static const u8 lrh[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };

	CHECK_EQ(crc32_le(~0U, lrh, sizeof(lrh)), 0xdebb20e3);
}

TEST(icrc_headers__vectors)
{
	u8 packet[VECTOR_MAX_BYTES];
	size_t i;

	for (i = 0; i < VECTORS; i++) {
		unsigned int len = vector_bytes(vectors[i].hex, packet);
		u8 *icrc = packet + len - XROCE_ICRC_BYTES;
		u8 got[XROCE_ICRC_BYTES];
		u32 crc;

		test_context("%s", vectors[i].name);
		crc = crc_of(vectors[i].l3, packet, len);
		CHECK(xroce_icrc_ok(crc, icrc));
		xroce_icrc_put(crc, got);
		CHECK_MEM(got, icrc, sizeof(got));
	}
}

TEST(icrc_headers__masked_forms)
{
	u8 packet[VECTOR_MAX_BYTES], masked[VECTOR_MAX_BYTES];
	unsigned int forms = 0;
	size_t i;

	for (i = 0; i < VECTORS; i++) {
		unsigned int len, masked_len;
		u8 *icrc;

		if (!vectors[i].masked)
			continue;
		forms++;
		test_context("%s", vectors[i].name);
		len = vector_bytes(vectors[i].hex, packet);
		masked_len = vector_bytes(vectors[i].masked, masked);
		CHECK_EQ(masked_len, len - XROCE_ICRC_BYTES);
		CHECK_EQ(crc_of(vectors[i].l3, packet, len),
			 crc32_le(0xdebb20e3, masked, masked_len));
		/* Residue: the ICRC itself brings the register back. */
		icrc = packet + masked_len;
		CHECK_EQ(crc32_le(crc_of(vectors[i].l3, packet, len), icrc, 4),
			 0xdebb20e3);
	}
	CHECK_EQ(forms, 4);
}

/* Flip every header bit: the CRC changes if, and only if, the bit is covered. */
static void check_mask(size_t row)
{
	unsigned int net = l3_masks[row].bytes;
	u8 mask[VECTOR_MAX_BYTES], packet[MAX_NET_BYTES + XROCE_BTH_BYTES];
	unsigned int bit;
	u32 crc;

	CHECK_EQ(vector_bytes(l3_masks[row].mutable, mask), net);
	CHECK_EQ(vector_bytes(bth_mask, mask + net), XROCE_BTH_BYTES);
	for (bit = 0; bit < sizeof(packet); bit++)
		packet[bit] = (u8)(bit * 37 + 11);
	crc = xroce_icrc_headers(l3_masks[row].l3, packet, packet + net,
				 XROCE_BTH_BYTES);
	for (bit = 0; bit < 8 * (net + XROCE_BTH_BYTES); bit++) {
		u8 b = (u8)(1 << bit % 8);
		bool is_same;

		test_context("l3 %zu byte %u bit %u", row, bit / 8, bit % 8);
		packet[bit / 8] ^= b;
		is_same = crc == xroce_icrc_headers(l3_masks[row].l3, packet,
						    packet + net,
						    XROCE_BTH_BYTES);
		CHECK_EQ(is_same, !!(mask[bit / 8] & b));
		packet[bit / 8] ^= b;
	}
}

TEST(icrc_headers__covers_all_but_the_mutable_bits)
{
	size_t row;

	for (row = 0; row < sizeof(l3_masks) / sizeof(*l3_masks); row++)
		check_mask(row);
}

/* Exact heap blocks: a byte too far is caught, and so is a write. */
TEST(icrc_headers__reads_only_what_it_was_given)
{
	static const unsigned int lens[] = { 12, 16, 20, 28, 32, 40, 48 };
	size_t row, i;

	for (row = 0; row < sizeof(l3_masks) / sizeof(*l3_masks); row++)
		for (i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
			u8 *net = calloc(1, l3_masks[row].bytes);
			u8 *bth = calloc(1, lens[i]);
			u8 zeros[48] = { 0 };

			CHECK(net && bth);
			xroce_icrc_headers(l3_masks[row].l3, net, bth, lens[i]);
			CHECK_MEM(net, zeros, l3_masks[row].bytes);
			CHECK_MEM(bth, zeros, lens[i]);
			free(net);
			free(bth);
		}
}

TEST(icrc_update__any_split_gives_the_same)
{
	u8 packet[VECTOR_MAX_BYTES];
	const struct vector *v = vector_find("W2");
	unsigned int len = vector_bytes(v->hex, packet) - XROCE_ICRC_BYTES;
	unsigned int net = xroce_icrc_l3_bytes(v->l3);
	u8 *bth = packet + net;
	u8 *payload = bth + 20;
	unsigned int payload_len = len - net - 20, cut;

	for (cut = 0; cut <= payload_len; cut++) {
		u32 crc = xroce_icrc_headers(v->l3, packet, bth, 20);

		test_context("cut %u", cut);
		crc = xroce_icrc_update(crc, payload, cut);
		crc = xroce_icrc_update(crc, payload + cut, payload_len - cut);
		CHECK(xroce_icrc_ok(crc, packet + len));
	}
}

TEST(icrc_put__least_significant_byte_first)
{
	static const u8 want[5] = { 0x78, 0x56, 0x34, 0x12, 0xee };
	u8 icrc[5] = { 0, 0, 0, 0, 0xee };

	xroce_icrc_put(~0x12345678U, icrc);
	CHECK_MEM(icrc, want, sizeof(want));
}

TEST(icrc_ok__every_bit_counts)
{
	u8 icrc[XROCE_ICRC_BYTES];
	unsigned int bit;

	xroce_icrc_put(0xcafe1234, icrc);
	CHECK(xroce_icrc_ok(0xcafe1234, icrc));
	for (bit = 0; bit < 32; bit++) {
		test_context("bit %u", bit);
		CHECK(!xroce_icrc_ok(0xcafe1234 ^ 1U << bit, icrc));
		icrc[bit / 8] ^= (u8)(1 << bit % 8);
		CHECK(!xroce_icrc_ok(0xcafe1234, icrc));
		icrc[bit / 8] ^= (u8)(1 << bit % 8);
	}
}
