// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * transfer DEVICE GID-INDEX DEVICE GID-INDEX [OPTION...]: moves data between two
 * devices in both directions and compares every byte.
 *
 *	-t rc|uc|ud	transport (rc)
 *	-n N		messages in each direction of each QP (200)
 *	-q N		QPs (4)
 *	-S BYTES	longest message (65536)
 *	-w N		sends outstanding, each way (4); twice as many receives
 *	-m 1..5		path MTU, as enum ibv_mtu (3, which is 1024)
 *	-s SEED		of everything random (1)
 *	-T SECONDS	without any completion mean that it is stuck (20)
 *	-u CODE		timeout of the QPs (14: 67 ms)
 *	-r RATE		static rate of the address vectors, as enum ibv_rate (none)
 *	-l		messages may be lost (not with rc), but not changed
 *
 * Operations, lengths and the cutting of buffers into SGEs are random: SEND and
 * WRITE with and without immediate data, READ, compare and swap, fetch and add,
 * as the transport has them. Both ends are in this process, so it knows what has
 * to be where: what a completion promises is checked when it is there. Receives
 * come late now and then, so that RNR is met.
 */
#include "verbs.h"
#include <getopt.h>
#include <stdbool.h>
#include <time.h>

#define MAX_SLOTS 4
#define GRH 40
#define MAX_QPS 64
#define MAX_SGE 2
#define HEAD 8			/* of a message that may be lost: its number */

enum op { SEND, SEND_IMM, WRITE, WRITE_IMM, READ, CMP_SWAP, FETCH_ADD, OPS };
static const char *const op_names[] = {
	"SEND", "SEND with immediate", "WRITE", "WRITE with immediate", "READ",
	"CMP_SWAP", "FETCH_ADD",
};

struct message {
	enum op op;
	uint32_t id;
	uint32_t length;
	uint32_t slot;
};

/* One direction of one QP, kept at its sender. */
struct flow {
	uint32_t next;			/* message to send */
	struct message slot[MAX_SLOTS];
	bool busy[MAX_SLOTS];
	uint32_t done;
	struct message *log;		/* all of them, by number */
	uint32_t *order;		/* numbers of those that need a receive */
	uint32_t pushed, popped;
	uint64_t counter;		/* what the peer's atomic cell must hold */
	bool is_atomic_pending;
};

struct end {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	union ibv_gid gid;
	int gid_index;
	uint8_t *memory;
	struct ibv_ah *ah;
	struct ibv_qp *qp[MAX_QPS];
	struct flow flow[MAX_QPS];
	uint32_t unposted[MAX_QPS];	/* receives that come late */
	uint32_t posted[MAX_QPS];	/* receives so far */
};

static struct end ends[2];
static enum ibv_qp_type type = IBV_QPT_RC;
static uint32_t messages = 200, qps = 4, longest = 65536, mtu = IBV_MTU_1024;
static uint32_t slots = MAX_SLOTS, recvs = 2 * MAX_SLOTS;
static uint32_t seed = 1, patience = 20, timeout_code = 14, static_rate;
static bool may_lose;
static unsigned long long bytes, received;
static unsigned int count_of[OPS];

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static uint32_t rnd(void)
{
	static uint64_t state;

	return mix(seed + ++state * 0x9e3779b97f4a7c15ull);
}

/* ---- memory: per QP slots to send from, slots to write to, receives, a cell ---- */

static size_t slot_bytes(void)
{
	return ((size_t)longest + GRH + 63) & ~63ul;
}

static size_t qp_bytes(void)
{
	return (2 * slots + recvs) * slot_bytes() + 4096;
}

static uint8_t *send_slot(struct end *end, int q, int slot)
{
	return end->memory + q * qp_bytes() + slot * slot_bytes();
}

static uint8_t *target_slot(struct end *end, int q, int slot)
{
	return send_slot(end, q, slots + slot);
}

static uint8_t *recv_slot(struct end *end, int q, int slot)
{
	return send_slot(end, q, 2 * slots + slot);
}

static uint64_t *cell(struct end *end, int q)
{
	return (uint64_t *)send_slot(end, q, 2 * slots + recvs);
}

