// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records that perf rings carry, and what a sample of them becomes. */
#include "collector_perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "counter_deltas.h"
#include "perf_data/own_sample.h"
#include "perf_data/writer.h"
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

/* A counter of the leader's group, as if its event had been sampled where the leader was: as perf shows it. */
static int take_counter(struct collector *collector, const struct record_counter *counter,
			size_t leader, struct record_event *wire, struct event *event)
{
	bool by_thread;
	size_t source;
	int err;

	if (!collector->source_of_counter(collector->counter_context, counter->id, &source,
					  &by_thread) ||
	    source >= collector->source_count) {
		collector->malformed++;
		return 0;
	}
	err = counter_deltas_take(&collector->counters, counter->id, by_thread ? event->tid : 0,
				  counter->value, &wire->period);
	if (err || !wire->period || collector_limit_reached(collector))
		return err;
	/* what is added up are samples, and there was one */
	if (collector->output->ops->aggregates && source != leader)
		return 0;
	event->source = &collector->sources[source].info;
	return collector_hand_on(collector, event);
}

static int take_counters(struct collector *collector, const struct record_sample *sample,
			 struct record_event *wire, struct event *event)
{
	int err = 0;

	for (uint64_t i = 0; !err && i < sample->counter_count; i++) {
		const struct record_counter counter = record_sample_counter(sample, i);

		err = take_counter(collector, &counter, sample->event_id, wire, event);
	}
	return err;
}

/* Read with its group: then the ids tell whose the values are. */
static bool is_of_group(const struct collector *collector, const struct record_sample *sample)
{
	return collector->source_of_counter && sample->read_format & PERF_FORMAT_GROUP &&
	       sample->read_format & PERF_FORMAT_ID;
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
	if (is_own && own.has_values &&
	    leaves_decode(&collector->values, own.values, own.value_bytes))
		event.values = &collector->values;
	else if ((sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		wire.flags |= EVENT_KERNEL_MODE;
	if (source->kind == REC_OFFCPU || (collector->clocks_weigh && source_info_is_clock(source)))
		wire.blocked_ns = sample->period;
	name_task(collector, record, wire.comm, sizeof(wire.comm));
	if (is_of_group(collector, sample))
		return take_counters(collector, sample, &wire, &event);
	return collector_hand_on(collector, &event);
}

/* Probes fire in all tasks. Of others than the target's no side-band is asked for. */
static bool is_of_target(const struct collector *collector, const struct record *record)
{
	return collector->everything || tasks_is_known(collector->tasks, (pid_t)record->pid);
}

void collector_perf_trigger(struct collector *collector, const struct record *record)
{
	if (!is_of_target(collector, record))
		return;
	collector->dump_wanted = true;
	collector->triggered++;
}

/* At once, for what is kept is overwritten soon; of a process that we have not heard of yet, in its order of time. */
static int take_trigger(struct collector *collector, struct record *record)
{
	if (record->kind != RECORD_SAMPLE)
		return 0;
	record->sample.event_id = PERF_EVENTS_TRIGGER;
	if (!is_of_target(collector, record))
		return record_order_add(collector->order, record);
	collector_perf_trigger(collector, record);
	return 0;
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
	if (!err && event == PERF_EVENTS_TRIGGER)
		return take_trigger(collector, &record);
	if (err || (record.kind == RECORD_SAMPLE && event >= collector->source_count)) {
		collector->malformed++;
		return 0;
	}
	if (!concerns_us(collector, &record))
		return 0;
	/* from here on it is the source's number */
	if (record.kind == RECORD_SAMPLE)
		record.sample.event_id = event;
	if (record.kind == RECORD_AUX)
		record.aux.event_id = event;
	if (record.kind == RECORD_THROTTLE)
		collector->throttled += !record.throttle.is_end;
	err = unwinding_note(collector->unwinding, &record);
	return err ? err : record_order_add(collector->order, &record);
}

/* ---- AUX areas ------------------------------------------------------------------------------------- */

static int take_trace(void *context, const struct aux_origin *origin, const struct aux_span *span)
{
	const struct collector *collector = context;
	const struct perf_data_aux bytes = {
		.offset = span->from,
		.reference = span->from,
		.index = origin->index,
		.tid = origin->cpu < 0 ? (uint32_t)origin->tid : UINT32_MAX,
		.cpu = (uint32_t)origin->cpu,
		.first = span->piece[0].data,
		.first_size = span->piece[0].size,
		.second = span->piece[1].data,
		.second_size = span->piece[1].size,
	};

	if (!collector->output->ops->trace_bytes)
		return 0;
	return collector->output->ops->trace_bytes(collector->output, &bytes);
}

/* One that is corrupt says so by what it skips, which is counted. */
static int read_areas(struct collector *collector, bool is_last)
{
	int more;

	if (collector->by_snapshot)
		return 0;
	more = aux_areas_read(perf_events_aux(collector->perf), is_last, take_trace, collector);
	return more == -EBADMSG ? 0 : more;
}

int collector_perf_dump(struct collector *collector)
{
	int count = 0, err = 0;

	collector->dump_wanted = false;
	if (collector->by_snapshot)
		err = aux_areas_snapshot(perf_events_aux(collector->perf), take_trace, collector);
	if (!err && collector->overwrites)
		count = perf_events_snapshot(collector->perf, take_perf, collector);
	collector->dumps++;
	return err ? err : count;
}

int collector_perf_last_dump(struct collector *collector, bool is_wanted)
{
	int count = 0, err = 0;

	if (collector->by_snapshot && is_wanted)
		err = aux_areas_snapshot(perf_events_aux(collector->perf), take_trace, collector);
	if (!err && collector->overwrites)
		count = perf_events_last_snapshot(collector->perf, is_wanted ? take_perf : NULL,
						  collector);
	collector->dumps += is_wanted;
	return err ? err : count;
}

/* ---- rings ------------------------------------------------------------------------------------------ */

int collector_perf_read(struct collector *collector)
{
	int count = perf_events_consume(collector->perf, take_perf, collector), more;

	if (count < 0)
		return count;
	more = read_areas(collector, false);
	collector->trace_waits = more > 0;
	return more < 0 ? more : count;
}

int collector_perf_finish(struct collector *collector)
{
	int count = perf_events_finish(collector->perf, take_perf, collector), more = 1;

	while (count >= 0 && more > 0)
		more = read_areas(collector, true);
	return count < 0 ? count : more < 0 ? more : count;
}
