/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An obedient owner of one stream, for tests: memory, receive requests and a
 * send ring that do what the test says, and a record of what was asked of them.
 */
#ifndef OWNER_H
#define OWNER_H

#include "rdmap.h"
#include "vectors.h"

#define SLOTS		16
#define MAX_IRD		4
#define MEM_VA		0x00007f0000000000ULL
#define MEM_BYTES	65536
#define MEM_STAG	0x12345600
#define MAX_DONE	64
#define MAX_OUT		(1 << 20)

static struct xiwarp_rdmap s;
static struct xiwarp_wr ring[SLOTS];
static struct xiwarp_rd rds[MAX_IRD];

/* what the test decides */
static s64 recv_len;			/* of each receive request, -1: none left */
static enum xiwarp_mem refusal;		/* of the next PLACE */
static enum xiwarp_fault denial;	/* of the next DONE */
static unsigned int piece_bytes;	/* a read from the socket gives no more */

/* what happened */
static struct xiwarp_done dones[MAX_DONE];	/* DONE and FAULT */
static unsigned int n_dones;
static unsigned int n_faults;
static unsigned int n_recvs;
static bool is_stopped;
static u8 mem[MEM_BYTES];
static u8 recv_buf[MEM_BYTES];
static u8 sink[MEM_BYTES];
static struct xiwarp_burst bursts[MAX_DONE];
static unsigned int n_bursts;
static u8 out[MAX_OUT];
static unsigned int out_len;
static struct xiwarp_framer framer;

static const struct xiwarp_rdmap_cfg plain = {
	.crc = true, .ird = MAX_IRD, .ord = 2, .mulpdu = 1014,
};

static __maybe_unused void start(const struct xiwarp_rdmap_cfg *cfg)
{
	struct xiwarp_sq sq = {
		.base = ring, .stride = sizeof(*ring), .mask = SLOTS - 1,
	};

	memset(ring, 0, sizeof(ring));
	memset(mem, 0, sizeof(mem));
	memset(recv_buf, 0, sizeof(recv_buf));
	memset(sink, 0, sizeof(sink));
	recv_len = sizeof(recv_buf);
	refusal = XIWARP_MEM_OK;
	denial = XIWARP_FAULT_NONE;
	piece_bytes = ~0U;
	n_dones = n_faults = n_recvs = n_bursts = 0;
	is_stopped = false;
	out_len = 0;
	xiwarp_rdmap_init(&s, cfg, &sq, rds);
	xiwarp_framer_init(&framer, false, cfg->crc);
}

static u8 *place_of(const struct xiwarp_step *step)
{
	const struct xiwarp_place *place = &step->place;

	switch (place->where) {
	case XIWARP_TO_RECV:
		CHECK(place->offset + step->len <= (u64)recv_len);
		return recv_buf + place->offset;
	case XIWARP_TO_WR:
		CHECK(place->offset + step->len <= place->wr->length);
		return sink + place->offset;
	default:
		CHECK_EQ(place->rkey, MEM_STAG);
		CHECK(place->check_len >= step->len);
		CHECK(place->va >= MEM_VA);
		CHECK(place->va - MEM_VA + place->check_len <= MEM_BYTES);
		return mem + (place->va - MEM_VA);
	}
}

static void do_recv(void)
{
	if (recv_len < 0) {
		xiwarp_rdmap_deny(&s, XIWARP_FAULT_NO_BUFFER);
		return;
	}
	n_recvs++;
	xiwarp_rdmap_recv(&s, (u64)recv_len);
}

static unsigned int do_payload(struct xiwarp_step *step, const u8 *bytes,
			       unsigned int len)
{
	unsigned int n = step->len < len ? step->len : len;

	n = n < piece_bytes ? n : piece_bytes;
	if (step->act == XIWARP_STEP_PLACE && refusal) {
		xiwarp_rdmap_refuse(&s, refusal);
		refusal = XIWARP_MEM_OK;
		return 0;
	}
	if (step->act == XIWARP_STEP_PLACE)
		memcpy(place_of(step), bytes, n);
	xiwarp_rdmap_passed(&s, n, xiwarp_crc(step->crc, bytes, n));
	return n;
}

