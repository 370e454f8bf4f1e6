/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The cached route of a QP. */
#ifndef XROCE_ROUTE_H
#define XROCE_ROUTE_H

#include <linux/types.h>

struct dst_entry;
struct xroce_av;
struct xroce_qp;

/**
 * struct xroce_route - where a QP's packets go, cached; belongs to the owner
 * @av: what it was made for, with a reference; NULL = nothing cached
 * @dst: route, with a reference
 * @cookie: for dst_check()
 * @sport: UDP source port, network order
 * @ip_id: next IPv4 identification
 * @is_local: to an address of this host
 * @may_segment: the netdev may be given several packets as one buffer
 */
struct xroce_route {
	struct xroce_av *av;
	struct dst_entry *dst;
	u32 cookie;
	__be16 sport;
	u16 ip_id;
	bool is_local;
	bool may_segment;
};

/*
 * Make qp->route fit @av: cached, or looked up in the network namespace of the
 * GID's netdev. Owner of the QP, bottom halves off. Return: false without route.
 */
bool xroce_route_find(struct xroce_qp *qp, struct xroce_av *av);

/* Forget it. Owner of the QP. */
void xroce_route_reset(struct xroce_route *route);

#endif
