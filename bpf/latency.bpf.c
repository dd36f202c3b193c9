// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --latency: from a call's entry to its return. A thread's pending calls are a stack, ordered by where the stack
 * pointer will be when they have returned. What is deeper than a new entry, or than what returns, was left
 * without returning: it is taken off and counted.
 */
#include "capture.bpf.h"
#include "filter.bpf.h"
#include "probe.bpf.h"
#include "stack.bpf.h"
#include <bpf/bpf_tracing.h>

/* The stack pointer when the function that is being entered has returned. */
static __always_inline __u64 sp_after_return(const arch_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs_sp(regs) + 8;
#else
	return regs_sp(regs);
#endif
}

/* Entered by a jump from a function whose return is probed, too: then both return at once. */
static __always_inline bool is_tail_call(const arch_regs *regs)
{
	__u64 trampoline = return_trampoline(), caller = 0;
	struct user_regs user;

	if (!trampoline)
		return false;
	user.sp = regs_sp(regs);
#if defined(__TARGET_ARCH_arm64)
	user.lr = regs->regs[30];
#endif
	return !entry_caller(&user, &caller) && caller == trampoline;
}

static __always_inline struct latency_value *latency_of(struct latency_key *key)
{
	struct latency_value *value = bpf_map_lookup_elem(&latencies, key), *none;
	__u32 zero = 0;

	if (value)
		return value;
	none = bpf_map_lookup_elem(&no_latency, &zero);
	if (!none)
		return NULL;
	/* -EEXIST: another CPU was first, which is as good */
	bpf_map_update_elem(&latencies, key, none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&latencies, key);
}

static __always_inline void count_unreturned(__u64 site, __u32 tgid)
{
	struct latency_key key = { .site = site, .tgid = tgid };
	struct latency_value *value;

	key.flags = config.cookies ? 0 : EVENT_SITE_IS_ADDRESS;
	value = latency_of(&key);
	if (value)
		__sync_fetch_and_add(&value->unreturned, 1);
}

/* Takes off the calls whose frames are gone when the stack pointer is sp; that at sp itself stays, or not. */
static __always_inline void drop_dead(struct pending_calls *calls, __u64 sp, bool keep_equal)
{
	for (int i = 0; i < RETURN_DEPTH; i++) {
		__u32 top = calls->depth - 1;

		if (top >= RETURN_DEPTH || calls->at[top].sp > sp ||
		    (keep_equal && calls->at[top].sp == sp))
			return;
		count_unreturned(calls->at[top].site, calls->tgid);
		calls->depth = top;
	}
}

static __always_inline struct pending_calls *calls_of(__u64 pid_tgid)
{
	__u32 tid = (__u32)pid_tgid, zero = 0;
	struct pending_calls *calls = bpf_map_lookup_elem(&pending_calls, &tid);

	if (calls)
		return calls;
	calls = bpf_map_lookup_elem(&no_calls, &zero);
	if (!calls)
		return NULL;
	bpf_map_update_elem(&pending_calls, &tid, calls, BPF_NOEXIST);
	calls = bpf_map_lookup_elem(&pending_calls, &tid);
	if (calls)
		calls->tgid = (__u32)(pid_tgid >> 32);
	return calls;
}

static __always_inline int lose_call(enum tracer_stat why)
{
	stat_add(STAT_SEEN, 1);
	stat_add(why, 1);
	return 0;
}

SEC("?uprobe")
int on_latency_entry(struct pt_regs *ctx)
{
	const arch_regs *regs = (const arch_regs *)ctx;
	__u64 pid_tgid = bpf_get_current_pid_tgid(), sp;
	struct pending_calls *calls;
	__u32 depth;

	if (!current_wanted(pid_tgid))
		return 0;
	if (!return_will_be_seen())
		return lose_call(STAT_LOST_RETURN_DEPTH);
	calls = calls_of(pid_tgid);
	if (!calls)
		return lose_call(STAT_CALLS_LOST);
	sp = sp_after_return(regs);
	drop_dead(calls, sp, is_tail_call(regs));
	depth = calls->depth;
	if (depth >= RETURN_DEPTH)
		return lose_call(STAT_LOST_RETURN_DEPTH);
	calls->at[depth].sp = sp;
	calls->at[depth].site = config.cookies ? (__u32)bpf_get_attach_cookie(ctx) : regs_ip(regs);
	calls->depth = depth + 1;
	calls->at[depth].since = bpf_ktime_get_ns();
	return 0;
}

/*
 * When the call that returns was entered; 0 when that was not seen. Without cookies the site is what was entered:
 * where several return at once, those kernels show the first of them each time.
 */
