// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Three passes over the gaps: decode all that can be reached, find out which calls come back, and
 * follow the stack. A function is what is called, or has a symbol; it is always entered in the same
 * state, and must leave the stack as it found it: if it does not, something was not understood (most
 * often a call into another file that never returns), and nothing on the way there is believed.
 */
#include "follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "follow_calls.h"
#include "follow_functions.h"
#include "follow_judge.h"
#include "follow_nodes.h"
#include "follow_stack.h"

/* Rounds to find out which calls elsewhere do. */
#define MAX_DOUBTS 16

static void begin_anew(struct followed *f)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		f->nodes[i].returning = RETURNS_NEVER;
		f->nodes[i].state = (struct follow_state){};
		f->nodes[i].wrong = false;
		f->nodes[i].right = false;
	}
}

static int add_rules(struct followed *f, struct entries *entries)
{
	int err = 0;

	for (size_t i = 0; i < f->gap_count && !err; i++) {
		const struct gap *gap = &f->gaps[i];
		struct fde_entry *last = NULL;

		for (uint64_t vaddr = gap->start; vaddr < gap->end && !err; vaddr++) {
			const struct node *node = follow_known(f, vaddr);
			struct unwind_rule rule = {};

			if (!node)
				continue;
			if (last && last->end > vaddr)
				last->end = vaddr;
			if (node->state.reached && !node->wrong)
				rule = follow_rule(f->machine, &node->state);
			if (rule.cfa == UNWIND_RULE_GAP)
				continue;
			if (last && last->end == vaddr &&
			    !memcmp(&last->rule, &rule, sizeof(rule))) {
				last->end = next_of(node);
				continue;
			}
			err = entries_add_known(entries, vaddr, next_of(node), &rule);
			last = err ? NULL : &entries->fdes[entries->fde_count - 1];
		}
	}
	return err;
}

static int follow(struct followed *f, struct entries *entries)
{
	int err;

	f->node_at = calloc(f->byte_count, sizeof(*f->node_at));
	if (!f->node_at)
		return -ENOMEM;
	err = follow_index_gaps(f);
	if (!err)
		err = follow_find_functions(f, entries);
	if (err)
		return err;
	follow_find_start(f);
	for (unsigned round = 0; round < MAX_DOUBTS && !err; round++) {
		begin_anew(f);
		follow_find_returns(f);
		err = follow_stack(f);
		follow_judge(f);
		if (!follow_doubt_calls(f))
			break;
		f->tangled |= round + 1 == MAX_DOUBTS;
	}
	return err || f->tangled ? err : add_rules(f, entries);
}

int follow_gaps(struct elf_file *file, enum unwind_machine machine, const struct code_range *code,
		size_t code_count, struct entries *entries)
{
	struct followed f = { .file = file, .machine = machine };
	int err = decoder_open(&f.decoder, machine);

	if (err)
		return err == -ENOTSUP ? 0 : err;
	for (size_t i = 0; i < code_count && !err; i++)
		err = follow_add_gaps(&f, &code[i], entries);
	if (!err && f.byte_count)
		err = follow(&f, entries);
	decoder_close(&f.decoder);
	free(f.gaps);
	free(f.index.first);
	free(f.node_at);
	free(f.nodes);
	free(f.queue);
	return err;
}
