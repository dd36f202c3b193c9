/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address spaces that user space has described, and what becomes of that description. */
#ifndef TRACER_SPACE_BPF_H
#define TRACER_SPACE_BPF_H

#include "config.bpf.h"
#include "maps.bpf.h"

/* A child has what its parent has; without this its first stacks would have to be sent as copies. */
static __always_inline void space_inherit(__u32 parent, __u32 child)
{
	struct unwind_space *space = bpf_map_lookup_elem(&unwind_spaces, &parent);
	__u32 *generation = bpf_map_lookup_elem(&generations, &parent);

	/* what an earlier process of that id has left is not the child's */
	if (space)
		bpf_map_update_elem(&unwind_spaces, &child, space, BPF_ANY);
	else
		bpf_map_delete_elem(&unwind_spaces, &child);
	if (generation)
		bpf_map_update_elem(&generations, &child, generation, BPF_ANY);
	else
		bpf_map_delete_elem(&generations, &child);
}

/* exec */
static __always_inline void space_forget(__u32 tgid)
{
	bpf_map_delete_elem(&unwind_spaces, &tgid);
}

/* exit */
static __always_inline void space_end(__u32 tgid)
{
	space_forget(tgid);
	bpf_map_delete_elem(&generations, &tgid);
}

#endif
