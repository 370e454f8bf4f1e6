// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The naive twin: no packets, no PSNs, no loss. Requests take effect in posting
 * order on a byte array; that is all a user of RC is promised.
 */
#include <stdlib.h>
#include <string.h>
#include "sim.h"

bool op_takes_recv(const struct op *op)
{
	return op->op <= XROCE_WR_SEND_INV || op->op == XROCE_WR_WRITE_IMM;
}

bool op_is_rd(const struct op *op)
{
	return op->op >= XROCE_WR_READ && op->op <= XROCE_WR_FLUSH;
}

bool op_is_atomic(const struct op *op)
{
	return op->op == XROCE_WR_CMP_SWAP || op->op == XROCE_WR_FETCH_ADD ||
	       op->op == XROCE_WR_ATOMIC_WRITE;
}

bool op_is_local(const struct op *op)
{
	return op->op >= XROCE_WR_LOCAL_INV;
}

static void run_atomic(struct model *model, struct op *op)
{
	u64 val;

	memcpy(&val, model->mem + op->at, sizeof(val));
	memcpy(op->want, &val, sizeof(val));
	if (op->op == XROCE_WR_FETCH_ADD)
		val += op->swap_add;
	else if (val == op->compare)
		val = op->swap_add;
	memcpy(model->mem + op->at, &val, sizeof(val));
}

static void run_op(struct model *model, struct op *op)
{
	switch (op->op) {
	case XROCE_WR_WRITE:
	case XROCE_WR_WRITE_IMM:
	case XROCE_WR_ATOMIC_WRITE:
		memcpy(model->mem + op->at, model->source + op->src, op->len);
		break;
	case XROCE_WR_READ:
		memcpy(op->want, model->mem + op->at, op->len);
		break;
	case XROCE_WR_CMP_SWAP:
	case XROCE_WR_FETCH_ADD:
		run_atomic(model, op);
		break;
	}
}

void model_run(struct model *model, u32 end)
{
	while (model->executed < end)
		run_op(model, &model->ops[model->executed++]);
}

struct op *model_next_recv(struct model *model, u32 *index)
{
	while (model->next_recv < model->n_ops) {
		struct op *op = &model->ops[model->next_recv++];

		if (op_takes_recv(op)) {
			*index = model->next_recv - 1;
			return op;
		}
	}
	return NULL;
}
