// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * on_demand CASE DEVICE GID-INDEX|ADDRESS: one case about memory that is paged on demand.
 * An iWARP device wants an address of its own.
 */
#define _GNU_SOURCE
#include "pair_cm.h"
#include <fcntl.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#define BYTES (8 * PAGE)
#define MANY_BYTES (6 << 20)
#define ROUNDS 200
#define DATAGRAM 1024
#define GRH 40

static uint8_t *memory;
static struct ibv_mr *mr;

static void demand(int access)
{
	memory = new_memory(BYTES);
	mr = new_plain_region(memory, BYTES, access | IBV_ACCESS_ON_DEMAND);
}

static void write_to(const char *what, uint8_t *at, uint32_t length, unsigned int seed)
{
	fill(own, length, seed);
	write_own(what, length, (uintptr_t)at, mr->rkey, IBV_WC_SUCCESS);
	if (memcmp(at, own, length))
		die("%s: something else was written", what);
}

static void read_from(const char *what, const uint8_t *at, uint32_t length)
{
	memset(own, 0, length);
	read_own(what, length, (uintptr_t)at, mr->rkey, IBV_WC_SUCCESS);
	if (memcmp(at, own, length))
		die("%s: something else was read", what);
}

/* Pages that were never touched. */
static void untouched(void)
{
	demand(ALL);
	read_from("READ of nothing yet", memory, BYTES);
	write_to("WRITE into nothing yet", memory + 100, BYTES - 200, 1);
	read_from("READ of it", memory, BYTES);
}

