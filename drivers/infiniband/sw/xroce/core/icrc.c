// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The invariant CRC (IBTA 7.8.1; annex A16 for the GRH, A17 for IP and UDP).
 * What the network may change counts as ones.
 */
#include <linux/crc32.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "icrc.h"
#include "opcode.h"

/* CRC register after the eight ones that stand for the LRH. */
#define SEED		0xdebb20e3U

#define IPV4_BYTES	20
#define IPV6_BYTES	40	/* and the GRH */
#define UDP_BYTES	8
#define MAX_L3_BYTES	(IPV6_BYTES + UDP_BYTES)

/* traffic class, flow label; hop limit */
static void mask_ipv6(u8 *ip)
{
	ip[0] |= 0x0f;
	memset(ip + 1, 0xff, 3);
	ip[7] = 0xff;
}

/* type of service; time to live; header checksum */
static void mask_ipv4(u8 *ip)
{
	ip[1] = 0xff;
	ip[8] = 0xff;
	memset(ip + 10, 0xff, 2);
}

/* checksum */
static void mask_udp(u8 *udp)
{
	memset(udp + 6, 0xff, 2);
}

/* FECN, BECN and six reserved bits */
static void mask_bth(u8 *bth)
{
	bth[4] = 0xff;
}

static void mask_l3(enum xroce_l3 l3, u8 *net)
{
	switch (l3) {
	case XROCE_L3_GRH:
		mask_ipv6(net);
		break;
	case XROCE_L3_IPV4:
		mask_ipv4(net);
		mask_udp(net + IPV4_BYTES);
		break;
	case XROCE_L3_IPV6:
		mask_ipv6(net);
		mask_udp(net + IPV6_BYTES);
		break;
	}
}

unsigned int xroce_icrc_l3_bytes(enum xroce_l3 l3)
{
	static const u8 bytes[] = {
		[XROCE_L3_GRH]	= IPV6_BYTES,
		[XROCE_L3_IPV4]	= IPV4_BYTES + UDP_BYTES,
		[XROCE_L3_IPV6]	= IPV6_BYTES + UDP_BYTES,
	};

	return bytes[l3];
}

u32 xroce_icrc_headers(enum xroce_l3 l3, const u8 *net, const u8 *bth,
		       unsigned int bth_len)
{
	unsigned int net_len = xroce_icrc_l3_bytes(l3);
	u8 masked[MAX_L3_BYTES + XROCE_BTH_BYTES];
	u32 crc;

	memcpy(masked, net, net_len);
	memcpy(masked + net_len, bth, XROCE_BTH_BYTES);
	mask_l3(l3, masked);
	mask_bth(masked + net_len);
	crc = crc32_le(SEED, masked, net_len + XROCE_BTH_BYTES);
	return crc32_le(crc, bth + XROCE_BTH_BYTES, bth_len - XROCE_BTH_BYTES);
}

u32 xroce_icrc_update(u32 crc, const void *data, unsigned int len)
{
	return crc32_le(crc, data, len);
}

void xroce_icrc_put(u32 crc, u8 *icrc)
{
	put_unaligned_le32(~crc, icrc);
}

bool xroce_icrc_ok(u32 crc, const u8 *icrc)
{
	return get_unaligned_le32(icrc) == ~crc;
}
