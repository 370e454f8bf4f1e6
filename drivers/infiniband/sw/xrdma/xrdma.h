/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * xrdma: what software RDMA drivers share. A leaf library: drivers call it, it
 * never calls them, and it knows no protocol (no PSN, no STag rules, no acks).
 */
#ifndef XRDMA_H
#define XRDMA_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

struct ib_umem;
struct net_device;
struct xrdma_odp;
struct rdma_hw_stats;
struct scatterlist;
struct sk_buff;

/* ---- ref.c: find an object by number while it may be destroyed ---------- */

/**
 * struct xrdma_table - numbers to objects, readers under RCU
 * @xa: index to struct xrdma_ref
 * @next: where the cyclic search for a free number goes on
 * @min: first number to give out
 * @max: last number to give out
 * @is_random: who knows some numbers can't tell the others: keys
 */
struct xrdma_table {
	struct xarray xa;
	u32 next;
	u32 min;
	u32 max;
	bool is_random;
};

/**
 * struct xrdma_ref - one entry: outlives its object by an RCU grace period
 * @count: a reference for the table, one for each user
 * @index: its number in the table
 * @obj: the object, valid while a reference is held
 * @idle: completed when the last reference is gone
 * @rcu: frees this struct
 */
struct xrdma_ref {
	refcount_t count;
	u32 index;
	void *obj;
	struct completion *idle;
	struct rcu_head rcu;
};

/* Numbers min..max, cyclic from a random start. */
void xrdma_table_init(struct xrdma_table *table, u32 min, u32 max);
/* The table must be empty. */
void xrdma_table_fini(struct xrdma_table *table);

/*
 * Give @obj a number; @wanted: that very number (may lie outside min..max), or
 * 0 for any. Sleeps if @gfp allows it. Return: the entry or an ERR_PTR:
 * -ENOSPC when all numbers are taken, -EBUSY when @wanted is, -ENOMEM.
 * The object is visible at once.
 */
struct xrdma_ref *xrdma_ref_add(struct xrdma_table *table, void *obj, u32 wanted,
				gfp_t gfp);

/* Any context. Return: an entry with a reference taken, or NULL. */
struct xrdma_ref *xrdma_ref_get(struct xrdma_table *table, u32 index);
void xrdma_ref_put(struct xrdma_ref *ref);

/* Make the number invalid and wait until nobody holds a reference. May sleep. */
void xrdma_ref_del(struct xrdma_table *table, struct xrdma_ref *ref);

/* ---- device.c: steps in the life of a device --------------------------------- */

int xrdma_check_free(struct net_device *ndev, enum rdma_driver_id id,
		     const char *driver, const char *us);
int xrdma_register(struct ib_device *ibdev, const char *name,
		   const struct net_device *ndev, const bool *is_leaving);
void xrdma_unregister_soon(struct ib_device *ibdev);
void xrdma_tell_port_event(struct ib_device *ibdev, enum ib_event_type type);

/* ---- engine.c: one owner at a time ----------------------------------------- */

#define XRDMA_NEVER	U64_MAX

/**
 * struct xrdma_engine - who may run a QP, and when it must be run
 * @kicks: notes; 0 = nobody owns it
 * @waiter: a process that wants to be the owner
 * @mutex: serialises processes who want that
 * @is_retired: the QP is being destroyed; under @mutex
 * @pending: in the list of a struct xrdma_runner
 * @timer: fires at the engine's deadline
 * @timer_at: when, ns; XRDMA_NEVER = not armed
 */
struct xrdma_engine {
	atomic_t kicks;
	struct completion *waiter;
	struct mutex mutex;
	bool is_retired;
	struct list_head pending;
	struct hrtimer timer;
	u64 timer_at;
};

void xrdma_engine_init(struct xrdma_engine *engine,
		       enum hrtimer_restart (*timer_fires)(struct hrtimer *));

/* Note that something happened. Any context. Return: true if the engine is ours now. */
static inline bool xrdma_engine_kick(struct xrdma_engine *engine)
{
	return !atomic_fetch_inc(&engine->kicks);
}

/* Before a run: how many notes it will work off. */
static inline int xrdma_engine_notes(const struct xrdma_engine *engine)
{
	/* What a note tells of is looked at afterwards. */
	return atomic_read_acquire(&engine->kicks);
}

