// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * memory CASE DEVICE GID-INDEX: one case about memory regions. Ends with status
 * 0 if all is as promised, 4 if this machine can't tell, 1 and words if not.
 */
#define _GNU_SOURCE
#include "pair.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#define MiB (1ul << 20)
#define GiB (1ul << 30)
#define HUGE (2 * MiB)
#define NOBODY 65534
#define ATOMIC_SECONDS 5

static int error_of(const void *start, size_t length, uint64_t iova, int access)
{
	struct ibv_mr *mr = ibv_reg_mr_iova(pd, (void *)start, length, iova, access);

	if (!mr)
		return errno;
	drop_region(mr);
	return 0;
}

/* @wanted: the error that registration must end with; 0: none */
static void registers(const char *what, const void *start, size_t length,
		      int access, int wanted)
{
	int err = error_of(start, length, (uintptr_t)start, access);

	if (err != wanted)
		die("%s: error %d (%s), not %d (%s)", what, err, strerror(err),
		    wanted, strerror(wanted));
}

/* ---- a region at the answerer, with memory of the same mapping around it ---------- */

#define TARGET_BYTES (5 * PAGE)

struct target {
	uint8_t *memory;
	uint8_t *start;
	uint32_t length;
	uint64_t iova;
	struct ibv_mr *mr;
};

/* Offsets in the page have to be the same: the verbs want it. */
static struct target new_target(uint64_t iova, uint32_t length)
{
	struct target target = { .length = length, .iova = iova };

	target.memory = new_memory(TARGET_BYTES);
	target.start = target.memory + PAGE + iova % PAGE;
	target.mr = new_region(target.start, length, iova, ALL);
	return target;
}

/* @at: the first byte, counted from the region's. @length: 0 ends a list of them. */
struct range {
	const char *what;
	uint64_t at;
	uint32_t length;
	bool is_inside;
};

static void must_be(const char *what, const char *where, const uint8_t *memory,
		    const uint8_t *wanted, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (memory[i] != wanted[i])
			die("%s: byte %zu of the %s is wrong", what, i, where);
	}
}

/* The request moves what it should, and changes no byte beside that. */
static void check_range(struct target *target, enum ibv_wr_opcode opcode,
			const struct range *range)
{
	static uint8_t wanted_own[OWN_BYTES], wanted_target[TARGET_BYTES];
	size_t offset = target->start - target->memory + range->at;

	fill(own, OWN_BYTES, 1);
	fill(target->memory, TARGET_BYTES, 101);
	memcpy(wanted_own, own, OWN_BYTES);
	memcpy(wanted_target, target->memory, TARGET_BYTES);
	if (range->is_inside && opcode == IBV_WR_RDMA_READ)
		memcpy(wanted_own, wanted_target + offset, range->length);
	else if (range->is_inside)
		memcpy(wanted_target + offset, wanted_own, range->length);

	request(range->what, opcode, from_own(range->length),
		target->iova + range->at, target->mr->rkey,
		range->is_inside ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR);
	must_be(range->what, "asker's memory", own, wanted_own, OWN_BYTES);
	must_be(range->what, "answerer's memory", target->memory, wanted_target,
		TARGET_BYTES);
}

static void check_ranges(struct target *target, enum ibv_wr_opcode opcode,
			 const struct range *range)
{
	for (; range->length; range++)
		check_range(target, opcode, range);
}

/* ---- registration ------------------------------------------------------------------------ */

static void bad_ranges(void)
{
	uint8_t *memory = new_memory(2 * PAGE);
	int err;

	registers("2 pages", memory, 2 * PAGE, ALL, 0);
	registers("no bytes", memory, 0, ALL, EINVAL);
	registers("a length that wraps", memory, -PAGE, ALL, EINVAL);
	registers("the longest length", memory, SIZE_MAX, ALL, EINVAL);
	err = error_of(memory, 2 * PAGE, -PAGE, ALL);
	if (err != EINVAL)
		die("an iova that wraps: error %d", err);
	err = error_of(memory, 2 * PAGE, (uintptr_t)memory + 1, ALL);
	if (err != EINVAL)
		die("an iova at another place in its page: error %d", err);
}

