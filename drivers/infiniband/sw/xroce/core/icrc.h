/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The invariant CRC (IBTA 7.8.1 and annexes A16, A17): CRC-32 over the network
 * header with its mutable fields set to ones, the transport headers and payload.
 */
#ifndef XROCE_CORE_ICRC_H
#define XROCE_CORE_ICRC_H

#include <linux/types.h>

enum xroce_l3 {
	XROCE_L3_GRH,	/* RoCEv1: the 40-byte GRH */
	XROCE_L3_IPV4,	/* 20-byte IPv4 header without options, UDP header */
	XROCE_L3_IPV6,	/* 40-byte IPv6 header, UDP header */
};

/* Bytes from the start of the network header to the BTH. */
unsigned int xroce_icrc_l3_bytes(enum xroce_l3 l3);

/**
 * xroce_icrc_headers - start an ICRC: network and transport headers
 * @l3: kind of network header
 * @net: network header, xroce_icrc_l3_bytes() long and contiguous
 * @bth: BTH and extension headers, need not follow @net in memory
 * @bth_len: their length, at least XROCE_BTH_BYTES; payload that follows them
 *	in memory may be included
 *
 * Neither buffer is written.
 *
 * Return: the running CRC, to be continued over payload and pad.
 */
u32 xroce_icrc_headers(enum xroce_l3 l3, const u8 *net, const u8 *bth,
		       unsigned int bth_len);

/* Continue over payload or pad bytes. */
u32 xroce_icrc_update(u32 crc, const void *data, unsigned int len);

/* Write the finished ICRC, least significant byte first, on any CPU. */
void xroce_icrc_put(u32 crc, u8 *icrc);

/* True if the four bytes at @icrc finish @crc. */
bool xroce_icrc_ok(u32 crc, const u8 *icrc);

#endif
