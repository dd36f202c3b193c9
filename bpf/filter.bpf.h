/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the task wanted? If so, its event begins. */
#ifndef TRACER_FILTER_BPF_H
#define TRACER_FILTER_BPF_H

#include "config.bpf.h"
#include "emit.bpf.h"
#include "maps.bpf.h"

static __always_inline bool cpu_wanted(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u8 *wanted;

	if (!config.cpu_filter)
		return true;
	wanted = bpf_map_lookup_elem(&cpus, &cpu);
	return wanted && *wanted;
}

static __always_inline bool task_wanted(__u32 tgid, __u32 tid)
{
	/* the idle tasks are tid 0 on every CPU; the tracer never records itself */
	if (!recording || !tid || tgid == (__u32)(own_pid_tgid >> 32))
		return false;
	if (config.target_mode == TARGET_PROCESSES)
		return bpf_map_lookup_elem(&targets, &tgid) != NULL;
	if (config.target_mode == TARGET_THREADS)
		return bpf_map_lookup_elem(&targets, &tid) != NULL;
	return true;
}

static __always_inline bool current_wanted(__u64 pid_tgid)
{
	return task_wanted((__u32)(pid_tgid >> 32), (__u32)pid_tgid) && cpu_wanted();
}

/* The beginning of an event of the current task: NULL when it is not wanted, or is counted as lost. */
static __always_inline struct scratch *event_begin_current(__u32 kind)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct scratch *s;

	if (!current_wanted(pid_tgid))
		return NULL;
	s = event_begin(kind, pid_tgid);
	if (s)
		bpf_get_current_comm(s->event.comm, sizeof(s->event.comm));
	return s;
}

static __always_inline __u64 current_cgroup(void)
{
	return config.keep_cgroup ? bpf_get_current_cgroup_id() : 0;
}

#endif
