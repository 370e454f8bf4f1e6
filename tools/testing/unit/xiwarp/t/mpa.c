// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "mpa.h"
#include "vectors.h"

static struct xiwarp_mpa_rx rx;
static struct xiwarp_mpa_frame frame, reply;
static struct xiwarp_mpa_agreed agreed;
static enum xiwarp_fault fault;
static u8 bytes[XIWARP_MPA_MAX_BYTES + 8];
static u8 out[XIWARP_MPA_MAX_BYTES];

static const struct xiwarp_mpa_policy plain = {
	.revision = 2,
	.crc = true,
	.rtr = XIWARP_RTR_ALL,
	.ird = 16,
	.ord = 16,
	.max_ird = 128,
};

/* Feed @len bytes, at most @most at a time. Return: as took(); *used: taken. */
static enum xiwarp_mpa_result feed(bool is_reply, unsigned int len,
				   unsigned int most, unsigned int *used)
{
	enum xiwarp_mpa_result result = XIWARP_MPA_MORE;
	unsigned int at = 0;

	memset(&rx, 0, sizeof(rx));
	while (result == XIWARP_MPA_MORE && at < len) {
		u8 *buf;
		unsigned int n = xiwarp_mpa_want(&rx, &buf);

		CHECK(n);
		CHECK(buf + n <= rx.buf + sizeof(rx.buf));
		n = n < most ? n : most;
		n = n < len - at ? n : len - at;
		memcpy(buf, bytes + at, n);
		result = xiwarp_mpa_took(&rx, is_reply, n, &frame);
		at += n;
	}
	if (used)
		*used = at;
	return result;
}

static void parse_vector(const char *text, bool is_reply)
{
	unsigned int most, len = vector(text, bytes), used;

	for (most = 1; most <= 600; most = most < 30 ? most + 1 : most + 570) {
		test_context("%s by %u", text, most);
		/* what follows is left alone */
		CHECK_EQ(feed(is_reply, len + 8, most, &used), XIWARP_MPA_FRAME);
		CHECK_EQ(used, len);
	}
	CHECK_EQ(xiwarp_mpa_build(&frame, out), len);
	CHECK_MEM(out, bytes, len);
}

TEST(mpa_took__revision_1)
{
	parse_vector(MPA_REQUEST_V1, false);
	CHECK_EQ(frame.revision, 1);
	CHECK(frame.crc && !frame.markers && !frame.is_enhanced);
	CHECK_EQ(frame.private_len, 0);
}

TEST(mpa_took__request_of_siw)
{
	parse_vector(MPA_REQUEST_SIW, false);
	CHECK_EQ(frame.revision, 2);
	CHECK(frame.is_enhanced && !frame.crc && !frame.is_peer_to_peer);
	CHECK_EQ(frame.ird, 128);
	CHECK_EQ(frame.ord, 128);
	CHECK_EQ(frame.private_len, 0);
}

TEST(mpa_took__peer_to_peer)
{
	parse_vector(MPA_REQUEST_P2P, false);
	CHECK(frame.is_peer_to_peer);
	CHECK_EQ(frame.rtr, XIWARP_RTR_WRITE | XIWARP_RTR_READ);
	CHECK_EQ(frame.ird, 16);
	CHECK_EQ(frame.ord, 16);
	CHECK_EQ(frame.private_len, 4);
	CHECK_MEM(frame.private_data, "PING", 4);
	parse_vector(MPA_REPLY_P2P, true);
	CHECK_EQ(frame.rtr, XIWARP_RTR_WRITE);
}

TEST(mpa_took__reject)
{
	parse_vector(MPA_REPLY_REJECT, true);
	CHECK(frame.is_rejected);
	/* in a Request the bit is ignored */
	vector(MPA_REQUEST_SIW, bytes);
	bytes[16] |= 0x20;
	CHECK_EQ(feed(false, 24, 100, NULL), XIWARP_MPA_FRAME);
	CHECK(!frame.is_rejected);
}

TEST(mpa_took__other_flags)
{
	vector(MPA_REQUEST_V1, bytes);
	bytes[16] = 0x80;
	CHECK_EQ(feed(false, 20, 100, NULL), XIWARP_MPA_FRAME);
	CHECK(frame.markers && !frame.crc && !frame.is_soft);
	/* S is reserved in revision 1; reserved bits are nobody's business */
	bytes[16] = 0x1f;
	CHECK_EQ(feed(false, 20, 100, NULL), XIWARP_MPA_FRAME);
	CHECK(!frame.is_enhanced);
	CHECK(frame.is_soft);
}

