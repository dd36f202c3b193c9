// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The scheduler: time off the CPU (--off-cpu, --wall), exact time on it (--wall), and children that
 * join the target. A wait is measured from the switch away, where the task is current and its stack
 * can be walked, to the switch back; both under the task's own key, so migration does not matter.
 */
#include "filter.bpf.h"
#include "space.bpf.h"
#include "stack.bpf.h"
#include <bpf/bpf_tracing.h>

#define TASK_DEAD 0x80

static __always_inline void oncpu_insert(struct task_struct *task, __u32 tgid, __u32 tid,
					 __u64 since, __u64 total)
{
	struct oncpu fresh = { .since = since, .total = total, .tgid = tgid };

	bpf_probe_read_kernel(fresh.comm, sizeof(fresh.comm), task->comm);
	if (bpf_map_update_elem(&oncpu, &tid, &fresh, BPF_NOEXIST))
		stat_add(STAT_ONCPU_LOST, 1);
}

static __always_inline void oncpu_stop(struct task_struct *task, __u32 tgid, __u32 tid, __u64 now)
{
	struct oncpu *on = bpf_map_lookup_elem(&oncpu, &tid);

	if (!on) {
		/* never seen to arrive: it has been running since before we began */
		oncpu_insert(task, tgid, tid, 0, now - recording_since);
	} else if (on->since) {
		on->total += now - on->since;
		on->since = 0;
	}
}

static __always_inline void oncpu_start(struct task_struct *task, __u32 tgid, __u32 tid, __u64 now)
{
	struct oncpu *on = bpf_map_lookup_elem(&oncpu, &tid);

	if (on)
		on->since = now;
	else
		oncpu_insert(task, tgid, tid, now, 0);
}

/* The wait that begins here cannot be measured: an event seen and lost. */
static __always_inline void wait_lost(__u32 cause)
{
	stat_add(STAT_SEEN, 1);
	stat_add(cause, 1);
}

/* prev, which is still current, leaves the CPU. */
static __always_inline void task_leaves(void *ctx, struct task_struct *prev, bool preempted,
					__u64 now)
{
	__u32 tid = (__u32)prev->pid;
	__u32 state = preempted ? 0 : task_state(prev);
	struct blocked *wait;
	struct scratch *s;

	if (config.wall)
		oncpu_stop(prev, (__u32)prev->tgid, tid, now);
	if (state & TASK_DEAD) {
		bpf_map_delete_elem(&blocked, &tid);
		return;
	}
	s = scratch_claim();
	if (!s) {
		/* an older wait must not be taken for this one */
		bpf_map_delete_elem(&blocked, &tid);
		wait_lost(STAT_LOST_SCRATCH);
		return;
	}
	s->event.head.time = now;
	s->event.head.cpu = (__u16)bpf_get_smp_processor_id();
	s->event.head.flags = state ? 0 : EVENT_RUNNABLE;
	s->event.tgid = (__u32)prev->tgid;
	s->event.tid = tid;
	s->event.user_stack = 0;
	s->event.kernel_stack = 0;
	event_kernel_stack(ctx, s, true);
	event_user_stack(ctx, s, regs_of_current(s), false);
	/* in the slot, not on our own stack: the walk above needs much of that */
	wait = &s->wait;
	wait->since = now;
	wait->user_stack = s->event.user_stack;
	wait->kernel_stack = s->event.kernel_stack;
	wait->tgid = (__u32)prev->tgid;
	wait->flags = s->event.head.flags;
	wait->cpu = s->event.head.cpu;
	wait->state = state;
	wait->reserved = 0;
	wait->cgroup = current_cgroup();
	if (bpf_map_update_elem(&blocked, &tid, wait, BPF_ANY))
		wait_lost(STAT_LOST_TASK_TABLE);
	scratch_release(s);
}

/* next comes back to a CPU: its wait, if we saw it begin, is an event. */
static __always_inline void task_arrives(void *ctx, struct task_struct *next, __u64 now)
{
	__u32 tid = (__u32)next->pid;
	struct blocked *found, wait;
	struct scratch *s;

	if (config.wall)
		oncpu_start(next, (__u32)next->tgid, tid, now);
	found = bpf_map_lookup_elem(&blocked, &tid);
	if (!found)
		return;
	wait = *found;
	bpf_map_delete_elem(&blocked, &tid);
	if (now < wait.since)
		wait.since = now;
	if (now - wait.since < config.off_cpu_min_ns) {
		stat_add(STAT_BELOW_MIN, 1);
		return;
	}
	s = event_begin(REC_OFFCPU, (__u64)next->tgid << 32 | tid);
	if (!s)
		return;
	s->event.head.time = now;
	s->event.head.cpu = wait.cpu;
	s->event.head.flags = wait.flags;
	s->event.user_stack = wait.user_stack;
	s->event.kernel_stack = wait.kernel_stack;
	bpf_probe_read_kernel(s->event.comm, sizeof(s->event.comm), next->comm);
	s->offcpu.blocked_ns = now - wait.since;
	s->offcpu.state = wait.state;
	s->offcpu.reserved = 0;
	event_end(ctx, &counts_sched, s, sizeof(s->offcpu), 0, wait.cgroup, now - wait.since);
}

static __always_inline struct cpu_state *this_cpu_state(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&cpu_states, &zero);
}

/*
 * Who leaves a CPU should be who came to it last. Where a kernel does not report some switches (seen
 * for certain threads of a virtual machine's init), the task that came last left unseen and prev came
 * unseen, at some moment since. prev is given all of that stretch, so that every moment of a CPU
 * still belongs to one task; what the other one waited in cannot be known.
 */
