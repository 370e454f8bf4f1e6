// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * As responder.
 */
#include "peer.h"

static int listener;

void accept_listen(void)
{
	int one = 1;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	tune(listener);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, 10))
		wrong(__FILE__, __LINE__, "cannot listen: %m");
	printf("listening\n");
	fflush(stdout);
}

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
		wrong(__FILE__, __LINE__, "nobody connects: %m");
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

const struct test accept_tests[] = {
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
