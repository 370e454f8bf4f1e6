/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * What xroce and a user space provider share. The layouts are those that the
 * "rxe" provider of rdma-core speaks (ABI version 2), so that applications run
 * with the rdma-core they have; the driver's abi_check.c compares them with the
 * kernel's own description of that ABI when it is built.
 *
 * A queue lies in memory that the kernel allocates and user space maps: a
 * struct xroce_queue_header, then a power of two of slots, each a power of two
 * of bytes. Indices run from 0 to the number of slots - 1; the queue is empty
 * when they are equal, and one slot always stays free.
 */
#ifndef XROCE_ABI_H
#define XROCE_ABI_H

#include <linux/types.h>

#define XROCE_ABI_VERSION	2

/**
 * struct xroce_mmap_info - a piece of memory to map
 * @offset: to give to mmap() of the command file
 * @size: bytes, no more and no less may be mapped
 * @pad: 0
 */
struct xroce_mmap_info {
	__aligned_u64 offset;
	__u32 size;
	__u32 pad;
};

/* Driver part of the responses and commands of the verbs. */

struct xroce_create_cq_resp {
	struct xroce_mmap_info mi;
};

/* The CQ's new memory; what was in the old one was copied. */
struct xroce_resize_cq_resp {
	struct xroce_mmap_info mi;
};

/* @rq_mi is not written for a QP with an SRQ. */
struct xroce_create_qp_resp {
	struct xroce_mmap_info rq_mi;
	struct xroce_mmap_info sq_mi;
};

struct xroce_create_srq_resp {
	struct xroce_mmap_info mi;
	__u32 srq_num;
	__u32 reserved;
};

/* @mmap_info_addr: where a struct xroce_mmap_info goes if the SRQ was resized. */
struct xroce_modify_srq_cmd {
	__aligned_u64 mmap_info_addr;
};

/* @ah_num: for xroce_send_wr.wr.ud, never 0. */
struct xroce_create_ah_resp {
	__u32 ah_num;
	__u32 reserved;
};

/**
 * struct xroce_queue_header - in front of the slots
 * @log2_elem_size: of a slot; for user space to read
 * @index_mask: slots - 1; for user space to read
 * @producer_index: written by user space, in a CQ by the kernel
 * @consumer_index: written by the kernel, in a CQ by user space
 */
struct xroce_queue_header {
	__u32 log2_elem_size;
	__u32 index_mask;
	/* private: distance to the next cache lines */
	__u32 pad0[30];
	/* public: */
	__u32 producer_index;
	/* private: */
	__u32 pad1[31];
	/* public: */
	__u32 consumer_index;
	/* private: */
	__u32 pad2[31];
};

/* A slot of a CQ holds a struct ib_uverbs_wc and is of this size. */
#define XROCE_CQE_BYTES		64

/* As struct ib_sge. */
struct xroce_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/**
 * struct xroce_dma_info - how much data follows a work request
 * @length: bytes
 * @num_sge: entries of struct xroce_sge; inline data have none
 */
struct xroce_dma_info {
	__u32 length;
	/* private: set by providers, tells nothing */
	__u32 resid;
	__u32 cur_sge;
	/* public: */
	__u32 num_sge;
	/* private: */
	__u32 sge_offset;
	__u32 reserved;
};

/* Where user space keeps the address of an AH; the kernel goes by ah_num. */
struct xroce_user_av {
	__u8 port_num;
	__u8 network_type;
	__u8 dmac[6];
	struct {
		__u8 dgid[16];
		__u32 flow_label;
		__u8 sgid_index;
		__u8 hop_limit;
		__u8 traffic_class;
		__u8 pad;
	} grh;
	__u8 sgid_addr[28];
	__u8 dgid_addr[28];
};

/**
 * struct xroce_send_wr - what to send
 * @wr_id: the caller's cookie
 * @opcode: enum ibv_wr_opcode
 * @send_flags: enum ibv_send_flags
 * @ex: immediate data, or the key to invalidate
 * @wr: operands, by opcode and kind of QP
 */
struct xroce_send_wr {
	__aligned_u64 wr_id;
	/* private: */
	__u32 reserved;
	/* public: */
	__u32 opcode;
	__u32 send_flags;
	union {
		__be32 imm_data;
		__u32 invalidate_rkey;
	} ex;
	union {
		struct {
			__aligned_u64 remote_addr;
			__u32 rkey;
			__u32 reserved;
		} rdma;
		struct {
			__aligned_u64 remote_addr;
			__aligned_u64 compare_add;
			__aligned_u64 swap;
			__u32 rkey;
			__u32 reserved;
		} atomic;
		struct {
			__aligned_u64 remote_addr;
			__u32 length;
			__u32 rkey;
			__u8 type;
			__u8 level;
		} flush;
		struct {
			__aligned_u64 addr;
			__aligned_u64 length;
			__u32 mr_lkey;
			__u32 mw_rkey;
			__u32 rkey;
			__u32 access;
		} mw;
		struct {
			__u32 remote_qpn;
			__u32 remote_qkey;
			__u16 pkey_index;
			__u16 reserved;
			__u32 ah_num;
			__u32 pad[4];
			struct xroce_user_av av;
		} ud;
	} wr;
};

/**
 * struct xroce_send_wqe - slot of a send queue
 * @wr: what to send
 * @dma: how much follows: struct xroce_sge[], inline bytes, or the 8 bytes of
 *	an atomic write
 */
struct xroce_send_wqe {
	struct xroce_send_wr wr;
	/* private: set by providers, tells nothing */
	__u32 status;
	__u32 state;
	__aligned_u64 iova;
	__u32 mask;
	__u32 first_psn;
	__u32 last_psn;
	__u32 ack_length;
	__u32 ssn;
	__u32 has_rd_atomic;
	/* public: */
	struct xroce_dma_info dma;
};

/**
 * struct xroce_recv_wqe - slot of a receive queue or SRQ
 * @wr_id: the caller's cookie
 * @dma: how many struct xroce_sge follow
 */
struct xroce_recv_wqe {
	__aligned_u64 wr_id;
	/* private: */
	__u32 reserved;
	__u32 padding;
	/* public: */
	struct xroce_dma_info dma;
};

#endif