/* What the region knows of pages must go with the pages. */
static void replaced(void)
{
	demand(ALL);
	write_to("WRITE", memory, BYTES, 1);
	if (madvise(memory, BYTES, MADV_DONTNEED))
		die("madvise: %m");
	read_from("READ of new pages", memory, BYTES);
	write_to("WRITE into new pages", memory, BYTES, 2);
	if (mmap(memory, BYTES, PROT_READ | PROT_WRITE,
		 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != memory)
		die("mmap: %m");
	fill(memory, BYTES, 3);
	read_from("READ of another mapping", memory, BYTES);
	if (mremap(memory, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		   new_memory(BYTES)) == MAP_FAILED)
		die("mremap: %m");
	read_own("READ of what has moved away", 8, (uintptr_t)memory, mr->rkey,
		 IBV_WC_REM_ACCESS_ERR);
}

/* A file that shrinks takes its pages along; what was written to it stays. */
static void of_a_file(void)
{
	int fd = memfd_create("on_demand", 0);
	uint8_t *from_file = new_memory(BYTES);

	if (fd < 0 || ftruncate(fd, BYTES))
		die("memfd: %m");
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		die("mmap: %m");
	mr = new_plain_region(memory, BYTES, ALL | IBV_ACCESS_ON_DEMAND);
	write_to("WRITE", memory, BYTES, 1);
	if (pread(fd, from_file, BYTES, 0) != BYTES || memcmp(from_file, own, BYTES))
		die("the file has something else");
	if (ftruncate(fd, PAGE))
		die("ftruncate: %m");
	read_own("READ behind the end", 8, (uintptr_t)memory + PAGE, mr->rkey,
		 IBV_WC_REM_ACCESS_ERR);
	if (ftruncate(fd, BYTES))
		die("ftruncate: %m");
	read_from("READ of a new part", memory, BYTES);
}

/* More than is made present at a time, at both ends, in one request. */
static void many_pages(void)
{
	uint8_t *from = new_memory(MANY_BYTES), *back = new_memory(MANY_BYTES);
	struct ibv_mr *from_mr, *back_mr;
	struct ibv_sge sge;

	memory = new_memory(MANY_BYTES);
	mr = new_plain_region(memory, MANY_BYTES, ALL | IBV_ACCESS_ON_DEMAND);
	from_mr = new_plain_region(from, MANY_BYTES, IBV_ACCESS_ON_DEMAND);
	back_mr = new_plain_region(back, MANY_BYTES,
				   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	sge = (struct ibv_sge) { (uintptr_t)back, MANY_BYTES, back_mr->lkey };
	request("READ of nothing yet", IBV_WR_RDMA_READ, sge, (uintptr_t)memory, mr->rkey,
		IBV_WC_SUCCESS);
	fill(from, MANY_BYTES, 1);
	madvise(from, MANY_BYTES, MADV_PAGEOUT);
	sge = (struct ibv_sge) { (uintptr_t)from, MANY_BYTES, from_mr->lkey };
	request("WRITE", IBV_WR_RDMA_WRITE, sge, (uintptr_t)memory, mr->rkey,
		IBV_WC_SUCCESS);
	if (memcmp(from, memory, MANY_BYTES))
		die("something else was written");
	madvise(back, MANY_BYTES, MADV_DONTNEED);
	sge = (struct ibv_sge) { (uintptr_t)back, MANY_BYTES, back_mr->lkey };
	request("READ", IBV_WR_RDMA_READ, sge, (uintptr_t)memory, mr->rkey, IBV_WC_SUCCESS);
	if (memcmp(from, back, MANY_BYTES))
		die("something else was read");
}

/* The child has the old pages, whoever writes. */
static void forked(void)
{
	uint8_t *before = new_memory(BYTES);
	int status, go[2];
	char byte = 0;

	demand(ALL);
	write_to("WRITE", memory, BYTES, 1);
	memcpy(before, memory, BYTES);
	if (pipe(go))
		die("pipe: %m");
	if (!fork()) {
		if (read(go[0], &byte, 1) != 1)
			_exit(2);
		_exit(memcmp(memory, before, BYTES) != 0);
	}
	write_to("WRITE after fork", memory, BYTES, 2);
	memory[PAGE] ^= 0xff;
	read_from("READ after fork", memory, BYTES);
	if (write(go[1], &byte, 1) != 1 || wait(&status) < 0 || status)
		die("the child sees what was written after fork");
}

static void absent(void)
{
	demand(ALL);
	write_to("WRITE", memory, BYTES, 1);
	if (mprotect(memory, PAGE, PROT_READ) || munmap(memory + PAGE, PAGE))
		die("mprotect, munmap: %m");
	write_own("WRITE into what can't be written", 8, (uintptr_t)memory, mr->rkey,
		  IBV_WC_REM_ACCESS_ERR);
	read_own("READ of it", 8, (uintptr_t)memory, mr->rkey, IBV_WC_SUCCESS);
	read_own("READ of what is not there", 8, (uintptr_t)memory + PAGE, mr->rkey,
		 IBV_WC_REM_ACCESS_ERR);
	read_own("READ beyond the region", 8, (uintptr_t)memory + BYTES - 4, mr->rkey,
		 IBV_WC_REM_ACCESS_ERR);
	request("READ into what is not there", IBV_WR_RDMA_READ,
		(struct ibv_sge) { (uintptr_t)memory + PAGE, 8, mr->lkey },
		(uintptr_t)own, own_mr->rkey, IBV_WC_LOC_PROT_ERR);
	request("WRITE of what is not there", IBV_WR_RDMA_WRITE,
		(struct ibv_sge) { (uintptr_t)memory + PAGE, 8, mr->lkey },
		(uintptr_t)own, own_mr->rkey, IBV_WC_LOC_PROT_ERR);
	write_to("WRITE as ever", memory + 2 * PAGE, PAGE, 3);
}

static void atomics(void)
{
	uint64_t *word;

	demand(ALL);
	word = (uint64_t *)(memory + 3 * PAGE + 8);
	atomic_request("FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)word, mr->rkey,
		       5, 0, IBV_WC_SUCCESS);
	atomic_request("CMP_SWAP", IBV_WR_ATOMIC_CMP_AND_SWP, (uintptr_t)word, mr->rkey,
		       5, 77, IBV_WC_SUCCESS);
	if (*word != 77 || *(uint64_t *)own != 5)
		die("%lu is there, and %lu was", *word, *(uint64_t *)own);
}

/* Gathered, sent, received and scattered. */
static void messages(void)
{
	struct ibv_sge from, to;
	struct ibv_recv_wr recv = { .sg_list = &to, .num_sge = 1 }, *bad;
	struct ibv_send_wr send = {
		.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND,
	};
	int i;

	demand(IBV_ACCESS_LOCAL_WRITE);
	for (i = 0; i < 20; i++) {
		from = (struct ibv_sge) { (uintptr_t)memory + 50, 3 * PAGE, mr->lkey };
		to = (struct ibv_sge) { (uintptr_t)memory + 4 * PAGE + 10, 3 * PAGE, mr->lkey };
		if (i % 2 && madvise(memory + 4 * PAGE, 4 * PAGE, MADV_DONTNEED))
			die("madvise: %m");
		fill(memory, 4 * PAGE, i);
		if (ibv_post_recv(answerer, &recv, &bad))
			die("post_recv");
		post(&send);
		must_end("SEND or receive", IBV_WC_SUCCESS);
		must_end("receive or SEND", IBV_WC_SUCCESS);
		if (memcmp(memory + 50, memory + 4 * PAGE + 10, 3 * PAGE))
			die("message %d is not what was sent", i);
	}
}

/* ---- without acknowledgements: what is lost stays lost ----------------------------- */

static struct ibv_ah *to_ourselves(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
	};
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);

	if (!ah)
		die("cannot create an AH: %m");
	return ah;
}

