// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * arguments CASE DEVICE GID-INDEX: calls with arguments that mean nothing, or too much, and
 * the error number that each has to return. What was there before must work as before.
 */
#include "pair.h"
#include <limits.h>

static struct ibv_device_attr limits;
static struct ibv_port_attr port;

/* @made: what a call returned that makes an object */
static void must_not_make(const char *what, void *made, int wanted)
{
	if (made)
		die("%s: made", what);
	if (errno != wanted)
		die("%s: %s, not %s", what, strerror(errno), strerror(wanted));
}

/* @result: an error number, or -1 with one in errno */
static void must_fail(const char *what, int result, int wanted)
{
	int err = result < 0 ? errno : result;

	if (err != wanted)
		die("%s: %s, not %s", what, strerror(err), strerror(wanted));
}

static void must_work(const char *what, int result)
{
	must_fail(what, result, 0);
}

static void pair_works(void)
{
	write_own("a WRITE afterwards", 64, (uintptr_t)own, own_mr->rkey, IBV_WC_SUCCESS);
}

static void queries(void)
{
	struct ibv_port_attr none;
	union ibv_gid any;
	uint16_t pkey;

	must_fail("query_port 0", ibv_query_port(context, 0, &none), EINVAL);
	must_fail("query_port 2", ibv_query_port(context, 2, &none), EINVAL);
	if (!ibv_query_gid(context, 1, port.gid_tbl_len, &any))
		die("a GID behind the table");
	if (!ibv_query_pkey(context, 1, port.pkey_tbl_len, &pkey))
		die("a P_Key behind the table");
}

static void cqs(void)
{
	struct ibv_cq *small = ibv_create_cq(context, 4, NULL, NULL, 0);

	must_not_make("no CQE", ibv_create_cq(context, 0, NULL, NULL, 0), EINVAL);
	must_not_make("fewer than none", ibv_create_cq(context, -1, NULL, NULL, 0), EINVAL);
	must_not_make("too many CQEs",
		      ibv_create_cq(context, limits.max_cqe + 1, NULL, NULL, 0), EINVAL);
	must_not_make("the most", ibv_create_cq(context, INT_MAX, NULL, NULL, 0), EINVAL);
	must_not_make("no such vector", ibv_create_cq(context, 4, NULL, NULL,
						      context->num_comp_vectors), EINVAL);
	must_fail("resized to nothing", ibv_resize_cq(small, 0), EINVAL);
	must_fail("resized to too many", ibv_resize_cq(small, limits.max_cqe + 1), EINVAL);
	must_work("resize", ibv_resize_cq(small, 8));
	must_fail("a CQ in use", ibv_destroy_cq(cq), EBUSY);
	must_work("destroy", ibv_destroy_cq(small));
}

static struct ibv_srq *new_srq(uint32_t wr, uint32_t sge)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = wr, .max_sge = sge } };

	return ibv_create_srq(pd, &init);
}

static void srqs(void)
{
	struct ibv_srq *srq = new_srq(16, 2);
	struct ibv_srq_attr attr;
	struct ibv_qp *user;

	if (!srq || ibv_query_srq(srq, &attr))
		die("no SRQ: %m");
	attr.srq_limit = attr.max_wr + 1;
	must_not_make("no request", new_srq(0, 1), EINVAL);
	must_not_make("too many", new_srq(limits.max_srq_wr + 1, 1), EINVAL);
	must_not_make("the most", new_srq(UINT_MAX, 1), EINVAL);
	must_not_make("too many SGEs", new_srq(16, limits.max_srq_sge + 1), EINVAL);
	must_fail("a limit beyond", ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), EINVAL);
	attr.max_wr = limits.max_srq_wr + 1;
	must_fail("resized to too many", ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), EINVAL);
	user = make_qp(pd, cq, srq, IBV_QPT_RC, 4);
	must_fail("an SRQ in use", ibv_destroy_srq(srq), EBUSY);
	must_work("destroy", ibv_destroy_qp(user));
	must_work("destroy", ibv_destroy_srq(srq));
}

