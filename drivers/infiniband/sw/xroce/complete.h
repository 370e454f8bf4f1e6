/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completions and asynchronous events of a QP. Called by its owner. */
#ifndef XROCE_COMPLETE_H
#define XROCE_COMPLETE_H

#include <rdma/ib_verbs.h>

struct sk_buff;
struct xroce_pkt;
struct xroce_qp;
struct xroce_resp_done;

/* Raised by a work item: handlers may sleep, or take what a poster holds. */
void xroce_qp_event(struct xroce_qp *qp, enum ib_event_type type);

/* The event and the state change that @done asks for. */
void xroce_qp_fault(struct xroce_qp *qp, const struct xroce_resp_done *done);

/* Take finished sends off the ring, at most @budget. Return: how many. */
unsigned int xroce_complete_sends(struct xroce_qp *qp, unsigned int budget);

/*
 * Complete the receive request in progress. @skb, @pkt: the last packet, for
 * the address fields of datagrams.
 */
void xroce_complete_recv(struct xroce_qp *qp, const struct sk_buff *skb,
			 const struct xroce_pkt *pkt,
			 const struct xroce_resp_done *done);

/* Flush receive requests, at most @budget. Return: how many. */
unsigned int xroce_flush_recvs(struct xroce_qp *qp, unsigned int budget);

#endif