static uint64_t word_of(struct end *from, int q, uint32_t id, uint32_t i)
{
	return mix(((uint64_t)seed << 48) ^ ((uint64_t)id << 24) ^ (q << 18) ^
		   ((from - ends) << 17) ^ i);
}

static void fill(uint8_t *at, struct end *from, int q, const struct message *m)
{
	uint64_t word;
	uint32_t i;

	for (i = 0; i < m->length; i += 8) {
		word = i == 0 && may_lose ? m->id : word_of(from, q, m->id, i);
		memcpy(at + i, &word, m->length - i < 8 ? m->length - i : 8);
	}
}

static void compare(const uint8_t *at, struct end *from, int q,
		    const struct message *m, const char *where)
{
	uint64_t word;
	uint32_t i;

	for (i = 0; i < m->length; i += 8) {
		word = i == 0 && may_lose ? m->id : word_of(from, q, m->id, i);
		if (memcmp(at + i, &word, m->length - i < 8 ? m->length - i : 8))
			die("from %s, QP %d, message %u, %s of %u bytes: %s differs at %u",
			    ibv_get_device_name(from->context->device), q, m->id,
			    op_names[m->op], m->length, where, i);
	}
	bytes += m->length;
}

/* ---- posting ---------------------------------------------------------------------- */

/* Cut in two at random. */
static int cut(struct ibv_sge *sge, uint8_t *at, uint32_t length, uint32_t lkey)
{
	uint32_t first = length && rnd() % 2 ? rnd() % length : length;

	sge[0] = (struct ibv_sge) { (uintptr_t)at, first, lkey };
	sge[1] = (struct ibv_sge) { (uintptr_t)at + first, length - first, lkey };
	return first < length ? 2 : 1;
}

static void post_recv(struct end *end, int q)
{
	uint32_t slot = end->posted[q]++ % recvs;
	struct ibv_sge sge[MAX_SGE];
	struct ibv_recv_wr wr = {
		.wr_id = (uint64_t)q << 32 | slot | 1ull << 63,
		.sg_list = sge,
	}, *bad;

	wr.num_sge = cut(sge, recv_slot(end, q, slot),
			 longest + (type == IBV_QPT_UD ? GRH : 0), end->mr->lkey);
	if (ibv_post_recv(end->qp[q], &wr, &bad))
		die("post_recv: %m");
}

static enum op choose_op(struct flow *flow)
{
	enum op op;

	if (type == IBV_QPT_UD)
		return rnd() % 2 ? SEND : SEND_IMM;
	if (type == IBV_QPT_UC)
		return (enum op)(rnd() % (may_lose ? 2 : 4));
	op = (enum op)(rnd() % OPS);
	/* One at a time, so that we know what it meets. */
	if (op >= CMP_SWAP && flow->is_atomic_pending)
		op = READ;
	return op;
}

static uint32_t choose_length(void)
{
	static const uint32_t edges[] = { 0, 1, 3, 255, 256, 257, 1023, 1024, 1025,
					  4095, 4096, 4097, 8192 };
	uint32_t length = rnd() % 3 ? edges[rnd() % 13] : rnd() % (longest + 1);

	if (length > longest)
		length = longest;
	return may_lose && length < HEAD ? HEAD : length;
}

