// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "follow_judge.h"

#include "follow_calls.h"
#include "follow_nodes.h"
#include "follow_stack.h"

/* Rounds to mark what leads to an instruction. */
#define MAX_ROUNDS 64

static bool is_as_entered(const struct followed *f, const struct follow_state *state)
{
	struct follow_state entered = follow_entry(f->machine, false);

	return state->outermost ||
	       (state->sp_known && state->sp_below == entered.sp_below && state->fp == FP_CALLERS &&
		!state->ra_lost && state->ra_register < 0);
}

/* Does the instruction leave its function? */
static bool leaves(const struct followed *f, const struct operation *operation)
{
	const struct node *target;

	if (operation->flow == FLOW_RETURN)
		return true;
	if (!jumps(operation))
		return false;
	target = follow_known(f, operation->target);
	return target ? target->function : !follow_gap_at(f, operation->target);
}

static bool contradicts(const struct followed *f, const struct node *node)
{
	struct follow_state state = node->state;

	if (!leaves(f, &node->operation))
		return false;
	/* Nothing called it, so it cannot return. */
	if (state.outermost)
		return node->operation.flow == FLOW_RETURN;
	return !follow_step(f->machine, &node->operation, &state) || node->operation.value ||
	       !is_as_entered(f, &state);
}

/* Does the instruction, or one that it goes on to in its function, have the mark? */
static bool is_marked(const struct followed *f, uint64_t vaddr, size_t mark)
{
	const struct node *node = follow_known(f, vaddr);

	return node && !node->function && *(const bool *)((const char *)node + mark);
}

static bool table_leads_to(const struct followed *f, const struct jump_table *table, size_t mark)
{
	uint64_t target;

	for (uint32_t i = 0; i < table->count; i++) {
		if (jump_table_target(f->file, table, i, &target) && is_marked(f, target, mark))
			return true;
	}
	return false;
}

static bool leads_to(const struct followed *f, const struct node *node, size_t mark)
{
	const struct operation *operation = &node->operation;

	if (table_leads_to(f, &node->table, mark))
		return true;
	return (jumps(operation) && is_marked(f, operation->target, mark)) ||
	       (falls_through(operation) && !follow_ends_function(f, node) && !node->no_return &&
		is_marked(f, next_of(node), mark));
}

/* Marks what leads to instructions that leave their functions in the wrong, or the right, way. */
static void mark_ways(struct followed *f, size_t mark, bool wrong)
{
	bool changed = true;

	for (unsigned round = 0; changed && round < MAX_ROUNDS; round++) {
		changed = false;
		for (uint32_t i = f->node_count; i-- > 0;) {
			struct node *node = &f->nodes[i];
			bool *marked = (bool *)((char *)node + mark);

			if (*marked || !node->state.reached)
				continue;
			*marked = leads_to(f, node, mark) ||
				  (leaves(f, &node->operation) && contradicts(f, node) == wrong);
			changed |= *marked;
		}
		/* A tangle that takes this long is none of a compiler's. */
		f->tangled |= wrong && changed && round + 1 == MAX_ROUNDS;
	}
}

void follow_judge(struct followed *f)
{
	mark_ways(f, offsetof(struct node, wrong), true);
	mark_ways(f, offsetof(struct node, right), false);
}

bool follow_doubt_calls(struct followed *f)
{
	bool any = false;

	for (uint32_t i = 0; i < f->node_count; i++) {
		struct node *node = &f->nodes[i];
		const struct node *next = follow_known(f, next_of(node));

		if (node->operation.flow != FLOW_CALL || !node->state.reached || !next ||
		    follow_call_returning(f, node) != RETURNS_MAYBE)
			continue;
		node->no_return = next->wrong || (!next->right && !node->state.outermost);
		any |= node->no_return;
	}
	return any;
}
