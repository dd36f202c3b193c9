// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Few objects are ever to blame: a list does. */
#include "quality.h"

#include <stdlib.h>
#include <string.h>

#include "../process/object.h"

/* The object whose code, table or frame ended the walk; NULL where that is nobody's fault. */
static const struct object *object_to_blame(const struct stack *stack)
{
	const struct frame *last;

	switch (stack->end) {
	case STACK_NO_TABLE:
	case STACK_GAP:
	case STACK_UNSUPPORTED:
	case STACK_LOST_REGISTER:
	case STACK_FAULT:
	case STACK_STUCK:
	case STACK_ZERO:
	case STACK_NO_CODE:
	case STACK_LATE:
		break;
	default:
		return NULL;
	}
	if (!stack->depth)
		return NULL;
	last = &stack->frame[stack->depth - 1];
	/* an address of nothing was given by the frame before */
	if (last->object->kind == OBJECT_UNKNOWN && stack->depth > 1)
		last--;
	return last->object;
}

static struct stack_blame *find_blame(struct stack_quality *quality, enum stack_end end,
				      const struct object *object)
{
	struct stack_blame *grown;

	for (size_t i = 0; i < quality->blame_count; i++)
		if (quality->blames[i].end == end && quality->blames[i].object == object)
			return &quality->blames[i];
	if (quality->blame_count == quality->blame_room) {
		size_t room = quality->blame_room ? 2 * quality->blame_room : 16;

		grown = reallocarray(quality->blames, room, sizeof(*grown));
		if (!grown)
			return NULL;
		quality->blames = grown;
		quality->blame_room = room;
	}
	quality->blames[quality->blame_count] = (struct stack_blame){ end, object, 0 };
	return &quality->blames[quality->blame_count++];
}

void quality_add(struct stack_quality *quality, const struct stack *stack, uint64_t count)
{
	const struct object *object = object_to_blame(stack);
	struct stack_blame *blame = object ? find_blame(quality, stack->end, object) : NULL;

	quality->by_end[stack->end] += count;
	if (blame)
		blame->count += count;
}

static int compare(const void *left_, const void *right_)
{
	const struct stack_blame *left = left_, *right = right_;

	if (left->end != right->end)
		return left->end < right->end ? -1 : 1;
	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return strcmp(left->object->path, right->object->path);
}

void quality_sort(struct stack_quality *quality)
{
	if (quality->blame_count)
		qsort(quality->blames, quality->blame_count, sizeof(*quality->blames), compare);
}

void quality_free(struct stack_quality *quality)
{
	free(quality->blames);
	memset(quality, 0, sizeof(*quality));
}
