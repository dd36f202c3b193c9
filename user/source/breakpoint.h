/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a breakpoint is between its stages: found, set, taken off. */
#ifndef TRACER_BREAKPOINT_H
#define TRACER_BREAKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../record/watch_coverage.h"
#include "watch_place.h"
#include "watch_split.h"

struct bpf_link;
struct source;
struct source_context;

struct breakpoint_source {
	uint32_t type; /* HW_BREAKPOINT_R | W | X */
	bool at_entry; /* execution of a function's first instruction */
	bool in_kernel;
	struct watch_parts parts;   /* each has a debug register */
	struct watch_place *places; /* one a process, or one for everything */
	size_t place_count;
	uint32_t predicate;   /* --if */
	uint32_t first_watch; /* index of the first address in the list of watches */
	struct bpf_link **links;
	size_t link_count;
	struct watch_coverage coverage;
};

/*
 * Sets it on all that the places are for. What cannot have it is counted, and said; it is an error only if nothing
 * at all can. 0 or -errno.
 */
int breakpoint_set(struct source *source, struct source_context *context);
void breakpoint_unset(struct breakpoint_source *breakpoint);

#endif
