// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * faults CASE DEVICE [GID-INDEX | NETDEV]: a call that fails in every way it can for
 * want of memory.
 *
 * The kernel is asked to let the first of the calling thread's allocations, or copies
 * from or to user space, fail, then the second, and so on, until the call asks for no
 * more: by its own fault injection (/proc/thread-self/fail-nth), or by kfaults, a module
 * for this test. Whatever fails, the call returns with an error of
 * that kind or does what it should all the same, and if it is called once more it
 * works. That nothing is left behind is for faults.sh to see.
 */
#include "verbs.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>

#define SKIP 4
#define BYTES 65536
#define DEPTH 200		/* its rings need more than a page */
#define MOST 20000		/* faults of one call */

/*
 * One call. What may be NULL: @prepare comes before each, @settle tells what became of
 * one that returned @err, @undo comes after each that did not fail, @clear after any.
 */
struct operation {
	const char *name;
	void (*prepare)(void);
	int (*call)(void);
	int (*settle)(int err);
	void (*undo)(void);
	void (*clear)(void);
};

static const char *device, *where;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static struct ibv_qp *qp, *peer;
static struct ibv_mr *mr;
static uint8_t *memory;
static union ibv_gid gid;
static int gid_index;

/* ---- faults -------------------------------------------------------------------------- */

static int fail_nth;

static void open_fail_nth(void)
{
	fail_nth = open("/sys/module/kfaults/parameters/nth", O_RDWR);
	if (fail_nth < 0)
		fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fail_nth >= 0)
		return;
	printf("this kernel can't be told to fail\n");
	exit(SKIP);
}

static void let_fail(unsigned int nth)
{
	char number[16];
	int length = snprintf(number, sizeof(number), "%u", nth);

	if (pwrite(fail_nth, number, length, 0) != length)
		die("fail-nth: %m");
}

/* True if it came to the one that was to fail. To ask for that copies, too. */
static bool has_failed(void)
{
	char number[16] = "";
	bool is_near = pread(fail_nth, number, sizeof(number) - 1, 0) < 0;

	if (!is_near && atoi(number) == 0)
		return true;
	if (pwrite(fail_nth, "0", 1, 0) != 1 && pwrite(fail_nth, "0", 1, 0) != 1)
		die("fail-nth: %m");
	return false;
}

/* What it was, if that is known. */
static const char *name_of_fault(void)
{
	static char name[512];
	int fd = open("/sys/module/kfaults/parameters/last", O_RDONLY);
	ssize_t length = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);

	close(fd);
	name[length > 0 ? length : 0] = 0;
	name[strcspn(name, "\n")] = 0;
	return name;
}

/*
 * ENOENT: libraries look for a device in several ways and tell of the last.
 * EOPNOTSUPP: so says the verbs core if it can't see what is behind a command.
 */
static bool is_want(int err)
{
	return err == ENOMEM || err == EFAULT || err == ENOBUFS || err == EAGAIN ||
	       err == ENOENT || err == EOPNOTSUPP;
}

static int attempt(const struct operation *op, unsigned int nth, bool *failed)
{
	int err;

	if (op->prepare)
		op->prepare();
	if (nth)
		let_fail(nth);
	err = op->call();
	*failed = nth && has_failed();
	if (op->settle)
		err = op->settle(err);
	if (!err && op->undo)
		op->undo();
	if (op->clear)
		op->clear();
	return err;
}

static void fail_each(const struct operation *op)
{
	unsigned int nth, errors = 0;
	bool failed;
	int err;

	/* What is allocated once for all calls is not the question. */
	err = attempt(op, 0, &failed);
	if (err)
		die("%s: %s", op->name, strerror(err));
	for (nth = 1; nth < MOST; nth++) {
		err = attempt(op, nth, &failed);
		if (!failed)
			break;
		if (!err) {
			printf("no error from fault %u: %s\n", nth, name_of_fault());
			continue;
		}
		errors++;
		if (!is_want(err))
			die("%s, fault %u, %s: %s", op->name, nth, name_of_fault(),
			    strerror(err));
		err = attempt(op, 0, &failed);
		if (err)
			die("%s, after fault %u, %s: %s", op->name, nth, name_of_fault(),
			    strerror(err));
	}
	if (err)
		die("%s, behind the last of %u faults: %s", op->name, nth - 1, strerror(err));
	if (nth == MOST || !errors)
		die("%s: %u faults, %u errors", op->name, nth - 1, errors);
	printf("%u faults, %u errors\n", nth - 1, errors);
}

