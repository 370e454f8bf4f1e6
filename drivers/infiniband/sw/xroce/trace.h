/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Tracepoints: state changes of QPs, dropped packets. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xroce

#if !defined(XROCE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define XROCE_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include "core/drop.h"

#define XROCE_TRACE_STATES				\
	{ IB_QPS_RESET,	"RESET" },			\
	{ IB_QPS_INIT,	"INIT" },			\
	{ IB_QPS_RTR,	"RTR" },			\
	{ IB_QPS_RTS,	"RTS" },			\
	{ IB_QPS_SQD,	"SQD" },			\
	{ IB_QPS_SQE,	"SQE" },			\
	{ IB_QPS_ERR,	"ERR" }

#define XROCE_TRACE_DROP(name, text) { XROCE_DROP_##name, text },
#define XROCE_TRACE_DROPS				\
	XROCE_DROP_REASONS(XROCE_TRACE_DROP)		\
	{ XROCE_DROP_NONE, "none" }

TRACE_EVENT(xroce_qp_state,
	TP_PROTO(u32 dev, u32 qpn, int from, int to),
	TP_ARGS(dev, qpn, from, to),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(int, from)
		__field(int, to)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->qpn = qpn;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("dev=%u qpn=%u %s -> %s", __entry->dev, __entry->qpn,
		  __print_symbolic(__entry->from, XROCE_TRACE_STATES),
		  __print_symbolic(__entry->to, XROCE_TRACE_STATES))
);

TRACE_EVENT(xroce_drop,
	TP_PROTO(u32 dev, int reason),
	TP_ARGS(dev, reason),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(int, reason)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->reason = reason;
	),
	TP_printk("dev=%u %s", __entry->dev,
		  __print_symbolic(__entry->reason, XROCE_TRACE_DROPS))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
