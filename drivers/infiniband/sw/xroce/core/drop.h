/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Why a received packet was dropped. One counter each; the list is the one
 * place where reasons are named. Shown by "rdma statistic show".
 */
#ifndef XROCE_CORE_DROP_H
#define XROCE_CORE_DROP_H

#define XROCE_DROP_REASONS(X)						\
	X(SHORT,	"drop_short")		/* truncated headers */	\
	X(L3,		"drop_l3")		/* bad IP/UDP/GRH */	\
	X(OPCODE,	"drop_opcode")		/* unknown BTH opcode */ \
	X(VERSION,	"drop_version")		/* BTH TVer */		\
	X(NO_QP,	"drop_no_qp")		/* DestQP unknown */	\
	X(SERVICE,	"drop_service")		/* opcode of another QP type */ \
	X(STATE,	"drop_qp_state")	/* QP does not listen */ \
	X(ADDRESS,	"drop_address")		/* not the QP's peer or GID */ \
	X(PKEY,		"drop_pkey")					\
	X(QKEY,		"drop_qkey")					\
	X(ICRC,		"drop_icrc")					\
	X(QUEUE_FULL,	"drop_queue_full")	/* QP backlog */	\
	X(NO_MEMORY,	"drop_no_memory")				\
	X(OUT_OF_ORDER,	"drop_out_of_order")	/* behind a PSN gap */	\
	X(STALE,	"drop_stale")		/* old or ghost response */ \
	X(DUPLICATE,	"drop_duplicate")	/* duplicate that needs no action */ \
	X(RNR,		"drop_rnr")		/* no receive buffer */	\
	X(TOO_LONG,	"drop_too_long")	/* UD/UC: buffer too small */ \
	X(REMOTE_ACCESS, "drop_remote_access")	/* UC: key or range */	\
	X(SEQUENCE,	"drop_sequence")	/* UC: broken message */ \
	X(MALFORMED,	"drop_malformed")	/* response against the rules */

#define XROCE_DROP_ENUM(name, text) XROCE_DROP_##name,
enum xroce_drop {
	XROCE_DROP_NONE,
	XROCE_DROP_REASONS(XROCE_DROP_ENUM)
	XROCE_DROPS
};
#undef XROCE_DROP_ENUM

#endif