static void bad_access(void)
{
	uint8_t *memory = new_memory(PAGE);

	registers("no rights", memory, PAGE, 0, 0);
	registers("local writing", memory, PAGE, IBV_ACCESS_LOCAL_WRITE, 0);
	registers("relaxed ordering", memory, PAGE,
		  ALL | IBV_ACCESS_RELAXED_ORDERING, 0);
	registers("remote writing without local", memory, PAGE,
		  IBV_ACCESS_REMOTE_WRITE, EINVAL);
	registers("atomics without local writing", memory, PAGE,
		  IBV_ACCESS_REMOTE_ATOMIC, EINVAL);
	registers("promised huge pages", memory, PAGE, ALL | IBV_ACCESS_HUGETLB,
		  EOPNOTSUPP);
}

/*
 * Until 6.2 the verbs core pinned what a program may not read itself, as a debugger
 * could (FOLL_FORCE).
 */
static bool core_uses_force(void)
{
	int major = 0, minor = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%d.%d", &major, &minor) != 2)
		die("which kernel is this? %m");
	return major < 6 || (major == 6 && minor < 2);
}

static void bad_memory(void)
{
	uint8_t *memory = new_memory(3 * PAGE);
	uint8_t *constant = map_memory(PAGE, PROT_READ);

	registers("3 pages", memory, 3 * PAGE, ALL, 0);
	if (munmap(memory + PAGE, PAGE))
		die("munmap: %m");
	registers("nothing there", memory + PAGE, PAGE, ALL, EFAULT);
	registers("a hole", memory, 3 * PAGE, ALL, EFAULT);
	registers("read-only memory to write", constant, PAGE, ALL, EFAULT);
	registers("read-only memory to read", constant, PAGE,
		  IBV_ACCESS_REMOTE_READ, 0);
	registers("memory that may not be read", map_memory(PAGE, PROT_NONE), PAGE,
		  IBV_ACCESS_REMOTE_READ, core_uses_force() ? 0 : EFAULT);
}

/* Own memory, which is little, counts too. Root is beyond limits. */
static void memlock(void)
{
	struct rlimit limit = { 16 * MiB, 16 * MiB };
	uint8_t *memory = new_memory(32 * MiB);
	struct ibv_mr *half;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || seteuid(NOBODY))
		die("cannot become somebody with limits: %m");
	registers("twice the limit", memory, 32 * MiB, ALL, ENOMEM);
	half = new_plain_region(memory, 8 * MiB, ALL);
	registers("the second half of it", memory, 8 * MiB, ALL, ENOMEM);
	drop_region(half);
	registers("half, after the first was given back", memory, 8 * MiB, ALL, 0);
	if (seteuid(0))
		die("cannot become root again: %m");
	registers("twice the limit, as root", memory, 32 * MiB, ALL, 0);
}

/* Pages of a region are there until its end. */
static void unmapped(void)
{
	uint8_t *memory = new_memory(PAGE);
	uint64_t va = (uintptr_t)memory;
	struct ibv_mr *mr = new_plain_region(memory, PAGE, ALL);
	uint8_t wanted[PAGE];

	fill(memory, PAGE, 3);
	memcpy(wanted, memory, PAGE);
	if (munmap(memory, PAGE))
		die("munmap: %m");
	read_own("READ from memory unmapped since", PAGE, va, mr->rkey, IBV_WC_SUCCESS);
	must_be("READ", "asker's memory", own, wanted, PAGE);
	fill(own, PAGE, 4);
	memcpy(wanted, own, PAGE);
	write_own("WRITE to it", PAGE, va, mr->rkey, IBV_WC_SUCCESS);
	memset(own, 0, PAGE);
	read_own("READ again", PAGE, va, mr->rkey, IBV_WC_SUCCESS);
	must_be("READ again", "asker's memory", own, wanted, PAGE);
	drop_region(mr);
}

