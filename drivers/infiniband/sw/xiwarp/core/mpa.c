// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MPA startup (RFC 5044 7.1, RFC 6581).
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "mpa.h"

#define KEY_BYTES	16
#define AT_FLAGS	16
#define AT_REVISION	17
#define AT_LENGTH	18

#define FLAG_MARKERS	BIT(7)
#define FLAG_CRC	BIT(6)
#define FLAG_REJECT	BIT(5)
#define FLAG_ENHANCED	BIT(4)
#define FLAG_SOFT	BIT(3)

/* The enhanced words (RFC 6581 9): flags above 14 bits of depth. */
#define WORD_A		BIT(15)	/* first: peer to peer */
#define WORD_B		BIT(14)	/* first: RTR by FPDU */
#define WORD_C		BIT(15)	/* second: by Write */
#define WORD_D		BIT(14)	/* second: by Read */
#define WORD_DEPTH	0x3fff

#define MAX_REVISION	2

static const u8 request_key[KEY_BYTES + 1] = "MPA ID Req Frame";
static const u8 reply_key[KEY_BYTES + 1] = "MPA ID Rep Frame";

static const u8 *key_of(bool is_reply)
{
	return is_reply ? reply_key : request_key;
}

static unsigned int frame_bytes(const struct xiwarp_mpa_rx *rx)
{
	if (rx->got < XIWARP_MPA_HDR_BYTES)
		return XIWARP_MPA_HDR_BYTES;
	return XIWARP_MPA_HDR_BYTES + get_unaligned_be16(rx->buf + AT_LENGTH);
}

unsigned int xiwarp_mpa_want(struct xiwarp_mpa_rx *rx, u8 **buf)
{
	*buf = rx->buf + rx->got;
	return frame_bytes(rx) - rx->got;
}

/* Everything that has come so far may stand at the start of a frame. */
static bool is_plausible(const struct xiwarp_mpa_rx *rx, bool is_reply)
{
	const u8 *buf = rx->buf;
	unsigned int len;

	if (memcmp(buf, key_of(is_reply), min_t(unsigned int, rx->got, KEY_BYTES)))
		return false;
	if (rx->got > AT_REVISION && buf[AT_REVISION] > MAX_REVISION)
		return false;
	if (rx->got < XIWARP_MPA_HDR_BYTES)
		return true;
	len = get_unaligned_be16(buf + AT_LENGTH);
	if (buf[AT_REVISION] == MAX_REVISION && buf[AT_FLAGS] & FLAG_ENHANCED &&
	    len < XIWARP_MPA_ENHANCED_BYTES)
		return false;
	return len <= XIWARP_MPA_MAX_PRIVATE;
}

static void parse_enhanced(struct xiwarp_mpa_frame *frame, const u8 *p)
{
	u16 first = get_unaligned_be16(p);
	u16 second = get_unaligned_be16(p + 2);

	frame->is_peer_to_peer = first & WORD_A;
	frame->ird = first & WORD_DEPTH;
	frame->ord = second & WORD_DEPTH;
	frame->rtr = (u8)((first & WORD_B ? XIWARP_RTR_FPDU : 0) |
			  (second & WORD_C ? XIWARP_RTR_WRITE : 0) |
			  (second & WORD_D ? XIWARP_RTR_READ : 0));
}

static void parse(const struct xiwarp_mpa_rx *rx, bool is_reply,
		  struct xiwarp_mpa_frame *frame)
{
	u8 flags = rx->buf[AT_FLAGS];

	memset(frame, 0, sizeof(*frame));
	frame->is_reply = is_reply;
	frame->revision = max_t(u8, rx->buf[AT_REVISION], 1);
	frame->markers = flags & FLAG_MARKERS;
	frame->crc = flags & FLAG_CRC;
	frame->is_rejected = is_reply && flags & FLAG_REJECT;
	frame->is_enhanced = frame->revision == 2 && flags & FLAG_ENHANCED;
	frame->is_soft = flags & FLAG_SOFT;
	frame->private_data = rx->buf + XIWARP_MPA_HDR_BYTES;
	frame->private_len = get_unaligned_be16(rx->buf + AT_LENGTH);
	if (!frame->is_enhanced)
		return;
	parse_enhanced(frame, frame->private_data);
	frame->private_data += XIWARP_MPA_ENHANCED_BYTES;
	frame->private_len -= XIWARP_MPA_ENHANCED_BYTES;
}

enum xiwarp_mpa_result xiwarp_mpa_took(struct xiwarp_mpa_rx *rx, bool is_reply,
				       unsigned int n,
				       struct xiwarp_mpa_frame *frame)
{
	rx->got = (u16)(rx->got + n);
	if (!is_plausible(rx, is_reply))
		return XIWARP_MPA_BAD;
	if (rx->got < frame_bytes(rx))
		return XIWARP_MPA_MORE;
	parse(rx, is_reply, frame);
	return XIWARP_MPA_FRAME;
}