/* After it. Return: true if it is nobody's now, false if more notes came. */
static inline bool xrdma_engine_leave(struct xrdma_engine *engine, int notes)
{
	return !atomic_sub_return(notes, &engine->kicks);
}

/* The timer has fired and can be set again. */
static inline void xrdma_engine_woken(struct xrdma_engine *engine)
{
	WRITE_ONCE(engine->timer_at, XRDMA_NEVER);
}

void xrdma_engine_wake_at(struct xrdma_engine *engine, u64 at);
bool xrdma_engine_hand_over(struct xrdma_engine *engine);
int xrdma_engine_own(struct xrdma_engine *engine);
void xrdma_engine_disown(struct xrdma_engine *engine);
void xrdma_engine_retire(struct xrdma_engine *engine);

/**
 * struct xrdma_runner - engines that a CPU owns and has yet to run
 * @lock: only PREEMPT_RT needs it: there others can come between on this CPU
 * @pending: xrdma_engine.pending; run by an outer loop on this CPU
 * @later: the same, of those that wait for @tasklet
 * @left: how many may be run before that loop ends
 * @is_active: there is an outer loop
 * @tasklet: runs what it has left
 */
struct xrdma_runner {
	raw_spinlock_t lock;
	struct list_head pending;
	struct list_head later;
	unsigned int left;
	bool is_active;
	struct tasklet_struct tasklet;
};

void xrdma_runner_init(struct xrdma_runner *runner,
		       void (*run_again)(struct tasklet_struct *));
void xrdma_runner_fini(struct xrdma_runner *runner);
bool xrdma_runner_enter(struct xrdma_runner *runner);
bool xrdma_runner_add(struct xrdma_runner *runner, struct xrdma_engine *engine);
struct xrdma_runner *xrdma_runner_resume(struct tasklet_struct *tasklet);
void xrdma_runner_postpone(struct xrdma_runner *runner,
			   struct xrdma_engine *engine);
struct xrdma_engine *xrdma_runner_next(struct xrdma_runner *runner);

/* ---- consumer.c: telling of completions and events ------------------------ */

/**
 * struct xrdma_cq_consumer - who is told when there are completions
 * @ibcq: the CQ
 * @failed: called after the CQ overflowed; may be NULL
 * @tasks: a bit for each thing that @work is to do
 * @work: runs on the CPU of @vector
 * @calls: how often the consumer is to be told by @call, or is being told
 * @call: to the CPU of @vector
 * @vector: completion vector
 * @is_user: completions are polled in mapped memory
 */
struct xrdma_cq_consumer {
	struct ib_cq *ibcq;
	void (*failed)(struct ib_cq *ibcq);
	unsigned long tasks;
	struct work_struct work;
	atomic_t calls;
	struct __call_single_data call;
	u32 vector;
	bool is_user;
};

void xrdma_cq_consumer_init(struct xrdma_cq_consumer *consumer, struct ib_cq *ibcq,
			    u32 vector, bool is_user, void (*failed)(struct ib_cq *));
void xrdma_cq_consumer_stop(struct xrdma_cq_consumer *consumer);
void xrdma_cq_tell(struct xrdma_cq_consumer *consumer);
void xrdma_cq_fail(struct xrdma_cq_consumer *consumer);
void xrdma_cq_settle(struct xrdma_cq_consumer *consumer);

/**
 * struct xrdma_qp_events - events that a QP's consumer is to be told of
 * @ibqp: the QP
 * @pending: a bit for each enum ib_event_type
 * @work: tells
 */
struct xrdma_qp_events {
	struct ib_qp *ibqp;
	unsigned long pending;
	struct work_struct work;
};

void xrdma_qp_events_init(struct xrdma_qp_events *events, struct ib_qp *ibqp);
void xrdma_qp_events_stop(struct xrdma_qp_events *events);
void xrdma_qp_event(struct xrdma_qp_events *events, enum ib_event_type type);

/* ---- mr.c: memory regions ------------------------------------------------ */

enum xrdma_dir {
	XRDMA_TO_MEM,		/* write into the region */
	XRDMA_FROM_MEM,		/* read from it */
};

enum xrdma_kind {
	XRDMA_USER,		/* pinned pages of a process */
	XRDMA_DMA,		/* all kernel memory, by kernel virtual address */
	XRDMA_FAST,		/* pieces of kernel memory, by work request */
	XRDMA_WINDOW,		/* rights to a part of another region */
	XRDMA_ON_DEMAND,	/* pages of a process that are not pinned */
};

