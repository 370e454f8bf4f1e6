/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What iw_end.c, a program of verbs, and iw_raw.c, its peer on a plain TCP socket,
 * tell each other. A command comes as a SEND; its answer, a SEND of text, begins
 * with the completion status of what was asked for.
 */
#ifndef IW_END_H
#define IW_END_H

#include <stdint.h>

#define IW_PORT		7190
#define IW_REGION	65536		/* bytes that the peer may read, write, change */
#define IW_RECVS	16
#define IW_RECV_BYTES	4096
#define IW_DEPTH	4		/* READs at once, either way */
#define IW_TEXT		256

struct iw_command {
	uint8_t op;
	uint8_t zero[3];
	uint32_t len;			/* big endian, as the others */
	uint32_t stag;
	uint32_t zero2;
	uint64_t to;
};

/*
 *	e  echo: answer only
 *	s  SEND of len bytes, before the answer
 *	v  the same with invalidate of stag
 *	w  RDMA WRITE of len bytes to stag, to
 *	r  RDMA READ of len bytes from there; the answer says whether they were right
 *	q  after this answer, repeat no receive and do no command
 *	z  sleep for len milliseconds before the answer
 *	k  "STAG TO": the region
 *	c  "clean", or where the region is not as it was; what lies around it must be.
 *	   With len: and put it back to what it was
 *	l  how the connection before this one ended: "recv STATUS send STATUS event
 *	   EVENT", the first bad of each or 0
 */

/* Byte @i of what is sent, and of the region at first. */
static inline uint8_t iw_byte(uint32_t i)
{
	return (uint8_t)(i * 7 + (i >> 8) + 3);
}

#endif