static void post_send(struct end *end, int q, uint32_t slot)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct end *peer = &ends[end == ends];
	struct flow *flow = &end->flow[q];
	struct message *m = &flow->slot[slot];
	struct ibv_sge sge[MAX_SGE];
	struct ibv_send_wr wr = { .wr_id = (uint64_t)q << 32 | slot, .sg_list = sge }, *bad;
	uint8_t *local = send_slot(end, q, slot);

	*m = (struct message) {
		.op = choose_op(flow), .id = flow->next++, .slot = slot,
	};
	m->length = m->op >= CMP_SWAP ? 8 : choose_length();
	count_of[m->op]++;
	wr.opcode = opcodes[m->op];
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.imm_data = m->id;
	wr.num_sge = cut(sge, local, m->length, end->mr->lkey);
	wr.wr.rdma.remote_addr = (uintptr_t)target_slot(peer, q, slot);
	wr.wr.rdma.rkey = peer->mr->rkey;

	switch (m->op) {
	case READ:
		fill(target_slot(peer, q, slot), end, q, m);
		memset(local, 0, m->length);
		break;
	case CMP_SWAP:
	case FETCH_ADD:
		wr.num_sge = 1;
		sge[0].length = 8;
		wr.wr.atomic.remote_addr = (uintptr_t)cell(peer, q);
		wr.wr.atomic.rkey = peer->mr->rkey;
		/* What a swap meets is known: it must succeed. */
		wr.wr.atomic.compare_add = m->op == CMP_SWAP ? flow->counter : m->id + 1;
		wr.wr.atomic.swap = flow->counter * 3 + 1;
		flow->is_atomic_pending = true;
		break;
	default:
		fill(local, end, q, m);
		memset(target_slot(peer, q, slot), 0, m->op >= WRITE ? m->length : 0);
		if (m->length <= 64 && rnd() % 2)
			wr.send_flags |= IBV_SEND_INLINE;
		break;
	}
	if (type == IBV_QPT_UD) {
		wr.wr.ud.ah = end->ah;
		wr.wr.ud.remote_qpn = peer->qp[q]->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
	}
	flow->log[m->id] = *m;
	if (m->op == SEND || m->op == SEND_IMM || m->op == WRITE_IMM)
		flow->order[flow->pushed++] = m->id;
	flow->busy[slot] = true;
	if (ibv_post_send(end->qp[q], &wr, &bad))
		die("post_send: %m");
}

/* ---- completions -------------------------------------------------------------------- */

static void check_atomic(struct end *end, int q, struct message *m)
{
	struct end *peer = &ends[end == ends];
	struct flow *flow = &end->flow[q];
	uint64_t before;

	memcpy(&before, send_slot(end, q, m->slot), 8);
	if (before != flow->counter)
		die("QP %d, message %u, %s returned %llu, not %llu", q, m->id,
		    op_names[m->op], (unsigned long long)before,
		    (unsigned long long)flow->counter);
	flow->counter = m->op == CMP_SWAP ? flow->counter * 3 + 1 :
					    flow->counter + m->id + 1;
	if (*(volatile uint64_t *)cell(peer, q) != flow->counter)
		die("QP %d, message %u, %s left another value", q, m->id,
		    op_names[m->op]);
	flow->is_atomic_pending = false;
}

static void sent(struct end *end, int q, uint32_t slot)
{
	struct end *peer = &ends[end == ends];
	struct flow *flow = &end->flow[q];
	struct message *m = &flow->slot[slot];

	if (!flow->busy[slot])
		die("a completion for what was not sent");
	/* A completed WRITE of RC is in its place. */
	if (type == IBV_QPT_RC && (m->op == WRITE || m->op == WRITE_IMM))
		compare(target_slot(peer, q, slot), end, q, m, "the target");
	else if (m->op == READ)
		compare(send_slot(end, q, slot), end, q, m, "what was read");
	else if (m->op >= CMP_SWAP)
		check_atomic(end, q, m);
	flow->busy[slot] = false;
	flow->done++;
}

/* The next that is due or, with losses, the one that it says it is. */
static struct message *find_message(struct flow *flow, const uint8_t *at)
{
	uint64_t id;

	if (flow->popped == flow->pushed)
		die("a message more than were sent");
	memcpy(&id, at, HEAD);
	if (!may_lose)
		id = flow->order[flow->popped];
	else if (id >= flow->next)
		die("a message that nobody sent, number %llu", (unsigned long long)id);
	flow->popped++;
	return &flow->log[id];
}

static void arrived(struct end *end, int q, uint32_t slot, const struct ibv_wc *wc)
{
	struct end *peer = &ends[end == ends];
	uint8_t *at = recv_slot(end, q, slot) + (type == IBV_QPT_UD ? GRH : 0);
	struct message *m = find_message(&peer->flow[q], at);
	uint32_t length = m->length + (type == IBV_QPT_UD ? GRH : 0);
	bool has_imm = m->op == SEND_IMM || m->op == WRITE_IMM;

	if (wc->byte_len != length)
		die("QP %d, message %u, %s: %u bytes, not %u", q, m->id,
		    op_names[m->op], wc->byte_len, length);
	if (has_imm != !!(wc->wc_flags & IBV_WC_WITH_IMM) ||
	    (has_imm && wc->imm_data != m->id))
		die("QP %d, message %u, %s: immediate data %u", q, m->id,
		    op_names[m->op], wc->imm_data);
	if (wc->opcode != (m->op == WRITE_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV))
		die("QP %d, message %u, %s: opcode %d", q, m->id, op_names[m->op],
		    wc->opcode);
	if (type == IBV_QPT_UD && (!(wc->wc_flags & IBV_WC_GRH) ||
				   wc->src_qp != peer->qp[q]->qp_num))
		die("QP %d, message %u: no GRH, or from QP %u", q, m->id, wc->src_qp);
	if (m->op == WRITE_IMM)
		compare(target_slot(end, q, m->slot), peer, q, m, "the target");
	else
		compare(at, peer, q, m, "what was received");
	received++;
	end->unposted[q]++;
}

