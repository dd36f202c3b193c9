/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an event's source is called and how its records are to be read: known from the options on. */
#ifndef TRACER_SOURCE_INFO_H
#define TRACER_SOURCE_INFO_H

#include <linux/perf_event.h>

#include "record.h"

struct value_type;
struct watch_coverage;

/* One for each source on the command line; immutable once the recording starts. */
struct source_info {
	enum rec_kind kind;
	uint32_t number; /* among all of the run */
	char *name; /* as shown: "cpu-clock", "off-cpu", "app:handle", "app:handle+0x4", "counter" */
	uint64_t period;    /* REC_SAMPLE: ns (cpu-clock) or events between samples; else 1 */
	uint32_t length;    /* REC_BREAKPOINT: bytes watched */
	char access[4];	    /* REC_BREAKPOINT: "r", "w", "rw", "x" */
	bool has_predicate; /* --if */
	bool is_usdt;	    /* REC_UPROBE: the registers of record_event.arg are no arguments */
	const struct value_type *watched; /* REC_BREAKPOINT: what the variable is; NULL: not known */
	/* REC_BREAKPOINT: the source's, which changes while it is set; the same for all its parts. */
	const struct watch_coverage *coverage;
	/* REC_SAMPLE: of which event of perf_event_open(), where it is known. */
	bool has_perf_event;
	bool is_trace;	 /* its PMU writes to AUX areas, and has no samples */
	bool is_counted; /* in the samples of its group's leader, which say how many there were */
	bool lacks_cpu;	 /* of a recording: where its samples were taken is not said */
	uint32_t perf_type;
	uint64_t perf_config;
};

/* Do its samples stand for ns on a CPU? */
static inline bool source_info_is_clock(const struct source_info *source)
{
	return source->kind == REC_SAMPLE && source->has_perf_event &&
	       source->perf_type == PERF_TYPE_SOFTWARE &&
	       (source->perf_config == PERF_COUNT_SW_CPU_CLOCK ||
		source->perf_config == PERF_COUNT_SW_TASK_CLOCK);
}

#endif
