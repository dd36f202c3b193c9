// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records in, events and counts out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/clock.h"
#include "collector.h"
#include "collector_perf.h"
#include "counter_deltas.h"
#include "process/tasks.h"
#include "record/from_bpf.h"
#include "record/from_perf.h"
#include "record/order.h"
#include "source/perf_events.h"
#include "source/plans.h"
#include "store_length.h"
#include "watched_values.h"

struct process_seen {
	uint32_t pid;
	UT_hash_handle hh;
};

int collector_open(struct collector *collector)
{
	collector->order = record_order_new();
	collector->counts = counts_new();
	if (!collector->order || !collector->counts) {
		collector_close(collector);
		return -ENOMEM;
	}
	return 0;
}

void collector_close(struct collector *collector)
{
	struct process_seen *process, *next;

	HASH_ITER(hh, collector->processes, process, next) {
		HASH_DEL(collector->processes, process);
		free(process);
	}
	counter_deltas_free(&collector->counters);
	record_order_free(collector->order);
	counts_free(collector->counts);
	latencies_free(&collector->latencies);
	quality_free(&collector->quality);
	leaves_free(&collector->values);
	constants_close(&collector->constants);
	collector->order = NULL;
	collector->counts = NULL;
}

static int note_process(struct collector *collector, uint32_t pid)
{
	struct process_seen *process;

	HASH_FIND(hh, collector->processes, &pid, sizeof(pid), process);
	if (process)
		return 0;
	process = calloc(1, sizeof(*process));
	if (!process)
		return -ENOMEM;
	process->pid = pid;
	HASH_ADD(hh, collector->processes, pid, sizeof(process->pid), process);
	if (process->hh.tbl)
		return 0;
	free(process);
	return -ENOMEM;
}

uint32_t collector_process_count(const struct collector *collector)
{
	return HASH_COUNT(collector->processes);
}

/* Before cookies: by the address of what was hit. */
static const struct source_info *find_by_address(struct collector *collector, enum rec_kind kind,
						 uint64_t site, pid_t pid, uint64_t time)
{
	const struct source_info *info = NULL;
	struct frame frame = {};

	tasks_resolve(collector->tasks, pid, time, site, &frame);
	for (size_t i = 0; !info && i < collector->source_count; i++)
		if (collector->sources[i].info.kind == kind)
			info = source_info_at(&collector->sources[i], &frame);
	return info;
}

/* Which source an event is from. Samples and waits have one source at most; probes say their site. */
static const struct source_info *find_source(struct collector *collector, enum rec_kind kind,
					     uint32_t flags, uint64_t site, pid_t pid,
					     uint64_t time)
{
	const struct output_config *config = &collector->output->config;

	if (flags & EVENT_SITE_IS_ADDRESS)
		return find_by_address(collector, kind, site, pid, time);
	if (kind != REC_SAMPLE && kind != REC_OFFCPU)
		return site < config->source_count && config->sources[site]->kind == kind ?
			       config->sources[site] :
			       NULL;
	for (size_t i = 0; i < collector->source_count; i++)
		if (collector->sources[i].info.kind == kind)
			return &collector->sources[i].info;
	return NULL;
}

static void note_quality(struct collector *collector, const struct stack *user, uint32_t flags,
			 uint64_t count)
{
	struct stack_quality *quality = &collector->quality;

	/* one frame was asked for and is there: nothing to judge */
	if (!collector->wants_stacks || (user && user->end == STACK_FRAME0))
		return;
	if (flags & EVENT_USER_STACK_LOST)
		quality->lost += count;
	else if (user)
		quality_add(quality, user, count);
	else
		return; /* a kernel thread has none, and one that had not run yet neither */
	quality->total += count;
}

/* An aggregated output counts an event that came as a record: the kernel's table was full, or is not used. */
static int count_record(struct collector *collector, const struct event *event)
{
	const struct record_event *record = event->record;
	struct count_row row = {
		.user = event->user,
		.kernel = event->kernel,
		.source = event->source,
		.pid = event->pid,
		.tid = event->tid,
		.cpu = collector->by == BY_CPU ? event->cpu : 0,
		.cgroup = collector->by == BY_CGROUP ? event->cgroup : 0,
		.flags = record->flags & ~(uint32_t)(EVENT_KERNEL_MODE | EVENT_OLD_KNOWN |
						     EVENT_NEW_KNOWN | EVENT_SITE_IS_ADDRESS),
		.count = 1,
		.ns = record->blocked_ns + record->call_ns,
	};

	if (!collector->is_wall && collector->by != BY_TID)
		row.tid = 0;
	memcpy(row.comm, record->comm, sizeof(row.comm));
	return counts_add(collector->counts, &row);
}

struct constants_at {
	struct constants *constants;
	const struct event *event;
};

static size_t read_constant(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct constants_at *at = context;

	return constants_read(at->constants, (pid_t)at->event->pid, at->event->time, address,
			      buffer, size);
}

