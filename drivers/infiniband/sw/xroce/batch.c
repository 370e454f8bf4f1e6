// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Buffers of equal packets (see batch.h). The first packet lies behind the headers
 * if it is small; all others lie in pages.
 */
#include <linux/moduleparam.h>
#include <linux/skbuff.h>
#include "batch.h"
#include "block.h"
#include "eth.h"
#include "prio.h"
#include "qp.h"
#include "rx.h"
#include "stats.h"
#include "udp.h"

/* As the IP total length allows. */
#define MAX_BYTES	(U16_MAX - XROCE_MAX_L3_BYTES)
/* Packets up to this are copied more cheaply than a page is given away. */
#define SMALL_BYTES	256

bool xroce_shortcut = true;
module_param_named(shortcut, xroce_shortcut, bool, 0644);
MODULE_PARM_DESC(shortcut, "Deliver to this host's own addresses without the IP stack, trust packets that never left it (default: yes)");

void xroce_batch_init(struct xroce_batch *batch, struct xroce_qp *qp)
{
	batch->qp = qp;
	batch->skb = NULL;
}

/* ---- memory -------------------------------------------------------------------- */

static bool use_head(struct xroce_batch *batch, u32 len)
{
	batch->room = skb_tail_pointer(batch->skb);
	batch->room_len = len;
	return true;
}

/* Room in pages as the last fragment, empty. */
static bool add_room(struct xroce_batch *batch, u32 len, u32 more)
{
	int nr = skb_shinfo(batch->skb)->nr_frags;
	struct xroce_room room;

	if (!xroce_room_get(&room, len, len + min_t(u32, more, MAX_BYTES)))
		return false;
	skb_add_rx_frag(batch->skb, nr, room.page, room.offset, 0, room.bytes);
	batch->room = page_address(room.page) + room.offset;
	batch->room_len = room.bytes;
	return true;
}

static bool find_room(struct xroce_batch *batch, u32 len, u32 more)
{
	if (len <= batch->room_len)
		return true;
	if (!batch->npkts && len <= SMALL_BYTES)
		return use_head(batch, len);
	return add_room(batch, len, more);
}

/* ---- filling ------------------------------------------------------------------- */

static u32 l3_bytes(const struct xroce_batch *batch)
{
	return xroce_icrc_l3_bytes(batch->av->l3);
}

static u32 priority_of(const struct xroce_batch *batch)
{
	const struct xroce_av *av = batch->av;
	u32 priority;

	if (!av->sl && !av->tclass)
		return 0;
	rcu_read_lock();
	priority = xroce_priority_rcu(av,
		xroce_av_egress_rcu(av, xroce_qp_dev(batch->qp)));
	rcu_read_unlock();
	return priority;
}

bool xroce_batch_stays_here(const struct xroce_qp *qp, const struct xroce_av *av)
{
	if (!xroce_shortcut)
		return false;
	return av->l3 == XROCE_L3_GRH ? xroce_eth_is_local(xroce_qp_dev(qp), av) :
					qp->route.is_local;
}

void xroce_batch_fill_net(const struct xroce_qp *qp, const struct xroce_av *av, u8 *net)
{
	if (av->l3 == XROCE_L3_GRH)
		xroce_eth_fill_grh(net, av);
	else
		xroce_udp_fill_headers(net, av, &qp->route);
}

static bool begin(struct xroce_batch *batch, const struct xroce_av *av, u32 len)
{
	struct xroce_qp *qp = batch->qp;
	u32 small = len <= SMALL_BYTES ? len : 0;

	batch->av = av;
	batch->skb = alloc_skb(LL_MAX_HEADER + l3_bytes(batch) + small,
			       GFP_ATOMIC | __GFP_NOWARN);
	if (!batch->skb)
		return false;
	skb_reserve(batch->skb, LL_MAX_HEADER + l3_bytes(batch));
	batch->skb->priority = priority_of(batch);
	batch->departs = qp->congest.departs;
	batch->seg = len;
	batch->len = 0;
	batch->npkts = 0;
	batch->room_len = 0;
	batch->is_closed = false;
	batch->is_local = xroce_batch_stays_here(qp, av);
	xroce_batch_fill_net(qp, av, batch->net);
	if (av->l3 == XROCE_L3_GRH) {
		batch->is_single = !batch->is_local;
	} else {
		batch->is_single = !qp->route.may_segment || av->is_group;
		batch->id = qp->route.ip_id;
		skb_dst_set(batch->skb, dst_clone(qp->route.dst));
	}
	return true;
}