static struct ibv_qp *new_qp(enum ibv_qp_type type, struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .cap = cap, .qp_type = type,
	};

	return ibv_create_qp(pd, &init);
}

#define CAP(field, value) ({							\
	struct ibv_qp_cap cap = { .max_send_wr = 4, .max_recv_wr = 4,		\
				  .max_send_sge = 1, .max_recv_sge = 1 };	\
	cap.field = (value);							\
	cap;									\
})

static void qps(void)
{
	int wr = limits.max_qp_wr + 1, sge = limits.max_sge + 1;

	must_not_make("too many sends", new_qp(IBV_QPT_RC, CAP(max_send_wr, wr)), EINVAL);
	must_not_make("too many receives", new_qp(IBV_QPT_RC, CAP(max_recv_wr, wr)), EINVAL);
	must_not_make("the most sends", new_qp(IBV_QPT_UD, CAP(max_send_wr, UINT_MAX)), EINVAL);
	must_not_make("too many SGEs", new_qp(IBV_QPT_RC, CAP(max_send_sge, sge)), EINVAL);
	must_not_make("too many SGEs to receive into",
		      new_qp(IBV_QPT_UC, CAP(max_recv_sge, sge)), EINVAL);
	must_not_make("too much inline",
		      new_qp(IBV_QPT_RC, CAP(max_inline_data, 1 << 20)), EINVAL);
	must_not_make("raw packets", new_qp(IBV_QPT_RAW_PACKET, CAP(max_send_wr, 4)),
		      EOPNOTSUPP);
	must_fail("a PD in use", ibv_dealloc_pd(pd), EBUSY);
}

/*
 * Of the attributes that take a QP from INIT to RTR, one at a time is wrong. ENODATA is the
 * verbs core's number for an index of the table that has no GID.
 */
static const struct ibv_qp_attr rtr = {
	.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .max_dest_rd_atomic = 4,
	.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 64 } },
};

#define RTR_MASK (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |	\
		  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)

static struct ibv_qp *fresh;

static struct ibv_qp_attr good(void)
{
	struct ibv_qp_attr attr = rtr;

	attr.ah_attr.grh.sgid_index = gid_index;
	attr.ah_attr.grh.dgid = gid;
	attr.dest_qp_num = fresh->qp_num;
	return attr;
}

static void to_rtr(const char *what, struct ibv_qp_attr attr, int mask, int wanted)
{
	must_fail(what, ibv_modify_qp(fresh, &attr, mask), wanted);
}

#define WITH(field, value) ({ struct ibv_qp_attr attr = good(); attr.field = (value); attr; })