/* ---- contexts, PDs, CQs ---------------------------------------------------------------- */

static struct ibv_device *named_device(void)
{
	static struct ibv_device **list;
	int i;

	if (!list)
		list = ibv_get_device_list(NULL);
	for (i = 0; list && list[i]; i++) {
		if (strcmp(ibv_get_device_name(list[i]), device) == 0)
			return list[i];
	}
	die("no device %s", device);
}

static struct ibv_context *new_context;

static int make_context(void)
{
	new_context = ibv_open_device(named_device());
	return new_context ? 0 : errno;
}

static void drop_context(void)
{
	if (ibv_close_device(new_context))
		die("close_device: %m");
}

static struct ibv_pd *new_pd;

static int make_pd(void)
{
	new_pd = ibv_alloc_pd(context);
	return new_pd ? 0 : errno;
}

static void drop_pd(void)
{
	if (ibv_dealloc_pd(new_pd))
		die("dealloc_pd: %m");
}

static struct ibv_cq *new_cq;

static int make_cq(void)
{
	new_cq = ibv_create_cq(context, DEPTH, NULL, NULL, 0);
	return new_cq ? 0 : errno;
}

static void drop_cq(void)
{
	if (ibv_destroy_cq(new_cq))
		die("destroy_cq: %m");
}

static void need_cq(void)
{
	if (make_cq())
		die("create_cq: %m");
}

static int resize_cq(void)
{
	return ibv_resize_cq(new_cq, 2 * DEPTH);
}

/* ---- SRQs ------------------------------------------------------------------------------ */

static struct ibv_srq *new_srq;

static int make_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 2 } };

	new_srq = ibv_create_srq(pd, &init);
	return new_srq ? 0 : errno;
}

static void drop_srq(void)
{
	if (ibv_destroy_srq(new_srq))
		die("destroy_srq: %m");
}

static void need_srq(void)
{
	if (make_srq())
		die("create_srq: %m");
}

static int resize_srq(void)
{
	struct ibv_srq_attr attr = { .max_wr = 2 * DEPTH };

	/* Some libraries return -1. */
	return ibv_modify_srq(new_srq, &attr, IBV_SRQ_MAX_WR) ? errno : 0;
}

/* ---- QPs -------------------------------------------------------------------------------- */

static struct ibv_qp *new_qp;

static int make_any_qp(enum ibv_qp_type type, struct ibv_srq *of_srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = of_srq,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = of_srq ? 0 : DEPTH,
			 .max_send_sge = 2, .max_recv_sge = 2, .max_inline_data = 64 },
		.qp_type = type,
	};

	new_qp = ibv_create_qp(pd, &init);
	return new_qp ? 0 : errno;
}

static int make_rc(void)
{
	return make_any_qp(IBV_QPT_RC, NULL);
}

static int make_rc_of_srq(void)
{
	return make_any_qp(IBV_QPT_RC, srq);
}

static int make_uc(void)
{
	return make_any_qp(IBV_QPT_UC, NULL);
}

static int make_ud(void)
{
	return make_any_qp(IBV_QPT_UD, NULL);
}

static void drop_qp(void)
{
	if (ibv_destroy_qp(new_qp))
		die("destroy_qp: %m");
}

static void to_init(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("to RESET: %m");
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1 };
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("to INIT: %m");
}

/* With what takes memory: an address and the state of a rate limit. */
static int to_rtr(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp_num,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
			.port_num = 1,
		},
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

/* ---- addresses and groups ------------------------------------------------------------------ */

static struct ibv_ah *new_ah;

static int make_ah(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
		.port_num = 1,
	};

	new_ah = ibv_create_ah(pd, &attr);
	return new_ah ? 0 : errno;
}

static void drop_ah(void)
{
	if (ibv_destroy_ah(new_ah))
		die("destroy_ah: %m");
}

static const union ibv_gid groups[] = {
	{ .raw = { [10] = 0xff, 0xff, 239, 1, 2, 3 } },
	{ .raw = { 0xff, 0x0e, [15] = 0x77 } },
};

