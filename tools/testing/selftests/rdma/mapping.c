// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mapping CASE DEVICE: one case about the rings that the kernel makes and user
 * space maps. Ends with status 0 if all is as promised, 1 and words if not.
 *
 * The provider maps the rings of a CQ, an SRQ or a QP; the memory map of this
 * process tells their size and offset, and we map them once more.
 */
#define _GNU_SOURCE
#include "verbs.h"
#include <errno.h>
#include <fcntl.h>
#include <rdma/ib_user_verbs.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PAGE 4096
#define DEPTH 1000		/* makes more than one page of it */
#define MAX_RINGS 8
#define SHARED_WRITE (PROT_READ | PROT_WRITE)

struct ring {
	off_t offset;
	size_t size;
	uint8_t *theirs;	/* the provider's mapping */
	uint8_t *ours;
};

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ring rings[MAX_RINGS];
static int num_rings;

static void find_rings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to, offset;
	char line[512];

	num_rings = 0;
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "uverbs") || num_rings == MAX_RINGS ||
		    sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) != 3)
			continue;
		rings[num_rings++] = (struct ring) {
			.offset = offset,
			.size = to - from,
			.theirs = (uint8_t *)from,
		};
	}
	if (maps)
		fclose(maps);
	if (!num_rings)
		die("found no rings in the memory map");
}

static uint8_t *map_ring(const struct ring *ring)
{
	void *at = mmap(NULL, ring->size, SHARED_WRITE, MAP_SHARED, context->cmd_fd,
			ring->offset);

	return at == MAP_FAILED ? NULL : at;
}

static void map_rings(void)
{
	int i;

	find_rings();
	for (i = 0; i < num_rings; i++) {
		rings[i].ours = map_ring(&rings[i]);
		if (!rings[i].ours)
			die("cannot map ring %d, %zu bytes: %m", i, rings[i].size);
	}
}

static void must_refuse(const char *what, int fd, size_t size, int flags, off_t offset,
			int wanted)
{
	void *at = mmap(NULL, size, PROT_READ, flags, fd, offset);

	if (at != MAP_FAILED)
		die("%s: is mapped", what);
	if (errno != wanted)
		die("%s: %m, not %s", what, strerror(wanted));
}

static void must_not_map_rings(int wanted)
{
	int i;

	for (i = 0; i < num_rings; i++)
		must_refuse("a ring that is gone", context->cmd_fd, rings[i].size,
			    MAP_SHARED, rings[i].offset, wanted);
}

/* Far from indices that the provider or the kernel may look at: the last byte. */
static volatile uint8_t *mark_of(const struct ring *ring, uint8_t *mapping)
{
	return mapping + ring->size - 1;
}

static void mark_rings(uint8_t mark)
{
	int i;

	for (i = 0; i < num_rings; i++)
		*mark_of(&rings[i], rings[i].ours) = mark + i;
}

static void must_have_marks(const char *what, uint8_t mark)
{
	int i;

	for (i = 0; i < num_rings; i++) {
		if (*mark_of(&rings[i], rings[i].ours) != (uint8_t)(mark + i))
			die("%s: the mark in ring %d is not there", what, i);
	}
}

/* ---- objects with rings ----------------------------------------------------------- */

static struct ibv_cq *new_cq(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, DEPTH, NULL, NULL, 0);

	if (!cq)
		die("no CQ: %m");
	return cq;
}

static struct ibv_srq *new_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 4 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &init);

	if (!srq)
		die("no SRQ: %m");
	return srq;
}

/* ---- mmap(2) ---------------------------------------------------------------------- */

static void same_memory(void)
{
	int i;

	new_cq();
	map_rings();
	mark_rings(1);
	for (i = 0; i < num_rings; i++) {
		if (*mark_of(&rings[i], rings[i].theirs) != 1 + i)
			die("ring %d: two mappings, two memories", i);
		if (memcmp(rings[i].ours, rings[i].theirs, rings[i].size))
			die("ring %d: the mappings differ", i);
	}
}

static void wrong_sizes(void)
{
	int fd = context->cmd_fd;
	struct ring *ring = &rings[0];

	new_cq();
	map_rings();
	if (ring->size < 2 * PAGE)
		die("a ring of %zu bytes is too short for this", ring->size);
	must_refuse("a page less", fd, ring->size - PAGE, MAP_SHARED, ring->offset, EINVAL);
	must_refuse("one page", fd, PAGE, MAP_SHARED, ring->offset, EINVAL);
	must_refuse("a page more", fd, ring->size + PAGE, MAP_SHARED, ring->offset, EINVAL);
	must_refuse("1 GiB", fd, 1 << 30, MAP_SHARED, ring->offset, EINVAL);
}

