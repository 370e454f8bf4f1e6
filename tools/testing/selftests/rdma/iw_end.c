// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * iw_end listen ADDRESS
 * iw_end connect ADDRESS [PRIVATE-DATA]
 * iw_end wrong ADDRESS WHAT
 *
 * One end of iWARP connections, by librdmacm and verbs, that does what its peer
 * says (iw_end.h). One connection after the other; "connect" makes one and ends,
 * with what the CM reported on standard output. "wrong" makes one to a "listen", does
 * WHAT is wrong to it, and asks it on another connection what it has seen.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include "iw_end.h"
#include "verbs.h"

#define GUARD		4096
#define SCRATCH		(1 << 20)
#define SOURCE		(1 << 20)
#define SEND_ID		1000

static struct rdma_event_channel *channel;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *region_mr, *own_mr;
static struct ibv_qp *qp;
static uint8_t *memory;			/* guard, region, guard */
static uint8_t *own;			/* receives, scratch, source, text */

static int is_repeating = 1;
static int bad_recv, bad_send, bad_event;	/* of this connection */
static int last_recv, last_send, last_event;	/* of the one before */

static uint8_t *recvs(void) { return own; }
static uint8_t *scratch(void) { return own + IW_RECVS * IW_RECV_BYTES; }
static uint8_t *source(void) { return scratch() + SCRATCH; }
static char *text(void) { return (char *)source() + SOURCE; }

static void make_memory(void)
{
	size_t own_bytes = IW_RECVS * IW_RECV_BYTES + SCRATCH + SOURCE + IW_TEXT;
	uint32_t i;

	memory = aligned_alloc(4096, GUARD + IW_REGION + GUARD);
	own = aligned_alloc(4096, (own_bytes + 4095) & ~4095UL);
	memset(memory, 0xa5, GUARD + IW_REGION + GUARD);
	for (i = 0; i < IW_REGION; i++)
		memory[GUARD + i] = iw_byte(i);
	for (i = 0; i < SOURCE; i++)
		source()[i] = iw_byte(i);
	region_mr = ibv_reg_mr(pd, memory + GUARD, IW_REGION,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			       IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	if (!region_mr)
		region_mr = ibv_reg_mr(pd, memory + GUARD, IW_REGION,
				       IBV_ACCESS_LOCAL_WRITE |
				       IBV_ACCESS_REMOTE_WRITE |
				       IBV_ACCESS_REMOTE_READ);
	own_mr = ibv_reg_mr(pd, own, own_bytes, IBV_ACCESS_LOCAL_WRITE |
			    IBV_ACCESS_REMOTE_WRITE);
	if (!region_mr || !own_mr)
		die("cannot register memory: %m");
}

static void open_all(struct ibv_context *verbs)
{
	if (context)
		return;
	context = verbs;
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 256, NULL, NULL, 0);
	if (!pd || !cq)
		die("cannot allocate: %m");
	make_memory();
	fcntl(context->async_fd, F_SETFL, O_NONBLOCK);
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
}

static void post_recv(uint64_t i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(recvs() + i * IW_RECV_BYTES),
		.length = IW_RECV_BYTES, .lkey = own_mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(qp, &wr, &bad))
		die("cannot post a receive: %m");
}

static void make_connection_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = {
			.max_send_wr = 64, .max_recv_wr = IW_RECVS,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};
	uint64_t i;

	if (rdma_create_qp(id, pd, &init))
		die("cannot create a QP: %m");
	qp = id->qp;
	is_repeating = 1;
	bad_recv = bad_send = bad_event = 0;
	for (i = 0; i < IW_RECVS; i++)
		post_recv(i);
}

/* ---- commands ----------------------------------------------------------------- */

static int wait_for_send(void);

/* Return: completion status, -1 if it could not be posted. */
static int do_wr(enum ibv_wr_opcode opcode, const void *at, uint32_t len,
		 uint32_t stag, uint64_t to)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)at, .length = len, .lkey = own_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = SEND_ID, .opcode = opcode, .sg_list = &sge, .num_sge = 1,
	};
	struct ibv_send_wr *bad;

	if (opcode == IBV_WR_SEND_WITH_INV) {
		wr.invalidate_rkey = stag;
	} else {
		wr.wr.rdma.rkey = stag;
		wr.wr.rdma.remote_addr = to;
	}
	if (ibv_post_send(qp, &wr, &bad))
		return -1;
	return wait_for_send();
}

