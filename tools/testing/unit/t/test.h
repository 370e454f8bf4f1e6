/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Unit tests: TEST(function__case) { ... } in the order they shall run.
 * Output is TAP: a plan, one line per test, totals as a comment. The first
 * failed check ends its test. One file of a program includes this header;
 * main() is here.
 */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_MAX 256

struct test {
	const char *name;
	void (*run)(void);
};

enum test_result { TEST_PASSED, TEST_FAILED, TEST_SKIPPED };

static struct test test_list[TEST_MAX];
static unsigned int test_count;
static jmp_buf test_end;
static char test_ctx[256];
static char test_why[512];

/* Arguments of the program, for simulators. */
static __maybe_unused int test_argc;
static __maybe_unused char **test_argv;

#define TEST(fn)							\
	static void fn(void);						\
	static __attribute__((constructor)) void test_add_##fn(void)	\
	{								\
		test_add(#fn, fn);					\
	}								\
	static void fn(void)

static void test_add(const char *name, void (*run)(void))
{
	if (test_count == TEST_MAX)
		abort();
	test_list[test_count++] = (struct test){ name, run };
}

/* Said in front of a failure: which turn of a loop it was. */
static __maybe_unused __attribute__((format(printf, 1, 2)))
void test_context(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(test_ctx, sizeof(test_ctx), fmt, args);
	va_end(args);
}

static __attribute__((noreturn, format(printf, 2, 3)))
void test_stop(enum test_result result, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(test_why, sizeof(test_why), fmt, args);
	va_end(args);
	longjmp(test_end, (int)result);
}

#define test_skip(...) test_stop(TEST_SKIPPED, __VA_ARGS__)
#define test_fail(...) test_stop(TEST_FAILED, __VA_ARGS__)

#define CHECK(cond) do {						\
	if (!(cond))							\
		test_fail("%s:%d: %s", __FILE__, __LINE__, #cond);	\
} while (0)

#define CHECK_EQ(got, want) do {					\
	unsigned long long got_ = (unsigned long long)(got);		\
	unsigned long long want_ = (unsigned long long)(want);		\
									\
	if (got_ != want_)						\
		test_fail("%s:%d: %s is 0x%llx, not %s (0x%llx)",	\
			  __FILE__, __LINE__, #got, got_, #want, want_); \
} while (0)

#define CHECK_MEM(got, want, len) do {					\
	const unsigned char *got_ = (const void *)(got);		\
	const unsigned char *want_ = (const void *)(want);		\
	size_t at_ = 0;							\
									\
	while (at_ < (size_t)(len) && got_[at_] == want_[at_])		\
		at_++;							\
	if (at_ < (size_t)(len))					\
		test_fail("%s:%d: byte %zu of %s is 0x%02x, not 0x%02x", \
			  __FILE__, __LINE__, at_, #got, got_[at_],	\
			  want_[at_]);					\
} while (0)

static enum test_result test_run(const struct test *test)
{
	int result;

	test_ctx[0] = '\0';
	result = setjmp(test_end);
	if (!result)
		test->run();
	return (enum test_result)result;
}

static void test_report(enum test_result result, unsigned int i)
{
	const char *name = test_list[i].name;

	if (result == TEST_PASSED) {
		printf("ok %u %s\n", i + 1, name);
	} else if (result == TEST_SKIPPED) {
		printf("ok %u %s # SKIP %s\n", i + 1, name, test_why);
	} else {
		printf("# %s%s%s\n", test_ctx, *test_ctx ? ": " : "", test_why);
		printf("not ok %u %s\n", i + 1, name);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned int n[3] = { 0, 0, 0 };
	unsigned int i;

	test_argc = argc;
	test_argv = argv;
	printf("1..%u\n", test_count);
	fflush(stdout);
	for (i = 0; i < test_count; i++) {
		enum test_result result = test_run(&test_list[i]);

		test_report(result, i);
		n[result]++;
	}
	printf("# %s: %u passed, %u failed, %u skipped\n", argv[0],
	       n[TEST_PASSED], n[TEST_FAILED], n[TEST_SKIPPED]);
	return n[TEST_FAILED] ? 1 : 0;
}

#endif
