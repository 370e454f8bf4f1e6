// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The link: real packets with a real ICRC, over IPv4. It may lose, double,
 * delay and damage them; the receiver finds damage by the ICRC alone.
 */
#include <stdlib.h>
#include <string.h>
#include "icrc.h"
#include "sim.h"

#define L3	28

static void build_l3(u8 *net, u32 len)
{
	memset(net, 0, L3);
	net[0] = 0x45;
	net[2] = len >> 8;
	net[3] = len;
	net[8] = 64;
	net[9] = 17;
	net[22] = 0x12;
	net[23] = 0xb7;
}

static struct packet *build(const struct xroce_pkt *pkt, const u8 *payload)
{
	struct packet *packet = malloc(sizeof(*packet) + L3 +
				       XROCE_MAX_HDR_BYTES +
				       pkt->payload_len + 8);
	u8 *bth = packet->bytes + L3;
	u32 hdr = xroce_wire_build(pkt, bth);
	u32 body = pkt->payload_len + pkt->pad;
	u32 crc;

	if (!packet)
		abort();
	packet->len = L3 + hdr + body + XROCE_ICRC_BYTES;
	build_l3(packet->bytes, packet->len);
	if (pkt->payload_len)
		memcpy(bth + hdr, payload, pkt->payload_len);
	memset(bth + hdr + pkt->payload_len, 0, pkt->pad);
	crc = xroce_icrc_headers(XROCE_L3_IPV4, packet->bytes, bth, hdr);
	crc = xroce_icrc_update(crc, bth + hdr, body);
	xroce_icrc_put(crc, bth + hdr + body);
	return packet;
}

/* Parse, then verify: as the receive path does. False: damaged. */
bool link_open(const struct packet *packet, struct xroce_pkt *pkt,
	       const u8 **payload)
{
	const u8 *bth = packet->bytes + L3;
	u32 len = packet->len - L3;
	u32 crc;

	if (xroce_wire_parse(pkt, bth, len, len) != XROCE_PARSE_OK)
		return false;
	*payload = bth + pkt->hdr_len;
	crc = xroce_icrc_headers(XROCE_L3_IPV4, packet->bytes, bth,
				 pkt->hdr_len);
	crc = xroce_icrc_update(crc, *payload, pkt->payload_len + pkt->pad);
	return xroce_icrc_ok(crc, bth + len - XROCE_ICRC_BYTES);
}

/* One bit, not among the masked ones of byte 4. */
static void damage(struct rng *rng, struct packet *packet)
{
	u32 at;

	do
		at = rng_below(rng, packet->len - L3);
	while (at == 4);
	packet->bytes[L3 + at] ^= 1 << rng_below(rng, 8);
}

u32 link_mishaps(const struct link *link)
{
	return link->lost + link->doubled + link->damaged + link->reordered;
}

static void deliver(struct node *from, struct packet *packet)
{
	struct world *world = from->world;
	struct link *link = &world->link[from - world->node];
	const struct link_params *p = &link->params;
	u64 delay;

	if (rng_chance(&world->rng, p->loss)) {
		link->lost++;
		free(packet);
		return;
	}
	if (rng_chance(&world->rng, p->corrupt)) {
		link->damaged++;
		damage(&world->rng, packet);
	}
	if (link->busy_until < world->now)
		link->busy_until = world->now;
	link->busy_until += 1 + (u64)packet->len * p->ns_per_kb / 1024;
	delay = link->busy_until - world->now + p->delay;
	if (rng_chance(&world->rng, p->reorder)) {
		link->reordered++;
		delay += rng_below(&world->rng, p->jitter + 1);
	}
	world_at(world, delay, EVENT_PACKET, from->peer, packet);
}

void link_send(struct node *from, const struct xroce_pkt *pkt,
	       const u8 *payload)
{
	struct world *world = from->world;
	struct link *link = &world->link[from - world->node];

	from->sent_pkts++;
	if (link->filter && link->filter(world, pkt, link->sent++)) {
		link->lost++;
		return;
	}
	if (rng_chance(&world->rng, link->params.dup)) {
		link->doubled++;
		deliver(from, build(pkt, payload));
	}
	deliver(from, build(pkt, payload));
}
