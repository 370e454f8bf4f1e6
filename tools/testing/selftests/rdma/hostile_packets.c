// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * hostile_packets SOURCE DESTINATION MODE ...: sends RoCEv2 packets that no
 * honest peer would send, with a right ICRC where that matters. IPv4 addresses.
 *
 *	sweep STEP QPN...	every opcode with every STEPth length from 0 to 128, to
 *			each QPN
 *	random SEED N QPN...	N packets of random bytes, most with a right ICRC,
 *			many to these QPs with a PSN around the expected one
 *	batches		UDP batches whose segments are not packets
 *	forge		commands on standard input, one packet each:
 *			"OPCODE QPN PSN PAD VA RKEY DMALEN EXTRA", numbers as in C;
 *			EXTRA bytes of 0xee follow the headers; VA to DMALEN are
 *			left out where the opcode has no RETH
 */
#include <arpa/inet.h>
#include <endian.h>
#include <netinet/udp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

#define PORT 4791
#define BTH 12
#define ICRC 4
#define PSN 0xfffff0	/* that the victims expect */

static struct sockaddr_in source, destination;
static int sock;
static unsigned long sent;

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(1);
}

static uint32_t crc32_of(uint32_t crc, const uint8_t *p, size_t n)
{
	int bit;

	while (n--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

/* The pseudo packet: what may change on the way counts as ones. */
static uint32_t icrc_of(const uint8_t *packet, size_t length)
{
	size_t total = 20 + 8 + length + ICRC;
	uint8_t head[28] = { 0x45, 0xff };
	uint32_t crc = 0xdebb20e3;
	uint8_t bth[BTH];

	head[2] = total >> 8;
	head[3] = total;
	head[6] = 0x40;			/* DF; and so the kernel's ID is 0 */
	head[8] = 0xff;
	head[9] = 17;
	head[10] = head[11] = 0xff;
	memcpy(head + 12, &source.sin_addr, 4);
	memcpy(head + 16, &destination.sin_addr, 4);
	memcpy(head + 20, &source.sin_port, 2);
	memcpy(head + 22, &destination.sin_port, 2);
	head[24] = (total - 20) >> 8;
	head[25] = total - 20;
	head[26] = head[27] = 0xff;
	crc = crc32_of(crc, head, sizeof(head));
	if (length < BTH)
		return ~crc32_of(crc, packet, length);
	memcpy(bth, packet, BTH);
	bth[4] = 0xff;
	crc = crc32_of(crc, bth, BTH);
	return ~crc32_of(crc, packet + BTH, length - BTH);
}

static void send_bytes(const uint8_t *bytes, size_t n)
{
	if (sendto(sock, bytes, n, 0, (struct sockaddr *)&destination,
		   sizeof(destination)) != (ssize_t)n)
		die("sendto");
	sent++;
	/* The receiver shares our processor and can do with a pause. */
	if (sent % 64 == 0)
		usleep(100);
}

/* @length without the ICRC; there is room for it behind. */
static void send_sealed(uint8_t *packet, size_t length)
{
	uint32_t icrc = htole32(icrc_of(packet, length));

	memcpy(packet + length, &icrc, ICRC);
	send_bytes(packet, length + ICRC);
}

static void put24(uint8_t *at, uint32_t value)
{
	at[0] = value >> 16;
	at[1] = value >> 8;
	at[2] = value;
}

static void put_bth(uint8_t *packet, uint8_t opcode, uint8_t pad, uint32_t qpn,
		    uint32_t psn)
{
	memset(packet, 0, BTH);
	packet[0] = opcode;
	packet[1] = pad << 4;
	packet[2] = packet[3] = 0xff;
	put24(packet + 5, qpn);
	packet[8] = 0x80;
	put24(packet + 9, psn);
}

static void sweep(uint32_t qpn, int step)
{
	uint8_t packet[256];
	int opcode, length, i;

	for (opcode = 0; opcode < 256; opcode++) {
		for (length = opcode % step; length <= 128; length += step) {
			for (i = 0; i < (int)sizeof(packet); i++)
				packet[i] = opcode + i * length;
			put_bth(packet, opcode, length & 3, qpn,
				(opcode << 8 | length) * 37);
			if (length < ICRC)
				send_bytes(packet, length);
			else
				send_sealed(packet, length - ICRC);
		}
	}
}

static void send_random(unsigned int seed, long n, char **qpns, int num_qpns)
{
	uint8_t packet[2048];
	size_t length, i;

	srand(seed);
	while (n--) {
		length = rand() % (rand() % 8 ? 160 : sizeof(packet) - ICRC);
		for (i = 0; i < length; i++)
			packet[i] = rand() >> 7;
		/* Mostly what gets further: known QPs, partition, version. */
		if (length >= BTH && rand() % 8) {
			packet[0] = rand() % 4 ? rand() % 0x30 : packet[0];
			packet[1] &= 0xf0;
			if (rand() % 32)
				packet[2] = packet[3] = 0xff;
			put24(packet + 5, num_qpns ?
			      strtoul(qpns[rand() % num_qpns], NULL, 0) : 2);
			if (rand() % 4)
				put24(packet + 9, PSN + rand() % 4);
		}
		if (rand() % 16)
			send_sealed(packet, length);
		else
			send_bytes(packet, length);
	}
}

static void send_batches(void)
{
	static const uint16_t sizes[] = { 1, 3, 4, 11, 12, 15, 16, 17, 28, 60 };
	uint8_t bytes[64 * 60];
	unsigned int i, j;
	int size;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size = sizes[i];
		if (setsockopt(sock, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)))
			die("UDP_SEGMENT");
		for (j = 0; j < 200; j++) {
			memset(bytes, j, sizeof(bytes));
			put_bth(bytes, j, 0, 2 + j, j);
			/* The last one shorter, or all alike. */
			send_bytes(bytes, 40 * size - (size > 1 ? j % size : 0));
		}
	}
}

