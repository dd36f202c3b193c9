// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stat_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "options.h"

const char *stat_rows_by(const struct options *options)
{
	if (options->by == BY_CPU)
		return "cpu";
	if (options->by == BY_TID)
		return "thread";
	return options->by == BY_CGROUP || options->cgroup_count > 1 ? "cgroup" : NULL;
}

static long id_of(const struct options *options, const struct place *place)
{
	if (options->by == BY_CPU)
		return place->cpu;
	if (options->by == BY_TID)
		return place->pid;
	return stat_rows_by(options) ? (long)place->group : 0;
}

static void read_comm(long tid, char *comm, size_t size)
{
	char path[64];
	FILE *file;

	*comm = '\0';
	snprintf(path, sizeof(path), "/proc/%ld/comm", tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(comm, (int)size, file))
		comm[strcspn(comm, "\n")] = '\0';
	fclose(file);
}

static void name_key(const struct options *options, struct stat_key *key)
{
	char comm[32];

	if (options->by == BY_CPU) {
		snprintf(key->who, sizeof(key->who), "%ld", key->id);
	} else if (options->by == BY_TID) {
		read_comm(key->id, comm, sizeof(comm));
		snprintf(key->who, sizeof(key->who), "%ld %s", key->id, comm);
	} else if (stat_rows_by(options)) {
		snprintf(key->who, sizeof(key->who), "%s", options->cgroups[key->id]);
	}
}

/* The key of that id, made if it is the first. */
static size_t key_of(struct stat_rows *rows, long id)
{
	size_t i = 0;

	while (i < rows->key_count && rows->keys[i].id != id)
		i++;
	if (i == rows->key_count) {
		rows->keys[i].id = id;
		name_key(rows->options, &rows->keys[i]);
		rows->key_count++;
	}
	return i;
}

static enum stat_role role_of(const struct perf_event_attr *attr)
{
	static const enum stat_role hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = STAT_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = STAT_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = STAT_CACHE_REFERENCES,
		[PERF_COUNT_HW_CACHE_MISSES] = STAT_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = STAT_BRANCHES,
		[PERF_COUNT_HW_BRANCH_MISSES] = STAT_BRANCH_MISSES,
	};

	if (attr->type == PERF_TYPE_SOFTWARE &&
	    (attr->config == PERF_COUNT_SW_TASK_CLOCK || attr->config == PERF_COUNT_SW_CPU_CLOCK))
		return STAT_CPU_TIME;
	if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof(hardware) / sizeof(*hardware))
		return hardware[attr->config];
	return STAT_PLAIN;
}

static int name_event(struct stat_rows *rows, const struct counters *counters, size_t event)
{
	const struct event_spec *spec = &rows->events->specs[event];
	enum event_refusal refusal;
	char text[512];
	int err;

	rows->names[event] = event_label(spec, counters_is_user_only(counters, event));
	if (!rows->names[event])
		return -ENOMEM;
	refusal = counters_refusal(counters, event, &err);
	if (!refusal)
		return 0;
	event_refusal_reason(spec, refusal, err, text, sizeof(text));
	rows->reasons[event] = strdup(text);
	return rows->reasons[event] ? 0 : -ENOMEM;
}

static int allocate(struct stat_rows *rows)
{
	size_t places = rows->placement->count, events = rows->events->count;

	rows->keys = calloc(places, sizeof(*rows->keys));
	rows->key_of_place = calloc(places, sizeof(*rows->key_of_place));
	rows->before = calloc(places * events, sizeof(*rows->before));
	rows->rows = calloc(places * events, sizeof(*rows->rows));
	rows->names = calloc(events, sizeof(*rows->names));
	rows->reasons = calloc(events, sizeof(*rows->reasons));
	return rows->keys && rows->key_of_place && rows->before && rows->rows && rows->names &&
			       rows->reasons ?
		       0 :
		       -ENOMEM;
}

static bool is_shown(const struct stat_rows *rows, size_t place)
{
	int cpu = rows->placement->places[place].cpu;

	return cpu < 0 || !rows->options->cpus.count || cpulist_contains(&rows->options->cpus, cpu);
}

