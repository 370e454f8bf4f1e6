/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the programs here share: an RC QP or two, and how to give up. */
#ifndef VERBS_H
#define VERBS_H

#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	exit(1);
}

static inline struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i]; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			context = ibv_open_device(list[i]);
	}
	if (!context)
		die("cannot open %s: %m", name);
	ibv_free_device_list(list);
	return context;
}

static inline struct ibv_qp *make_qp(struct ibv_pd *pd, struct ibv_cq *cq,
				     struct ibv_srq *srq, enum ibv_qp_type type,
				     int depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = {
			.max_send_wr = depth,
			.max_recv_wr = srq ? 0 : depth,
			.max_send_sge = 2,
			.max_recv_sge = 2,
			.max_inline_data = 64,
		},
		.qp_type = type,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp)
		die("cannot create a QP: %m");
	return qp;
}

#define PSN 0xfffff0	/* so that it wraps */
#define QKEY 0x11111111

/*
 * Up to RTS. @gid, @dest_qp: the peer of an RC or UC QP. @wish: path_mtu, timeout
 * and ah_attr.static_rate.
 */
static inline void connect_qp_with(struct ibv_qp *qp, int gid_index,
				   const union ibv_gid *gid, uint32_t dest_qp,
				   const struct ibv_qp_attr *wish)
{
	int is_ud = qp->qp_type == IBV_QPT_UD, is_rc = qp->qp_type == IBV_QPT_RC;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | (is_ud ? IBV_QP_QKEY :
					 IBV_QP_ACCESS_FLAGS)))
		die("to INIT: %m");

	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = wish->path_mtu,
		.rq_psn = PSN,
		.dest_qp_num = dest_qp,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.grh.sgid_index = gid_index,
			.grh.hop_limit = 64,
			.static_rate = wish->ah_attr.static_rate,
			.port_num = 1,
		},
	};
	if (gid)
		attr.ah_attr.grh.dgid = *gid;
	if (ibv_modify_qp(qp, &attr, is_ud ? IBV_QP_STATE :
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  (is_rc ? IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER : 0)))
		die("to RTR: %m");

	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = PSN,
		.timeout = wish->timeout,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN |
			  (is_rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				   IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0)))
		die("to RTS: %m");
}

static inline void connect_qp(struct ibv_qp *qp, int gid_index,
			      const union ibv_gid *gid, uint32_t dest_qp)
{
	struct ibv_qp_attr wish = { .path_mtu = IBV_MTU_1024, .timeout = 14 };

	connect_qp_with(qp, gid_index, gid, dest_qp, &wish);
}

#endif
