// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "follow_calls.h"

#include <string.h>

#include "../object/elf_file.h"

/* Rounds to find out which functions return; those that stay unknown are taken not to. */
#define MAX_ROUNDS 64

/* Code elsewhere may return, which proves nothing. */
static enum returning returning_at(const struct followed *f, uint64_t vaddr)
{
	const struct node *node = follow_known(f, vaddr);

	if (node)
		return node->returning;
	return follow_gap_at(f, vaddr) ? RETURNS_NEVER : RETURNS_MAYBE;
}

enum returning follow_call_returning(const struct followed *f, const struct node *call)
{
	if (call->no_return)
		return RETURNS_NEVER;
	if (!call->operation.target)
		return RETURNS_MAYBE;
	return returning_at(f, call->operation.target);
}

/* Compilers fill up what lies between functions, and behind a call only when it does not return. */
static bool is_padded(const struct followed *f, uint64_t vaddr)
{
	static const uint8_t nop[] = { 0x90, 0xcc, 0x66, 0x0f, 0x2e };
	uint8_t bytes[3] = {};

	if (f->machine != UNWIND_X86_64 || elf_file_read(f->file, vaddr, bytes, 3) != 3)
		return false;
	if (bytes[0] == 0x0f)
		return bytes[1] == 0x1f;
	return memchr(nop, bytes[0], sizeof(nop)) &&
	       (bytes[0] != 0x66 || memchr(nop, bytes[1], sizeof(nop)));
}

bool follow_comes_back(const struct followed *f, const struct node *call)
{
	enum returning returning = follow_call_returning(f, call);

	return returning == RETURNS_SURELY ||
	       (returning == RETURNS_MAYBE && !is_padded(f, next_of(call)));
}

static enum returning table_returning(const struct followed *f, const struct jump_table *table)
{
	enum returning most = RETURNS_NEVER;
	uint64_t target;

	for (uint32_t i = 0; i < table->count && most != RETURNS_SURELY; i++) {
		if (jump_table_target(f->file, table, i, &target) && returning_at(f, target) > most)
			most = returning_at(f, target);
	}
	return most;
}

static enum returning returning_of(const struct followed *f, const struct node *node)
{
	const struct operation *operation = &node->operation;
	enum returning there, next;

	switch (operation->flow) {
	case FLOW_RETURN:
		return RETURNS_SURELY;
	case FLOW_INDIRECT:
		return node->table.count ? table_returning(f, &node->table) : RETURNS_MAYBE;
	case FLOW_JUMP:
		return returning_at(f, operation->target);
	case FLOW_BRANCH:
		there = returning_at(f, operation->target);
		next = returning_at(f, next_of(node));
		return there > next ? there : next;
	case FLOW_CALL:
		there = follow_comes_back(f, node) ? follow_call_returning(f, node) : RETURNS_NEVER;
		next = returning_at(f, next_of(node));
		return there < next ? there : next;
	case FLOW_NEXT:
		return returning_at(f, next_of(node));
	default:
		return RETURNS_NEVER;
	}
}

void follow_find_returns(struct followed *f)
{
	bool changed = true;

	for (unsigned round = 0; changed && round < MAX_ROUNDS; round++) {
		changed = false;
		for (uint32_t i = f->node_count; i-- > 0;) {
			enum returning returning = returning_of(f, &f->nodes[i]);

			if (returning <= f->nodes[i].returning)
				continue;
			f->nodes[i].returning = returning;
			changed = true;
		}
	}
}
