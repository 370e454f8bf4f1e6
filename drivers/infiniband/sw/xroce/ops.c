// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of verbs, and those that are too small for a file of their own. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include "attr.h"
#include "counter.h"
#include "device.h"
#include "mcast.h"
#include "ops.h"
#include "pma.h"
#include "port.h"
#include "post.h"
#include "qp.h"
#include "restrack.h"
#include "stats.h"

/* What unmodified libibverbs finds its rxe provider by. */
#define UVERBS_ABI_VERSION	2

/* ---- contexts and protection domains: the core keeps the books ------------- */

static int alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	return 0;
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

static struct ib_mr *get_dma_mr(struct ib_pd *ibpd, int access)
{
	return xrdma_mr_get_dma(&to_xroce_dev(ibpd->device)->keys, ibpd,
				access);
}

static struct ib_mr *reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				 u64 iova, int access, struct ib_udata *udata)
{
	struct xroce_dev *dev = to_xroce_dev(ibpd->device);

	if (access & IB_ACCESS_ON_DEMAND)
		WRITE_ONCE(dev->has_on_demand, true);
	return xrdma_mr_reg_user(&dev->keys, ibpd, start, length, iova, access);
}

static int advise_mr(struct ib_pd *ibpd, enum ib_uverbs_advise_mr_advice advice,
		     u32 flags, struct ib_sge *sges, u32 num_sge,
		     struct uverbs_attr_bundle *attrs)
{
	return xrdma_mr_advise(&to_xroce_dev(ibpd->device)->keys, ibpd, advice,
			       flags, sges, num_sge);
}

static int dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	return xrdma_mr_dereg(to_xrdma_mr(ibmr));
}

static struct ib_mr *alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			      u32 max_num_sg)
{
	return xrdma_mr_alloc(&to_xroce_dev(ibpd->device)->keys, ibpd, type,
			      max_num_sg);
}

static int alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	return xrdma_mw_alloc(&to_xroce_dev(ibmw->device)->keys, ibmw);
}

static int dealloc_mw(struct ib_mw *ibmw)
{
	xrdma_mw_dealloc(ibmw);
	return 0;
}

/* ---- sysfs: udev tells a RoCE device by it ----------------------------------- */

static ssize_t parent_show(struct device *device, struct device_attribute *attr,
			   char *buf)
{
	struct xroce_dev *dev =
		rdma_device_to_drv_device(device, struct xroce_dev, ibdev);

	return sysfs_emit(buf, "%s\n", netdev_name(dev->ndev));
}
static DEVICE_ATTR_RO(parent);

static struct attribute *attributes[] = {
	&dev_attr_parent.attr,
	NULL
};

static const struct attribute_group attribute_group = {
	.attrs = attributes,
};

/* ---- the table ------------------------------------------------------------------ */

/* The core's own, there is nothing of ours in it. */
struct counter {
	struct rdma_counter rdma_counter;
};

static void __maybe_unused init_counter(struct rdma_counter *counter)
{
}

IB_COUNTER_BIND_QP_OP(xroce_counter_bind_qp);
IB_COUNTER_UNBIND_QP_OP(xroce_counter_unbind_qp);
IB_CREATE_CQ_OP(xroce_create_cq);
IB_RESIZE_USER_CQ_OP(xroce_resize_cq);
IB_REG_USER_MR_OP(reg_user_mr);

const struct ib_device_ops xroce_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = UVERBS_ABI_VERSION,
	.device_group = &attribute_group,
	.dealloc_driver = xroce_dealloc_driver,

	.query_device = xroce_query_device,
	.modify_device = xroce_modify_device,
	.get_dev_fw_str = xroce_get_dev_fw_str,
	.alloc_hw_port_stats = xroce_alloc_hw_port_stats,
	.get_hw_stats = xroce_get_hw_stats,
	.counter_bind_qp = xroce_counter_bind_qp_op,
	.counter_unbind_qp = xroce_counter_unbind_qp_op,
	.counter_dealloc = xroce_counter_dealloc,
	.counter_alloc_stats = xroce_counter_alloc_stats,
	.counter_update_stats = xroce_counter_update_stats,
	.process_mad = xroce_process_mad,
	.fill_res_qp_entry = xroce_fill_res_qp_entry,
	.fill_res_cq_entry = xroce_fill_res_cq_entry,
	.fill_res_mr_entry = xroce_fill_res_mr_entry,

	.query_port = xroce_query_port,
	.query_pkey = xroce_query_pkey,
	.get_port_immutable = xroce_get_port_immutable,
	.get_link_layer = xroce_get_link_layer,
	/* Not ib_device_set_netdev(): rxe would find us by it and take us for its own. */
	.get_netdev = xroce_get_netdev,
	.add_gid = xroce_add_gid,
	.del_gid = xroce_del_gid,

	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.disassociate_ucontext = disassociate_ucontext,
	.mmap = xrdma_mmap,
	.mmap_free = xrdma_mmap_free,

	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	.get_dma_mr = get_dma_mr,
	.advise_mr = advise_mr,
	.reg_user_mr = reg_user_mr_op,
	.dereg_mr = dereg_mr,
	.alloc_mr = alloc_mr,
	.map_mr_sg = xrdma_mr_map_sg,
	.alloc_mw = alloc_mw,
	.dealloc_mw = dealloc_mw,

	.create_ah = xroce_create_ah,
	.create_user_ah = xroce_create_ah,
	.modify_ah = xroce_modify_ah,
	.query_ah = xroce_query_ah,
	.destroy_ah = xroce_destroy_ah,

	.attach_mcast = xroce_attach_mcast,
	.detach_mcast = xroce_detach_mcast,

	.create_cq = xroce_create_cq_op,
	.resize_user_cq = xroce_resize_cq_op,
	.destroy_cq = xroce_destroy_cq,
	.poll_cq = xroce_poll_cq,
	.req_notify_cq = xroce_req_notify_cq,
	.modify_cq = xroce_modify_cq,

	.create_srq = xroce_create_srq,
	.modify_srq = xroce_modify_srq,
	.query_srq = xroce_query_srq,
	.destroy_srq = xroce_destroy_srq,
	.post_srq_recv = xroce_post_srq_recv,

	.create_qp = xroce_create_qp,
	.modify_qp = xroce_modify_qp,
	.query_qp = xroce_query_qp,
	.destroy_qp = xroce_destroy_qp,
	.post_send = xroce_post_send,
	.post_recv = xroce_post_recv,

	INIT_RDMA_COUNTER(counter, rdma_counter, init_counter)
	INIT_RDMA_OBJ_SIZE(ib_ah, xroce_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, xroce_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, xrdma_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, xroce_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, xroce_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, xroce_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xroce_ucontext, ibuc),
};
