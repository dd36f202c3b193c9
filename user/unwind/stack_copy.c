// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The user-space twin of the walk, over a copy. */
#include "stack_copy.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "../process/object.h"
#include "../process/tasks.h"
#include "library.h"
#include "walk.h"

struct copy_walk {
	struct unwind_library *library;
	struct tasks *tasks;
	const struct record *record;
	bool is_late;  /* a table is not there yet */
	bool is_short; /* it went beyond what was copied */
};

static int find_table(void *data, uint64_t ip, const struct unwind_table **table, uint64_t *bias)
{
	struct copy_walk *walk = data;
	const struct record *record = walk->record;
	struct frame frame;
	uint64_t vaddr;
	int err;

	tasks_resolve(walk->tasks, (pid_t)record->pid, record->time, ip, &frame);
	if (frame.object->kind == OBJECT_UNKNOWN)
		return -EFAULT;
	if (frame.object->kind != OBJECT_FILE && frame.object->kind != OBJECT_VDSO)
		return -ENOENT;
	err = unwind_library_find(walk->library, frame.object, frame.offset, table, &vaddr);
	if (err == -EAGAIN)
		walk->is_late = true;
	if (err)
		return -ENOENT;
	*bias = ip - vaddr;
	return 0;
}

/* Is the page of that byte of the copy missing? The first may be cut. */
static bool is_hole(const struct record_stack_copy *copy, uint64_t at)
{
	uint64_t page = (copy->sp % TRACER_COPY_PAGE + at) / TRACER_COPY_PAGE;

	return page < 32 && copy->holes & 1u << page;
}

static int read_copy(void *data, uint64_t address, uint64_t *value)
{
	struct copy_walk *walk = data;
	const struct record_stack_copy *copy = &walk->record->copy;
	uint64_t at = address - copy->sp;

	if (address < copy->sp)
		return -EFAULT;
	if (at > copy->size || copy->size - at < sizeof(*value)) {
		/* a copy that is as long as one can be may have been cut */
		walk->is_short |= copy->size >= TRACER_COPY_BYTES;
		return -EFAULT;
	}
	if (is_hole(copy, at) || is_hole(copy, at + sizeof(*value) - 1))
		return -EFAULT;
	memcpy(value, record_copy_stack(copy) + at, sizeof(*value));
	return 0;
}

static int read_general(void *data, unsigned number, uint64_t *value)
{
	const struct copy_walk *walk = data;

	if (number >= TRACER_REGISTERS)
		return -ENOENT;
	*value = record_copy_register(&walk->record->copy, number);
	return 0;
}

static int original_return(void *data, uint64_t slot, uint64_t *ip)
{
	const struct record_stack_copy *copy = &((struct copy_walk *)data)->record->copy;

	if (*ip != copy->trampoline || !copy->trampoline)
		return 0;
	for (unsigned i = 0; i < copy->return_count; i++) {
		struct replaced_return replaced = record_copy_return(copy, i);

		if (replaced.at != slot)
			continue;
		*ip = replaced.address;
		return 0;
	}
	return -ENOENT;
}

static enum stack_end end_of(const struct copy_walk *walk, const struct unwind_result *result)
{
	static const enum stack_end ends[UNWIND_END_MAX] = {
		[UNWIND_STEPPED] = STACK_DEPTH,
		[UNWIND_OUTERMOST] = STACK_COMPLETE,
		[UNWIND_NO_TABLE] = STACK_NO_TABLE,
		[UNWIND_NO_CODE] = STACK_NO_CODE,
		[UNWIND_GAP] = STACK_GAP,
		[UNWIND_UNSUPPORTED] = STACK_UNSUPPORTED,
		[UNWIND_LOST_REGISTER] = STACK_LOST_REGISTER,
		[UNWIND_FAULT] = STACK_FAULT,
		[UNWIND_STUCK] = STACK_STUCK,
		[UNWIND_ZERO] = STACK_ZERO,
		[UNWIND_DEPTH] = STACK_DEPTH,
		[UNWIND_LATE] = STACK_LATE,
	};

	if (result->end == UNWIND_FAULT && walk->is_short)
		return STACK_COPY_SHORT;
	if (result->end == UNWIND_OUTERMOST && result->guesses)
		return STACK_GUESS;
	return ends[result->end];
}

int stack_copy_walk(struct unwind_library *library, struct tasks *tasks,
		    const struct record *record, uint64_t *ip, struct record_stack *stack)
{
	const struct record_stack_copy *copy = &record->copy;
	struct copy_walk walk = { .library = library, .tasks = tasks, .record = record };
	const struct unwind_target target = {
		.machine = unwind_own_machine(),
		.find = find_table,
		.read = read_copy,
		.general = read_general,
		.original_return = original_return,
		.data = &walk,
		.guess = 1,
		.exact_mark = STACK_IP_EXACT,
	};
	const struct unwind_start start = {
		.ip = copy->ip,
		.sp = copy->sp,
		.fp = copy->fp,
		.link = copy->link,
		.at_entry = copy->at_entry,
	};
	struct unwind_result result = unwind_walk(&target, &start, ip, copy->max_stack);

	if (walk.is_late)
		return -EAGAIN;
	*stack = (struct record_stack){
		.id = copy->id,
		.space = STACK_USER,
		.end = end_of(&walk, &result),
		.depth = (uint32_t)result.depth,
		.ip = ip,
	};
	return 0;
}