static void wrong_offsets(void)
{
	int fd = context->cmd_fd;
	struct ring *ring = &rings[0];

	new_cq();
	map_rings();
	must_refuse("offset 0", fd, ring->size, MAP_SHARED, 0, EINVAL);
	must_refuse("from the second page", fd, ring->size - PAGE, MAP_SHARED,
		    ring->offset + PAGE, EINVAL);
	must_refuse("from the second page, whole size", fd, ring->size, MAP_SHARED,
		    ring->offset + PAGE, EINVAL);
	must_refuse("a page earlier", fd, ring->size, MAP_SHARED,
		    ring->offset - PAGE, EINVAL);
	must_refuse("4 GiB pages later", fd, ring->size, MAP_SHARED,
		    ring->offset + ((off_t)PAGE << 32), EINVAL);
}

/* A copy of a ring is of no use to anybody. */
static void private_mapping(void)
{
	new_cq();
	map_rings();
	must_refuse("a private mapping", context->cmd_fd, rings[0].size, MAP_PRIVATE,
		    rings[0].offset, EINVAL);
}

static void growing(void)
{
	struct ring *ring = &rings[0];
	void *at;

	new_cq();
	map_rings();
	at = mremap(ring->ours, ring->size, ring->size + PAGE, MREMAP_MAYMOVE);
	if (at != MAP_FAILED)
		die("a mapping has grown");
	if (errno != EFAULT)
		die("growing: %m, not %s", strerror(EFAULT));
}

/* Offsets are names for one context only. */
static void another_context(void)
{
	struct ibv_context *other;

	new_cq();
	map_rings();
	other = ibv_open_device(context->device);
	if (!other)
		die("cannot open the device again: %m");
	must_refuse("a ring of another context", other->cmd_fd, rings[0].size,
		    MAP_SHARED, rings[0].offset, EINVAL);
}

/* ---- answers that can't be written ------------------------------------------------------ */

#define TIMES		200
/* What the driver answers, behind what the verbs core does. */
#define RING_ANSWER	16
#define SRQ_ANSWER	(RING_ANSWER + 8)
#define QP_ANSWER	(2 * RING_ANSWER)

/*
 * Ask for an object; the request begins with the address of the answer. Either the answer
 * of the driver can't be written, or only that of the core, which is the first of both.
 */
static void ask_in_vain(const char *what, uint32_t command, void *request, size_t size,
			size_t core_answer, size_t driver_answer)
{
	uint8_t *pages = mmap(NULL, 2 * PAGE, SHARED_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_uverbs_cmd_hdr hdr = {
		.command = command,
		.in_words = (sizeof(hdr) + size) / 4,
		.out_words = (core_answer + driver_answer) / 4,
	};
	uint8_t bytes[512];
	int i;

	if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_READ))
		die("no memory: %m");
	for (i = 0; i < TIMES; i++) {
		*(uint64_t *)request = (uintptr_t)pages + (i % 2 ? 0 : PAGE - core_answer);
		memcpy(bytes, &hdr, sizeof(hdr));
		memcpy(bytes + sizeof(hdr), request, size);
		if (write(context->cmd_fd, bytes, sizeof(hdr) + size) >= 0)
			die("%s: made, though it can't be told", what);
		if (errno != EFAULT)
			die("%s: %m, not %s", what, strerror(EFAULT));
	}
	munmap(pages, 2 * PAGE);
}

static void bad_answers(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, 1, NULL, NULL, 0);
	struct ib_uverbs_create_cq new_cq = { .cqe = DEPTH, .comp_channel = -1 };
	struct ib_uverbs_create_srq new_srq = {
		.pd_handle = pd->handle, .max_wr = DEPTH, .max_sge = 1,
	};
	struct ib_uverbs_create_qp new_qp = {
		.pd_handle = pd->handle, .max_send_wr = DEPTH, .max_recv_wr = DEPTH,
		.max_send_sge = 1, .max_recv_sge = 1, .qp_type = IBV_QPT_RC,
	};

	if (!cq)
		die("no CQ: %m");
	new_qp.send_cq_handle = cq->handle;
	new_qp.recv_cq_handle = cq->handle;
	ask_in_vain("a CQ", IB_USER_VERBS_CMD_CREATE_CQ, &new_cq, sizeof(new_cq),
		    sizeof(struct ib_uverbs_create_cq_resp), RING_ANSWER);
	ask_in_vain("an SRQ", IB_USER_VERBS_CMD_CREATE_SRQ, &new_srq, sizeof(new_srq),
		    sizeof(struct ib_uverbs_create_srq_resp), SRQ_ANSWER);
	ask_in_vain("a QP", IB_USER_VERBS_CMD_CREATE_QP, &new_qp, sizeof(new_qp),
		    sizeof(struct ib_uverbs_create_qp_resp), QP_ANSWER);
}

/* ---- the end of rings ----------------------------------------------------------------- */

/* The object of the rings is destroyed, and we still have them. */
static void must_outlive(const char *what)
{
	must_have_marks(what, 10);
	mark_rings(20);
	must_have_marks(what, 20);
	must_not_map_rings(EINVAL);
}

static void destroy_cq(void)
{
	struct ibv_cq *cq = new_cq();

	map_rings();
	mark_rings(10);
	if (ibv_destroy_cq(cq))
		die("cannot destroy it");
	must_outlive("CQ");
}