/* ---- ranges ------------------------------------------------------------------------------- */

static void iova(void)
{
	/* Begins with the last byte of a page, and no address looks like it. */
	struct target target = new_target(0x1234567800000fff, 10001);
	static const struct range ranges[] = {
		{ "all of it", 0, 10001, true },
		{ "a part", 4000, 5000, true },
		{ }
	};

	check_ranges(&target, IBV_WR_RDMA_WRITE, ranges);
	check_ranges(&target, IBV_WR_RDMA_READ, ranges);
	write_own("WRITE to start, not iova", 1, (uintptr_t)target.start,
		  target.mr->rkey, IBV_WC_REM_ACCESS_ERR);
	read_own("READ from start, not iova", 1, (uintptr_t)target.start,
		 target.mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

#define LENGTH 5000

static void limits_for(enum ibv_wr_opcode opcode)
{
	struct target target = new_target(0x1234567800000fff, LENGTH);
	static const struct range ranges[] = {
		{ "all", 0, LENGTH, true },
		{ "first byte", 0, 1, true },
		{ "last byte", LENGTH - 1, 1, true },
		{ "byte before", -1, 1, false },
		{ "byte after", LENGTH, 1, false },
		{ "across the start", -1, 2, false },
		{ "across the end", LENGTH - 1, 2, false },
		{ "all and a byte before", -1, LENGTH + 1, false },
		{ "all and a byte after", 0, LENGTH + 1, false },
		{ "all and a byte on both sides", -1, LENGTH + 2, false },
		{ "4 GiB after", 1ull << 32, 1, false },
		{ "4 GiB before", -(1ull << 32), 1, false },
		{ }
	};

	check_ranges(&target, opcode, ranges);
}

static void limits_of_write(void)
{
	limits_for(IBV_WR_RDMA_WRITE);
}

static void limits_of_read(void)
{
	limits_for(IBV_WR_RDMA_READ);
}

/* Ends where no region may go on: before the very last address. */
static void at_the_top(enum ibv_wr_opcode opcode)
{
	struct target target = new_target(UINT64_MAX - LENGTH, LENGTH);
	static const struct range ranges[] = {
		{ "top: all", 0, LENGTH, true },
		{ "top: last byte", LENGTH - 1, 1, true },
		{ "top: address -1", LENGTH, 1, false },
		{ "top: up to the wrap", LENGTH - 1, 2, false },
		{ "top: across the wrap", LENGTH - 1, 3, false },
		{ "top: far across the wrap", 1, 2 * LENGTH, false },
		{ "top: address 0", LENGTH + 1, 1, false },
		{ }
	};

	check_ranges(&target, opcode, ranges);
}

static void at_the_bottom(enum ibv_wr_opcode opcode)
{
	struct target target = new_target(0, LENGTH);
	static const struct range ranges[] = {
		{ "bottom: all", 0, LENGTH, true },
		{ "bottom: address -1", -1, 1, false },
		{ "bottom: across the wrap", -1, 2, false },
		{ "bottom: far across the wrap", -LENGTH, LENGTH + 1, false },
		{ "bottom: all, from the other side of the wrap", -1, LENGTH + 1, false },
		{ "bottom: the middle of all addresses", 1ull << 63, 1, false },
		{ }
	};

	check_ranges(&target, opcode, ranges);
}

static void wraps(void)
{
	at_the_top(IBV_WR_RDMA_WRITE);
	at_the_top(IBV_WR_RDMA_READ);
	at_the_bottom(IBV_WR_RDMA_WRITE);
	at_the_bottom(IBV_WR_RDMA_READ);
}

/* The lkey's limits; the last SGE is of several packets. */
static void local_limits(void)
{
	struct target target = new_target(0x10000, LENGTH);
	struct ibv_sge sges[] = {
		{ (uintptr_t)own + OWN_BYTES - 1, 2, own_mr->lkey },
		{ (uintptr_t)own - 1, 2, own_mr->lkey },
		{ (uintptr_t)own + OWN_BYTES, 1, own_mr->lkey },
		{ UINT64_MAX, 2, own_mr->lkey },
		{ (uintptr_t)own + OWN_BYTES - LENGTH + 1, LENGTH, own_mr->lkey },
	};
	struct ibv_sge last = { (uintptr_t)own + OWN_BYTES - 1, 1, own_mr->lkey };
	unsigned int i;
	char what[32];

	request("last byte", IBV_WR_RDMA_WRITE, last, target.iova, target.mr->rkey,
		IBV_WC_SUCCESS);
	for (i = 0; i < sizeof(sges) / sizeof(*sges); i++) {
		snprintf(what, sizeof(what), "WRITE, SGE %u", i);
		request(what, IBV_WR_RDMA_WRITE, sges[i], target.iova,
			target.mr->rkey, IBV_WC_LOC_PROT_ERR);
		snprintf(what, sizeof(what), "READ, SGE %u", i);
		request(what, IBV_WR_RDMA_READ, sges[i], target.iova,
			target.mr->rkey, IBV_WC_LOC_PROT_ERR);
	}
}

/* ---- size ----------------------------------------------------------------------------------- */

/* From @path, whose lines look like "NAME:   NUMBER kB"; bytes. */
static size_t kernel_says(const char *path, const char *name)
{
	size_t length = strlen(name), kib = 0;
	FILE *file = fopen(path, "r");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, name, length) && line[length] == ':')
			kib = strtoul(line + length + 1, NULL, 10);
	}
	if (file)
		fclose(file);
	return kib << 10;
}

