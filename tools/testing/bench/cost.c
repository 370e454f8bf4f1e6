// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What objects cost. Lines of a value and its unit go to standard output.
 *
 *	cost DEVICE mr BYTES ROUNDS	registering memory; and pinning the same memory
 *					by other means (io_uring), in turn
 *	cost DEVICE qp NUMBER		making idle queue pairs of one slot: time, and
 *					the kernel's memory but for rings
 */
#include <infiniband/verbs.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* io_uring's limit for one buffer */
#define MAX_PIN		(1UL << 30)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i] && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (!context)
		die(name);
	return context;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), compare);
	return values[n / 2];
}

/* ---- memory regions -------------------------------------------------------- */

static double register_once(struct ibv_pd *pd, void *mem, size_t bytes)
{
	double start = now_us(), end;
	struct ibv_mr *mr = ibv_reg_mr(pd, mem, bytes, IBV_ACCESS_LOCAL_WRITE);

	end = now_us();
	if (!mr || ibv_dereg_mr(mr))
		die("ibv_reg_mr");
	return end - start;
}

static int open_ring(void)
{
	struct io_uring_params params = {};

	return syscall(__NR_io_uring_setup, 1, &params);
}

/* Return: 0 if this kernel doesn't do it. */
static double pin_once(void *mem, size_t bytes)
{
	struct iovec iov = { mem, bytes };
	int ring = open_ring();
	double start, end;
	int err;

	if (ring < 0)
		return 0;
	start = now_us();
	err = syscall(__NR_io_uring_register, ring, IORING_REGISTER_BUFFERS, &iov,
		      1);
	end = now_us();
	close(ring);
	return err ? 0 : end - start;
}

static void cost_of_mr(struct ibv_pd *pd, size_t bytes, int rounds)
{
	double *reg = calloc(rounds, sizeof(*reg));
	double *pin = calloc(rounds, sizeof(*pin));
	double pinning;
	void *mem;
	int i;

	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (mem == MAP_FAILED || !reg || !pin)
		die("memory");
	register_once(pd, mem, bytes);
	for (i = 0; i < rounds; i++) {
		reg[i] = register_once(pd, mem, bytes);
		pin[i] = bytes > MAX_PIN ? 0 : pin_once(mem, bytes);
	}
	printf("%.3f us\n", median(reg, rounds));
	pinning = median(pin, rounds);
	if (pinning)
		printf("%.3f x_pinning\n", median(reg, rounds) / pinning);
}

/* ---- queue pairs ------------------------------------------------------------ */

static double slab_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned long kib = 0;
	char line[128];

	if (!file)
		die("/proc/meminfo");
	while (fgets(line, sizeof(line), file) && sscanf(line, "Slab: %lu", &kib) != 1)
		;
	fclose(file);
	return kib * 1024.0;
}

static void cost_of_qp(struct ibv_pd *pd, int number)
{
	struct ibv_cq *cq = ibv_create_cq(pd->context, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 1,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	};
	double before, start, end;
	int i;

	if (!cq || !ibv_create_qp(pd, &init))
		die("ibv_create_qp");
	before = slab_bytes();
	start = now_us();
	for (i = 0; i < number; i++)
		if (!ibv_create_qp(pd, &init))
			die("ibv_create_qp");
	end = now_us();
	printf("%.2f us\n", (end - start) / number);
	printf("%.0f B_of_slab\n", (slab_bytes() - before) / number);
}

int main(int argc, char **argv)
{
	struct ibv_pd *pd;

	if (argc < 4)
		return 2;
	pd = ibv_alloc_pd(open_device(argv[1]));
	if (!pd)
		die("ibv_alloc_pd");
	if (!strcmp(argv[2], "mr") && argc == 5)
		cost_of_mr(pd, strtoull(argv[3], NULL, 0), atoi(argv[4]));
	else if (!strcmp(argv[2], "qp"))
		cost_of_qp(pd, atoi(argv[3]));
	else
		return 2;
	return 0;
}
