// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "follow_stack.h"

#include "../object/elf_file.h"
#include "follow_calls.h"
#include "follow_nodes.h"

/*
 * Where nothing is known any more (lost), only what has been reached with something known needs to hear
 * of it: there, too, nothing is known then.
 */
static int arrive(struct followed *f, uint64_t vaddr, const struct follow_state *state, bool lost)
{
	uint32_t number;
	int found = follow_node(f, vaddr, &number);

	if (found <= 0 || (lost && !f->nodes[number].state.reached) ||
	    !follow_merge(&f->nodes[number].state, state))
		return found < 0 ? found : 0;
	return follow_enqueue(f, number);
}

bool follow_ends_function(const struct followed *f, const struct node *node)
{
	const struct node *next = follow_known(f, next_of(node));

	return node->operation.flow == FLOW_CALL && next && next->function;
}

static int run(struct followed *f)
{
	int err = 0;

	while (f->queue_count && !err) {
		struct node *node = &f->nodes[follow_dequeue(f)];
		struct operation operation = node->operation;
		struct follow_state state = node->state;
		struct jump_table table = node->table;
		uint64_t next = next_of(node);
		bool back = falls_through(&operation) && !follow_ends_function(f, node);
		bool lost;

		if (operation.flow == FLOW_CALL)
			back = back && follow_comes_back(f, node);
		lost = !follow_step(f->machine, &operation, &state);
		if (back)
			err = arrive(f, next, &state, lost);
		if (!err && jumps(&operation))
			err = arrive(f, operation.target, &state, lost);
		for (uint32_t i = 0; i < table.count && !err; i++) {
			if (jump_table_target(f->file, &table, i, &next))
				err = arrive(f, next, &state, lost);
		}
	}
	return err;
}

void follow_find_start(struct followed *f)
{
	uint64_t vaddr = elf_file_entry(f->file);
	const struct node *node = follow_known(f, vaddr);
	struct node *target;

	for (unsigned i = 0; i < 16 && node && node->operation.flow == FLOW_NEXT; i++)
		node = follow_known(f, next_of(node));
	if (!node || node->operation.flow != FLOW_JUMP)
		return;
	target = follow_known(f, node->operation.target);
	if (target && !target->called)
		target->function = false;
}

int follow_stack(struct followed *f)
{
	struct follow_state outermost = follow_entry(f->machine, true);
	struct follow_state called = follow_entry(f->machine, false);
	uint64_t start = elf_file_entry(f->file);
	int err = 0;

	for (uint32_t i = 0; i < f->node_count && !err; i++) {
		bool first = f->nodes[i].vaddr == start;

		if (first || f->nodes[i].function)
			err = arrive(f, f->nodes[i].vaddr, first ? &outermost : &called, false);
	}
	return err ? err : run(f);
}