static bool fits(const struct xroce_batch *batch, const struct xroce_av *av,
		 u32 len)
{
	return batch->skb && batch->npkts && !batch->is_single &&
	       !batch->is_closed && av == batch->av && len <= batch->seg &&
	       batch->len + len <= MAX_BYTES &&
	       batch->departs == batch->qp->congest.departs &&
	       (len <= batch->room_len ||
		skb_shinfo(batch->skb)->nr_frags < MAX_SKB_FRAGS);
}

static void drop(struct xroce_batch *batch)
{
	kfree_skb(batch->skb);
	batch->skb = NULL;
}

static bool open_for(struct xroce_batch *batch, const struct xroce_av *av,
		     u32 len, u32 more)
{
	if (!batch->skb && !begin(batch, av, len))
		return false;
	if (find_room(batch, len, more))
		return true;
	if (!batch->npkts)
		drop(batch);
	return false;
}

static void note_first(struct xroce_batch *batch,
		       const struct xroce_burst *burst, u32 nth)
{
	batch->burst = *burst;
	batch->nth = nth;
}

u8 *xroce_batch_add(struct xroce_batch *batch, const struct xroce_av *av,
		    const struct xroce_burst *burst, u32 nth, u32 len, u32 more)
{
	if (batch->skb && !fits(batch, av, len) && xroce_batch_flush(batch))
		return NULL;
	if (open_for(batch, av, len, more)) {
		if (!batch->npkts)
			note_first(batch, burst, nth);
		return batch->room;
	}
	xroce_batch_lose(batch, burst, nth);
	return NULL;
}

int xroce_batch_lose(struct xroce_batch *batch, const struct xroce_burst *burst,
		     u32 nth)
{
	if (!xroce_batch_flush(batch)) {
		note_first(batch, burst, nth);
		xroce_qp_count_lost(batch->qp, XROCE_STAT_TX_DROPPED, 1);
	}
	return -ENOBUFS;
}

static void set_length(struct xroce_batch *batch, u32 len, u16 id)
{
	if (batch->av->l3 == XROCE_L3_GRH)
		xroce_eth_set_length(batch->net, len);
	else
		xroce_udp_set_length(batch->net, batch->av->l3, len, id);
}

static void put_icrc(struct xroce_batch *batch, u8 *bth, u32 hdr_len, u32 len)
{
	u32 body = len - hdr_len - XROCE_ICRC_BYTES;
	u32 crc;

	/* As it will be when the buffer is cut: roce-protocol, UDP segmentation. */
	set_length(batch, len, batch->id + batch->npkts);
	crc = xroce_icrc_headers(batch->av->l3, batch->net, bth, hdr_len);
	crc = xroce_icrc_update(crc, bth + hdr_len, body);
	xroce_icrc_put(crc, bth + hdr_len + body);
}

void xroce_batch_seal(struct xroce_batch *batch, u8 *bth, u32 hdr_len, u32 len)
{
	struct sk_buff *skb = batch->skb;
	int nr = skb_shinfo(skb)->nr_frags;

	if (batch->is_local)
		memset(bth + len - XROCE_ICRC_BYTES, 0, XROCE_ICRC_BYTES);
	else
		put_icrc(batch, bth, hdr_len, len);
	if (nr) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[nr - 1], len);
		skb->len += len;
		skb->data_len += len;
	} else {
		skb_put(skb, len);
	}
	batch->room += len;
	batch->room_len -= len;
	batch->len += len;
	batch->npkts++;
	batch->is_closed = len < batch->seg;
}

void xroce_batch_cancel(struct xroce_batch *batch)
{
	if (!batch->npkts)
		drop(batch);
}

void xroce_batch_close(struct xroce_batch *batch)
{
	batch->is_closed = true;
}

