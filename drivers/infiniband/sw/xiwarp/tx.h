/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The sending half: bursts into FPDUs, FPDUs into the socket. Owner only. */
#ifndef XIWARP_TX_H
#define XIWARP_TX_H

#include <linux/bvec.h>
#include <linux/types.h>

struct sock;
struct xiwarp_framer;
struct xiwarp_burst;
struct xiwarp_qp;

/*
 * Pieces of memory of a batch: enough for a burst of single pages, or for several of
 * larger ones; and few enough for an idle QP to fit into 2 KiB.
 */
#define XIWARP_TX_FRAGS	21

/* Until there may be memory again. */
#define XIWARP_RETRY_NS	(1 * NSEC_PER_MSEC)

/**
 * struct xiwarp_tx - bytes that were made and that the socket has yet to take
 * @frags: where they are, each with a reference to its page
 * @num: entries of @frags
 * @bytes: in total
 */
struct xiwarp_tx {
	struct bio_vec frags[XIWARP_TX_FRAGS];
	u32 num;
	u32 bytes;
};

/*
 * Make a batch of FPDUs of what the engine wants to send. qp->tx is empty.
 * Return: false if there is nothing to send, or no memory until qp->retry_at.
 */
bool xiwarp_tx_fill(struct xiwarp_qp *qp);

/*
 * Give the socket, which is locked, as much as it takes. Return: 0 when all was
 * taken, -EAGAIN when the socket's write_space callback will tell, or an error of
 * the connection.
 */
int xiwarp_tx_push(struct xiwarp_tx *tx, struct sock *sk);

/* Forget what is left. Any context. */
void xiwarp_tx_drop(struct xiwarp_tx *tx);

/*
 * A burst without payload as bytes, for who has no QP to send by. @size: of @buf.
 * Return: bytes.
 */
unsigned int xiwarp_tx_build(struct xiwarp_framer *framer,
			     const struct xiwarp_burst *burst, u8 *buf,
			     unsigned int size);

/* Once nobody sends any more. */
void xiwarp_tx_exit(void);

#endif
