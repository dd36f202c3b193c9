// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --breakpoint: a hardware breakpoint or watchpoint was hit. */
#include "filter.bpf.h"
#include "capture.bpf.h"
#include "stack.bpf.h"

/* Reads a watched variable. Only 1, 2, 4 and 8 bytes exist; little-endian, so the rest stays 0. */
static __always_inline long read_variable(__u64 *value, __u32 length, __u64 address)
{
	void *from = (void *)address;

	*value = 0;
	if (address >= USER_ADDRESS_END) {
		switch (length) {
		case 1:
			return bpf_probe_read_kernel(value, 1, from);
		case 2:
			return bpf_probe_read_kernel(value, 2, from);
		case 4:
			return bpf_probe_read_kernel(value, 4, from);
		}
		return bpf_probe_read_kernel(value, 8, from);
	}
	switch (length) {
	case 1:
		return bpf_probe_read_user(value, 1, from);
	case 2:
		return bpf_probe_read_user(value, 2, from);
	case 4:
		return bpf_probe_read_user(value, 4, from);
	}
	return bpf_probe_read_user(value, 8, from);
}

#if defined(__TARGET_ARCH_arm64)

/* The access is made in user mode, so all its registers are where the kernel saves the task's. */
#define ACCESS_REGISTER(context, number, value) \
	bpf_probe_read_kernel(value, sizeof(*(value)), (const __u64 *)(context) + (number))
#include "access.h"

/*
 * The CPU traps before the access: the value read here is the old one, the new one is found out by what
 * the instruction does. Another thread may store in between.
 */
static __always_inline void record_values(struct scratch *s, __u64 address,
					  const struct watch *watch, __u64 ip)
{
	struct access_variable variable = { .address = address, .length = watch->length };
	__u32 instruction;
	void *saved;

	if (read_variable(&variable.value, watch->length, address))
		return;
	s->breakpoint.old_value = variable.value;
	s->event.head.flags |= EVENT_OLD_KNOWN;
	if (!have_task_pt_regs() ||
	    bpf_probe_read_user(&instruction, sizeof(instruction), (void *)ip))
		return;
	saved = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	if (access_made(saved, &variable, instruction))
		return;
	s->breakpoint.new_value = variable.value;
	s->event.head.flags |= EVENT_NEW_KNOWN;
}

#else

/*
 * The CPU traps after the access: the value read here is the new one, the old one is what the last hit
 * (or the attach, or fork) left. Between two threads that store at the same instant either may be seen.
 */
static __always_inline void record_values(struct scratch *s, __u64 address,
					  const struct watch *watch, __u64 ip)
{
	struct watch_key key = { .addr = address };
	__u64 *last;

	/* kernel memory is one for all processes */
	key.tgid = address < USER_ADDRESS_END ? s->event.tgid : 0;
	last = bpf_map_lookup_elem(&watched_values, &key);
	if (last) {
		s->breakpoint.old_value = *last;
		s->event.head.flags |= EVENT_OLD_KNOWN;
	}
	if (read_variable(&s->breakpoint.new_value, watch->length, address))
		return;
	s->event.head.flags |= EVENT_NEW_KNOWN;
	if (last)
		*last = s->breakpoint.new_value;
	else
		bpf_map_update_elem(&watched_values, &key, &s->breakpoint.new_value, BPF_ANY);
}

#endif

static __always_inline int breakpoint_hit(struct bpf_perf_event_data *ctx, bool at_entry)
{
	const arch_regs *regs = (const arch_regs *)&ctx->regs;
	__u64 address = ctx->addr;
	struct watch *watch;
	struct scratch *s;

	watch = bpf_map_lookup_elem(&watches, &address);
	if (!watch)
		return 0;
	s = event_begin_current(REC_BREAKPOINT);
	if (!s)
		return 0;
	s->breakpoint.site = watch->index;
	s->breakpoint.ip = regs_ip(regs);
	s->breakpoint.old_value = 0;
	s->breakpoint.new_value = 0;
	if (watch->reads_value)
		record_values(s, address, watch, s->breakpoint.ip);
	s->at_entry = at_entry;
	if (!event_passes(s, plan_of(watch->plan)))
		return 0;
	event_stacks(ctx, s, regs, at_entry);
	if (config.aggregate)
		s->event.head.flags &= ~(EVENT_OLD_KNOWN | EVENT_NEW_KNOWN);
	event_end(ctx, &counts_breakpoint, s, sizeof(s->breakpoint), watch->index, current_cgroup(),
		  0);
	return 0;
}

SEC("?perf_event")
int on_breakpoint(struct bpf_perf_event_data *ctx)
{
	return breakpoint_hit(ctx, false);
}

/* Execution of a function's first instruction */
SEC("?perf_event")
int on_breakpoint_entry(struct bpf_perf_event_data *ctx)
{
	return breakpoint_hit(ctx, true);
}
