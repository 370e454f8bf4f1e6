// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fault.h"
#include "test.h"

/* Layer, type and code as the RFCs' tables have them. */
static const struct {
	u8 fault, layer, etype, code;
	bool copies;
} spec[] = {
	{ XIWARP_FAULT_CRC, 2, 0, 2, false },
	{ XIWARP_FAULT_MARKER, 2, 0, 3, false },
	{ XIWARP_FAULT_MPA, 2, 0, 4, false },
	{ XIWARP_FAULT_MPA_RESOURCE, 2, 0, 5, false },
	{ XIWARP_FAULT_MPA_IRD, 2, 0, 6, false },
	{ XIWARP_FAULT_MPA_RTR, 2, 0, 7, false },
	{ XIWARP_FAULT_LENGTH, 1, 0, 0, false },
	{ XIWARP_FAULT_TAGGED_STAG, 1, 1, 0, true },
	{ XIWARP_FAULT_TAGGED_BOUNDS, 1, 1, 1, true },
	{ XIWARP_FAULT_TAGGED_STREAM, 1, 1, 2, true },
	{ XIWARP_FAULT_TAGGED_WRAP, 1, 1, 3, true },
	{ XIWARP_FAULT_TAGGED_VERSION, 1, 1, 4, false },
	{ XIWARP_FAULT_QN, 1, 2, 1, true },
	{ XIWARP_FAULT_NO_BUFFER, 1, 2, 2, true },
	{ XIWARP_FAULT_NO_IRD, 1, 2, 2, true },
	{ XIWARP_FAULT_MSN, 1, 2, 3, true },
	{ XIWARP_FAULT_MO, 1, 2, 4, true },
	{ XIWARP_FAULT_TOO_LONG, 1, 2, 5, true },
	{ XIWARP_FAULT_UNTAGGED_VERSION, 1, 2, 6, false },
	{ XIWARP_FAULT_READ_STAG, 0, 1, 0, true },
	{ XIWARP_FAULT_READ_BOUNDS, 0, 1, 1, true },
	{ XIWARP_FAULT_READ_ACCESS, 0, 1, 2, true },
	{ XIWARP_FAULT_WRITE_ACCESS, 0, 1, 2, true },
	{ XIWARP_FAULT_READ_STREAM, 0, 1, 3, true },
	{ XIWARP_FAULT_READ_WRAP, 0, 1, 4, true },
	{ XIWARP_FAULT_INVALIDATE, 0, 1, 9, true },
	{ XIWARP_FAULT_RDMAP_VERSION, 0, 2, 5, false },
	{ XIWARP_FAULT_OPCODE, 0, 2, 6, true },
	{ XIWARP_FAULT_RESPONSE, 0, 2, 6, true },
	{ XIWARP_FAULT_ATOMIC, 0, 2, 7, true },
	{ XIWARP_FAULT_RESPONSE_BOUNDS, 1, 1, 1, true },
	{ XIWARP_FAULT_SINK, 0, 0, 0, false },
	{ XIWARP_FAULT_RECV_KEY, 0, 0, 0, false },
	{ XIWARP_FAULT_RECV_WR, 0, 0, 0, false },
	{ XIWARP_FAULT_LOCAL, 0, 0, 0, false },
	{ XIWARP_FAULT_CQ_OVERFLOW, 0, 0, 0, false },
};

TEST(fault_row__codes)
{
	unsigned int i;

	/* all but NONE */
	CHECK_EQ(sizeof(spec) / sizeof(*spec), XIWARP_FAULTS - 1);
	for (i = 0; i < XIWARP_FAULTS - 1; i++) {
		const struct xiwarp_fault_row *row = xiwarp_fault_row(spec[i].fault);

		test_context("fault %u", spec[i].fault);
		CHECK_EQ(row->layer, spec[i].layer);
		CHECK_EQ(row->etype, spec[i].etype);
		CHECK_EQ(row->code, spec[i].code);
		CHECK_EQ(row->copy == XIWARP_COPY_HEADERS, spec[i].copies);
		CHECK(row->status != XIWARP_SUCCESS);
	}
}

TEST(fault_row__whose_it_is)
{
	int fault;

	for (fault = 1; fault < XIWARP_FAULTS; fault++) {
		const struct xiwarp_fault_row *row = xiwarp_fault_row(fault);
		bool is_ours = (!row->layer && !row->etype) ||
			       fault == XIWARP_FAULT_MPA_RESOURCE;

		test_context("fault %d", fault);
		CHECK_EQ(row->is_remote, !is_ours);
	}
}

TEST(fault_of__memory)
{
	CHECK_EQ(xiwarp_fault_of_write(XIWARP_MEM_STAG), XIWARP_FAULT_TAGGED_STAG);
	CHECK_EQ(xiwarp_fault_of_write(XIWARP_MEM_PD), XIWARP_FAULT_TAGGED_STREAM);
	CHECK_EQ(xiwarp_fault_of_write(XIWARP_MEM_ACCESS), XIWARP_FAULT_WRITE_ACCESS);
	CHECK_EQ(xiwarp_fault_of_write(XIWARP_MEM_BOUNDS), XIWARP_FAULT_TAGGED_BOUNDS);
	CHECK_EQ(xiwarp_fault_of_read(XIWARP_MEM_STAG), XIWARP_FAULT_READ_STAG);
	CHECK_EQ(xiwarp_fault_of_read(XIWARP_MEM_PD), XIWARP_FAULT_READ_STREAM);
	CHECK_EQ(xiwarp_fault_of_read(XIWARP_MEM_ACCESS), XIWARP_FAULT_READ_ACCESS);
	CHECK_EQ(xiwarp_fault_of_read(XIWARP_MEM_BOUNDS), XIWARP_FAULT_READ_BOUNDS);
}

TEST(fault_status_of_term__by_layer_and_type)
{
	CHECK_EQ(xiwarp_fault_status_of_term(0, 1), XIWARP_REM_ACCESS_ERR);
	CHECK_EQ(xiwarp_fault_status_of_term(0, 2), XIWARP_REM_OP_ERR);
	CHECK_EQ(xiwarp_fault_status_of_term(0, 0), XIWARP_WR_FLUSH_ERR);
	CHECK_EQ(xiwarp_fault_status_of_term(1, 1), XIWARP_WR_FLUSH_ERR);
	CHECK_EQ(xiwarp_fault_status_of_term(2, 0), XIWARP_WR_FLUSH_ERR);
}