static int has_reth(uint8_t opcode)
{
	switch (opcode & 0x1f) {
	case 0x06:	/* WRITE FIRST, ONLY, ONLY with immediate; READ */
	case 0x0a:
	case 0x0b:
	case 0x0c:
	case 0x13:	/* atomics: VA and R_Key stand in the same places */
	case 0x14:
	case 0x1c:	/* FLUSH, ATOMIC WRITE */
	case 0x1d:
		return 1;
	}
	return 0;
}

static void forge(void)
{
	unsigned long long opcode, qpn, psn, pad, va, rkey, dmalen, extra;
	uint8_t packet[9000];
	char line[256];
	size_t length;
	uint64_t be64;
	uint32_t be32;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%lli %lli %lli %lli %lli %lli %lli %lli", &opcode,
			   &qpn, &psn, &pad, &va, &rkey, &dmalen, &extra) != 8) {
			fprintf(stderr, "not a packet: %s", line);
			exit(1);
		}
		put_bth(packet, opcode, pad, qpn, psn);
		length = BTH;
		if (has_reth(opcode)) {
			be64 = htobe64(va);
			memcpy(packet + length, &be64, 8);
			be32 = htobe32(rkey);
			memcpy(packet + length + 8, &be32, 4);
			be32 = htobe32(dmalen);
			memcpy(packet + length + 12, &be32, 4);
			length += 16;
		}
		if (extra > sizeof(packet) - length - ICRC)
			extra = sizeof(packet) - length - ICRC;
		memset(packet + length, 0xee, extra);
		send_sealed(packet, length + extra);
	}
}

int main(int argc, char **argv)
{
	int one = 1, pmtu = IP_PMTUDISC_DO, i;

	if (argc < 4) {
		fprintf(stderr, "usage: hostile_packets SOURCE DESTINATION MODE ...\n");
		return 2;
	}
	source.sin_family = destination.sin_family = AF_INET;
	source.sin_port = htons(49999);
	destination.sin_port = htons(PORT);
	if (!inet_aton(argv[1], &source.sin_addr) ||
	    !inet_aton(argv[2], &destination.sin_addr))
		die("address");
	sock = socket(AF_INET, SOCK_DGRAM, 0);
	if (sock < 0 || setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    setsockopt(sock, IPPROTO_IP, IP_MTU_DISCOVER, &pmtu, sizeof(pmtu)) ||
	    bind(sock, (struct sockaddr *)&source, sizeof(source)))
		die("socket");

	if (strcmp(argv[3], "sweep") == 0 && argc >= 5 && atoi(argv[4]) > 0) {
		for (i = 5; i < argc; i++)
			sweep(strtoul(argv[i], NULL, 0), atoi(argv[4]));
	} else if (strcmp(argv[3], "random") == 0 && argc >= 6) {
		send_random(atoi(argv[4]), atol(argv[5]), argv + 6, argc - 6);
	} else if (strcmp(argv[3], "batches") == 0) {
		send_batches();
	} else if (strcmp(argv[3], "forge") == 0) {
		forge();
	} else {
		fprintf(stderr, "unknown mode %s\n", argv[3]);
		return 2;
	}
	printf("sent %lu\n", sent);
	return 0;
}
