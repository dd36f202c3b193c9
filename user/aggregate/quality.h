/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the user stacks of delivered events ended, and in which objects those that did not end well. */
#ifndef TRACER_QUALITY_H
#define TRACER_QUALITY_H

#include <stddef.h>
#include <stdint.h>

#include "../stack/stack.h"

/* Walks that ended so in that object. */
struct stack_blame {
	enum stack_end end;
	const struct object *object;
	uint64_t count;
};

/* All counts are of events. */
struct stack_quality {
	uint64_t total; /* events that should have a user stack */
	uint64_t by_end[STACK_END_MAX];
	uint64_t lost;
	struct stack_blame *blames; /* owned */
	size_t blame_count, blame_room;
};

/* Counts a stack. Without memory its object stays unnamed. */
void quality_add(struct stack_quality *quality, const struct stack *stack, uint64_t count);
/* Sorts the blames: by end, the most frequent object first. */
void quality_sort(struct stack_quality *quality);
void quality_free(struct stack_quality *quality);

#endif
