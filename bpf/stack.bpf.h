/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks for events: walk, ask whether user space has it, send it once; the event carries the id. */
#ifndef TRACER_STACK_BPF_H
#define TRACER_STACK_BPF_H

#include "copy.bpf.h"
#include "emit.bpf.h"
#include "regs.bpf.h"
#include "seen.bpf.h"
#include "walk.bpf.h"

/* stack.bpf.c; all work on the scratch slot of that number and return 0 */
extern int stack_hash_kernel(__u32 slot);
extern int stack_trim_to_schedule(__u32 slot);

/*
 * Sends the stack in the scratch slot unless user space has it. Its id; 0 and the flag when it could
 * not be sent: no event may carry an id that user space cannot know.
 */
static __always_inline __u64 stack_send(void *ctx, struct scratch *s, __u16 lost_flag)
{
	__u32 depth = s->stack.head.depth;
	__u64 id = s->stack.head.id;
	__u32 size;

	if (stack_is_seen(id))
		return id;
	if (depth > TRACER_MAX_STACK)
		depth = TRACER_MAX_STACK;
	size = sizeof(s->stack.head) + depth * sizeof(__u64);
	s->stack.head.head.time = s->event.head.time;
	s->stack.head.head.kind = REC_STACK;
	s->stack.head.head.size = (__u16)size;
	s->stack.head.head.cpu = s->event.head.cpu;
	s->stack.head.head.flags = 0;
	/* the verifier must see the bound on the very register that is passed */
	asm volatile("" : "+r"(size));
	if (size > sizeof(s->stack))
		size = sizeof(s->stack);
	if (emit(ctx, &s->stack, size)) {
		stat_add(STAT_STACK_LOST, 1);
		s->event.head.flags |= lost_flag;
		return 0;
	}
	stack_mark_seen(id);
	stat_add(STAT_STACK_SENT, 1);
	return id;
}

/* A stack that cannot be walked, with why: one frame if the instruction is known, else none. */
static __always_inline void stack_unwalked(struct scratch *s, __u32 end)
{
	s->stack.ip[0] = end == STACK_32BIT ? s->regs.ip : 0;
	s->stack.head.depth = end == STACK_32BIT;
	s->stack.head.tgid = s->event.tgid;
	s->stack.head.space = STACK_USER;
	s->stack.head.end = (__u8)end;
	/* an id of its own by process, reason and instruction */
	s->stack.head.id = (((__u64)s->event.tgid << 32 | end) * 0x9e3779b97f4a7c15ull) ^
			   s->stack.ip[0];
}

/* The user stack of the current task, from s->regs, which were found with this result. */
static __always_inline void event_user_stack(void *ctx, struct scratch *s, int regs_result,
					     bool at_entry)
{
	if (!config.user_stacks || regs_result == REGS_NO_STACK)
		return;
	s->at_entry = at_entry;
	if (regs_result != REGS_OK)
		stack_unwalked(s, regs_result == REGS_32BIT ? STACK_32BIT : STACK_NO_REGS);
	else if (config.call_graph == CALL_GRAPH_AUTO)
		stack_walk_tables(s->slot);
	else
		stack_walk_frame_pointers(s->slot);
	stat_add(STAT_USER_STACKS, 1);
	if (s->stack.head.end == STACK_COMPLETE)
		stat_add(STAT_USER_STACKS_COMPLETE, 1);
	/* asked for what is known before loading: the verifier does not go through copying where nothing walks */
	if (config.call_graph == CALL_GRAPH_AUTO && s->stack.head.end == STACK_LATE) {
		s->event.user_stack = stack_copy_send(ctx, s);
		if (s->event.user_stack)
			return;
	}
	s->event.user_stack = stack_send(ctx, s, EVENT_USER_STACK_LOST);
}

/* The kernel stack of the current task as the context has it. */
static __always_inline void event_kernel_stack(void *ctx, struct scratch *s, bool at_switch)
{
	long bytes;

	if (!config.kernel_stacks)
		return;
	bytes = bpf_get_stack(ctx, s->stack.ip, TRACER_MAX_KERNEL_STACK * sizeof(__u64), 0);
	if (bytes <= 0)
		return;
	s->stack.head.depth = (__u16)(bytes / sizeof(__u64));
	s->stack.head.tgid = 0;
	s->stack.head.space = STACK_KERNEL;
	/* the kernel stops at its own bound without a word */
	s->stack.head.end = s->stack.head.depth == TRACER_MAX_KERNEL_STACK ? STACK_DEPTH :
									     STACK_COMPLETE;
	if (at_switch && config.schedule_begin)
		stack_trim_to_schedule(s->slot);
	stack_hash_kernel(s->slot);
	s->event.kernel_stack = stack_send(ctx, s, EVENT_KERNEL_STACK_LOST);
}

/*
 * Both stacks of an event whose context may be in user or in kernel mode. regs: the context's own,
 * first in every kind of context we use.
 */
static __always_inline void event_stacks(void *ctx, struct scratch *s, const arch_regs *regs,
					 bool at_entry)
{
	if (regs_are_user(regs)) {
		event_user_stack(ctx, s, regs_take(&s->regs, regs), at_entry);
		return;
	}
	s->event.head.flags |= EVENT_KERNEL_MODE;
	event_kernel_stack(ctx, s, false);
	event_user_stack(ctx, s, regs_of_current(s), false);
}

#endif