int stat_rows_open(struct stat_rows *rows, const struct options *options,
		   const struct event_list *events, const struct placement *placement,
		   const struct counters *counters)
{
	int err;

	*rows = (struct stat_rows){ .events = events, .placement = placement, .options = options };
	err = allocate(rows);
	if (err)
		return err;
	for (size_t i = 0; i < placement->count; i++)
		if (is_shown(rows, i))
			rows->key_of_place[i] = key_of(rows, id_of(options, &placement->places[i]));
	for (size_t i = 0; !err && i < events->count; i++)
		err = name_event(rows, counters, i);
	rows->count = rows->key_count * events->count;
	return err;
}

static struct stat_row empty_row(const struct stat_rows *rows, size_t key, size_t event)
{
	const struct event_spec *spec = &rows->events->specs[event];
	struct stat_row row = {
		.event = rows->names[event],
		.unit = spec->unit ? spec->unit : "",
		.scale = spec->scale ? spec->scale : 1,
		.role = role_of(&spec->attr),
		.who = stat_rows_by(rows->options) ? rows->keys[key].who : NULL,
		.why = rows->reasons[event],
	};

	if (row.role == STAT_CPU_TIME) {
		row.unit = "msec";
		row.scale = 1e-6;
	}
	return row;
}

/*
 * Of an event that is open for one thread on each CPU: how long it counted on all of them together. On one alone it
 * does not count while the thread is on another, which is not for want of a counter.
 */
static uint64_t running_on_all_cpus(const struct stat_rows *rows, const struct counters *counters,
				    size_t event, size_t place, bool is_interval)
{
	const struct place *places = rows->placement->places;
	size_t events = rows->events->count, first = place;
	uint64_t running = 0;

	while (first > 0 && places[first - 1].pid == places[place].pid)
		first--;
	for (size_t i = first; i < rows->placement->count && places[i].pid == places[place].pid;
	     i++) {
		running += counters_value(counters, event, i).running;
		if (is_interval)
			running -= rows->before[i * events + event].running;
	}
	return running;
}

/* What was counted since the report before, or in all. enabled: what running would be with a counter all the time. */
static struct counter_value change_of(const struct stat_rows *rows, const struct counters *counters,
				      size_t event, size_t place, bool is_interval)
{
	const struct place *where = &rows->placement->places[place];
	const struct counter_value *before = &rows->before[place * rows->events->count + event];
	struct counter_value change = counters_value(counters, event, place);
	uint64_t all;

	if (is_interval) {
		change.value -= before->value;
		change.enabled -= before->enabled;
		change.running -= before->running;
	}
	if (rows->placement->mode != PLACE_DEFAULT || where->cpu < 0)
		return change;
	all = running_on_all_cpus(rows, counters, event, place, is_interval);
	if (!all || all >= change.enabled)
		change.enabled = change.running;
	else
		change.enabled =
			(uint64_t)((double)change.running * (double)change.enabled / (double)all);
	return change;
}

/* A part of a sum is scaled by its own share of time. */
static void add_value(struct stat_row *row, const struct counter_value *value)
{
	bool shared = value->running && value->running < value->enabled;

	row->raw += value->value;
	row->count +=
		shared ? (double)value->value * (double)value->enabled / (double)value->running :
			 (double)value->value;
	row->enabled += value->enabled;
	row->running += value->running;
}

void stat_rows_make(struct stat_rows *rows, const struct counters *counters, bool is_interval)
{
	size_t events = rows->events->count, places = rows->placement->count;

	for (size_t i = 0; i < rows->count; i++)
		rows->rows[i] = empty_row(rows, i / events, i % events);
	for (size_t i = 0; i < places * events; i++) {
		size_t place = i / events, event = i % events;
		struct counter_value change = change_of(rows, counters, event, place, is_interval);

		if (is_shown(rows, place))
			add_value(&rows->rows[rows->key_of_place[place] * events + event], &change);
	}
	for (size_t i = 0; is_interval && i < places * events; i++)
		rows->before[i] = counters_value(counters, i % events, i / events);
}

static void free_all(char **texts, size_t count)
{
	for (size_t i = 0; texts && i < count; i++)
		free(texts[i]);
	free(texts);
}

void stat_rows_close(struct stat_rows *rows)
{
	size_t events = rows->events ? rows->events->count : 0;

	free_all(rows->names, events);
	free_all(rows->reasons, events);
	free(rows->keys);
	free(rows->key_of_place);
	free(rows->before);
	free(rows->rows);
	*rows = (struct stat_rows){};
}
