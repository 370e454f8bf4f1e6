// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fault.h"
#include "test.h"
#include "wire.h"
#include "wr.h"

static void check_row(enum xroce_fault fault, u8 syndrome, u8 status, u8 event,
		      bool is_fatal)
{
	const struct xroce_fault_row *row = xroce_fault_row(fault);

	test_context("fault %d", (int)fault);
	CHECK(row);
	CHECK_EQ(row->syndrome, syndrome);
	CHECK_EQ(row->status, status);
	CHECK_EQ(row->event, event);
	CHECK_EQ(row->is_fatal, is_fatal);
}

TEST(fault_row__no_fault_has_no_consequence)
{
	check_row(XROCE_FAULT_NONE, 0, XROCE_SUCCESS, XROCE_EVENT_NONE, false);
}

TEST(fault_row__what_a_retry_mends)
{
	check_row(XROCE_FAULT_PSN_GAP, 0x60, XROCE_SUCCESS, XROCE_EVENT_NONE, false);
	check_row(XROCE_FAULT_RNR, 0x20, XROCE_SUCCESS, XROCE_EVENT_NONE, false);
}

TEST(fault_row__invalid_requests)
{
	static const enum xroce_fault faults[] = {
		XROCE_FAULT_OPCODE_SEQUENCE, XROCE_FAULT_OPCODE,
		XROCE_FAULT_NOT_PERMITTED, XROCE_FAULT_RD_RESOURCES,
		XROCE_FAULT_MISALIGNED, XROCE_FAULT_LENGTH,
	};
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		check_row(faults[i], 0x61, XROCE_REM_INV_REQ_ERR,
			  XROCE_EVENT_QP_REQ_ERR, true);
	check_row(XROCE_FAULT_RECV_TOO_SMALL, 0x61, XROCE_LOC_LEN_ERR,
		  XROCE_EVENT_QP_REQ_ERR, true);
}

TEST(fault_row__remote_access)
{
	check_row(XROCE_FAULT_REMOTE_ACCESS, 0x62, XROCE_LOC_ACCESS_ERR,
		  XROCE_EVENT_QP_ACCESS_ERR, true);
}

TEST(fault_row__local_errors)
{
	check_row(XROCE_FAULT_LOCAL_KEY, 0x63, XROCE_LOC_PROT_ERR,
		  XROCE_EVENT_QP_FATAL, true);
	check_row(XROCE_FAULT_LOCAL_OP, 0x63, XROCE_LOC_QP_OP_ERR,
		  XROCE_EVENT_QP_FATAL, true);
}

TEST(fault_row__errors_without_an_answer)
{
	check_row(XROCE_FAULT_INVALIDATE, 0, XROCE_REM_INV_REQ_ERR,
		  XROCE_EVENT_QP_REQ_ERR, true);
	check_row(XROCE_FAULT_CQ_OVERFLOW, 0, XROCE_FATAL_ERR,
		  XROCE_EVENT_QP_FATAL, true);
}

/* What holds for all rows, also for those that somebody adds. */
TEST(fault_row__rules)
{
	int fault;

	for (fault = XROCE_FAULT_NONE + 1; fault < XROCE_FAULTS; fault++) {
		const struct xroce_fault_row *row = xroce_fault_row(fault);
		u8 kind = row->syndrome & XROCE_AETH_KIND;

		test_context("fault %d", fault);
		CHECK(row->is_fatal == (row->status != XROCE_SUCCESS));
		CHECK(row->is_fatal == (row->event != XROCE_EVENT_NONE));
		CHECK(row->is_fatal || row->syndrome);
		if (row->syndrome)
			CHECK(kind == XROCE_AETH_NAK || kind == XROCE_AETH_RNR_NAK);
	}
}