static bool poll_end(struct end *end)
{
	struct ibv_wc wc[16];
	int i, n = ibv_poll_cq(end->cq, 16, wc);

	if (n < 0)
		die("poll_cq: %d", n);
	for (i = 0; i < n; i++) {
		int q = wc[i].wr_id >> 32 & 0xffff;
		uint32_t slot = wc[i].wr_id;

		if (wc[i].status != IBV_WC_SUCCESS)
			die("QP %d: %s of message %u: %s", q,
			    wc[i].wr_id >> 63 ? "receive" : "send",
			    wc[i].wr_id >> 63 ? 0 : end->flow[q].slot[slot].id,
			    ibv_wc_status_str(wc[i].status));
		if (wc[i].wr_id >> 63)
			arrived(end, q, slot, &wc[i]);
		else
			sent(end, q, slot);
	}
	return n > 0;
}

/*
 * Is the slot free for the next message: its last one done at both ends? Without
 * retries there must be a receive for it, too.
 */
static bool may_send(struct flow *flow, uint32_t slot)
{
	uint32_t i;

	if (flow->next >= messages || flow->busy[slot])
		return false;
	if (may_lose)
		return true;
	for (i = flow->popped; i < flow->pushed; i++) {
		if (flow->log[flow->order[i]].slot == slot)
			return false;
	}
	return type == IBV_QPT_RC || flow->pushed - flow->popped < recvs / 2;
}

static void send_more(struct end *end)
{
	uint32_t q, slot;

	for (q = 0; q < qps; q++) {
		for (slot = 0; slot < slots; slot++) {
			if (may_send(&end->flow[q], slot))
				post_send(end, q, slot);
		}
		/* Late for one round in four, if the peer can be told to wait. */
		while (end->unposted[q] && (type != IBV_QPT_RC || rnd() % 4)) {
			end->unposted[q]--;
			post_recv(end, q);
		}
	}
}

static bool is_done(struct end *end)
{
	uint32_t q;

	for (q = 0; q < qps; q++) {
		if (end->flow[q].done < messages)
			return false;
		if (!may_lose && end->flow[q].popped != end->flow[q].pushed)
			return false;
	}
	return true;
}

static unsigned long count_lost(struct end *end)
{
	unsigned long lost = 0;
	uint32_t q;

	for (q = 0; q < qps; q++)
		lost += end->flow[q].pushed - end->flow[q].popped;
	return lost;
}

/* ---- setting up ----------------------------------------------------------------------- */