/* An event without them is still one. */
static void take_values(struct collector *collector, const struct record_event *record,
			struct event *event)
{
	struct constants_at at = { &collector->constants, event };
	const struct value_list *list =
		collector->plans ? plans_values(collector->plans, record->plan) : NULL;

	leaves_clear(&collector->values);
	if (event->source->watched) {
		watched_values_render(event, collector->tasks, collector->symbolizer,
				      &collector->values);
		event->values = &collector->values;
		return;
	}
	if (!record->captured)
		return;
	collector->constants.tasks = collector->tasks;
	if (list && value_list_render(list, record->captured, record->captured_size, read_constant,
				      &at, &collector->values))
		event->values = &collector->values;
	else
		collector->values_malformed++;
}

/* What no stack of the event is missing for: event->source is known. */
int collector_hand_on(struct collector *collector, const struct event *event)
{
	collector->delivered++;
	note_quality(collector, event->user, event->record->flags, 1);
	if (note_process(collector, event->pid))
		return -ENOMEM;
	if (collector->output->ops->aggregates)
		return count_record(collector, event);
	return collector->output->ops->event(collector->output, event);
}

static bool asks_length(const struct record *record)
{
	return record->kind == RECORD_EVENT && record->event.flags & EVENT_ASKS_LENGTH;
}

int collector_event(struct collector *collector, const struct record *record)
{
	const struct record_event *wire = &record->event;
	struct record_event corrected;
	struct event event = {
		.time = record->time,
		.pid = record->pid,
		.tid = record->tid,
		.cpu = record->cpu,
		.record = wire,
		.user = stacks_get(collector->stacks, wire->user_stack),
		.kernel = stacks_get(collector->stacks, wire->kernel_stack),
	};

	if (asks_length(record)) {
		store_length_answer(collector, record);
		return 0;
	}
	if (collector_limit_reached(collector)) {
		collector->after_limit++;
		return 0;
	}
	event.source = find_source(collector, wire->kind, wire->flags, wire->site,
				   (pid_t)record->pid, record->time);
	if (!event.source) {
		collector->malformed++;
		return 0;
	}
	if (store_length_tells(collector, record)) {
		corrected = *wire;
		corrected.flags |= EVENT_NEW_KNOWN;
		event.record = &corrected;
	}
	take_values(collector, wire, &event);
	return collector_hand_on(collector, &event);
}

int collector_count(struct collector *collector, const struct count_key *key,
		    const struct count_value *value, uint64_t now)
{
	struct count_row row = {
		.user = stacks_get(collector->stacks, key->user_stack),
		.kernel = stacks_get(collector->stacks, key->kernel_stack),
		.pid = key->tgid,
		.tid = key->tid,
		.cpu = key->cpu,
		.cgroup = key->cgroup,
		.flags = key->flags & ~(uint32_t)EVENT_SITE_IS_ADDRESS,
		.count = value->count,
		.ns = value->ns,
	};

	row.source =
		find_source(collector, key->kind, key->flags, key->site, (pid_t)key->tgid, now);
	if (!row.source) {
		collector->malformed += value->count;
		return 0;
	}
	memcpy(row.comm, key->comm, TRACER_COMM);
	collector->delivered += value->count;
	note_quality(collector, row.user, key->flags, value->count);
	if (note_process(collector, key->tgid))
		return -ENOMEM;
	return counts_add(collector->counts, &row);
}

/* Of a call that was counted: its function's row. */
static int find_latency_row(struct collector *collector, const struct latency_key *key,
			    uint64_t now, struct latency_row **row)
{
	const struct source_info *source =
		find_source(collector, REC_LATENCY, key->flags, key->site, (pid_t)key->tgid, now);

	*row = NULL;
	if (!source) {
		collector->malformed++;
		return 0;
	}
	*row = latencies_row(&collector->latencies, source);
	return *row ? 0 : -ENOMEM;
}

int collector_latency(struct collector *collector, const struct latency_key *key,
		      const struct latency_value *value, uint64_t max_ns, uint64_t now)
{
	struct latency_row *row;
	int err = find_latency_row(collector, key, now, &row);

	if (err || !row)
		return err;
	row->count += value->count;
	row->total_ns += value->total_ns;
	row->unreturned += value->unreturned;
	if (max_ns > row->max_ns)
		row->max_ns = max_ns;
	for (size_t i = 0; i < LATENCY_SLOTS; i++)
		row->slots[i] += value->slots[i];
	if (!collector->counts_calls || row->source->has_predicate)
		return 0;
	collector->delivered += value->count;
	return value->count ? note_process(collector, key->tgid) : 0;
}

int collector_pending(struct collector *collector, const struct latency_key *key, uint64_t now)
{
	struct latency_row *row;
	int err = find_latency_row(collector, key, now, &row);

	if (row)
		row->running++;
	return err;
}

static int take_mapping(struct collector *collector, const struct record *record)
{
	int err;

	/* the programs must not take an address for the one that was mapped there before */
	if (collector->bpf->skeleton && !collector->unwinding->library)
		bpf_side_raise_generation(collector->bpf, record->pid, collector->round);
	err = tasks_apply(collector->tasks, record);
	if (!err && collector->mapped)
		collector->mapped(collector->mapped_context, record);
	return err;
}

