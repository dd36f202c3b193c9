/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One small vtable a format; one file a format. Nothing here knows rings or the kernel. */
#ifndef TRACER_OUTPUT_H
#define TRACER_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../aggregate/counts.h"
#include "../aggregate/latency.h"
#include "../aggregate/quality.h"
#include "../perf_data/info.h"
#include "../record/source_info.h"
#include "../stack/stack.h"
#include "../symbol/source_lines.h"
#include "../symbol/symbolizer.h"
#include "../value/leaves.h"

/* One event, resolved, for formats that print each. */
struct event {
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	uint32_t pid, tid, cpu;
	uint64_t cgroup;		   /* its id; 0: not known */
	const struct record_event *record; /* kind, flags, comm, arguments, values */
	const struct source_info *source;
	const struct stack *user; /* NULL: none or lost (record->flags says which) */
	const struct stack *kernel;
	const struct leaves *values; /* captured; NULL: none were */
};

/* Losses by cause; all counts of events but stacks. */
struct loss {
	uint64_t ring_full;
	uint64_t recorded; /* of a replay: when it was recorded, for whatever reason */
	uint64_t dumping;  /* --overwrite: while rings were paused to be read */
	uint64_t scratch_busy;
	uint64_t return_depth; /* returns the kernel did not probe: too many pending in a thread */
	uint64_t task_table_full;
	uint64_t recursion; /* programs the kernel did not run because one was running: where it says so */
	uint64_t stacks;   /* stacks lost, events kept */
	uint64_t sideband; /* perf side-band records lost: names may be missing */
};

/* Events among them: what stacks and side-band are is no event. */
static inline uint64_t loss_events(const struct loss *loss)
{
	return loss->ring_full + loss->recorded + loss->dumping + loss->scratch_busy +
	       loss->return_depth + loss->task_table_full + loss->recursion;
}

/* Unwind tables of the run; all 0 where stacks were not walked by tables. */
struct table_summary {
	uint64_t tables, bytes, build_ns;
	uint64_t copies;    /* stacks that came as a copy of their memory */
	uint64_t no_room;   /* objects without a table: --unwind-mem */
	uint64_t no_number; /* the same: more objects than one recording can number */
	uint64_t failed;    /* the same: they could not be read */
	uint64_t processes; /* that could not be described to the walk */
};

struct run_summary {
	double seconds;
	uint64_t seen, delivered, lost; /* seen == delivered + lost */
	struct loss loss;
	const struct stack_quality *quality;
	struct table_summary tables;
	uint32_t processes; /* distinct pids with an event */
	uint64_t stacks;    /* distinct stacks */
	const char *title;  /* command line or target as the user gave it; not escaped */
	bool by_time;	    /* weights are times (off-CPU, wall) */
	bool is_wall;
	const struct source_info *const *sources;
	size_t source_count;
};

enum count_by {
	BY_COMM,
	BY_PID,
	BY_TID,
	BY_CPU,
	BY_CGROUP,
};

struct output_config {
	bool stacks; /* -g: print stacks below each event */
	bool user_only, kernel_only;
	enum count_by by;
	bool by_time; /* folded, svg, count: weight is time in us, not events */
	bool is_wall;
	bool counts_calls; /* --latency: only histograms, unless --if asks for calls */
	uint64_t start;	   /* ns, CLOCK_MONOTONIC: recording began; text shows time since then */
	const char *title;
	const struct source_info *const *sources;
	size_t source_count;
	bool is_late; /* events come long after what was mapped meanwhile */
	/* Of a replay: what its file says of the recording so far. NULL: it is made here and now. */
	const struct perf_data_info *recorded;
};

struct output;
struct perf_data_aux;

struct output_ops {
	const char *name;    /* --format */
	const char *endings; /* space-separated file name endings: ".json .jsonl" */
	bool aggregates;     /* wants counts, not events */
	bool is_binary;	     /* nothing for a terminal or a pipe */
	/* All return 0 or -errno; write errors (ENOSPC, EPIPE) come back from whichever call meets them. */
	int (*open)(struct output *output);
	int (*event)(struct output *output, const struct event *event);
	/*
	 * What PMUs that trace write: RECORD_AUX (event_id: the source's number) and RECORD_ITRACE_START, and the
	 * bytes of their areas. NULL: the format has no place for that.
	 */
	int (*trace)(struct output *output, const struct record *record);
	int (*trace_bytes)(struct output *output, const struct perf_data_aux *bytes);
	/* --latency: before finish, for each function. NULL: the format has no place for that. */
	int (*latency)(struct output *output, const struct latency_row *row);
	int (*finish)(struct output *output, struct counts *counts,
		      const struct run_summary *summary);
	void (*close)(struct output *output); /* frees private; called once, also after errors */
};

/* The state every format shares; a format keeps its own in private. */
struct output {
	const struct output_ops *ops;
	struct output_config config;
	struct symbolizer *symbolizer; /* not owned */
	struct source_lines *lines;    /* not owned; NULL: none are shown */
	struct tasks *tasks;	       /* not owned */
	FILE *file;		       /* not owned */
	void *private;
};

extern const struct output_ops output_text, output_json, output_perf_script, output_perf_data,
	output_folded, output_svg, output_count;

/* For formats that aggregate: all their work is in finish. An event is refused with -EINVAL. */
int output_open_nothing(struct output *output);
int output_refuse_event(struct output *output, const struct event *event);
void output_close_nothing(struct output *output);

/* By name, or by a file name's ending; NULL when unknown. */
const struct output_ops *output_by_name(const char *name);
const struct output_ops *output_by_ending(const char *path);
/* Comma-separated names of all formats, for messages. */
const char *output_names(void);

#endif