unsigned int xiwarp_mpa_private_max(const struct xiwarp_mpa_frame *frame)
{
	return XIWARP_MPA_MAX_PRIVATE -
	       (frame->is_enhanced ? XIWARP_MPA_ENHANCED_BYTES : 0);
}

static void build_enhanced(const struct xiwarp_mpa_frame *frame, u8 *p)
{
	u32 first = frame->ird, second = frame->ord;

	first |= frame->is_peer_to_peer ? WORD_A : 0;
	first |= frame->rtr & XIWARP_RTR_FPDU ? WORD_B : 0;
	second |= frame->rtr & XIWARP_RTR_WRITE ? WORD_C : 0;
	second |= frame->rtr & XIWARP_RTR_READ ? WORD_D : 0;
	put_unaligned_be16((u16)first, p);
	put_unaligned_be16((u16)second, p + 2);
}

unsigned int xiwarp_mpa_build(const struct xiwarp_mpa_frame *frame, u8 *buf)
{
	unsigned int at = XIWARP_MPA_HDR_BYTES;

	if (frame->private_len > xiwarp_mpa_private_max(frame))
		return 0;
	memcpy(buf, key_of(frame->is_reply), KEY_BYTES);
	buf[AT_FLAGS] = (u8)((frame->markers ? FLAG_MARKERS : 0) |
			     (frame->crc ? FLAG_CRC : 0) |
			     (frame->is_rejected ? FLAG_REJECT : 0) |
			     (frame->is_enhanced ? FLAG_ENHANCED : 0) |
			     (frame->is_soft ? FLAG_SOFT : 0));
	buf[AT_REVISION] = frame->revision;
	if (frame->is_enhanced) {
		build_enhanced(frame, buf + at);
		at += XIWARP_MPA_ENHANCED_BYTES;
	}
	if (frame->private_len)
		memcpy(buf + at, frame->private_data, frame->private_len);
	at += frame->private_len;
	put_unaligned_be16((u16)(at - XIWARP_MPA_HDR_BYTES), buf + AT_LENGTH);
	return at;
}

static u16 depth(u16 wanted)
{
	return min_t(u16, wanted, XIWARP_MPA_MAX_DEPTH);
}

/* The one kind of RTR of @set to use: those first that cost no READ. */
static u8 pick_rtr(u8 set)
{
	if (set & XIWARP_RTR_WRITE)
		return XIWARP_RTR_WRITE;
	if (set & XIWARP_RTR_FPDU)
		return XIWARP_RTR_FPDU;
	return set & XIWARP_RTR_READ;
}

/* ---- initiator ------------------------------------------------------------- */

void xiwarp_mpa_request(const struct xiwarp_mpa_policy *policy,
			struct xiwarp_mpa_frame *frame)
{
	memset(frame, 0, sizeof(*frame));
	frame->revision = policy->revision;
	frame->markers = policy->markers;
	frame->crc = policy->crc;
	frame->is_soft = policy->is_soft;
	if (policy->revision < 2)
		return;
	frame->is_enhanced = true;
	frame->ird = depth(policy->ird);
	frame->ord = depth(policy->ord);
	frame->is_peer_to_peer = policy->is_peer_to_peer;
	frame->rtr = policy->is_peer_to_peer ? policy->rtr : 0;
}

/* Depths that both sides can keep to. False: the responder's ORD is too high. */
static bool settle_depths(const struct xiwarp_mpa_policy *policy,
			  const struct xiwarp_mpa_frame *reply,
			  struct xiwarp_mpa_agreed *agreed)
{
	if (reply->ird != XIWARP_MPA_NO_DEPTH)
		agreed->ord = min(agreed->ord, reply->ird);
	if (reply->ord == XIWARP_MPA_NO_DEPTH || reply->ord <= agreed->ird)
		return true;
	if (reply->ord > policy->max_ird)
		return false;
	agreed->ird = reply->ord;
	return true;
}

/* False: an RTR was promised, and none is possible. */
static bool settle_rtr(const struct xiwarp_mpa_policy *policy,
		       const struct xiwarp_mpa_frame *reply,
		       struct xiwarp_mpa_agreed *agreed)
{
	u8 set = policy->rtr & reply->rtr;

	if (!policy->is_peer_to_peer || !reply->is_peer_to_peer)
		return true;
	if (!agreed->ord)
		set &= (u8)~XIWARP_RTR_READ;
	agreed->rtr = pick_rtr(set);
	return agreed->rtr;
}

