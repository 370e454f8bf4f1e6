// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From received buffers to a QP's queue (see rx.h): lengths, parse, QP, ICRC.
 * A buffer may hold several packets (segmentation offload); runs of packets for
 * one QP travel on together.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <rdma/ib_addr.h>
#include "direct.h"
#include "mcast.h"
#include "qp.h"
#include "run.h"
#include "rx.h"
#include "stats.h"

bool xroce_rx_parse(const struct sk_buff *skb, u32 off, u32 len,
		    struct xroce_pkt *pkt)
{
	u8 scratch[XROCE_MAX_HDR_BYTES];
	u32 avail = min_t(u32, len, sizeof(scratch));
	const u8 *bth = skb_header_pointer(skb, off, avail, scratch);

	return bth && xroce_wire_parse(pkt, bth, avail, len) == XROCE_PARSE_OK;
}

static const enum xroce_drop parse_drops[] = {
	[XROCE_PARSE_OK]	= XROCE_DROP_NONE,
	[XROCE_PARSE_SHORT]	= XROCE_DROP_SHORT,
	[XROCE_PARSE_OPCODE]	= XROCE_DROP_OPCODE,
	[XROCE_PARSE_VERSION]	= XROCE_DROP_VERSION,
};

static enum xroce_drop parse(const struct xroce_incoming *in, u32 off, u32 len,
			     struct xroce_pkt *pkt, u8 *scratch, const u8 **bth)
{
	u32 avail = min_t(u32, len, XROCE_MAX_HDR_BYTES);

	*bth = skb_header_pointer(in->skb, off, avail, scratch);
	if (!*bth)
		return XROCE_DROP_SHORT;
	return parse_drops[xroce_wire_parse(pkt, *bth, avail, len)];
}

/* ---- ICRC ---------------------------------------------------------------------- */

/*
 * The network header that packet @i of the buffer had: segmentation counts the
 * IPv4 identification up and sets the lengths of each packet.
 */
static void network_header(const struct xroce_incoming *in, u32 i, u32 len,
			   u8 *to)
{
	u32 l3_bytes = xroce_icrc_l3_bytes(in->l3);
	u32 udp_len = len + sizeof(struct udphdr);
	struct udphdr *udp = (void *)(to + l3_bytes - sizeof(*udp));

	memcpy(to, skb_network_header(in->skb), l3_bytes);
	if (in->l3 == XROCE_L3_GRH)
		return;	/* nobody segments these */
	udp->len = htons(udp_len);
	if (in->l3 == XROCE_L3_IPV4) {
		struct iphdr *ip = (void *)to;

		ip->tot_len = htons(udp_len + sizeof(*ip));
		ip->id = htons(ntohs(ip->id) + i);
	} else {
		((struct ipv6hdr *)to)->payload_len = htons(udp_len);
	}
}

static u32 crc_of_bytes(const struct sk_buff *skb, u32 from, u32 to, u32 crc)
{
	struct skb_seq_state seq;
	const u8 *data;
	u32 done = 0, n;

	if (from == to)
		return crc;
	skb_prepare_seq_read((struct sk_buff *)skb, from, to, &seq);
	while (done < to - from && (n = skb_seq_read(done, &data, &seq))) {
		n = min(n, to - from - done);
		crc = xroce_icrc_update(crc, data, n);
		done += n;
	}
	skb_abort_seq_read(&seq);
	return crc;
}

static bool icrc_is(const struct xroce_incoming *in, u32 i, u32 off, u32 len,
		    const struct xroce_pkt *pkt, const u8 *bth)
{
	u8 net[sizeof(struct ipv6hdr) + sizeof(struct udphdr)] __aligned(4);
	u8 icrc[XROCE_ICRC_BYTES];
	u32 crc;

	network_header(in, i, len, net);
	crc = xroce_icrc_headers(in->l3, net, bth, pkt->hdr_len);
	crc = crc_of_bytes(in->skb, off + pkt->hdr_len,
			   off + len - XROCE_ICRC_BYTES, crc);
	if (skb_copy_bits(in->skb, off + len - XROCE_ICRC_BYTES, icrc,
			  sizeof(icrc)))
		return false;
	return xroce_icrc_ok(crc, icrc);
}

