// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Packets that came before their turn (see keep.h). */
#include <linux/moduleparam.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include "keep.h"
#include "qp.h"
#include "rx.h"
#include "stats.h"

/* Nothing of this is acknowledged: who comes too late is resent, no more. */
static unsigned int keep_qp = 16384;
module_param(keep_qp, uint, 0644);
MODULE_PARM_DESC(keep_qp, "KiB that a QP may keep of packets that came before their turn (default: 16384)");

static unsigned int keep_device = 65536;
module_param(keep_device, uint, 0644);
MODULE_PARM_DESC(keep_device, "The same of all QPs of a device (default: 65536)");

static struct sk_buff **slot_of(struct xroce_keep *keep, u32 psn)
{
	return &keep->slots[psn % XROCE_KEEP];
}

static void uncharge(struct xroce_qp *qp, u32 bytes)
{
	qp->keep.bytes -= bytes;
	atomic_long_sub(bytes, &xroce_qp_dev(qp)->kept_bytes);
}

static bool charge(struct xroce_qp *qp, u32 bytes)
{
	struct xroce_dev *dev = xroce_qp_dev(qp);

	qp->keep.bytes += bytes;
	if (atomic_long_add_return(bytes, &dev->kept_bytes) >> 10 <
	    READ_ONCE(keep_device) &&
	    qp->keep.bytes >> 10 < READ_ONCE(keep_qp))
		return true;
	uncharge(qp, bytes);
	xroce_qp_count(qp, XROCE_STAT_KEEP_FULL, 1);
	return false;
}

/* Most QPs never need any. */
static bool has_slots(struct xroce_keep *keep)
{
	gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN;

	if (!keep->kept)
		keep->kept = kzalloc(sizeof(*keep->kept), gfp);
	if (!keep->slots)
		keep->slots = kcalloc(XROCE_KEEP, sizeof(*keep->slots), gfp);
	return keep->kept && keep->slots;
}

static void drop(struct xroce_qp *qp, struct sk_buff **slot)
{
	if (!*slot)
		return;
	uncharge(qp, (*slot)->truesize);
	consume_skb(*slot);
	*slot = NULL;
}

/* A buffer with the packet alone: one of several would hold the memory of all. */
static struct sk_buff *only(struct sk_buff *skb, u32 off, u32 len)
{
	struct sk_buff *copy;

	if (xroce_rx_cb(skb)->len == len)
		return skb_clone(skb, GFP_ATOMIC);
	copy = alloc_skb(len, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;
	skb_copy_bits(skb, off, skb_put(copy, len), len);
	*xroce_rx_cb(copy) = *xroce_rx_cb(skb);
	xroce_rx_cb(copy)->off = 0;
	xroce_rx_cb(copy)->len = len;
	return copy;
}

bool xroce_keep_add(struct xroce_qp *qp, struct sk_buff *skb, u32 off, u32 len,
		    u32 psn)
{
	struct sk_buff **slot, *alone;

	if (!has_slots(&qp->keep))
		return false;
	slot = slot_of(&qp->keep, psn);
	/* Of a PSN that was passed over without being executed. */
	drop(qp, slot);
	alone = only(skb, off, len);
	if (!alone || !charge(qp, alone->truesize)) {
		kfree_skb(alone);
		return false;
	}
	*slot = alone;
	return true;
}

struct sk_buff *xroce_keep_take(struct xroce_qp *qp, u32 psn)
{
	struct sk_buff **slot = slot_of(&qp->keep, psn);
	struct sk_buff *skb = *slot;

	*slot = NULL;
	uncharge(qp, skb->truesize);
	return skb;
}

struct xroce_gap *xroce_keep_gaps(struct xroce_qp *qp)
{
	if (!qp->keep.gaps)
		qp->keep.gaps = kcalloc(XROCE_GAPS, sizeof(*qp->keep.gaps),
					GFP_ATOMIC | __GFP_NOWARN);
	return qp->keep.gaps;
}

void xroce_keep_purge(struct xroce_qp *qp)
{
	u32 i;

	for (i = 0; qp->keep.slots && i < XROCE_KEEP; i++)
		drop(qp, &qp->keep.slots[i]);
}

void xroce_keep_release(struct xroce_qp *qp)
{
	struct xroce_keep *keep = &qp->keep;

	xroce_keep_purge(qp);
	kfree(keep->slots);
	kfree(keep->kept);
	kfree(keep->gaps);
	*keep = (struct xroce_keep){ };
}
