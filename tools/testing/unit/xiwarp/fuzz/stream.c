// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A whole stream against any peer: the input is a program of bytes to feed (raw,
 * or as a well-formed segment of any contents) and of the owner's own deeds. An
 * obedient owner is never led out of bounds, requests complete once and in
 * order, and a broken stream stays silent but for one Terminate.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpa.h"
#include "rdmap.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define SLOTS		8
#define MAX_IRD		4
#define MAX_STEPS	2000
#define MEM_BYTES	4096U
#define MEM_VA		0x1000ULL
#define MEM_STAG	0x11111111

#define expect(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "line %d: %s\n", __LINE__, #cond);	\
		abort();						\
	}								\
} while (0)

static struct xiwarp_rdmap s;
static struct xiwarp_wr *ring;
static struct xiwarp_rd *rds;
static u8 *mem, *recv_buf;
static u64 recv_len;
static bool has_recv, is_refusing, is_denying, is_flushed;
static u32 faults, terminates, reaped;

static const u8 *input;
static size_t left;

static u64 take(u32 bytes)
{
	u64 val = 0;

	while (bytes--) {
		val <<= 8;
		if (left) {
			val |= *input++;
			left--;
		}
	}
	return val;
}

static void reap(void)
{
	const struct xiwarp_wr *wr;

	while ((wr = xiwarp_rdmap_reap(&s))) {
		expect(wr->wr_id == reaped);
		expect(wr->is_done);
		reaped++;
	}
	expect((s32)(s.posted - reaped) >= 0);
}

static u8 *place_of(const struct xiwarp_step *step)
{
	const struct xiwarp_place *place = &step->place;

	switch (place->where) {
	case XIWARP_TO_RECV:
		expect(has_recv);
		expect((u64)place->offset + step->len <= recv_len);
		return recv_buf + place->offset;
	case XIWARP_TO_WR:
		expect(place->wr >= ring && place->wr < ring + SLOTS);
		expect((u64)place->offset + step->len <= place->wr->length);
		return place->wr->length <= MEM_BYTES ? mem + place->offset : NULL;
	}
	expect(place->check_len >= step->len);
	expect(place->va + (place->check_len - 1) >= place->va);
	if (place->rkey != MEM_STAG || place->va < MEM_VA ||
	    place->va - MEM_VA > MEM_BYTES ||
	    place->check_len > MEM_BYTES - (place->va - MEM_VA))
		return NULL;
	return mem + (place->va - MEM_VA);
}

static unsigned int do_payload(const struct xiwarp_step *step, const u8 *bytes,
			       unsigned int len)
{
	unsigned int n = step->len < len ? step->len : len;

	if (step->act == XIWARP_STEP_PLACE) {
		u8 *to = place_of(step);

		if (!to || is_refusing) {
			is_refusing = false;
			xiwarp_rdmap_refuse(&s, XIWARP_MEM_BOUNDS);
			return 0;
		}
		memcpy(to, bytes, n);
	}
	xiwarp_rdmap_passed(&s, n, xiwarp_crc(step->crc, bytes, n));
	return n;
}

static void do_recv(void)
{
	expect(!has_recv);
	if (is_denying) {
		is_denying = false;
		xiwarp_rdmap_deny(&s, XIWARP_FAULT_NO_BUFFER);
		return;
	}
	has_recv = true;
	xiwarp_rdmap_recv(&s, recv_len);
}

static void do_done(const struct xiwarp_done *done)
{
	if (done->what == XIWARP_GOT_RECV) {
		expect(has_recv && done->completes);
		expect(done->byte_len <= recv_len);
		expect(done->status == XIWARP_SUCCESS);
	}
	if (is_denying) {
		is_denying = false;
		xiwarp_rdmap_deny(&s, XIWARP_FAULT_INVALIDATE);
		return;
	}
	if (done->what == XIWARP_GOT_RECV)
		has_recv = false;
	xiwarp_rdmap_commit(&s);
}

static void do_fault(const struct xiwarp_done *done)
{
	faults++;
	expect(faults == 1);
	expect(done->fault && done->fault < XIWARP_FAULTS);
	expect(done->completes == has_recv);
	expect(!done->completes || done->status);
	has_recv = false;
}

static void feed(const u8 *bytes, unsigned int len)
{
	struct xiwarp_step step;

	for (;;) {
		unsigned int n = 0;

		xiwarp_rdmap_input(&s, &step);
		switch (step.act) {
		case XIWARP_STEP_TAKE:
			expect(step.len);
			if (!len)
				return;
			n = step.len < len ? step.len : len;
			memcpy(step.buf, bytes, n);
			xiwarp_rdmap_took(&s, n);
			break;
		case XIWARP_STEP_PLACE:
		case XIWARP_STEP_SKIP:
			expect(step.len);
			if (!len)
				return;
			n = do_payload(&step, bytes, len);
			break;
		case XIWARP_STEP_RECV:
			do_recv();
			break;
		case XIWARP_STEP_DONE:
			do_done(&step.done);
			break;
		case XIWARP_STEP_FAULT:
			do_fault(&step.done);
			break;
		default:
			return;
		}
		bytes += n;
		len -= n;
	}
}

