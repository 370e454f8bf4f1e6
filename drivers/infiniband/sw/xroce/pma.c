// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The performance management agent (see pma.h). Both attributes are tables of
 * fields; numbers are those of IBTA 16.1.3.5 and 16.1.4.11.
 */
#include <linux/string.h>
#include <linux/unaligned.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include "device.h"
#include "pma.h"
#include "stats.h"

/* Of the structures behind the MAD's header. */
#define PORT_SELECT_OFFSET	1
#define SELECT_OFFSET		2
#define ANY_PORT		0xff

/**
 * struct field - a counter in an attribute
 * @value: enum xroce_pma_value
 * @offset: from the start of the attribute's structure
 * @bytes: wide; what doesn't fit is shown as the largest number
 * @select: bit that clears it
 */
struct field {
	u8 value;
	u8 offset;
	u8 bytes;
	u16 select;
};

#define PLAIN(value, member, bit) {					\
	XROCE_PMA_##value,						\
	offsetof(struct ib_pma_portcounters, member),			\
	sizeof_field(struct ib_pma_portcounters, member), BIT(bit) }
static const struct field plain[] = {
	PLAIN(LINK_DOWNED,	link_downed_counter,	2),
	PLAIN(RCV_ERRORS,	port_rcv_errors,	3),
	PLAIN(XMIT_DISCARDS,	port_xmit_discards,	6),
	PLAIN(XMIT_DATA,	port_xmit_data,		12),
	PLAIN(RCV_DATA,		port_rcv_data,		13),
	PLAIN(XMIT_PACKETS,	port_xmit_packets,	14),
	PLAIN(RCV_PACKETS,	port_rcv_packets,	15),
};
#undef PLAIN

#define EXTENDED(value, member, bit) {					\
	XROCE_PMA_##value,						\
	offsetof(struct ib_pma_portcounters_ext, member),		\
	sizeof_field(struct ib_pma_portcounters_ext, member), BIT(bit) }
static const struct field extended[] = {
	EXTENDED(XMIT_DATA,	port_xmit_data,		0),
	EXTENDED(RCV_DATA,	port_rcv_data,		1),
	EXTENDED(XMIT_PACKETS,	port_xmit_packets,	2),
	EXTENDED(RCV_PACKETS,	port_rcv_packets,	3),
};
#undef EXTENDED

static const struct {
	const struct field *fields;
	unsigned int num;
} attrs[] = {
	[XROCE_PMA_PLAIN]	= { plain,	ARRAY_SIZE(plain) },
	[XROCE_PMA_EXTENDED]	= { extended,	ARRAY_SIZE(extended) },
};

/* ---- values ----------------------------------------------------------------- */

static u64 stat(const struct xroce_dev *dev, unsigned int i)
{
	return xrdma_stats_read(&dev->stats, i);
}

static u64 drops(const struct xroce_dev *dev, enum xroce_drop reason)
{
	return stat(dev, XROCE_STAT_DROP + reason - 1);
}

/* Packets that were damaged or made no sense. */
static u64 rcv_errors(const struct xroce_dev *dev)
{
	return drops(dev, XROCE_DROP_SHORT) + drops(dev, XROCE_DROP_L3) +
	       drops(dev, XROCE_DROP_OPCODE) + drops(dev, XROCE_DROP_VERSION) +
	       drops(dev, XROCE_DROP_ICRC) + drops(dev, XROCE_DROP_MALFORMED);
}

