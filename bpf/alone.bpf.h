/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting hits of which nothing is asked but that they were. What that costs is calls: of helpers, and of the
 * functions that look in a hash table; where the kernel protects itself from speculation each return is dear. So a
 * CPU has a few counters of its own, which are found by what can be read from the current task directly. Who has
 * one was wanted when it came first, and as processes are told apart by when they began it still is.
 */
#ifndef TRACER_ALONE_BPF_H
#define TRACER_ALONE_BPF_H

#include "compat.bpf.h"
#include "filter.bpf.h"

/* Neither a scratch slot is needed, nor registers. */
static __always_inline bool counts_alone(void)
{
	return config.aggregate && !config.user_stacks && !config.has_plans;
}

/* Who is hit where. */
struct hit {
	__u64 site;
	__u64 started;
	__u64 comm[2];
	__u32 tgid;
	__u32 tid; /* 0 if it does not matter */
};

static __always_inline __u64 hit_site(void *ctx, __u64 address)
{
	if (!config.cookies)
		return address;
	if (only_site)
		return (__u32)only_site;
	return (__u32)bpf_get_attach_cookie(ctx);
}

static __always_inline void hit_take(struct hit *hit, __u64 site)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 *comm = (const __u64 *)task->comm;
	bool by_thread = config.keep_tid || config.target_mode == TARGET_THREADS;

	hit->site = site;
	hit->started = task->group_leader->start_time;
	hit->comm[0] = comm[0];
	hit->comm[1] = comm[1];
	hit->tgid = (__u32)task->tgid;
	hit->tid = by_thread ? (__u32)task->pid : 0;
}

/* One of the two that it may have. */
static __always_inline struct hit_count *hit_counter(const struct hit *hit, __u32 way)
{
	__u32 index = (hit->tgid + hit->tid * 5 + (__u32)hit->site * 37) ^ way;

	index &= HIT_COUNTS - 1;
	return bpf_map_lookup_elem(&hit_counts, &index);
}

static __always_inline bool hit_has(const struct hit *hit, const struct hit_count *counter)
{
	const __u64 *comm = (const __u64 *)counter->comm;

	return counter->ready && counter->tgid == hit->tgid && counter->site == hit->site &&
	       counter->started == hit->started && counter->tid == hit->tid &&
	       comm[0] == hit->comm[0] && comm[1] == hit->comm[1];
}

/* Another program may come in between on this CPU: it counts elsewhere, and so do we if it was first. */
static __always_inline bool hit_claim(const struct hit *hit, struct hit_count *counter)
{
	__u64 *comm = (__u64 *)counter->comm;

	if (*(volatile __u32 *)&counter->claims)
		return false;
	__sync_fetch_and_add(&counter->claims, 1);
	if (*(volatile __u32 *)&counter->claims != 1)
		return false;
	counter->site = hit->site;
	counter->started = hit->started;
	counter->tgid = hit->tgid;
	counter->tid = hit->tid;
	comm[0] = hit->comm[0];
	comm[1] = hit->comm[1];
	counter->count = 1;
	*(volatile __u32 *)&counter->ready = 1;
	return true;
}

/* Is it counted by now? */
static __always_inline bool hit_count_again(const struct hit *hit)
{
	for (__u32 way = 0; way < 2; way++) {
		struct hit_count *counter = hit_counter(hit, way);

		if (counter && hit_has(hit, counter)) {
			__sync_fetch_and_add(&counter->count, 1);
			return true;
		}
	}
	return false;
}

static __always_inline bool hit_count_first(const struct hit *hit)
{
	for (__u32 way = 0; way < 2; way++) {
		struct hit_count *counter = hit_counter(hit, way);

		if (counter && hit_claim(hit, counter))
			return true;
	}
	return false;
}

/*
 * In the table of all CPUs. False when that is full: then it is an event as others are. A frame of its own, because
 * the key is large, and programs that walk have no room for it on theirs.
 */
static __noinline bool hit_count_in_table(__u32 kind, __u64 site, __u64 pid_tgid)
{
	struct count_key key = { .kind = kind, .site = site, .tgid = (__u32)(pid_tgid >> 32) };

	if (!config.cookies)
		key.flags = EVENT_SITE_IS_ADDRESS;
	if (config.keep_tid)
		key.tid = (__u32)pid_tgid;
	if (config.keep_cpu)
		key.cpu = (__u16)bpf_get_smp_processor_id();
	if (config.keep_cgroup)
		key.cgroup = current_cgroup();
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	if (!count_key_add(&counts_probe, &key, 0))
		return false;
	stat_add(STAT_SEEN, 1);
	return true;
}

/* True when nothing is left to be done. */
static __always_inline bool count_alone(void *ctx, __u32 kind, __u64 address)
{
	bool in_counters = have_current_task_btf() && !config.keep_cgroup;
	__u64 site = hit_site(ctx, address), pid_tgid;
	struct hit hit;

	if (!recording)
		return true;
	if (in_counters) {
		hit_take(&hit, site);
		if (hit_count_again(&hit))
			return true;
	}
	pid_tgid = bpf_get_current_pid_tgid();
	if (!current_wanted(pid_tgid) || (in_counters && hit_count_first(&hit)))
		return true;
	return hit_count_in_table(kind, site, pid_tgid);
}

#endif
