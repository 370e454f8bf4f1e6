// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What must be refused, and how.
 */
#include "peer.h"

/* ---- what must be refused -------------------------------------------------- */

enum twist {
	TWIST_NONE, TWIST_STAG, TWIST_TO, TWIST_WRAP, TWIST_QN, TWIST_MSN, TWIST_MO,
	TWIST_NOT_LAST, TWIST_DDP_VERSION, TWIST_RDMAP_VERSION, TWIST_OPCODE,
	TWIST_MODEL, TWIST_LENGTH, TWIST_SHORT, TWIST_ALIGN, TWIST_AOP,
};

static const struct {
	const char *name;
	u8 op, twist, fault;
	u32 len;
} refusals[] = {
	{ "write: STag", XIWARP_OP_WRITE, TWIST_STAG, XIWARP_FAULT_TAGGED_STAG, 8 },
	{ "write: beyond", XIWARP_OP_WRITE, TWIST_TO, XIWARP_FAULT_TAGGED_BOUNDS, 8 },
	{ "write: wrap", XIWARP_OP_WRITE, TWIST_WRAP, XIWARP_FAULT_TAGGED_WRAP, 8 },
	{ "write: version", XIWARP_OP_WRITE, TWIST_DDP_VERSION,
	  XIWARP_FAULT_TAGGED_VERSION, 8 },
	{ "write: short", XIWARP_OP_WRITE, TWIST_SHORT, XIWARP_FAULT_LENGTH, 0 },
	{ "write: untagged", XIWARP_OP_WRITE, TWIST_MODEL, XIWARP_FAULT_OPCODE, 8 },
	{ "send: queue", XIWARP_OP_SEND, TWIST_QN, XIWARP_FAULT_QN, 8 },
	{ "send: MSN", XIWARP_OP_SEND, TWIST_MSN, XIWARP_FAULT_MSN, 8 },
	{ "send: MO", XIWARP_OP_SEND, TWIST_MO, XIWARP_FAULT_MO, 8 },
	{ "send: too long", XIWARP_OP_SEND, TWIST_NONE, XIWARP_FAULT_TOO_LONG, 4097 },
	{ "send: version", XIWARP_OP_SEND, TWIST_DDP_VERSION,
	  XIWARP_FAULT_UNTAGGED_VERSION, 8 },
	{ "send: RDMAP version", XIWARP_OP_SEND, TWIST_RDMAP_VERSION,
	  XIWARP_FAULT_RDMAP_VERSION, 8 },
	{ "send: opcode", XIWARP_OP_SEND, TWIST_OPCODE, XIWARP_FAULT_OPCODE, 8 },
	{ "send: tagged", XIWARP_OP_SEND, TWIST_MODEL, XIWARP_FAULT_OPCODE, 8 },
	{ "send: short", XIWARP_OP_SEND, TWIST_SHORT, XIWARP_FAULT_LENGTH, 0 },
	{ "send: invalidate", XIWARP_OP_SEND_INV, TWIST_NONE, XIWARP_FAULT_INVALIDATE, 8 },
	{ "read: STag", XIWARP_OP_READ_REQUEST, TWIST_STAG, XIWARP_FAULT_READ_STAG, 0 },
	{ "read: beyond", XIWARP_OP_READ_REQUEST, TWIST_TO, XIWARP_FAULT_READ_BOUNDS, 0 },
	{ "read: wrap", XIWARP_OP_READ_REQUEST, TWIST_WRAP, XIWARP_FAULT_READ_WRAP, 0 },
	{ "read: MSN", XIWARP_OP_READ_REQUEST, TWIST_MSN, XIWARP_FAULT_MSN, 0 },
	{ "read: queue", XIWARP_OP_READ_REQUEST, TWIST_QN, XIWARP_FAULT_QN, 0 },
	{ "read: not last", XIWARP_OP_READ_REQUEST, TWIST_NOT_LAST, XIWARP_FAULT_MO, 0 },
	{ "read: short", XIWARP_OP_READ_REQUEST, TWIST_SHORT, XIWARP_FAULT_LENGTH, 0 },
	{ "read: long", XIWARP_OP_READ_REQUEST, TWIST_LENGTH, XIWARP_FAULT_LENGTH, 4 },
	{ "response: none asked", XIWARP_OP_READ_RESPONSE, TWIST_NONE,
	  XIWARP_FAULT_RESPONSE, 8 },
	{ "atomic: alignment", XIWARP_OP_ATOMIC_REQUEST, TWIST_ALIGN,
	  XIWARP_FAULT_ATOMIC, 0 },
	{ "atomic: operation", XIWARP_OP_ATOMIC_REQUEST, TWIST_AOP,
	  XIWARP_FAULT_ATOMIC, 0 },
	{ "atomic: STag", XIWARP_OP_ATOMIC_REQUEST, TWIST_STAG, XIWARP_FAULT_READ_STAG, 0 },
	{ "atomic: short", XIWARP_OP_ATOMIC_REQUEST, TWIST_SHORT, XIWARP_FAULT_LENGTH, 0 },
	{ "result: none asked", XIWARP_OP_ATOMIC_RESPONSE, TWIST_NONE,
	  XIWARP_FAULT_RESPONSE, 0 },
	{ "immediate: MSN", XIWARP_OP_IMMEDIATE, TWIST_MSN, XIWARP_FAULT_MSN, 0 },
	{ "immediate: long", XIWARP_OP_IMMEDIATE, TWIST_LENGTH, XIWARP_FAULT_LENGTH, 4 },
	{ "terminate: queue", XIWARP_OP_TERMINATE, TWIST_QN, XIWARP_FAULT_QN, 0 },
};

