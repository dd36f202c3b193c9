/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF maps that walks read, as user/unwind/ wants to write them. */
#ifndef TRACER_UNWIND_MAPS_H
#define TRACER_UNWIND_MAPS_H

#include "../unwind/library.h"
#include "../unwind/spaces.h"
#include "bpf_side.h"

/* Ops' data is the struct itself: it must stay where it is while they are used. */
struct unwind_maps {
	struct bpf_side *bpf;
	struct unwind_object *objects;	 /* mapped, [object_count] */
	struct unwind_mapping *mappings; /* mapped, [mapping_count] */
	uint32_t object_count, mapping_count;
	int chunks[UNWIND_MAX_CHUNKS]; /* descriptors of those that are there; else -1 */
	struct bpf_link *on_mmap; /* NULL where no function of the kernel can be hooked; then */
	struct bpf_link *on_area; /* NULL where the kernel has no such tracepoint */
	bool is_closing;	  /* no program that walks is attached any more */
};

/* Maps what is mapped, and watches new mappings. Says what is wrong. 0 or -errno. */
int unwind_maps_open(struct bpf_side *bpf, struct unwind_maps *maps);
void unwind_maps_close(struct unwind_maps *maps);
struct unwind_memory_ops unwind_maps_memory_ops(struct unwind_maps *maps);
struct unwind_spaces_ops unwind_maps_spaces_ops(struct unwind_maps *maps);
/* Side-band told of a new mapping: where the kernel did not tell at once, its process is old now. */
void unwind_maps_note_mapping(struct unwind_maps *maps, uint32_t tgid);
/* Is there a description of that process? */
bool unwind_maps_has_space(const struct unwind_maps *maps, uint32_t tgid);
/* How many bytes of stack copies each CPU may send from now on. */
void unwind_maps_set_credit(struct unwind_maps *maps, int64_t bytes);

#endif
