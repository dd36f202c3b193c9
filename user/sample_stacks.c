// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sample_stacks.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "perf_data/own_sample.h"
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

/*
 * Of the kernel's own stacks its unwinder knows the end; of user stacks frame pointers never tell. In our
 * recordings it stands beside them.
 */
static enum stack_end end_of_chain(const struct own_sample *own, enum stack_space space)
{
	enum stack_end said = !own ? 0 : space == STACK_KERNEL ? own->kernel : own->user;

	if (said)
		return said;
	return space == STACK_KERNEL ? STACK_COMPLETE : STACK_FP_ROOT;
}

/* Our recordings have return addresses less one. */
static void restore_returns(const struct own_sample *own, enum stack_space space, uint64_t *ip,
			    uint32_t depth)
{
	bool has_leaf = space == STACK_KERNEL || !rec_kind_is_return(own->kind);

	for (uint32_t i = has_leaf; i < depth; i++)
		ip[i]++;
	for (size_t i = 0; space == STACK_USER && i < own->exact_count; i++) {
		if (own->exact[i] >= has_leaf && own->exact[i] < depth)
			ip[own->exact[i]] = (ip[own->exact[i]] - 1) | STACK_IP_EXACT;
	}
}

/* Where nobody asked for stacks, a probe's caller is still shown. */
static uint32_t depth_wanted(const struct sample_stacks *context, enum stack_space space)
{
	uint32_t most = context->wants_stacks ? context->max_stack : 2;

	return space == STACK_KERNEL && most > TRACER_MAX_KERNEL_STACK ? TRACER_MAX_KERNEL_STACK :
									 most;
}

static bool wants_chain(const struct sample_stacks *context, const struct record_sample *sample)
{
	return (context->wants_stacks || context->own) && sample->chain;
}

static void take_chain(const struct sample_stacks *context, const struct record_sample *sample,
		       enum stack_space space, uint64_t *ip, struct record_stack *raw)
{
	bool is_cut;
	uint32_t depth =
		sample_chain_take(sample, space, ip, depth_wanted(context, space), &is_cut);

	if (context->own)
		restore_returns(context->own, space, ip, depth);
	*raw = (struct record_stack){ .space = space,
				      .end = is_cut ? STACK_DEPTH :
						      end_of_chain(context->own, space),
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
	if (wants_chain(context, sample))
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
	if (wants_chain(context, &record->sample))
		take_chain(context, &record->sample, STACK_KERNEL, ip, &raw);
	else
		take_leaf(&record->sample, STACK_KERNEL, ip, &raw);
	return intern(context, record, &raw, kernel);
}