/* Some NICs send, and GRO joins, packets of one and the same identification. */
static bool icrc_fits(struct xroce_incoming *in, u32 off, u32 len,
		      const struct xroce_pkt *pkt, const u8 *bth)
{
	u32 i = (off - in->bth) / in->seg;

	if (in->is_trusted)
		return true;
	if (icrc_is(in, in->is_fixed_id ? 0 : i, off, len, pkt, bth))
		return true;
	if (!i || in->l3 != XROCE_L3_IPV4 || in->is_fixed_id)
		return false;
	in->is_fixed_id = icrc_is(in, 0, off, len, pkt, bth);
	return in->is_fixed_id;
}

/* ---- QP ------------------------------------------------------------------------- */

static void dgid_of(const struct xroce_incoming *in, union ib_gid *dgid)
{
	/* A GRH is an IPv6 header in all but name. */
	if (in->l3 == XROCE_L3_IPV4)
		ipv6_addr_set_v4mapped(ip_hdr(in->skb)->daddr,
				       (struct in6_addr *)dgid);
	else
		memcpy(dgid, &ipv6_hdr(in->skb)->daddr, sizeof(*dgid));
}

static void sgid_of(const struct xroce_incoming *in, union ib_gid *sgid)
{
	if (in->l3 == XROCE_L3_IPV4)
		ipv6_addr_set_v4mapped(ip_hdr(in->skb)->saddr,
				       (struct in6_addr *)sgid);
	else
		memcpy(sgid, &ipv6_hdr(in->skb)->saddr, sizeof(*sgid));
}

static bool is_multicast(const struct xroce_incoming *in)
{
	union ib_gid dgid;

	dgid_of(in, &dgid);
	return rdma_is_multicast_addr((struct in6_addr *)dgid.raw);
}

/* QP1 exists on each device: the destination address says which. */
static struct xrdma_ref *find_gsi(const struct xroce_incoming *in)
{
	struct xrdma_ref *ref = NULL;
	struct xroce_dev *dev;
	union ib_gid dgid;

	dgid_of(in, &dgid);
	rcu_read_lock();
	dev = xroce_dev_find_rcu(dev_net(in->ndev), &dgid, in->ndev);
	if (dev)
		ref = xrdma_ref_get(&dev->gsi, XROCE_GSI_QPN);
	rcu_read_unlock();
	return ref;
}

/*
 * IP has found out that the packet is for an address of this namespace, by
 * whatever netdev it came. A frame is for the netdev's own.
 */
static bool comes_by_right_way(const struct xroce_incoming *in,
			       const struct xroce_dev *dev)
{
	bool is_near;

	if (!net_eq(dev_net(dev->ndev), dev_net(in->ndev)))
		return false;
	if (in->l3 != XROCE_L3_GRH)
		return true;
	rcu_read_lock();
	is_near = xroce_dev_is_near_rcu(dev, in->ndev);
	rcu_read_unlock();
	return is_near;
}

static struct xrdma_ref *find_qp(const struct xroce_incoming *in, u32 qpn)
{
	struct xrdma_ref *ref;
	struct xroce_qp *qp;

	if (qpn == XROCE_GSI_QPN)
		return find_gsi(in);
	ref = xrdma_ref_get(&xroce_qps, qpn);
	if (!ref)
		return NULL;
	qp = ref->obj;
	if (comes_by_right_way(in, xroce_qp_dev(qp)))
		return ref;
	xrdma_ref_put(ref);
	return NULL;
}

void xroce_rx_drop(const struct xroce_incoming *in, enum xroce_drop reason)
{
	struct xroce_dev *dev;
	union ib_gid dgid;

	dgid_of(in, &dgid);
	rcu_read_lock();
	dev = xroce_dev_find_rcu(dev_net(in->ndev), &dgid, in->ndev);
	if (dev)
		xroce_count_drop(dev, reason);
	rcu_read_unlock();
}

/* ---- queue -------------------------------------------------------------------------- */

static u16 vlan_of(const struct net_device *ndev)
{
	return is_vlan_dev(ndev) ? vlan_dev_vlan_id(ndev) : XROCE_NO_VLAN;
}

static bool is_full(const struct xroce_qp *qp)
{
	return atomic_read(&qp->rx_bytes) >= XROCE_RX_BACKLOG;
}

static void enqueue(struct xroce_qp *qp, struct sk_buff *skb)
{
	atomic_add(skb->truesize, &qp->rx_bytes);
	skb_queue_tail(&qp->rx, skb);
}