/* 2 pages of it */
static void transfer_at(const struct ibv_mr *mr, uint8_t *at)
{
	const uint32_t length = 2 * PAGE;

	fill(own, length, 7);
	write_own("WRITE", length, (uintptr_t)at, mr->rkey, IBV_WC_SUCCESS);
	must_be("WRITE", "region", at, own, length);
	fill(at, length, 8);
	read_own("READ", length, (uintptr_t)at, mr->rkey, IBV_WC_SUCCESS);
	must_be("READ", "asker's memory", own, at, length);
}

static void huge_pages(void)
{
	uint8_t *memory = new_memory(4 * HUGE);
	struct ibv_mr *mr;
	int i;

	memory += -(uintptr_t)memory % HUGE;
	if (madvise(memory, 3 * HUGE, MADV_HUGEPAGE))
		skip("this kernel has no huge pages");
	memset(memory, 0, 3 * HUGE);
	if (kernel_says("/proc/self/smaps_rollup", "AnonHugePages") < 2 * HUGE)
		skip("no huge pages are free");
	mr = new_plain_region(memory, 3 * HUGE, ALL);

	for (i = 1; i <= 2; i++)
		transfer_at(mr, memory + i * HUGE - 2345);
	drop_region(mr);
}

static void two_gib(void)
{
	const size_t length = 2 * GiB + 4 * PAGE;
	struct ibv_mr *mr;
	uint8_t *memory;

	if (kernel_says("/proc/meminfo", "MemAvailable") < length + GiB / 4)
		skip("less than 2.25 GiB of memory are free");
	memory = new_memory(length);
	mr = new_plain_region(memory, length, ALL);
	transfer_at(mr, memory);
	transfer_at(mr, memory + 2 * GiB - PAGE);
	transfer_at(mr, memory + length - 2 * PAGE);
	write_own("byte after", 1, (uintptr_t)memory + length, mr->rkey,
		  IBV_WC_REM_ACCESS_ERR);
	drop_region(mr);
}

