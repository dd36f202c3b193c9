// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds each frame's rule and makes the step that the BPF side makes. */
#include "walk.h"

#include <errno.h>

#include "table.h"

static int read_memory(const struct unwind_target *target, uint64_t address, uint64_t *value)
{
	return target->read(target->data, address, value);
}

static int read_register(const struct unwind_target *target, unsigned number, uint64_t *value)
{
	return target->general ? target->general(target->data, number, value) : -ENOENT;
}

#define UNWIND_READ(context, address, value) \
	read_memory((const struct unwind_target *)(context), address, (uint64_t *)(value))
#define UNWIND_REGISTER(context, number, value) \
	read_register((const struct unwind_target *)(context), number, (uint64_t *)(value))
#include "../../bpf/unwind_step.h"

/* A guess stands only when the code that it leads to exists. */
static enum unwind_end guess(const struct unwind_target *target, struct unwind_frame *frame)
{
	const struct unwind_rule rule = unwind_guess_rule(target->machine);
	struct unwind_frame next = *frame;
	const struct unwind_table *table;
	uint64_t bias;

	if (!target->guess || !unwind_may_guess(frame) ||
	    unwind_step(target->machine, &rule, &next, (void *)target) != UNWIND_STEPPED ||
	    target->find(target->data, unwind_lookup_ip(&next), &table, &bias) == -EFAULT)
		return UNWIND_NO_TABLE;
	*frame = next;
	return UNWIND_STEPPED;
}

static enum unwind_end step(const struct unwind_target *target, struct unwind_frame *frame,
			    size_t *guesses)
{
	uint64_t ip = unwind_lookup_ip(frame), bias;
	const struct unwind_table *table;
	enum unwind_end end;
	int err = target->find(target->data, ip, &table, &bias);

	if (!err)
		return (enum unwind_end)unwind_step(target->machine,
						    unwind_table_find(table, ip - bias), frame,
						    (void *)target);
	if (err != -ENOENT)
		return UNWIND_NO_CODE;
	end = guess(target, frame);
	if (end == UNWIND_STEPPED)
		++*guesses;
	return end;
}

struct unwind_result unwind_walk(const struct unwind_target *target,
				 const struct unwind_start *start, uint64_t *ip, size_t max)
{
	struct unwind_result result = { .end = UNWIND_STEPPED };
	struct unwind_frame frame = {
		.ip = start->ip,
		.sp = start->sp,
		.fp = start->fp,
		.link = start->link,
		.exact = 1,
	};

	while (result.end == UNWIND_STEPPED) {
		if (result.depth == max) {
			result.end = UNWIND_DEPTH;
			break;
		}
		ip[result.depth++] = frame.ip;
		result.end = step(target, &frame, &result.guesses);
	}
	return result;
}