/**
 * struct xrdma_piece - kernel memory in a row, part of a fast region
 * @start: of its first byte, counted from the region's
 * @addr: where it is
 */
struct xrdma_piece {
	u64 start;
	void *addr;
};

/**
 * struct xrdma_mr - a memory region, or what the key of a window finds
 * @ibmr: the verbs object; lkey == rkey
 * @table: where the key is
 * @ref: entry in @table
 * @kind: enum xrdma_kind
 * @key: index << 8 | eight bits; 0 while nobody may use it
 * @access: enum ib_access_flags
 * @iova: address of the first byte, as peers and SGEs name it
 * @length: bytes
 * @base: the region that has the memory: itself, but for windows
 * @shift: what is added to an address of ours to get one of @base
 * @lock: FAST, WINDOW, ON_DEMAND: held by readers from xrdma_mr_get() to
 *	xrdma_mr_put(); a writer may change @key, @access, the range (but ON_DEMAND)
 *	and the memory
 * @owner: WINDOW: what it is bound through, if access is for that alone
 * @windows: bound to this region; negative: it is being deregistered
 * @offset: USER: of the first byte in the first page
 * @npages: entries of @pages
 * @pages: USER: pinned pages of PAGE_SIZE
 * @umem: USER: user memory
 * @max_pieces: FAST: that @pieces holds
 * @num_pieces: FAST: valid ones
 * @pieces: FAST: in order
 * @odp: ON_DEMAND: what is present
 */
struct xrdma_mr {
	struct ib_mr ibmr;
	struct xrdma_table *table;
	struct xrdma_ref *ref;
	enum xrdma_kind kind;
	u32 key;
	u32 access;
	u64 iova;
	u64 length;
	struct xrdma_mr *base;
	u64 shift;
	rwlock_t lock;
	const void *owner;
	atomic_t windows;

	u32 offset;
	unsigned long npages;
	struct page **pages;
	struct ib_umem *umem;

	u32 max_pieces;
	u32 num_pieces;
	struct xrdma_piece *pieces;

	struct xrdma_odp *odp;
};

static inline struct xrdma_mr *to_xrdma_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct xrdma_mr, ibmr);
}

/* Largest table for keys: 24 bits, 0 is never given out. */
#define XRDMA_KEY_MIN	1
#define XRDMA_KEY_MAX	0x00fffffe

/* Bodies of the verbs; return an ERR_PTR on error. May sleep. */
struct ib_mr *xrdma_mr_get_dma(struct xrdma_table *table, struct ib_pd *pd,
			       int access);
struct ib_mr *xrdma_mr_reg_user(struct xrdma_table *table, struct ib_pd *pd,
				u64 start, u64 length, u64 iova, int access);
/*
 * Waits for copies in progress, then unpins. Return: 0, or -EBUSY while windows
 * are bound to it.
 */
int xrdma_mr_dereg(struct xrdma_mr *mr);

/*
 * The region of @key, if it belongs to @pd, grants all of @access and holds
 * @length bytes at @va. Windows are for peers only. Process or softirq; who has it
 * must not sleep. Return: it, with a reference, or NULL.
 */
struct xrdma_mr *xrdma_mr_get(struct xrdma_table *table, const struct ib_pd *pd,
			      u32 key, u32 access, u64 va, u64 length);
/*
 * The same for a key that a peer sent, windows included. @owner: what it came
 * through, as in xrdma_mw_bind(). XRDMA_WHOLE as @length: all there is, at any @va.
 */
#define XRDMA_WHOLE	U64_MAX
struct xrdma_mr *xrdma_mr_get_remote(struct xrdma_table *table,
				     const struct ib_pd *pd, const void *owner,
				     u32 key, u32 access, u64 va, u64 length);
void xrdma_mr_put(struct xrdma_mr *mr);

/*
 * Pinned memory, which a reference keeps as it is, and which has no lock: who has one
 * may sleep, and may give it back elsewhere.
 */
static inline bool xrdma_mr_is_steady(const struct xrdma_mr *mr)
{
	return mr->kind == XRDMA_USER;
}

enum xrdma_refusal {
	XRDMA_NO_KEY,
	XRDMA_OTHER_PD,
	XRDMA_NO_ACCESS,
	XRDMA_OUT_OF_RANGE,
};

/* Why xrdma_mr_get_remote() returned NULL, as far as can be said now. Any context. */
enum xrdma_refusal xrdma_mr_why(struct xrdma_table *table, const struct ib_pd *pd,
				u32 key, u32 access);

