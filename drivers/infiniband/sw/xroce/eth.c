// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RoCEv1: packets to and from Ethernet (see eth.h). The GRH lies where an IP
 * header would; there are no routes and no neighbours: the verbs core has put the
 * peer's MAC into the address vector.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>
#include "av.h"
#include "core/wire.h"
#include "device.h"
#include "eth.h"
#include "rx.h"

#define GRH_VERSION	6
#define GRH_NEXT_IBA	0x1b

/* ---- receive --------------------------------------------------------------------- */

/* The GRH's own length rules: Ethernet may have padded the frame. */
static bool grh_fits(struct xroce_incoming *in)
{
	const struct ib_grh *grh = (void *)skb_network_header(in->skb);
	u32 paylen = be16_to_cpu(grh->paylen);

	if (be32_to_cpu(grh->version_tclass_flow) >> 28 != GRH_VERSION ||
	    grh->next_hdr != GRH_NEXT_IBA ||
	    !paylen || paylen > in->skb->len - sizeof(*grh))
		return false;
	in->end = in->bth + paylen;
	in->seg = paylen;
	return true;
}

static int receive(struct sk_buff *skb, struct net_device *ndev,
		   struct packet_type *type, struct net_device *orig)
{
	struct xroce_incoming in = {
		.bth = sizeof(struct ib_grh),
		.l3 = XROCE_L3_GRH,
	};

	/* Not for our MAC: a switch floods, a tap looks. */
	if (skb->pkt_type != PACKET_HOST && skb->pkt_type != PACKET_MULTICAST) {
		kfree_skb(skb);
		return NET_RX_DROP;
	}
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NET_RX_DROP;
	if (!pskb_may_pull(skb, sizeof(struct ib_grh))) {
		kfree_skb(skb);
		return NET_RX_DROP;
	}
	skb_reset_network_header(skb);
	xroce_rx_begin(&in, skb);
	if (grh_fits(&in))
		xroce_rx_buffer(&in);
	else
		xroce_rx_drop(&in, XROCE_DROP_L3);
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

static struct packet_type packet_type __read_mostly = {
	.type = cpu_to_be16(XROCE_ETHERTYPE_V1),
	.func = receive,
};

void xroce_eth_init(void)
{
	dev_add_pack(&packet_type);
}

void xroce_eth_exit(void)
{
	dev_remove_pack(&packet_type);
}

/* ---- transmit -------------------------------------------------------------------- */

void xroce_eth_fill_grh(u8 *net, const struct xroce_av *av)
{
	struct ib_grh *grh = (void *)net;

	grh->version_tclass_flow = cpu_to_be32(GRH_VERSION << 28 |
					       av->tclass << 20 |
					       av->flow_label);
	grh->next_hdr = GRH_NEXT_IBA;
	grh->hop_limit = av->hop_limit;
	grh->sgid = av->sgid;
	grh->dgid = av->dgid;
}

void xroce_eth_set_length(u8 *net, u32 len)
{
	((struct ib_grh *)net)->paylen = cpu_to_be16(len);
}

static bool is_own_mac(const struct net_device *ndev, const struct xroce_av *av)
{
	return ether_addr_equal(av->dmac, ndev->dev_addr) &&
	       !(ndev->flags & IFF_LOOPBACK);
}

bool xroce_eth_is_local(const struct xroce_dev *dev, const struct xroce_av *av)
{
	const struct net_device *ndev;
	bool is_local;

	rcu_read_lock();
	ndev = xroce_av_egress_rcu(av, dev);
	is_local = ndev->flags & IFF_UP && is_own_mac(ndev, av);
	rcu_read_unlock();
	return is_local;
}

/* To ourselves: no switch sends a frame back where it came from. */
static int loop_back(struct sk_buff *skb, struct net_device *ndev)
{
	skb->protocol = eth_type_trans(skb, ndev);
	return netif_rx(skb);
}

int xroce_eth_send(struct xroce_dev *dev, struct sk_buff *skb,
		   const struct xroce_av *av)
{
	struct net_device *ndev;
	int err;

	rcu_read_lock();
	ndev = xroce_av_egress_rcu(av, dev);
	skb->dev = ndev;
	skb->protocol = cpu_to_be16(XROCE_ETHERTYPE_V1);
	skb_reset_transport_header(skb);
	if (!(ndev->flags & IFF_UP) || ndev->type == ARPHRD_NONE ||
	    dev_hard_header(skb, ndev, XROCE_ETHERTYPE_V1, av->dmac,
			    ndev->dev_addr, skb->len) < 0) {
		kfree_skb(skb);
		err = NET_XMIT_DROP;
	} else if (is_own_mac(ndev, av)) {
		skb_reset_mac_header(skb);
		err = loop_back(skb, ndev);
	} else {
		err = dev_queue_xmit(skb);
	}
	rcu_read_unlock();
	return err;
}