static u64 value_of(const struct xroce_dev *dev, enum xroce_pma_value value)
{
	switch (value) {
	case XROCE_PMA_RCV_ERRORS:
		return rcv_errors(dev);
	case XROCE_PMA_XMIT_DISCARDS:
		return stat(dev, XROCE_STAT_TX_DROPPED) +
		       stat(dev, XROCE_STAT_TX_NO_ROUTE);
	case XROCE_PMA_LINK_DOWNED:
		return stat(dev, XROCE_STAT_LINK_DOWNED);
	case XROCE_PMA_XMIT_DATA:	/* in words of 32 bits */
		return stat(dev, XROCE_STAT_TX_BYTES) / 4;
	case XROCE_PMA_RCV_DATA:
		return stat(dev, XROCE_STAT_RX_BYTES) / 4;
	case XROCE_PMA_XMIT_PACKETS:
		return stat(dev, XROCE_STAT_TX_PACKETS);
	case XROCE_PMA_RCV_PACKETS:
		return stat(dev, XROCE_STAT_RX_PACKETS);
	default:
		return 0;
	}
}

static void put_field(u8 *data, const struct field *field, u64 value)
{
	u64 most = U64_MAX >> (64 - 8 * field->bytes);
	u8 *at = data + field->offset + field->bytes;
	unsigned int i;

	value = min(value, most);
	for (i = 0; i < field->bytes; i++, value >>= 8)
		*--at = value;
}

static void read_counters(struct xroce_dev *dev, enum xroce_pma_attr attr,
			  u8 *data)
{
	unsigned int i;

	for (i = 0; i < attrs[attr].num; i++) {
		const struct field *field = &attrs[attr].fields[i];

		put_field(data, field, value_of(dev, field->value) -
			  READ_ONCE(dev->pma.base[attr][field->value]));
	}
}

static void clear_counters(struct xroce_dev *dev, enum xroce_pma_attr attr,
			   u16 select)
{
	unsigned int i;

	for (i = 0; i < attrs[attr].num; i++) {
		const struct field *field = &attrs[attr].fields[i];

		if (select & field->select)
			WRITE_ONCE(dev->pma.base[attr][field->value],
				   value_of(dev, field->value));
	}
}

/* ---- MADs ---------------------------------------------------------------------- */

/* Return: status of the answer. */
static u16 do_counters(struct xroce_dev *dev, enum xroce_pma_attr attr,
		       const struct ib_pma_mad *in, struct ib_pma_mad *out)
{
	u8 port = in->data[PORT_SELECT_OFFSET];

	if (port != 1 && port != ANY_PORT)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	if (in->mad_hdr.method == IB_MGMT_METHOD_SET)
		clear_counters(dev, attr,
			       get_unaligned_be16(in->data + SELECT_OFFSET));
	memcpy(out->data, in->data, SELECT_OFFSET + 2);
	read_counters(dev, attr, out->data);
	return 0;
}

static u16 do_class_port_info(const struct ib_pma_mad *in, struct ib_pma_mad *out)
{
	struct ib_class_port_info *info = (void *)out->data;

	if (in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	info->base_version = 1;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_ALLPORTSELECT |
				IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF;
	return 0;
}

static u16 answer(struct xroce_dev *dev, const struct ib_pma_mad *in,
		  struct ib_pma_mad *out)
{
	if (in->mad_hdr.class_version != 1)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		return do_class_port_info(in, out);
	case IB_PMA_PORT_COUNTERS:
		return do_counters(dev, XROCE_PMA_PLAIN, in, out);
	case IB_PMA_PORT_COUNTERS_EXT:
		return do_counters(dev, XROCE_PMA_EXTENDED, in, out);
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	}
}

int xroce_process_mad(struct ib_device *ibdev, int flags, u32 port_num,
		      const struct ib_wc *wc, const struct ib_grh *grh,
		      const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_size, u16 *out_pkey_index)
{
	struct ib_pma_mad *reply = (struct ib_pma_mad *)out;

	/* Everything else is for those who registered for it. */
	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    (in->mad_hdr.method != IB_MGMT_METHOD_GET &&
	     in->mad_hdr.method != IB_MGMT_METHOD_SET))
		return IB_MAD_RESULT_SUCCESS;

	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	out->mad_hdr.status = cpu_to_be16(answer(to_xroce_dev(ibdev),
						 (const void *)in, reply));
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
