// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What objects of one device cost. Lines of a value and its unit go to standard output.
 *
 *	cost DEVICE mr BYTES ROUNDS	registering memory; and pinning the same memory
 *					by other means (io_uring), in turn
 *	cost DEVICE qp NUMBER		making idle queue pairs of one slot: time, and
 *					the kernel's memory without and with their rings
 *	cost DEVICE qps NUMBER		queue pairs made and destroyed, one by one
 *	cost DEVICE mrs NUMBER		regions of 4 KiB, the same
 */
#include "bench.h"
#include "verbs.h"
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* io_uring's limit for one buffer */
#define MAX_PIN		(1UL << 30)
#define MAX_BUFFERS	16

static struct ibv_pd *pd;
static struct ibv_cq *cq;

/* ---- memory regions -------------------------------------------------------- */

static double register_once(void *mem, size_t bytes)
{
	double start = now_us(), end;
	struct ibv_mr *mr = ibv_reg_mr(pd, mem, bytes, IBV_ACCESS_LOCAL_WRITE);

	end = now_us();
	if (!mr || ibv_dereg_mr(mr))
		die("cannot register %zu bytes: %m", bytes);
	return end - start;
}

static int open_ring(void)
{
	struct io_uring_params params = {};

	return syscall(__NR_io_uring_setup, 1, &params);
}

static int split(struct iovec *iov, uint8_t *mem, size_t bytes)
{
	int n;

	for (n = 0; n < MAX_BUFFERS && bytes; n++) {
		iov[n].iov_base = mem;
		iov[n].iov_len = bytes < MAX_PIN ? bytes : MAX_PIN;
		mem += iov[n].iov_len;
		bytes -= iov[n].iov_len;
	}
	return n;
}

/* Return: 0 if this kernel doesn't do it. */
static double pin_once(void *mem, size_t bytes)
{
	struct iovec iov[MAX_BUFFERS];
	int ring = open_ring(), n = split(iov, mem, bytes), err;
	double start, end;

	if (ring < 0)
		return 0;
	start = now_us();
	err = syscall(__NR_io_uring_register, ring, IORING_REGISTER_BUFFERS, iov, n);
	end = now_us();
	close(ring);
	return err ? 0 : end - start;
}

static void cost_of_mr(size_t bytes, int rounds)
{
	double *reg = calloc(rounds, sizeof(*reg));
	double *pin = calloc(rounds, sizeof(*pin));
	double pinning;
	void *mem;
	int i;

	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (mem == MAP_FAILED || !reg || !pin)
		die("no %zu bytes of memory: %m", bytes);
	register_once(mem, bytes);
	for (i = 0; i < rounds; i++) {
		reg[i] = register_once(mem, bytes);
		pin[i] = pin_once(mem, bytes);
	}
	printf("%.3f us\n", median(reg, rounds));
	pinning = median(pin, rounds);
	if (pinning)
		printf("%.3f x_pinning\n", median(reg, rounds) / pinning);
}

static void rate_of_mrs(int number)
{
	static uint8_t mem[4096] __attribute__((aligned(4096)));
	double start = now_us();
	int i;

	for (i = 0; i < number; i++)
		register_once(mem, sizeof(mem));
	printf("%.1f MRs/s\n", number * 1e6 / (now_us() - start));
}

/* ---- queue pairs ------------------------------------------------------------ */

static void cost_of_qp(int number)
{
	struct kernel_memory before;
	double start, end;
	int i;

	make_qp(pd, cq, NULL, IBV_QPT_RC, 1);
	before = kernel_memory();
	start = now_us();
	for (i = 0; i < number; i++)
		make_qp(pd, cq, NULL, IBV_QPT_RC, 1);
	end = now_us();
	printf("%.2f us\n", (end - start) / number);
	print_growth(before, number);
}

static void rate_of_qps(int number)
{
	double start = now_us();
	int i;

	for (i = 0; i < number; i++)
		if (ibv_destroy_qp(make_qp(pd, cq, NULL, IBV_QPT_RC, 1)))
			die("cannot destroy a QP: %m");
	printf("%.1f QPs/s\n", number * 1e6 / (now_us() - start));
}

int main(int argc, char **argv)
{
	struct ibv_context *context;

	if (argc < 4)
		return 2;
	context = open_device(argv[1]);
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	if (!pd || !cq)
		die("no PD or CQ: %m");
	if (!strcmp(argv[2], "mr") && argc == 5)
		cost_of_mr(strtoull(argv[3], NULL, 0), atoi(argv[4]));
	else if (!strcmp(argv[2], "qp"))
		cost_of_qp(atoi(argv[3]));
	else if (!strcmp(argv[2], "qps"))
		rate_of_qps(atoi(argv[3]));
	else if (!strcmp(argv[2], "mrs"))
		rate_of_mrs(atoi(argv[3]));
	else
		return 2;
	return 0;
}
