/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Programs that post small requests one after the other and don't wait for each. What
 * they post is sent on another processor, meanwhile they post more, without ringing:
 * so one run has several requests, which go to TCP in one call. Whoever waits for his
 * request is better off with a run in his own system call. And peers that send much: it
 * is copied to its place on another processor than the one that took it from the network.
 */
#ifndef XIWARP_STREAM_H
#define XIWARP_STREAM_H

#include <linux/types.h>

struct sock;
struct xiwarp_qp;

/* A program's doorbell. Those who ring at once may be miscounted. */
void xiwarp_stream_note(struct xiwarp_qp *qp);

/* Is what it rang for to be sent by another processor? Process. */
bool xiwarp_stream_is_for_others(const struct xiwarp_qp *qp);

/*
 * Has so much come that another processor shall deal with it, while this one receives
 * more - or sends it, if the peer is on this host? @sk is locked.
 */
bool xiwarp_stream_is_bulk(const struct sock *sk);

/* Which one. */
int xiwarp_stream_cpu(void);

#endif