TEST(mpa_took__revision_0_counts_as_1)
{
	vector(MPA_REQUEST_V1, bytes);
	bytes[17] = 0;
	CHECK_EQ(feed(false, 20, 100, NULL), XIWARP_MPA_FRAME);
	CHECK_EQ(frame.revision, 1);
}

TEST(mpa_took__wrong_key_is_bad_at_once)
{
	unsigned int i, used;

	for (i = 0; i < 16; i++) {
		test_context("octet %u", i);
		vector(MPA_REQUEST_V1, bytes);
		bytes[i] ^= 1;
		CHECK_EQ(feed(false, 20, 1, &used), XIWARP_MPA_BAD);
		CHECK_EQ(used, i + 1);
		CHECK_EQ(feed(false, 20, 100, NULL), XIWARP_MPA_BAD);
	}
	vector(MPA_REQUEST_V1, bytes);
	CHECK_EQ(feed(true, 20, 1, &used), XIWARP_MPA_BAD);
	CHECK_EQ(used, 10);	/* "Req", not "Rep" */
}

TEST(mpa_took__revision_3)
{
	unsigned int used;

	vector(MPA_REQUEST_V1, bytes);
	bytes[17] = 3;
	CHECK_EQ(feed(false, 20, 1, &used), XIWARP_MPA_BAD);
	CHECK_EQ(used, 18);
}

TEST(mpa_took__length)
{
	unsigned int used, len;

	for (len = 0; len <= 512; len += 64) {
		vector(MPA_REQUEST_V1, bytes);
		bytes[18] = (u8)(len >> 8);
		bytes[19] = (u8)len;
		CHECK_EQ(feed(false, 20 + len, 7, &used), XIWARP_MPA_FRAME);
		CHECK_EQ(frame.private_len, len);
		CHECK_EQ(used, 20 + len);
		if (len)
			CHECK_EQ(feed(false, 20 + len - 1, 7, NULL), XIWARP_MPA_MORE);
	}
	bytes[18] = 2;
	bytes[19] = 1;
	CHECK_EQ(feed(false, 500, 1, &used), XIWARP_MPA_BAD);
	CHECK_EQ(used, 20);
	bytes[18] = 0xff;
	CHECK_EQ(feed(false, 500, 100, NULL), XIWARP_MPA_BAD);
}

TEST(mpa_took__enhanced_without_room)
{
	u8 len;

	for (len = 0; len < 4; len++) {
		vector(MPA_REQUEST_SIW, bytes);
		bytes[19] = len;
		CHECK_EQ(feed(false, 24, 100, NULL), XIWARP_MPA_BAD);
	}
}

TEST(mpa_build__private_data)
{
	static u8 data[600];
	struct xiwarp_mpa_frame f = { .revision = 1, .private_data = data };

	CHECK_EQ(xiwarp_mpa_private_max(&f), 512);
	f.private_len = 512;
	CHECK_EQ(xiwarp_mpa_build(&f, out), 532);
	f.private_len = 513;
	CHECK_EQ(xiwarp_mpa_build(&f, out), 0);
	f.revision = 2;
	f.is_enhanced = true;
	CHECK_EQ(xiwarp_mpa_private_max(&f), 508);
	f.private_len = 508;
	CHECK_EQ(xiwarp_mpa_build(&f, out), 532);
	CHECK_EQ(out[18] << 8 | out[19], 512);
	f.private_len = 509;
	CHECK_EQ(xiwarp_mpa_build(&f, out), 0);
}

/* ---- initiator ---- */

TEST(mpa_request__follows_policy)
{
	struct xiwarp_mpa_policy policy = plain;

	policy.is_peer_to_peer = true;
	policy.rtr = XIWARP_RTR_WRITE | XIWARP_RTR_READ;
	xiwarp_mpa_request(&policy, &frame);
	frame.private_data = (const u8 *)"PING";
	frame.private_len = 4;
	CHECK_EQ(xiwarp_mpa_build(&frame, out), vector(MPA_REQUEST_P2P, bytes));
	CHECK_MEM(out, bytes, 28);
	policy.revision = 1;
	xiwarp_mpa_request(&policy, &frame);
	CHECK_EQ(xiwarp_mpa_build(&frame, out), vector(MPA_REQUEST_V1, bytes));
	CHECK_MEM(out, bytes, 20);
}

