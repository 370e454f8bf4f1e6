/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Tracepoints: state changes of QPs and ports, packets that are dropped or lost. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xroce

#if !defined(XROCE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define XROCE_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include "core/drop.h"
#include "stats.h"

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

#define XROCE_TRACE_LOSSES				\
	{ XROCE_STAT_TX_DROPPED, "tx_dropped" },	\
	{ XROCE_STAT_TX_NO_ROUTE, "tx_no_route" }

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
	TP_PROTO(u32 dev, u32 qpn, int reason),
	TP_ARGS(dev, qpn, reason),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(int, reason)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->qpn = qpn;
		__entry->reason = reason;
	),
	TP_printk("dev=%u qpn=%u %s", __entry->dev, __entry->qpn,
		  __print_symbolic(__entry->reason, XROCE_TRACE_DROPS))
);

TRACE_EVENT(xroce_lost,
	TP_PROTO(u32 dev, u32 qpn, int reason, u32 packets),
	TP_ARGS(dev, qpn, reason, packets),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(int, reason)
		__field(u32, packets)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->qpn = qpn;
		__entry->reason = reason;
		__entry->packets = packets;
	),
	TP_printk("dev=%u qpn=%u %s packets=%u", __entry->dev, __entry->qpn,
		  __print_symbolic(__entry->reason, XROCE_TRACE_LOSSES),
		  __entry->packets)
);

TRACE_EVENT(xroce_port_state,
	TP_PROTO(u32 dev, bool is_active),
	TP_ARGS(dev, is_active),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(bool, is_active)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->is_active = is_active;
	),
	TP_printk("dev=%u %s", __entry->dev,
		  __entry->is_active ? "ACTIVE" : "DOWN")
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
