/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The events of a perf.data file, and which of them a record is of. */
#ifndef TRACER_PERF_DATA_EVENTS_H
#define TRACER_PERF_DATA_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../record/perf_layout.h"

struct perf_data_event {
	struct perf_event_attr attr;
	struct perf_layout layout;
	char *name; /* as recorded; NULL: the file does not say */
	uint64_t *ids;
	size_t id_count;
};

struct perf_data_event_id; /* of all events, in a table */

struct perf_data_events {
	struct perf_data_event *events;
	size_t count;
	struct perf_data_event_id *by_id;
	bool id_everywhere; /* each record has its id, all at the same place */
	bool all_alike;	    /* all have one layout */
};

/*
 * attr_size bytes of an attr, of this version or another, and its count ids at any alignment. 0, -ENOMEM,
 * or -EBADMSG for an attr that is too short.
 */
int perf_data_events_add(struct perf_data_events *events, const void *attr, size_t attr_size,
			 const void *ids, size_t count);
/* 0, -ENOMEM or -ENOENT. */
int perf_data_events_set_name(struct perf_data_events *events, uint64_t id, const char *name);
/* A section that names the events, in their order. 0, -ENOMEM or -EBADMSG. */
int perf_data_events_describe(struct perf_data_events *events, const void *data, size_t size);

/*
 * Can records be told apart? Not so when there are several events, not all of one layout, and their ids are
 * missing or at different places.
 */
bool perf_data_events_distinct(const struct perf_data_events *events);

/*
 * The event that a record is of: by its id, or the first when they need not be told apart, and for records
 * that perf made up (id 0). NULL when its id is not known or the record too short for one.
 */
const struct perf_data_event *perf_data_events_find(const struct perf_data_events *events,
						    const struct perf_event_header *header);
/* The number of the event that an id is of; false: of none. */
bool perf_data_events_index(const struct perf_data_events *events, uint64_t id, size_t *index);
void perf_data_events_free(struct perf_data_events *events);

#endif
