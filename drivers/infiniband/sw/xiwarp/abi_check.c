// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Nothing but assertions, checked when this is compiled: that xiwarp-abi.h says
 * the same as the kernel's description of the ABI.
 */

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <rdma/ib_verbs.h>
#include <rdma/siw-abi.h>
#include <rdma/xiwarp-abi.h>

#define SAME_SIZE(ours, theirs) \
	static_assert(sizeof(struct ours) == sizeof(struct theirs))

#define SAME_FIELD(ours, our_field, theirs, their_field)		\
	static_assert(offsetof(struct ours, our_field) ==		\
		      offsetof(struct theirs, their_field) &&		\
		      sizeof_field(struct ours, our_field) ==		\
		      sizeof_field(struct theirs, their_field))

#define SAME_VALUE(ours, theirs) static_assert((int)(ours) == (int)(theirs))

SAME_VALUE(XIWARP_ABI_VERSION, SIW_ABI_VERSION);
SAME_VALUE(XIWARP_ABI_MAX_SGE, SIW_MAX_SGE);
SAME_VALUE(XIWARP_ABI_MAX_INLINE, SIW_MAX_INLINE);
SAME_VALUE(XIWARP_ABI_NO_OFFSET, SIW_INVAL_UOBJ_KEY);

/* Responses. */

SAME_SIZE(xiwarp_alloc_ucontext_resp, siw_uresp_alloc_ctx);
SAME_FIELD(xiwarp_alloc_ucontext_resp, dev_id, siw_uresp_alloc_ctx, dev_id);

SAME_SIZE(xiwarp_create_cq_resp, siw_uresp_create_cq);
SAME_FIELD(xiwarp_create_cq_resp, cq_id, siw_uresp_create_cq, cq_id);
SAME_FIELD(xiwarp_create_cq_resp, num_cqe, siw_uresp_create_cq, num_cqe);
SAME_FIELD(xiwarp_create_cq_resp, cq_offset, siw_uresp_create_cq, cq_key);

SAME_SIZE(xiwarp_create_qp_resp, siw_uresp_create_qp);
SAME_FIELD(xiwarp_create_qp_resp, qp_id, siw_uresp_create_qp, qp_id);
SAME_FIELD(xiwarp_create_qp_resp, num_sqe, siw_uresp_create_qp, num_sqe);
SAME_FIELD(xiwarp_create_qp_resp, num_rqe, siw_uresp_create_qp, num_rqe);
SAME_FIELD(xiwarp_create_qp_resp, sq_offset, siw_uresp_create_qp, sq_key);
SAME_FIELD(xiwarp_create_qp_resp, rq_offset, siw_uresp_create_qp, rq_key);

SAME_SIZE(xiwarp_create_srq_resp, siw_uresp_create_srq);
SAME_FIELD(xiwarp_create_srq_resp, num_rqe, siw_uresp_create_srq, num_rqe);
SAME_FIELD(xiwarp_create_srq_resp, srq_offset, siw_uresp_create_srq, srq_key);

SAME_SIZE(xiwarp_reg_mr_resp, siw_uresp_reg_mr);
SAME_FIELD(xiwarp_reg_mr_resp, stag, siw_uresp_reg_mr, stag);

/* Slots. Gather and scatter lists are copied as a whole. */

SAME_SIZE(xiwarp_sge, siw_sge);
SAME_FIELD(xiwarp_sge, addr, siw_sge, laddr);
SAME_FIELD(xiwarp_sge, length, siw_sge, length);
SAME_FIELD(xiwarp_sge, lkey, siw_sge, lkey);
SAME_SIZE(xiwarp_sge, ib_sge);
SAME_FIELD(xiwarp_sge, addr, ib_sge, addr);
SAME_FIELD(xiwarp_sge, length, ib_sge, length);
SAME_FIELD(xiwarp_sge, lkey, ib_sge, lkey);

#define SQE(ours, theirs) SAME_FIELD(xiwarp_sqe, ours, siw_sqe, theirs)
SAME_SIZE(xiwarp_sqe, siw_sqe);
SQE(wr_id, id);
SQE(flags, flags);
SQE(num_sge, num_sge);
SQE(opcode, opcode);
SQE(rkey, rkey);
SQE(remote_addr, raddr);
SQE(sge, sge);

