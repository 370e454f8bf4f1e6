/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the files about memory regions tell each other. */
#ifndef XRDMA_MR_H
#define XRDMA_MR_H

#include "xrdma.h"

#define XRDMA_REMOTE_ACCESS (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			     IB_ACCESS_REMOTE_ATOMIC |			\
			     IB_ACCESS_FLUSH_GLOBAL |			\
			     IB_ACCESS_FLUSH_PERSISTENT)

/* Rights that a region may have. Return: 0, -EOPNOTSUPP or -EINVAL. */
int xrdma_mr_check_access(int access);

/* Before anything else is filled in. */
void xrdma_mr_init(struct xrdma_mr *mr, enum xrdma_kind kind);

/*
 * Enter a complete region into @table. Nobody finds it before it has a key.
 * Return: its first key, which it may be given, or a negative errno.
 */
s64 xrdma_mr_enter(struct xrdma_mr *mr, struct xrdma_table *table,
		   struct ib_pd *pd);

/* [@va, @va + @length) lies in @mr. */
bool xrdma_mr_holds(const struct xrdma_mr *mr, u64 va, u64 length);

/* odp.c: @mr has its length and gets the memory at @start of the calling process. */
int xrdma_odp_init(struct xrdma_mr *mr, u64 start);
/* Nobody has a reference. */
void xrdma_odp_fini(struct xrdma_mr *mr);
/*
 * The page of @va, valid as long as @mr->lock is held; NULL if it is not present, or
 * not for that. *@offset: of @va in it.
 */
struct page *xrdma_odp_page(const struct xrdma_mr *mr, u64 va, bool is_write,
			    u32 *offset);

/* @va is a word's, present or not. */
bool xrdma_odp_is_word(const struct xrdma_mr *mr, u64 va);

/* paging.c: the work items of all who wait. Return: 0 or -ENOMEM. */
int xrdma_paging_wq_init(void);
void xrdma_paging_wq_exit(void);

/* consumer.c: the work items that tell consumers. Return: 0 or -ENOMEM. */
int xrdma_consumer_wq_init(void);
void xrdma_consumer_wq_exit(void);

/* access.c: a naturally aligned word of 8 bytes is at @va. */
bool xrdma_mr_is_word(const struct xrdma_mr *mr, u64 va);

#endif
