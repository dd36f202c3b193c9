/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walks the copy of a stack, as the BPF side would have done with the tables at hand. */
#ifndef TRACER_STACK_COPY_H
#define TRACER_STACK_COPY_H

#include "../record/record.h"

struct tasks;
struct unwind_library;

/*
 * Against the mappings of the record's time. record: RECORD_STACK_COPY; stack: gets the id, depth and end,
 * and ip points to addresses (room for copy->max_stack). 0; -EAGAIN: a table is not there yet.
 */
int stack_copy_walk(struct unwind_library *library, struct tasks *tasks,
		    const struct record *record, uint64_t *ip, struct record_stack *stack);

#endif
