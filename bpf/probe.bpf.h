/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs on uprobes have in common. */
#ifndef TRACER_PROBE_BPF_H
#define TRACER_PROBE_BPF_H

#include "config.bpf.h"
#include "maps.bpf.h"
#include "walk.bpf.h"
#include <bpf/bpf_core_read.h>

/* Which probe it is: from a cookie, or before 5.15 the address, which user space matches. */
static __always_inline __u64 probe_site(void *ctx, struct scratch *s, __u64 address)
{
	if (config.cookies)
		return (__u32)bpf_get_attach_cookie(ctx);
	s->event.head.flags |= EVENT_SITE_IS_ADDRESS;
	return address;
}

/* Before 5.15: the function that returns is the head of the task's list of pending returns. */
static __always_inline __u64 returning_function(void)
{
	struct task_struct *task;

	if (config.cookies)
		return 0;
	task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, utask, return_instances, func);
}

/* As they will be when the function has returned, at whose ret they are. */
static __always_inline void regs_return(struct user_regs *regs)
{
	__u64 caller = 0;

	if (entry_caller(regs, &caller))
		return;
	regs->ip = caller;
#if defined(__TARGET_ARCH_x86)
	regs->sp += 8;
	regs->general[7] = regs->sp;
#endif
}

/* Which plan the probe has, which is at that address: PLAN_NONE and so on. */
static __always_inline __u32 plan_number_at(void *ctx, __u64 address, bool is_return)
{
	__u32 key = ((__u32)address & (PLAN_PAGE - 1)) + (is_return ? PLAN_PAGE : 0), *number;

	if (!config.has_plans)
		return PLAN_NONE;
	if (config.cookies)
		return (__u32)(bpf_get_attach_cookie(ctx) >> PROBE_COOKIE_PLAN_SHIFT);
	number = bpf_map_lookup_elem(&plan_numbers, &key);
	return number ? *number : PLAN_NONE;
}

/* Not when as many returns are pending in the thread as the kernel allows. */
static __always_inline bool return_will_be_seen(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, utask, depth) < RETURN_DEPTH;
}

#endif
