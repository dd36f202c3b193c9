// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The user-space twin of the walk, over an image. */
#include "stack_image.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "../process/object.h"
#include "../process/tasks.h"
#include "library.h"
#include "walk.h"

struct image_walk {
	struct unwind_library *library;
	struct tasks *tasks;
	const struct stack_image *image;
	bool is_late;  /* a table is not there yet */
	bool is_short; /* it went beyond an image that was cut */
};

static int find_table(void *data, uint64_t ip, const struct unwind_table **table, uint64_t *bias)
{
	struct image_walk *walk = data;
	struct frame frame;
	uint64_t vaddr;
	int err;

	tasks_resolve(walk->tasks, (pid_t)walk->image->pid, walk->image->time, ip, &frame);
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

/* Is the page of that byte of the image missing? The first may be cut. */
static bool is_hole(const struct stack_image *image, uint64_t at)
{
	uint64_t page = (image->sp % TRACER_COPY_PAGE + at) / TRACER_COPY_PAGE;

	return page < 32 && image->holes & 1u << page;
}

static int read_image(void *data, uint64_t address, uint64_t *value)
{
	struct image_walk *walk = data;
	const struct stack_image *image = walk->image;
	uint64_t at = address - image->sp;

	if (address < image->sp)
		return -EFAULT;
	if (at > image->size || image->size - at < sizeof(*value)) {
		walk->is_short |= image->is_cut;
		return -EFAULT;
	}
	if (is_hole(image, at) || is_hole(image, at + sizeof(*value) - 1))
		return -EFAULT;
	memcpy(value, image->bytes + at, sizeof(*value));
	return 0;
}

static int read_general(void *data, unsigned number, uint64_t *value)
{
	const struct stack_image *image = ((struct image_walk *)data)->image;

	if (number >= TRACER_REGISTERS || !(image->known & 1u << number))
		return -ENOENT;
	*value = image->general[number];
	return 0;
}

static int original_return(void *data, uint64_t slot, uint64_t *ip)
{
	const struct stack_image *image = ((struct image_walk *)data)->image;

	if (*ip != image->trampoline || !image->trampoline)
		return 0;
	for (unsigned i = 0; i < image->return_count; i++) {
		struct replaced_return replaced = record_copy_return(image->copy, i);

		if (replaced.at != slot)
			continue;
		*ip = replaced.address;
		return 0;
	}
	return -ENOENT;
}

static enum stack_end end_of(const struct image_walk *walk, const struct unwind_result *result)
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

int stack_image_walk(struct unwind_library *library, struct tasks *tasks,
		     const struct stack_image *image, uint64_t *ip, uint32_t max,
		     struct record_stack *stack)
{
	struct image_walk walk = { .library = library, .tasks = tasks, .image = image };
	const struct unwind_target target = {
		.machine = unwind_own_machine(),
		.find = find_table,
		.read = read_image,
		.general = read_general,
		.original_return = original_return,
		.data = &walk,
		.guess = 1,
		.address_mask = unwind_own_address_mask(),
		.exact_mark = STACK_IP_EXACT,
	};
	const struct unwind_start start = {
		.ip = image->ip,
		.sp = image->sp,
		.fp = image->fp,
		.link = image->link,
		.at_entry = image->at_entry,
	};
	struct unwind_result result = unwind_walk(&target, &start, ip, max);

	if (walk.is_late)
		return -EAGAIN;
	*stack = (struct record_stack){
		.space = STACK_USER,
		.end = end_of(&walk, &result),
		.depth = (uint32_t)result.depth,
		.ip = ip,
	};
	return 0;
}
