/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stack whose tables are not there yet is sent as a copy of its memory, to be walked in user space. */
#ifndef TRACER_COPY_BPF_H
#define TRACER_COPY_BPF_H

#include "emit.bpf.h"

/*
 * copy.bpf.c: fills a copy slot of this CPU from s->regs; s->copy and s->copy_bytes say which, and how long
 * the record is. 0, or -1 when no slot is free or too much has been sent already.
 */
extern int stack_copy_make(__u32 slot);

/* Sends the current task's stack as a copy. Its id, 0 when that could not be done. */
static __always_inline __u64 stack_copy_send(void *ctx, struct scratch *s)
{
	struct copy_slot *to;
	__u64 id = 0, size;

	if (stack_copy_make(s->slot))
		return 0;
	to = bpf_map_lookup_elem(&copy_slots, &s->copy);
	if (!to)
		return 0;
	size = s->copy_bytes;
	asm volatile("" : "+r"(size));
	if (size > sizeof(to->copy))
		size = sizeof(to->copy);
	if (!emit_now(ctx, &to->copy, (__u32)size)) {
		id = to->copy.id;
		stat_add(STAT_STACK_COPIES, 1);
	}
	__sync_fetch_and_add(&to->busy, -1);
	return id;
}

#endif