static void need_ud(void)
{
	if (!new_qp && make_ud())
		die("create_qp: %m");
}

static int join(const union ibv_gid *group)
{
	return ibv_attach_mcast(new_qp, group, 0);
}

static void leave(const union ibv_gid *group)
{
	if (ibv_detach_mcast(new_qp, group, 0))
		die("detach_mcast: %m");
}

static int join_ipv4(void)
{
	return join(&groups[0]);
}

static void leave_ipv4(void)
{
	leave(&groups[0]);
}

static int join_ipv6(void)
{
	return join(&groups[1]);
}

static void leave_ipv6(void)
{
	leave(&groups[1]);
}

/* ---- regions and windows -------------------------------------------------------------------- */

static struct ibv_mr *new_mr;

static int make_any_mr(int access)
{
	new_mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE |
			    IBV_ACCESS_REMOTE_READ | access);
	return new_mr ? 0 : errno;
}

static int make_mr(void)
{
	return make_any_mr(0);
}

static int make_on_demand(void)
{
	return make_any_mr(IBV_ACCESS_ON_DEMAND);
}

static void drop_mr(void)
{
	if (ibv_dereg_mr(new_mr))
		die("dereg_mr: %m");
}

static struct ibv_mw *new_mw;

static int make_mw(void)
{
	new_mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	return new_mw ? 0 : errno;
}

static void drop_mw(void)
{
	if (ibv_dealloc_mw(new_mw))
		die("dealloc_mw: %m");
}

/* ---- traffic ---------------------------------------------------------------------------------- */

#define PATIENCE 60		/* seconds */
#define HALF (BYTES / 2)

static unsigned int num_posted, num_completed;

/* The kernel works off the request in the call that announces it. */
static int post(enum ibv_wr_opcode opcode)
{
	struct ibv_sge sge = { (uintptr_t)memory, HALF, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)memory + HALF, mr->rkey },
	}, *bad;

	num_posted++;
	return ibv_post_send(qp, &wr, &bad);
}

static int post_write(void)
{
	return post(IBV_WR_RDMA_WRITE);
}

static int post_read(void)
{
	return post(IBV_WR_RDMA_READ);
}

/* The halves of the memory: what is moved, and where to. */
static void fill(uint8_t *from, uint8_t *to)
{
	size_t i;

	for (i = 0; i < HALF; i++)
		from[i] = i * 7 + (i >> 8) + num_posted;
	memset(to, 0, HALF);
}

static void fill_first(void)
{
	fill(memory, memory + HALF);
}

static void fill_second(void)
{
	fill(memory + HALF, memory);
}

/*
 * What was lost for want of memory is sent again. A request whose announcement failed
 * is in the ring all the same, and goes out with the next.
 */
static void all_complete(void)
{
	time_t end = time(NULL) + PATIENCE;
	struct ibv_wc wc;

	while (num_completed < num_posted) {
		if (!ibv_poll_cq(cq, 1, &wc)) {
			if (time(NULL) > end)
				die("%u of %u complete", num_completed, num_posted);
			continue;
		}
		if (wc.status)
			die("%s", ibv_wc_status_str(wc.status));
		num_completed++;
	}
	if (memcmp(memory, memory + HALF, HALF))
		die("something else came");
}

static void talk_to_peer(void)
{
	connect_qp(qp, gid_index, &gid, peer->qp_num);
	connect_qp(peer, gid_index, &gid, qp->qp_num);
}

/* ---- devices ------------------------------------------------------------------------------------ */

#define NEW_DEVICE "xrfault0"

static int nl;
static struct {
	struct nlmsghdr header;
	char attributes[256];
} new_link;

static void add_string(unsigned int type, const char *value)
{
	struct nlattr *attribute = (void *)((char *)&new_link + new_link.header.nlmsg_len);
	size_t length = strlen(value) + 1;

	attribute->nla_type = type;
	attribute->nla_len = NLA_HDRLEN + length;
	memcpy(attribute + 1, value, length);
	new_link.header.nlmsg_len += NLA_ALIGN(attribute->nla_len);
}

