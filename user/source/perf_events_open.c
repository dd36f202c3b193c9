// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One event for each place and event of the list, each with an id that its records begin or end with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../base/log.h"
#include "perf_events_state.h"
#include "perf_open.h"

/* Beside samples in rings of their own. */
#define SIDEBAND_RING_BYTES (1u << 20)

static bool is_trace(const struct perf_events *events, size_t event)
{
	return event < events->config.events->count && perf_events_writes_aux(events, event);
}

static bool is_sample(const struct perf_events *events, size_t event)
{
	return event < events->config.events->count && !perf_events_writes_aux(events, event);
}

static int add_area(struct perf_events *events, size_t ring, const struct opened *opened,
		    const struct place *place)
{
	int err = aux_areas_add(events->areas, ring, ring_set_page(events->rings, ring), opened->fd,
				opened->id, place->cpu, place->pid);

	if (err)
		log_error("%s: an AUX area of %zu KiB: %s",
			  events->config.events->specs[opened->event].name,
			  events->config.aux_bytes / 1024, strerror(-err));
	return err;
}

/* Takes fd over, also when it fails. */
static int keep(struct perf_events *events, size_t event, const struct place *place, int fd)
{
	struct opened *opened = calloc(1, sizeof(*opened));
	int ring, err;

	if (!opened) {
		close(fd);
		return -ENOMEM;
	}
	opened->fd = fd;
	opened->event = event;
	err = ioctl(fd, PERF_EVENT_IOC_ID, &opened->id) ? -errno : 0;
	if (!err) {
		HASH_ADD(hh, events->opened, id, sizeof(opened->id), opened);
		if (!opened->hh.tbl)
			err = -ENOMEM;
	}
	if (err) {
		close(fd);
		free(opened);
		return err;
	}
	ring = ring_set_add(is_sample(events, event) && events->backward ? events->backward :
									   events->rings,
			    place->cpu, place->pid, fd);
	/* which is about memory, not about the event */
	if (ring < 0)
		return ring == -EPERM ? -EDQUOT : ring;
	return is_trace(events, event) ? add_area(events, (size_t)ring, opened, place) : 0;
}

static bool is_for_cpu(const struct event_spec *spec, int cpu)
{
	return !spec->cpus.count || cpu < 0 || cpulist_contains(&spec->cpus, cpu);
}

/* With one period or none. */
static enum aux_state try_aux_by(const struct perf_events *events, size_t event,
				 const struct place *place, bool by_period)
{
	const struct event_spec *spec = &events->config.events->specs[event];
	struct perf_event_attr attr = perf_attr_of(events, event);
	enum event_refusal refusal;
	bool possible;
	int fd;

	perf_attr_set_aux(spec, by_period, &attr);
	fd = event_open(spec, &attr, events->config.placement, place, -1, &refusal);
	if (fd < 0)
		return refusal == EVENT_TASK_GONE ? AUX_UNKNOWN : AUX_NONE;
	possible = aux_areas_possible(fd);
	close(fd);
	return !possible ? AUX_NONE : by_period ? AUX_WRITES : AUX_WRITES_NO_PERIOD;
}

/* Nothing but trying tells which PMUs trace. Errors are for those who open it in earnest. */
static enum aux_state try_aux(const struct perf_events *events, size_t event,
			      const struct place *place)
{
	enum aux_state state;

	if (events->config.events->specs[event].attr.type < PERF_TYPE_MAX)
		return AUX_NONE;
	state = try_aux_by(events, event, place, true);
	return state == AUX_NONE ? try_aux_by(events, event, place, false) : state;
}

