/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Counters of a device: what the transport did, and why it ended. */
#ifndef XIWARP_STATS_H
#define XIWARP_STATS_H

#include <linux/types.h>
#include "core/fault.h"

/* X(enumerator, name shown by "rdma statistic show") */
#define XIWARP_STATS(X)							\
	X(TX_FPDUS,		"tx_fpdus")				\
	X(TX_BYTES,		"tx_bytes")				\
	X(RX_FPDUS,		"rx_fpdus")				\
	X(RX_BYTES,		"rx_bytes")				\
	X(RX_SENDS,		"rx_send_messages")			\
	X(RX_READ_REQUESTS,	"rx_read_requests")			\
	X(RX_READ_RESPONSES,	"rx_read_responses")			\
	X(CONNECTS,		"connects_sent")			\
	X(ACCEPTS,		"connects_accepted")			\
	X(REJECTS,		"connects_rejected")			\
	X(SETUP_FAILED,		"connects_failed")			\
	X(SETUP_TIMEOUT,	"connects_timed_out")			\
	X(LISTEN_OVERFLOW,	"listen_overflow")			\
	X(TERMINATES_SENT,	"tx_terminates")			\
	X(TERMINATES_RECEIVED,	"rx_terminates")			\
	X(OUT_OF_BUFFER,	"out_of_buffer")			\
	X(CONN_LOST,		"connections_lost")			\
	X(TCP_RETRANSMITS,	"tcp_retransmits")			\
	X(SNDBUF_FULL,		"tx_waits_for_tcp")			\
	X(REQ_CQE_ERROR,	"req_cqe_error")			\
	X(REQ_CQE_FLUSH_ERROR,	"req_cqe_flush_error")			\
	X(RESP_CQE_ERROR,	"resp_cqe_error")			\
	X(RESP_CQE_FLUSH_ERROR,	"resp_cqe_flush_error")			\
	X(CQ_OVERFLOW,		"cq_overflow")				\
	X(LINK_DOWNED,		"link_downed")

#define XIWARP_STAT_ENUM(name, text) XIWARP_STAT_##name,
enum xiwarp_stat {
	XIWARP_STATS(XIWARP_STAT_ENUM)
	XIWARP_STAT_FAULT,	/* + enum xiwarp_fault - 1 */
	XIWARP_STAT_COUNT = XIWARP_STAT_FAULT + XIWARP_FAULTS - 1
};
#undef XIWARP_STAT_ENUM

struct ib_device;
struct rdma_hw_stats;
struct xiwarp_dev;

void xiwarp_count(struct xiwarp_dev *dev, enum xiwarp_stat stat, u64 n);

/* ib_device_ops */
struct rdma_hw_stats *xiwarp_alloc_hw_port_stats(struct ib_device *ibdev,
						 u32 port_num);
int xiwarp_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			u32 port_num, int index);

#endif