/* Every second message finds the pages of both ends gone. */
static void send_unreliably(enum ibv_qp_type type, uint32_t length, uint32_t room)
{
	struct ibv_qp *from = make_qp(pd, cq, NULL, type, 16);
	struct ibv_qp *to = make_qp(pd, cq, NULL, type, 16);
	uint8_t *source = new_memory(BYTES), *sink = new_memory(BYTES);
	struct ibv_mr *source_mr = new_plain_region(source, BYTES, IBV_ACCESS_ON_DEMAND);
	struct ibv_mr *sink_mr = new_plain_region(sink, BYTES, IBV_ACCESS_LOCAL_WRITE |
						  IBV_ACCESS_ON_DEMAND);
	struct ibv_sge out = { (uintptr_t)source, length, source_mr->lkey };
	struct ibv_sge in = { (uintptr_t)sink + PAGE / 2, room + length, sink_mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &in, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr send = {
		.sg_list = &out,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	int i;

	connect_qp(from, gid_index, &gid, to->qp_num);
	connect_qp(to, gid_index, &gid, from->qp_num);
	if (type == IBV_QPT_UD) {
		send.wr.ud.ah = to_ourselves();
		send.wr.ud.remote_qpn = to->qp_num;
		send.wr.ud.remote_qkey = QKEY;
	}
	for (i = 0; i < 20; i++) {
		if (i % 2 && (madvise(sink, BYTES, MADV_DONTNEED) ||
			      madvise(source, BYTES, MADV_DONTNEED)))
			die("madvise: %m");
		if (!(i % 2))
			fill(source, length, i);
		if (ibv_post_recv(to, &recv, &bad_recv) || ibv_post_send(from, &send, &bad))
			die("cannot post");
		must_end("SEND or receive", IBV_WC_SUCCESS);
		must_end("receive or SEND", IBV_WC_SUCCESS);
		if (memcmp(source, sink + PAGE / 2 + room, length))
			die("message %d is not what was sent", i);
	}
}

static void datagrams(void)
{
	send_unreliably(IBV_QPT_UD, DATAGRAM, GRH);
}

static void unacknowledged(void)
{
	send_unreliably(IBV_QPT_UC, 5 * PAGE, 0);
}

/* A datagram from what is not there fails, and the QP sends on when that is there. */
static void absent_datagram(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.cur_qp_state = IBV_QPS_SQE,
	};
	struct ibv_qp *from = make_qp(pd, cq, NULL, IBV_QPT_UD, 16);
	struct ibv_ah *ah = to_ourselves();
	struct ibv_sge sge;
	struct ibv_send_wr send = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { ah, from->qp_num, QKEY },
	}, *bad;
	int i;

	demand(IBV_ACCESS_LOCAL_WRITE);
	connect_qp(from, gid_index, NULL, 0);
	sge = (struct ibv_sge) { (uintptr_t)memory, 8, mr->lkey };
	for (i = 0; i < 2; i++) {
		if (munmap(memory, BYTES))
			die("munmap: %m");
		if (ibv_post_send(from, &send, &bad))
			die("cannot post");
		if (wait_for_completion() != IBV_WC_LOC_PROT_ERR)
			die("sent what is not there");
		if (mmap(memory, BYTES, PROT_READ | PROT_WRITE,
			 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != memory)
			die("mmap: %m");
		if (ibv_modify_qp(from, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE))
			die("SQE to RTS: %m");
		if (ibv_post_send(from, &send, &bad))
			die("cannot post");
		if (wait_for_completion() != IBV_WC_SUCCESS)
			die("does not send what is there again");
	}
}

/* ---- what is refused, and advice --------------------------------------------------- */

static void refused(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_READ },
	};

	if (ibv_reg_mr(pd, (void *)PAGE, SIZE_MAX - 8, ALL | IBV_ACCESS_ON_DEMAND))
		die("a region that wraps");
	if (ibv_reg_mr(pd, NULL, SIZE_MAX, ALL))
		die("all of the address space, pinned");
	if (ibv_reg_mr(pd, own, PAGE, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_ON_DEMAND))
		die("remote but not local writing");
	demand(ALL | IBV_ACCESS_MW_BIND);
	if (!mw)
		die("no window: %m");
	bind.bind_info.mr = mr;
	bind.bind_info.addr = (uintptr_t)memory;
	/* Some libraries look at the region themselves. */
	if (!ibv_bind_mw(asker, mw, &bind))
		must_end("a window on it", IBV_WC_MW_BIND_ERR);
}

