/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Life of a connected QP: state x event -> state and actions, one table
 * (RFC 5040 5.2; the states are the iWARP verbs'). Time is an argument; what
 * lasts too long expires.
 *
 *              ESTABLISHED          DISCONNECT
 *        IDLE ------------> RTS ----------------> CLOSING
 *          |               / | \                     |
 *          | ABORT   FAULT/  |  \TERMINATED          |
 *          |             v   |   \  FIN              | FIN
 *          |     TERMINATE   |    \  LOST            | LOST
 *          |             \   |     \                 | ABORT
 *          v    FIN, LOST \  |ABORT \                v expired
 *        ERROR <-----------*-*-------*---------------*
 *              or expired
 */
#ifndef XIWARP_CORE_STATE_H
#define XIWARP_CORE_STATE_H

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/types.h>

#define XIWARP_NEVER	U64_MAX

enum xiwarp_state {
	XIWARP_IDLE,		/* RESET, INIT, RTR of verbs: not connected */
	XIWARP_RTS,
	XIWARP_CLOSING,		/* our FIN is out or follows the last byte */
	XIWARP_TERMINATE,	/* our Terminate is out or due; waiting for FIN */
	XIWARP_ERROR,		/* final: all is flushed */
	XIWARP_STATES
};

enum xiwarp_input {
	XIWARP_IN_ESTABLISHED,	/* the MPA startup succeeded */
	XIWARP_IN_DISCONNECT,	/* graceful, by our ULP (modify to SQD) */
	XIWARP_IN_ABORT,	/* abrupt, by our ULP (modify to ERR, destroy) */
	XIWARP_IN_FAULT,	/* of the peer or ours: a Terminate is owed */
	XIWARP_IN_TERMINATED,	/* the peer's Terminate came */
	XIWARP_IN_FIN,		/* the peer's last byte was dealt with */
	XIWARP_IN_CUT,		/* FIN in the middle of an FPDU */
	XIWARP_IN_LOST,		/* reset, timeout, socket error */
	XIWARP_IN_EXPIRED,	/* deadline passed; by expire() alone */
	XIWARP_INPUTS
};

/* Actions, to be carried out in this order. */
#define XIWARP_DO_SHUTDOWN	BIT(0)	/* send what is owed, then FIN */
#define XIWARP_DO_RESET		BIT(1)	/* send nothing more, RST */
#define XIWARP_DO_FLUSH		BIT(2)	/* flush SQ and RQ into the CQs */
#define XIWARP_DO_EVENT		BIT(3)	/* async event QP_FATAL, unless a FAULT step told */
#define XIWARP_DO_DISCONNECT	BIT(4)	/* iw_cm DISCONNECT event: peer wants to end */
#define XIWARP_DO_CLOSE		BIT(5)	/* iw_cm CLOSE event, status 0 */
#define XIWARP_DO_CLOSE_RESET	BIT(6)	/* iw_cm CLOSE event, status -ECONNRESET */
#define XIWARP_DO_RELEASE	BIT(7)	/* the socket may be released */

/**
 * struct xiwarp_conn - state and since when
 * @state: enum xiwarp_state
 * @deadline: ns, XIWARP_NEVER
 */
struct xiwarp_conn {
	u8 state;
	u64 deadline;
};

void xiwarp_conn_init(struct xiwarp_conn *conn);

/*
 * @in happened at @now. Return: XIWARP_DO_*, 0 if it means nothing in this state.
 * CLOSE or CLOSE_RESET is given exactly once for each ESTABLISHED.
 */
u32 xiwarp_conn_input(struct xiwarp_conn *conn, enum xiwarp_input in, u64 now);

/* When expire() must be called at the latest; XIWARP_NEVER if not at all. */
static inline u64 xiwarp_conn_deadline(const struct xiwarp_conn *conn)
{
	return conn->deadline;
}

/* Return: as input(). Nothing happens before the deadline. */
u32 xiwarp_conn_expire(struct xiwarp_conn *conn, u64 now);

#endif
