// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device attributes: only what works is advertised, and limits are what the code
 * enforces or what its number spaces hold.
 */
#include "attr.h"
#include "device.h"

/* As the provider takes it apart. */
#define FW_VERSION	((u64)XIWARP_VERSION_1 << 32 | XIWARP_VERSION_2 << 16 | \
			 XIWARP_VERSION_3)
#define VENDOR_ID	0xffffff	/* no vendor has it */
#define MAX_CQ		(1U << 20)
#define MAX_SRQ		(1U << 20)
#define MAX_PD		(1U << 20)

int xiwarp_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	int err;

	err = xrdma_ignore_udata(udata);
	if (err)
		return err;

	attr->fw_ver = FW_VERSION;
	attr->vendor_id = VENDOR_ID;
	attr->sys_image_guid = ibdev->node_guid;
	attr->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_ON_DEMAND_PAGING |
				 IBK_SG_GAPS_REG;
	attr->odp_caps.general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT;
	attr->odp_caps.per_transport_caps.rc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV |
		IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_READ |
		IB_ODP_SUPPORT_SRQ_RECV;

	attr->max_qp = XIWARP_MAX_QP;
	attr->max_qp_wr = XIWARP_MAX_QP_WR;
	attr->max_send_sge = XIWARP_MAX_SGE;
	attr->max_recv_sge = XIWARP_MAX_SGE;
	attr->max_sge_rd = 1;
	attr->max_qp_rd_atom = XIWARP_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = XIWARP_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = XIWARP_MAX_RD_ATOMIC * XIWARP_MAX_QP;
	attr->atomic_cap = IB_ATOMIC_NONE;
	attr->masked_atomic_cap = IB_ATOMIC_NONE;

	attr->max_cq = MAX_CQ;
	attr->max_cqe = XIWARP_MAX_CQE;
	attr->max_srq = MAX_SRQ;
	attr->max_srq_wr = XIWARP_MAX_SRQ_WR;
	attr->max_srq_sge = XIWARP_MAX_SGE;
	attr->max_pd = MAX_PD;

	attr->max_mr = XRDMA_KEY_MAX;
	attr->max_fast_reg_page_list_len = XRDMA_MAX_PIECES;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = 0xfffff000;	/* 4 KiB and everything above */
	return 0;
}

int xiwarp_modify_device(struct ib_device *ibdev, int mask,
			 struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, modify->node_desc,
		       sizeof(ibdev->node_desc));
	return 0;
}

void xiwarp_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "xiwarp %s", XIWARP_VERSION);
}
