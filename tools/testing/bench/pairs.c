// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many RC queue pairs of DEVICE, each with one of PEER; a GID is its index. Lines of a
 * value and its unit go to standard output.
 *
 *	pairs DEVICE GID PEER GID share PAIRS BYTES DEPTH SECONDS
 *		WRITEs on all of them, DEPTH at a time on each: how fast, and the share
 *		of the slowest and of the fastest pair, where 1 is fair
 *	pairs DEVICE GID PEER GID active PAIRS
 *		the kernel's memory for each queue pair when both have written 4 KiB
 *	pairs DEVICE GID PEER GID rate PAIRS
 *		how many pairs are made and connected each second
 */
#include "bench.h"
#include "verbs.h"

#define MAX_POLL 64

struct side {
	int gid_index;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	union ibv_gid gid;
};

struct pair {
	struct ibv_qp *qp[2];
	uint64_t done;
};

static struct side sides[2];
static struct pair *pairs;
static int num_pairs;

static void open_side(struct side *side, const char *device, const char *gid, size_t bytes,
		      int entries)
{
	void *mem = aligned_alloc(4096, (bytes + 4095) & ~4095UL);

	side->gid_index = atoi(gid);
	side->context = open_device(device);
	side->pd = ibv_alloc_pd(side->context);
	side->cq = ibv_create_cq(side->context, entries, NULL, NULL, 0);
	if (!mem || !side->pd || !side->cq ||
	    ibv_query_gid(side->context, 1, side->gid_index, &side->gid))
		die("%s: %m", device);
	memset(mem, 1, bytes);
	side->mr = ibv_reg_mr(side->pd, mem, bytes,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!side->mr)
		die("cannot register: %m");
}

static void connect_side(const struct pair *pair, int side, enum ibv_mtu mtu)
{
	struct ibv_qp_attr wish = { .path_mtu = mtu, .timeout = 18 };

	connect_qp_with(pair->qp[side], sides[side].gid_index, &sides[!side].gid,
			pair->qp[!side]->qp_num, &wish);
}

static enum ibv_mtu path_mtu(void)
{
	struct ibv_port_attr port[2];

	if (ibv_query_port(sides[0].context, 1, &port[0]) ||
	    ibv_query_port(sides[1].context, 1, &port[1]))
		die("no port: %m");
	return port[0].active_mtu < port[1].active_mtu ? port[0].active_mtu : port[1].active_mtu;
}

static void make_pairs(int depth)
{
	enum ibv_mtu mtu = path_mtu();
	int i, side;

	for (i = 0; i < num_pairs; i++) {
		for (side = 0; side < 2; side++)
			pairs[i].qp[side] = make_qp(sides[side].pd, sides[side].cq, NULL,
						    IBV_QPT_RC, depth);
		for (side = 0; side < 2; side++)
			connect_side(&pairs[i], side, mtu);
	}
}

static void write_once(int i, int side, uint32_t bytes)
{
	struct ibv_mr *mr = sides[side].mr, *peer = sides[!side].mr;
	struct ibv_sge sge = { (uintptr_t)mr->addr, bytes, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = i,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)peer->addr, peer->rkey },
	};
	int err = ibv_post_send(pairs[i].qp[side], &wr, &bad);

	if (err)
		die("post_send: %s", strerror(err));
}

/* Return: how many */
static int poll_side(int side, struct ibv_wc *wc)
{
	int n = ibv_poll_cq(sides[side].cq, MAX_POLL, wc), i;

	for (i = 0; i < n; i++)
		if (wc[i].status != IBV_WC_SUCCESS)
			die("pair %d: %s", (int)wc[i].wr_id, ibv_wc_status_str(wc[i].status));
	return n;
}

/* ---- a case each -------------------------------------------------------------- */

static double write_for(double us, uint32_t bytes)
{
	double start = now_us(), now;
	struct ibv_wc wc[MAX_POLL];
	int n, i;

	do {
		n = poll_side(0, wc);
		for (i = 0; i < n; i++) {
			pairs[wc[i].wr_id].done++;
			write_once(wc[i].wr_id, 0, bytes);
		}
		now = now_us();
	} while (now - start < us);
	return now - start;
}

static void print_shares(double us, uint32_t bytes)
{
	uint64_t least = UINT64_MAX, most = 0, sum = 0;
	double fair;
	int i;

	for (i = 0; i < num_pairs; i++) {
		sum += pairs[i].done;
		least = pairs[i].done < least ? pairs[i].done : least;
		most = pairs[i].done > most ? pairs[i].done : most;
	}
	fair = sum / (double)num_pairs;
	if (bytes < 4096)
		printf("%.1f messages/s\n", sum * 1e6 / us);
	else
		printf("%.3f MiB/s\n", sum * (double)bytes / 1048576 * 1e6 / us);
	printf("%.3f least_share\n%.3f most_share\n", least / fair, most / fair);
}

/* The first fifth of the time is for all to get going. */
static void share(uint32_t bytes, int depth, double us)
{
	int i, j;

	make_pairs(depth);
	for (i = 0; i < num_pairs; i++)
		for (j = 0; j < depth; j++)
			write_once(i, 0, bytes);
	write_for(us / 5, bytes);
	for (i = 0; i < num_pairs; i++)
		pairs[i].done = 0;
	print_shares(write_for(us, bytes), bytes);
}

static void active(void)
{
	struct kernel_memory before = kernel_memory();
	struct ibv_wc wc[MAX_POLL];
	int i, side;

	make_pairs(1);
	for (i = 0; i < num_pairs; i++)
		for (side = 0; side < 2; side++) {
			write_once(i, side, 4096);
			while (!poll_side(side, wc))
				;
		}
	print_growth(before, 2 * num_pairs);
}

static void rate(void)
{
	double start = now_us();

	make_pairs(1);
	printf("%.1f pairs/s\n", num_pairs * 1e6 / (now_us() - start));
}

int main(int argc, char **argv)
{
	int is_share = argc == 10 && !strcmp(argv[5], "share");
	size_t bytes = is_share ? strtoul(argv[7], NULL, 0) : 4096;
	int depth = is_share ? atoi(argv[8]) : 1;

	if (!is_share && argc != 7)
		return 2;
	num_pairs = atoi(argv[6]);
	pairs = calloc(num_pairs, sizeof(pairs[0]));
	if (num_pairs < 1 || depth < 1 || !pairs)
		return 2;
	open_side(&sides[0], argv[1], argv[2], bytes, num_pairs * depth);
	open_side(&sides[1], argv[3], argv[4], bytes, num_pairs * depth);
	if (is_share)
		share(bytes, depth, atof(argv[9]) * 1e6);
	else if (!strcmp(argv[5], "active"))
		active();
	else if (!strcmp(argv[5], "rate"))
		rate();
	else
		return 2;
	fflush(stdout);
	/* Thousands of queue pairs end faster with the process. */
	_exit(0);
}
