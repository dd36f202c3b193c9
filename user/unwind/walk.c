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

static uint64_t address_mask(const struct unwind_target *target)
{
	return target->address_mask ? target->address_mask : UINT64_MAX;
}

#define UNWIND_READ(context, address, value) \
	read_memory((const struct unwind_target *)(context), address, (uint64_t *)(value))
#define UNWIND_REGISTER(context, number, value) \
	read_register((const struct unwind_target *)(context), number, (uint64_t *)(value))
#define UNWIND_ADDRESS_MASK(context) address_mask((const struct unwind_target *)(context))
#include "../../bpf/unwind_step.h"

/* A guess stands only when the code that it leads to exists; `end` is what there is without one. */
static enum unwind_end guess(const struct unwind_target *target, struct unwind_frame *frame,
			     enum unwind_end end, size_t *guesses)
{
	const struct unwind_rule rule = unwind_guess_rule(target->machine);
	struct unwind_frame next = *frame;
	const struct unwind_table *table;
	uint64_t bias;

	if (!target->guess || !unwind_may_guess(frame) ||
	    unwind_step(target->machine, &rule, &next, (void *)target) != UNWIND_STEPPED ||
	    target->find(target->data, unwind_lookup_ip(&next), &table, &bias) == -EFAULT)
		return end;
	*frame = next;
	++*guesses;
	return UNWIND_STEPPED;
}

/* A function at whose first instruction execution stands has its return address where the call put it. */
static enum unwind_end step_from_entry(const struct unwind_target *target,
				       struct unwind_frame *frame)
{
	uint64_t ip = frame->link;

	if (target->machine == UNWIND_X86_64) {
		if (read_memory(target, frame->sp, &ip))
			return UNWIND_FAULT;
		frame->sp += sizeof(ip);
	}
	frame->ip = ip & address_mask(target);
	frame->link = 0;
	frame->exact = 0;
	return frame->ip ? UNWIND_STEPPED : UNWIND_ZERO;
}

static enum unwind_end step(const struct unwind_target *target, struct unwind_frame *frame,
			    int at_entry, size_t *guesses)
{
	uint64_t ip = unwind_lookup_ip(frame), bias;
	const struct unwind_table *table;
	const struct unwind_rule *rule;
	int err = target->find(target->data, ip, &table, &bias);

	if (!err) {
		rule = unwind_table_find(table, ip - bias);
		if (rule->cfa != UNWIND_RULE_GAP)
			return (enum unwind_end)unwind_step(target->machine, rule, frame,
							    (void *)target);
	}
	if (at_entry)
		return step_from_entry(target, frame);
	if (err && err != -ENOENT)
		return UNWIND_NO_CODE;
	return guess(target, frame, err ? UNWIND_NO_TABLE : UNWIND_GAP, guesses);
}

/* Undoes what a return probe has done to the return address that was just found. */
static enum unwind_end restore_return(const struct unwind_target *target,
				      struct unwind_frame *frame)
{
	uint64_t slot = target->machine == UNWIND_X86_64 ? frame->sp - 8 : frame->sp;
	uint64_t ip = frame->ip;

	if (!target->original_return || frame->exact)
		return UNWIND_STEPPED;
	if (target->original_return(target->data, slot, &ip))
		return UNWIND_NO_CODE;
	frame->ip = ip;
	return UNWIND_STEPPED;
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
	int at_entry = start->at_entry;

	while (result.end == UNWIND_STEPPED) {
		if (result.depth == max) {
			result.end = UNWIND_DEPTH;
			break;
		}
		ip[result.depth] = frame.ip;
		if (result.depth++ && frame.exact)
			ip[result.depth - 1] |= target->exact_mark;
		result.end = step(target, &frame, at_entry, &result.guesses);
		at_entry = 0;
		if (result.end == UNWIND_STEPPED)
			result.end = restore_return(target, &frame);
	}
	return result;
}
