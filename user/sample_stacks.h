/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stacks of a perf sample: from its callchain, or walked from the registers and memory that it carries. */
#ifndef TRACER_SAMPLE_STACKS_H
#define TRACER_SAMPLE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

struct own_sample;
struct record;
struct stack;
struct stacks;
struct unwinding;

struct sample_stacks {
	const struct own_sample *own; /* of a recording of ours, else NULL */
	struct unwinding *unwinding;
	struct stacks *stacks;
	uint32_t max_stack; /* frames */
	bool wants_stacks;  /* else only where execution stood */
	bool user_only, kernel_only;
	bool is_last_round; /* nothing may be put off any more */
};

/*
 * record: RECORD_SAMPLE. *user and *kernel: NULL where there is none. 0; -EAGAIN: a table is not there yet;
 * -ENOMEM.
 */
int sample_stacks_take(const struct sample_stacks *context, const struct record *record,
		       const struct stack **user, const struct stack **kernel);

#endif