/* Is the memory the same, again and again, a region can be larger than it. */
static uint8_t *map_repeatedly(size_t length, size_t file_length)
{
	uint8_t *at = map_memory(length, PROT_NONE);
	int fd = memfd_create("memory", 0);
	size_t i;

	if (fd < 0 || ftruncate(fd, file_length))
		die("no file in memory: %m");
	for (i = 0; i < length; i += file_length) {
		if (mmap(at + i, file_length, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			die("cannot map the file: %m");
	}
	close(fd);
	return at;
}

/* Pages of their own, for them not to be mistaken. */
static void make_private(uint8_t *at, size_t length)
{
	if (mmap(at, length, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		die("cannot map pages: %m");
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Offsets in it have more than 32 bits. @bytes: that the kernel needs for it */
static void repeated(size_t gib, size_t bytes)
{
	const size_t chunk = 16 * MiB, length = gib * GiB + chunk;
	uint8_t *memory, *places[3];
	struct ibv_mr *mr;
	double begin;
	int i;

	if (kernel_says("/proc/meminfo", "MemAvailable") < bytes)
		skip("too little memory is free");
	memory = map_repeatedly(length, chunk);
	places[0] = memory;
	places[1] = memory + gib * GiB - PAGE;
	places[2] = memory + length - 2 * PAGE;
	for (i = 0; i < 3; i++)
		make_private(places[i], 2 * PAGE);
	begin = now();
	mr = new_plain_region(memory, length, ALL);
	printf("# %zu GiB: registered in %.2f s\n", gib, now() - begin);
	for (i = 0; i < 3; i++)
		transfer_at(mr, places[i]);
	drop_region(mr);
}

static void four_gib(void)
{
	repeated(4, GiB / 4);
}

static void sixteen_gib(void)
{
	repeated(16, GiB / 2);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void wrong_keys(void)
{
	struct target target = new_target(0x10000, LENGTH);
	static const uint32_t flips[] = { 1, 0x80, 0x100, 0x80000000 };
	struct ibv_sge sge = from_own(1);
	unsigned int i;

	for (i = 0; i < sizeof(flips) / sizeof(*flips); i++) {
		write_own("WRITE, rkey", 1, target.iova, target.mr->rkey ^ flips[i],
			  IBV_WC_REM_ACCESS_ERR);
		read_own("READ, rkey", 1, target.iova, target.mr->rkey ^ flips[i],
			 IBV_WC_REM_ACCESS_ERR);
		sge.lkey = own_mr->lkey ^ flips[i];
		request("WRITE, lkey", IBV_WR_RDMA_WRITE, sge, target.iova,
			target.mr->rkey, IBV_WC_LOC_PROT_ERR);
		request("READ, lkey", IBV_WR_RDMA_READ, sge, target.iova,
			target.mr->rkey, IBV_WC_LOC_PROT_ERR);
	}
	write_own("WRITE, key 0", 1, target.iova, 0, IBV_WC_REM_ACCESS_ERR);
	write_own("WRITE, right keys", 1, target.iova, target.mr->rkey, IBV_WC_SUCCESS);
}

static void keys_of_another_pd(void)
{
	struct target target = new_target(0x10000, LENGTH);
	struct ibv_mr *mr = ibv_reg_mr(other_pd, own, OWN_BYTES, ALL);
	struct ibv_sge sge = from_own(1);

	if (!mr)
		die("cannot register with another PD: %m");
	write_own("WRITE, rkey", 1, (uintptr_t)own, mr->rkey, IBV_WC_REM_ACCESS_ERR);
	read_own("READ, rkey", 1, (uintptr_t)own, mr->rkey, IBV_WC_REM_ACCESS_ERR);
	sge.lkey = mr->lkey;
	request("WRITE, lkey", IBV_WR_RDMA_WRITE, sge, target.iova, target.mr->rkey,
		IBV_WC_LOC_PROT_ERR);
	request("READ, lkey", IBV_WR_RDMA_READ, sge, target.iova, target.mr->rkey,
		IBV_WC_LOC_PROT_ERR);
}

/* A key gives what it was made for, and nothing else. */
static void rights(void)
{
	const int local = IBV_ACCESS_LOCAL_WRITE;
	static const struct {
		const char *what;
		int access;
	} keys[] = {
		{ "a key for nothing", 0 },
		{ "a local key", local },
		{ "a key to write", local | IBV_ACCESS_REMOTE_WRITE },
		{ "a key to read", IBV_ACCESS_REMOTE_READ },
		{ "a key for atomics", local | IBV_ACCESS_REMOTE_ATOMIC },
		{ "a key for all", ALL },
	};
	uint8_t *memory = new_memory(PAGE);
	uint64_t va = (uintptr_t)memory;
	unsigned int i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct ibv_mr *mr = new_plain_region(memory, PAGE, keys[i].access);
		int access = keys[i].access;

		write_own(keys[i].what, 8, va, mr->rkey,
			  access & IBV_ACCESS_REMOTE_WRITE ?
			  IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR);
		read_own(keys[i].what, 8, va, mr->rkey,
			 access & IBV_ACCESS_REMOTE_READ ?
			 IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR);
		atomic_request(keys[i].what, IBV_WR_ATOMIC_FETCH_AND_ADD, va, mr->rkey,
			       1, 0, access & IBV_ACCESS_REMOTE_ATOMIC ?
			       IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR);
		drop_region(mr);
	}
}

/* Reading is what every key may do at home. */
static void local_rights(void)
{
	struct target target = new_target(0x10000, LENGTH);
	uint8_t *memory = new_memory(PAGE);
	struct ibv_mr *mr = new_plain_region(memory, PAGE, IBV_ACCESS_REMOTE_READ);
	struct ibv_sge sge = { (uintptr_t)memory, 8, mr->lkey };

	request("WRITE from it", IBV_WR_RDMA_WRITE, sge, target.iova,
		target.mr->rkey, IBV_WC_SUCCESS);
	fill(target.start, 8, 9);
	request("READ into it", IBV_WR_RDMA_READ, sge, target.iova,
		target.mr->rkey, IBV_WC_LOC_PROT_ERR);
	if (memory[0])
		die("the READ changed it");
}

static void dead_keys(void)
{
	uint8_t *memory = new_memory(PAGE);
	struct ibv_sge sge = { .addr = (uintptr_t)memory, .length = 1 };
	struct ibv_mr *mr, *again;
	uint32_t rkey;

	mr = new_plain_region(memory, PAGE, ALL);
	rkey = mr->rkey;
	sge.lkey = mr->lkey;
	drop_region(mr);
	again = new_plain_region(memory, PAGE, ALL);
	if (again->rkey == rkey)
		die("the next region has the same key, %#x", rkey);
	write_own("WRITE, rkey", 1, (uintptr_t)memory, rkey, IBV_WC_REM_ACCESS_ERR);
	read_own("READ, rkey", 1, (uintptr_t)memory, rkey, IBV_WC_REM_ACCESS_ERR);
	request("WRITE, lkey", IBV_WR_RDMA_WRITE, sge, (uintptr_t)memory, again->rkey,
		IBV_WC_LOC_PROT_ERR);
	write_own("WRITE, living key", 1, (uintptr_t)memory, again->rkey, IBV_WC_SUCCESS);
}

/* Without bytes there is nothing to protect (IBTA C9-88). */
static void no_bytes(void)
{
	struct ibv_sge sge = { 0xdead, 0, 0xdead };

	request("WRITE", IBV_WR_RDMA_WRITE, sge, 0xdead, 0xdead, IBV_WC_SUCCESS);
	request("READ", IBV_WR_RDMA_READ, sge, 0xdead, 0xdead, IBV_WC_SUCCESS);
}

/* ---- atomics --------------------------------------------------------------------------------- */

static void must_hold(const char *what, uint64_t is, uint64_t wanted)
{
	if (is != wanted)
		die("%s: %#llx, not %#llx", what, (unsigned long long)is,
		    (unsigned long long)wanted);
}

static void atomic_operations(void)
{
	struct target target = new_target(0x1234567800000008, 24);
	uint64_t *word = (uint64_t *)target.start, *old = (uint64_t *)own;
	uint64_t va = target.iova;
	uint32_t rkey = target.mr->rkey;

	*word = 5;
	atomic_request("CMP_SWAP", IBV_WR_ATOMIC_CMP_AND_SWP, va, rkey, 4, 9, IBV_WC_SUCCESS);
	must_hold("CMP_SWAP with another value: answer", *old, 5);
	must_hold("CMP_SWAP with another value: memory", *word, 5);
	atomic_request("CMP_SWAP", IBV_WR_ATOMIC_CMP_AND_SWP, va, rkey, 5,
		       0xfedcba9876543210, IBV_WC_SUCCESS);
	must_hold("CMP_SWAP: answer", *old, 5);
	must_hold("CMP_SWAP: memory", *word, 0xfedcba9876543210);
	atomic_request("FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, va, rkey,
		       0x1000000000000000, 0, IBV_WC_SUCCESS);
	must_hold("FETCH_ADD: answer", *old, 0xfedcba9876543210);
	must_hold("FETCH_ADD that wraps: memory", *word, 0x0edcba9876543210);

	atomic_request("on the last 8 bytes", IBV_WR_ATOMIC_FETCH_AND_ADD, va + 16, rkey,
		       1, 0, IBV_WC_SUCCESS);
	atomic_request("after the end", IBV_WR_ATOMIC_FETCH_AND_ADD, va + 24, rkey,
		       1, 0, IBV_WC_REM_ACCESS_ERR);
	atomic_request("before the start", IBV_WR_ATOMIC_FETCH_AND_ADD, va - 8, rkey,
		       1, 0, IBV_WC_REM_ACCESS_ERR);
	must_hold("the word beside: memory", word[1], 0);
	must_hold("the last word: memory", word[2], 1);
}

static _Atomic uint64_t shared_word;
static atomic_bool is_over;

/* Returns how many. */
static void *add_ones(void *arg)
{
	uintptr_t n;

	for (n = 0; !is_over; n++)
		atomic_fetch_add(&shared_word, 1);
	return (void *)n;
}

/*
 * The CPU adds ones all the time, so an update that isn't atomic loses some. To
 * meet one within such an update is rare, so many are made.
 */
static void atomics_and_cpu(void)
{
	const uint64_t step = 1ull << 40;
	struct ibv_mr *mr = new_plain_region(&shared_word, 8, ALL);
	uint64_t before = 0, times, *old = (uint64_t *)own;
	time_t end = time(NULL) + ATOMIC_SECONDS;
	pthread_t adder;
	void *added;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip("this machine has one CPU only");
	if (pthread_create(&adder, NULL, add_ones, NULL))
		die("no thread");
	while (!shared_word)
		usleep(100);
	for (times = 0; time(NULL) <= end; times++) {
		atomic_request("FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD,
			       (uintptr_t)&shared_word, mr->rkey, step, 0, IBV_WC_SUCCESS);
		if (*old / step != times || *old % step < before % step)
			die("FETCH_ADD: answer %#llx after %#llx",
			    (unsigned long long)*old, (unsigned long long)before);
		before = *old;
	}
	is_over = true;
	pthread_join(adder, &added);
	printf("# %llu by requests, %llu by the CPU\n", (unsigned long long)times,
	       (unsigned long long)(uintptr_t)added);
	must_hold("in the end", shared_word, times * step + (uintptr_t)added);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const struct test_case cases[] = {
	{ "bad-ranges", bad_ranges },
	{ "bad-access", bad_access },
	{ "bad-memory", bad_memory },
	{ "memlock", memlock },
	{ "unmapped", unmapped },
	{ "iova", iova },
	{ "limits-of-write", limits_of_write },
	{ "limits-of-read", limits_of_read },
	{ "wraps", wraps },
	{ "local-limits", local_limits },
	{ "huge-pages", huge_pages },
	{ "two-gib", two_gib },
	{ "four-gib", four_gib },
	{ "sixteen-gib", sixteen_gib },
	{ "wrong-keys", wrong_keys },
	{ "other-pd", keys_of_another_pd },
	{ "rights", rights },
	{ "local-rights", local_rights },
	{ "dead-keys", dead_keys },
	{ "no-bytes", no_bytes },
	{ "atomics", atomic_operations },
	{ "atomics-and-cpu", atomics_and_cpu },
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof(cases) / sizeof(*cases), NULL);
}