static void feed_raw(void)
{
	unsigned int n = (unsigned int)take(1);
	u8 *exact;

	n = n < left ? n : (unsigned int)left;
	exact = malloc(n + 1);
	memcpy(exact, input, n);
	input += n;
	left -= n;
	feed(exact, n);
	free(exact);
}

/* Near what is right, or anything. */
static u32 take_near(u32 right)
{
	u8 how = (u8)take(1);

	if (how < 0xf0)
		return right;
	return how < 0xf8 ? right + (how & 7) - 3 : (u32)take(4);
}

static void fill_tagged(struct xiwarp_seg *seg)
{
	const struct xiwarp_wr *wr = &ring[take(1) % SLOTS];

	if (seg->opcode == XIWARP_OP_READ_RESPONSE) {
		seg->stag = take_near(wr->sink_stag);
		seg->to = wr->sink_to + take_near(wr->done_bytes);
		return;
	}
	seg->stag = take_near(MEM_STAG);
	seg->to = MEM_VA + take_near((u32)take(2));
	if (take(1) == 0xff)
		seg->to = take(8);
}

static void fill_untagged(struct xiwarp_seg *seg, u8 qn)
{
	seg->qn = take_near(qn);
	seg->msn = take_near(s.rx_msn[qn]);
	seg->mo = take_near(s.in_message && !qn ? s.recv_done : 0);
	if (seg->opcode == XIWARP_OP_READ_REQUEST) {
		seg->read.src_stag = take_near(MEM_STAG);
		seg->read.src_to = MEM_VA + take_near(0);
		seg->read.length = take_near((u32)take(1));
		seg->read.sink_to = take(1) == 0xff ? take(8) : 0;
	} else if (seg->opcode == XIWARP_OP_ATOMIC_REQUEST) {
		seg->atomic.op = (u8)take(1) & 3;
		seg->atomic.stag = take_near(MEM_STAG);
		seg->atomic.to = MEM_VA + take_near(0);
	} else if (seg->opcode == XIWARP_OP_ATOMIC_RESPONSE) {
		seg->result.id = take_near(s.rd_una);
	}
}

/* A segment whose length, CRC and opcode are right. */
static void feed_segment(void)
{
	u8 op = (u8)take(1);
	const struct xiwarp_opcode *row = xiwarp_opcode_find(op);
	struct xiwarp_seg seg = { .opcode = op & 15, .is_last = op & 16 };
	u8 hdr[XIWARP_MAX_HDR_BYTES], payload[256];
	struct xiwarp_framer f;
	struct xiwarp_piece piece;
	unsigned int len, cut = (unsigned int)take(1);

	if (!row)
		return;
	if (row->is_tagged)
		fill_tagged(&seg);
	else
		fill_untagged(&seg, row->qn);
	len = row->has_payload ? (unsigned int)take(1) : 0;
	memset(payload, 0x55, sizeof(payload));
	xiwarp_framer_init(&f, s.cfg.rx_markers, s.cfg.crc);
	f.to_marker = s.deframer.to_marker;
	xiwarp_framer_begin(&f, hdr, xiwarp_wire_build(&seg, hdr), len);
	while (xiwarp_framer_next(&f, &piece)) {
		if (!piece.data) {
			piece.data = payload;
			f.crc = xiwarp_crc(f.crc, payload, piece.len);
		}
		cut = cut < piece.len ? cut : 0;
		feed(piece.data, cut);
		feed(piece.data + cut, piece.len - cut);
	}
}

static void post(void)
{
	struct xiwarp_wr *wr = &ring[s.posted % SLOTS];
	u8 op = (u8)take(1);

	if (s.posted - reaped == SLOTS)
		return;
	memset(wr, 0, sizeof(*wr));
	wr->wr_id = s.posted++;
	wr->op = op & 15;
	wr->flags = (u8)take(1);
	wr->length = take_near((u32)take(1));
	wr->remote_to = op & 16 ? take(8) : 0;
	wr->sink_to = op & 32 ? take(8) : 0x2000;
	wr->sink_stag = 0x22222222;
	wr->fault = op & 64 ? XIWARP_LOC_LEN_ERR : 0;
}