static void do_done(const struct xiwarp_step *step)
{
	CHECK(n_dones < MAX_DONE);
	dones[n_dones++] = step->done;
	if (step->act == XIWARP_STEP_FAULT) {
		n_faults++;
		return;
	}
	if (denial)
		xiwarp_rdmap_deny(&s, denial);
	else
		xiwarp_rdmap_commit(&s);
	denial = XIWARP_FAULT_NONE;
}

/* All of it goes in; afterwards nothing waits but for more bytes. */
static void feed(const u8 *bytes, unsigned int len)
{
	for (;;) {
		struct xiwarp_step step, again;
		unsigned int n = 0;

		xiwarp_rdmap_input(&s, &step);
		if (step.act != XIWARP_STEP_FAULT) {
			xiwarp_rdmap_input(&s, &again);
			CHECK_EQ(step.act, again.act);
			CHECK_EQ(step.len, again.len);
		}
		switch (step.act) {
		case XIWARP_STEP_TAKE:
			if (!len)
				return;
			n = step.len < len ? step.len : len;
			n = n < piece_bytes ? n : piece_bytes;
			memcpy(step.buf, bytes, n);
			xiwarp_rdmap_took(&s, n);
			break;
		case XIWARP_STEP_RECV:
			do_recv();
			break;
		case XIWARP_STEP_PLACE:
		case XIWARP_STEP_SKIP:
			if (!len && !refusal)
				return;
			n = do_payload(&step, bytes, len);
			break;
		case XIWARP_STEP_STOP:
			is_stopped = true;
			return;
		default:
			do_done(&step);
		}
		bytes += n;
		len -= n;
	}
}

static __maybe_unused void feed_vector(const char *text)
{
	u8 buf[256];

	feed(buf, vector(text, buf));
}

/* Build the FPDU of @seg with payload, as a peer would, and feed it. */
static __maybe_unused void feed_seg(const struct xiwarp_seg *seg,
				    const void *payload, unsigned int len)
{
	static u8 buf[70000];
	struct xiwarp_framer f;
	struct xiwarp_piece piece;
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	unsigned int n = 0, at = 0;

	xiwarp_framer_init(&f, false, s.cfg.crc);
	xiwarp_framer_begin(&f, hdr, xiwarp_wire_build(seg, hdr), len);
	while (xiwarp_framer_next(&f, &piece)) {
		if (piece.data) {
			memcpy(buf + n, piece.data, piece.len);
		} else {
			memcpy(buf + n, (const u8 *)payload + at, piece.len);
			f.crc = xiwarp_crc(f.crc, buf + n, piece.len);
			at += piece.len;
		}
		n += piece.len;
	}
	feed(buf, n);
}

/* A segment of the peer's, the first of a queue. */
static __maybe_unused struct xiwarp_seg peer_seg(u8 opcode)
{
	const struct xiwarp_opcode *row = xiwarp_opcode_find(opcode);

	return (struct xiwarp_seg){
		.opcode = opcode, .is_last = true,
		.stag = row->is_tagged ? MEM_STAG : 0, .to = MEM_VA,
		.qn = row->qn, .msn = 1,
	};
}

static const u8 *source_of(const struct xiwarp_burst *burst)
{
	static u8 pattern[256 * 1024];
	unsigned int i;

	if (burst->source == XIWARP_FROM_MR) {
		CHECK(burst->va >= MEM_VA);
		CHECK(burst->va - MEM_VA + burst->check_len <= MEM_BYTES);
		return mem + (burst->va - MEM_VA);
	}
	CHECK(burst->offset + burst->bytes <= sizeof(pattern));
	for (i = 0; i < burst->bytes; i++)
		pattern[i] = (u8)(burst->offset + i);
	return pattern;
}

