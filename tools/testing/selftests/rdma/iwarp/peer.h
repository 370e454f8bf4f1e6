/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An iWARP peer on an ordinary socket, with the protocol core of the driver in user
 * space below it and none of its state: it can do what no driver does, and
 * whatever is wrong. What does not go as it should ends the program.
 */
#ifndef IWARP_PEER_H
#define IWARP_PEER_H

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../iw_end.h"
#include "fault.h"
#include "fpdu.h"
#include "mpa.h"
#include "wire.h"

#define MINE_STAG	0x55550100U	/* what the other end reads and writes here */
#define MINE_TO		0x7f0000001000ULL
#define MINE_BYTES	(1U << 20)

extern const char *where;		/* which turn of a loop */

void __attribute__((noreturn, format(printf, 3, 4)))
wrong(const char *file, int line, const char *format, ...);

#define expect(cond) do {						\
	if (!(cond))							\
		wrong(__FILE__, __LINE__, "%s", #cond);			\
} while (0)

#define expect_eq(got, want) do {					\
	unsigned long long got_ = (unsigned long long)(got);		\
	unsigned long long want_ = (unsigned long long)(want);		\
	if (got_ != want_)						\
		wrong(__FILE__, __LINE__, "%s is 0x%llx, not 0x%llx",	\
		      #got, got_, want_);				\
} while (0)

/**
 * struct style - how to talk
 * @revision: of MPA
 * @crc: ask for it
 * @markers: ask for them (they are sent if the other end asks)
 * @rtr: offer, as initiator
 * @cut: bytes of each send(), 0: all
 * @mulpdu: longest ULPDU of ours
 * @private_len: bytes of private data in the Request
 */
struct style {
	u8 revision;
	bool crc, markers;
	u8 rtr;
	unsigned int cut, mulpdu;
	unsigned int private_len;
};

extern const struct style plain;

/**
 * struct peer - one connection
 * @fd: socket
 * @style: how we talk
 * @agreed: by the startup
 * @tx: our stream
 * @rx: the other end's
 * @msn: next of ours
 * @rx_msn: next of the other end's
 */
struct peer {
	int fd;
	struct style style;
	struct xiwarp_mpa_agreed agreed;
	struct xiwarp_framer tx;
	struct xiwarp_deframer rx;
	u32 msn[XIWARP_QUEUES];
	u32 rx_msn[XIWARP_QUEUES];
};

extern struct sockaddr_in address;	/* of the listener */
extern u8 mine[MINE_BYTES];		/* MINE_STAG */
extern u8 message[MINE_BYTES];		/* SEND that came last */
extern u32 message_len;
extern u32 region_stag;			/* of the other end */
extern u64 region;

/* ---- bytes ---- */

/* False when the other end wants no more. */
bool put(struct peer *p, const void *data, size_t len);
void tune(int fd);
void open_socket(struct peer *p, const struct style *style);
/* The other end ends the connection, whatever it still says. */
void expect_end(struct peer *p);

/* ---- startup ---- */

/* False if the other end closes before the whole frame came. */
bool get_frame(struct peer *p, bool is_reply, struct xiwarp_mpa_rx *rx,
	       struct xiwarp_mpa_frame *frame);
void put_frame(struct peer *p, const struct xiwarp_mpa_frame *frame);
void begin_stream(struct peer *p);
struct xiwarp_mpa_policy policy_of(const struct style *style);
/* As initiator, RTR included. */
void start(struct peer *p, const struct style *style);

/* ---- segments ---- */

/* A header and payload, one bit of the CRC wrong if @spoil. */
bool put_fpdu(struct peer *p, const u8 *hdr, unsigned int hdr_len, const u8 *payload,
	      unsigned int len, bool spoil);
bool put_seg(struct peer *p, const struct xiwarp_seg *seg, const void *payload,
	     unsigned int len);
/* A segment as it should be: the next on its queue, or to the other end's region. */
struct xiwarp_seg good(struct peer *p, u8 opcode);
/* A whole message, in segments of style.mulpdu. */
void put_message(struct peer *p, struct xiwarp_seg seg, const u8 *payload, u32 len);
/* The next segment; seg->info is NULL for an empty FPDU. False at the end. */
bool get_seg(struct peer *p, struct xiwarp_seg *seg, u8 *payload);
/*
 * Serve the other end until a message comes, or anything unusual. Return: its
 * opcode, -1 at the end.
 */
int serve(struct peer *p, struct xiwarp_seg *seg);

/* ---- commands (iw_end.h) ---- */

void fill_mine(void);
void expect_pattern(const u8 *bytes, u32 len);
void command(struct peer *p, char op, u32 len);
/* The next message is text that begins with @status. Return: what follows. */
const char *answer(struct peer *p, const char *status);
/* Both. */
const char *ask(struct peer *p, char op, u32 len, const char *status);
void learn_region(struct peer *p);
/* Connect and have it READ 1000 bytes of us. Return: what it asks. */
struct xiwarp_read wait_for_read(struct peer *p, const struct style *style);
/* End it in a friendly way. */
void done(struct peer *p);
/* How the connection before ended, and the state of the region. */
void check_last(const char *how, const char *state);
/*
 * A Terminate comes that says @fault about the segment of @hdr and @len bytes of
 * ULPDU (NULL: don't look), then the end.
 */
void expect_terminate(struct peer *p, enum xiwarp_fault fault, const u8 *hdr,
		      unsigned int len);

/* ---- cases ---- */

struct test {
	const char *name;
	void (*run)(void);
};

/* Each list ends with a NULL. */
extern const struct test startup_tests[], data_tests[], refuse_tests[], end_tests[];
extern const struct test accept_tests[];

/* accept.c: be ready for connections, and say so. */
void accept_listen(void);

/* data.c: everything in both directions; then get_response() for what it asked last. */
void all_ways(struct peer *p, u32 len);
void get_response(struct peer *p, u32 len);

#endif