/*
 * Bytes @from..@to of the buffer for a QP, or the reason why not. @is_last: nobody
 * needs the buffer after this.
 */
static enum xroce_drop queue_bytes(const struct xroce_incoming *in,
				   struct xroce_qp *qp, u32 from, u32 to,
				   bool is_last)
{
	struct sk_buff *skb = in->skb;

	if (is_full(qp))
		return XROCE_DROP_QUEUE_FULL;
	/* The buffer's last run takes the caller's reference to it. */
	skb = is_last ? skb_get(skb) : skb_clone(skb, GFP_ATOMIC);
	if (!skb)
		return XROCE_DROP_NO_MEMORY;
	*xroce_rx_cb(skb) = (struct xroce_rx_cb) {
		.off = from,
		.len = to - from,
		.seg = in->seg,
		.vlan_id = vlan_of(in->ndev),
		.l3 = in->l3,
		.is_many = in->end - in->bth > in->seg,
	};
	enqueue(qp, skb);
	return XROCE_DROP_NONE;
}

/* @npkts are queued, or dropped; takes the reference. */
static void queued(struct xrdma_ref *ref, enum xroce_drop reason, u32 npkts, u32 bytes)
{
	struct xroce_qp *qp = ref->obj;

	if (reason) {
		xroce_qp_count_drop(qp, reason);
	} else {
		xroce_qp_count(qp, XROCE_STAT_RX_PACKETS, npkts);
		xroce_qp_count(qp, XROCE_STAT_RX_BYTES, bytes);
		xroce_qp_kick(qp);
	}
	xrdma_ref_put(ref);
}

/* The same, with counts; takes the reference. */
static void queue_run(const struct xroce_incoming *in, struct xrdma_ref *ref,
		      u32 from, u32 to, bool is_last)
{
	enum xroce_drop reason = queue_bytes(in, ref->obj, from, to, is_last);
	u32 npkts = DIV_ROUND_UP(to - from, in->seg);

	/* As its sender counts. */
	queued(ref, reason, npkts, to - from + npkts * xroce_icrc_l3_bytes(in->l3));
}

struct sk_buff *xroce_rx_next(struct xroce_qp *qp)
{
	struct sk_buff *skb = skb_dequeue(&qp->rx);

	if (skb)
		atomic_sub(skb->truesize, &qp->rx_bytes);
	return skb;
}

void xroce_rx_put_back(struct xroce_qp *qp, struct sk_buff *skb)
{
	atomic_add(skb->truesize, &qp->rx_bytes);
	skb_queue_head(&qp->rx, skb);
}

/* Back to the head of the queue, or lost. */
static void return_detached(struct xroce_qp *qp, struct sk_buff *skb)
{
	if (!xroce_rx_cb(skb)->is_direct || xroce_direct_detach(skb)) {
		xroce_rx_put_back(qp, skb);
		return;
	}
	xroce_qp_count_drop(qp, XROCE_DROP_NO_MEMORY);
	kfree_skb(skb);
}

void xroce_rx_detach(struct xroce_qp *qp)
{
	struct sk_buff_head queue;
	struct sk_buff *skb;

	if (!READ_ONCE(qp->rx_has_direct))
		return;
	/* Who queues one sets it behind that, and kicks us then. */
	WRITE_ONCE(qp->rx_has_direct, false);
	__skb_queue_head_init(&queue);
	while ((skb = xroce_rx_next(qp)))
		__skb_queue_tail(&queue, skb);
	while ((skb = __skb_dequeue_tail(&queue)))
		return_detached(qp, skb);
}

static u32 packets_in(struct sk_buff *skb)
{
	const struct xroce_rx_cb *cb = xroce_rx_cb(skb);

	return cb->is_direct ? xroce_direct_of(skb)->burst.npkts - cb->off :
			       DIV_ROUND_UP(cb->len, cb->seg);
}

void xroce_rx_purge(struct xroce_qp *qp)
{
	struct sk_buff *skb;
	u32 i;

	while ((skb = xroce_rx_next(qp))) {
		for (i = packets_in(skb); i; i--)
			xroce_qp_count_drop(qp, XROCE_DROP_STATE);
		kfree_skb(skb);
	}
}

