/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Programs that post small requests one after the other and don't wait for each. What
 * they post is sent on another processor, meanwhile they post more: so one run has
 * several requests, which share a buffer and its acknowledgement. Whoever waits for his
 * request is better off with a run in his own system call.
 */
#ifndef XROCE_STREAM_H
#define XROCE_STREAM_H

#include <linux/types.h>

struct xroce_qp;

/* A doorbell, before its requests are taken. Those who ring at once may be miscounted. */
void xroce_stream_note(struct xroce_qp *qp);

/* Is what was just posted to be sent by another processor? Process. */
bool xroce_stream_is_for_others(const struct xroce_qp *qp);

#endif
