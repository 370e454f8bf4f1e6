// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Questions to the kernel that is built for. Each comment line with a HAVE_ name
 * begins a probe; it is answered with yes if the compiler finds no error from
 * there to the next one. Never linked, never run. scripts/compat-probe has more.
 */
#include <linux/crc32.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/flow.h>
#include <net/sock.h>
#include <net/udp_tunnel.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/uverbs_ioctl.h>

static struct ib_device_ops ops;

/* HAVE_NOTHING: must fail, to see that failures are seen */
void probe_nothing(void) { no_kernel_has_this_function(); }

/* HAVE_LINUX_UNALIGNED: header <linux/unaligned.h>; 6.1 has <asm/unaligned.h> */
#if !__has_include(<linux/unaligned.h>)
#error
#endif

/* HAVE_CREATE_CQ_ATTRS: create_cq() is given all attributes, not just udata */
extern typeof(ops.create_cq) create_cq;
extern int (*create_cq)(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			struct uverbs_attr_bundle *attrs);

/* HAVE_RESIZE_USER_CQ: new name of resize_cq(), with an unsigned count */
extern typeof(ops.resize_user_cq) resize_cq;
extern int (*resize_cq)(struct ib_cq *cq, unsigned int cqe,
			struct ib_udata *udata);

/* HAVE_REG_USER_MR_DMAH: reg_user_mr() has an argument for DMA hints */
extern typeof(ops.reg_user_mr) reg_user_mr;
extern struct ib_mr *(*reg_user_mr)(struct ib_pd *pd, u64 start, u64 length,
				    u64 iova, int access, struct ib_dmah *dmah,
				    struct ib_udata *udata);

/* HAVE_IB_ODP_FLUSH: on-demand memory may be flushed, and written atomically */
int probe_odp_flush(void) { return IB_ODP_SUPPORT_FLUSH | IB_ODP_SUPPORT_ATOMIC_WRITE; }

/* HAVE_UMEM_GET_VA: new name of ib_umem_get() */
void *probe_umem(void) { return ib_umem_get_va(0, 0, 0, 0); }

/* HAVE_HRTIMER_SETUP: hrtimer_init() that takes the function too */
void probe_hrtimer(void) { hrtimer_setup(0, 0, 0, 0); }

/* HAVE_UDP_TUNNEL_SOCK: UDP tunnels are made from a struct sock, not a socket */
extern typeof(&udp_tunnel_sock_release) release;
extern void (*release)(struct sock *sk);

/* HAVE_FAST_CRC32: the library uses what the processor has */
u32 probe_crc(void) { return crc32_optimizations(); }

/* HAVE_FLOWI4_DSCP: replaces flowi4_tos */
extern typeof(((struct flowi4 *)0)->flowi4_dscp) dscp;

/* HAVE_VM_FLAGS_SET: vma->vm_flags must not be written any more */
void probe_vm(void) { vm_flags_set(0, 0); }

/* HAVE_KMALLOC_OBJ: kmalloc() of one object of a type */
#ifndef kmalloc_obj
#error
#endif

/* HAVE_WQ_PERCPU: workqueues must say whether they are bound to CPUs */
int probe_wq = WQ_PERCPU;

/* HAVE_IB_ALLOC_DEVICE_WITH_NET: devices may be born in any network namespace */
#ifndef ib_alloc_device_with_net
#error
#endif

/* HAVE_COUNTER_PORT: counters of QPs have drivers' parts, and know the port */
extern typeof(ops.counter_unbind_qp) unbind_qp;
extern int (*unbind_qp)(struct ib_qp *qp, u32 port);

/* HAVE_IB_MARK_NAME: who named the device is remembered */
void probe_name(void) { ib_mark_name_assigned_by_user(0); }

/* HAVE_IB_FLUSH: FLUSH and atomic WRITE in the verbs; they came together */
int probe_flush = IB_WR_FLUSH;

/* HAVE_RXE_FLUSH: FLUSH in the user ABI; 6.1's provider has none */
extern typeof(((struct rxe_send_wr *)0)->wr.flush) flush;

/* HAVE_SPLICE_PAGES: TCP implements MSG_SPLICE_PAGES; 6.1 only defines it */
void *probe_splice = skb_splice_from_iter;

/* HAVE_SOCKADDR_UNSIZED: what kernel_bind() and kernel_connect() are given */
extern typeof(&kernel_bind) bind;
extern int (*bind)(struct socket *sock, struct sockaddr_unsized *addr, int len);

/* HAVE_NET_REFCNT_UPGRADE: a kernel socket can be made to hold its namespace */
void probe_refcnt(void) { sk_net_refcnt_upgrade(0); }

/* HAVE_SK_OWNER_SET: a socket holds the module that its lock class is in */
void probe_owner(void) { sk_owner_set(0, 0); }
