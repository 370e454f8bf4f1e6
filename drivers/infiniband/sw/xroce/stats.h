/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Counters of a device: one per drop reason, and what the transport did. */
#ifndef XROCE_STATS_H
#define XROCE_STATS_H

#include "core/drop.h"

/*
 * Names are those of the NIC drivers where they have one, so that existing
 * tools find them. X(enumerator, name shown by "rdma statistic show")
 */
#define XROCE_STATS(X)							\
	X(TX_PACKETS,		"tx_packets")				\
	X(TX_BYTES,		"tx_bytes")				\
	X(TX_DIRECT,		"tx_direct_packets")			\
	X(RX_PACKETS,		"rx_packets")				\
	X(RX_BYTES,		"rx_bytes")				\
	X(RX_WRITE_REQUESTS,	"rx_write_requests")			\
	X(RX_READ_REQUESTS,	"rx_read_requests")			\
	X(RX_ATOMIC_REQUESTS,	"rx_atomic_requests")			\
	X(OUT_OF_SEQUENCE,	"out_of_sequence")			\
	X(KEPT,			"kept_packets")				\
	X(HOLES_TOLD,		"holes_told")				\
	X(HOLES_HEARD,		"holes_heard_of")			\
	X(KEEP_FULL,		"keep_full")				\
	X(DUPLICATE_REQUEST,	"duplicate_request")			\
	X(PACKET_SEQ_ERR,	"packet_seq_err")			\
	X(IMPLIED_NAK_SEQ_ERR,	"implied_nak_seq_err")			\
	X(LOCAL_ACK_TIMEOUT_ERR, "local_ack_timeout_err")		\
	X(RNR_NAK_RETRY_ERR,	"rnr_nak_retry_err")			\
	X(OUT_OF_BUFFER,	"out_of_buffer")			\
	X(RETRANSMITTED,	"retransmitted_packets")		\
	X(TAIL_PROBES,		"tail_probes")				\
	X(SPURIOUS_RESENT,	"spurious_retransmissions")		\
	X(RETRY_EXCEEDED,	"retry_exceeded_err")			\
	X(REQ_CQE_ERROR,	"req_cqe_error")			\
	X(REQ_CQE_FLUSH_ERROR,	"req_cqe_flush_error")			\
	X(RESP_CQE_ERROR,	"resp_cqe_error")			\
	X(RESP_CQE_FLUSH_ERROR,	"resp_cqe_flush_error")			\
	X(TX_DROPPED,		"tx_dropped")				\
	X(TX_NO_ROUTE,		"tx_no_route")				\
	X(NP_ECN_MARKED,		"np_ecn_marked_roce_packets")	\
	X(NP_CNP_SENT,		"np_cnp_sent")				\
	X(RP_CNP_HANDLED,	"rp_cnp_handled")			\
	X(RP_CNP_IGNORED,	"rp_cnp_ignored")			\
	X(CQ_OVERFLOW,		"cq_overflow")				\
	X(LINK_DOWNED,		"link_downed")

#define XROCE_STAT_ENUM(name, text) XROCE_STAT_##name,
enum xroce_stat {
	XROCE_STATS(XROCE_STAT_ENUM)
	XROCE_STAT_DROP,	/* + enum xroce_drop - 1 */
	XROCE_STAT_COUNT = XROCE_STAT_DROP + XROCE_DROPS - 1
};
#undef XROCE_STAT_ENUM

struct ib_device;
struct xroce_qp;
struct rdma_hw_stats;
struct xroce_dev;

void xroce_count(struct xroce_dev *dev, enum xroce_stat stat, u64 n);
/* @reason XROCE_DROP_NONE counts nothing. */
void xroce_count_drop(struct xroce_dev *dev, enum xroce_drop reason);

/* The same where it is known which QP it was. Bottom halves off. */
void xroce_qp_count(const struct xroce_qp *qp, enum xroce_stat stat, u64 n);
void xroce_qp_count_drop(const struct xroce_qp *qp, enum xroce_drop reason);
/* @n packets did not leave, for the reason that @stat is. */
void xroce_qp_count_lost(const struct xroce_qp *qp, enum xroce_stat stat, u32 n);

/* ib_device_ops */
struct rdma_hw_stats *xroce_alloc_hw_port_stats(struct ib_device *ibdev,
						u32 port_num);
int xroce_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port_num, int index);

#endif
