// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How a stream breaks: what the Terminate says (RFC 5040 4.8) and what the shell
 * is told.
 */
#include <linux/string.h>
#include "abort.h"

/* The control octets come first in either model; T is the first bit. */
static unsigned int ddp_hdr_len(const u8 *hdr, unsigned int len)
{
	if (len < 2)
		return 0;
	return hdr[0] & 0x80 ? XIWARP_TAGGED_BYTES : XIWARP_UNTAGGED_BYTES;
}

static void copy_headers(struct xiwarp_term *term, const u8 *hdr,
			 unsigned int hdr_len, u32 ulpdu)
{
	unsigned int ddp_len = ddp_hdr_len(hdr, hdr_len);

	/* Headers that were not understood were not collected, either. */
	if (!ddp_len || hdr_len < ddp_len)
		return;
	term->has_length = true;
	term->seg_len = (u16)ulpdu;
	term->has_ddp = true;
	term->ddp_len = (u8)ddp_len;
	memcpy(term->ddp, hdr, ddp_len);
	if (xiwarp_wire_term_about(term) != XIWARP_OP_READ_REQUEST ||
	    hdr_len < ddp_len + XIWARP_READ_BYTES)
		return;
	term->has_read = true;
	memcpy(term->read, hdr + ddp_len, XIWARP_READ_BYTES);
}

static void prepare_term(struct xiwarp_rdmap *s, enum xiwarp_fault fault,
			 const u8 *hdr, unsigned int hdr_len, u32 ulpdu)
{
	const struct xiwarp_fault_row *row = xiwarp_fault_row(fault);
	struct xiwarp_term *term = &s->term;

	memset(term, 0, sizeof(*term));
	term->layer = row->layer;
	term->etype = row->etype;
	term->code = row->code;
	if (row->copy == XIWARP_COPY_HEADERS)
		copy_headers(term, hdr, hdr_len, ulpdu);
	s->is_term_due = true;
}

static void prepare_step(struct xiwarp_rdmap *s, enum xiwarp_fault fault)
{
	const struct xiwarp_fault_row *row = xiwarp_fault_row(fault);

	memset(&s->fault, 0, sizeof(s->fault));
	s->fault.fault = (u8)fault;
	s->fault.is_remote = row->is_remote;
	s->fault.completes = s->has_recv;
	s->fault.status = row->status;
	s->fault.event = s->has_recv ? XIWARP_EVENT_NONE : row->event;
	s->has_recv = false;
	s->is_fault_due = true;
}

void xiwarp_abort(struct xiwarp_rdmap *s, enum xiwarp_fault fault,
		  const u8 *hdr, unsigned int hdr_len, u32 ulpdu)
{
	if (s->is_broken)
		return;
	s->is_broken = true;
	prepare_term(s, fault, hdr, hdr_len, ulpdu);
	prepare_step(s, fault);
}

void xiwarp_abort_rx(struct xiwarp_rdmap *s, enum xiwarp_fault fault)
{
	const struct xiwarp_deframer *d = &s->deframer;

	xiwarp_abort(s, fault, d->hdr + XIWARP_LENGTH_BYTES,
		     d->hdr_got - XIWARP_LENGTH_BYTES, d->ulpdu);
}

void xiwarp_rdmap_terminate(struct xiwarp_rdmap *s, enum xiwarp_fault fault)
{
	if (s->is_broken)
		return;
	s->is_broken = true;
	prepare_term(s, fault, NULL, 0, 0);
}
