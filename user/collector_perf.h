/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The collector's part in the perf engine: samples that carry their stacks. Recordings made before have such, too. */
#ifndef TRACER_COLLECTOR_PERF_H
#define TRACER_COLLECTOR_PERF_H

#include "collector.h"

/*
 * A sample (RECORD_SAMPLE, whose event_id is its source's number) in its order of time becomes an event. 0; -EAGAIN:
 * a table is not there yet, and it must come again; -ENOMEM; or an output's write error.
 */
int collector_perf_sample(struct collector *collector, const struct record *record);
/* A sample of what --dump-on names, in its order of time: of the target, it asks for a dump. */
void collector_perf_trigger(struct collector *collector, const struct record *record);
/* Reads every ring once. The number of records, or -errno. */
int collector_perf_read(struct collector *collector);
/* The last reading. */
int collector_perf_finish(struct collector *collector);

/*
 * Takes what is only kept until somebody asks: the newest samples of backward rings, into the order of time; the
 * newest bytes of AUX areas in snapshot mode, to the output. The number of records, -errno or a write error.
 */
int collector_perf_dump(struct collector *collector);

/* The last, once the events are disabled; without is_wanted only losses are counted. The same. */
int collector_perf_last_dump(struct collector *collector, bool is_wanted);

#endif
