/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Whole packets, network header to ICRC. V: seen on the wire or published test
 * vectors. W: worked examples. V2b is a second CNP of the same lab as V1.
 */
#ifndef UNIT_VECTORS_H
#define UNIT_VECTORS_H

#include <ctype.h>
#include <stdlib.h>
#include "icrc.h"

#define VECTOR_MAX_BYTES 256

struct vector {
	const char *name;
	enum xroce_l3 l3;
	const char *hex;
	const char *masked;	/* as it enters the CRC, or NULL */
};

static const struct vector vectors[] = {
	{ "V1", XROCE_L3_IPV4,
	  /* RC ACK */
	  "45 02 00 30 36 31 40 00 40 11 8e 50 c0 a8 fa 72"
	  "c0 a8 fa 75 cf 21 12 b7 00 1c 00 00 11 40 ff ff"
	  "00 00 0d 1e 00 46 6f 1e 00 0e 6f 02 8d 64 38 3d",
	  "45 ff 00 30 36 31 40 00 ff 11 ff ff c0 a8 fa 72"
	  "c0 a8 fa 75 cf 21 12 b7 00 1c ff ff 11 40 ff ff"
	  "ff 00 0d 1e 00 46 6f 1e 00 0e 6f 02" },
	{ "V2", XROCE_L3_IPV4,
	  /* CNP */
	  "45 c2 00 3c 71 8c 40 00 40 11 91 61 0a 00 11 01"
	  "0a 00 12 01 00 00 12 b7 00 28 00 00 81 00 ff ff"
	  "40 00 01 18 00 00 00 00 00 00 00 00 00 00 00 00"
	  "00 00 00 00 00 00 00 00 82 fd 00 2a", NULL },
	{ "V2b", XROCE_L3_IPV4,
	  /* CNP */
	  "45 c2 00 3c b8 c5 40 00 40 11 0a f0 c0 a8 fa 72"
	  "c0 a8 fa 75 00 00 12 b7 00 28 00 00 81 00 ff ff"
	  "40 00 0d 1e 00 00 00 00 00 00 00 00 00 00 00 00"
	  "00 00 00 00 00 00 00 00 b0 08 1c 7f", NULL },
	{ "V3", XROCE_L3_GRH,
	  /* RC WRITE ONLY, 5 bytes */
	  "60 20 00 00 00 28 1b 40 00 00 00 00 00 00 00 00 00 00 ff ff 0f 00 00 02"
	  "00 00 00 00 00 00 00 00 00 00 ff ff 0f 00 00 02"
	  "0a 70 ff ff 00 00 01 0a 80 a7 88 bc"
	  "00 00 55 d4 c0 72 60 00 00 00 47 b3 00 00 00 05"
	  "00 00 00 00 01 00 00 00   e3 d8 56 bb", NULL },
	{ "V4", XROCE_L3_GRH,
	  /* RC ACK */
	  "60 20 00 00 00 14 1b 40 00 00 00 00 00 00 00 00 00 00 ff ff 0f 00 00 02"
	  "00 00 00 00 00 00 00 00 00 00 ff ff 0f 00 00 02"
	  "11 40 ff ff 00 00 01 09 00 a7 88 c0 00 00 00 05   25 f0 c0 38", NULL },
	{ "V5", XROCE_L3_IPV4,
	  /* UC SEND ONLY, UDP checksum not zero */
	  "45 01 00 40 04 78 40 00 40 11 b4 d5 c0 a8 00 07 c0 a8 00 07"
	  "c0 00 12 b7 00 2c ac a2 24 60 ff ff 00 00 00 d3 00 cf 17 10"
	  "46 30 81 8b e2 89 35 d9 0e 9a 95 50 54 01 be 88 5e 50 00 00   78 f3 53 f3", NULL },
	{ "V6", XROCE_L3_IPV6,
	  /* UC SEND ONLY */
	  "6e 21 fa ce 00 2c 11 ff 20 22 00 00 00 00 00 00 00 00 00 00 00 00 10 23"
	  "20 23 00 00 00 00 00 00 00 00 00 00 00 00 10 24"
	  "c0 00 12 b7 00 2c e7 c5 24 60 ff ff 00 00 00 d3 00 cf 17 10"
	  "46 30 81 8b e2 89 35 d9 0e 9a 95 50 54 01 be 88 5e 50 00 00   3e 5b 74 3b", NULL },
	{ "W1", XROCE_L3_IPV4,
	  /* RC SEND ONLY "Hello" */
	  "45 02 00 34 12 34 40 00 40 11 a4 7f c0 00 02 01 c0 00 02 02"
	  "c1 32 12 b7 00 20 00 00 04 70 ff ff 00 00 00 12 80 00 01 00"
	  "48 65 6c 6c 6f 00 00 00   fb 52 d6 77",
	  "45 ff 00 34 12 34 40 00 ff 11 ff ff c0 00 02 01 c0 00 02 02"
	  "c1 32 12 b7 00 20 ff ff 04 70 ff ff ff 00 00 12 80 00 01 00"
	  "48 65 6c 6c 6f 00 00 00" },
	{ "W2", XROCE_L3_IPV6,
	  /* UD SEND ONLY, 16 bytes */
	  "66 81 23 45 00 30 11 01 fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 01"
	  "fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 02"
	  "e3 41 12 b7 00 30 00 00 64 40 ff ff 00 00 00 12 00 00 00 07"
	  "11 11 11 11 00 00 00 11 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"
	  "4c 9a 18 89",
	  "6f ff ff ff 00 30 11 ff fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 01"
	  "fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 02"
	  "e3 41 12 b7 00 30 ff ff 64 40 ff ff ff 00 00 12 00 00 00 07"
	  "11 11 11 11 00 00 00 11 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f" },
	{ "W3", XROCE_L3_IPV6,
	  /* RC WRITE ONLY with immediate, 1 byte */
	  "60 20 00 00 00 30 11 40 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01"
	  "20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 02"
	  "c0 de 12 b7 00 30 00 00 0b f0 ff ff 00 00 00 12 80 ff ff ff"
	  "00 00 7f 00 12 34 56 78 0a 0b 0c 0d 00 00 00 01 01 02 03 04 5a 00 00 00"
	  "39 9f 07 6f", NULL },
	{ "W4", XROCE_L3_GRH,
	  /* UD SEND ONLY with immediate to QP1 */
	  "60 00 00 00 00 20 1b 01 fe 80 00 00 00 00 00 00 02 1b 21 ff fe 11 22 33"
	  "fe 80 00 00 00 00 00 00 02 1b 21 ff fe 11 44 55"
	  "65 60 ff ff 00 00 00 01 00 00 00 09 80 01 00 00 00 00 00 01 de ad be ef"
	  "61 62 00 00   2a 2f 71 80",
	  "6f ff ff ff 00 20 1b ff fe 80 00 00 00 00 00 00 02 1b 21 ff fe 11 22 33"
	  "fe 80 00 00 00 00 00 00 02 1b 21 ff fe 11 44 55"
	  "65 60 ff ff ff 00 00 01 00 00 00 09 80 01 00 00 00 00 00 01 de ad be ef"
	  "61 62 00 00" },
	{ "W5", XROCE_L3_IPV4,
	  /* RC FLUSH */
	  "45 02 00 40 00 00 40 00 40 11 b6 a7 c0 00 02 01 c0 00 02 02"
	  "c0 00 12 b7 00 2c 00 00 1c 40 ff ff 00 00 00 12 80 00 00 05"
	  "00 00 00 01 00 00 00 00 00 00 10 00 00 00 20 00 00 00 00 40   f8 2f 38 ec", NULL },
	{ "W6", XROCE_L3_IPV4,
	  /* RC ATOMIC WRITE */
	  "45 02 00 44 00 00 40 00 40 11 b6 a3 c0 00 02 01 c0 00 02 02"
	  "c0 00 12 b7 00 30 00 00 1d 40 ff ff 00 00 00 12 80 00 00 06"
	  "00 00 00 00 00 00 10 08 00 00 20 00 00 00 00 08 01 02 03 04 05 06 07 08"
	  "a3 08 64 a2", NULL },
	{ "W7", XROCE_L3_IPV4,
	  /* XRC SEND ONLY, an opcode that we do not know */
	  "45 02 00 34 00 00 40 00 40 11 b6 b3 c0 00 02 01 c0 00 02 02"
	  "c0 00 12 b7 00 20 00 00 a4 40 ff ff 00 00 00 12 80 00 00 06"
	  "00 00 00 55 58 52 43 21   15 1b d9 8d", NULL },
};

#define VECTORS (sizeof(vectors) / sizeof(*vectors))

/* Hex to bytes; @buf holds VECTOR_MAX_BYTES. */
static inline unsigned int vector_bytes(const char *hex, u8 *buf)
{
	unsigned int len = 0;
	char *end;

	while (*hex) {
		char digits[3] = { hex[0], hex[1], 0 };

		if (isspace((unsigned char)*hex)) {
			hex++;
			continue;
		}
		if (len == VECTOR_MAX_BYTES)
			abort();
		buf[len++] = (u8)strtoul(digits, &end, 16);
		if (*end)
			abort();
		hex += 2;
	}
	return len;
}

static inline const struct vector *vector_find(const char *name)
{
	size_t i;

	for (i = 0; i < VECTORS; i++)
		if (!strcmp(vectors[i].name, name))
			return &vectors[i];
	abort();
}

#endif