static bool is_for(const struct xrdma_ref *run, u32 qpn)
{
	/* QP1 has one number on all devices, but no neighbours in a buffer either. */
	return run && run->index == qpn;
}

/*
 * Judge the packet at @off. *@ref is the QP of the run before it, or NULL; it is
 * kept if the packet is for the same QP, else replaced by a new reference.
 */
static enum xroce_drop judge(struct xroce_incoming *in, u32 off, u32 len,
			     struct xrdma_ref **ref)
{
	struct xrdma_ref *run = *ref;
	u8 scratch[XROCE_MAX_HDR_BYTES];
	struct xroce_pkt pkt;
	enum xroce_drop reason;
	const u8 *bth;

	*ref = NULL;
	reason = parse(in, off, len, &pkt, scratch, &bth);
	if (reason)
		return reason;
	*ref = is_for(run, pkt.dest_qp) ? run : find_qp(in, pkt.dest_qp);
	if (!*ref)
		return XROCE_DROP_NO_QP;
	if (icrc_fits(in, off, len, &pkt, bth))
		return XROCE_DROP_NONE;
	if (*ref != run)
		xrdma_ref_put(*ref);
	*ref = NULL;
	return XROCE_DROP_ICRC;
}

/* ---- multicast --------------------------------------------------------------------- */

/* Is it @qp's own packet, and does @qp not want that? */
static bool is_blocked(const struct xroce_incoming *in, const struct xroce_qp *qp,
		       u32 src_qp)
{
	union ib_gid sgid;

	if (!qp->blocks_own_mcast || src_qp != qp->ibqp.qp_num)
		return false;
	sgid_of(in, &sgid);
	return xroce_dev_has_gid(xroce_qp_dev(qp), &sgid);
}

/* A copy for each member of the group at @dev. Return: how many there are. */
static unsigned int give_to_device(const struct xroce_incoming *in,
				   const struct xroce_dev *dev,
				   const union ib_gid *gid, u32 off, u32 len,
				   u32 src_qp)
{
	const struct xroce_member *member;
	const struct xroce_group *group;
	struct xrdma_ref *ref;
	unsigned int n = 0;

	group = xroce_group_find_rcu(dev, gid);
	if (!group)
		return 0;
	list_for_each_entry_rcu(member, &group->members, node) {
		ref = xrdma_ref_get(&xroce_qps, member->qpn);
		if (!ref)
			continue;
		n++;
		if (is_blocked(in, ref->obj, src_qp))
			xrdma_ref_put(ref);
		else
			queue_run(in, ref, off, off + len, false);
	}
	return n;
}

static enum xroce_drop give_to_members(const struct xroce_incoming *in, u32 off,
				       u32 len, u32 src_qp)
{
	struct xroce_dev *dev = NULL;
	unsigned int n = 0;
	union ib_gid gid;

	dgid_of(in, &gid);
	rcu_read_lock();
	while ((dev = xroce_dev_next_near_rcu(dev, dev_net(in->ndev), in->ndev)))
		n += give_to_device(in, dev, &gid, off, len, src_qp);
	rcu_read_unlock();
	return n ? XROCE_DROP_NONE : XROCE_DROP_NO_QP;
}

static enum xroce_drop judge_multicast(struct xroce_incoming *in, u32 off,
				       u32 len)
{
	u8 scratch[XROCE_MAX_HDR_BYTES];
	struct xroce_pkt pkt;
	enum xroce_drop reason;
	const u8 *bth;

	reason = parse(in, off, len, &pkt, scratch, &bth);
	if (reason)
		return reason;
	if (pkt.info->service != XROCE_UD || pkt.dest_qp != XROCE_MULTICAST_QPN)
		return XROCE_DROP_ADDRESS;
	if (!icrc_fits(in, off, len, &pkt, bth))
		return XROCE_DROP_ICRC;
	return give_to_members(in, off, len, pkt.src_qp);
}

/* The members here have had it when it was sent (xroce_rx_own_multicast()). */
static bool is_echo(const struct xroce_incoming *in)
{
	const struct sk_buff *skb = in->skb;

	if (in->ndev->flags & IFF_LOOPBACK)
		return false;
	if (skb->pkt_type == PACKET_LOOPBACK)
		return true;
	return in->ndev->type == ARPHRD_ETHER && skb_mac_header_was_set(skb) &&
	       ether_addr_equal(eth_hdr(skb)->h_source, in->ndev->dev_addr);
}