static void check_burst(const struct xiwarp_burst *burst)
{
	u64 sum = 0;
	u32 i;

	expect(!terminates);
	if (burst->source == XIWARP_LOCAL || burst->source == XIWARP_FPDU)
		return;
	expect(burst->nsegs);
	for (i = 0; i < burst->nsegs && i < 100; i++) {
		u8 buf[XIWARP_MAX_HDR_BYTES];
		struct xiwarp_seg seg, again;
		unsigned int n;

		expect(xiwarp_burst_segment(burst, i, &seg) == sum);
		sum += seg.payload_len;
		n = xiwarp_wire_build(&seg, buf);
		expect(n <= sizeof(buf));
		expect(n + seg.payload_len <= s.cfg.mulpdu || !seg.payload_len);
		expect(!xiwarp_wire_parse(&again, buf, n + seg.payload_len));
	}
	expect(i < burst->nsegs || sum == burst->bytes);
	if (burst->first.opcode == XIWARP_OP_TERMINATE) {
		expect(s.is_broken);
		terminates++;
	}
}

static void output(void)
{
	struct xiwarp_burst burst;
	u8 how = (u8)take(1);

	if (!xiwarp_rdmap_output(&s, (u32)take(2), &burst))
		return;
	if (how & 8 && burst.source != XIWARP_LOCAL) {
		xiwarp_rdmap_take_back(&s, &burst);
		return;
	}
	check_burst(&burst);
	switch (burst.source) {
	case XIWARP_LOCAL:
		xiwarp_rdmap_local_done(&s, &burst, how & 1 ? XIWARP_SUCCESS :
							      XIWARP_MW_BIND_ERR);
		break;
	case XIWARP_FROM_ATOMIC:
	case XIWARP_FROM_MR:
		expect(!xiwarp_rdmap_is_drained(&s) || burst.is_last);
		if (how & 2)
			xiwarp_rdmap_read_refused(&s, &burst, XIWARP_MEM_STAG);
		else if (burst.source == XIWARP_FROM_ATOMIC)
			xiwarp_rdmap_atomic_done(&s, &burst, 5);
		break;
	case XIWARP_FROM_WR:
		expect(burst.wr >= ring && burst.wr < ring + SLOTS);
		expect((u64)burst.offset + burst.bytes <= burst.wr->length);
		if (how & 4)
			xiwarp_rdmap_fail_wr(&s, &burst, XIWARP_LOC_PROT_ERR);
		break;
	default:
		break;
	}
}

static void flush(void)
{
	xiwarp_rdmap_flush(&s);
	is_flushed = true;
	reap();
	expect(reaped == s.posted);
	expect(xiwarp_rdmap_is_drained(&s));
}

static void step(void)
{
	u8 what = (u8)take(1);

	switch (what % 16) {
	case 0:
	case 1:
		feed_raw();
		break;
	case 2:
	case 3:
		post();
		break;
	case 4:
	case 5:
	case 6:
		output();
		break;
	case 7:
		xiwarp_rdmap_sent(&s);
		break;
	case 8:
		if (what == 0xf8)
			is_refusing = true;
		else if (what == 0xe8)
			is_denying = true;
		else if (what == 0xd8)
			flush();
		else if (what == 0xc8)
			xiwarp_rdmap_terminate(&s, XIWARP_FAULT_CQ_OVERFLOW);
		else
			xiwarp_rdmap_set_mulpdu(&s, (u32)take(2));
		break;
	default:
		feed_segment();
	}
	feed(input, 0);
	reap();
	if (is_flushed)
		flush();
}

static void start(u8 flags)
{
	struct xiwarp_sq sq = { .mask = SLOTS - 1, .stride = sizeof(*ring) };
	struct xiwarp_rdmap_cfg cfg = {
		.rx_markers = flags & 1,
		.crc = flags & 2,
		.waits_for_first = flags & 4,
		.rtr_send = flags & 4 ? 0 : flags & 8 ? XIWARP_RTR_READ :
			    flags & 16 ? XIWARP_RTR_WRITE : 0,
		.ird = flags & 32 ? MAX_IRD : 0,
		.ord = flags >> 6,
		.mulpdu = 200,
	};

	ring = calloc(SLOTS, sizeof(*ring));
	rds = calloc(MAX_IRD, sizeof(*rds));
	mem = calloc(1, MEM_BYTES);
	recv_len = 200;
	recv_buf = calloc(1, recv_len);
	has_recv = is_refusing = is_denying = is_flushed = false;
	faults = terminates = reaped = 0;
	sq.base = ring;
	xiwarp_rdmap_init(&s, &cfg, &sq, rds);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u32 steps = 0;

	input = data;
	left = size;
	start((u8)take(1));
	while (left && steps++ < MAX_STEPS)
		step();
	flush();
	free(ring);
	free(rds);
	free(mem);
	free(recv_buf);
	return 0;
}
