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
#include "watch_variable.h"

struct bpf_link;
struct record;
struct source;
struct source_context;

/* What it is on in a process. */
struct breakpoint_process {
	pid_t pid; /* 0: everything */
	struct watch_variable variable;
};

struct breakpoint_source {
	struct breakpoint_process *processes;
	size_t process_count;
	uint32_t type; /* HW_BREAKPOINT_R | W | X */
	bool at_entry; /* execution of a function's first instruction */
	bool in_kernel;
	struct watch_parts parts;   /* each has a debug register */
	struct watch_place *places; /* one a process, or one a thread, or one for everything */
	size_t place_count, place_room;
	struct value_type *watched; /* NULL: not known */
	uint32_t plan;		    /* --if, and the types of values */
	uint32_t first_watch;	    /* index of the first address in the list of watches */
	uint32_t watch_count;	    /* how many may be in that */
	struct bpf_link **links;
	size_t link_count;
	uint64_t listed; /* ns; when threads were asked for their copies: those that began later have none here */
	uint32_t slots; /* debug registers that it takes, once it was to be set */
	struct watch_coverage coverage;
};

/* Takes the place, which must be split as the others. 0 or -errno. */
int breakpoint_add_place(struct source *source, const struct source_context *context,
			 const struct watch_variable *variable, const struct watch_place *place);
/* Of a thread-local variable: the copies that threads have now. Says what is wrong. 0 or -errno. */
int breakpoint_add_copies(struct source *source, struct source_context *context);
/* Counts a thread that began later. */
void breakpoint_hear_copies(struct source *source, struct source_context *context,
			    const struct record *record);
/* Is the process of the target, or a child that is followed? */
bool breakpoint_follows(const struct breakpoint_source *breakpoint,
			const struct source_context *context, uint32_t pid);
/* Sets it in a process that has mapped the file that it waits for. */
void breakpoint_hear_mapping(struct source *source, struct source_context *context,
			     const struct record *record);
/* Sets it at the last place, which was found late: says what is wrong. */
/* Tells the programs what the variable holds now. 0 or -errno. */
int breakpoint_seed(struct source *source, struct source_context *context,
		    const struct watch_place *place);
void breakpoint_set_late(struct source *source, struct source_context *context);
/*
 * Sets it on all that the places are for. What cannot have it is counted, and said; it is an error only if nothing
 * at all can. 0 or -errno.
 */
int breakpoint_set(struct source *source, struct source_context *context);
void breakpoint_unset(struct breakpoint_source *breakpoint);

#endif
