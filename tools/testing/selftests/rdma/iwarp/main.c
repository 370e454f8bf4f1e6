// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * iw_raw cases			names of what "talk" can do
 * iw_raw accept-cases		of what "accept" can
 * iw_raw talk ADDRESS CASE	as initiator, to "iw_end listen"
 * iw_raw accept ADDRESS CASE	as responder, to "iw_end connect"
 *
 * Silent and 0 if the other end did as it should.
 */
#include <arpa/inet.h>
#include "peer.h"

static const struct test *const talks[] = {
	startup_tests, data_tests, refuse_tests, end_tests, NULL
};
static const struct test *const accepts[] = { accept_tests, NULL };

static int list(const struct test *const *lists)
{
	const struct test *test;

	for (; *lists; lists++)
		for (test = *lists; test->name; test++)
			puts(test->name);
	return 0;
}

static int run(const struct test *const *lists, const char *name)
{
	const struct test *test;

	for (; *lists; lists++) {
		for (test = *lists; test->name; test++) {
			if (strcmp(test->name, name))
				continue;
			test->run();
			return 0;
		}
	}
	printf("no case %s\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "cases"))
		return list(talks);
	if (argc == 2 && !strcmp(argv[1], "accept-cases"))
		return list(accepts);
	if (argc != 4 || inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
		printf("usage: iw_raw talk|accept ADDRESS CASE\n");
		return 2;
	}
	fill_mine();
	if (!strcmp(argv[1], "talk"))
		return run(talks, argv[3]);
	accept_listen();
	return run(accepts, argv[3]);
}
