/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The performance management agent: counters as perfquery and sysfs want them. */
#ifndef XROCE_PMA_H
#define XROCE_PMA_H

#include <rdma/ib_verbs.h>

/* What can be asked for, and cleared. */
enum xroce_pma_value {
	XROCE_PMA_RCV_ERRORS,
	XROCE_PMA_XMIT_DISCARDS,
	XROCE_PMA_LINK_DOWNED,
	XROCE_PMA_XMIT_DATA,
	XROCE_PMA_RCV_DATA,
	XROCE_PMA_XMIT_PACKETS,
	XROCE_PMA_RCV_PACKETS,
	XROCE_PMA_VALUES
};

/* The same counters in two widths, which are cleared apart. */
enum xroce_pma_attr {
	XROCE_PMA_PLAIN,
	XROCE_PMA_EXTENDED,
	XROCE_PMA_ATTRS
};

/**
 * struct xroce_pma - what was cleared
 * @base: value of each counter when it was last cleared
 */
struct xroce_pma {
	u64 base[XROCE_PMA_ATTRS][XROCE_PMA_VALUES];
};

/* ib_device_ops: answers Get and Set of the class PerfMgmt (IBTA 16.1). */
int xroce_process_mad(struct ib_device *ibdev, int flags, u32 port_num,
		      const struct ib_wc *wc, const struct ib_grh *grh,
		      const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_size, u16 *out_pkey_index);

#endif