static void make_link_message(void)
{
	const char *type = getenv("LINK_TYPE");

	nl = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);
	if (nl < 0)
		die("netlink: %m");
	new_link.header = (struct nlmsghdr){
		.nlmsg_len = sizeof(new_link.header),
		.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK),
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
	};
	add_string(RDMA_NLDEV_ATTR_DEV_NAME, NEW_DEVICE);
	add_string(RDMA_NLDEV_ATTR_LINK_TYPE, type ? type : "xroce");
	add_string(RDMA_NLDEV_ATTR_NDEV_NAME, where);
}

/* The kernel makes the device in the call that sends the message. */
static int send_link(void)
{
	return send(nl, &new_link, new_link.header.nlmsg_len, 0) < 0 ? errno : 0;
}

static bool link_exists(void)
{
	return access("/sys/class/infiniband/" NEW_DEVICE, F_OK) == 0;
}

/* The answer may be what there is no memory for. */
static int answer_of_link(int err)
{
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char rest[512];
	} answer;

	if (!err)
		err = recv(nl, &answer, sizeof(answer), 0) < 0 ? errno :
								 -answer.error.error;
	if (err == ENOBUFS && link_exists())
		err = 0;
	if (!err != link_exists())
		die("link add: %s, but the device is %sthere", strerror(err),
		    link_exists() ? "" : "not ");
	return err;
}

static void drop_link(void)
{
	if (system("rdma link del " NEW_DEVICE))
		die("link del fails");
}

/* ------------------------------------------------------------------------------------------------ */

static const struct operation operations[] = {
	{ "context", .call = make_context, .undo = drop_context },
	{ "pd", .call = make_pd, .undo = drop_pd },
	{ "cq", .call = make_cq, .undo = drop_cq },
	{ "resize_cq", .prepare = need_cq, .call = resize_cq, .clear = drop_cq },
	{ "srq", .call = make_srq, .undo = drop_srq },
	{ "resize_srq", .prepare = need_srq, .call = resize_srq, .clear = drop_srq },
	{ "rc", .call = make_rc, .undo = drop_qp },
	{ "rc_of_srq", .call = make_rc_of_srq, .undo = drop_qp },
	{ "uc", .call = make_uc, .undo = drop_qp },
	{ "ud", .call = make_ud, .undo = drop_qp },
	{ "to_rtr", .prepare = to_init, .call = to_rtr },
	{ "ah", .call = make_ah, .undo = drop_ah },
	{ "join_ipv4", .prepare = need_ud, .call = join_ipv4, .undo = leave_ipv4 },
	{ "join_ipv6", .prepare = need_ud, .call = join_ipv6, .undo = leave_ipv6 },
	{ "mr", .call = make_mr, .undo = drop_mr },
	{ "on_demand", .call = make_on_demand, .undo = drop_mr },
	{ "mw", .call = make_mw, .undo = drop_mw },
	{ "write", .prepare = fill_first, .call = post_write, .undo = all_complete },
	{ "read", .prepare = fill_second, .call = post_read, .undo = all_complete },
	{ "link", .call = send_link, .settle = answer_of_link, .undo = drop_link },
};

/* Nothing that is allocated here may be short of memory. */
static void set_up(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 2 } };

	context = open_device(device);
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 4 * DEPTH, NULL, NULL, 0);
	memory = aligned_alloc(4096, BYTES);
	if (!pd || !cq || !memory)
		die("no PD, CQ or memory: %m");
	memset(memory, 1, BYTES);
	srq = ibv_create_srq(pd, &init);
	mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
	if (!srq || !mr)
		die("no SRQ or MR: %m");
	if (!where)
		return;
	gid_index = atoi(where);
	if (ibv_query_gid(context, 1, gid_index, &gid))
		die("no GID: %m");
	qp = make_qp(pd, cq, NULL, IBV_QPT_RC, DEPTH);
	peer = make_qp(pd, cq, NULL, IBV_QPT_RC, DEPTH);
	talk_to_peer();
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 3)
		die("usage: faults CASE DEVICE [GID-INDEX | NETDEV]");
	device = argv[2];
	where = argv[3];
	open_fail_nth();
	if (strcmp(argv[1], "link") == 0)
		make_link_message();
	else
		set_up();
	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (strcmp(operations[i].name, argv[1]) == 0) {
			fail_each(&operations[i]);
			return 0;
		}
	}
	die("no case %s", argv[1]);
}
