// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device attributes: only what works is advertised, and limits are what the code
 * enforces or what its number spaces hold.
 */
#include "attr.h"
#include "device.h"
#include "mcast.h"

#define VENDOR_ID	0xffffff	/* no vendor has it; rxe's too */
/* As the provider takes it apart. */
#define FW_VERSION	((u64)XROCE_VERSION_1 << 32 | XROCE_VERSION_2 << 16 | \
			 XROCE_VERSION_3)
#define MAX_QP		(1U << 20)
#define MAX_CQ		(1U << 20)
#define MAX_SRQ		(1U << 20)
#define MAX_PD		(1U << 20)
/* Its default is for hardware. 4.096 us * 2^15 = 134 ms. */
#define CA_ACK_DELAY	15

#define CAP_FLAGS	(IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR | \
			 IB_DEVICE_PORT_ACTIVE_EVENT |			\
			 IB_DEVICE_SYS_IMAGE_GUID |			\
			 IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_SRQ_RESIZE | \
			 IB_DEVICE_MEM_MGT_EXTENSIONS |			\
			 IB_DEVICE_MEM_WINDOW |				\
			 IB_DEVICE_MEM_WINDOW_TYPE_2A |			\
			 IB_DEVICE_MEM_WINDOW_TYPE_2B |			\
			 IB_DEVICE_FLUSH_GLOBAL |			\
			 IB_DEVICE_FLUSH_PERSISTENT |			\
			 IB_DEVICE_ATOMIC_WRITE)

static void set_odp_caps(struct ib_odp_caps *caps)
{
	caps->general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT;
	caps->per_transport_caps.rc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV |
		IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_READ |
		IB_ODP_SUPPORT_ATOMIC | IB_ODP_SUPPORT_SRQ_RECV |
		IB_ODP_SUPPORT_FLUSH | IB_ODP_SUPPORT_ATOMIC_WRITE;
	caps->per_transport_caps.uc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV |
		IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_SRQ_RECV;
	caps->per_transport_caps.ud_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV |
		IB_ODP_SUPPORT_SRQ_RECV;
}

int xroce_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		       struct ib_udata *udata)
{
	struct xroce_dev *dev = to_xroce_dev(ibdev);
	int err;

	err = xrdma_ignore_udata(udata);
	if (err)
		return err;

	attr->fw_ver = FW_VERSION;
	attr->vendor_id = VENDOR_ID;
	attr->sys_image_guid = dev->guid;
	attr->device_cap_flags = CAP_FLAGS;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_SG_GAPS_REG |
				 IBK_BLOCK_MULTICAST_LOOPBACK |
				 IBK_ON_DEMAND_PAGING;
	set_odp_caps(&attr->odp_caps);
	attr->local_ca_ack_delay = CA_ACK_DELAY;
	attr->max_pkeys = 1;

	attr->max_qp = MAX_QP;
	attr->max_qp_wr = XROCE_MAX_QP_WR;
	attr->max_send_sge = XROCE_MAX_SGE;
	attr->max_recv_sge = XROCE_MAX_SGE;
	attr->max_sge_rd = XROCE_MAX_SGE;
	attr->max_qp_rd_atom = XROCE_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = XROCE_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = XROCE_MAX_RD_ATOMIC * MAX_QP;
	/* They are the CPU's own. */
	attr->atomic_cap = IB_ATOMIC_GLOB;
	attr->masked_atomic_cap = IB_ATOMIC_NONE;

	attr->max_cq = MAX_CQ;
	attr->max_cqe = XROCE_MAX_CQE;
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
	attr->max_srq = MAX_SRQ;
	attr->max_srq_wr = XROCE_MAX_SRQ_WR;
	attr->max_srq_sge = XROCE_MAX_SGE;
	attr->max_pd = MAX_PD;
	attr->max_ah = XROCE_MAX_AH;
	attr->max_mcast_grp = XROCE_MAX_GROUPS;
	attr->max_mcast_qp_attach = XROCE_MAX_MEMBERS;
	attr->max_total_mcast_qp_attach = XROCE_MAX_GROUPS * XROCE_MAX_MEMBERS;

	attr->max_mr = XRDMA_KEY_MAX;
	attr->max_mw = XRDMA_KEY_MAX;
	attr->max_fast_reg_page_list_len = XRDMA_MAX_PIECES;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = 0xfffff000;	/* 4 KiB and everything above */
	return 0;
}

int xroce_modify_device(struct ib_device *ibdev, int mask,
			struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, modify->node_desc,
		       sizeof(ibdev->node_desc));
	return 0;
}

void xroce_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "xroce %s", XROCE_VERSION);
}