static void twist_seg(struct xiwarp_seg *seg, u8 twist)
{
	bool is_tagged = xiwarp_opcode_find(seg->opcode)->is_tagged;
	u64 beyond = region + IW_REGION - 4;

	if (twist == TWIST_STAG)
		*(is_tagged ? &seg->stag : &seg->read.src_stag) = region_stag + 0x10000;
	if (twist == TWIST_TO)
		*(is_tagged ? &seg->to : &seg->read.src_to) = beyond;
	if (twist == TWIST_WRAP)
		*(is_tagged ? &seg->to : &seg->read.src_to) = ~0ULL - 3;
	if (is_tagged)
		return;
	seg->qn += twist == TWIST_QN;
	seg->msn += twist == TWIST_MSN;
	seg->mo += twist == TWIST_MO;
	seg->is_last = twist != TWIST_NOT_LAST;
}

/* Return: bytes of header. */
static unsigned int build_twisted(struct peer *p, u8 op, u8 twist, u8 *hdr)
{
	struct xiwarp_seg seg = good(p, op);
	unsigned int len;

	if (op == XIWARP_OP_READ_REQUEST)
		seg.read = (struct xiwarp_read){ MINE_STAG, MINE_TO, 8, region_stag, region };
	if (op == XIWARP_OP_SEND_INV)
		seg.stag = region_stag;
	if (op == XIWARP_OP_ATOMIC_REQUEST) {
		seg.atomic = (struct xiwarp_atomic){
			.op = twist == TWIST_AOP ? 1 : XIWARP_FETCH_ADD,
			.stag = region_stag + (twist == TWIST_STAG ? 0x10000 : 0),
			.to = region + (twist == TWIST_ALIGN ? 4 : 0), .swap_add = 1,
		};
		if (twist == TWIST_STAG)
			twist = TWIST_NONE;
	}
	twist_seg(&seg, twist);
	len = xiwarp_wire_build(&seg, hdr);
	if (twist == TWIST_DDP_VERSION)
		hdr[0] ^= 3;
	if (twist == TWIST_RDMAP_VERSION)
		hdr[1] ^= 0xc0;
	if (twist == TWIST_OPCODE)
		hdr[1] |= 0x0c;
	if (twist == TWIST_MODEL)
		hdr[0] ^= 0x80;
	if (twist == TWIST_SHORT)
		len -= 1;
	return len;
}

