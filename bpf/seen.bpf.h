/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which stacks user space has. */
#ifndef TRACER_SEEN_BPF_H
#define TRACER_SEEN_BPF_H

#include "maps.bpf.h"

static __always_inline bool stack_is_seen(__u64 id)
{
	__u32 way = id & (SEEN_SLOTS - 1);
	__u64 *slot = bpf_map_lookup_elem(&seen, &way);

	if (slot && *slot == id)
		return true;
	way ^= 1;
	slot = bpf_map_lookup_elem(&seen, &way);
	return slot && *slot == id;
}

static __always_inline void stack_mark_seen(__u64 id)
{
	__u32 way = (id & (SEEN_SLOTS - 1)) ^ (id >> 63);
	__u64 *slot = bpf_map_lookup_elem(&seen, &way);

	if (slot)
		*slot = id;
}

#endif
