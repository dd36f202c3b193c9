/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks as user space keeps them: normalised once, found by the 64-bit id that records carry. */
#ifndef TRACER_STACK_H
#define TRACER_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "../process/tasks.h"
#include "../record/record.h"

/*
 * Owned by struct stacks; immutable; lives as long as that. Equal stacks of different processes are
 * one.
 */
struct stack {
	uint64_t hash;
	enum stack_space space;
	enum stack_end end;
	uint32_t depth;
	struct frame frame[]; /* leaf first */
};

struct stacks;

struct stacks *stacks_new(struct tasks *tasks, struct objects *objects);
void stacks_free(struct stacks *stacks);
/*
 * Takes a RECORD_STACK: normalises it against the maps of its time and remembers its id. 0 or
 * -ENOMEM.
 */
int stacks_add(struct stacks *stacks, const struct record *record);
/* The same for a stack without an id. NULL without memory. */
const struct stack *stacks_intern(struct stacks *stacks, const struct record *record);
/* The stack of an id, NULL when it never came. */
const struct stack *stacks_get(const struct stacks *stacks, uint64_t id);
/* Distinct normalised stacks. */
size_t stacks_count(const struct stacks *stacks);

#endif