/* -EAGAIN: the tables are being built; it comes again. */
static int take_copy(struct collector *collector, const struct record *copy)
{
	uint64_t ip[TRACER_MAX_STACK];
	struct record record = {
		.time = copy->time,
		.kind = RECORD_STACK,
		.cpu = copy->cpu,
		.pid = copy->pid,
		.tid = copy->tid,
	};
	int err = unwinding_walk(collector->unwinding, copy, collector->is_last_round, ip,
				 &record.stack);

	return err ? err : stacks_add(collector->stacks, &record);
}

static int take_ordered(void *context, const struct record *record)
{
	struct collector *collector = context;

	switch (record->kind) {
	case RECORD_MMAP:
		return take_mapping(collector, record);
	case RECORD_COMM:
	case RECORD_FORK:
	case RECORD_EXIT:
		return tasks_apply(collector->tasks, record);
	case RECORD_KSYMBOL:
		if (record->ksymbol.is_unregister)
			return 0; /* its name is still right for what was recorded */
		return symbolizer_add_kernel(collector->symbolizer, record->ksymbol.address,
					     record->ksymbol.length, record->ksymbol.name);
	case RECORD_LOST:
		collector->sideband_lost += record->lost.count;
		return 0;
	case RECORD_STACK:
		return stacks_add(collector->stacks, record);
	case RECORD_STACK_COPY:
		return take_copy(collector, record);
	case RECORD_EVENT:
		return collector_event(collector, record);
	case RECORD_SAMPLE:
		if (record->sample.event_id == PERF_EVENTS_TRIGGER) {
			collector_perf_trigger(collector, record);
			return 0;
		}
		return collector_perf_sample(collector, record);
	case RECORD_AUX:
	case RECORD_ITRACE_START:
		return collector->output->ops->trace ?
			       collector->output->ops->trace(collector->output, record) :
			       0;
	default:
		return 0;
	}
}

/* Did the programs lack a description of its process? */
static bool wants_tables(const struct record *record)
{
	return record->kind == RECORD_STACK_COPY ||
	       (record->kind == RECORD_STACK && record->stack.end == STACK_LATE);
}

static int take_bpf(void *context, const void *data, size_t size)
{
	struct collector *collector = context;
	struct record record;
	int err = 0;

	if (record_from_bpf(data, size, &record)) {
		collector->malformed++;
		return 0;
	}
	/* at once, if the process is known by now; else in its turn */
	if (asks_length(&record) && store_length_answer(collector, &record))
		return 0;
	if (wants_tables(&record))
		err = unwinding_want(collector->unwinding, record.pid);
	return err ? err : record_order_add(collector->order, &record);
}

static int take_sideband(void *context, const struct perf_event_header *header)
{
	struct collector *collector = context;
	struct record record;
	int err = record_from_perf(header, &record);

	if (err == -ENOMSG)
		return 0;
	if (err) {
		collector->malformed++;
		return 0;
	}
	if (collector->heard)
		collector->heard(collector->heard_context, &record);
	err = unwinding_note(collector->unwinding, &record);
	return err ? err : record_order_add(collector->order, &record);
}

static int read_rings(struct collector *collector)
{
	int sideband, events;

	if (collector->perf)
		return collector_perf_read(collector);
	sideband = sideband_consume(collector->sideband, take_sideband, collector);
	if (sideband < 0)
		return sideband;
	events = bpf_side_consume(collector->bpf, take_bpf, collector);
	return events < 0 ? events : sideband + events;
}

int collector_round(struct collector *collector)
{
	uint64_t started = clock_now();
	int count = read_rings(collector);
	int err;

	if (count < 0)
		return count;
	collector->round++;
	unwinding_round(collector->unwinding);
	err = record_order_flush(collector->order, collector->round_start, take_ordered, collector);
	collector->round_start = started;
	return err < 0 && err != -EAGAIN ? err : count;
}

int collector_finish(struct collector *collector)
{
	int count = collector->perf ? collector_perf_finish(collector) : read_rings(collector);

	if (count < 0)
		return count;
	collector->is_last_round = true;
	unwinding_round(collector->unwinding);
	return record_order_flush(collector->order, UINT64_MAX, take_ordered, collector);
}

int collector_add(struct collector *collector, const struct record *record)
{
	if (record->kind == RECORD_THROTTLE)
		collector->throttled += !record->throttle.is_end;
	return record_order_add(collector->order, record);
}

int collector_flush(struct collector *collector, uint64_t time, bool is_last)
{
	int err;

	collector->is_last_round = is_last;
	unwinding_round(collector->unwinding);
	err = record_order_flush(collector->order, is_last ? UINT64_MAX : time, take_ordered,
				 collector);
	return err == -EAGAIN ? 0 : err;
}

bool collector_limit_reached(const struct collector *collector)
{
	return collector->max_events && collector->delivered >= collector->max_events;
}
