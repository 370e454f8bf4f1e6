// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Nothing but assertions, checked when this is compiled: that xroce-abi.h says
 * the same as the kernel's description of the ABI, and that the numbers which
 * core/ has of its own are those of the verbs.
 */

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/xroce-abi.h>
#include "core/responder.h"
#include "core/wr.h"

#define SAME_SIZE(ours, theirs) \
	static_assert(sizeof(struct ours) == sizeof(struct theirs))

#define SAME_FIELD(ours, our_field, theirs, their_field)		\
	static_assert(offsetof(struct ours, our_field) ==		\
		      offsetof(struct theirs, their_field) &&		\
		      sizeof_field(struct ours, our_field) ==		\
		      sizeof_field(struct theirs, their_field))

/* Memory to map, and the responses that tell about it. */

#define MMAP_INFO(field) SAME_FIELD(xroce_mmap_info, field, mminfo, field)
SAME_SIZE(xroce_mmap_info, mminfo);
MMAP_INFO(offset);
MMAP_INFO(size);

SAME_SIZE(xroce_create_cq_resp, rxe_create_cq_resp);
SAME_FIELD(xroce_create_cq_resp, mi, rxe_create_cq_resp, mi);

SAME_SIZE(xroce_resize_cq_resp, rxe_resize_cq_resp);
SAME_FIELD(xroce_resize_cq_resp, mi, rxe_resize_cq_resp, mi);

SAME_SIZE(xroce_create_qp_resp, rxe_create_qp_resp);
SAME_FIELD(xroce_create_qp_resp, rq_mi, rxe_create_qp_resp, rq_mi);
SAME_FIELD(xroce_create_qp_resp, sq_mi, rxe_create_qp_resp, sq_mi);

SAME_SIZE(xroce_create_srq_resp, rxe_create_srq_resp);
SAME_FIELD(xroce_create_srq_resp, mi, rxe_create_srq_resp, mi);
SAME_FIELD(xroce_create_srq_resp, srq_num, rxe_create_srq_resp, srq_num);

SAME_SIZE(xroce_modify_srq_cmd, rxe_modify_srq_cmd);
SAME_FIELD(xroce_modify_srq_cmd, mmap_info_addr,
	   rxe_modify_srq_cmd, mmap_info_addr);

SAME_SIZE(xroce_create_ah_resp, rxe_create_ah_resp);
SAME_FIELD(xroce_create_ah_resp, ah_num, rxe_create_ah_resp, ah_num);

/* Queues. */

#define HEADER(field) \
	SAME_FIELD(xroce_queue_header, field, rxe_queue_buf, field)
HEADER(log2_elem_size);
HEADER(index_mask);
HEADER(producer_index);
HEADER(consumer_index);
static_assert(sizeof(struct xroce_queue_header) ==
	      offsetof(struct rxe_queue_buf, data));

static_assert(sizeof(struct ib_uverbs_wc) <= XROCE_CQE_BYTES);

#define SGE(field)						\
	SAME_FIELD(xroce_sge, field, rxe_sge, field);		\
	SAME_FIELD(xroce_sge, field, ib_sge, field)
SAME_SIZE(xroce_sge, rxe_sge);
SAME_SIZE(xroce_sge, ib_sge);
SGE(addr);
SGE(length);
SGE(lkey);

#define DMA(field) SAME_FIELD(xroce_dma_info, field, rxe_dma_info, field)
SAME_SIZE(xroce_dma_info, rxe_dma_info);
DMA(length);
DMA(resid);
DMA(cur_sge);
DMA(num_sge);
DMA(sge_offset);
static_assert(sizeof(struct xroce_dma_info) ==
	      offsetof(struct rxe_dma_info, sge));

/* Send queue. */

#define AV(field) SAME_FIELD(xroce_user_av, field, rxe_av, field)
SAME_SIZE(xroce_user_av, rxe_av);
AV(port_num);
AV(network_type);
AV(dmac);
AV(grh);
AV(grh.dgid);
AV(grh.flow_label);
AV(grh.sgid_index);
AV(grh.hop_limit);
AV(grh.traffic_class);
AV(sgid_addr);
AV(dgid_addr);

#define SEND_WR(field) SAME_FIELD(xroce_send_wr, field, rxe_send_wr, field)
SAME_SIZE(xroce_send_wr, rxe_send_wr);
SEND_WR(wr_id);
SEND_WR(opcode);
SEND_WR(send_flags);
SEND_WR(ex.imm_data);
SEND_WR(ex.invalidate_rkey);
SEND_WR(wr.rdma.remote_addr);
SEND_WR(wr.rdma.rkey);
SEND_WR(wr.atomic.remote_addr);
SEND_WR(wr.atomic.compare_add);
SEND_WR(wr.atomic.swap);
SEND_WR(wr.atomic.rkey);
SEND_WR(wr.mw.addr);
SEND_WR(wr.mw.length);
SEND_WR(wr.mw.mr_lkey);
SEND_WR(wr.mw.mw_rkey);
SEND_WR(wr.mw.rkey);
SEND_WR(wr.mw.access);
SEND_WR(wr.ud.remote_qpn);
SEND_WR(wr.ud.remote_qkey);
SEND_WR(wr.ud.pkey_index);
SEND_WR(wr.ud.ah_num);
SEND_WR(wr.ud.av);
#ifdef HAVE_RXE_FLUSH
SEND_WR(wr.flush.remote_addr);
SEND_WR(wr.flush.length);
SEND_WR(wr.flush.rkey);
SEND_WR(wr.flush.type);
SEND_WR(wr.flush.level);
#endif

#define SEND_WQE(field) SAME_FIELD(xroce_send_wqe, field, rxe_send_wqe, field)
SAME_SIZE(xroce_send_wqe, rxe_send_wqe);
SEND_WQE(wr);
SEND_WQE(status);
SEND_WQE(state);
SEND_WQE(iova);
SEND_WQE(mask);
SEND_WQE(first_psn);
SEND_WQE(last_psn);
SEND_WQE(ack_length);
SEND_WQE(ssn);
SEND_WQE(has_rd_atomic);
SEND_WQE(dma);

/* Receive queues. */

#define RECV_WQE(field) SAME_FIELD(xroce_recv_wqe, field, rxe_recv_wqe, field)
SAME_SIZE(xroce_recv_wqe, rxe_recv_wqe);
RECV_WQE(wr_id);
RECV_WQE(dma);

/* Numbers of the verbs. */

static_assert((int)XROCE_SUCCESS == IB_WC_SUCCESS);
#define STATUS(name) static_assert((int)XROCE_##name == IB_WC_##name)
STATUS(LOC_LEN_ERR);
STATUS(LOC_QP_OP_ERR);
STATUS(LOC_PROT_ERR);
STATUS(WR_FLUSH_ERR);
STATUS(MW_BIND_ERR);
STATUS(BAD_RESP_ERR);
STATUS(LOC_ACCESS_ERR);
STATUS(REM_INV_REQ_ERR);
STATUS(REM_ACCESS_ERR);
STATUS(REM_OP_ERR);
STATUS(RETRY_EXC_ERR);
STATUS(RNR_RETRY_EXC_ERR);
STATUS(FATAL_ERR);

#define ACCESS(name) static_assert(XROCE_ACCESS_##name == IB_ACCESS_##name)
ACCESS(REMOTE_WRITE);
ACCESS(REMOTE_READ);
ACCESS(REMOTE_ATOMIC);
ACCESS(FLUSH_GLOBAL);
ACCESS(FLUSH_PERSISTENT);
