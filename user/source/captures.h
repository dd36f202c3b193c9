/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which values are recorded at a probe: what --args lists, or what the program's DWARF says of the function. */
#ifndef TRACER_CAPTURES_H
#define TRACER_CAPTURES_H

#include <stdbool.h>
#include <stdint.h>

struct plans;
struct probe_option;
struct probe_plan;
struct program_scope;

/* How much of a string is recorded, in characters: without --max-string, and at most. */
#define CAPTURES_STRING	     64
#define CAPTURES_STRING_MOST 255

struct capture_limits {
	uint32_t string; /* characters */
};

/* What the option's --args lists. Says what is wrong with it. 0 or -errno. */
int captures_listed(struct plans *plans, const struct probe_option *option,
		    struct program_scope *program, const struct capture_limits *limits,
		    struct probe_plan *plan);
/*
 * All that DWARF says the function at the place was called with, or of its return, what it returned. What cannot be
 * had is among the values, with the reason. 0 or -ENOMEM.
 */
int captures_of_function(struct plans *plans, struct program_scope *program,
			 const struct capture_limits *limits, struct probe_plan *plan);
/* What a USDT probe has. 0 or -ENOMEM. */
int captures_of_usdt(struct plans *plans, const struct program_scope *program,
		     struct probe_plan *plan);
/* Without DWARF: the argument registers of Go's own calling convention. 0 or -ENOMEM. */
int captures_of_go(struct plans *plans, struct probe_plan *plan);

#endif
