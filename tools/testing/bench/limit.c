// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How fast this machine is at what no driver can do without. A line of a value and its
 * unit goes to standard output.
 *
 *	limit memcpy BYTES	copies by the C library
 *	limit copy BYTES	copies by the kernel: reads of a file in memory
 *	limit crc32 BYTES	by the kernel's crypto API (AF_ALG), which is what drivers
 *	limit crc32c BYTES	use; the pages are handed over, not copied
 *	limit receive PORT	UDP, counts until it is killed
 *	limit send ADDRESS PORT SEGMENT PER-CALL SECONDS
 *				datagrams of SEGMENT bytes, so many by one system call
 *				(UDP_SEGMENT, and UDP_GRO at the other end); what arrived
 */
#define _GNU_SOURCE
#include "bench.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_alg.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#define UDP_GRO		104
#endif

#define MEASURE_US	1e6
#define MAX_DATAGRAM	65507

static uint8_t from[1 << 20], to[1 << 20];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- copies and sums -------------------------------------------------------------- */

static int fd = -1;

static void copy_here(size_t bytes)
{
	memcpy(to, from, bytes);
	/* or the compiler sees that nobody looks */
	asm volatile("" : : "r"(to) : "memory");
}

static void copy_in_kernel(size_t bytes)
{
	if (pread(fd, to, bytes, 0) != (ssize_t)bytes)
		die("pread");
}

/* The kernel takes 16 pages at a time. */
static void sum_up(size_t bytes)
{
	if (send(fd, from, bytes, MSG_MORE) != (ssize_t)bytes)
		die("AF_ALG");
}

static int file_in_memory(void)
{
	int file = memfd_create("limit", 0);

	if (file < 0 || write(file, from, sizeof(from)) != sizeof(from))
		die("memfd");
	return file;
}

static int hash_socket(const char *name)
{
	struct sockaddr_alg at = { .salg_family = AF_ALG, .salg_type = "hash" };
	int listener = socket(AF_ALG, SOCK_SEQPACKET, 0), hash;

	strncpy((char *)at.salg_name, name, sizeof(at.salg_name) - 1);
	if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof(at)))
		die(name);
	hash = accept(listener, NULL, NULL);
	if (hash < 0)
		die(name);
	return hash;
}

static void measure(void (*step)(size_t), size_t bytes)
{
	double start, us;
	long n = 0;

	if (!bytes || bytes > sizeof(from))
		exit(2);
	memset(from, 1, sizeof(from));
	step(bytes);
	start = now_us();
	do {
		step(bytes);
		n++;
		us = now_us() - start;
	} while (us < MEASURE_US);
	printf("%.1f MiB/s\n", n * (double)bytes / 1048576 * 1e6 / us);
}

/* ---- UDP --------------------------------------------------------------------------- */

/* What a receiver says when it is asked, by a datagram of one byte. */
struct report {
	uint64_t bytes;
	double us;
};

static int udp_socket(void)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0), room = 4 << 20;

	if (s < 0)
		die("socket");
	setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	return s;
}

static void receive(int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int s = udp_socket(), yes = 1;
	struct report report = {};
	struct sockaddr_in peer;
	double first = 0;
	socklen_t length;
	ssize_t n;

	setsockopt(s, SOL_UDP, UDP_GRO, &yes, sizeof(yes));
	if (bind(s, (struct sockaddr *)&at, sizeof(at)))
		die("bind");
	for (;;) {
		length = sizeof(peer);
		n = recvfrom(s, to, sizeof(to), 0, (struct sockaddr *)&peer, &length);
		if (n < 0)
			die("recv");
		if (n == 1) {
			sendto(s, &report, sizeof(report), 0, (struct sockaddr *)&peer, length);
			continue;
		}
		/* The clock starts with the first, which so doesn't count. */
		if (!first)
			first = now_us();
		else
			report.bytes += n;
		report.us = now_us() - first;
	}
}

static void ask(int s)
{
	struct timeval patience = { .tv_usec = 300000 };
	struct report report;
	int try;

	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (try = 0; try < 30; try++) {
		if (send(s, from, 1, 0) != 1 ||
		    recv(s, &report, sizeof(report), 0) != sizeof(report))
			continue;
		if (report.us <= 0)
			break;
		printf("%.3f MiB/s\n", report.bytes / 1048576.0 * 1e6 / report.us);
		return;
	}
	exit(1);
}

static void send_for(const char *address, int port, int segment, int per_call, double us)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int s = udp_socket(), most = MAX_DATAGRAM / segment;
	double start = now_us();

	if (per_call > most)
		per_call = most;
	if (inet_pton(AF_INET, address, &at.sin_addr) != 1 ||
	    connect(s, (struct sockaddr *)&at, sizeof(at)))
		die(address);
	if (per_call > 1 && setsockopt(s, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		die("UDP_SEGMENT");
	while (now_us() - start < us)
		if (send(s, from, (size_t)segment * per_call, 0) < 0 && errno != ENOBUFS)
			die("send");
	ask(s);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	size_t bytes = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;

	if (!strcmp(what, "send") && argc == 7 && atoi(argv[4]) > 1) {
		send_for(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]),
			 atof(argv[6]) * 1e6);
	} else if (!strcmp(what, "receive") && argc == 3) {
		receive(atoi(argv[2]));
	} else if (!strcmp(what, "memcpy")) {
		measure(copy_here, bytes);
	} else if (!strcmp(what, "copy")) {
		fd = file_in_memory();
		measure(copy_in_kernel, bytes);
	} else if (!strncmp(what, "crc32", 5)) {
		fd = hash_socket(what);
		measure(sum_up, bytes);
	} else {
		return 2;
	}
	return 0;
}
