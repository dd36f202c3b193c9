/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of a session share: setup.c fills it, loop.c runs it, session.c ends it. */
#ifndef TRACER_SESSION_STATE_H
#define TRACER_SESSION_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregate/wall.h"
#include "base/clock.h"
#include "collector.h"
#include "event/event.h"
#include "options.h"
#include "placing.h"
#include "source/follow.h"
#include "source/perf_events.h"
#include "source/plans.h"
#include "source/source.h"
#include "triggers.h"
#include "unwinding.h"
#include "wanted.h"

struct session {
	const struct options *options;
	struct cpulist cpus; /* to sample on */
	struct wanted_before before;
	bool foreign_ids; /* we are in a pid namespace of our own */
	struct target target;
	/* The perf engine: its events, by the numbers of sources. */
	bool by_perf;
	struct event_list events;
	struct triggers triggers;
	struct cpulist online;
	struct placing placing;
	struct perf_events *perf;
	struct bpf_side bpf; /* zero with the perf engine */
	struct sideband *sideband;
	struct objects *objects;
	struct tasks *tasks;
	struct stacks *stacks;
	struct symbolizer *symbolizer;
	struct source_lines *lines;
	struct source *sources;
	size_t source_count;
	const struct source_info **infos; /* of all sources, for outputs */
	size_t info_count;
	struct plans plans; /* --if, --args */
	struct follow follow;
	struct unwinding unwinding;
	struct output output;
	const struct perf_data_info *recorded; /* of a replay */
	struct collector collector;
	struct wall *wall;
	FILE *file;
	int epoll;
	uint64_t start, end; /* of the recording, ns, CLOCK_MONOTONIC */
	uint64_t next_dump;  /* not before, ns */
	uint64_t still_blocked;
	bool by_time;
};

static inline double seconds_between(uint64_t start, uint64_t end)
{
	return (double)(end - start) / (double)NSEC_PER_SEC;
}

#endif