static void modifications(void)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;

	fresh = make_qp(pd, cq, NULL, IBV_QPT_RC, 4);
	to_rtr("from RESET to RTR", good(), RTR_MASK, EINVAL);
	init.port_num = 2;
	must_fail("port 2", ibv_modify_qp(fresh, &init, mask), EINVAL);
	init.port_num = 1;
	init.pkey_index = port.pkey_tbl_len;
	must_fail("a P_Key beyond", ibv_modify_qp(fresh, &init, mask), EINVAL);
	init.pkey_index = 0;
	must_fail("no port", ibv_modify_qp(fresh, &init, mask & ~IBV_QP_PORT), EINVAL);
	must_fail("a Q_Key for RC", ibv_modify_qp(fresh, &init, mask | IBV_QP_QKEY), EINVAL);
	must_work("to INIT", ibv_modify_qp(fresh, &init, mask));

	to_rtr("no address", good(), RTR_MASK & ~IBV_QP_AV, EINVAL);
	to_rtr("an attribute of RTS", good(), RTR_MASK | IBV_QP_SQ_PSN, EINVAL);
	to_rtr("from INIT to RTS", WITH(qp_state, IBV_QPS_RTS), RTR_MASK, EINVAL);
	to_rtr("a state that is none", WITH(qp_state, 77), IBV_QP_STATE, EINVAL);
	to_rtr("path MTU 0", WITH(path_mtu, 0), RTR_MASK, EINVAL);
	to_rtr("path MTU 6", WITH(path_mtu, 6), RTR_MASK, EINVAL);
	to_rtr("a path MTU above the port's", WITH(path_mtu, port.active_mtu + 1), RTR_MASK,
	       EINVAL);
	to_rtr("a GID beyond", WITH(ah_attr.grh.sgid_index, port.gid_tbl_len), RTR_MASK,
	       EINVAL);
	to_rtr("an empty GID", WITH(ah_attr.grh.sgid_index, port.gid_tbl_len - 1), RTR_MASK,
	       ENODATA);
	to_rtr("no GRH", WITH(ah_attr.is_global, 0), RTR_MASK, EINVAL);
	to_rtr("another port", WITH(ah_attr.port_num, 2), RTR_MASK, EINVAL);
	to_rtr("too many READs", WITH(max_dest_rd_atomic, limits.max_qp_rd_atom + 1), RTR_MASK,
	       EINVAL);
	to_rtr("an RNR timer that is none", WITH(min_rnr_timer, 32), RTR_MASK, EINVAL);
	to_rtr("nothing wrong", good(), RTR_MASK, 0);
	must_work("destroy", ibv_destroy_qp(fresh));
}

static struct ibv_ah *new_ah(int index, int port_num, int is_global)
{
	struct ibv_ah_attr attr = { .is_global = is_global, .port_num = port_num,
		.grh = { .sgid_index = index, .hop_limit = 64, .dgid = gid } };

	return ibv_create_ah(pd, &attr);
}

static void addresses(void)
{
	struct ibv_ah *ah = new_ah(gid_index, 1, 1);

	if (!ah)
		die("no AH: %m");
	must_not_make("port 0", new_ah(gid_index, 0, 1), EINVAL);
	must_not_make("port 2", new_ah(gid_index, 2, 1), EINVAL);
	must_not_make("no GRH", new_ah(gid_index, 1, 0), EINVAL);
	must_not_make("a GID beyond", new_ah(port.gid_tbl_len, 1, 1), EINVAL);
	must_not_make("an empty GID", new_ah(port.gid_tbl_len - 1, 1, 1), ENODATA);
	must_work("destroy", ibv_destroy_ah(ah));
}

static void requests(void)
{
	struct ibv_sge sge[64] = { from_own(8) };
	struct ibv_send_wr wr = { .sg_list = sge, .opcode = IBV_WR_SEND }, *bad;
	struct ibv_recv_wr rwr = { .sg_list = sge }, *rbad;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(asker, &attr, IBV_QP_CAP, &init))
		die("query_qp: %m");
	wr.num_sge = init.cap.max_send_sge + 1;
	rwr.num_sge = init.cap.max_recv_sge + 1;
	must_fail("a send with too many SGEs", ibv_post_send(asker, &wr, &bad), EINVAL);
	if (bad != &wr)
		die("it does not name the bad request");
	must_fail("a receive with too many SGEs", ibv_post_recv(asker, &rwr, &rbad), EINVAL);
}

static void prepare(void)
{
	if (ibv_query_device(context, &limits) || ibv_query_port(context, 1, &port))
		die("no limits: %m");
}

#define CASE(name) static void check_##name(void) { name(); pair_works(); }
CASE(queries) CASE(cqs) CASE(srqs) CASE(qps) CASE(modifications) CASE(addresses) CASE(requests)

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "queries", check_queries }, { "cqs", check_cqs }, { "srqs", check_srqs },
		{ "qps", check_qps }, { "modifications", check_modifications },
		{ "addresses", check_addresses }, { "requests", check_requests },
	};

	return run_case(argc, argv, cases, sizeof(cases) / sizeof(*cases), prepare);
}