/* As ibv_advise_mr() does it, which the provider offers since rdma-core 65. */
static int advise(int advice, uint32_t flags, const struct ibv_sge *sge)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[4];
	} call = {
		.hdr = {
			.length = sizeof(call),
			.object_id = UVERBS_OBJECT_MR,
			.method_id = UVERBS_METHOD_ADVISE_MR,
			.num_attrs = 4,
			.driver_id = writes_end_early ? RDMA_DRIVER_SIW : RDMA_DRIVER_RXE,
		},
		.attrs = {
			{ UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, UVERBS_ATTR_F_MANDATORY,
			  .data = pd->handle },
			{ UVERBS_ATTR_ADVISE_MR_ADVICE, sizeof(uint64_t),
			  UVERBS_ATTR_F_MANDATORY, .data = advice },
			{ UVERBS_ATTR_ADVISE_MR_FLAGS, sizeof(flags),
			  UVERBS_ATTR_F_MANDATORY, .data = flags },
			{ UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(*sge),
			  UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)sge },
		},
	};

	return ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, &call) ? errno : 0;
}

static void must_advise(const char *what, int advice, struct ibv_sge sge, int flags,
			int wanted)
{
	int err = advise(advice, flags, &sge);

	if (err != wanted)
		die("%s: %s, not %s", what, strerror(err), strerror(wanted));
}

#define FETCH IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH
#define FETCH_TO_WRITE IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define LOOK IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
#define NOW IB_UVERBS_ADVISE_MR_FLAG_FLUSH

static int is_resident(const uint8_t *at)
{
	unsigned char state;

	if (mincore((void *)at, PAGE, &state))
		die("mincore: %m");
	return state & 1;
}

static void advised(void)
{
	struct ibv_mr *foreign, *read_only;

	demand(ALL);
	must_advise("without flags", FETCH, (struct ibv_sge) {
		(uintptr_t)memory, PAGE, mr->lkey }, 0, 0);
	must_advise("at once", FETCH_TO_WRITE, (struct ibv_sge) {
		(uintptr_t)memory + 2 * PAGE, PAGE, mr->lkey }, NOW, 0);
	if (!is_resident(memory + 2 * PAGE))
		die("the page was not fetched");
	must_advise("without a fault", LOOK, (struct ibv_sge) {
		(uintptr_t)memory + 4 * PAGE, PAGE, mr->lkey }, NOW, 0);
	if (is_resident(memory + 4 * PAGE))
		die("there was a fault");
	must_advise("unknown flags", FETCH, (struct ibv_sge) {
		(uintptr_t)memory, PAGE, mr->lkey }, 2, EINVAL);
	must_advise("beyond the end", FETCH, (struct ibv_sge) {
		(uintptr_t)memory + BYTES - 1, 2, mr->lkey }, NOW, EFAULT);
	must_advise("a key of nothing", FETCH, (struct ibv_sge) {
		(uintptr_t)memory, 8, mr->lkey ^ 1 }, NOW, EFAULT);
	must_advise("a pinned region", FETCH, (struct ibv_sge) {
		(uintptr_t)own, 8, own_mr->lkey }, NOW, EFAULT);
	read_only = new_plain_region(memory, BYTES, IBV_ACCESS_ON_DEMAND);
	must_advise("writing where nobody may", FETCH_TO_WRITE, (struct ibv_sge) {
		(uintptr_t)memory, 8, read_only->lkey }, NOW, EFAULT);
	foreign = ibv_reg_mr(other_pd, memory, BYTES, IBV_ACCESS_ON_DEMAND);
	if (!foreign)
		die("no region: %m");
	must_advise("another PD", FETCH, (struct ibv_sge) {
		(uintptr_t)memory, 8, foreign->lkey }, NOW, EINVAL);
	if (munmap(memory + PAGE, PAGE))
		die("munmap: %m");
	must_advise("what is not there", FETCH, (struct ibv_sge) {
		(uintptr_t)memory + PAGE, 8, mr->lkey }, NOW, EFAULT);
	must_advise("the same by best effort", FETCH, (struct ibv_sge) {
		(uintptr_t)memory + PAGE, 8, mr->lkey }, 0, 0);
}

