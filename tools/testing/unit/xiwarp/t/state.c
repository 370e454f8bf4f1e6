// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "state.h"
#include "test.h"

static struct xiwarp_conn conn;

static void at(enum xiwarp_state state)
{
	xiwarp_conn_init(&conn);
	if (state != XIWARP_IDLE)
		xiwarp_conn_input(&conn, XIWARP_IN_ESTABLISHED, 1000);
	if (state == XIWARP_CLOSING)
		xiwarp_conn_input(&conn, XIWARP_IN_DISCONNECT, 1000);
	if (state == XIWARP_TERMINATE)
		xiwarp_conn_input(&conn, XIWARP_IN_FAULT, 1000);
	if (state == XIWARP_ERROR)
		xiwarp_conn_input(&conn, XIWARP_IN_LOST, 1000);
	CHECK_EQ(conn.state, state);
}

TEST(conn_input__idle_waits_for_nothing_else)
{
	int in;

	for (in = 0; in < XIWARP_INPUTS; in++) {
		if (in == XIWARP_IN_ESTABLISHED || in == XIWARP_IN_ABORT)
			continue;
		at(XIWARP_IDLE);
		CHECK_EQ(xiwarp_conn_input(&conn, in, 0), 0);
		CHECK_EQ(conn.state, XIWARP_IDLE);
	}
	CHECK_EQ(xiwarp_conn_input(&conn, XIWARP_IN_ABORT, 0), XIWARP_DO_FLUSH);
	CHECK_EQ(conn.state, XIWARP_ERROR);
}

TEST(conn_input__error_is_final)
{
	int in;

	for (in = 0; in < XIWARP_INPUTS; in++) {
		at(XIWARP_ERROR);
		CHECK_EQ(xiwarp_conn_input(&conn, in, 0), 0);
		CHECK_EQ(conn.state, XIWARP_ERROR);
		CHECK_EQ(xiwarp_conn_deadline(&conn), XIWARP_NEVER);
	}
}

TEST(conn_input__graceful)
{
	at(XIWARP_RTS);
	CHECK_EQ(xiwarp_conn_deadline(&conn), XIWARP_NEVER);
	CHECK_EQ(xiwarp_conn_input(&conn, XIWARP_IN_DISCONNECT, 0),
		 XIWARP_DO_SHUTDOWN);
	CHECK_EQ(conn.state, XIWARP_CLOSING);
	CHECK_EQ(xiwarp_conn_input(&conn, XIWARP_IN_FIN, 0),
		 XIWARP_DO_SHUTDOWN | XIWARP_DO_FLUSH | XIWARP_DO_CLOSE |
		 XIWARP_DO_RELEASE);
}

TEST(conn_input__peer_ends)
{
	at(XIWARP_RTS);
	CHECK_EQ(xiwarp_conn_input(&conn, XIWARP_IN_FIN, 0),
		 XIWARP_DO_SHUTDOWN | XIWARP_DO_FLUSH | XIWARP_DO_DISCONNECT |
		 XIWARP_DO_CLOSE | XIWARP_DO_RELEASE);
	CHECK_EQ(conn.state, XIWARP_ERROR);
}

TEST(conn_input__fault_sends_a_terminate_and_waits)
{
	at(XIWARP_RTS);
	CHECK_EQ(xiwarp_conn_input(&conn, XIWARP_IN_FAULT, 0),
		 XIWARP_DO_SHUTDOWN | XIWARP_DO_FLUSH | XIWARP_DO_EVENT);
	CHECK_EQ(conn.state, XIWARP_TERMINATE);
	CHECK(xiwarp_conn_deadline(&conn) != XIWARP_NEVER);
	CHECK_EQ(xiwarp_conn_input(&conn, XIWARP_IN_FAULT, 0), 0);
}

/* iw_cm insists: one CLOSE for each connection, no more, no less. */
static void walk(u32 path, unsigned int depth)
{
	u32 closes = XIWARP_DO_CLOSE | XIWARP_DO_CLOSE_RESET;
	unsigned int i, n = 0, released = 0;

	at(XIWARP_RTS);
	for (i = 0; i <= depth; i++, path /= XIWARP_INPUTS) {
		int in = i == depth ? XIWARP_IN_ABORT : (int)(path % XIWARP_INPUTS);
		u32 todo = xiwarp_conn_input(&conn, in, 0);

		n += !!(todo & closes);
		CHECK((todo & closes) != closes);
		released += !!(todo & XIWARP_DO_RELEASE);
		CHECK_EQ(!!(todo & closes), !!(todo & XIWARP_DO_RELEASE));
	}
	CHECK_EQ(conn.state, XIWARP_ERROR);
	CHECK_EQ(n, 1);
	CHECK_EQ(released, 1);
}

TEST(conn_input__one_close_on_every_path)
{
	u32 path, paths = XIWARP_INPUTS * XIWARP_INPUTS * XIWARP_INPUTS * XIWARP_INPUTS;

	for (path = 0; path < paths; path++) {
		test_context("path %u", path);
		walk(path, 4);
	}
}

TEST(conn_expire__closing_and_terminate)
{
	static const u8 states[] = { XIWARP_CLOSING, XIWARP_TERMINATE };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		u64 deadline;

		at(states[i]);
		deadline = xiwarp_conn_deadline(&conn);
		CHECK(deadline > 1000);
		CHECK_EQ(xiwarp_conn_expire(&conn, deadline - 1), 0);
		CHECK_EQ(conn.state, states[i]);
		CHECK(xiwarp_conn_expire(&conn, deadline) & XIWARP_DO_RESET);
		CHECK_EQ(conn.state, XIWARP_ERROR);
	}
}

TEST(conn_expire__others_never)
{
	at(XIWARP_RTS);
	CHECK_EQ(xiwarp_conn_expire(&conn, XIWARP_NEVER - 1), 0);
	CHECK_EQ(conn.state, XIWARP_RTS);
}
