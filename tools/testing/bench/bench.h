/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the programs here share: the clock, medians, how much the kernel has. */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return values[n / 2];
}

/* ---- the kernel's memory, in bytes --------------------------------------------- */

struct kernel_memory {
	double slab;	/* objects, without pages of rings */
	double all;	/* but for pages of programs and files */
};

static const struct {
	const char *name;
	int sign;
} memory_parts[] = {
	{ "MemTotal", 1 }, { "MemFree", -1 }, { "Active", -1 },
	{ "Inactive", -1 }, { "Unevictable", -1 },
};

/* Free pages that each CPU keeps for itself are taken back first. */
static inline void compact_memory(void)
{
	FILE *file = fopen("/proc/sys/vm/compact_memory", "w");

	if (!file)
		return;
	fputs("1", file);
	fclose(file);
}

static inline struct kernel_memory kernel_memory(void)
{
	struct kernel_memory memory = {};
	char line[128], name[64];
	unsigned long kib;
	FILE *file;
	size_t i;

	compact_memory();
	file = fopen("/proc/meminfo", "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63[^:]: %lu", name, &kib) != 2)
			continue;
		if (!strcmp(name, "Slab"))
			memory.slab = kib * 1024.0;
		for (i = 0; i < sizeof(memory_parts) / sizeof(memory_parts[0]); i++)
			if (!strcmp(name, memory_parts[i].name))
				memory.all += memory_parts[i].sign * (kib * 1024.0);
	}
	if (file)
		fclose(file);
	return memory;
}

static inline void print_growth(struct kernel_memory before, int number)
{
	struct kernel_memory after = kernel_memory();

	printf("%.0f B_of_slab\n", (after.slab - before.slab) / number);
	printf("%.0f B_of_memory\n", (after.all - before.all) / number);
}

#endif