static void implicit(void)
{
	uint8_t *more = new_memory(BYTES);

	mr = ibv_reg_mr(pd, NULL, SIZE_MAX, ALL | IBV_ACCESS_ON_DEMAND);
	if (!mr)
		die("no implicit region: %m");
	memory = new_memory(BYTES);
	write_to("WRITE", memory, BYTES, 1);
	write_to("WRITE elsewhere", more, BYTES, 2);
	if (munmap(memory, BYTES))
		die("munmap: %m");
	read_own("READ of what has gone", 8, (uintptr_t)memory, mr->rkey,
		 IBV_WC_REM_ACCESS_ERR);
	read_own("READ of the kernel's", 8, 0xffff888000000000, mr->rkey,
		 IBV_WC_REM_ACCESS_ERR);
	read_own("READ where addresses end", 8, UINT64_MAX - 7, mr->rkey,
		 IBV_WC_REM_ACCESS_ERR);
	read_from("READ elsewhere", more, BYTES);
}

/* ---- while pages come and go ---------------------------------------------------------- */

static atomic_bool is_over;

/* A private page is write-protected by a fork, and copied when it is written then. */
static void *disturb(void *nothing)
{
	int status;

	while (!is_over) {
		if (!fork())
			_exit(0);
		wait(&status);
		madvise(memory, BYTES, MADV_COLD);
	}
	return NULL;
}

static void disturbed(void)
{
	pthread_t thread;
	unsigned int i;

	demand(ALL);
	if (pthread_create(&thread, NULL, disturb, NULL))
		die("no thread");
	for (i = 0; i < ROUNDS; i++) {
		fill(own, BYTES, i);
		request("WRITE", IBV_WR_RDMA_WRITE, from_own(BYTES), (uintptr_t)memory,
			mr->rkey, IBV_WC_SUCCESS);
		if (memcmp(memory, own, BYTES))
			die("round %u: something else was written", i);
		read_from("READ", memory, BYTES);
	}
	is_over = 1;
	pthread_join(thread, NULL);
}

/* The next completion; or the end of the program if the device has gone. */
static enum ibv_wc_status wait_or_leave(void)
{
	struct ibv_port_attr port;
	struct ibv_wc wc;

	while (!ibv_poll_cq(cq, 1, &wc))
		if (ibv_query_port(context, 1, &port))
			exit(0);
	return wc.status;
}

/* Requests, some of them with errors, until it is killed or the device goes. */
static void endless(void)
{
	struct ibv_send_wr wr = { .num_sge = 1 }, *bad;
	struct ibv_sge sge = from_own(BYTES);
	unsigned int i;

	printf("endless\n");
	fflush(stdout);
	for (i = 0; ; i++) {
		demand(ALL);
		wr.sg_list = &sge;
		wr.opcode = i % 2 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
		wr.wr.rdma.remote_addr = (uintptr_t)memory;
		wr.wr.rdma.rkey = mr->rkey;
		wr.send_flags = IBV_SEND_SIGNALED;
		if (ibv_post_send(asker, &wr, &bad))
			exit(0);
		if (i % 3 == 0)
			munmap(memory, BYTES);
		if (i % 5 == 0)
			ibv_dereg_mr(mr);
		if (wait_or_leave() != IBV_WC_SUCCESS)
			connect_again();
		if (i % 3)
			munmap(memory, BYTES);
		if (i % 5)
			ibv_dereg_mr(mr);
	}
}

static const struct test_case cases[] = {
	{ "untouched", untouched },
	{ "replaced", replaced },
	{ "forked", forked },
	{ "absent", absent },
	{ "atomics", atomics },
	{ "messages", messages },
	{ "implicit", implicit },
	{ "disturbed", disturbed },
	{ "of_a_file", of_a_file },
	{ "many_pages", many_pages },
	{ "datagrams", datagrams },
	{ "unacknowledged", unacknowledged },
	{ "absent_datagram", absent_datagram },
	{ "refused", refused },
	{ "advised", advised },
	{ "endless", endless },
};

int main(int argc, char **argv)
{
	/* Pages take their time. */
	ack_timeout = 18;
	if (argc == 4 && strchr(argv[3], '.'))
		pair_by_cm();
	return run_case(argc, argv, cases, sizeof(cases) / sizeof(*cases), NULL);
}
