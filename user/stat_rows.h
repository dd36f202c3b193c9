/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From counters, one for each event and place, to the rows that are printed. */
#ifndef TRACER_STAT_ROWS_H
#define TRACER_STAT_ROWS_H

#include <stddef.h>

#include "output/stat_output.h"
#include "source/counters.h"

struct event_list;
struct options;

/* Places whose counts are added up in one row. */
struct stat_key {
	long id; /* CPU, thread or number of the cgroup */
	char who[64];
};

struct stat_rows {
	const struct event_list *events; /* not owned, nor placement */
	const struct placement *placement;
	const struct options *options;
	struct stat_key *keys; /* one, or with --by one for each of what is there; owned */
	size_t key_count;
	size_t *key_of_place; /* [placement->count]; owned */
	struct counter_value
		*before;	 /* [placement->count * events->count]: at the last report; owned */
	struct stat_row *rows;	 /* [key_count * events->count]; owned */
	char **names, **reasons; /* [events->count]; owned */
	size_t count;
};

/* "cpu", "thread", "cgroup": what --by has rows for; NULL: one row for each event. */
const char *stat_rows_by(const struct options *options);
/* What is pointed to must outlive it. 0 or -ENOMEM. */
int stat_rows_open(struct stat_rows *rows, const struct options *options,
		   const struct event_list *events, const struct placement *placement,
		   const struct counters *counters);
/* Makes rows->rows from what was read last; with is_interval of what was counted since the call before. */
void stat_rows_make(struct stat_rows *rows, const struct counters *counters, bool is_interval);
void stat_rows_close(struct stat_rows *rows);

#endif