static void answer(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text(), IW_TEXT, format, args);
	va_end(args);
	do_wr(IBV_WR_SEND, text(), (uint32_t)n + 1, 0, 0);
}

static void do_read(uint32_t len, uint32_t stag, uint64_t to)
{
	int status;
	uint32_t i;

	memset(scratch(), 0, SCRATCH);
	status = do_wr(IBV_WR_RDMA_READ, scratch(), len, stag, to);
	for (i = 0; i < len && scratch()[i] == iw_byte(i); i++)
		;
	if (status || i == len)
		answer("%d", status);
	else
		answer("0 wrong at %u", i);
}

static void do_check(int is_restoring)
{
	char what[64] = "clean";
	uint32_t i;

	for (i = 0; i < IW_REGION; i++) {
		if (memory[GUARD + i] == iw_byte(i))
			continue;
		snprintf(what, sizeof(what), "changed at %u", i);
		break;
	}
	for (i = 0; i < GUARD; i++) {
		if (memory[i] != 0xa5 || memory[GUARD + IW_REGION + i] != 0xa5)
			snprintf(what, sizeof(what), "OVERRUN");
	}
	for (i = 0; is_restoring && i < IW_REGION; i++)
		memory[GUARD + i] = iw_byte(i);
	answer("0 %s", what);
}

static void do_command(const struct iw_command *command)
{
	uint32_t len = be32toh(command->len), stag = be32toh(command->stag);
	uint64_t to = be64toh(command->to);

	switch (command->op) {
	case 'e':
		answer("0");
		break;
	case 's':
		answer("%d", do_wr(IBV_WR_SEND, source(), len, 0, 0));
		break;
	case 'v':
		answer("%d", do_wr(IBV_WR_SEND_WITH_INV, source(), len, stag, 0));
		break;
	case 'w':
		answer("%d", do_wr(IBV_WR_RDMA_WRITE, source(), len, stag, to));
		break;
	case 'r':
		do_read(len, stag, to);
		break;
	case 'q':
		answer("0");
		is_repeating = 0;
		break;
	case 'z':
		usleep(len * 1000);
		answer("0");
		break;
	case 'k':
		answer("0 %u %llu", region_mr->rkey,
		       (unsigned long long)(uintptr_t)(memory + GUARD));
		break;
	case 'c':
		do_check(len);
		break;
	case 'l':
		answer("0 recv %d send %d event %d", last_recv, last_send, last_event);
		break;
	}
}

/* ---- completions and events ------------------------------------------------------ */

static struct ibv_wc waiting[64];	/* receives that came while a send was awaited */
static int num_waiting;

static void note_recv(const struct ibv_wc *wc)
{
	struct iw_command command;

	if (wc->status) {
		if (!bad_recv && wc->status != IBV_WC_WR_FLUSH_ERR)
			bad_recv = wc->status;
		return;
	}
	memset(&command, 0, sizeof(command));
	memcpy(&command, recvs() + wc->wr_id * IW_RECV_BYTES,
	       wc->byte_len < sizeof(command) ? wc->byte_len : sizeof(command));
	if (!is_repeating)
		return;
	post_recv(wc->wr_id);
	do_command(&command);
}

static void poll_events(void);

static int wait_for_send(void)
{
	struct ibv_wc wc;
	int n;

	for (;;) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n < 0)
			die("cannot poll: %m");
		if (!n) {
			poll_events();
			usleep(100);
			continue;
		}
		/* opcode is not valid in a failed completion */
		if (wc.wr_id != SEND_ID) {
			if (num_waiting < 64)
				waiting[num_waiting++] = wc;
			continue;
		}
		if (wc.status && !bad_send && wc.status != IBV_WC_WR_FLUSH_ERR)
			bad_send = wc.status;
		return wc.status;
	}
}

static void poll_completions(void)
{
	struct ibv_wc wc;

	while (num_waiting) {
		wc = waiting[0];
		memmove(waiting, waiting + 1, (size_t)--num_waiting * sizeof(wc));
		note_recv(&wc);
	}
	while (ibv_poll_cq(cq, 1, &wc) > 0) {
		note_recv(&wc);
		if (num_waiting)
			return poll_completions();
	}
}

