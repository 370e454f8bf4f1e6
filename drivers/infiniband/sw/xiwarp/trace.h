/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Tracepoints: what a connection goes through. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xiwarp

#if !defined(XIWARP_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define XIWARP_TRACE_H

#include <linux/tracepoint.h>
#include "core/state.h"

#define XIWARP_TRACE_STATES				\
	{ XIWARP_IDLE,		"IDLE" },		\
	{ XIWARP_RTS,		"RTS" },		\
	{ XIWARP_CLOSING,	"CLOSING" },		\
	{ XIWARP_TERMINATE,	"TERMINATE" },		\
	{ XIWARP_ERROR,		"ERROR" }

TRACE_EVENT(xiwarp_qp_state,
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
		  __print_symbolic(__entry->from, XIWARP_TRACE_STATES),
		  __print_symbolic(__entry->to, XIWARP_TRACE_STATES))
);

/* Of the peer, in the order of RFC 5040. */
TRACE_EVENT(xiwarp_terminate,
	TP_PROTO(u32 dev, u32 qpn, u8 layer, u8 etype, u8 code),
	TP_ARGS(dev, qpn, layer, etype, code),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(u8, layer)
		__field(u8, etype)
		__field(u8, code)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->qpn = qpn;
		__entry->layer = layer;
		__entry->etype = etype;
		__entry->code = code;
	),
	TP_printk("dev=%u qpn=%u layer=%u etype=%u code=%#x", __entry->dev,
		  __entry->qpn, __entry->layer, __entry->etype, __entry->code)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
