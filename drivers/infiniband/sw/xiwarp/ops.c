// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of verbs, and those that are too small for a file of their own. */
#include <linux/module.h>
#include "attr.h"
#include "cm.h"
#include "cq.h"
#include "device.h"
#include "ops.h"
#include "port.h"
#include "post.h"
#include "qp.h"
#include "restrack.h"
#include "srq.h"
#include "stats.h"

/* ---- contexts and protection domains: the core keeps the books ------------- */

static int alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct xiwarp_alloc_ucontext_resp resp = {
		.dev_id = ibuc->device->index,
	};

	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static void dealloc_ucontext(struct ib_ucontext *ibuc)
{
}

/* The core unmaps the rings and destroys the objects, nothing else is shared. */
static void disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

static int alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return 0;
}

static int dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return 0;
}

/* ---- memory regions ---------------------------------------------------------- */

#define MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_ON_DEMAND | IB_ACCESS_HUGETLB |	\
			 IB_ACCESS_OPTIONAL)

static struct ib_mr *get_dma_mr(struct ib_pd *ibpd, int access)
{
	return xrdma_mr_get_dma(&to_xiwarp_dev(ibpd->device)->keys, ibpd,
				access);
}

static struct ib_mr *reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				 u64 iova, int access, struct ib_udata *udata)
{
	struct xiwarp_reg_mr_resp resp = {};
	struct ib_mr *ibmr;
	int err;

	if (access & ~MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	ibmr = xrdma_mr_reg_user(&to_xiwarp_dev(ibpd->device)->keys, ibpd,
				 start, length, iova, access);
	if (IS_ERR(ibmr) || udata->outlen < sizeof(resp))
		return ibmr;
	/* Providers take the key from the verbs core's response. */
	resp.stag = ibmr->rkey;
	err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (err) {
		xrdma_mr_dereg(to_xrdma_mr(ibmr));
		return ERR_PTR(err);
	}
	return ibmr;
}

static int advise_mr(struct ib_pd *ibpd, enum ib_uverbs_advise_mr_advice advice,
		     u32 flags, struct ib_sge *sges, u32 num_sge,
		     struct uverbs_attr_bundle *attrs)
{
	return xrdma_mr_advise(&to_xiwarp_dev(ibpd->device)->keys, ibpd, advice,
			       flags, sges, num_sge);
}

static struct ib_mr *alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			      u32 max_num_sg)
{
	return xrdma_mr_alloc(&to_xiwarp_dev(ibpd->device)->keys, ibpd, type,
			      max_num_sg);
}

static int dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	return xrdma_mr_dereg(to_xrdma_mr(ibmr));
}

/* ---- the table ------------------------------------------------------------------ */

IB_CREATE_CQ_OP(xiwarp_create_cq);
IB_RESIZE_USER_CQ_OP(xiwarp_resize_cq);
IB_REG_USER_MR_OP(reg_user_mr);

const struct ib_device_ops xiwarp_ops = {
	.owner = THIS_MODULE,
	/* What unmodified libibverbs finds its siw provider by. */
	.driver_id = RDMA_DRIVER_SIW,
	.uverbs_abi_ver = XIWARP_ABI_VERSION,
	.dealloc_driver = xiwarp_dealloc_driver,

	.query_device = xiwarp_query_device,
	.modify_device = xiwarp_modify_device,
	.get_dev_fw_str = xiwarp_get_dev_fw_str,
	.alloc_hw_port_stats = xiwarp_alloc_hw_port_stats,
	.get_hw_stats = xiwarp_get_hw_stats,
	.fill_res_qp_entry = xiwarp_fill_res_qp_entry,
	.fill_res_cq_entry = xiwarp_fill_res_cq_entry,
	.fill_res_mr_entry = xiwarp_fill_res_mr_entry,

	.query_port = xiwarp_query_port,
	.query_gid = xiwarp_query_gid,
	.query_pkey = xiwarp_query_pkey,
	.get_port_immutable = xiwarp_get_port_immutable,
	.get_link_layer = xiwarp_get_link_layer,
	/* Not ib_device_set_netdev(): siw would find us by it and take us for its own. */
	.get_netdev = xiwarp_get_netdev,

	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.disassociate_ucontext = disassociate_ucontext,
	.mmap = xrdma_mmap,
	.mmap_free = xrdma_mmap_free,

	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	.get_dma_mr = get_dma_mr,
	.reg_user_mr = reg_user_mr_op,
	.advise_mr = advise_mr,
	.dereg_mr = dereg_mr,
	.alloc_mr = alloc_mr,
	.map_mr_sg = xrdma_mr_map_sg,

	.create_cq = xiwarp_create_cq_op,
	.destroy_cq = xiwarp_destroy_cq,
	.resize_user_cq = xiwarp_resize_cq_op,
	.poll_cq = xiwarp_poll_cq,
	.req_notify_cq = xiwarp_req_notify_cq,

	.create_srq = xiwarp_create_srq,
	.modify_srq = xiwarp_modify_srq,
	.query_srq = xiwarp_query_srq,
	.destroy_srq = xiwarp_destroy_srq,
	.post_srq_recv = xiwarp_post_srq_recv,

	.create_qp = xiwarp_create_qp,
	.modify_qp = xiwarp_modify_qp,
	.query_qp = xiwarp_query_qp,
	.destroy_qp = xiwarp_destroy_qp,
	.post_send = xiwarp_post_send,
	.post_recv = xiwarp_post_recv,

	.iw_connect = xiwarp_iw_connect,
	.iw_accept = xiwarp_iw_accept,
	.iw_reject = xiwarp_iw_reject,
	.iw_create_listen = xiwarp_iw_create_listen,
	.iw_destroy_listen = xiwarp_iw_destroy_listen,
	.iw_add_ref = xiwarp_iw_add_ref,
	.iw_rem_ref = xiwarp_iw_rem_ref,
	.iw_get_qp = xiwarp_iw_get_qp,

	INIT_RDMA_OBJ_SIZE(ib_cq, xiwarp_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, xiwarp_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, xiwarp_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, xiwarp_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xiwarp_ucontext, ibuc),
};