static void poll_events(void)
{
	struct ibv_async_event event;

	if (ibv_get_async_event(context, &event))
		return;
	if (event.event_type != IBV_EVENT_COMM_EST && !bad_event)
		bad_event = event.event_type;
	ibv_ack_async_event(&event);
}

static void end_connection(struct rdma_cm_id *id)
{
	int i;

	for (i = 0; i < 50; i++) {	/* what was flushed, and late events */
		poll_completions();
		poll_events();
		usleep(200);
	}
	last_recv = bad_recv;
	last_send = bad_send;
	last_event = bad_event;
	rdma_destroy_qp(id);
	num_waiting = 0;
	while (ibv_poll_cq(cq, 1, &waiting[0]) > 0)
		;
	rdma_destroy_id(id);
	qp = NULL;
}

/* ---- connections --------------------------------------------------------------------- */

static struct rdma_cm_event *next_event(void)
{
	struct rdma_cm_event *event;
	struct pollfd pfd = { .fd = channel->fd, .events = POLLIN };

	while (rdma_get_cm_event(channel, &event)) {
		if (context)
			poll_events();
		if (qp)
			poll_completions();
		poll(&pfd, 1, qp ? 1 : 1000);
	}
	return event;
}

static const struct rdma_conn_param param = {
	.responder_resources = IW_DEPTH, .initiator_depth = IW_DEPTH,
};

static void do_listen(const struct sockaddr *addr)
{
	struct rdma_cm_id *id, *listener;

	if (rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, (struct sockaddr *)addr) ||
	    rdma_listen(listener, 128))
		die("cannot listen: %m");
	open_all(listener->verbs);
	printf("listening\n");
	fflush(stdout);
	for (;;) {
		struct rdma_cm_event *event = next_event();
		struct rdma_conn_param accept = param;
		enum rdma_cm_event_type type = event->event;

		id = event->id;
		rdma_ack_cm_event(event);
		if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
			if (qp) {	/* one after the other */
				rdma_reject(id, NULL, 0);
				rdma_destroy_id(id);
				continue;
			}
			make_connection_qp(id);
			if (rdma_accept(id, &accept))
				end_connection(id);
		} else if (type == RDMA_CM_EVENT_DISCONNECTED ||
			   type == RDMA_CM_EVENT_CONNECT_ERROR) {
			rdma_disconnect(id);
			end_connection(id);
		}
	}
}

static void expect_event(enum rdma_cm_event_type wanted)
{
	struct rdma_cm_event *event = next_event();

	if (event->event != wanted)
		die("%s %d", rdma_event_str(event->event), event->status);
	rdma_ack_cm_event(event);
}

/* The event that ends the attempt, not acknowledged yet. */
static struct rdma_cm_event *connect_to(struct sockaddr *addr, const char *private,
					struct rdma_cm_id **id)
{
	struct rdma_conn_param connect = param;

	connect.private_data = private;
	connect.private_data_len = private ? (uint8_t)strlen(private) : 0;
	if (rdma_create_id(channel, id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(*id, NULL, addr, 2000))
		die("cannot resolve: %m");
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	expect_event(RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rdma_resolve_route(*id, 2000))
		die("no route: %m");
	expect_event(RDMA_CM_EVENT_ROUTE_RESOLVED);
	open_all((*id)->verbs);
	make_connection_qp(*id);
	if (rdma_connect(*id, &connect))
		die("cannot connect: %m");
	return next_event();
}

static int do_connect(struct sockaddr *addr, const char *private)
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	event = connect_to(addr, private, &id);
	printf("%s %d %.*s\n", rdma_event_str(event->event), event->status,
	       event->param.conn.private_data_len,
	       event->param.conn.private_data ?
	       (const char *)event->param.conn.private_data : "");
	fflush(stdout);
	if (event->event != RDMA_CM_EVENT_ESTABLISHED)
		return 1;
	rdma_ack_cm_event(event);
	expect_event(RDMA_CM_EVENT_DISCONNECTED);
	rdma_disconnect(id);
	end_connection(id);
	printf("recv %d send %d event %d\n", last_recv, last_send, last_event);
	return 0;
}