#define RQE(ours, theirs) SAME_FIELD(xiwarp_rqe, ours, siw_rqe, theirs)
SAME_SIZE(xiwarp_rqe, siw_rqe);
RQE(wr_id, id);
RQE(flags, flags);
RQE(num_sge, num_sge);
RQE(opcode, opcode);
RQE(sge, sge);

#define CQE(ours, theirs) SAME_FIELD(xiwarp_cqe, ours, siw_cqe, theirs)
SAME_SIZE(xiwarp_cqe, siw_cqe);
CQE(wr_id, id);
CQE(flags, flags);
CQE(opcode, opcode);
CQE(status, status);
CQE(bytes, bytes);
CQE(imm_data, imm_data);
CQE(inval_stag, inval_stag);
CQE(qp_id, qp_id);

SAME_SIZE(xiwarp_cq_ctrl, siw_cq_ctrl);
SAME_FIELD(xiwarp_cq_ctrl, notify, siw_cq_ctrl, flags);

/* Numbers. */

SAME_VALUE(XIWARP_ABI_WRITE, SIW_OP_WRITE);
SAME_VALUE(XIWARP_ABI_READ, SIW_OP_READ);
SAME_VALUE(XIWARP_ABI_READ_LOCAL_INV, SIW_OP_READ_LOCAL_INV);
SAME_VALUE(XIWARP_ABI_SEND, SIW_OP_SEND);
SAME_VALUE(XIWARP_ABI_SEND_IMM, SIW_OP_SEND_WITH_IMM);
SAME_VALUE(XIWARP_ABI_SEND_INV, SIW_OP_SEND_REMOTE_INV);
SAME_VALUE(XIWARP_ABI_FETCH_ADD, SIW_OP_FETCH_AND_ADD);
SAME_VALUE(XIWARP_ABI_CMP_SWAP, SIW_OP_COMP_AND_SWAP);
SAME_VALUE(XIWARP_ABI_RECEIVE, SIW_OP_RECEIVE);

SAME_VALUE(XIWARP_SLOT_VALID, SIW_WQE_VALID);
SAME_VALUE(XIWARP_SLOT_INLINE, SIW_WQE_INLINE);
SAME_VALUE(XIWARP_SLOT_SIGNALED, SIW_WQE_SIGNALLED);
SAME_VALUE(XIWARP_SLOT_SOLICITED, SIW_WQE_SOLICITED);
SAME_VALUE(XIWARP_SLOT_FENCE, SIW_WQE_READ_FENCE);

SAME_VALUE(XIWARP_NOTIFY_SOLICITED, SIW_NOTIFY_SOLICITED);
SAME_VALUE(XIWARP_NOTIFY_NEXT, SIW_NOTIFY_NEXT_COMPLETION);

SAME_VALUE(XIWARP_ABI_SUCCESS, SIW_WC_SUCCESS);
SAME_VALUE(XIWARP_ABI_LOC_LEN_ERR, SIW_WC_LOC_LEN_ERR);
SAME_VALUE(XIWARP_ABI_LOC_PROT_ERR, SIW_WC_LOC_PROT_ERR);
SAME_VALUE(XIWARP_ABI_LOC_QP_OP_ERR, SIW_WC_LOC_QP_OP_ERR);
SAME_VALUE(XIWARP_ABI_WR_FLUSH_ERR, SIW_WC_WR_FLUSH_ERR);
SAME_VALUE(XIWARP_ABI_BAD_RESP_ERR, SIW_WC_BAD_RESP_ERR);
SAME_VALUE(XIWARP_ABI_LOC_ACCESS_ERR, SIW_WC_LOC_ACCESS_ERR);
SAME_VALUE(XIWARP_ABI_REM_ACCESS_ERR, SIW_WC_REM_ACCESS_ERR);
SAME_VALUE(XIWARP_ABI_REM_INV_REQ_ERR, SIW_WC_REM_INV_REQ_ERR);
SAME_VALUE(XIWARP_ABI_GENERAL_ERR, SIW_WC_GENERAL_ERR);
