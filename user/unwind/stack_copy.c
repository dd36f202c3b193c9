// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The image of a stack that the BPF side sent as a copy. */
#include "stack_copy.h"

#include "stack_image.h"

int stack_copy_walk(struct unwind_library *library, struct tasks *tasks,
		    const struct record *record, uint64_t *ip, struct record_stack *stack)
{
	const struct record_stack_copy *copy = &record->copy;
	struct stack_image image = {
		.pid = record->pid,
		.time = record->time,
		.ip = copy->ip,
		.sp = copy->sp,
		.fp = copy->fp,
		.link = copy->link,
		.at_entry = copy->at_entry,
		.known = UINT32_MAX,
		.bytes = record_copy_stack(copy),
		.size = copy->size,
		.is_cut = copy->size >= TRACER_COPY_BYTES,
		.holes = copy->holes,
		.trampoline = copy->trampoline,
		.copy = copy,
		.return_count = copy->return_count,
	};
	int err;

	for (unsigned i = 0; i < TRACER_REGISTERS; i++)
		image.general[i] = record_copy_register(copy, i);
	err = stack_image_walk(library, tasks, &image, ip, copy->max_stack, stack);
	if (!err)
		stack->id = copy->id;
	return err;
}