static void open_end(struct end *end, const char *device, int gid_index)
{
	uint32_t q;

	end->context = open_device(device);
	end->gid_index = gid_index;
	for (q = 0; q < qps; q++) {
		end->flow[q].log = calloc(messages, sizeof(struct message));
		end->flow[q].order = calloc(messages, sizeof(uint32_t));
	}
	end->pd = ibv_alloc_pd(end->context);
	end->cq = ibv_create_cq(end->context, qps * (slots + recvs) + 1, NULL, NULL, 0);
	end->memory = aligned_alloc(4096, (qps * qp_bytes() + 4095) & ~4095ul);
	if (!end->pd || !end->cq || !end->memory ||
	    ibv_query_gid(end->context, 1, gid_index, &end->gid))
		die("%s: no PD, CQ, memory or GID: %m", device);
	memset(end->memory, 0, qps * qp_bytes());
	end->mr = ibv_reg_mr(end->pd, end->memory, qps * qp_bytes(),
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	if (!end->mr)
		die("%s: cannot register memory: %m", device);
}

static void set_path(struct end *end, struct end *peer, int q)
{
	struct ibv_qp_attr attr = {
		.path_mtu = mtu,
		.timeout = timeout_code,
		.ah_attr.static_rate = static_rate,
	};
	struct ibv_qp_init_attr init;

	connect_qp_with(end->qp[q], end->gid_index, &peer->gid, peer->qp[q]->qp_num,
			&attr);
	if (type == IBV_QPT_UD)
		return;
	if (ibv_query_qp(end->qp[q], &attr, IBV_QP_PATH_MTU, &init) ||
	    attr.path_mtu != mtu)
		die("the path MTU did not stay");
}

static void make_qps(void)
{
	struct ibv_ah_attr ah_attr = {
		.is_global = 1, .grh.hop_limit = 64, .port_num = 1,
	};
	uint32_t q, i;
	int e;

	for (e = 0; e < 2; e++) {
		for (q = 0; q < qps; q++)
			ends[e].qp[q] = make_qp(ends[e].pd, ends[e].cq, NULL, type, recvs);
		ah_attr.grh.dgid = ends[!e].gid;
		ah_attr.grh.sgid_index = ends[e].gid_index;
		ends[e].ah = ibv_create_ah(ends[e].pd, &ah_attr);
		if (!ends[e].ah)
			die("no AH: %m");
	}
	for (e = 0; e < 2; e++) {
		for (q = 0; q < qps; q++) {
			set_path(&ends[e], &ends[!e], q);
			for (i = 0; i < recvs; i++)
				post_recv(&ends[e], q);
		}
	}
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "t:n:q:S:w:m:s:T:u:r:l")) != -1) {
		switch (c) {
		case 't':
			type = optarg[0] == 'r' ? IBV_QPT_RC :
			       optarg[1] == 'c' ? IBV_QPT_UC : IBV_QPT_UD;
			break;
		case 'n': messages = atoi(optarg); break;
		case 'q': qps = atoi(optarg); break;
		case 'S': longest = atoi(optarg); break;
		case 'w': slots = atoi(optarg); recvs = 2 * slots; break;
		case 'm': mtu = atoi(optarg); break;
		case 's': seed = atoi(optarg); break;
		case 'T': patience = atoi(optarg); break;
		case 'u': timeout_code = atoi(optarg); break;
		case 'r': static_rate = atoi(optarg); break;
		case 'l': may_lose = true; break;
		default: exit(2);
		}
	}
	if (argc - optind != 4 || !qps || qps > MAX_QPS || !slots || slots > MAX_SLOTS ||
	    (may_lose && type == IBV_QPT_RC))
		die("usage: transfer [OPTION...] DEVICE GID-INDEX DEVICE GID-INDEX");
	if (type == IBV_QPT_UD && longest > 128u << mtu)
		longest = 128u << mtu;
}

static void die_of_silence(void)
{
	uint32_t q;
	int e;

	for (e = 0; e < 2; e++) {
		for (q = 0; q < qps; q++)
			printf("end %d QP %u (%u): %u of %u sent are done, %u not received\n",
			       e, q, ends[e].qp[q]->qp_num, ends[e].flow[q].done,
			       messages, ends[e].flow[q].pushed - ends[e].flow[q].popped);
	}
	die("no completion for %u s", patience);
}

int main(int argc, char **argv)
{
	time_t last;
	int op;

	parse(argc, argv);
	open_end(&ends[0], argv[optind], atoi(argv[optind + 1]));
	open_end(&ends[1], argv[optind + 2], atoi(argv[optind + 3]));
	make_qps();
	last = time(NULL);
	while (!is_done(&ends[0]) || !is_done(&ends[1])) {
		bool progress;

		send_more(&ends[0]);
		send_more(&ends[1]);
		progress = poll_end(&ends[0]);
		progress |= poll_end(&ends[1]);
		if (progress)
			last = time(NULL);
		else if (time(NULL) - last > patience)
			die_of_silence();
	}
	printf("seed %u: %llu bytes compared, %llu messages received, %lu lost;", seed,
	       bytes, received, count_lost(&ends[0]) + count_lost(&ends[1]));
	for (op = 0; op < OPS; op++)
		printf(" %u %s%s", count_of[op], op_names[op], op == OPS - 1 ? "\n" : ",");
	return 0;
}