static void destroy_srq(void)
{
	struct ibv_srq *srq = new_srq();

	map_rings();
	mark_rings(10);
	if (ibv_destroy_srq(srq))
		die("cannot destroy it");
	must_outlive("SRQ");
}

/* The CQ's ring is one of those; it goes with the QP's. */
static void destroy_qp(void)
{
	struct ibv_cq *cq = new_cq();
	struct ibv_qp *qp = make_qp(pd, cq, NULL, IBV_QPT_RC, DEPTH);

	map_rings();
	if (num_rings != 3)
		die("%d rings, not those of a CQ and of both queues of a QP", num_rings);
	mark_rings(10);
	if (ibv_destroy_qp(qp) || ibv_destroy_cq(cq))
		die("cannot destroy it");
	must_outlive("QP");
}

/* The ring that was is as dead as one of a CQ that was destroyed. */
static void resize_cq(void)
{
	struct ibv_cq *cq = new_cq();
	int err;

	map_rings();
	mark_rings(10);
	err = ibv_resize_cq(cq, 4 * DEPTH);
	if (err)
		die("cannot resize it: %s", strerror(err));
	must_outlive("CQ");
}

/* A context that ends takes its objects along, but no mappings of others. */
static void dead_context(void)
{
	new_cq();
	new_srq();
	map_rings();
	mark_rings(10);
	/* Mappings hold the file, so it lives on, but the provider's are gone. */
	ibv_close_device(context);
	must_have_marks("after the end of its context", 10);
	mark_rings(20);
	must_have_marks("after the end of its context", 20);
}

static void must_end_well(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		die("waitpid: %m");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die("the child ended with status %#x", status);
}

/* A child inherits mappings, and may keep them for longer. */
static void inherited(void)
{
	struct ibv_cq *cq = new_cq();
	int start[2];
	pid_t child;
	char byte;

	map_rings();
	mark_rings(10);
	if (pipe(start))
		die("pipe: %m");
	child = fork();
	if (child < 0)
		die("fork: %m");
	if (!child) {
		close(start[1]);
		if (read(start[0], &byte, 1) != 0)
			die("read: %m");
		must_have_marks("child", 20);
		mark_rings(30);
		exit(0);
	}
	mark_rings(20);
	if (ibv_destroy_cq(cq))
		die("cannot destroy it");
	close(start[1]);
	must_end_well(child);
	must_have_marks("parent", 30);
}

/* ---- the end of the device ----------------------------------------------------------------- */

static volatile sig_atomic_t is_over;

static void end(int signal)
{
	is_over = true;
}

/* Has the device gone? Doesn't wait for it. */
static bool is_fatal(void)
{
	struct ibv_async_event event;
	enum ibv_event_type type;

	if (ibv_get_async_event(context, &event))
		return false;
	type = event.event_type;
	ibv_ack_async_event(&event);
	return type == IBV_EVENT_DEVICE_FATAL;
}

/*
 * Touches the rings until SIGTERM; meanwhile somebody removes the device. Writes
 * by one mapping, reads by the other.
 */
static void removal(void)
{
	struct ibv_cq *cq = new_cq();
	bool has_gone = false;
	uint8_t mark = 0;
	int i;

	new_srq();
	make_qp(pd, cq, NULL, IBV_QPT_RC, DEPTH);
	map_rings();
	signal(SIGTERM, end);
	fcntl(context->async_fd, F_SETFL, O_NONBLOCK);
	printf("mapped %d rings\n", num_rings);
	fflush(stdout);
	while (!is_over) {
		mark_rings(++mark);
		for (i = 0; i < num_rings; i++) {
			if (*mark_of(&rings[i], rings[i].theirs) != (uint8_t)(mark + i))
				die("ring %d is two memories now", i);
		}
		if (!has_gone && is_fatal()) {
			has_gone = true;
			printf("the device has gone\n");
			fflush(stdout);
		}
		usleep(1000);
	}
	if (!has_gone)
		die("nobody has removed the device");
	must_have_marks("after the end of the device", mark);
	must_not_map_rings(EIO);
}

/* ---- all of them --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*check)(void);
} cases[] = {
	{ "same-memory", same_memory },
	{ "wrong-sizes", wrong_sizes },
	{ "wrong-offsets", wrong_offsets },
	{ "private", private_mapping },
	{ "growing", growing },
	{ "another-context", another_context },
	{ "bad-answers", bad_answers },
	{ "destroy-cq", destroy_cq },
	{ "destroy-srq", destroy_srq },
	{ "destroy-qp", destroy_qp },
	{ "resize-cq", resize_cq },
	{ "dead-context", dead_context },
	{ "inherited", inherited },
	{ "removal", removal },
};

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 3)
		die("usage: mapping CASE DEVICE");
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(cases[i].name, argv[1]) == 0) {
			context = open_device(argv[2]);
			pd = ibv_alloc_pd(context);
			if (!pd)
				die("no PD: %m");
			cases[i].check();
			return 0;
		}
	}
	die("no case %s", argv[1]);
}
