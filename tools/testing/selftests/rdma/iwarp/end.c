// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ways to end a connection.
 */
#include "peer.h"

/* We give up: the READ at hand ends as we say. */
static void case_terminate(void)
{
	struct xiwarp_seg seg, about;
	struct peer p;

	about = (struct xiwarp_seg){ .opcode = XIWARP_OP_READ_REQUEST, .is_last = true,
				     .qn = 1, .msn = 1 };
	about.read = wait_for_read(&p, &plain);
	seg = good(&p, XIWARP_OP_TERMINATE);
	seg.term = (struct xiwarp_term){
		.layer = 0, .etype = 1, .code = 0, .has_length = true, .has_ddp = true,
		.has_read = true, .seg_len = 46, .ddp_len = 18,
	};
	{
		u8 hdr[XIWARP_MAX_HDR_BYTES];

		xiwarp_wire_build(&about, hdr);
		memcpy(seg.term.ddp, hdr, 18);
		memcpy(seg.term.read, hdr + 18, XIWARP_READ_BYTES);
	}
	put_seg(&p, &seg, NULL, 0);
	expect_end(&p);
	check_last("0 recv 0 send 10", "0 clean");	/* REM_ACCESS_ERR */
}

/* The same as siw says it: nibbles and flags the other way round. */
static void case_terminate_of_siw(void)
{
	struct xiwarp_seg about;
	u8 hdr[XIWARP_MAX_HDR_BYTES + 8];
	struct xiwarp_seg seg;
	unsigned int len;
	struct peer p;

	about = (struct xiwarp_seg){ .opcode = XIWARP_OP_READ_REQUEST, .is_last = true,
				     .qn = 1, .msn = 1 };
	about.read = wait_for_read(&p, &plain);
	seg = good(&p, XIWARP_OP_TERMINATE);
	len = xiwarp_wire_build(&seg, hdr);
	hdr[18] = 0x10;
	hdr[20] = 0x07;
	hdr[22] = 0;
	hdr[23] = 46;
	len += 2 + xiwarp_wire_build(&about, hdr + 24);
	put_fpdu(&p, hdr, len, NULL, 0, false);
	expect_end(&p);
	check_last("0 recv 0 send 10", "0 clean");
}

/* What came before our FIN is dealt with. */
static void case_half_close(void)
{
	struct peer p;

	start(&p, &plain);
	learn_region(&p);
	put_message(&p, good(&p, XIWARP_OP_WRITE), (const u8 *)"\xdd\xdd\xdd\xdd", 4);
	done(&p);
	check_last("0 recv 0 send 0", "0 changed at 0");
	check_last("0", "0 clean");
}

/* FIN or RST anywhere in an FPDU. */
static void case_cut(void)
{
	unsigned int i;

	for (i = 1; i < 40; i++) {
		u8 buf[64] = { 0, 40, 0x41, 0x43 };
		struct linger linger = { 1, 0 };
		struct peer p;

		start(&p, &plain);
		ask(&p, 'e', 0, "0");
		put(&p, buf, i);
		if (i & 1)
			setsockopt(p.fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
		close(p.fd);
	}
	check_last("0", "0 clean");
}

/* Streams of chance. */
static void case_garbage(void)
{
	unsigned int i, j;

	srandom(1);
	for (i = 0; i < 200; i++) {
		struct style style = plain;
		u8 buf[3000];
		struct peer p;

		style.crc = i & 1;
		style.markers = i & 2;
		start(&p, &style);
		for (j = 0; j < sizeof(buf); j++)
			buf[j] = (u8)random();
		if (i & 4) {	/* begins like something */
			buf[0] = 0;
			buf[1] &= 0x7f;
			buf[2] = random() & 1 ? 0x41 : 0xc1;
			buf[3] = 0x40 | (u8)(random() & 15);
		}
		put(&p, buf, (size_t)random() % sizeof(buf));
		close(p.fd);
	}
	check_last("0", "0 clean");
}

const struct test end_tests[] = {
	{ "terminate", case_terminate },
	{ "terminate-of-siw", case_terminate_of_siw },
	{ "half-close", case_half_close },
	{ "cut", case_cut },
	{ "garbage", case_garbage },
	{ NULL, NULL }
};
