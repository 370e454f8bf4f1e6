// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * As initiator: startups, good and bad.
 */
#include "peer.h"

/* ---- startup, as it should be ---------------------------------------------- */

static void case_revisions(void)
{
	static const struct style styles[] = {
		{ .revision = 1, .mulpdu = 1442 },
		{ .revision = 1, .mulpdu = 1442, .crc = true },
		{ .revision = 2, .mulpdu = 1442 },
		{ .revision = 2, .mulpdu = 1442, .crc = true },
		{ .revision = 2, .mulpdu = 1442, .markers = true },
		{ .revision = 1, .mulpdu = 1442, .markers = true, .cut = 1 },
		{ .revision = 2, .mulpdu = 1442, .private_len = 56, .cut = 1 },
		{ .revision = 2, .mulpdu = 1442, .private_len = 251 },
	};
	struct peer p;
	unsigned int i;

	for (i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
		start(&p, &styles[i]);
		ask(&p, 'e', 0, "0");
		done(&p);
	}
}

/* More private data than the CM can carry: taken or rejected, not ignored. */
static void case_private_data(void)
{
	struct xiwarp_mpa_policy policy = policy_of(&plain);
	static u8 private[XIWARP_MPA_MAX_PRIVATE];
	unsigned int len;

	for (len = 252; len <= 508; len += 64) {
		struct xiwarp_mpa_frame frame;
		struct xiwarp_mpa_rx rx;
		struct peer p;

		open_socket(&p, &plain);
		xiwarp_mpa_request(&policy, &frame);
		frame.private_data = private;
		frame.private_len = (u16)len;
		put_frame(&p, &frame);
		expect(get_frame(&p, true, &rx, &frame));
		close(p.fd);
	}
	check_last("0", "0 clean");
}

static void case_rtr(void)
{
	static const u8 kinds[] = { XIWARP_RTR_WRITE, XIWARP_RTR_READ, XIWARP_RTR_FPDU };
	unsigned int i;

	for (i = 0; i < 6; i++) {
		struct style style = plain;
		struct peer p;

		style.rtr = kinds[i / 2];
		style.crc = i & 1;
		start(&p, &style);
		ask(&p, 'e', 0, "0");
		done(&p);
	}
}

/* ---- startup, as it should not be ------------------------------------------ */

static void bad_startup(const void *bytes, unsigned int len)
{
	struct peer p;

	open_socket(&p, &plain);
	put(&p, bytes, len);
	expect_end(&p);
}

static void case_bad_startup(void)
{
	u8 frame[600] = "MPA ID Req Frame";
	unsigned int i;

	for (i = 0; i < 16; i++) {	/* key */
		frame[i] ^= 0x20;
		frame[17] = 1;
		bad_startup(frame, 20);
		frame[i] ^= 0x20;
	}
	frame[17] = 3;			/* revision */
	bad_startup(frame, 20);
	frame[17] = 1;
	frame[18] = 2;			/* length */
	frame[19] = 1;
	bad_startup(frame, 600);
	frame[18] = 0xff;
	bad_startup(frame, 20);
	frame[16] = 0x10;		/* enhanced without words */
	frame[17] = 2;
	frame[18] = 0;
	frame[19] = 3;
	bad_startup(frame, 23);
	memcpy(frame, "MPA ID Rep Frame", 16);
	bad_startup(frame, 20);
	bad_startup("GET / HTTP/1.0\r\n\r\n1234", 22);
	check_last("0", "0 clean");
}

/* Connections that are given up halfway keep nobody else from theirs. */
static void case_abandoned(void)
{
	static const u8 frame[] = "MPA ID Req Frame\x10\x02\0\4\0\4\0\4";
	struct peer held[24], p;
	unsigned int i;

	for (i = 0; i < 24; i++) {
		open_socket(&held[i], &plain);
		put(&held[i], frame, i);
	}
	start(&p, &plain);
	ask(&p, 'e', 0, "0");
	done(&p);
	for (i = 0; i < 24; i++)
		close(held[i].fd);
	check_last("0", "0 clean");
}

const struct test startup_tests[] = {
	{ "revisions", case_revisions },
	{ "private-data", case_private_data },
	{ "rtr", case_rtr },
	{ "bad-startup", case_bad_startup },
	{ "abandoned", case_abandoned },
	{ NULL, NULL }
};