/* No peer to peer, no RTR on offer; depths never look like "no negotiation". */
TEST(mpa_request__client_server)
{
	struct xiwarp_mpa_policy policy = plain;

	policy.ird = 0xffff;
	policy.markers = true;
	policy.crc = false;
	policy.is_soft = true;
	xiwarp_mpa_request(&policy, &frame);
	CHECK_EQ(frame.rtr, 0);
	CHECK_EQ(frame.ird, XIWARP_MPA_MAX_DEPTH);
	CHECK(frame.markers && !frame.crc && frame.is_soft);
}

static struct xiwarp_mpa_frame good_reply(void)
{
	return (struct xiwarp_mpa_frame){
		.is_reply = true, .revision = 2, .is_enhanced = true,
		.ird = 16, .ord = 16,
	};
}

TEST(mpa_judge__depths)
{
	static const struct {
		u16 ird, ord;		/* of the reply */
		u16 want_ird, want_ord;
		bool is_fault;
	} spec[] = {
		{ 16, 16, 16, 16, false },
		{ 4, 4, 16, 4, false },
		{ 100, 16, 16, 16, false },
		{ 0, 0, 16, 0, false },
		{ 16, 17, 17, 16, false },	/* we can raise ours */
		{ 16, 128, 128, 16, false },
		{ 16, 129, 0, 0, true },
		{ 0x3fff, 0x3fff, 16, 16, false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		test_context("row %u", i);
		reply = good_reply();
		reply.ird = spec[i].ird;
		reply.ord = spec[i].ord;
		CHECK_EQ(xiwarp_mpa_judge(&plain, &reply, &agreed, &fault),
			 spec[i].is_fault ? XIWARP_MPA_FAULT : XIWARP_MPA_ESTABLISHED);
		if (spec[i].is_fault) {
			CHECK_EQ(fault, XIWARP_FAULT_MPA_IRD);
			continue;
		}
		CHECK_EQ(agreed.ird, spec[i].want_ird);
		CHECK_EQ(agreed.ord, spec[i].want_ord);
		CHECK(!agreed.waits_for_first);
		CHECK_EQ(agreed.rtr, 0);
	}
}

TEST(mpa_judge__flags)
{
	struct xiwarp_mpa_policy policy = plain;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		test_context("flags %u", i);
		reply = good_reply();
		reply.crc = i & 1;
		policy.crc = i & 2;
		reply.markers = i & 4;
		policy.markers = i & 8;
		reply.is_soft = i & 16;
		policy.is_soft = i & 32;
		CHECK_EQ(xiwarp_mpa_judge(&policy, &reply, &agreed, &fault),
			 XIWARP_MPA_ESTABLISHED);
		CHECK_EQ(agreed.crc, (i & 1) || (i & 2));
		CHECK_EQ(agreed.tx_markers, !!(i & 4));
		CHECK_EQ(agreed.rx_markers, !!(i & 8));
		CHECK_EQ(agreed.is_soft, (i & 16) && (i & 32));
	}
}