/* *leader: the descriptor of its group's leader there, or -1; of a leader, it is set. */
static int open_at(struct perf_events *events, size_t event, const struct place *place, int *leader)
{
	const struct event_spec *spec = &events->config.events->specs[event];
	struct perf_event_attr attr;
	enum event_refusal refusal;
	char why[256];
	int fd, err;

	if (!is_for_cpu(spec, place->cpu))
		return 0;
	if (events->aux[event] == AUX_UNKNOWN)
		events->aux[event] = try_aux(events, event, place);
	attr = perf_attr_of(events, event);
	fd = event_open(spec, &attr, events->config.placement, place, *leader, &refusal);
	if (fd == -EINVAL && attr.inherit && attr.sample_type & PERF_SAMPLE_READ && *leader < 0) {
		events->groups_not_inherited = true;
		attr = perf_attr_of(events, event);
		fd = event_open(spec, &attr, events->config.placement, place, *leader, &refusal);
	}
	if (refusal == EVENT_GROUP_TOO_LARGE && spec->weak_group && *leader >= 0) {
		attr.disabled = 1;
		fd = event_open(spec, &attr, events->config.placement, place, -1, &refusal);
	}
	if (refusal == EVENT_TASK_GONE)
		return 0;
	if (fd < 0) {
		event_refusal_reason(spec, refusal, fd, why, sizeof(why));
		log_error("%s: %s", spec->name, why);
		return fd;
	}
	if (attr.exclude_kernel && !spec->attr.exclude_kernel)
		events->user_only[event] = true;
	perf_layout_of(&attr, &events->layouts[event]);
	err = keep(events, event, place, fd);
	events->counts[event] += !err;
	if (!err && spec->is_leader)
		*leader = fd;
	return err;
}

/* One event everywhere. leaders: by place. */
static int open_everywhere(struct perf_events *events, size_t event, int *leaders)
{
	const struct placement *placement = events->config.placement;
	int err = 0;

	for (size_t i = 0; !err && i < placement->count; i++) {
		if (!perf_events_is_member(events, event))
			leaders[i] = -1;
		err = open_at(events, event, &placement->places[i], &leaders[i]);
	}
	return err;
}

static void report_sideband(int err, bool of_everything)
{
	if ((err == -EACCES || err == -EPERM) && of_everything)
		log_error(
			"what is not ours to see cannot be recorded: it needs cap_perfmon, or "
			"kernel.perf_event_paranoid at 0 or lower (or record a COMMAND, or -p of your own)");
	else if (err == -EACCES || err == -EPERM)
		log_error(
			"the target is not ours to record: it needs cap_perfmon, or to be the same user");
	else
		log_error("side-band events (mappings, exec, fork): %s", strerror(-err));
}

static int open_sideband_at(struct perf_events *events, struct place place)
{
	struct perf_event_attr attr = perf_attr_of_sideband(events);
	int fd = perf_open(&attr, place.pid, place.cpu, -1);

	if (fd == -EACCES || fd == -EPERM) {
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		fd = perf_open(&attr, place.pid, place.cpu, -1);
	}
	if (fd == -ESRCH)
		return 0;
	if (fd < 0) {
		report_sideband(fd, place.pid < 0);
		return fd;
	}
	return keep(events, PERF_EVENTS_SIDEBAND, &place, fd);
}

/* A task may map something on another CPU than those that are sampled. */
static int open_sideband(struct perf_events *events)
{
	const struct placement *placement = events->config.placement;
	const struct cpulist *cpus = events->config.all_cpus;
	bool system_wide = placement->mode == PLACE_CPUS || placement->mode == PLACE_CGROUP;
	int err = 0;

	for (size_t i = 0; !err && system_wide && i < cpus->count; i++)
		err = open_sideband_at(events, (struct place){ .pid = -1, .cpu = cpus->cpus[i] });
	for (size_t i = 0;
	     !err && !system_wide && placement->mode == PLACE_PER_THREAD && i < placement->count;
	     i++)
		err = open_sideband_at(events, placement->places[i]);
	for (size_t i = 0;
	     !err && !system_wide && placement->mode == PLACE_DEFAULT && i < placement->tid_count;
	     i++)
		for (size_t k = 0; !err && k < cpus->count; k++)
			err = open_sideband_at(events, (struct place){ .pid = placement->tids[i],
								       .cpu = cpus->cpus[k] });
	return err;
}

