/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf engine: events that sample into perf rings, without BPF. Side-band comes in the same rings, from a
 * dummy event at each place, so that what one may sample one may also name.
 */
#ifndef TRACER_PERF_EVENTS_H
#define TRACER_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../bpf/tracer.h"
#include "../event/event.h"
#include "../record/perf_layout.h"
#include "../ring/ring_set.h"
#include "aux_areas.h"
#include "event_open.h"
#include "placement.h"

struct perf_events;

struct perf_events_config {
	const struct event_list *events;   /* not owned, nor placement, all_cpus */
	const struct placement *placement; /* of the samples */
	const struct cpulist *all_cpus;	   /* where side-band may come from */
	/* Of events that say neither themselves: events between samples, or if that is 0 Hz. */
	uint64_t period;
	uint32_t frequency;
	enum call_graph call_graph;
	bool user_stacks, kernel_stacks;
	bool keep_cgroup;
	uint32_t stack_bytes;	/* of user stack to be copied with each sample */
	size_t ring_bytes;	/* a ring, a power of two of pages */
	size_t most_ring_bytes; /* rings grow up to that; 0: never */
	int epoll;		/* where rings are watched; the caller's */
	bool overwrite; /* samples stay in backward rings, the oldest overwritten: perf_events_snapshot() */
	const struct event_list *triggers; /* events that only tell that they happened */
	size_t aux_bytes;		   /* of an AUX area, for events of PMUs that have them */
	enum aux_mode aux_mode;
};

/*
 * Opens everything, not yet enabled. With less than was asked for where that is all we are permitted to, which
 * perf_events_is_user_only() tells. 0; -EDQUOT, without a word: we may not lock that much memory for
 * rings; or another -errno after saying what is wrong.
 */
int perf_events_open(const struct perf_events_config *config, struct perf_events **events);
/* What is mapped must be known from before the first sample. 0 or -errno. */
int perf_events_start_sideband(struct perf_events *events);
/* 0 or -errno. */
int perf_events_enable(struct perf_events *events);
void perf_events_disable(struct perf_events *events);
/* Was the kernel left out of an event that did not ask for it? */
bool perf_events_is_user_only(const struct perf_events *events, size_t event);
/* How many were opened of an event, over all places. */
size_t perf_events_opened(const struct perf_events *events, size_t event);

/* Is it an event of a PMU that writes to AUX areas? Known once it is opened. */
bool perf_events_has_aux(const struct perf_events *events, size_t event);
/* Of which event is a counter, by its id, and has each thread one by that id? False: of none. */
bool perf_events_find(const struct perf_events *events, uint64_t id, size_t *event,
		      bool *by_thread);
/* Are groups whose leader samples (:S) only of threads that were there? Known once they are opened. */
bool perf_events_groups_not_inherited(const struct perf_events *events);
/* None are in it where no event has one. The caller reads them beside the rings. */
struct aux_areas *perf_events_aux(const struct perf_events *events);

#define PERF_EVENTS_SIDEBAND SIZE_MAX
#define PERF_EVENTS_TRIGGER  (SIZE_MAX - 1)

/* Given the event's number, or one of the above, and its layout. */
typedef int (*perf_events_fn)(void *context, size_t event, const struct perf_layout *layout,
			      const struct perf_event_header *header);
/* Reads all rings once. Records handed over, or a negative callback result. */
int perf_events_consume(struct perf_events *events, perf_events_fn callback, void *context);
/*
 * With overwrite: what the backward rings hold and was not handed over before, oldest first in each ring. As
 * perf_events_consume().
 */
int perf_events_snapshot(struct perf_events *events, perf_events_fn callback, void *context);
/*
 * The last of these, after perf_events_disable(): all rings tell what they have lost. callback NULL: nothing is
 * handed over.
 */
int perf_events_last_snapshot(struct perf_events *events, perf_events_fn callback, void *context);
/* The last reading, after perf_events_disable(). */
int perf_events_finish(struct perf_events *events, perf_events_fn callback, void *context);
/* To be told of what that epoll descriptor gave: counts how often each ring woke us. */
void perf_events_woken(struct perf_events *events, const struct epoll_event *event);
const struct ring_set *perf_events_rings(const struct perf_events *events);
/* The backward ones; NULL without overwrite. */
const struct ring_set *perf_events_backward_rings(const struct perf_events *events);
void perf_events_close(struct perf_events *events);

#endif