TEST(mpa_judge__rtr)
{
	static const struct {
		u8 offered, taken;
		u16 ird;		/* of the reply */
		u8 want;		/* 0: fault */
	} spec[] = {
		{ XIWARP_RTR_ALL, XIWARP_RTR_WRITE, 1, XIWARP_RTR_WRITE },
		{ XIWARP_RTR_ALL, XIWARP_RTR_READ, 1, XIWARP_RTR_READ },
		{ XIWARP_RTR_ALL, XIWARP_RTR_FPDU, 1, XIWARP_RTR_FPDU },
		{ XIWARP_RTR_ALL, XIWARP_RTR_ALL, 1, XIWARP_RTR_WRITE },
		{ XIWARP_RTR_ALL, XIWARP_RTR_READ | XIWARP_RTR_FPDU, 1, XIWARP_RTR_FPDU },
		{ XIWARP_RTR_ALL, XIWARP_RTR_READ, 0, 0 },	/* no ORD left */
		{ XIWARP_RTR_ALL, 0, 1, 0 },
		{ XIWARP_RTR_READ, XIWARP_RTR_WRITE, 1, 0 },
	};
	struct xiwarp_mpa_policy policy = plain;
	unsigned int i;

	policy.is_peer_to_peer = true;
	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		test_context("row %u", i);
		policy.rtr = spec[i].offered;
		reply = good_reply();
		reply.is_peer_to_peer = true;
		reply.rtr = spec[i].taken;
		reply.ird = spec[i].ird;
		CHECK_EQ(xiwarp_mpa_judge(&policy, &reply, &agreed, &fault),
			 spec[i].want ? XIWARP_MPA_ESTABLISHED : XIWARP_MPA_FAULT);
		CHECK_EQ(agreed.rtr, spec[i].want);
		CHECK_EQ(fault, spec[i].want ? XIWARP_FAULT_NONE : XIWARP_FAULT_MPA_RTR);
	}
	/* the responder is of the old model: no RTR then */
	reply = good_reply();
	CHECK_EQ(xiwarp_mpa_judge(&policy, &reply, &agreed, &fault),
		 XIWARP_MPA_ESTABLISHED);
	CHECK_EQ(agreed.rtr, 0);
}

TEST(mpa_judge__rejected)
{
	reply = good_reply();
	reply.is_rejected = true;
	CHECK_EQ(xiwarp_mpa_judge(&plain, &reply, &agreed, &fault), XIWARP_MPA_REJECTED);
}

TEST(mpa_judge__fallback)
{
	struct xiwarp_mpa_policy policy = plain;

	reply = good_reply();
	reply.revision = 1;
	reply.is_enhanced = false;
	CHECK_EQ(xiwarp_mpa_judge(&policy, &reply, &agreed, &fault), XIWARP_MPA_RETRY_V1);
	reply.is_rejected = true;
	CHECK_EQ(xiwarp_mpa_judge(&policy, &reply, &agreed, &fault), XIWARP_MPA_RETRY_V1);
	policy.revision = 1;
	CHECK_EQ(xiwarp_mpa_judge(&policy, &reply, &agreed, &fault), XIWARP_MPA_REJECTED);
	reply.is_rejected = false;
	CHECK_EQ(xiwarp_mpa_judge(&policy, &reply, &agreed, &fault),
		 XIWARP_MPA_ESTABLISHED);
	CHECK_EQ(agreed.revision, 1);
	CHECK_EQ(agreed.ord, 16);
}

/* Revision 2 without S: nothing was negotiated. */
TEST(mpa_judge__not_enhanced)
{
	reply = good_reply();
	reply.is_enhanced = false;
	reply.ird = 0;
	CHECK_EQ(xiwarp_mpa_judge(&plain, &reply, &agreed, &fault),
		 XIWARP_MPA_ESTABLISHED);
	CHECK_EQ(agreed.ord, 16);
}

TEST(mpa_closed__before_the_reply)
{
	struct xiwarp_mpa_policy policy = plain;

	memset(&rx, 0, sizeof(rx));
	CHECK(xiwarp_mpa_closed(&policy, &rx));
	rx.got = 1;
	CHECK(!xiwarp_mpa_closed(&policy, &rx));
	rx.got = 0;
	policy.revision = 1;
	CHECK(!xiwarp_mpa_closed(&policy, &rx));
}

/* ---- responder ---- */

static void request(const char *text)
{
	unsigned int len = vector(text, bytes);

	CHECK_EQ(feed(false, len, 100, NULL), XIWARP_MPA_FRAME);
}

TEST(mpa_offer__depths)
{
	u16 ird, ord;

	request(MPA_REQUEST_P2P);
	frame.ird = 3;
	xiwarp_mpa_offer(&frame, &ird, &ord);
	CHECK_EQ(ird, 3);
	CHECK_EQ(ord, 16);
	frame.ord = 0x3fff;
	xiwarp_mpa_offer(&frame, &ird, &ord);
	CHECK_EQ(ord, 0);
	request(MPA_REQUEST_V1);
	xiwarp_mpa_offer(&frame, &ird, &ord);
	CHECK_EQ(ird, 0);
	CHECK_EQ(ord, 0);
}

