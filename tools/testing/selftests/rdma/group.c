// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * group DEVICE GID-INDEX GROUP [OPTION...]: members of a multicast group, and what
 * they get. GROUP: an IPv4 or IPv6 address, the former for its mapped GID.
 *
 *	-m N	members, each with a QP of its own (0)
 *	-s N	send so many datagrams, by the first member, or by a QP that is none (0)
 *	-q KEY	Q_Key of the members (0x11111111)
 *	-k KEY	Q_Key in the work requests (the same)
 *	-Q KEY	Q_Key of the sending QP, if it is no member (the same)
 *	-b	the members don't want what they send themselves
 *	-v 1|4|6	what the 40 bytes before the data must be (4)
 *	-x	try what must be refused, and say what it was refused with
 *
 * It says "ready" when all members are, then sends, and at the end of standard
 * input says how many good datagrams each member got: "got N...". Anything wrong
 * with a datagram ends it.
 */
#define _GNU_SOURCE	/* strerrorname_np() */
#include "verbs.h"
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define GRH 40
#define DATA 64
#define MAX_MEMBERS 32
#define RECVS 64
#define GROUP_QPN 0xffffff

static union ibv_gid group, own;
static uint32_t qkey = QKEY, wr_qkey, sender_qkey;
static int version = 4;
static int blocks;

/*
 * The provider has no way to say "block", so we add it to its request: this is
 * where libibverbs calls the kernel.
 */
int ioctl(int fd, unsigned long request, ...)
{
	static union {
		struct ib_uverbs_ioctl_hdr hdr;
		char bytes[4096];
	} copy;
	struct ib_uverbs_ioctl_hdr *hdr;
	va_list args;
	long result;

	va_start(args, request);
	hdr = va_arg(args, struct ib_uverbs_ioctl_hdr *);
	va_end(args);
	if (!blocks || request != RDMA_VERBS_IOCTL ||
	    hdr->object_id != UVERBS_OBJECT_QP ||
	    hdr->method_id != UVERBS_METHOD_QP_CREATE)
		return syscall(SYS_ioctl, fd, request, hdr);

	memcpy(&copy, hdr, hdr->length);
	copy.hdr.attrs[copy.hdr.num_attrs++] = (struct ib_uverbs_attr) {
		.attr_id = UVERBS_ATTR_CREATE_QP_FLAGS,
		.len = sizeof(uint32_t),
		.data = IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK,
	};
	copy.hdr.length += sizeof(struct ib_uverbs_attr);
	result = syscall(SYS_ioctl, fd, request, &copy);
	/* The kernel has written the QP's handle. */
	memcpy(hdr->attrs, copy.hdr.attrs, hdr->num_attrs * sizeof(hdr->attrs[0]));
	return result;
}

static void set_gid(union ibv_gid *gid, const char *text)
{
	memset(gid, 0, sizeof(*gid));
	if (inet_pton(AF_INET6, text, gid->raw) == 1)
		return;
	gid->raw[10] = gid->raw[11] = 0xff;
	if (inet_pton(AF_INET, text, gid->raw + 12) != 1)
		die("%s is no address", text);
}

static void to_rts(struct ibv_qp *qp, uint32_t key)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = key,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | IBV_QP_QKEY))
		die("to INIT: %m");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("to RTR: %m");
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN))
		die("to RTS: %m");
}

static struct ibv_ah *make_ah(struct ibv_pd *pd, int gid_index)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = group, .sgid_index = gid_index, .hop_limit = 1 },
	};
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);

	if (!ah)
		die("cannot create an AH: %m");
	return ah;
}

