// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the perf engine asks of the kernel, event by event. */
#include <time.h>

#include "../unwind/sample_walk.h"
#include "perf_events_state.h"

/* All events have these, so that a record's event can be told before its layout is known. */
#define COMMON_SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static uint64_t sample_type_of(const struct perf_events_config *config,
			       const struct event_spec *spec)
{
	uint64_t type = COMMON_SAMPLE_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	bool by_frames = config->call_graph == CALL_GRAPH_FP ||
			 spec->call_graph == EVENT_CALL_GRAPH_FP;
	bool none = config->call_graph == CALL_GRAPH_NONE ||
		    spec->call_graph == EVENT_CALL_GRAPH_NONE;

	if (spec->attr.type == PERF_TYPE_BREAKPOINT)
		type |= PERF_SAMPLE_ADDR;
	if (config->keep_cgroup)
		type |= PERF_SAMPLE_CGROUP;
	if (none)
		return type;
	if (config->kernel_stacks || (config->user_stacks && by_frames))
		type |= PERF_SAMPLE_CALLCHAIN;
	if (config->user_stacks && !by_frames)
		type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	return type;
}

static void set_stacks(const struct perf_events_config *config, const struct event_spec *spec,
		       struct perf_event_attr *attr)
{
	if (attr->sample_type & PERF_SAMPLE_STACK_USER) {
		attr->sample_regs_user = sample_walk_registers();
		attr->sample_stack_user = spec->stack_size ? spec->stack_size : config->stack_bytes;
		attr->exclude_callchain_user = 1;
	}
	attr->exclude_callchain_user |= !config->user_stacks;
	attr->exclude_callchain_kernel = !config->kernel_stacks || attr->exclude_kernel;
	/* all places alike: event_open() does the same where it must leave the kernel out */
	if (attr->exclude_callchain_user && attr->exclude_callchain_kernel)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

/* A period of 1 is what tracepoints and breakpoints have when nobody says anything. */
static void set_period(const struct perf_events_config *config, const struct event_spec *spec,
		       struct perf_event_attr *attr)
{
	if (spec->has_period || spec->has_freq)
		return;
	if (config->period) {
		attr->freq = 0;
		attr->sample_period = config->period;
	} else if (!attr->sample_period) {
		attr->freq = 1;
		attr->sample_freq = config->frequency;
	}
}

/* The leader of the event's group, or itself. */
static size_t leader_of(const struct perf_events *events, size_t event)
{
	const struct event_spec *specs = events->config.events->specs;

	while (specs[event].group && !specs[event].is_leader)
		event--;
	return event;
}

bool perf_events_is_member(const struct perf_events *events, size_t event)
{
	return leader_of(events, event) != event;
}

/* :S: the leader's samples carry the counts of all, which have none themselves. */
static void set_group(const struct perf_events *events, size_t event, struct perf_event_attr *attr)
{
	if (perf_events_is_member(events, event))
		attr->disabled = 0; /* it begins with the leader */
	if (!events->config.events->specs[leader_of(events, event)].sample_read)
		return;
	if (events->groups_not_inherited)
		attr->inherit = 0;
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	if (!perf_events_is_member(events, event))
		return;
	attr->freq = 0;
	attr->sample_period = 0;
}

bool perf_events_writes_aux(const struct perf_events *events, size_t event)
{
	return events->aux[event] == AUX_WRITES || events->aux[event] == AUX_WRITES_NO_PERIOD;
}

/* What it has to say is in its area. */
void perf_attr_set_aux(const struct event_spec *spec, bool by_period, struct perf_event_attr *attr)
{
	attr->sample_type = COMMON_SAMPLE_TYPE;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
	attr->write_backward = 0;
	if (spec->has_period || spec->has_freq)
		return;
	attr->freq = 0;
	attr->sample_period = by_period;
}

struct perf_event_attr perf_attr_of(const struct perf_events *events, size_t event)
{
	const struct perf_events_config *config = &events->config;
	const struct event_spec *spec = &config->events->specs[event];
	struct perf_event_attr attr = spec->attr;

	attr.size = sizeof(attr);
	attr.sample_type = sample_type_of(config, spec);
	attr.sample_id_all = 1;
	attr.disabled = 1;
	attr.inherit = config->placement->inherit;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	set_period(config, spec, &attr);
	/* the kernel then takes every single event of its own for a sample, whatever the period */
	if (!attr.freq)
		attr.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	if (events->user_only[event]) {
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
	}
	set_stacks(config, spec, &attr);
	set_group(events, event, &attr);
	attr.write_backward = config->overwrite;
	if (perf_events_writes_aux(events, event))
		perf_attr_set_aux(spec, events->aux[event] == AUX_WRITES, &attr);
	return attr;
}

struct perf_event_attr perf_attr_of_sideband(const struct perf_events *events)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = COMMON_SAMPLE_TYPE,
		.sample_id_all = 1,
		.disabled = 1,
		.inherit = events->config.placement->inherit,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

struct perf_event_attr perf_attr_of_trigger(const struct perf_events *events,
					    const struct event_spec *spec, bool is_probe)
{
	struct perf_event_attr attr = spec->attr;

	attr.size = sizeof(attr);
	attr.sample_type = COMMON_SAMPLE_TYPE;
	attr.sample_id_all = 1;
	attr.disabled = 1;
	attr.inherit = events->config.placement->inherit && !is_probe;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.wakeup_events = 1;
	if (!attr.sample_period)
		attr.sample_period = 1;
	return attr;
}