TEST(mpa_accept__worked_example)
{
	request(MPA_REQUEST_P2P);
	xiwarp_mpa_accept(&plain, &frame, &reply, &agreed);
	CHECK_EQ(xiwarp_mpa_build(&reply, out), vector(MPA_REPLY_P2P, bytes));
	CHECK_MEM(out, bytes, 24);
	CHECK(agreed.waits_for_first && agreed.crc);
	CHECK_EQ(agreed.rtr, XIWARP_RTR_WRITE);
	CHECK_EQ(agreed.ird, 16);
	CHECK_EQ(agreed.ord, 16);
	CHECK_EQ(agreed.revision, 2);
}

TEST(mpa_accept__depths)
{
	static const struct {
		u16 ird, ord;		/* of the request */
		u16 want_ird, want_ord;
	} spec[] = {
		{ 16, 16, 16, 16 },
		{ 4, 4, 16, 4 },
		{ 0, 0, 16, 0 },
		{ 16, 64, 64, 16 },	/* raised */
		{ 16, 500, 128, 16 },	/* as far as can be */
		{ 0x3fff, 0x3fff, 16, 16 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		test_context("row %u", i);
		request(MPA_REQUEST_SIW);
		frame.ird = spec[i].ird;
		frame.ord = spec[i].ord;
		xiwarp_mpa_accept(&plain, &frame, &reply, &agreed);
		CHECK_EQ(agreed.ird, spec[i].want_ird);
		CHECK_EQ(agreed.ord, spec[i].want_ord);
		CHECK_EQ(reply.ird, spec[i].want_ird);
		CHECK_EQ(reply.ord, spec[i].want_ord);
		CHECK_EQ(agreed.rtr, 0);
		CHECK(!reply.is_peer_to_peer);
	}
}

TEST(mpa_accept__rtr)
{
	static const struct {
		u8 offered, ours, want;
		u16 ord;		/* of the request */
	} spec[] = {
		{ XIWARP_RTR_ALL, XIWARP_RTR_ALL, XIWARP_RTR_WRITE, 1 },
		{ XIWARP_RTR_READ, XIWARP_RTR_ALL, XIWARP_RTR_READ, 1 },
		{ XIWARP_RTR_FPDU, XIWARP_RTR_ALL, XIWARP_RTR_FPDU, 1 },
		{ XIWARP_RTR_READ | XIWARP_RTR_FPDU, XIWARP_RTR_ALL, XIWARP_RTR_FPDU, 1 },
		/* nothing in common: ours, the initiator will tell */
		{ 0, XIWARP_RTR_ALL, XIWARP_RTR_WRITE, 1 },
		{ XIWARP_RTR_WRITE, XIWARP_RTR_READ, XIWARP_RTR_READ, 1 },
		/* it can't READ */
		{ XIWARP_RTR_READ, XIWARP_RTR_ALL, XIWARP_RTR_WRITE, 0 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		struct xiwarp_mpa_policy policy = plain;

		test_context("row %u", i);
		request(MPA_REQUEST_P2P);
		frame.rtr = spec[i].offered;
		frame.ord = spec[i].ord;
		policy.rtr = spec[i].ours;
		xiwarp_mpa_accept(&policy, &frame, &reply, &agreed);
		CHECK(reply.is_peer_to_peer);
		CHECK_EQ(reply.rtr, spec[i].want);
		CHECK_EQ(agreed.rtr, spec[i].want);
	}
}

TEST(mpa_accept__flags)
{
	struct xiwarp_mpa_policy policy = plain;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		test_context("flags %u", i);
		request(MPA_REQUEST_SIW);
		frame.crc = i & 1;
		policy.crc = i & 2;
		frame.markers = i & 4;
		policy.markers = i & 8;
		frame.is_soft = i & 16;
		policy.is_soft = i & 32;
		xiwarp_mpa_accept(&policy, &frame, &reply, &agreed);
		CHECK_EQ(agreed.crc, (i & 1) || (i & 2));
		CHECK_EQ(reply.crc, agreed.crc);
		CHECK_EQ(agreed.tx_markers, !!(i & 4));
		CHECK_EQ(agreed.rx_markers, !!(i & 8));
		CHECK_EQ(reply.markers, !!(i & 8));
		CHECK_EQ(agreed.is_soft, (i & 16) && (i & 32));
		CHECK_EQ(reply.is_soft, agreed.is_soft);
	}
}

/* Nobody waits for a first FPDU where both are software and the initiator offers one. */
TEST(mpa_accept__software_needs_no_rtr)
{
	struct xiwarp_mpa_policy policy = plain;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		bool soft = (i & 1) && (i & 2);

		test_context("flags %u", i);
		request(i & 4 ? MPA_REQUEST_P2P : MPA_REQUEST_SIW);
		frame.is_soft = i & 1;
		policy.is_soft = i & 2;
		xiwarp_mpa_accept(&policy, &frame, &reply, &agreed);
		CHECK_EQ(agreed.waits_for_first, !(soft && i & 4));
		CHECK_EQ(!!agreed.rtr, !soft && i & 4);
		CHECK_EQ(reply.is_peer_to_peer, !soft && i & 4);
		CHECK_EQ(reply.rtr, agreed.rtr);
	}
}