static void refuse(unsigned int i, bool crc)
{
	struct style style = plain;
	u8 hdr[XIWARP_MAX_HDR_BYTES + 8];
	static u8 payload[8192];
	unsigned int len;
	bool is_unknown;
	struct peer p;

	where = refusals[i].name;
	style.crc = crc;
	start(&p, &style);
	learn_region(&p);
	memset(payload, 0xdd, sizeof(payload));
	len = build_twisted(&p, refusals[i].op, refusals[i].twist, hdr);
	put_fpdu(&p, hdr, len, payload, refusals[i].len, false);
	/* what comes behind is of no interest any more */
	command(&p, 'e', 0);
	/* of what has no layout nothing is shown */
	is_unknown = refusals[i].twist == TWIST_OPCODE || refusals[i].twist == TWIST_MODEL;
	expect_terminate(&p, refusals[i].fault, is_unknown ? NULL : hdr,
			 len + refusals[i].len);
	check_last("0", "0 clean");
	where = "";
}

static void case_refusals(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		refuse(i, true);
		refuse(i, false);
	}
}

/* Every length below the header of every opcode. */
static void case_short_headers(void)
{
	unsigned int len;
	u8 op;

	for (op = 0; op < 12; op++) {
		const struct xiwarp_opcode *row = xiwarp_opcode_find(op);

		for (len = 1; len < row->hdr_len; len += op < 8 ? 3 : 11) {
			u8 hdr[XIWARP_MAX_HDR_BYTES] = {
				row->is_tagged ? 0xc1 : 0x41, 0x40 | op,
			};
			struct peer p;

			start(&p, &plain);
			put_fpdu(&p, hdr, len, NULL, 0, false);
			expect_terminate(&p, XIWARP_FAULT_LENGTH, NULL, 0);
		}
	}
	check_last("0", "0 clean");
}

static void case_crc(void)
{
	struct style style = plain;
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	struct xiwarp_seg seg;
	struct peer p;

	style.crc = true;
	start(&p, &style);
	seg = good(&p, XIWARP_OP_SEND);
	put_fpdu(&p, hdr, xiwarp_wire_build(&seg, hdr), (const u8 *)"eeee", 4, true);
	expect_terminate(&p, XIWARP_FAULT_CRC, NULL, 0);
	check_last("0 recv 21 send 0", "0 clean");
}

/* One bit of a Write's header or payload: nothing of it is told as good. */
static void case_flipped_bits(void)
{
	struct style style = plain;
	unsigned int bit;

	style.crc = true;
	for (bit = 16; bit < (2 + 18 + 24 + 4) * 8; bit += 5) {
		struct iw_command echo = { .op = 'e' };
		struct xiwarp_framer f;
		struct xiwarp_piece piece;
		struct xiwarp_seg seg;
		u8 hdr[XIWARP_MAX_HDR_BYTES], buf[128];
		unsigned int n = 0;
		struct peer p;

		start(&p, &style);
		seg = good(&p, XIWARP_OP_SEND);
		xiwarp_framer_init(&f, false, true);
		xiwarp_framer_begin(&f, hdr, xiwarp_wire_build(&seg, hdr), sizeof(echo));
		while (xiwarp_framer_next(&f, &piece)) {
			if (!piece.data) {
				piece.data = (const u8 *)&echo;
				f.crc = xiwarp_crc(f.crc, piece.data, piece.len);
			}
			memcpy(buf + n, piece.data, piece.len);
			n += piece.len;
		}
		buf[bit / 8] ^= (u8)(1 << bit % 8);
		put(&p, buf, n);
		expect_terminate(&p, XIWARP_FAULT_CRC, NULL, 0);
	}
	check_last("0", "0 clean");
}

/* More SENDs than receives, until the program wakes up: they wait. */
static void case_late_buffers(void)
{
	struct peer p;
	int i;

	start(&p, &plain);
	command(&p, 'z', 700);
	for (i = 0; i < 3 * IW_RECVS; i++)
		command(&p, 'e', 0);
	for (i = 0; i < 3 * IW_RECVS + 1; i++)
		answer(&p, "0");
	done(&p);
	check_last("0 recv 0 send 0", "0 clean");
}