static void take_multicast(struct xroce_incoming *in)
{
	enum xroce_drop reason;
	u32 off, len;

	if (is_echo(in))
		return;
	for (off = in->bth; off < in->end; off += len) {
		len = min(in->seg, in->end - off);
		reason = judge_multicast(in, off, len);
		if (reason)
			xroce_rx_drop(in, reason);
	}
}

void xroce_rx_own_multicast(struct sk_buff *skb, struct net_device *ndev,
			    enum xroce_l3 l3)
{
	struct xroce_incoming in = {
		.skb = skb,
		.ndev = ndev,
		.l3 = l3,
		.bth = xroce_icrc_l3_bytes(l3),
		.end = skb->len,
		.seg = skb->len - xroce_icrc_l3_bytes(l3),
	};
	struct xroce_pkt pkt;

	/* What is sent to ourselves by the loopback netdev does come back. */
	if (ndev->flags & IFF_LOOPBACK)
		return;
	/* Whoever gets it may look at the checksum (verbs core: GSI and UD). */
	if (l3 == XROCE_L3_IPV4)
		ip_send_check(ip_hdr(skb));
	if (xroce_rx_parse(skb, in.bth, in.seg, &pkt))
		give_to_members(&in, in.bth, in.seg, pkt.src_qp);
}

/* ------------------------------------------------------------------------------------ */

void xroce_rx_buffer(struct xroce_incoming *in)
{
	struct xrdma_ref *run = NULL, *ref;
	u32 from = in->bth, off, len;
	enum xroce_drop reason;

	if (is_multicast(in)) {
		take_multicast(in);
		return;
	}
	for (off = in->bth; off < in->end; off += len) {
		len = min(in->seg, in->end - off);
		ref = run;
		reason = judge(in, off, len, &ref);
		if (run && ref == run)
			continue;
		if (run)
			queue_run(in, run, from, off, false);
		run = ref;
		from = off;
		if (reason)
			xroce_rx_drop(in, reason);
	}
	if (run)
		queue_run(in, run, from, in->end, true);
}

int xroce_rx_local(struct sk_buff *skb, struct net_device *ndev,
		   enum xroce_l3 l3, u32 seg)
{
	struct xroce_incoming in = {
		.skb = skb,
		.ndev = ndev,
		.l3 = l3,
		.bth = xroce_icrc_l3_bytes(l3),
		.end = skb->len,
		.seg = seg,
		.is_trusted = true,
	};

	skb_dst_drop(skb);
	/* Programs that take datagrams find the header in front of them. */
	if (l3 == XROCE_L3_IPV4)
		ip_send_check(ip_hdr(skb));
	xroce_rx_buffer(&in);
	consume_skb(skb);
	return 0;
}

static enum xroce_drop queue_direct(const struct xroce_incoming *in, struct xroce_qp *qp)
{
	struct sk_buff *skb = in->skb;

	if (is_full(qp)) {
		kfree_skb(skb);
		return XROCE_DROP_QUEUE_FULL;
	}
	*xroce_rx_cb(skb) = (struct xroce_rx_cb) {
		.vlan_id = vlan_of(in->ndev),
		.l3 = in->l3,
		.is_direct = true,
	};
	enqueue(qp, skb);
	WRITE_ONCE(qp->rx_has_direct, true);
	return XROCE_DROP_NONE;
}

void xroce_rx_direct(struct sk_buff *skb, struct net_device *ndev, enum xroce_l3 l3,
		     u32 bytes)
{
	const struct xroce_burst *burst = &xroce_direct_of(skb)->burst;
	struct xroce_incoming in = { .skb = skb, .ndev = ndev, .l3 = l3 };
	struct xrdma_ref *ref = find_qp(&in, burst->first.dest_qp);
	u32 npkts = burst->npkts;

	if (!ref) {
		xroce_rx_drop(&in, XROCE_DROP_NO_QP);
		kfree_skb(skb);
		return;
	}
	queued(ref, queue_direct(&in, ref->obj), npkts, bytes);
}

void xroce_rx_begin(struct xroce_incoming *in, struct sk_buff *skb)
{
	in->skb = skb;
	in->ndev = skb->dev;
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb->dev = NULL;
}
