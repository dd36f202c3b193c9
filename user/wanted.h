/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CPUs and tasks that options name: looked up, or started. */
#ifndef TRACER_WANTED_H
#define TRACER_WANTED_H

#include <stdbool.h>
#include <sys/resource.h>

#include "base/cpulist.h"
#include "source/target.h"

struct event_list;
struct event_roots;
struct options;

/* What a COMMAND inherits as it was when we were started. */
struct wanted_before {
	struct rlimit descriptors;
	bool interrupt_ignored;
};

/*
 * Raises our limit of descriptors (every object that is ever seen stays open, and each event of the perf side is
 * one), and remembers what we change of ourselves. Before signals are caught.
 */
void wanted_begin(struct wanted_before *before);
/* Those of -C, or all that are online. Says what is wrong. 0 or -errno. */
int wanted_cpus(const struct options *options, struct cpulist *cpus);
/* Says what is wrong. 0 or -errno. */
int wanted_target(const struct options *options, const struct wanted_before *before,
		  struct target *target);

/* Where this machine describes its events. *tracefs: its owner, to be freed; NULL: not mounted. 0 or -ENOMEM. */
int wanted_event_roots(struct event_roots *roots, char **tracefs);
/*
 * The events of -e, or those of `otherwise` when there is none. Says what is wrong. 0 or -errno; the list is to be
 * freed in any case.
 */
int wanted_events(const struct options *options, const char *otherwise, struct event_list *events);

#endif
