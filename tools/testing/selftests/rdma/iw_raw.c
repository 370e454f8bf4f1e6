// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * iw_raw cases			names of what "talk" can do
 * iw_raw accept-cases		of what "accept" can
 * iw_raw talk ADDRESS CASE	as initiator, to "iw_end listen"
 * iw_raw accept ADDRESS CASE	as responder, to "iw_end connect"
 *
 * An iWARP peer on an ordinary socket, with the protocol core of the driver in user
 * space below it and none of its state: it can do what no driver does, and
 * whatever is wrong. Silent and 0 if the other end did as it should.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "fault.h"
#include "fpdu.h"
#include "iw_end.h"
#include "mpa.h"
#include "wire.h"

#define MINE_STAG	0x55550100U	/* what the other end reads and writes here */
#define MINE_TO		0x7f0000001000ULL
#define MINE_BYTES	(1U << 20)
#define TIMEOUT_S	20

static const char *where = "";		/* which turn of a loop */

static void __attribute__((noreturn, format(printf, 2, 3)))
wrong(int line, const char *format, ...)
{
	va_list args;

	printf("line %d %s: ", line, where);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

#define expect(cond) do {						\
	if (!(cond))							\
		wrong(__LINE__, "%s", #cond);				\
} while (0)

#define expect_eq(got, want) do {					\
	unsigned long long got_ = (unsigned long long)(got);		\
	unsigned long long want_ = (unsigned long long)(want);		\
	if (got_ != want_)						\
		wrong(__LINE__, "%s is 0x%llx, not 0x%llx", #got, got_, want_); \
} while (0)

/**
 * struct style - how to talk
 * @revision: of MPA
 * @crc: ask for it
 * @markers: ask for them (they are sent if the other end asks)
 * @rtr: offer, as initiator
 * @cut: bytes of each send(), 0: all
 * @mulpdu: longest ULPDU of ours
 */
struct style {
	u8 revision;
	bool crc, markers;
	u8 rtr;
	unsigned int cut, mulpdu;
	unsigned int private_len;
};

static const struct style plain = { .revision = 2, .mulpdu = 1442 };

struct peer {
	int fd;
	struct style style;
	struct xiwarp_mpa_agreed agreed;
	struct xiwarp_framer tx;
	struct xiwarp_deframer rx;
	u32 msn[XIWARP_QUEUES];		/* ours */
	u32 rx_msn[XIWARP_QUEUES];
};

static struct sockaddr_in address = {
	.sin_family = AF_INET, .sin_port = __builtin_bswap16(IW_PORT),
};
static u8 mine[MINE_BYTES];
static u8 message[MINE_BYTES];		/* SEND that came last */
static u32 message_len;
static u32 region_stag;
static u64 region;

/* ---- bytes -------------------------------------------------------------------- */

/* Return: false when the other end wants no more. */
static bool put(struct peer *p, const void *data, size_t len)
{
	const u8 *at = data;

	while (len) {
		size_t n = p->style.cut && p->style.cut < len ? p->style.cut : len;
		ssize_t sent = send(p->fd, at, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		at += sent;
		len -= (size_t)sent;
	}
	return true;
}

/* Return: 1.., 0 at the end, be it FIN or RST. Silence is an error. */
static unsigned int get(struct peer *p, void *buf, size_t len)
{
	ssize_t n = recv(p->fd, buf, len, 0);

	if (n < 0 && errno == EAGAIN)
		wrong(__LINE__, "nothing comes");
	return n < 0 ? 0 : (unsigned int)n;
}

static void tune(int fd)
{
	struct timeval limit = { .tv_sec = TIMEOUT_S };
	int one = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static void open_socket(struct peer *p, const struct style *style)
{
	int qn;

	memset(p, 0, sizeof(*p));
	p->style = *style;
	for (qn = 0; qn < XIWARP_QUEUES; qn++)
		p->msn[qn] = p->rx_msn[qn] = 1;
	p->fd = socket(AF_INET, SOCK_STREAM, 0);
	tune(p->fd);
	if (connect(p->fd, (struct sockaddr *)&address, sizeof(address)))
		wrong(__LINE__, "cannot connect: %m");
}

/* The other end ends the connection, whatever it still says. */
static void expect_end(struct peer *p)
{
	u8 buf[4096];

	while (get(p, buf, sizeof(buf)))
		;
	close(p->fd);
}

/* ---- startup -------------------------------------------------------------------- */

static bool get_frame(struct peer *p, bool is_reply, struct xiwarp_mpa_rx *rx,
		      struct xiwarp_mpa_frame *frame)
{
	enum xiwarp_mpa_result result = XIWARP_MPA_MORE;

	memset(rx, 0, sizeof(*rx));
	while (result == XIWARP_MPA_MORE) {
		u8 *buf;
		unsigned int n = xiwarp_mpa_want(rx, &buf);

		n = get(p, buf, n);
		if (!n)
			return false;
		result = xiwarp_mpa_took(rx, is_reply, n, frame);
	}
	expect_eq(result, XIWARP_MPA_FRAME);
	return true;
}

static void put_frame(struct peer *p, const struct xiwarp_mpa_frame *frame)
{
	u8 buf[XIWARP_MPA_MAX_BYTES];
	unsigned int len = xiwarp_mpa_build(frame, buf);

	expect(len);
	expect(put(p, buf, len));
}

static void begin_stream(struct peer *p)
{
	xiwarp_framer_init(&p->tx, p->agreed.tx_markers, p->agreed.crc);
	xiwarp_deframer_init(&p->rx, p->agreed.rx_markers, p->agreed.crc);
}

static struct xiwarp_mpa_policy policy_of(const struct style *style)
{
	return (struct xiwarp_mpa_policy){
		.revision = style->revision, .crc = style->crc,
		.markers = style->markers, .is_peer_to_peer = style->rtr,
		.rtr = style->rtr, .ird = IW_DEPTH, .ord = IW_DEPTH,
		.max_ird = IW_DEPTH,
	};
}

static void send_rtr(struct peer *p);

/* As initiator, up to RTR. */
static void start(struct peer *p, const struct style *style)
{
	static u8 private[XIWARP_MPA_MAX_PRIVATE];
	struct xiwarp_mpa_policy policy = policy_of(style);
	struct xiwarp_mpa_frame frame;
	struct xiwarp_mpa_rx rx;
	enum xiwarp_fault fault;

	open_socket(p, style);
	xiwarp_mpa_request(&policy, &frame);
	frame.private_data = private;
	frame.private_len = (u16)style->private_len;
	put_frame(p, &frame);
	expect(get_frame(p, true, &rx, &frame));
	expect_eq(frame.revision, style->revision);
	expect_eq(frame.is_enhanced, style->revision == 2);
	expect_eq(xiwarp_mpa_judge(&policy, &frame, &p->agreed, &fault),
		  XIWARP_MPA_ESTABLISHED);
	expect(!style->crc || p->agreed.crc);
	expect_eq(p->agreed.rtr, style->rtr);
	begin_stream(p);
	send_rtr(p);
}

/* ---- segments ------------------------------------------------------------------- */

/* The FPDU of a header and payload, one CRC bit spoilt if @spoil. */
static bool put_fpdu(struct peer *p, const u8 *hdr, unsigned int hdr_len,
		     const u8 *payload, unsigned int len, bool spoil)
{
	static u8 buf[70000];
	struct xiwarp_piece piece;
	unsigned int n = 0;

	xiwarp_framer_begin(&p->tx, hdr, hdr_len, len);
	while (xiwarp_framer_next(&p->tx, &piece)) {
		if (!piece.data) {
			piece.data = payload;
			payload += piece.len;
			p->tx.crc = xiwarp_crc(p->tx.crc, piece.data, piece.len);
		}
		memcpy(buf + n, piece.data, piece.len);
		n += piece.len;
	}
	buf[n - 1] ^= spoil;
	return put(p, buf, n);
}

static bool put_seg(struct peer *p, const struct xiwarp_seg *seg,
		    const void *payload, unsigned int len)
{
	u8 hdr[XIWARP_MAX_HDR_BYTES];

	return put_fpdu(p, hdr, xiwarp_wire_build(seg, hdr), payload, len, false);
}

/* A segment as it should be. */
static struct xiwarp_seg good(struct peer *p, u8 opcode)
{
	const struct xiwarp_opcode *row = xiwarp_opcode_find(opcode);
	struct xiwarp_seg seg = { .opcode = opcode, .is_last = true };

	if (row->is_tagged) {
		seg.stag = region_stag;
		seg.to = region;
	} else {
		seg.qn = row->qn;
		seg.msn = p->msn[row->qn];
	}
	return seg;
}

/* A whole message, in segments of style.mulpdu. */
static void put_message(struct peer *p, struct xiwarp_seg seg, const u8 *payload,
			u32 len)
{
	const struct xiwarp_opcode *row = xiwarp_opcode_find(seg.opcode);
	u32 max = p->style.mulpdu - row->hdr_len, n;

	do {
		n = len < max ? len : max;
		len -= n;
		seg.is_last = !len;
		put_seg(p, &seg, payload, n);
		payload += n;
		if (row->is_tagged)
			seg.to += n;
		else
			seg.mo += n;
	} while (len);
	if (!row->is_tagged)
		p->msn[row->qn]++;
}

static void send_rtr(struct peer *p)
{
	struct xiwarp_seg seg;

	switch (p->agreed.rtr) {
	case XIWARP_RTR_FPDU:
		put_fpdu(p, NULL, 0, NULL, 0, false);
		break;
	case XIWARP_RTR_WRITE:
		seg = good(p, XIWARP_OP_WRITE);
		seg.stag = 1;
		put_seg(p, &seg, NULL, 0);
		break;
	case XIWARP_RTR_READ:
		seg = good(p, XIWARP_OP_READ_REQUEST);
		seg.read.src_stag = 1;
		put_message(p, seg, NULL, 0);
	}
}

/* Next segment, headers checked, payload in @payload. Return: false at the end. */
static bool get_seg(struct peer *p, struct xiwarp_seg *seg, u8 *payload)
{
	unsigned int len, at = 0;
	u8 *buf;

	for (;;) {
		switch (xiwarp_deframer_want(&p->rx, &buf, &len)) {
		case XIWARP_WANT_HEADER:
			memset(seg, 0, sizeof(*seg));
			if (p->rx.ulpdu)
				expect_eq(xiwarp_wire_parse(seg, p->rx.hdr + 2,
							    p->rx.ulpdu),
					  XIWARP_PARSE_OK);
			xiwarp_deframer_go_on(&p->rx);
			break;
		case XIWARP_WANT_DONE:
			expect(xiwarp_deframer_crc_ok(&p->rx));
			expect(!p->rx.is_marker_bad);
			xiwarp_deframer_next(&p->rx);
			return true;
		case XIWARP_WANT_PAYLOAD:
			len = get(p, payload + at, len);
			if (!len)
				return false;
			xiwarp_deframer_passed(&p->rx, len,
					       xiwarp_crc(p->rx.crc, payload + at, len));
			at += len;
			break;
		default:
			len = get(p, buf, len);
			if (!len)
				return false;
			xiwarp_deframer_took(&p->rx, len);
		}
	}
}

static void answer_read(struct peer *p, const struct xiwarp_read *read)
{
	struct xiwarp_seg seg = good(p, XIWARP_OP_READ_RESPONSE);

	expect_eq(read->src_stag, MINE_STAG);
	expect(read->src_to - MINE_TO + read->length <= MINE_BYTES);
	seg.stag = read->sink_stag;
	seg.to = read->sink_to;
	put_message(p, seg, mine + (read->src_to - MINE_TO), read->length);
}

static void take_write(const struct xiwarp_seg *seg, const u8 *payload)
{
	if (!seg->payload_len)
		return;
	expect_eq(seg->stag, MINE_STAG);
	expect(seg->to - MINE_TO + seg->payload_len <= MINE_BYTES);
	memcpy(mine + (seg->to - MINE_TO), payload, seg->payload_len);
}

static bool take_send(struct peer *p, const struct xiwarp_seg *seg, const u8 *payload)
{
	expect_eq(seg->qn, XIWARP_QN_SEND);
	expect_eq(seg->msn, p->rx_msn[XIWARP_QN_SEND]);
	if (!seg->mo)
		message_len = 0;
	expect_eq(seg->mo, message_len);
	expect(message_len + seg->payload_len <= sizeof(message));
	memcpy(message + message_len, payload, seg->payload_len);
	message_len += seg->payload_len;
	p->rx_msn[XIWARP_QN_SEND] += seg->is_last;
	return seg->is_last;
}

/* Serve the other end until a message or anything unusual. Return: its opcode, -1 at the end. */
static int serve(struct peer *p, struct xiwarp_seg *seg)
{
	static u8 payload[65536];

	while (get_seg(p, seg, payload)) {
		if (!seg->info)
			continue;	/* zero-length FPDU */
		switch (seg->opcode) {
		case XIWARP_OP_WRITE:
			take_write(seg, payload);
			break;
		case XIWARP_OP_READ_REQUEST:
			expect_eq(seg->msn, p->rx_msn[XIWARP_QN_REQUEST]++);
			answer_read(p, &seg->read);
			break;
		case XIWARP_OP_READ_RESPONSE:
			expect(seg->payload_len || seg->is_last);
			if (p->agreed.rtr == XIWARP_RTR_READ && !seg->payload_len)
				break;
			return seg->opcode;
		case XIWARP_OP_SEND:
		case XIWARP_OP_SEND_INV:
			if (take_send(p, seg, payload))
				return seg->opcode;
			break;
		default:
			return seg->opcode;
		}
	}
	return -1;
}

/* ---- commands --------------------------------------------------------------------- */

static void command(struct peer *p, char op, u32 len)
{
	struct iw_command command = {
		.op = (u8)op, .len = htobe32(len),
		.stag = htobe32(MINE_STAG), .to = htobe64(MINE_TO),
	};

	put_message(p, good(p, XIWARP_OP_SEND), (u8 *)&command, sizeof(command));
}

/* The next message is text and begins with @status. */
static const char *answer(struct peer *p, const char *status)
{
	struct xiwarp_seg seg;
	size_t n = strlen(status);

	expect_eq(serve(p, &seg), XIWARP_OP_SEND);
	expect(message_len && message_len <= IW_TEXT && !message[message_len - 1]);
	if (strncmp((char *)message, status, n))
		wrong(__LINE__, "the answer is \"%s\", not \"%s\"", message, status);
	return (char *)message + n;
}

static const char *ask(struct peer *p, char op, u32 len, const char *status)
{
	command(p, op, len);
	return answer(p, status);
}

static void learn_region(struct peer *p)
{
	unsigned long long to;
	unsigned int stag;

	expect_eq(sscanf(ask(p, 'k', 0, "0"), "%u %llu", &stag, &to), 2);
	region_stag = stag;
	region = to;
}

static void done(struct peer *p)
{
	shutdown(p->fd, SHUT_WR);
	expect_end(p);
}

/* How the connection before ended, and that the region is whole. */
static void check_last(const char *how, const char *state)
{
	struct peer p;

	start(&p, &plain);
	ask(&p, 'l', 0, how);
	ask(&p, 'c', 1, state);
	done(&p);
}

static void fill_mine(void)
{
	u32 i;

	for (i = 0; i < MINE_BYTES; i++)
		mine[i] = iw_byte(i);
}

static void expect_pattern(const u8 *bytes, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (bytes[i] != iw_byte(i))
			wrong(__LINE__, "byte %u of %u is 0x%02x", i, len, bytes[i]);
}

/* ---- startup, as it should be ------------------------------------------------------- */

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

/* ---- startup, as it should not be ----------------------------------------------------- */

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
	static const u8 frame[24] = "MPA ID Req Frame\x10\x02\0\4\0\4\0\4";
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

/* ---- data ------------------------------------------------------------------------------ */

/* Everything in both directions, compared byte by byte. */
static void all_ways(struct peer *p, u32 len)
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
static void get_response(struct peer *p, u32 len)
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

/* ---- RFC 7306 ------------------------------------------------------------------------------ */

static u64 do_atomic(struct peer *p, u8 op, u64 swap_add, u64 compare)
{
	struct xiwarp_seg seg = good(p, XIWARP_OP_ATOMIC_REQUEST);
	static u32 id = 100;

	seg.atomic = (struct xiwarp_atomic){
		.op = op, .id = ++id, .stag = region_stag, .to = region + 64,
		.swap_add = swap_add, .compare = compare, .compare_mask = ~0ULL,
		.mask = op == XIWARP_CMP_SWAP ? ~0ULL : 0,
	};
	put_message(p, seg, NULL, 0);
	expect_eq(serve(p, &seg), XIWARP_OP_ATOMIC_RESPONSE);
	expect_eq(seg.result.id, id);
	expect_eq(seg.msn, p->rx_msn[XIWARP_QN_ATOMIC]++);
	return seg.result.value;
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

/* ---- what must be refused ------------------------------------------------------------------- */

/* A Terminate that says this about those headers, then the end. */
static void expect_terminate(struct peer *p, enum xiwarp_fault fault,
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
		seg->stag = seg->read.src_stag = region_stag + 0x10000;
	if (twist == TWIST_TO)
		seg->to = seg->read.src_to = beyond;
	if (twist == TWIST_WRAP)
		seg->to = seg->read.src_to = ~0ULL - 3;
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
	expect_terminate(&p, refusals[i].fault, hdr, len + refusals[i].len);
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

static void case_no_buffer(void)
{
	struct xiwarp_seg seg;
	struct peer p;
	u8 hdr[XIWARP_MAX_HDR_BYTES];
	unsigned int len;
	int i;

	start(&p, &plain);
	ask(&p, 'e', 0, "0");
	command(&p, 'q', 0);
	/* the receive of 'q' is used up, 15 are left */
	for (i = 0; i < IW_RECVS - 1; i++)
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
	for (i = 0; i < 2000; i++) {
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

/* ---- bad answers to its READs ------------------------------------------------------------------- */

/* Have it READ 1000 bytes of us; give its request. */
static struct xiwarp_read wait_for_read(struct peer *p, const struct style *style)
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

/* ---- endings --------------------------------------------------------------------------------------- */

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

/* ---- as responder ------------------------------------------------------------------------------------- */

static int listener;

static void take_connection(struct peer *p, struct xiwarp_mpa_rx *rx,
			    struct xiwarp_mpa_frame *request)
{
	int qn;

	memset(p, 0, sizeof(*p));
	p->style = plain;
	for (qn = 0; qn < XIWARP_QUEUES; qn++)
		p->msn[qn] = p->rx_msn[qn] = 1;
	p->fd = accept(listener, NULL, NULL);
	if (p->fd < 0)
		wrong(__LINE__, "nobody connects: %m");
	tune(p->fd);
	expect(get_frame(p, false, rx, request));
}

static void reply_by(struct peer *p, const struct style *style,
		     const struct xiwarp_mpa_frame *request)
{
	struct xiwarp_mpa_policy policy = policy_of(style);
	struct xiwarp_mpa_frame reply;

	p->style = *style;
	xiwarp_mpa_accept(&policy, request, &reply, &p->agreed);
	put_frame(p, &reply);
	begin_stream(p);
}

/* Connected as @style says, and whatever RTR was promised comes first. */
static void welcome(const struct style *style)
{
	struct xiwarp_mpa_frame request;
	static u8 payload[65536];
	struct xiwarp_mpa_rx rx;
	struct xiwarp_seg seg;
	struct peer p;

	take_connection(&p, &rx, &request);
	expect_eq(request.revision, 2);
	reply_by(&p, style, &request);
	if (p.agreed.rtr) {
		expect(get_seg(&p, &seg, payload));
		expect_eq(!seg.info, p.agreed.rtr == XIWARP_RTR_FPDU);
		expect_eq(seg.payload_len, 0);
		if (p.agreed.rtr == XIWARP_RTR_WRITE)
			expect_eq(seg.opcode, XIWARP_OP_WRITE);
		if (p.agreed.rtr == XIWARP_RTR_READ) {
			expect_eq(seg.opcode, XIWARP_OP_READ_REQUEST);
			expect_eq(seg.read.length, 0);
			p.rx_msn[XIWARP_QN_REQUEST]++;
			p.agreed.rtr = 0;
			seg = good(&p, XIWARP_OP_READ_RESPONSE);
			seg.stag = 0;
			seg.to = 0;
			put_seg(&p, &seg, NULL, 0);
		}
	}
	p.agreed.rtr = 0;
	if (!request.is_peer_to_peer)
		return;		/* it would have to speak first */
	all_ways(&p, 20000);
	memset(mine, 0, 20000);
	get_response(&p, 20000);
	expect_pattern(mine, 20000);
	ask(&p, 'c', 1, "0 clean");
	done(&p);
}

static void accept_plain(void)
{
	struct style style = plain;

	style.rtr = XIWARP_RTR_ALL;
	welcome(&style);
}

static void accept_crc(void)
{
	struct style style = plain;

	style.rtr = XIWARP_RTR_ALL;
	style.crc = true;
	welcome(&style);
}

static void accept_markers(void)
{
	struct style style = plain;

	style.rtr = XIWARP_RTR_ALL;
	style.crc = true;
	style.markers = true;
	style.cut = 100;
	welcome(&style);
}

static void accept_rtr_read(void)
{
	struct style style = plain;

	style.rtr = XIWARP_RTR_READ;
	welcome(&style);
}

static void accept_rtr_fpdu(void)
{
	struct style style = plain;

	style.rtr = XIWARP_RTR_FPDU;
	style.crc = true;
	welcome(&style);
}

/* We know revision 1 only: it comes again. */
static void accept_v1(void)
{
	struct xiwarp_mpa_frame request;
	struct xiwarp_mpa_rx rx;
	struct style style = plain;
	struct peer p;

	take_connection(&p, &rx, &request);
	expect_eq(request.revision, 2);
	close(p.fd);
	take_connection(&p, &rx, &request);
	expect_eq(request.revision, 1);
	expect(!request.is_enhanced);
	expect_eq(request.private_len, 5);
	expect(!memcmp(request.private_data, "hello", 5));
	style.revision = 1;
	reply_by(&p, &style, &request);
	usleep(200000);
	done(&p);
}

static void accept_reject(void)
{
	struct xiwarp_mpa_frame request, reply;
	struct xiwarp_mpa_rx rx;
	struct peer p;

	take_connection(&p, &rx, &request);
	expect(!memcmp(request.private_data, "hello", 5));
	xiwarp_mpa_reject(&request, &reply);
	reply.private_data = (const u8 *)"sorry";
	reply.private_len = 5;
	put_frame(&p, &reply);
	expect_end(&p);
}

/* No RTR in common, or more READs than it will take: it says so. */
static void accept_wrongly(bool is_rtr, enum xiwarp_fault fault)
{
	struct xiwarp_mpa_frame request, reply;
	struct xiwarp_mpa_policy policy = policy_of(&plain);
	struct xiwarp_mpa_rx rx;
	struct peer p;

	take_connection(&p, &rx, &request);
	policy.rtr = XIWARP_RTR_ALL;
	xiwarp_mpa_accept(&policy, &request, &reply, &p.agreed);
	if (is_rtr) {
		expect(request.is_peer_to_peer);
		reply.rtr = 0;
	} else {
		reply.ord = XIWARP_MPA_MAX_DEPTH;
	}
	put_frame(&p, &reply);
	begin_stream(&p);
	expect_terminate(&p, fault, NULL, 0);
}

static void accept_no_rtr(void)
{
	accept_wrongly(true, XIWARP_FAULT_MPA_RTR);
}

static void accept_much_ord(void)
{
	accept_wrongly(false, XIWARP_FAULT_MPA_IRD);
}

static void accept_garbage(void)
{
	struct xiwarp_mpa_frame request;
	struct xiwarp_mpa_rx rx;
	struct peer p;

	take_connection(&p, &rx, &request);
	put(&p, "HTTP/1.0 400 Bad Request\r\n\r\n", 28);
	expect_end(&p);
}

/* ---- which ------------------------------------------------------------------------------------------------ */

struct test {
	const char *name;
	void (*run)(void);
};

static const struct test talks[] = {
	{ "revisions", case_revisions },
	{ "private-data", case_private_data },
	{ "rtr", case_rtr },
	{ "bad-startup", case_bad_startup },
	{ "abandoned", case_abandoned },
	{ "data", case_data },
	{ "data-sizes", case_data_sizes },
	{ "coalesced", case_coalesced },
	{ "atomics", case_atomics },
	{ "immediate", case_immediate },
	{ "refusals", case_refusals },
	{ "short-headers", case_short_headers },
	{ "crc", case_crc },
	{ "flipped-bits", case_flipped_bits },
	{ "no-buffer", case_no_buffer },
	{ "too-many-reads", case_too_many_reads },
	{ "bad-responses", case_bad_responses },
	{ "response-grows", case_response_grows },
	{ "terminate", case_terminate },
	{ "terminate-of-siw", case_terminate_of_siw },
	{ "half-close", case_half_close },
	{ "cut", case_cut },
	{ "garbage", case_garbage },
	{ NULL, NULL }
};

static const struct test accepts[] = {
	{ "plain", accept_plain },
	{ "crc", accept_crc },
	{ "markers", accept_markers },
	{ "rtr-read", accept_rtr_read },
	{ "rtr-fpdu", accept_rtr_fpdu },
	{ "v1", accept_v1 },
	{ "reject", accept_reject },
	{ "no-rtr", accept_no_rtr },
	{ "much-ord", accept_much_ord },
	{ "garbage", accept_garbage },
	{ NULL, NULL }
};

static int list(const struct test *tests)
{
	for (; tests->name; tests++)
		puts(tests->name);
	return 0;
}

static int run(const struct test *tests, const char *name)
{
	for (; tests->name; tests++) {
		if (strcmp(tests->name, name))
			continue;
		tests->run();
		return 0;
	}
	printf("no case %s\n", name);
	return 2;
}

static void do_listen(void)
{
	int one = 1;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	tune(listener);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, 10))
		wrong(__LINE__, "cannot listen: %m");
	printf("listening\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "cases"))
		return list(talks);
	if (argc == 2 && !strcmp(argv[1], "accept-cases"))
		return list(accepts);
	if (argc != 4 || inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
		printf("usage: iw_raw talk|accept ADDRESS CASE\n");
		return 2;
	}
	fill_mine();
	if (!strcmp(argv[1], "talk"))
		return run(talks, argv[3]);
	do_listen();
	return run(accepts, argv[3]);
}
