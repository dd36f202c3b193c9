/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stack whose tables are not there yet is sent as a copy of its memory, to be walked in user space. */
#ifndef TRACER_COPY_BPF_H
#define TRACER_COPY_BPF_H

#include "emit.bpf.h"
#include "seen.bpf.h"

/*
 * copy.bpf.c: fills a copy slot of this CPU from s->regs; s->copy and s->copy_bytes say which, and how long
 * the record is. 0, or -1 when no slot is free.
 */
extern int stack_copy_make(__u32 slot);

/* Until user space has read what there is, a CPU's ring is not filled with copies. */
static __always_inline bool copy_may_be_sent(__u64 size)
{
	__u32 zero = 0;
	__s64 *credit = bpf_map_lookup_elem(&copy_credit, &zero);

	if (!credit || *credit < (__s64)size)
		return false;
	__sync_fetch_and_add(credit, -(__s64)size);
	return true;
}

/* Sends the current task's stack as a copy, unless user space has it. Its id, 0 when that could not be done. */
static __always_inline __u64 stack_copy_send(void *ctx, struct scratch *s)
{
	struct copy_slot *to;
	__u64 id, size;

	if (stack_copy_make(s->slot))
		return 0;
	to = bpf_map_lookup_elem(&copy_slots, &s->copy);
	if (!to)
		return 0;
	id = to->copy.id;
	size = s->copy_bytes;
	asm volatile("" : "+r"(size));
	if (size > sizeof(to->copy))
		size = sizeof(to->copy);
	if (!stack_is_seen(id)) {
		if (copy_may_be_sent(size) && !emit_now(ctx, &to->copy, (__u32)size)) {
			stack_mark_seen(id);
			stat_add(STAT_STACK_COPIES, 1);
		} else {
			id = 0;
		}
	}
	__sync_fetch_and_add(&to->busy, -1);
	return id;
}

#endif
