// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Any bytes as a Request or Reply: the first chooses which and a policy, the next
 * how the bytes are cut. The verdict does not depend on the cuts, nothing behind
 * the frame is taken, and what is valid can be answered, judged and built again.
 */
#include <stdlib.h>
#include <string.h>
#include "mpa.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void expect(bool cond)
{
	if (!cond)
		abort();
}

static enum xiwarp_mpa_result feed(struct xiwarp_mpa_rx *rx, bool is_reply,
				   const u8 *data, size_t size, unsigned int most,
				   struct xiwarp_mpa_frame *frame, size_t *used)
{
	enum xiwarp_mpa_result result = XIWARP_MPA_MORE;

	memset(rx, 0, sizeof(*rx));
	*used = 0;
	while (result == XIWARP_MPA_MORE && *used < size) {
		u8 *buf;
		unsigned int n = xiwarp_mpa_want(rx, &buf);

		expect(n && buf >= rx->buf);
		expect(buf + n <= rx->buf + sizeof(rx->buf));
		n = n < most ? n : most;
		n = n < size - *used ? n : (unsigned int)(size - *used);
		memcpy(buf, data + *used, n);
		*used += n;
		result = xiwarp_mpa_took(rx, is_reply, n, frame);
	}
	return result;
}

static void check_frame(const struct xiwarp_mpa_policy *policy, bool is_reply,
			const struct xiwarp_mpa_frame *frame, const u8 *data,
			size_t used)
{
	struct xiwarp_mpa_agreed agreed;
	struct xiwarp_mpa_frame reply;
	u8 buf[XIWARP_MPA_MAX_BYTES];
	enum xiwarp_fault fault;
	u16 ird, ord;

	expect(frame->private_len <= xiwarp_mpa_private_max(frame));
	expect(xiwarp_mpa_build(frame, buf) == used);
	expect(!memcmp(buf, data, 16));
	expect(!memcmp(buf + 18, data + 18, used - 18));
	if (is_reply) {
		xiwarp_mpa_judge(policy, frame, &agreed, &fault);
		return;
	}
	xiwarp_mpa_offer(frame, &ird, &ord);
	xiwarp_mpa_accept(policy, frame, &reply, &agreed);
	expect(xiwarp_mpa_build(&reply, buf));
	expect(agreed.ird <= policy->max_ird && agreed.ord <= policy->ord);
	expect(!(agreed.rtr & (agreed.rtr - 1)));
	xiwarp_mpa_reject(frame, &reply);
	expect(xiwarp_mpa_build(&reply, buf));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct xiwarp_mpa_policy policy = { .ird = 4, .ord = 4, .max_ird = 8 };
	struct xiwarp_mpa_frame frame, whole;
	struct xiwarp_mpa_rx rx, rx_whole;
	enum xiwarp_mpa_result result;
	unsigned int most;
	size_t used, used_whole;
	bool is_reply;

	if (size < 2)
		return 0;
	is_reply = data[0] & 1;
	policy.revision = data[0] & 2 ? 2 : 1;
	policy.is_peer_to_peer = data[0] & 4;
	policy.crc = data[0] & 8;
	policy.rtr = data[0] >> 4 & XIWARP_RTR_ALL;
	most = 1 + data[1] % 40;
	data += 2;
	size -= 2;
	result = feed(&rx, is_reply, data, size, most, &frame, &used);
	expect(feed(&rx_whole, is_reply, data, size, ~0U, &whole, &used_whole) == result);
	if (result == XIWARP_MPA_FRAME) {
		expect(used == used_whole);
		check_frame(&policy, is_reply, &frame, data, used);
	}
	return 0;
}