static __noinline void mend_unseen_switch(void *ctx, struct cpu_state *last,
					  struct task_struct *prev)
{
	struct blocked wait = { .since = last->since, .tgid = last->tgid };
	__u32 tid = last->tid;

	stat_add(STAT_SWITCH_UNSEEN, 1);
	if (task_wanted(last->tgid, tid)) {
		struct oncpu *on = config.wall ? bpf_map_lookup_elem(&oncpu, &tid) : NULL;

		if (on)
			on->since = 0;
		if (bpf_map_update_elem(&blocked, &tid, &wait, BPF_ANY))
			wait_lost(STAT_LOST_TASK_TABLE);
	}
	if (task_wanted((__u32)prev->tgid, (__u32)prev->pid))
		task_arrives(ctx, prev, last->since);
}

SEC("?tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now = bpf_ktime_get_ns();
	struct cpu_state *last;

	if (!config.off_cpu || !recording || !cpu_wanted())
		return 0;
	last = this_cpu_state();
	if (!last)
		return 0;
	if (last->since && last->tid != (__u32)prev->pid)
		mend_unseen_switch(ctx, last, prev);
	last->since = now;
	last->tgid = (__u32)next->tgid;
	last->tid = (__u32)next->pid;
	if (task_wanted((__u32)prev->tgid, (__u32)prev->pid))
		task_leaves(ctx, prev, preempt, now);
	if (task_wanted((__u32)next->tgid, (__u32)next->pid))
		task_arrives(ctx, next, now);
	return 0;
}

/*
 * Of a raw tracepoint's task: those of rare events are no tp_btf, for which libbpf would parse the whole of the kernel's
 * BTF.
 */
static __always_inline __u32 task_tgid(struct task_struct *task)
{
	return (__u32)BPF_CORE_READ(task, tgid);
}

static __always_inline __u32 task_tid(struct task_struct *task)
{
	return (__u32)BPF_CORE_READ(task, pid);
}

/* A watched variable's last value goes with the copy of the memory it is in. */
static __always_inline void inherit_watched_values(__u32 parent, __u32 child)
{
	for (__u32 i = 0; i < TRACER_MAX_WATCHES; i++) {
		struct watch_key from = { .tgid = parent }, to = { .tgid = child };
		__u32 index = i;
		__u64 *address, *value;

		if (i >= config.watch_count)
			break;
		address = bpf_map_lookup_elem(&watch_list, &index);
		if (!address)
			break;
		from.addr = to.addr = *address;
		value = bpf_map_lookup_elem(&watched_values, &from);
		if (value)
			bpf_map_update_elem(&watched_values, &to, value, BPF_ANY);
	}
}

SEC("raw_tp/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 tgid = task_tgid(child), tid = task_tid(child), parent_tgid = task_tgid(parent);
	bool is_process = parent_tgid != tgid;
	struct blocked wait = {};
	__u8 one = 1;

	if (!task_wanted(parent_tgid, task_tid(parent)))
		return 0;
	if (config.target_mode != TARGET_ALL) {
		__u32 id = config.target_mode == TARGET_PROCESSES ? tgid : tid;
		bool is_member = config.target_mode == TARGET_PROCESSES && !is_process;

		if (!config.inherit && !is_member)
			return 0;
		if (!is_member && bpf_map_update_elem(&targets, &id, &one, BPF_ANY)) {
			stat_add(STAT_TARGET_LOST, 1);
			return 0;
		}
	}
	if (is_process) {
		inherit_watched_values(parent_tgid, tgid);
		space_inherit(parent_tgid, tgid);
	}
	if (!config.off_cpu)
		return 0;
	wait.since = bpf_ktime_get_ns();
	wait.tgid = tgid;
	wait.flags = EVENT_NEW_TASK | EVENT_RUNNABLE;
	wait.cpu = (__u16)bpf_get_smp_processor_id();
	if (bpf_map_update_elem(&blocked, &tid, &wait, BPF_ANY))
		wait_lost(STAT_LOST_TASK_TABLE);
	return 0;
}

/* Its ids will be used again, by a task that nobody asked for. */
SEC("raw_tp/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	__u32 tgid = task_tgid(task), tid = task_tid(task);

	if (!task_wanted(tgid, tid))
		return 0;
	if (config.wall)
		oncpu_stop(task, tgid, tid, bpf_ktime_get_ns());
	if (config.target_mode == TARGET_THREADS)
		bpf_map_delete_elem(&targets, &tid);
	if (BPF_CORE_READ(task, signal, live.counter))
		return 0;
	/* the last of its threads */
	space_end(tgid);
	if (config.target_mode == TARGET_PROCESSES)
		bpf_map_delete_elem(&targets, &tgid);
	return 0;
}

/* A thread other than the leader that calls exec takes over the leader's tid. */
SEC("raw_tp/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_pid)
{
	__u32 old_tid = (__u32)old_pid, tid = task_tid(task), tgid = task_tgid(task);
	struct cpu_state *last = this_cpu_state();
	__u8 one = 1;

	if (last && last->tid == old_tid)
		last->tid = tid;
	if (task_wanted(tgid, old_tid))
		space_forget(tgid);
	if (old_tid == tid || !task_wanted(tgid, old_tid))
		return 0;
	if (config.target_mode == TARGET_THREADS) {
		bpf_map_delete_elem(&targets, &old_tid);
		if (bpf_map_update_elem(&targets, &tid, &one, BPF_ANY))
			stat_add(STAT_TARGET_LOST, 1);
	}
	if (config.wall) {
		__u64 now = bpf_ktime_get_ns();

		oncpu_stop(task, tgid, old_tid, now);
		oncpu_start(task, tgid, tid, now);
	}
	return 0;
}