/* ---- access.c: the memory of a region, in a range that was checked --------- */

/*
 * Copy. Any context. Return: 0, or -EAGAIN where ON_DEMAND memory is not present;
 * what comes before it is copied then.
 */
int xrdma_mr_copy(struct xrdma_mr *mr, u64 va, void *buf, u32 length,
		   enum xrdma_dir dir);

/**
 * struct xrdma_sink - who gets bytes as they lie
 * @take: gets @n bytes, behind @done others; must not sleep. Return: 0 to go on
 * @to: for @take
 * @done: bytes so far
 */
struct xrdma_sink {
	int (*take)(void *to, u32 done, const void *data, u32 n);
	void *to;
	u32 done;
};

/*
 * Show bytes of a region of kind XRDMA_USER to @sink. Any context. Return: 0, or what
 * its function returned.
 */
int xrdma_mr_show(const struct xrdma_mr *mr, u64 va, u32 length,
		  struct xrdma_sink *sink);

enum xrdma_atomic {
	XRDMA_CMP_SWAP,
	XRDMA_FETCH_ADD,
};

/*
 * 64-bit atomic on a @va checked for remote atomics, also against the CPU's own
 * atomics. @old: the value before. Return: 0 or -EAGAIN as above. Any context.
 */
int xrdma_mr_atomic(struct xrdma_mr *mr, u64 va, enum xrdma_atomic op,
		    u64 compare, u64 swap_add, u64 *old);

/* The same for any other: @make says what becomes of a value; it may be asked again. */
int xrdma_mr_update(struct xrdma_mr *mr, u64 va,
		    u64 (*make)(const void *how, u64 old), const void *how,
		    u64 *old);

/*
 * Store the 8 bytes at @bytes as one, after everything before. Any context.
 * Return: 0; or nothing is stored: -EINVAL, @va is no place for a word; -EAGAIN as
 * above.
 */
int xrdma_mr_store(struct xrdma_mr *mr, u64 va, const void *bytes);

/*
 * What was written to @length bytes at @va, XRDMA_WHOLE for all, is seen by all
 * CPUs; and survives the loss of power if the region has IB_ACCESS_FLUSH_PERSISTENT.
 * Any context.
 */
void xrdma_mr_flush(struct xrdma_mr *mr, u64 va, u64 length);

/* ---- odp.c: memory that is there on demand ------------------------------------ */

/**
 * struct xrdma_want - memory that somebody wants to be present
 * @key: of the region
 * @access: enum ib_access_flags that it must have
 * @va: first byte
 * @length: bytes
 * @ahead: bytes behind these that will be wanted next
 * @is_write: to be written
 * @is_hint: only look whether it is there
 * @may_fail: what can't be had is no error
 */
struct xrdma_want {
	u32 key;
	u32 access;
	u64 va;
	u64 length;
	u64 ahead;
	bool is_write;
	bool is_hint;
	bool may_fail;
};

/* But for @ahead. Process, may sleep. Return: 0 or an errno, as there. */
int xrdma_mr_fault(struct xrdma_table *table, const struct ib_pd *pd,
		   const struct xrdma_want *want);

/* ib_device_ops.advise_mr. Process, may sleep. */
int xrdma_mr_advise(struct xrdma_table *table, const struct ib_pd *pd,
		    enum ib_uverbs_advise_mr_advice advice, u32 flags,
		    const struct ib_sge *sges, u32 num_sge);

/* Any context. Regions of other kinds always are. */
bool xrdma_mr_is_present(const struct xrdma_mr *mr, u64 va, u32 length);

/* ---- paging.c: waiting for such memory ----------------------------------------- */

/**
 * struct xrdma_paging - what an engine waits for
 * @work: makes it present
 * @table: where keys are
 * @done: tells the driver
 * @owner: for @done
 * @pd: of the region
 * @want: which memory
 * @is_waiting: until the work item is done; the owner leaves the rest alone then
 * @err: why it could not
 */
struct xrdma_paging {
	struct work_struct work;
	struct xrdma_table *table;
	void (*done)(void *owner);
	void *owner;
	const struct ib_pd *pd;
	struct xrdma_want want;
	bool is_waiting;
	int err;
};

struct xrdma_paging *xrdma_paging_create(struct xrdma_table *table,
					 void (*done)(void *owner), void *owner);