static void emit_segment(const struct xiwarp_burst *burst, u32 i, const u8 *source)
{
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	struct xiwarp_piece piece;
	struct xiwarp_seg seg;
	u32 at = 0;

	if (burst->source == XIWARP_FPDU) {
		xiwarp_framer_begin(&framer, NULL, 0, 0);
	} else {
		at = xiwarp_burst_segment(burst, i, &seg);
		xiwarp_framer_begin(&framer, hdr, xiwarp_wire_build(&seg, hdr),
				    seg.payload_len);
	}
	while (xiwarp_framer_next(&framer, &piece)) {
		CHECK(out_len + piece.len <= MAX_OUT);
		if (piece.data) {
			memcpy(out + out_len, piece.data, piece.len);
		} else {
			memcpy(out + out_len, source + at, piece.len);
			framer.crc = xiwarp_crc(framer.crc, source + at, piece.len);
			at += piece.len;
		}
		out_len += piece.len;
	}
}

/* Put what output() gave into out. */
static __maybe_unused void emit(const struct xiwarp_burst *burst)
{
	const u8 *source = burst->bytes ? source_of(burst) : NULL;
	u32 i;

	for (i = 0; i < burst->nsegs; i++)
		emit_segment(burst, i, source);
}

/* Send all there is, @max_bytes at a time. Return: bursts. */
static __maybe_unused unsigned int drain(u32 max_bytes)
{
	struct xiwarp_burst burst;
	unsigned int n = 0;

	out_len = 0;
	n_bursts = 0;
	while (xiwarp_rdmap_output(&s, max_bytes, &burst)) {
		CHECK(n_bursts < MAX_DONE);
		if (burst.source == XIWARP_LOCAL) {
			bursts[n_bursts++] = burst;
			xiwarp_rdmap_local_done(&s, &burst, XIWARP_SUCCESS);
			continue;
		}
		if (burst.source == XIWARP_FROM_ATOMIC)
			xiwarp_rdmap_atomic_done(&s, &burst, 41);
		emit(&burst);
		bursts[n_bursts++] = burst;
		n++;
	}
	xiwarp_rdmap_sent(&s);
	return n;
}

static __maybe_unused struct xiwarp_wr *post(u8 op, u32 length)
{
	struct xiwarp_wr *wr = xiwarp_sq_wr(&s.sq, s.posted);

	memset(wr, 0, sizeof(*wr));
	wr->wr_id = s.posted++;
	wr->op = op;
	wr->length = length;
	wr->rkey = 0x11223302;
	wr->remote_to = 0x2000;
	wr->sink_stag = 0xaabbcc01;
	wr->sink_to = 0x1000;
	return wr;
}

/* The next reaped request has this number and status. */
static __maybe_unused void check_reaped(u64 wr_id, u8 status)
{
	const struct xiwarp_wr *wr = xiwarp_rdmap_reap(&s);

	CHECK(wr);
	CHECK_EQ(wr->wr_id, wr_id);
	CHECK_EQ(wr->status, status);
}

/* What was sent last is @text. */
static __maybe_unused void check_out(const char *text)
{
	u8 buf[256];
	unsigned int len = vector(text, buf);

	CHECK_EQ(out_len, len);
	CHECK_MEM(out, buf, len);
}

/* The stream broke with @fault, told once, and a Terminate says so. */
static __maybe_unused void check_broken(u8 fault)
{
	const struct xiwarp_fault_row *row = xiwarp_fault_row(fault);
	struct xiwarp_seg seg;

	CHECK_EQ(n_faults, 1);
	CHECK_EQ(dones[n_dones - 1].fault, fault);
	CHECK(is_stopped);
	CHECK_EQ(drain(~0U), 1);
	CHECK_EQ(xiwarp_wire_parse(&seg, out + 2, (unsigned int)(out[0] << 8 | out[1])),
		 XIWARP_PARSE_OK);
	CHECK_EQ(seg.opcode, XIWARP_OP_TERMINATE);
	CHECK_EQ(seg.qn, XIWARP_QN_TERMINATE);
	CHECK_EQ(seg.msn, 1);
	CHECK_EQ(seg.term.layer, row->layer);
	CHECK_EQ(seg.term.etype, row->etype);
	CHECK_EQ(seg.term.code, row->code);
	if (row->copy == XIWARP_COPY_NONE)
		CHECK(!seg.term.has_ddp);
	CHECK_EQ(drain(~0U), 0);
}

#endif
