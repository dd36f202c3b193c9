/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers and stack memory of a moment, walked later: against the mappings of that moment, with the tables of
 * the files that were mapped.
 */
#ifndef TRACER_STACK_IMAGE_H
#define TRACER_STACK_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../record/record.h"

struct tasks;
struct unwind_library;

struct stack_image {
	uint32_t pid;
	uint64_t time;		   /* ns */
	uint64_t ip, sp, fp, link; /* of frame 0 */
	bool at_entry;		   /* ip is a function's first instruction */
	/* General registers by DWARF's number; known: a bit each. */
	uint64_t general[TRACER_REGISTERS];
	uint32_t known;
	const uint8_t *bytes; /* of the stack, from sp on; at any alignment */
	uint64_t size;
	bool is_cut;	     /* there may be more of it than the image has */
	uint32_t holes;	     /* pages of it, from sp's on, that are missing: a bit each */
	uint64_t trampoline; /* where probed returns lead to; 0: no such are known */
	const struct record_stack_copy
		*copy; /* which has the returns that probes have replaced; or NULL */
	uint32_t return_count;
};

/*
 * Writes at most max addresses to ip, frame 0's first, as struct record_stack has them. 0; -EAGAIN: a table is not
 * there yet.
 */
int stack_image_walk(struct unwind_library *library, struct tasks *tasks,
		     const struct stack_image *image, uint64_t *ip, uint32_t max,
		     struct record_stack *stack);

#endif
