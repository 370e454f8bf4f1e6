// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The naive twin: no segments, no queues, no order but one.
 */
#include <string.h>
#include "sim.h"

bool op_takes_recv(const struct op *op)
{
	return op->op == XIWARP_WR_SEND || op->op == XIWARP_WR_SEND_INV ||
	       op->op == XIWARP_WR_WRITE_IMM;
}

bool op_is_rd(const struct op *op)
{
	return op->op == XIWARP_WR_READ || op->op == XIWARP_WR_READ_INV ||
	       op->op == XIWARP_WR_CMP_SWAP || op->op == XIWARP_WR_FETCH_ADD;
}

static void run_atomic(struct model *model, struct op *op)
{
	u64 old, new;

	memcpy(&old, model->mem + op->at, 8);
	new = old + op->swap_add;
	if (op->op == XIWARP_WR_CMP_SWAP)
		new = old == op->compare ? op->swap_add : old;
	memcpy(model->mem + op->at, &new, 8);
	memcpy(op->want, &old, 8);
}

static void run_one(struct model *model, struct op *op)
{
	switch (op->op) {
	case XIWARP_WR_WRITE:
	case XIWARP_WR_WRITE_IMM:
		memcpy(model->mem + op->at, model->source + op->src, op->len);
		break;
	case XIWARP_WR_READ:
	case XIWARP_WR_READ_INV:
		memcpy(op->want, model->mem + op->at, op->len);
		break;
	case XIWARP_WR_CMP_SWAP:
	case XIWARP_WR_FETCH_ADD:
		run_atomic(model, op);
		break;
	}
}

/* All ops before @end. */
void model_run(struct model *model, u32 end)
{
	for (; model->executed < end; model->executed++)
		run_one(model, &model->ops[model->executed]);
}

struct op *model_next_recv(struct model *model, u32 *index)
{
	while (model->next_recv < model->n_ops) {
		struct op *op = &model->ops[model->next_recv++];

		if (!op_takes_recv(op))
			continue;
		*index = model->next_recv - 1;
		return op;
	}
	return NULL;
}