enum xiwarp_mpa_verdict xiwarp_mpa_judge(const struct xiwarp_mpa_policy *policy,
					 const struct xiwarp_mpa_frame *reply,
					 struct xiwarp_mpa_agreed *agreed,
					 enum xiwarp_fault *fault)
{
	/* Its ULP took our enhanced words for private data: all anew. */
	if (reply->revision < policy->revision)
		return XIWARP_MPA_RETRY_V1;
	if (reply->is_rejected)
		return XIWARP_MPA_REJECTED;
	memset(agreed, 0, sizeof(*agreed));
	agreed->revision = policy->revision;
	agreed->tx_markers = reply->markers;
	agreed->rx_markers = policy->markers;
	agreed->crc = policy->crc || reply->crc;
	agreed->is_soft = policy->is_soft && reply->is_soft;
	agreed->ird = depth(policy->ird);
	agreed->ord = depth(policy->ord);
	if (policy->revision < 2 || !reply->is_enhanced)
		return XIWARP_MPA_ESTABLISHED;
	*fault = XIWARP_FAULT_MPA_IRD;
	if (!settle_depths(policy, reply, agreed))
		return XIWARP_MPA_FAULT;
	*fault = XIWARP_FAULT_MPA_RTR;
	if (!settle_rtr(policy, reply, agreed))
		return XIWARP_MPA_FAULT;
	*fault = XIWARP_FAULT_NONE;
	return XIWARP_MPA_ESTABLISHED;
}

bool xiwarp_mpa_closed(const struct xiwarp_mpa_policy *policy,
		       const struct xiwarp_mpa_rx *rx)
{
	return policy->revision == 2 && !rx->got;
}

/* ---- responder ------------------------------------------------------------- */

void xiwarp_mpa_offer(const struct xiwarp_mpa_frame *request, u16 *ird, u16 *ord)
{
	*ird = request->ird == XIWARP_MPA_NO_DEPTH ? 0 : request->ird;
	*ord = request->ord == XIWARP_MPA_NO_DEPTH ? 0 : request->ord;
}

/* What the Reply says in any case. */
static void begin_reply(const struct xiwarp_mpa_frame *request,
			struct xiwarp_mpa_frame *reply)
{
	memset(reply, 0, sizeof(*reply));
	reply->is_reply = true;
	reply->revision = request->revision;
	reply->is_enhanced = request->is_enhanced;
}

static void accept_depths(const struct xiwarp_mpa_policy *policy,
			  const struct xiwarp_mpa_frame *request,
			  struct xiwarp_mpa_agreed *agreed)
{
	if (request->ird != XIWARP_MPA_NO_DEPTH)
		agreed->ord = min(agreed->ord, request->ird);
	if (request->ord != XIWARP_MPA_NO_DEPTH && request->ord > agreed->ird)
		agreed->ird = max(agreed->ird,
				  min(request->ord, depth(policy->max_ird)));
}

/* Without a kind in common ours is named: the initiator will say that it can't. */
static u8 accept_rtr(const struct xiwarp_mpa_policy *policy,
		     const struct xiwarp_mpa_frame *request, u16 ird)
{
	u8 ours = policy->rtr, both;

	if (!request->ord || !ird)
		ours &= (u8)~XIWARP_RTR_READ;
	both = ours & request->rtr;
	return pick_rtr(both ? both : ours);
}

void xiwarp_mpa_accept(const struct xiwarp_mpa_policy *policy,
		       const struct xiwarp_mpa_frame *request,
		       struct xiwarp_mpa_frame *reply,
		       struct xiwarp_mpa_agreed *agreed)
{
	memset(agreed, 0, sizeof(*agreed));
	agreed->revision = request->revision;
	agreed->tx_markers = request->markers;
	agreed->rx_markers = policy->markers;
	agreed->crc = policy->crc || request->crc;
	agreed->is_soft = policy->is_soft && request->is_soft;
	agreed->waits_for_first = true;
	agreed->ird = depth(policy->ird);
	agreed->ord = depth(policy->ord);
	begin_reply(request, reply);
	reply->markers = policy->markers;
	reply->crc = agreed->crc;
	reply->is_soft = agreed->is_soft;
	if (!request->is_enhanced)
		return;
	accept_depths(policy, request, agreed);
	reply->ird = agreed->ird;
	reply->ord = agreed->ord;
	if (!request->is_peer_to_peer)
		return;
	/* Software is ready for FPDUs before it sends a Request: why wait for an RTR? */
	if (agreed->is_soft) {
		agreed->waits_for_first = false;
		return;
	}
	agreed->rtr = accept_rtr(policy, request, agreed->ird);
	reply->is_peer_to_peer = true;
	reply->rtr = agreed->rtr;
}

void xiwarp_mpa_reject(const struct xiwarp_mpa_frame *request,
		       struct xiwarp_mpa_frame *reply)
{
	begin_reply(request, reply);
	reply->is_rejected = true;
	reply->crc = request->crc;
}