void xrdma_paging_destroy(struct xrdma_paging *paging);
void xrdma_paging_reset(struct xrdma_paging *paging);
bool xrdma_paging_wait(struct xrdma_paging *paging, const struct ib_pd *pd,
		       const struct xrdma_want *want);
bool xrdma_paging_has_failed(const struct xrdma_paging *paging,
			     const struct xrdma_want *want);

/* Owner of the engine. */
static inline bool xrdma_paging_is_waiting(const struct xrdma_paging *paging)
{
	return smp_load_acquire(&paging->is_waiting);
}

/* ---- fast.c: regions that kernel users map by work request ------------------ */

#define XRDMA_MAX_PIECES	1024U

/* ib_device_ops.alloc_mr. Return: a region without a key, or an ERR_PTR. */
struct ib_mr *xrdma_mr_alloc(struct xrdma_table *table, struct ib_pd *pd,
			     enum ib_mr_type type, u32 max_num_sg);
/* ib_device_ops.map_mr_sg */
int xrdma_mr_map_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset);

/*
 * REG_MR: what was mapped is found by @key from now on. Process or softirq.
 * Return: 0, or -EINVAL: not free, of another PD, or @key is not one of it.
 */
int xrdma_mr_fast_reg(struct xrdma_mr *mr, const struct ib_pd *pd, u32 key,
		      u32 access);

/* ---- mw.c: memory windows ----------------------------------------------------- */

/**
 * struct xrdma_windows - windows of type 2 that are bound through one QP
 * @list: struct xrdma_mw.node
 *
 * Its address stands for the QP.
 */
struct xrdma_windows {
	struct list_head list;
};

static inline void xrdma_windows_init(struct xrdma_windows *windows)
{
	INIT_LIST_HEAD(&windows->list);
}

/**
 * struct xrdma_mw - a memory window
 * @ibmw: the verbs object
 * @view: what its key finds; view.base is the region it is bound to, or NULL
 * @node: type 2: in the list of the QP it is bound through
 */
struct xrdma_mw {
	struct ib_mw ibmw;
	struct xrdma_mr view;
	struct list_head node;
};

/* Bodies of the verbs. May sleep. */
int xrdma_mw_alloc(struct xrdma_table *table, struct ib_mw *ibmw);
void xrdma_mw_dealloc(struct ib_mw *ibmw);

/**
 * struct xrdma_bind - operands of BIND_MW
 * @addr: first byte, as in the region
 * @length: bytes; 0 takes a binding of type 1 away
 * @lkey: of the region
 * @old_rkey: of the window; eight bits of it may be old
 * @new_rkey: that it will have
 * @access: enum ib_access_flags
 */
struct xrdma_bind {
	u64 addr;
	u64 length;
	u32 lkey;
	u32 old_rkey;
	u32 new_rkey;
	u32 access;
};

/*
 * BIND_MW posted to the QP of @windows and @pd. Process or softirq.
 * Return: 0, or -EINVAL: nothing has changed.
 */
int xrdma_mw_bind(struct xrdma_table *table, const struct ib_pd *pd,
		  struct xrdma_windows *windows, const struct xrdma_bind *bind);

/*
 * LOCAL_INV, or invalidation by the peer: the key of a fast region, or of a window
 * of type 2 that is bound through @windows, finds nothing any more. When this
 * returns, nobody copies by it. Process or softirq. Return: 0 or -EINVAL.
 */
int xrdma_invalidate(struct xrdma_table *table, const struct ib_pd *pd,
		     const struct xrdma_windows *windows, u32 key);

/* The QP of @windows is going away, and so do their bindings. */
void xrdma_windows_unbind(struct xrdma_windows *windows);

/* ---- sgl.c: scatter-gather lists ----------------------------------------- */

/**
 * struct xrdma_sgl - a list of SGEs or the inline bytes of a request
 * @sge: trusted copy, local keys not yet checked
 * @num_sge: entries
 * @data: not NULL: inline bytes, @sge is unused
 * @length: bytes in total
 */
struct xrdma_sgl {
	const struct ib_sge *sge;
	u32 num_sge;
	void *data;
	u64 length;
};

/*
 * Copy @length bytes at @offset of the list from or to @buf. Keys are checked
 * (XRDMA_TO_MEM needs local write). Any context.
 * Return: 0, -EINVAL beyond the end, -EACCES when a key, PD or range is wrong,
 * -EAGAIN where on-demand memory is not present: @want, if it isn't NULL, says which.
 */
