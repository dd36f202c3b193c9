/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens one event at one place, and tells people what it means when that does not work. */
#ifndef TRACER_EVENT_OPEN_H
#define TRACER_EVENT_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "placement.h"

struct event_spec;

/* Why an event cannot be had; 0 is that it can. */
enum event_refusal {
	EVENT_IS_OPEN,
	EVENT_NO_PMU,	 /* this machine has no such counter */
	EVENT_NO_CGROUP, /* not of the hierarchy that perf_event is in */
	EVENT_NOT_PERMITTED,
	EVENT_NOT_PER_TASK, /* counts for whole sockets, not for tasks */
	EVENT_GROUP_TOO_LARGE,
	EVENT_WITH_GROUP,    /* another of its group cannot be had */
	EVENT_BUSY,	     /* another has it for itself */
	EVENT_NO_BREAKPOINT, /* all debug registers of a thread or CPU are taken */
	EVENT_TASK_GONE,     /* nothing to say: the thread has ended */
	EVENT_REFUSED,	     /* another reason: errno */
	EVENT_OUT_OF_DESCRIPTORS,
};

/*
 * Opens it; attr is the event's with what the caller wants besides, and user space only afterwards when no more
 * is permitted to us (and that can be said of it at all). The descriptor, or -errno with *refusal.
 */
int event_open(const struct event_spec *spec, struct perf_event_attr *attr,
	       const struct placement *placement, const struct place *place, int leader,
	       enum event_refusal *refusal);
/* "this machine has no such counter (cpu-clock is always there)", to text. err: the -errno. */
void event_refusal_reason(const struct event_spec *spec, enum event_refusal refusal, int err,
			  char *text, size_t size);
/*
 * What an event is called: as it was given, with u or k where it leaves out the other and the name does not say so
 * (a group's modifiers, or what we are not permitted to). Owned by the caller; NULL without memory.
 */
char *event_label(const struct event_spec *spec, bool user_only);

#endif
