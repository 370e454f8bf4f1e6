// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The peer: bytes, startup, segments.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <sys/time.h>
#include "peer.h"

#define TIMEOUT_S	20

const char *where = "";
const struct style plain = { .revision = 2, .mulpdu = 1442 };
struct sockaddr_in address = {
	.sin_family = AF_INET, .sin_port = __builtin_bswap16(IW_PORT),
};
u8 mine[MINE_BYTES];
u8 message[MINE_BYTES];
u32 message_len;
u32 region_stag;
u64 region;

void wrong(const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("%s:%d %s: ", file, line, where);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

/* ---- bytes ----------------------------------------------------------------- */

/* Return: false when the other end wants no more. */
bool put(struct peer *p, const void *data, size_t len)
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
		wrong(__FILE__, __LINE__, "nothing comes");
	return n < 0 ? 0 : (unsigned int)n;
}

void tune(int fd)
{
	struct timeval limit = { .tv_sec = TIMEOUT_S };
	int one = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

void open_socket(struct peer *p, const struct style *style)
{
	int qn;

	memset(p, 0, sizeof(*p));
	p->style = *style;
	for (qn = 0; qn < XIWARP_QUEUES; qn++)
		p->msn[qn] = p->rx_msn[qn] = 1;
	p->fd = socket(AF_INET, SOCK_STREAM, 0);
	tune(p->fd);
	if (connect(p->fd, (struct sockaddr *)&address, sizeof(address)))
		wrong(__FILE__, __LINE__, "cannot connect: %m");
}

/* The other end ends the connection, whatever it still says. */
void expect_end(struct peer *p)
{
	u8 buf[4096];

	while (get(p, buf, sizeof(buf)))
		;
	close(p->fd);
}

/* ---- startup --------------------------------------------------------------- */

bool get_frame(struct peer *p, bool is_reply, struct xiwarp_mpa_rx *rx,
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

void put_frame(struct peer *p, const struct xiwarp_mpa_frame *frame)
{
	u8 buf[XIWARP_MPA_MAX_BYTES];
	unsigned int len = xiwarp_mpa_build(frame, buf);

	expect(len);
	expect(put(p, buf, len));
}

void begin_stream(struct peer *p)
{
	xiwarp_framer_init(&p->tx, p->agreed.tx_markers, p->agreed.crc);
	xiwarp_deframer_init(&p->rx, p->agreed.rx_markers, p->agreed.crc);
}

struct xiwarp_mpa_policy policy_of(const struct style *style)
{
	return (struct xiwarp_mpa_policy){
		.revision = style->revision, .crc = style->crc,
		.markers = style->markers, .is_peer_to_peer = style->rtr,
		.rtr = style->rtr, .ird = IW_DEPTH, .ord = IW_DEPTH,
		.max_ird = IW_DEPTH,
	};
}

static void send_rtr(struct peer *p);

/* As initiator, up to the verdict. */
static enum xiwarp_mpa_verdict try_start(struct peer *p, const struct style *style)
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
	return xiwarp_mpa_judge(&policy, &frame, &p->agreed, &fault);
}

void start(struct peer *p, const struct style *style)
{
	enum xiwarp_mpa_verdict verdict;
	unsigned int tries = 500;

	/* It serves one at a time, and the one before may not be over for it. */
	while ((verdict = try_start(p, style)) == XIWARP_MPA_REJECTED && tries--) {
		expect_end(p);
		usleep(10000);
	}
	expect_eq(verdict, XIWARP_MPA_ESTABLISHED);
	expect(!style->crc || p->agreed.crc);
	expect_eq(p->agreed.rtr, style->rtr);
	begin_stream(p);
	send_rtr(p);
}

/* ---- segments -------------------------------------------------------------- */

/* The FPDU of a header and payload, one CRC bit spoilt if @spoil. */
bool put_fpdu(struct peer *p, const u8 *hdr, unsigned int hdr_len,
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

bool put_seg(struct peer *p, const struct xiwarp_seg *seg,
		    const void *payload, unsigned int len)
{
	u8 hdr[XIWARP_MAX_HDR_BYTES];

	return put_fpdu(p, hdr, xiwarp_wire_build(seg, hdr), payload, len, false);
}

/* A segment as it should be. */
struct xiwarp_seg good(struct peer *p, u8 opcode)
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
void put_message(struct peer *p, struct xiwarp_seg seg, const u8 *payload,
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
bool get_seg(struct peer *p, struct xiwarp_seg *seg, u8 *payload)
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
int serve(struct peer *p, struct xiwarp_seg *seg)
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