/* ---- sending --------------------------------------------------------------------- */

/* Of the last fragment, what no packet took; all of it, if the one never came. */
static void give_back_room(struct xroce_batch *batch)
{
	struct sk_buff *skb = batch->skb;
	int nr = skb_shinfo(skb)->nr_frags;
	skb_frag_t *last;

	if (!nr)
		return;
	last = &skb_shinfo(skb)->frags[nr - 1];
	xroce_room_trim(skb_frag_page(last),
			skb_frag_off(last) + skb_frag_size(last) + batch->room_len,
			batch->room_len);
	skb->truesize -= batch->room_len;
	batch->room_len = 0;
	if (skb_frag_size(last)) {
		/* Whoever keeps a little of a block keeps all of it from being used. */
		skb->truesize += nr == 1 && skb_frag_size(last) < PAGE_SIZE ?
				 PAGE_SIZE - skb_frag_size(last) : 0;
		return;
	}
	put_page(skb_frag_page(last));
	skb_shinfo(skb)->nr_frags--;
}

static void push_headers(struct xroce_batch *batch)
{
	struct sk_buff *skb = batch->skb;
	u32 bytes = l3_bytes(batch);

	set_length(batch, batch->len, batch->id);
	memcpy(skb_push(skb, bytes), batch->net, bytes);
	skb_reset_network_header(skb);
	if (batch->av->l3 == XROCE_L3_GRH)
		return;
	batch->qp->route.ip_id = batch->id + batch->npkts;
	skb_set_transport_header(skb, bytes - XROCE_UDP_BYTES);
	if (batch->npkts > 1)
		xroce_udp_set_segments(skb, batch->av->l3, batch->seg,
				       batch->npkts);
}

static void send_to_own_group(const struct xroce_batch *batch)
{
	const struct xroce_av *av = batch->av;
	struct net_device *ndev;

	rcu_read_lock();
	ndev = xroce_av_egress_rcu(av, xroce_qp_dev(batch->qp));
	xroce_rx_own_multicast(batch->skb, ndev, av->l3);
	rcu_read_unlock();
}

static int send_local(const struct xroce_batch *batch)
{
	struct xroce_dev *dev = xroce_qp_dev(batch->qp);
	const struct xroce_av *av = batch->av;
	struct net_device *ndev = dev->ndev;
	int err;

	rcu_read_lock();
	/* A frame comes in by the VLAN that it left by. */
	if (av->l3 == XROCE_L3_GRH)
		ndev = xroce_av_egress_rcu(av, dev);
	err = xroce_rx_local(batch->skb, ndev, av->l3, batch->seg);
	rcu_read_unlock();
	return err;
}

static int send_skb(struct xroce_batch *batch)
{
	struct xroce_dev *dev = xroce_qp_dev(batch->qp);

	if (batch->av->is_group)
		send_to_own_group(batch);
	if (batch->is_local)
		return send_local(batch);
	/* Monotonic: a bool in older kernels, an enum in newer ones. */
	if (batch->departs)
		skb_set_delivery_time(batch->skb, ns_to_ktime(batch->departs),
				      1);
	if (batch->av->l3 == XROCE_L3_GRH)
		return xroce_eth_send(dev, batch->skb, batch->av);
	return xroce_udp_send(dev_net(dev->ndev), batch->skb, batch->av->l3);
}

int xroce_batch_flush(struct xroce_batch *batch)
{
	struct xroce_qp *qp = batch->qp;
	int err;

	if (!batch->skb)
		return 0;
	give_back_room(batch);
	push_headers(batch);
	err = send_skb(batch);
	batch->skb = NULL;
	/* NET_XMIT_CN: another one had to go. */
	if (err && err != NET_XMIT_CN) {
		xroce_qp_count_lost(qp, XROCE_STAT_TX_DROPPED, batch->npkts);
		return -ENOBUFS;
	}
	xroce_qp_count(qp, XROCE_STAT_TX_PACKETS, batch->npkts);
	xroce_qp_count(qp, XROCE_STAT_TX_BYTES,
		       batch->len + batch->npkts * l3_bytes(batch));
	return 0;
}
