// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --breakpoint: a hardware breakpoint or watchpoint was hit. */
#include "filter.bpf.h"
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

/*
 * The CPU traps after the access: the value read here is the new one, the old one is what the last hit
 * (or the attach, or fork) left. Between two threads that store at the same instant either may be seen.
 */
static __always_inline void record_values(struct scratch *s, __u64 address,
					  const struct watch *watch)
{
	struct watch_key key = { .addr = address };
	__u64 *last;

	s->breakpoint.old_value = 0;
	s->breakpoint.new_value = 0;
	if (!watch->reads_value)
		return;
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
	record_values(s, address, watch);
	event_stacks(ctx, s, regs, at_entry);
	if (config.aggregate)
		s->event.head.flags &= ~(EVENT_OLD_KNOWN | EVENT_NEW_KNOWN);
	event_end(ctx, &counts_breakpoint, s, sizeof(s->breakpoint), watch->index, current_cgroup(),
		  0);
	return 0;
}

SEC("perf_event")
int on_breakpoint(struct bpf_perf_event_data *ctx)
{
	return breakpoint_hit(ctx, false);
}

/* Execution of a function's first instruction */
SEC("perf_event")
int on_breakpoint_entry(struct bpf_perf_event_data *ctx)
{
	return breakpoint_hit(ctx, true);
}