static void case_no_buffer(void)
{
	struct xiwarp_seg seg;
	struct peer p;
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	unsigned int len;
	int i;

	start(&p, &plain);
	ask(&p, 'q', 0, "0");
	for (i = 0; i < IW_RECVS; i++)
		command(&p, 'e', 0);
	seg = good(&p, XIWARP_OP_SEND);
	len = xiwarp_wire_build(&seg, hdr);
	put_fpdu(&p, hdr, len, (const u8 *)"over", 4, false);
	expect_terminate(&p, XIWARP_FAULT_NO_BUFFER, hdr, len + 4);
	check_last("0 recv 0 send 0", "0 clean");
}

/* READs at once, more than were agreed, while nobody takes the answers. */
static void case_too_many_reads(void)
{
	struct style style = plain;
	struct xiwarp_seg seg;
	struct peer p;
	int i, small = 4096;

	start(&p, &style);
	learn_region(&p);
	setsockopt(p.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	/* Their answers are more than two sockets hold. */
	for (i = 0; i < 200; i++) {
		seg = good(&p, XIWARP_OP_READ_REQUEST);
		seg.read = (struct xiwarp_read){
			MINE_STAG, MINE_TO, IW_REGION, region_stag, region,
		};
		if (!put_seg(&p, &seg, NULL, 0))
			break;
		p.msn[XIWARP_QN_REQUEST]++;
	}
	expect_terminate(&p, XIWARP_FAULT_NO_IRD, NULL, 0);
	check_last("0", "0 clean");
}

/* ---- bad answers to its READs ---------------------------------------------- */

static void case_bad_responses(void)
{
	static const struct {
		const char *name;
		u32 len;
		s64 to;
		bool is_last, other_stag;
	} spec[] = {
		{ "too long", 1001, 0, true, false },
		{ "too long, not last", 1400, 0, false, false },
		{ "too short", 999, 0, true, false },
		{ "empty", 0, 0, true, false },
		{ "too high", 100, 1, false, false },
		{ "too low", 100, -1, false, false },
		{ "far away", 100, 1 << 30, false, false },
		{ "other STag", 1000, 0, true, true },
	};
	unsigned int i;

	for (i = 0; i < 2 * sizeof(spec) / sizeof(*spec); i++) {
		static u8 payload[4096];
		struct style style = plain;
		struct xiwarp_read read;
		struct xiwarp_seg seg;
		struct peer p;

		where = spec[i / 2].name;
		style.crc = i & 1;
		read = wait_for_read(&p, &style);
		seg = good(&p, XIWARP_OP_READ_RESPONSE);
		seg.stag = read.sink_stag + spec[i / 2].other_stag;
		seg.to = read.sink_to + (u64)spec[i / 2].to;
		seg.is_last = spec[i / 2].is_last;
		put_seg(&p, &seg, payload, spec[i / 2].len);
		expect_terminate(&p, XIWARP_FAULT_RESPONSE_BOUNDS, NULL, 0);
		check_last("0 recv 0 send 7 event 0", "0 clean");	/* BAD_RESP_ERR */
	}
	where = "";
}

/* Two segments that add up to one byte more. */
static void case_response_grows(void)
{
	static u8 payload[4096];
	struct xiwarp_read read;
	struct xiwarp_seg seg;
	struct peer p;

	read = wait_for_read(&p, &plain);
	seg = good(&p, XIWARP_OP_READ_RESPONSE);
	seg.stag = read.sink_stag;
	seg.to = read.sink_to;
	seg.is_last = false;
	put_seg(&p, &seg, payload, 600);
	seg.to += 600;
	put_seg(&p, &seg, payload, 401);
	expect_terminate(&p, XIWARP_FAULT_RESPONSE_BOUNDS, NULL, 0);
	check_last("0 recv 0 send 7", "0 clean");
}

const struct test refuse_tests[] = {
	{ "refusals", case_refusals },
	{ "short-headers", case_short_headers },
	{ "crc", case_crc },
	{ "flipped-bits", case_flipped_bits },
	{ "late-buffers", case_late_buffers },
	{ "no-buffer", case_no_buffer },
	{ "too-many-reads", case_too_many_reads },
	{ "bad-responses", case_bad_responses },
	{ "response-grows", case_response_grows },
	{ NULL, NULL }
};