static int open_trigger_at(struct perf_events *events, const struct event_spec *spec, bool is_probe,
			   const struct placement *placement, const struct place *place)
{
	struct perf_event_attr attr = perf_attr_of_trigger(events, spec, is_probe);
	enum event_refusal refusal;
	char why[256];
	int fd = event_open(spec, &attr, placement, place, -1, &refusal);

	if (refusal == EVENT_TASK_GONE)
		return 0;
	if (fd < 0) {
		event_refusal_reason(spec, refusal, fd, why, sizeof(why));
		log_error("--dump-on %s: %s%s", spec->name, why,
			  refusal == EVENT_NOT_PERMITTED && is_probe ?
				  " (of functions, with newer kernels cap_sys_admin)" :
				  "");
		return fd;
	}
	return keep(events, PERF_EVENTS_TRIGGER, place, fd);
}

/*
 * A uprobe's attribute points to its path in our memory, and the kernel reads it there again for each task that
 * would inherit it, in the memory of the task that forks: which then fails. So it is opened for all tasks, and whose
 * it is is the reader's business.
 */
static int open_probe_trigger(struct perf_events *events, const struct event_spec *spec)
{
	const struct placement everywhere = { .mode = PLACE_CPUS };
	const struct cpulist *cpus = events->config.all_cpus;
	int err = 0;

	for (size_t i = 0; !err && i < cpus->count; i++)
		err = open_trigger_at(events, spec, true, &everywhere,
				      &(struct place){ .pid = -1, .cpu = cpus->cpus[i] });
	return err;
}

static int open_trigger(struct perf_events *events, const struct event_spec *spec)
{
	const struct placement *placement = events->config.placement;
	int err = 0;

	if (spec->pmu && !strcmp(spec->pmu, "uprobe"))
		return open_probe_trigger(events, spec);
	for (size_t i = 0; !err && i < placement->count; i++)
		err = open_trigger_at(events, spec, false, placement, &placement->places[i]);
	return err;
}

static int open_triggers(struct perf_events *events)
{
	const struct event_list *triggers = events->config.triggers;
	int err = 0;

	for (size_t i = 0; !err && triggers && i < triggers->count; i++)
		err = open_trigger(events, &triggers->specs[i]);
	return err;
}

static int open_all(struct perf_events *events)
{
	const struct placement *placement = events->config.placement;
	int err = open_sideband(events), *leaders;

	if (!err)
		err = open_triggers(events);
	leaders = calloc(placement->count, sizeof(*leaders));
	if (!leaders)
		err = -ENOMEM;
	for (size_t event = 0; !err && event < events->config.events->count; event++)
		err = open_everywhere(events, event, leaders);
	free(leaders);
	return err;
}

static int open_rings(struct perf_events *events)
{
	struct ring_set_options options = {
		.bytes = events->config.ring_bytes,
		.most_bytes = events->config.most_ring_bytes,
		.use_clockid = true,
		.clockid = CLOCK_MONOTONIC,
		.epoll = events->config.epoll,
	};
	struct ring_set_options backward = options;
	int err;

	/* then the others hold side-band only */
	if (events->config.overwrite && options.bytes > SIDEBAND_RING_BYTES)
		options.bytes = SIDEBAND_RING_BYTES;
	err = ring_set_open(&options, &events->rings);
	if (err || !events->config.overwrite)
		return err;
	backward.backward = true;
	backward.most_bytes = 0;
	backward.epoll = -1; /* nothing is read before somebody asks */
	return ring_set_open(&backward, &events->backward);
}

int perf_events_open(const struct perf_events_config *config, struct perf_events **events_out)
{
	struct perf_events *events = calloc(1, sizeof(*events));
	struct perf_event_attr sideband;
	int err = -ENOMEM;

	if (!events)
		return -ENOMEM;
	events->config = *config;
	events->layouts = calloc(config->events->count, sizeof(*events->layouts));
	events->counts = calloc(config->events->count, sizeof(*events->counts));
	events->user_only = calloc(config->events->count, sizeof(*events->user_only));
	events->aux = calloc(config->events->count, sizeof(*events->aux));
	events->areas = aux_areas_new(config->aux_bytes, config->aux_mode);
	sideband = perf_attr_of_sideband(events);
	perf_layout_of(&sideband, &events->common);
	if (events->layouts && events->counts && events->user_only && events->aux && events->areas)
		err = open_rings(events);
	if (!err)
		err = open_all(events);
	if (err) {
		perf_events_close(events);
		return err;
	}
	*events_out = events;
	return 0;
}