static __always_inline __u64 take_call(struct pending_calls *calls, __u64 sp, __u64 *site)
{
	__u32 top;

	/* those below it on the stack; it may itself be one of several that return at once */
	drop_dead(calls, sp - 1, true);
	top = calls->depth - 1;
	if (top >= RETURN_DEPTH || calls->at[top].sp != sp)
		return 0;
	if (!config.cookies)
		*site = calls->at[top].site;
	if (calls->at[top].site != *site)
		return 0;
	calls->depth = top;
	return calls->at[top].since;
}

/* Only who has the scratch slot writes there, so that no longer call is forgotten. */
static __always_inline bool note_longest(const struct scratch *s, __u64 ns)
{
	struct latency_max *max = bpf_map_lookup_elem(&latency_maxima, &s->latency_key);
	__u64 writer = s->slot;

	if (!max) {
		bpf_map_update_elem(&latency_maxima, &s->latency_key, &s->no_max, BPF_NOEXIST);
		max = bpf_map_lookup_elem(&latency_maxima, &s->latency_key);
	}
	/* older verifiers must see the bounds on the very registers that are used */
	asm volatile("" : "+r"(writer));
	if (!max || writer >= LATENCY_WRITERS)
		return false;
	if (ns > max->ns[writer])
		max->ns[writer] = ns;
	return true;
}

static __always_inline bool count_latency(struct scratch *s, __u64 site, __u64 ns)
{
	struct latency_value *value;
	__u64 slot = latency_slot(ns);

	s->latency_key.site = site;
	s->latency_key.tgid = s->event.tgid;
	s->latency_key.flags = config.cookies ? 0 : EVENT_SITE_IS_ADDRESS;
	value = latency_of(&s->latency_key);
	asm volatile("" : "+r"(slot));
	if (!value || slot >= LATENCY_SLOTS || !note_longest(s, ns))
		return false;
	__sync_fetch_and_add(&value->count, 1);
	__sync_fetch_and_add(&value->total_ns, ns);
	__sync_fetch_and_add(&value->slots[slot], 1);
	return true;
}

static __always_inline int call_ends(struct pt_regs *ctx, bool at_site)
{
	const arch_regs *regs = (const arch_regs *)ctx;
	__u64 now = bpf_ktime_get_ns(), pid_tgid = bpf_get_current_pid_tgid(), since, site;
	struct pending_calls *calls;
	__u32 tid = (__u32)pid_tgid, number;
	const struct plan *plan;
	struct scratch *s;
	int result;

	calls = bpf_map_lookup_elem(&pending_calls, &tid);
	if (!calls)
		return 0;
	site = config.cookies ? (__u32)bpf_get_attach_cookie(ctx) : 0;
	since = take_call(calls, at_site ? sp_after_return(regs) : regs_sp(regs), &site);
	if (!since)
		return 0;
	s = event_begin_current(REC_LATENCY);
	if (!s)
		return 0;
	if (!config.cookies)
		s->event.head.flags |= EVENT_SITE_IS_ADDRESS;
	s->latency.site = site;
	s->latency.ns = now - since;
	s->latency.ret = regs_return_value(regs);
	if (!count_latency(s, site, now - since)) {
		stat_add(STAT_CALLS_LOST, 1);
		scratch_release(s);
		return 0;
	}
	number = plan_number_at(ctx, at_site ? regs_ip(regs) : site, true);
	plan = plan_of(number);
	if (!config.aggregate && !config.latency_events && !plan_asks(plan)) {
		scratch_release(s);
		return 0;
	}
	result = regs_take(&s->regs, regs);
	s->at_entry = false;
	if (at_site)
		regs_return(&s->regs);
	s->machine.latency = now - since;
	if (!event_passes(s, plan))
		return 0;
	event_capture(s, plan, number);
	event_user_stack(ctx, s, result, false);
	event_end(ctx, &counts_probe, s, sizeof(s->latency), site, current_cgroup(), s->latency.ns);
	return 0;
}

SEC("?uretprobe")
int on_latency_return(struct pt_regs *ctx)
{
	return call_ends(ctx, false);
}

SEC("?uprobe")
int on_latency_return_site(struct pt_regs *ctx)
{
	return call_ends(ctx, true);
}

/* The thread is gone, or has another program's stack: whatever was pending will not return. */
static __always_inline void end_calls(__u32 tid)
{
	struct pending_calls *calls = bpf_map_lookup_elem(&pending_calls, &tid);

	if (!calls)
		return;
	drop_dead(calls, ~0ull, false);
	bpf_map_delete_elem(&pending_calls, &tid);
}

SEC("?raw_tp/sched_process_exit")
int BPF_PROG(on_latency_exit, struct task_struct *task)
{
	end_calls((__u32)BPF_CORE_READ(task, pid));
	return 0;
}

SEC("?raw_tp/sched_process_exec")
int BPF_PROG(on_latency_exec, struct task_struct *task, int old_pid)
{
	int pid = BPF_CORE_READ(task, pid);

	end_calls((__u32)pid);
	if (old_pid != pid)
		end_calls((__u32)old_pid);
	return 0;
}
