/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the streams meet: records of the BPF rings and of the side-band, in order of time, become
 * mappings, stacks and events; events go to the output or into counts.
 */
#ifndef TRACER_COLLECTOR_H
#define TRACER_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/output.h"
#include "process/constants.h"
#include "source/bpf_side.h"
#include "source/sideband.h"
#include "source/source.h"
#include "unwinding.h"

struct counter_delta;
struct perf_events;
struct process_seen;
struct record_order;

/* The session fills in the upper part; everything pointed to is the session's. */
struct collector {
	struct bpf_side *bpf;
	struct sideband *sideband;
	struct perf_events *
		perf; /* the perf engine's, whose numbers are those of sources; else NULL, and bpf is used */
	struct tasks *tasks;
	struct stacks *stacks;
	struct symbolizer *symbolizer;
	struct output *output;
	struct unwinding *unwinding;
	const struct source *sources;
	size_t source_count;
	uint64_t max_events; /* 0: no limit */
	bool is_wall;
	bool counts_calls; /* --latency: calls are no events, but only counted */
	bool wants_stacks; /* whole ones: how they ended is worth counting */
	bool user_only, kernel_only;
	uint32_t max_stack; /* frames */
	uint32_t own_pid;
	bool everything;   /* all tasks are the target, or those of a cgroup */
	bool clocks_weigh; /* samples of a clock add up to time */
	bool by_snapshot;  /* AUX areas are read only when a snapshot is wanted */
	bool overwrites;   /* so are the rings of samples */
	/* Told of each mapping once it is known; NULL: nobody. */
	void (*mapped)(void *context, const struct record *record);
	void *mapped_context;
	/* Told of side-band as soon as it is read. NULL: nobody. */
	void (*heard)(void *context, const struct record *record);
	void *heard_context;
	/*
	 * Which source a counter in a leader's samples (:S) is of, by its id, and whether each thread has one of its
	 * own by that id; false: none that is known. Samples without counters need none.
	 */
	bool (*source_of_counter)(void *context, uint64_t id, size_t *source, bool *by_thread);
	void *counter_context;
	enum count_by by;

	const struct plans *plans; /* of captured values; NULL: there are none */

	/* from here on the collector's own */
	struct leaves values; /* of the event that is handed on */
	struct constants constants;
	uint64_t values_malformed; /* events whose values are not what their probe captures */
	struct counts *counts;	   /* for aggregated outputs */
	struct latencies latencies;
	struct record_order *order;
	struct process_seen *processes;
	struct counter_delta *counters;
	struct stack_quality quality;
	uint64_t delivered;   /* events */
	uint64_t after_limit; /* events that came when max_events had been reached */
	uint64_t sideband_lost;
	uint64_t throttled; /* times that the kernel stopped a perf event for a while */
	uint64_t malformed; /* records that could not be decoded: a bug, or another version's programs */
	uint64_t round_start; /* of the round before, ns */
	uint32_t round;
	bool is_last_round;
	bool dump_wanted;   /* what was to tell so has happened */
	uint64_t triggered; /* times that it did */
	uint32_t dumps;
	bool trace_waits; /* more bytes of AUX areas are there to be read */
};

int collector_open(struct collector *collector);
void collector_close(struct collector *collector);
/*
 * Reads every ring once and hands on what is in order by now. The number of records read, or an
 * output's write error.
 */
int collector_round(struct collector *collector);
/* The last round: nothing comes any more, so everything is handed on. 0 or an output's write error. */
int collector_finish(struct collector *collector);
/*
 * A record of a recording made before: a sample's event_id is the number of its source. 0 or -ENOMEM.
 */
int collector_add(struct collector *collector, const struct record *record);
/* Hands on what was added and is not after that time; with is_last all of it. 0 or an output's write error. */
int collector_flush(struct collector *collector, uint64_t time, bool is_last);
/* Takes an event that does not come from a ring (a thread still blocked at the end). 0 or -errno. */
int collector_event(struct collector *collector, const struct record *record);
/* Adds a counter of the kernel's tables. now: ns, to resolve sites. 0 or -ENOMEM. */
int collector_count(struct collector *collector, const struct count_key *key,
		    const struct count_value *value, uint64_t now);
/* An event, all of whose stacks are there, goes to the output or into the counts. 0 or -errno. */
int collector_hand_on(struct collector *collector, const struct event *event);
/* Adds a histogram of the kernel's, or a call that was still running. 0 or -ENOMEM. */
int collector_latency(struct collector *collector, const struct latency_key *key,
		      const struct latency_value *value, uint64_t max_ns, uint64_t now);
int collector_pending(struct collector *collector, const struct latency_key *key, uint64_t now);
bool collector_limit_reached(const struct collector *collector);
/* Distinct processes with an event. */
uint32_t collector_process_count(const struct collector *collector);

#endif
