// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records that perf rings carry, and what a sample of them becomes. */
#include "collector_perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "perf_data/own_sample.h"
#include "process/tasks.h"
#include "record/order.h"
#include "sample_stacks.h"
#include "source/perf_events.h"

/* As perf calls tasks of which nobody told it: by number; each CPU's idle task is 0. */
static void name_task(struct collector *collector, const struct record *record, char *comm,
		      size_t size)
{
	const char *known =
		tasks_comm(collector->tasks, (pid_t)record->pid, (pid_t)record->tid, record->time);

	if (known && *known)
		snprintf(comm, size, "%s", known);
	else if (!record->tid)
		snprintf(comm, size, "swapper");
	else
		snprintf(comm, size, ":%u", record->tid);
}

int collector_perf_sample(struct collector *collector, const struct record *record)
{
	const struct record_sample *sample = &record->sample;
	struct own_sample own;
	bool is_own = own_sample_decode(sample->raw, sample->raw_size, &own);
	const struct sample_stacks stacks = {
		.own = is_own ? &own : NULL,
		.unwinding = collector->unwinding,
		.stacks = collector->stacks,
		.max_stack = collector->max_stack,
		.wants_stacks = collector->wants_stacks,
		.user_only = collector->user_only,
		.kernel_only = collector->kernel_only,
		.is_last_round = collector->is_last_round,
	};
	const struct source_info *source = &collector->sources[sample->event_id].info;
	struct record_event wire = { .kind = source->kind, .period = sample->period };
	struct event event = {
		.time = record->time,
		.pid = record->pid,
		.tid = record->tid,
		.cpu = record->cpu,
		.cgroup = sample->cgroup,
		.record = &wire,
		.source = source,
	};
	int err;

	if (collector_limit_reached(collector)) {
		collector->after_limit++;
		return 0;
	}
	err = sample_stacks_take(&stacks, record, &event.user, &event.kernel);
	if (err)
		return err;
	if (is_own)
		own_sample_restore(&own, &wire);
	else if ((sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		wire.flags |= EVENT_KERNEL_MODE;
	if (source->kind == REC_OFFCPU)
		wire.blocked_ns = sample->period;
	name_task(collector, record, wire.comm, sizeof(wire.comm));
	return collector_hand_on(collector, &event);
}

/* What a ring lost is counted by itself. */
static bool concerns_us(const struct collector *collector, const struct record *record)
{
	if (record->kind == RECORD_LOST || record->kind == RECORD_LOST_SAMPLES)
		return false;
	/* -a: our own samples are not what anybody asked for */
	return record->kind != RECORD_SAMPLE || record->pid != collector->own_pid;
}

static int take_perf(void *context, size_t event, const struct perf_layout *layout,
		     const struct perf_event_header *header)
{
	struct collector *collector = context;
	struct record record;
	int err = record_from_perf_layout(layout, header, &record);

	if (err == -ENOMSG)
		return 0;
	if (err || (record.kind == RECORD_SAMPLE && event >= collector->source_count)) {
		collector->malformed++;
		return 0;
	}
	if (!concerns_us(collector, &record))
		return 0;
	/* from here on it is the source's number */
	if (record.kind == RECORD_SAMPLE)
		record.sample.event_id = event;
	if (record.kind == RECORD_THROTTLE)
		collector->throttled += !record.throttle.is_end;
	err = unwinding_note(collector->unwinding, &record);
	return err ? err : record_order_add(collector->order, &record);
}

int collector_perf_read(struct collector *collector)
{
	return perf_events_consume(collector->perf, take_perf, collector);
}

int collector_perf_finish(struct collector *collector)
{
	return perf_events_finish(collector->perf, take_perf, collector);
}
