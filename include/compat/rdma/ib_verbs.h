/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef XRDMA_COMPAT_IB_VERBS_H
#define XRDMA_COMPAT_IB_VERBS_H

#include_next <rdma/ib_verbs.h>

#include <rdma/uverbs_ioctl.h>

/*
 * Verbs whose type in struct ib_device_ops changed. Each of these, at file
 * scope, makes a function fn##_op of the type that this kernel wants from a
 * function fn of the type named here:
 *
 *	IB_CREATE_CQ_OP(foo_create_cq);
 *	static const struct ib_device_ops foo_ops = {
 *		.create_cq = foo_create_cq_op,
 */

/* int fn(struct ib_cq *, const struct ib_cq_init_attr *, struct ib_udata *) */
#ifdef HAVE_CREATE_CQ_ATTRS
#define IB_CREATE_CQ_OP(fn)						\
static int fn##_op(struct ib_cq *cq, const struct ib_cq_init_attr *attr, \
		   struct uverbs_attr_bundle *attrs)			\
{									\
	return fn(cq, attr, attrs ? &attrs->driver_udata : NULL);	\
}									\
static_assert(true)
#else /* 6.1 */
#define IB_CREATE_CQ_OP(fn)						\
static int fn##_op(struct ib_cq *cq, const struct ib_cq_init_attr *attr, \
		   struct ib_udata *udata)				\
{									\
	return fn(cq, attr, udata);					\
}									\
static_assert(true)
#endif

/* int fn(struct ib_cq *, unsigned int cqe, struct ib_udata *) */
#ifdef HAVE_RESIZE_USER_CQ
typedef unsigned int compat_cqe_t;
/* And none but programs resize any more. */
static inline int ib_resize_cq(struct ib_cq *cq, int cqe)
{
	return -EOPNOTSUPP;
}
#else
/* 6.1 and 6.12 have the old name and a signed number. */
#define resize_user_cq resize_cq
typedef int compat_cqe_t;
#endif
#define IB_RESIZE_USER_CQ_OP(fn)					\
static int fn##_op(struct ib_cq *cq, compat_cqe_t cqe,			\
		   struct ib_udata *udata)				\
{									\
	return fn(cq, cqe, udata);					\
}									\
static_assert(true)

/*
 * struct ib_mr *fn(struct ib_pd *, u64 start, u64 length, u64 iova, int access,
 *		    struct ib_udata *)
 */
#ifdef HAVE_REG_USER_MR_DMAH
/* Hints to a bus that isn't there. */
#define IB_REG_USER_MR_OP(fn)						\
static struct ib_mr *fn##_op(struct ib_pd *pd, u64 start, u64 length,	\
			     u64 iova, int access, struct ib_dmah *dmah, \
			     struct ib_udata *udata)			\
{									\
	if (dmah)							\
		return ERR_PTR(-EOPNOTSUPP);				\
	return fn(pd, start, length, iova, access, udata);		\
}									\
static_assert(true)
#else /* 6.1, 6.12 */
#define IB_REG_USER_MR_OP(fn)						\
static struct ib_mr *fn##_op(struct ib_pd *pd, u64 start, u64 length,	\
			     u64 iova, int access, struct ib_udata *udata) \
{									\
	return fn(pd, start, length, iova, access, udata);		\
}									\
static_assert(true)
#endif

/*
 * int fn(struct rdma_counter *, struct ib_qp *, u32 port),
 * int fn(struct ib_qp *, u32 port)
 */
#ifdef HAVE_COUNTER_PORT
#define IB_COUNTER_BIND_QP_OP(fn)					\
static int fn##_op(struct rdma_counter *counter, struct ib_qp *qp, u32 port) \
{									\
	return fn(counter, qp, port);					\
}									\
static_assert(true)
#define IB_COUNTER_UNBIND_QP_OP(fn)					\
static int fn##_op(struct ib_qp *qp, u32 port)				\
{									\
	return fn(qp, port);						\
}									\
static_assert(true)
/* With commas: older kernels have no such members. */
#define INIT_RDMA_COUNTER(drv_struct, member, init)			\
	INIT_RDMA_OBJ_SIZE(rdma_counter, drv_struct, member),		\
	.counter_init = init,
#else /* 6.1, 6.12 */
#define IB_COUNTER_BIND_QP_OP(fn)					\
static int fn##_op(struct rdma_counter *counter, struct ib_qp *qp)	\
{									\
	return fn(counter, qp, 1);					\
}									\
static_assert(true)
#define IB_COUNTER_UNBIND_QP_OP(fn)					\
static int fn##_op(struct ib_qp *qp)					\
{									\
	return fn(qp, 1);						\
}									\
static_assert(true)
#define INIT_RDMA_COUNTER(drv_struct, member, init)
#endif

#ifndef HAVE_IB_ALLOC_DEVICE_WITH_NET
/* 6.1 and 6.12: always init_net; the core moves the device later. */
#define ib_alloc_device_with_net(drv_struct, member, net) \
	((void)(net), ib_alloc_device(drv_struct, member))
#endif

#ifndef HAVE_IB_FLUSH
/* 6.1 passes none of these to or from users, who can't ask for them there. */
#define IB_ACCESS_FLUSH_GLOBAL		(1 << 8)
#define IB_ACCESS_FLUSH_PERSISTENT	(1 << 9)
#define IB_DEVICE_FLUSH_GLOBAL		0
#define IB_DEVICE_FLUSH_PERSISTENT	0
#define IB_DEVICE_ATOMIC_WRITE		0
#define IB_WR_FLUSH			14
#define IB_WR_ATOMIC_WRITE		15
#define IB_WC_FLUSH			8
#define IB_WC_ATOMIC_WRITE		9
#endif

#ifndef HAVE_IB_ODP_FLUSH
/* 6.1 and 6.12 pass all bits to users. */
#define IB_ODP_SUPPORT_FLUSH		(1 << 6)
#define IB_ODP_SUPPORT_ATOMIC_WRITE	(1 << 7)
#endif

#ifndef HAVE_IB_MARK_NAME
/* 6.1 */
static inline void ib_mark_name_assigned_by_user(struct ib_device *ibdev)
{
}
#endif

#endif