int xrdma_sgl_copy(struct xrdma_table *table, const struct ib_pd *pd,
		   const struct xrdma_sgl *sgl, u64 offset, void *buf, u32 length,
		   enum xrdma_dir dir, struct xrdma_want *want);

/*
 * The region that has all @length bytes at @offset of the list, checked for @access;
 * they begin at @va of it. Context: as xrdma_mr_get(). Return: with a reference, or NULL
 * if several have them, or none may be used: xrdma_sgl_copy() tells.
 */
struct xrdma_mr *xrdma_sgl_get(struct xrdma_table *table, const struct ib_pd *pd,
			       const struct xrdma_sgl *sgl, u64 offset, u32 length,
			       u32 access, u64 *va);

/*
 * May that be read without waiting? Or @want says for what. What is wrong with a key or
 * a range is found when it is copied. Any context.
 */
bool xrdma_sgl_is_present(struct xrdma_table *table, const struct ib_pd *pd,
			  const struct xrdma_sgl *sgl, u64 offset, u32 length,
			  struct xrdma_want *want);

/* Sum of the SGE lengths; U64 can't wrap for any num_sge. */
u64 xrdma_sge_sum(const struct ib_sge *sge, u32 num_sge);

/* ---- mmap.c: memory shared with user space -------------------------------- */

/**
 * struct xrdma_shared - zeroed memory that a user context may map
 * @entry: verbs core's bookkeeping of the mmap offset
 * @buf: kernel address
 * @size: bytes, a multiple of PAGE_SIZE
 * @is_user: entry is in use
 *
 * Lives until the driver has freed it and the last mapping is gone.
 */
struct xrdma_shared {
	struct rdma_user_mmap_entry entry;
	void *buf;
	size_t size;
	bool is_user;
};

/* @ucontext NULL: kernel only. Return: NULL on failure. May sleep. */
struct xrdma_shared *xrdma_shared_alloc(struct ib_ucontext *ucontext,
					size_t size);
/* The driver must not touch shared->buf afterwards. NULL is fine. */
void xrdma_shared_free(struct xrdma_shared *shared);
/* Value for user space's mmap(2). */
u64 xrdma_shared_offset(const struct xrdma_shared *shared);

/* ib_device_ops.mmap and .mmap_free */
int xrdma_mmap(struct ib_ucontext *ucontext, struct vm_area_struct *vma);
void xrdma_mmap_free(struct rdma_user_mmap_entry *entry);

/* ---- crc.c: what older kernels lack, see compat/linux/crc32.h --------------- */

void xrdma_crc_init(void);
void xrdma_crc_exit(void);

/* ---- stats.c: per-CPU counters --------------------------------------------- */

/**
 * struct xrdma_stats - counters of a device
 * @counters: @num values on each CPU
 * @num: number of counters
 */
struct xrdma_stats {
	u64 __percpu *counters;
	unsigned int num;
};

int xrdma_stats_init(struct xrdma_stats *stats, unsigned int num);
void xrdma_stats_fini(struct xrdma_stats *stats);

/* Any context. */
static inline void xrdma_stats_add(struct xrdma_stats *stats, unsigned int i,
				   u64 n)
{
	this_cpu_add(stats->counters[i], n);
}

/* Sum over all CPUs. */
u64 xrdma_stats_read(const struct xrdma_stats *stats, unsigned int i);

/* Fill a struct rdma_hw_stats of @stats->num values. Return: number of values. */
int xrdma_stats_fill(const struct xrdma_stats *stats,
		     struct rdma_hw_stats *hw_stats);

/* ---- port.c, verbs.c ------------------------------------------------------- */

/*
 * Speed and width of the netdev, as near as the verbs can express it. May sleep.
 * Return: Mbit/s, 0 = unknown.
 */
u32 xrdma_port_fill_speed(struct net_device *ndev, struct ib_port_attr *attr);

/* For commands that have no private part. Return: 0, -EINVAL, -EFAULT. */
int xrdma_ignore_udata(struct ib_udata *udata);

/**
 * struct xrdma_detail - one line of "rdma resource show -dd"
 * @name: as shown
 * @value: what it was a moment ago
 */
struct xrdma_detail {
	const char *name;
	u64 value;
};

int xrdma_put_details(struct sk_buff *msg, const struct xrdma_detail *details,
		      unsigned int n);

#endif
