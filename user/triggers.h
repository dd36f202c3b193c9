/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What --dump-on names: events of the perf engine that only tell that they happened. */
#ifndef TRACER_TRIGGERS_H
#define TRACER_TRIGGERS_H

#include "event/event.h"

struct options;
struct target;
struct probe_sites;

struct triggers {
	struct event_list events;
	struct probe_sites **sites; /* of the probes among them, whose attributes point there */
	size_t site_count;
};

/* 0, or -errno after saying what is wrong. */
int triggers_make(const struct options *options, const struct target *target,
		  struct triggers *triggers);
void triggers_free(struct triggers *triggers);

#endif
