// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * As initiator: data of all kinds, however it is cut.
 */
#include <netinet/tcp.h>
#include "peer.h"

/* ---- data ------------------------------------------------------------------ */

/* Everything in both directions, compared byte by byte. */
void all_ways(struct peer *p, u32 len)
{
	struct xiwarp_seg seg;

	learn_region(p);
	fill_mine();
	command(p, 's', len);
	expect_eq(serve(p, &seg), XIWARP_OP_SEND);
	expect_eq(message_len, len);
	expect_pattern(message, len);
	answer(p, "0");
	memset(mine, 0, sizeof(mine));
	ask(p, 'w', len, "0");
	expect_pattern(mine, len);
	expect(!mine[len]);
	fill_mine();
	expect(!*ask(p, 'r', len, "0"));
	/* ours into the region, shifted by one; then the region as it is */
	put_message(p, good(p, XIWARP_OP_WRITE), mine + 1, len < IW_REGION ? len : IW_REGION);
	expect(len == 0 || !strcmp(ask(p, 'c', 1, "0"), " changed at 0"));
	seg = good(p, XIWARP_OP_READ_REQUEST);
	seg.read = (struct xiwarp_read){
		MINE_STAG, MINE_TO, len < IW_REGION ? len : IW_REGION, region_stag, region,
	};
	put_message(p, seg, NULL, 0);
}

/* Read Response to the request of all_ways(). */
void get_response(struct peer *p, u32 len)
{
	static u8 payload[65536];
	struct xiwarp_seg seg;
	u32 at = 0;

	do {
		expect(get_seg(p, &seg, payload));
		expect_eq(seg.opcode, XIWARP_OP_READ_RESPONSE);
		expect_eq(seg.to, MINE_TO + at);
		expect_eq(seg.stag, MINE_STAG);
		memcpy(mine + at, payload, seg.payload_len);
		at += seg.payload_len;
	} while (!seg.is_last);
	expect_eq(at, len);
}

static void try_style(const struct style *style, u32 len)
{
	struct peer p;
	char text[100];

	snprintf(text, sizeof(text), "(crc %d markers %d cut %u mulpdu %u len %u)",
		 style->crc, style->markers, style->cut, style->mulpdu, len);
	where = text;
	start(&p, style);
	all_ways(&p, len);
	memset(mine, 0, len);
	get_response(&p, len < IW_REGION ? len : IW_REGION);
	expect_pattern(mine, len < IW_REGION ? len : IW_REGION);
	ask(&p, 'e', 0, "0");
	done(&p);
	where = "";
}

static void case_data(void)
{
	static const unsigned int cuts[] = { 0, 1, 7, 500 };
	unsigned int i;

	for (i = 0; i < 16; i++) {
		struct style style = plain;

		style.crc = i & 1;
		style.markers = i & 2;
		style.cut = cuts[i / 4];
		try_style(&style, style.cut == 1 ? 3000 : 50000);
	}
}

static void case_data_sizes(void)
{
	static const u32 lens[] = { 1, 2, 3, 4, 5, 493, 494, 495, 1423, 1424, 1425, 65535,
				    65536, 300000 };
	unsigned int i;

	for (i = 0; i < 2 * sizeof(lens) / sizeof(*lens); i++) {
		struct style style = plain;

		style.crc = true;
		style.markers = i & 1;
		style.mulpdu = i % 3 ? 1442 : 64000;
		try_style(&style, lens[i / 2]);
	}
}

/* Many segments in one TCP segment, and messages that end within others. */
static void case_coalesced(void)
{
	struct style style = plain;
	struct peer p;
	int i, one = 1, zero = 0;

	style.crc = true;
	start(&p, &style);
	setsockopt(p.fd, IPPROTO_TCP, TCP_CORK, &one, sizeof(one));
	for (i = 0; i < 12; i++)
		command(&p, 'e', 0);
	setsockopt(p.fd, IPPROTO_TCP, TCP_CORK, &zero, sizeof(zero));
	for (i = 0; i < 12; i++)
		answer(&p, "0");
	done(&p);
}

/* ---- RFC 7306 -------------------------------------------------------------- */

static u64 do_masked(struct peer *p, u8 op, u64 swap_add, u64 mask, u64 compare,
		     u64 compare_mask)
{
	struct xiwarp_seg seg = good(p, XIWARP_OP_ATOMIC_REQUEST);
	static u32 id = 100;

	seg.atomic = (struct xiwarp_atomic){
		.op = op, .id = ++id, .stag = region_stag, .to = region + 64,
		.swap_add = swap_add, .mask = mask,
		.compare = compare, .compare_mask = compare_mask,
	};
	put_message(p, seg, NULL, 0);
	expect_eq(serve(p, &seg), XIWARP_OP_ATOMIC_RESPONSE);
	expect_eq(seg.result.id, id);
	expect_eq(seg.msn, p->rx_msn[XIWARP_QN_ATOMIC]++);
	return seg.result.value;
}

static u64 do_atomic(struct peer *p, u8 op, u64 swap_add, u64 compare)
{
	return do_masked(p, op, swap_add, op == XIWARP_CMP_SWAP ? ~0ULL : 0, compare,
			 ~0ULL);
}

/* Two counters of 32 bits in a word, and a byte in it. */
static void check_masks(struct peer *p)
{
	const u64 ends = 1ULL << 31;
	u64 old = do_atomic(p, XIWARP_FETCH_ADD, 0, 0);

	expect_eq(do_atomic(p, XIWARP_CMP_SWAP, 0x5ffffffffULL, old), old);
	do_masked(p, XIWARP_FETCH_ADD, 0x100000002ULL, ends, 0, 0);
	expect_eq(do_masked(p, XIWARP_CMP_SWAP, 0x77, 0xff, 6, 0xff), 0x600000001ULL);
	expect_eq(do_masked(p, XIWARP_CMP_SWAP, 0x77, 0xff, 1, 0xff), 0x600000001ULL);
	expect_eq(do_atomic(p, XIWARP_CMP_SWAP, old, 0x600000077ULL), 0x600000077ULL);
}

static void case_atomics(void)
{
	struct style style = plain;
	struct peer p;
	u64 first;

	style.crc = true;
	start(&p, &style);
	learn_region(&p);
	first = do_atomic(&p, XIWARP_FETCH_ADD, 5, 0);
	expect_eq(do_atomic(&p, XIWARP_FETCH_ADD, ~0ULL, 0), first + 5);
	expect_eq(do_atomic(&p, XIWARP_CMP_SWAP, 77, first), first + 4);
	expect_eq(do_atomic(&p, XIWARP_CMP_SWAP, 77, first + 4), first + 4);
	expect_eq(do_atomic(&p, XIWARP_CMP_SWAP, first, 77), 77);
	check_masks(&p);
	expect(!strcmp(ask(&p, 'c', 0, "0"), " clean"));
	done(&p);
}

/* A message of its own kind; it takes a receive and nothing else. */
static void case_immediate(void)
{
	struct xiwarp_seg seg;
	struct peer p;

	start(&p, &plain);
	seg = good(&p, XIWARP_OP_IMMEDIATE);
	put_message(&p, seg, NULL, 0);
	/* no command to the other end, which answers nothing */
	ask(&p, 'e', 0, "0");
	done(&p);
	check_last("0 recv 0 send 0 event 0", "0 clean");
}

const struct test data_tests[] = {
	{ "data", case_data },
	{ "data-sizes", case_data_sizes },
	{ "coalesced", case_coalesced },
	{ "atomics", case_atomics },
	{ "immediate", case_immediate },
	{ NULL, NULL }
};
