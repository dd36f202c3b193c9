/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of the perf engine's events share: perf_attrs.c says what is asked of the kernel,
 * perf_events_open.c opens it everywhere, perf_events.c runs it.
 */
#ifndef TRACER_PERF_EVENTS_STATE_H
#define TRACER_PERF_EVENTS_STATE_H

#include <linux/perf_event.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "perf_events.h"

struct opened {
	uint64_t id;
	size_t event; /* of the list, or PERF_EVENTS_* */
	int fd;
	UT_hash_handle hh;
};

/* AUX_WRITES: with a period of 1, as perf opens Intel PT. Other PMUs take none. */
enum aux_state { AUX_UNKNOWN, AUX_NONE, AUX_WRITES, AUX_WRITES_NO_PERIOD };

struct perf_events {
	struct perf_events_config config;
	struct ring_set *rings;
	struct ring_set *backward; /* of samples, with overwrite */
	struct aux_areas *areas;
	enum aux_state *aux;	     /* [events->count] */
	struct opened *opened;	     /* by id */
	struct perf_layout *layouts; /* [events->count] */
	struct perf_layout common;
	size_t *counts; /* [events->count]: how many are open */
	bool *user_only;
	bool groups_not_inherited; /* the kernel cannot, before 6.12 */
	/* of the call that is going on */
	perf_events_fn callback;
	void *context;
};

/* Does the PMU of an event of the list write to AUX areas? Known once it has been tried. */
bool perf_events_writes_aux(const struct perf_events *events, size_t event);
/* Has its group another leader? */
bool perf_events_is_member(const struct perf_events *events, size_t event);

struct perf_event_attr perf_attr_of(const struct perf_events *events, size_t event);
struct perf_event_attr perf_attr_of_sideband(const struct perf_events *events);
/* is_probe: of a uprobe, which no task can inherit. */
struct perf_event_attr perf_attr_of_trigger(const struct perf_events *events,
					    const struct event_spec *spec, bool is_probe);
/* Makes it one of a PMU that writes to an AUX area, with a period of 1 or none. */
void perf_attr_set_aux(const struct event_spec *spec, bool by_period, struct perf_event_attr *attr);

#endif