TEST(mpa_accept__revision_1)
{
	request(MPA_REQUEST_V1);
	xiwarp_mpa_accept(&plain, &frame, &reply, &agreed);
	CHECK_EQ(reply.revision, 1);
	CHECK(!reply.is_enhanced);
	CHECK_EQ(xiwarp_mpa_build(&reply, out), 20);
	CHECK_EQ(agreed.ird, 16);
	CHECK_EQ(agreed.ord, 16);
}

TEST(mpa_reject__answers_in_kind)
{
	request(MPA_REQUEST_P2P);
	xiwarp_mpa_reject(&frame, &reply);
	CHECK_EQ(xiwarp_mpa_build(&reply, out), vector(MPA_REPLY_REJECT, bytes));
	CHECK_MEM(out, bytes, 24);
	request(MPA_REQUEST_V1);
	xiwarp_mpa_reject(&frame, &reply);
	CHECK_EQ(xiwarp_mpa_build(&reply, out), 20);
	CHECK_EQ(out[16], 0x60);
	CHECK_EQ(out[17], 1);
}

/* Whatever both sides want: they agree on the same stream, or one says why not. */
TEST(mpa__both_sides_agree)
{
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		u32 r = i * 2654435761U;
		struct xiwarp_mpa_policy a = {
			.revision = (u8)(1 + (r >> 30 & 1)),
			.crc = r & 1, .markers = r & 2, .is_soft = r & 4,
			.is_peer_to_peer = r & 8,
			.rtr = (u8)(1 + (r >> 4) % 7),
			.ird = (u16)(r >> 7 & 7), .ord = (u16)(r >> 10 & 7),
		};
		struct xiwarp_mpa_policy b = {
			.revision = 2, .crc = r >> 13 & 1, .markers = r >> 14 & 1,
			.is_soft = r >> 15 & 1, .rtr = (u8)(1 + (r >> 16) % 7),
			.ird = (u16)(r >> 19 & 7), .ord = (u16)(r >> 22 & 7),
		};
		struct xiwarp_mpa_agreed at_a, at_b;
		enum xiwarp_mpa_verdict verdict;
		unsigned int len;

		test_context("turn %u", i);
		a.max_ird = a.ird + (r >> 25 & 3);
		b.max_ird = b.ird + (r >> 27 & 3);
		xiwarp_mpa_request(&a, &frame);
		len = xiwarp_mpa_build(&frame, bytes);
		CHECK_EQ(feed(false, len, 100, NULL), XIWARP_MPA_FRAME);
		xiwarp_mpa_accept(&b, &frame, &reply, &at_b);
		len = xiwarp_mpa_build(&reply, bytes);
		CHECK_EQ(feed(true, len, 100, NULL), XIWARP_MPA_FRAME);
		verdict = xiwarp_mpa_judge(&a, &frame, &at_a, &fault);
		if (verdict == XIWARP_MPA_FAULT) {
			CHECK(a.revision == 2);
			continue;
		}
		CHECK_EQ(verdict, XIWARP_MPA_ESTABLISHED);
		CHECK_EQ(at_a.crc, at_b.crc);
		CHECK_EQ(at_a.tx_markers, at_b.rx_markers);
		CHECK_EQ(at_b.tx_markers, at_a.rx_markers);
		CHECK_EQ(at_a.is_soft, at_b.is_soft);
		CHECK_EQ(at_a.rtr, at_b.rtr);
		if (a.revision < 2)
			continue;
		CHECK(at_a.ord <= at_b.ird);
		CHECK(at_b.ord <= at_a.ird);
	}
}
