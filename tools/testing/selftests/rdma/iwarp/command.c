// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Having iw_end do things, and what it says to that.
 */
#include <endian.h>
#include "peer.h"

void command(struct peer *p, char op, u32 len)
{
	struct iw_command command = {
		.op = (u8)op, .len = htobe32(len),
		.stag = htobe32(MINE_STAG), .to = htobe64(MINE_TO),
	};

	put_message(p, good(p, XIWARP_OP_SEND), (u8 *)&command, sizeof(command));
}

/* The next message is text and begins with @status. */
const char *answer(struct peer *p, const char *status)
{
	struct xiwarp_seg seg;
	size_t n = strlen(status);

	expect_eq(serve(p, &seg), XIWARP_OP_SEND);
	expect(message_len && message_len <= IW_TEXT && !message[message_len - 1]);
	if (strncmp((char *)message, status, n))
		wrong(__FILE__, __LINE__, "the answer is \"%s\", not \"%s\"", message, status);
	return (char *)message + n;
}

const char *ask(struct peer *p, char op, u32 len, const char *status)
{
	command(p, op, len);
	return answer(p, status);
}

void learn_region(struct peer *p)
{
	unsigned long long to;
	unsigned int stag;

	expect_eq(sscanf(ask(p, 'k', 0, "0"), "%u %llu", &stag, &to), 2);
	region_stag = stag;
	region = to;
}

void done(struct peer *p)
{
	shutdown(p->fd, SHUT_WR);
	expect_end(p);
}

/* How the connection before ended, and that the region is whole. */
void check_last(const char *how, const char *state)
{
	struct peer p;

	start(&p, &plain);
	ask(&p, 'l', 0, how);
	ask(&p, 'c', 1, state);
	done(&p);
}

void fill_mine(void)
{
	u32 i;

	for (i = 0; i < MINE_BYTES; i++)
		mine[i] = iw_byte(i);
}

void expect_pattern(const u8 *bytes, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (bytes[i] != iw_byte(i))
			wrong(__FILE__, __LINE__, "byte %u of %u is 0x%02x", i, len, bytes[i]);
}

/* A Terminate that says this about those headers, then the end. */
void expect_terminate(struct peer *p, enum xiwarp_fault fault,
			     const u8 *hdr, unsigned int len)
{
	const struct xiwarp_fault_row *row = xiwarp_fault_row(fault);
	struct xiwarp_seg seg;
	int op;

	do {
		op = serve(p, &seg);
	} while (op == XIWARP_OP_READ_RESPONSE || op == XIWARP_OP_SEND);
	expect_eq(op, XIWARP_OP_TERMINATE);
	expect_eq(seg.term.layer, row->layer);
	expect_eq(seg.term.etype, row->etype);
	expect_eq(seg.term.code, row->code);
	expect(!seg.term.is_swapped);
	if (row->copy == XIWARP_COPY_HEADERS && hdr) {
		unsigned int ddp = hdr[0] & 0x80 ? 14 : 18;

		expect(seg.term.has_length && seg.term.has_ddp);
		expect_eq(seg.term.seg_len, len);
		expect_eq(seg.term.ddp_len, ddp);
		expect(!memcmp(seg.term.ddp, hdr, ddp));
		expect_eq(seg.term.has_read, (hdr[1] & 15) == XIWARP_OP_READ_REQUEST);
		if (seg.term.has_read)
			expect(!memcmp(seg.term.read, hdr + ddp, XIWARP_READ_BYTES));
	}
	expect_end(p);
}

struct xiwarp_read wait_for_read(struct peer *p, const struct style *style)
{
	static u8 payload[65536];
	struct xiwarp_seg seg;

	start(p, style);
	command(p, 'r', 1000);
	expect(get_seg(p, &seg, payload));
	expect_eq(seg.opcode, XIWARP_OP_READ_REQUEST);
	expect_eq(seg.read.length, 1000);
	return seg.read;
}
