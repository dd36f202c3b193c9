/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Onto the ring, into the counters; every failure is counted under its cause. */
#ifndef TRACER_EMIT_BPF_H
#define TRACER_EMIT_BPF_H

#include "config.bpf.h"
#include "maps.bpf.h"

static __always_inline void stat_add(__u32 stat, __u64 count)
{
	__u64 *value = bpf_map_lookup_elem(&stats, &stat);

	/* per CPU, but a uprobe may be preempted by another in the middle: atomic */
	if (value)
		__sync_fetch_and_add(value, count);
}

/*
 * The reader sleeps until a ring holds wakeup_bytes, or its timer fires: waking it for every record
 * would make it the busiest thing on the machine. Only the record that crosses the mark wakes.
 */
static __always_inline __u64 ring_wakeup(void *ring, __u32 size)
{
	__u64 available = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);

	if (available <= config.wakeup_bytes && available + size + 8 > config.wakeup_bytes)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

static __always_inline long emit_waking(void *ctx, void *record, __u32 size, bool now)
{
	if (config.use_ringbuf) {
		__u32 cpu = bpf_get_smp_processor_id();
		void *ring = bpf_map_lookup_elem(&rings, &cpu);

		if (!ring)
			return -1;
		return bpf_ringbuf_output(ring, record, size,
					  now ? BPF_RB_FORCE_WAKEUP : ring_wakeup(ring, size));
	}
	return bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, record, size);
}

/* 0 when the record is on this CPU's ring. */
static __always_inline long emit(void *ctx, void *record, __u32 size)
{
	return emit_waking(ctx, record, size, false);
}

/* The same, and the reader is woken (a perf buffer wakes it when it will). */
static __always_inline long emit_now(void *ctx, void *record, __u32 size)
{
	return emit_waking(ctx, record, size, true);
}

/* Takes a free scratch slot of this CPU. Several are needed: programs nest and interleave. */
static __always_inline struct scratch *scratch_claim(void)
{
	for (__u32 i = 0; i < SCRATCH_SLOTS; i++) {
		__u32 slot = i;
		struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);

		if (!s)
			return NULL;
		/*
		 * Owner is who sees 1 after adding. Two may both back off, never both own; and it
		 * needs no fetching atomic, which kernels before 5.12 do not have.
		 */
		__sync_fetch_and_add(&s->busy, 1);
		if (*(volatile __u32 *)&s->busy == 1) {
			s->slot = i;
			return s;
		}
		__sync_fetch_and_add(&s->busy, -1);
	}
	return NULL;
}

static __always_inline void scratch_release(struct scratch *s)
{
	__sync_fetch_and_add(&s->busy, -1);
}

/* An event that passed the filter begins: counted as seen, and as lost when there is nowhere to work. */
static __always_inline struct scratch *event_begin(__u32 kind, __u64 pid_tgid)
{
	struct scratch *s = scratch_claim();

	stat_add(STAT_SEEN, 1);
	if (!s) {
		stat_add(STAT_LOST_SCRATCH, 1);
		return NULL;
	}
	s->event.head.time = bpf_ktime_get_ns();
	s->event.head.kind = (__u16)kind;
	s->event.head.cpu = (__u16)bpf_get_smp_processor_id();
	s->event.head.flags = 0;
	s->captured_bytes = 0;
	s->event.tgid = (__u32)(pid_tgid >> 32);
	s->event.tid = (__u32)pid_tgid;
	s->event.user_stack = 0;
	s->event.kernel_stack = 0;
	return s;
}

/* false when the table is full. */
static __always_inline bool count_key_add(void *map, const struct count_key *key, __u64 ns)
{
	struct count_value *value = bpf_map_lookup_elem(map, key);

	if (!value) {
		struct count_value zero = {};

		/* -EEXIST: another CPU was first, which is as good */
		bpf_map_update_elem(map, key, &zero, BPF_NOEXIST);
		value = bpf_map_lookup_elem(map, key);
		if (!value)
			return false;
	}
	__sync_fetch_and_add(&value->count, 1);
	/* not if it is known to be 0: LLVM makes an atomic "or" of that, which kernels before 5.12 refuse */
	if (ns)
		__sync_fetch_and_add(&value->ns, ns);
	return true;
}

/* false when the table is full: the event then goes over the ring after all. */
static __always_inline bool count_event(void *map, struct scratch *s, __u64 site, __u64 cgroup,
					__u64 ns)
{
	struct count_key *key = &s->key;

	key->user_stack = s->event.user_stack;
	key->kernel_stack = s->event.kernel_stack;
	key->site = site;
	key->cgroup = config.keep_cgroup ? cgroup : 0;
	key->tgid = s->event.tgid;
	key->tid = config.keep_tid ? s->event.tid : 0;
	key->cpu = config.keep_cpu ? s->event.head.cpu : 0;
	key->flags = s->event.head.flags & ~EVENT_KERNEL_MODE;
	key->kind = s->event.head.kind;
	__builtin_memcpy(key->comm, s->event.comm, sizeof(key->comm));
	if (count_key_add(map, key, ns))
		return true;
	stat_add(STAT_COUNT_SPILLED, 1);
	return false;
}

/* The event's size, with the values that were captured. */
static __always_inline __u32 captured_end(struct scratch *s, __u32 size)
{
	__u64 bytes = s->captured_bytes;

	asm volatile("" : "+r"(bytes));
	if (!bytes || bytes > sizeof(s->captured))
		return size;
	s->event.head.flags |= EVENT_CAPTURED;
	return REC_CAPTURED_AT + (__u32)bytes;
}

/* Ends an event: counted in `map` or sent as a record of size bytes; frees the scratch slot. */
static __always_inline void event_end(void *ctx, void *map, struct scratch *s, __u32 size,
				      __u64 site, __u64 cgroup, __u64 ns)
{
	if (config.captures)
		size = captured_end(s, size);
	s->event.head.size = (__u16)size;
	if (!config.aggregate || !count_event(map, s, site, cgroup, ns)) {
		if (emit(ctx, &s->event, size))
			stat_add(STAT_LOST_RING, 1);
	}
	scratch_release(s);
}

#endif