static uint16_t sum16(const uint8_t *bytes, int n)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < n; i += 2)
		sum += bytes[i] << 8 | bytes[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* The 40 bytes before the data: IBA 11.4.2.1 and the annexes on RoCE. */
static void check_grh(const uint8_t *grh)
{
	static const uint8_t zeros[20];

	if (version == 4) {
		const uint8_t *ip = grh + 20;

		if (memcmp(grh, zeros, 20))
			die("the first 20 bytes are not zeros");
		if (ip[0] != 0x45 || ip[9] != 17 || memcmp(ip + 16, group.raw + 12, 4))
			die("the last 20 bytes are not the IPv4 header");
		if (sum16(ip, 20) != 0xffff)
			die("the IPv4 header has a bad checksum");
		return;
	}
	if (grh[0] >> 4 != 6 || grh[6] != (version == 1 ? 0x1b : 17) ||
	    memcmp(grh + 24, group.raw, 16))
		die("the 40 bytes are not the %s", version == 1 ? "GRH" : "IPv6 header");
}

static void post_recv(struct ibv_qp *qp, struct ibv_mr *mr, int slot)
{
	struct ibv_sge sge = {
		(uintptr_t)mr->addr + slot * (GRH + DATA), GRH + DATA, mr->lkey
	};
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	if (ibv_post_recv(qp, &wr, &bad))
		die("post_recv: %m");
}

static void send_some(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_ah *ah, int n)
{
	uint8_t data[DATA];
	struct ibv_sge sge = { (uintptr_t)data, sizeof(data), 0 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.ud = { .ah = ah, .remote_qpn = GROUP_QPN, .remote_qkey = wr_qkey },
	}, *bad;
	struct ibv_wc wc;
	int i, polled;

	for (i = 0; i < n; i++) {
		memset(data, i + 1, sizeof(data));
		wr.imm_data = htonl(i);
		if (ibv_post_send(qp, &wr, &bad))
			die("post_send: %m");
		while ((polled = ibv_poll_cq(cq, 1, &wc)) == 0)
			;
		if (polled < 0 || wc.status)
			die("send: %s", ibv_wc_status_str(wc.status));
	}
}

/* Which header it was, where others have a service level; as ConnectX. */
static void check_sl(uint8_t sl)
{
	uint8_t wanted = version == 4 ? 10 : version == 6 ? 9 : 0;

	if (sl != wanted)
		die("receive: service level %u, not %u", sl, wanted);
}

static void check_datagram(const struct ibv_wc *wc, const uint8_t *bytes)
{
	int i;

	if (wc->status)
		die("receive: %s", ibv_wc_status_str(wc->status));
	if (!(wc->wc_flags & IBV_WC_GRH) || !(wc->wc_flags & IBV_WC_WITH_IMM) ||
	    wc->byte_len != GRH + DATA)
		die("receive: flags %x, %u bytes", wc->wc_flags, wc->byte_len);
	check_sl(wc->sl);
	check_grh(bytes);
	for (i = 0; i < DATA; i++) {
		if (bytes[GRH + i] != (uint8_t)(ntohl(wc->imm_data) + 1))
			die("wrong data");
	}
}

static int end_of_input(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	char byte;

	return poll(&in, 1, 5) == 1 && read(0, &byte, 1) <= 0;
}

static const char *said(int err)
{
	return err ? strerrorname_np(err) : "success";
}

static void try_refused(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp *rc = make_qp(pd, cq, NULL, IBV_QPT_RC, 1);
	struct ibv_qp *ud = make_qp(pd, cq, NULL, IBV_QPT_UD, 1);

	printf("rc %s", said(ibv_attach_mcast(rc, &group, 0)));
	printf(" unicast %s", said(ibv_attach_mcast(ud, &own, 0)));
	printf(" stranger %s", said(ibv_detach_mcast(ud, &group, 0)));
	printf(" once %s", said(ibv_attach_mcast(ud, &group, 0)));
	printf(" twice %s\n", said(ibv_attach_mcast(ud, &group, 0)));
}

int main(int argc, char **argv)
{
	int members = 0, sends = 0, refused = 0, gid_index, option, i, done = 0;
	struct ibv_qp *qp[MAX_MEMBERS], *sender;
	unsigned int got[MAX_MEMBERS] = {};
	struct ibv_mr *mr[MAX_MEMBERS];
	struct ibv_cq *cq, *send_cq;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_wc wc;

	wr_qkey = sender_qkey = qkey;
	while ((option = getopt(argc, argv, "m:s:q:k:Q:bv:x")) != -1) {
		switch (option) {
		case 'm': members = atoi(optarg); break;
		case 's': sends = atoi(optarg); break;
		case 'q': qkey = strtoul(optarg, NULL, 0); break;
		case 'k': wr_qkey = strtoul(optarg, NULL, 0); break;
		case 'Q': sender_qkey = strtoul(optarg, NULL, 0); break;
		case 'b': blocks = 1; break;
		case 'v': version = atoi(optarg); break;
		case 'x': refused = 1; break;
		default: die("unknown option");
		}
	}
	if (argc - optind != 3 || members > MAX_MEMBERS)
		die("usage: group DEVICE GID-INDEX GROUP [OPTION...]");
	context = open_device(argv[optind]);
	gid_index = atoi(argv[optind + 1]);
	set_gid(&group, argv[optind + 2]);
	if (ibv_query_gid(context, 1, gid_index, &own))
		die("no such GID");
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, MAX_MEMBERS * RECVS, NULL, NULL, 0);
	send_cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	if (!pd || !cq || !send_cq)
		die("no PD or CQ: %m");
	if (refused) {
		try_refused(pd, cq);
		return 0;
	}

	for (i = 0; i < members; i++) {
		struct ibv_qp_init_attr init = {
			.send_cq = send_cq,
			.recv_cq = cq,
			.cap = { 16, RECVS, 1, 1, DATA },
			.qp_type = IBV_QPT_UD,
		};
		int slot;

		qp[i] = ibv_create_qp(pd, &init);
		mr[i] = ibv_reg_mr(pd, calloc(RECVS, GRH + DATA),
				   RECVS * (GRH + DATA), IBV_ACCESS_LOCAL_WRITE);
		if (!qp[i] || !mr[i])
			die("no QP or MR: %m");
		to_rts(qp[i], qkey);
		for (slot = 0; slot < RECVS; slot++)
			post_recv(qp[i], mr[i], slot);
		if (ibv_attach_mcast(qp[i], &group, 0))
			die("cannot attach: %m");
	}
	printf("ready\n");
	fflush(stdout);

	if (sends) {
		sender = members ? qp[0] : make_qp(pd, send_cq, NULL, IBV_QPT_UD, 16);
		if (!members)
			to_rts(sender, sender_qkey);
		send_some(sender, send_cq, make_ah(pd, gid_index), sends);
	}
	while (!done) {
		/* What is there at the end of input counts, too. */
		done = end_of_input();
		while (ibv_poll_cq(cq, 1, &wc) == 1) {
			for (i = 0; qp[i]->qp_num != wc.qp_num; i++)
				;
			check_datagram(&wc, (uint8_t *)mr[i]->addr +
				       wc.wr_id * (GRH + DATA));
			got[i]++;
			post_recv(qp[i], mr[i], wc.wr_id);
		}
	}
	printf("got");
	for (i = 0; i < members; i++)
		printf(" %u", got[i]);
	printf("\n");
	for (i = 0; i < members; i++) {
		if (ibv_detach_mcast(qp[i], &group, 0))
			die("cannot detach: %m");
	}
	return 0;
}