/* ---- what is wrong ------------------------------------------------------------------- */

/* Return: the text of the answer, which comes in receive 0. */
static const char *ask(uint8_t op, uint32_t len)
{
	struct iw_command *command = (struct iw_command *)text();
	struct ibv_wc wc;
	int i;

	memset(command, 0, sizeof(*command));
	command->op = op;
	command->len = htobe32(len);
	if (do_wr(IBV_WR_SEND, command, sizeof(*command), 0, 0))
		die("cannot send a command");
	for (i = 0; !num_waiting && i < 100000; i++) {
		if (ibv_poll_cq(cq, 1, &waiting[0]) > 0)
			num_waiting = 1;
		else
			usleep(100);
	}
	wc = waiting[0];
	if (!num_waiting || wc.status)
		die("no answer to %c: status %d", op, wc.status);
	memmove(waiting, waiting + 1, (size_t)--num_waiting * sizeof(wc));
	post_recv(wc.wr_id);
	return (const char *)recvs() + wc.wr_id * IW_RECV_BYTES;
}

static struct {
	const char *name;
	enum ibv_wr_opcode opcode;
	uint32_t len;
	uint32_t stag;		/* added to the region's */
	uint64_t to;
} const wrongs[] = {
	{ "write-key",	   IBV_WR_RDMA_WRITE, 100,  0x100, 0 },
	{ "write-beyond",  IBV_WR_RDMA_WRITE, 100,  0, IW_REGION - 99 },
	{ "read-key",	   IBV_WR_RDMA_READ,  100,  0x100, 0 },
	{ "read-beyond",   IBV_WR_RDMA_READ,  100,  0, IW_REGION - 99 },
	{ "send-too-long", IBV_WR_SEND,	      IW_RECV_BYTES + 1, 0, 0 },
};

/* A WRITE or SEND may end well before the peer has looked at it: a READ tells. */
static int do_wrong(const char *what, uint32_t stag, uint64_t to)
{
	size_t i;

	for (i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		if (strcmp(wrongs[i].name, what))
			continue;
		return do_wr(wrongs[i].opcode, scratch(), wrongs[i].len,
			     stag + wrongs[i].stag, to + wrongs[i].to) ?:
		       do_wr(IBV_WR_RDMA_READ, scratch(), 8, stag, to);
	}
	die("nothing wrong is called %s", what);
}

/* It takes one connection after the other, and may not have seen the end of the last. */
static struct rdma_cm_id *must_connect(struct sockaddr *addr)
{
	enum rdma_cm_event_type type;
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;
	int i;

	for (i = 0; i < 50; i++) {
		event = connect_to(addr, NULL, &id);
		type = event->event;
		rdma_ack_cm_event(event);
		if (type == RDMA_CM_EVENT_ESTABLISHED)
			return id;
		end_connection(id);
		usleep(100000);
	}
	die("cannot connect: %s", rdma_event_str(type));
}

static int be_wrong(struct sockaddr *addr, const char *what)
{
	struct rdma_cm_id *id = must_connect(addr);
	unsigned long long to;
	unsigned int stag;
	int status;

	if (sscanf(ask('k', 0), "0 %u %llu", &stag, &to) != 2)
		die("no region: %s", text());
	status = do_wrong(what, stag, to);
	if (!status)
		die("%s: nobody minds", what);
	expect_event(RDMA_CM_EVENT_DISCONNECTED);
	rdma_disconnect(id);
	end_connection(id);

	id = must_connect(addr);
	printf("status %d, %s\n", status, ask('c', 1));
	printf("there: %s\n", ask('l', 0));
	rdma_disconnect(id);
	end_connection(id);
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(IW_PORT) };

	if (argc < 3 || inet_pton(AF_INET, argv[2], &addr.sin_addr) != 1)
		die("usage: iw_end listen|connect|wrong ADDRESS [PRIVATE-DATA|WHAT]");
	channel = rdma_create_event_channel();
	if (!channel)
		die("no event channel: %m");
	if (!strcmp(argv[1], "connect"))
		return do_connect((struct sockaddr *)&addr, argv[3]);
	if (!strcmp(argv[1], "wrong") && argc == 4)
		return be_wrong((struct sockaddr *)&addr, argv[3]);
	do_listen((struct sockaddr *)&addr);
}
