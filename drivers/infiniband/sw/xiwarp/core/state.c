// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a connected QP: the table. An empty row means that the event says
 * nothing in that state.
 */
#include <linux/bits.h>
#include "state.h"

/* How long the peer may take to answer our FIN, or our Terminate, with its own. */
#define CLOSING_NS	5000000000ULL
#define TERMINATE_NS	2000000000ULL

#define SHUTDOWN	XIWARP_DO_SHUTDOWN
#define RESET		XIWARP_DO_RESET
#define FLUSH		XIWARP_DO_FLUSH
#define EVENT		XIWARP_DO_EVENT
#define DISCONNECT	XIWARP_DO_DISCONNECT
#define CLOSE		XIWARP_DO_CLOSE
#define CLOSE_RESET	XIWARP_DO_CLOSE_RESET
#define RELEASE		XIWARP_DO_RELEASE

struct row {
	bool valid;
	u8 next;
	u32 todo;
};

#define ON(in, next_, todo_)	\
	[XIWARP_IN_##in] = { true, XIWARP_##next_, todo_ }

static const struct row rows[XIWARP_STATES][XIWARP_INPUTS] = {
	[XIWARP_IDLE] = {
		ON(ESTABLISHED,	RTS,	0),
		ON(ABORT,	ERROR,	FLUSH),
	},
	[XIWARP_RTS] = {
		ON(DISCONNECT,	CLOSING,   SHUTDOWN),
		ON(ABORT,	ERROR,	   RESET | FLUSH | CLOSE | RELEASE),
		ON(FAULT,	TERMINATE, SHUTDOWN | FLUSH | EVENT),
		ON(TERMINATED,	ERROR,	   SHUTDOWN | FLUSH | EVENT |
					   DISCONNECT | CLOSE_RESET | RELEASE),
		/* What it sent before is delivered; nobody reads on. */
		ON(FIN,		ERROR,	   SHUTDOWN | FLUSH | DISCONNECT |
					   CLOSE | RELEASE),
		ON(CUT,		ERROR,	   RESET | FLUSH | EVENT |
					   CLOSE_RESET | RELEASE),
		ON(LOST,	ERROR,	   FLUSH | EVENT | CLOSE_RESET | RELEASE),
	},
	[XIWARP_CLOSING] = {
		ON(ABORT,	ERROR,	   RESET | FLUSH | CLOSE | RELEASE),
		ON(FAULT,	TERMINATE, SHUTDOWN | FLUSH | EVENT),
		ON(TERMINATED,	ERROR,	   FLUSH | CLOSE_RESET | RELEASE),
		/* SHUTDOWN: the peer was faster, our last bytes may not be out. */
		ON(FIN,		ERROR,	   SHUTDOWN | FLUSH | CLOSE | RELEASE),
		ON(CUT,		ERROR,	   RESET | FLUSH | CLOSE_RESET | RELEASE),
		ON(LOST,	ERROR,	   FLUSH | CLOSE_RESET | RELEASE),
		ON(EXPIRED,	ERROR,	   RESET | FLUSH | CLOSE_RESET | RELEASE),
	},
	[XIWARP_TERMINATE] = {
		ON(ABORT,	ERROR,	   RESET | CLOSE_RESET | RELEASE),
		ON(TERMINATED,	ERROR,	   CLOSE_RESET | RELEASE),
		ON(FIN,		ERROR,	   CLOSE_RESET | RELEASE),
		ON(CUT,		ERROR,	   CLOSE_RESET | RELEASE),
		ON(LOST,	ERROR,	   CLOSE_RESET | RELEASE),
		ON(EXPIRED,	ERROR,	   RESET | CLOSE_RESET | RELEASE),
	},
};

static const u64 limits_ns[XIWARP_STATES] = {
	[XIWARP_CLOSING]   = CLOSING_NS,
	[XIWARP_TERMINATE] = TERMINATE_NS,
};

void xiwarp_conn_init(struct xiwarp_conn *conn)
{
	conn->state = XIWARP_IDLE;
	conn->deadline = XIWARP_NEVER;
}

u32 xiwarp_conn_input(struct xiwarp_conn *conn, enum xiwarp_input in, u64 now)
{
	const struct row *row = &rows[conn->state][in];

	if (!row->valid)
		return 0;
	conn->state = row->next;
	conn->deadline = limits_ns[conn->state] ? now + limits_ns[conn->state] :
						  XIWARP_NEVER;
	return row->todo;
}

u32 xiwarp_conn_expire(struct xiwarp_conn *conn, u64 now)
{
	if (now < conn->deadline)
		return 0;
	return xiwarp_conn_input(conn, XIWARP_IN_EXPIRED, now);
}
