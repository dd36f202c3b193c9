// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two tables: normalised stacks by content, where equal ones of different processes meet, and ids
 * as records carry them. Many ids lead to one stack.
 */
#include "stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "../process/object.h"

struct node {
	UT_hash_handle hh;  /* by the bytes of stack from space to the last frame */
	struct stack stack; /* last: it has a flexible array */
};

struct known_id {
	uint64_t id;
	const struct stack *stack;
	UT_hash_handle hh;
};

struct stacks {
	struct tasks *tasks;
	struct object *kernel;
	struct node *nodes;
	struct known_id *ids;
};

struct stacks *stacks_new(struct tasks *tasks, struct objects *objects)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->tasks = tasks;
	stacks->kernel = objects_special(objects, OBJECT_KERNEL, NULL);
	if (stacks->kernel)
		return stacks;
	free(stacks);
	return NULL;
}

void stacks_free(struct stacks *stacks)
{
	struct known_id *id, *next_id;
	struct node *node, *next_node;

	if (!stacks)
		return;
	HASH_ITER(hh, stacks->ids, id, next_id) {
		HASH_DEL(stacks->ids, id);
		free(id);
	}
	HASH_ITER(hh, stacks->nodes, node, next_node) {
		HASH_DEL(stacks->nodes, node);
		free(node);
	}
	free(stacks);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/* By object ids, not by their addresses: the same in every run that sees the same. */
static uint64_t hash_of(const struct stack *stack)
{
	uint64_t hash = mix(mix(stack->depth, stack->space), stack->end);

	for (uint32_t i = 0; i < stack->depth; i++)
		hash = mix(mix(hash, stack->frame[i].object->id),
			   stack->frame[i].offset ^ stack->frame[i].exact);
	return hash;
}

/* NULL without memory. Zeroed first: the padding is part of the key. */
static struct node *normalise(struct stacks *stacks, const struct record *record)
{
	const struct record_stack *raw = &record->stack;
	struct node *node = calloc(1, sizeof(*node) + raw->depth * sizeof(struct frame));
	struct stack *stack;

	if (!node)
		return NULL;
	stack = &node->stack;
	stack->space = raw->space;
	stack->end = raw->end;
	stack->depth = raw->depth;
	for (uint32_t i = 0; i < raw->depth; i++) {
		struct frame *frame = &stack->frame[i];

		if (raw->space == STACK_KERNEL) {
			frame->object = stacks->kernel;
			frame->offset = raw->ip[i];
			continue;
		}
		tasks_resolve(stacks->tasks, (pid_t)record->pid, record->time,
			      raw->ip[i] & ~STACK_IP_EXACT, frame);
		frame->exact = raw->ip[i] & STACK_IP_EXACT;
	}
	stack->hash = hash_of(stack);
	return node;
}

/* The stack equal to node's; takes node over. NULL without memory. */
static const struct stack *intern(struct stacks *stacks, struct node *node)
{
	size_t start = offsetof(struct stack, space);
	size_t length =
		offsetof(struct stack, frame) - start + node->stack.depth * sizeof(struct frame);
	const void *key = &node->stack.space;
	unsigned int hash = (unsigned int)node->stack.hash;
	struct node *same = NULL;

	HASH_FIND_BYHASHVALUE(hh, stacks->nodes, key, length, hash, same);
	if (same) {
		free(node);
		return &same->stack;
	}
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, stacks->nodes, key, length, hash, node);
	if (node->hh.tbl)
		return &node->stack;
	free(node);
	return NULL;
}

const struct stack *stacks_intern(struct stacks *stacks, const struct record *record)
{
	struct node *node = normalise(stacks, record);

	return node ? intern(stacks, node) : NULL;
}

int stacks_add(struct stacks *stacks, const struct record *record)
{
	const struct stack *stack = stacks_intern(stacks, record);
	struct known_id *known = NULL;
	uint64_t id = record->stack.id;

	if (!stack)
		return -ENOMEM;
	HASH_FIND(hh, stacks->ids, &id, sizeof(id), known);
	/* An id that comes again is a stack that the BPF side forgot; what it means now counts. */
	if (known) {
		known->stack = stack;
		return 0;
	}
	known = calloc(1, sizeof(*known));
	if (!known)
		return -ENOMEM;
	known->id = id;
	known->stack = stack;
	HASH_ADD(hh, stacks->ids, id, sizeof(known->id), known);
	if (known->hh.tbl)
		return 0;
	free(known);
	return -ENOMEM;
}

const struct stack *stacks_get(const struct stacks *stacks, uint64_t id)
{
	struct known_id *known = NULL;

	HASH_FIND(hh, stacks->ids, &id, sizeof(id), known);
	return known ? known->stack : NULL;
}

size_t stacks_count(const struct stacks *stacks)
{
	return HASH_COUNT(stacks->nodes);
}
