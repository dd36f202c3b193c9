// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sample_stacks.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "record/record.h"
#include "stack/sample_chain.h"
#include "stack/stack.h"
#include "unwinding.h"

static bool in_kernel(const struct record_sample *sample)
{
	return (sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* *stack is NULL when raw has no frame. */
static int intern(const struct sample_stacks *context, const struct record *record,
		  const struct record_stack *raw, const struct stack **stack)
{
	struct record copy = { .time = record->time,
			       .kind = RECORD_STACK,
			       .cpu = record->cpu,
			       .pid = record->pid,
			       .tid = record->tid,
			       .stack = *raw };

	*stack = NULL;
	if (!raw->depth)
		return 0;
	*stack = stacks_intern(context->stacks, &copy);
	return *stack ? 0 : -ENOMEM;
}

/* Only where execution stood: nobody asked for more. */
static void take_leaf(const struct record_sample *sample, enum stack_space space, uint64_t *ip,
		      struct record_stack *raw)
{
	bool is_there = sample->ip && in_kernel(sample) == (space == STACK_KERNEL);

	ip[0] = sample->ip;
	*raw = (struct record_stack){
		.space = space, .end = STACK_FRAME0, .depth = is_there, .ip = ip
	};
}

/* Of the kernel's own stacks its unwinder knows the end; of user stacks frame pointers never tell. */
static void take_chain(const struct sample_stacks *context, const struct record_sample *sample,
		       enum stack_space space, uint64_t *ip, struct record_stack *raw)
{
	uint32_t max = space == STACK_KERNEL && context->max_stack > TRACER_MAX_KERNEL_STACK ?
			       TRACER_MAX_KERNEL_STACK :
			       context->max_stack;
	bool is_cut;
	uint32_t depth = sample_chain_take(sample, space, ip, max, &is_cut);

	*raw = (struct record_stack){ .space = space,
				      .end = is_cut		   ? STACK_DEPTH :
					     space == STACK_KERNEL ? STACK_COMPLETE :
								     STACK_FP_ROOT,
				      .depth = depth,
				      .ip = ip };
}

static int take_user(const struct sample_stacks *context, const struct record *record, uint64_t *ip,
		     struct record_stack *raw)
{
	const struct record_sample *sample = &record->sample;
	int err = -ENOENT;

	if (context->wants_stacks && context->unwinding->library && sample->stack_asked)
		err = unwinding_walk_sample(context->unwinding, record, context->is_last_round, ip,
					    context->max_stack, raw);
	if (err != -ENOENT)
		return err;
	if (context->wants_stacks && sample->chain)
		take_chain(context, sample, STACK_USER, ip, raw);
	else
		take_leaf(sample, STACK_USER, ip, raw);
	return 0;
}

int sample_stacks_take(const struct sample_stacks *context, const struct record *record,
		       const struct stack **user, const struct stack **kernel)
{
	uint64_t ip[TRACER_MAX_STACK];
	struct record_stack raw;
	int err = 0;

	*user = *kernel = NULL;
	if (!context->kernel_only) {
		err = take_user(context, record, ip, &raw);
		if (!err)
			err = intern(context, record, &raw, user);
	}
	if (err || context->user_only)
		return err;
	if (context->wants_stacks && record->sample.chain)
		take_chain(context, &record->sample, STACK_KERNEL, ip, &raw);
	else
		take_leaf(&record->sample, STACK_KERNEL, ip, &raw);
	return intern(context, record, &raw, kernel);
}
