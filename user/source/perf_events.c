// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One event for each place and event of the list, each with an id that its records begin or end with. */
#include "perf_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "../base/log.h"
#include "../unwind/sample_walk.h"
#include "perf_open.h"

/* How long the last records may take. */
#define FINISH_MS 1000
/* Beside samples in rings of their own. */
#define SIDEBAND_RING_BYTES (1u << 20)
/* All events have these, so that a record's event can be told before its layout is known. */
#define COMMON_SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

struct opened {
	uint64_t id;
	size_t event; /* of the list, or PERF_EVENTS_* */
	int fd;
	UT_hash_handle hh;
};

/* AUX_WRITES: with a period of 1, as perf opens Intel PT. Other PMUs take none. */
enum aux_state { AUX_UNKNOWN, AUX_NONE, AUX_WRITES, AUX_WRITES_NO_PERIOD };

struct perf_events {
	struct perf_events_config config;
	struct ring_set *rings;
	struct ring_set *backward; /* of samples, with overwrite */
	struct aux_areas *areas;
	enum aux_state *aux;	     /* [events->count] */
	struct opened *opened;	     /* by id */
	struct perf_layout *layouts; /* [events->count] */
	struct perf_layout common;
	size_t *counts; /* [events->count]: how many are open */
	bool *user_only;
	bool groups_not_inherited; /* the kernel cannot, before 6.12 */
	/* of the call that is going on */
	perf_events_fn callback;
	void *context;
};

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

static bool is_member(const struct perf_events *events, size_t event)
{
	return leader_of(events, event) != event;
}

/* :S: the leader's samples carry the counts of all, which have none themselves. */
static void set_group(const struct perf_events *events, size_t event, struct perf_event_attr *attr)
{
	if (is_member(events, event))
		attr->disabled = 0; /* it begins with the leader */
	if (!events->config.events->specs[leader_of(events, event)].sample_read)
		return;
	if (events->groups_not_inherited)
		attr->inherit = 0;
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	if (!is_member(events, event))
		return;
	attr->freq = 0;
	attr->sample_period = 0;
}

static bool writes_aux(const struct perf_events *events, size_t event)
{
	return events->aux[event] == AUX_WRITES || events->aux[event] == AUX_WRITES_NO_PERIOD;
}

/* What it has to say is in its area. */
static void set_aux(const struct event_spec *spec, bool by_period, struct perf_event_attr *attr)
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

static struct perf_event_attr attr_of(const struct perf_events *events, size_t event)
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
	if (writes_aux(events, event))
		set_aux(spec, events->aux[event] == AUX_WRITES, &attr);
	return attr;
}

static struct perf_event_attr sideband_attr(const struct perf_events *events)
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

static bool is_trace(const struct perf_events *events, size_t event)
{
	return event < events->config.events->count && writes_aux(events, event);
}

static bool is_sample(const struct perf_events *events, size_t event)
{
	return event < events->config.events->count && !writes_aux(events, event);
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
	struct perf_event_attr attr = attr_of(events, event);
	enum event_refusal refusal;
	bool possible;
	int fd;

	set_aux(spec, by_period, &attr);
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
	attr = attr_of(events, event);
	fd = event_open(spec, &attr, events->config.placement, place, *leader, &refusal);
	if (fd == -EINVAL && attr.inherit && attr.sample_type & PERF_SAMPLE_READ && *leader < 0) {
		events->groups_not_inherited = true;
		attr = attr_of(events, event);
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
		if (!is_member(events, event))
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
	struct perf_event_attr attr = sideband_attr(events);
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

static struct perf_event_attr trigger_attr(const struct perf_events *events,
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

static int open_trigger_at(struct perf_events *events, const struct event_spec *spec, bool is_probe,
			   const struct placement *placement, const struct place *place)
{
	struct perf_event_attr attr = trigger_attr(events, spec, is_probe);
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
	sideband = sideband_attr(events);
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

static int control(struct perf_events *events, unsigned long request, bool sideband)
{
	struct opened *opened, *next;

	HASH_ITER(hh, events->opened, opened, next) {
		if ((opened->event == PERF_EVENTS_SIDEBAND) == sideband &&
		    ioctl(opened->fd, request, 0))
			return -errno;
	}
	return 0;
}

/* What is mapped must be known from before the first sample. */
int perf_events_start_sideband(struct perf_events *events)
{
	return control(events, PERF_EVENT_IOC_ENABLE, true);
}

int perf_events_enable(struct perf_events *events)
{
	return control(events, PERF_EVENT_IOC_ENABLE, false);
}

void perf_events_disable(struct perf_events *events)
{
	control(events, PERF_EVENT_IOC_DISABLE, false);
	control(events, PERF_EVENT_IOC_DISABLE, true);
}

bool perf_events_is_user_only(const struct perf_events *events, size_t event)
{
	return events->user_only[event];
}

bool perf_events_has_aux(const struct perf_events *events, size_t event)
{
	return writes_aux(events, event);
}

bool perf_events_find(const struct perf_events *events, uint64_t id, size_t *event, bool *by_thread)
{
	struct opened *opened = NULL;

	HASH_FIND(hh, events->opened, &id, sizeof(id), opened);
	if (!opened || opened->event >= events->config.events->count)
		return false;
	*event = opened->event;
	*by_thread = events->config.placement->inherit && !events->groups_not_inherited;
	return true;
}

bool perf_events_groups_not_inherited(const struct perf_events *events)
{
	return events->groups_not_inherited;
}

struct aux_areas *perf_events_aux(const struct perf_events *events)
{
	return events->areas;
}

size_t perf_events_opened(const struct perf_events *events, size_t event)
{
	return events->counts[event];
}

static void note_aux(struct perf_events *events, uint64_t id,
		     const struct perf_event_header *header)
{
	struct record record;

	if (header->type == PERF_RECORD_AUX &&
	    !record_from_perf_layout(&events->common, header, &record))
		aux_areas_note(events->areas, id, record.aux.flags);
}

static int take(void *context, size_t ring, const struct perf_event_header *header)
{
	struct perf_events *events = context;
	const struct perf_layout *layout = &events->common;
	struct opened *opened = NULL;
	uint64_t id = 0;

	(void)ring;
	if (perf_layout_event_id(&events->common, header, &id))
		HASH_FIND(hh, events->opened, &id, sizeof(id), opened);
	if (opened && opened->event < events->config.events->count)
		layout = &events->layouts[opened->event];
	note_aux(events, id, header);
	if (!events->callback)
		return 0;
	return events->callback(events->context, opened ? opened->event : PERF_EVENTS_SIDEBAND,
				layout, header);
}

int perf_events_consume(struct perf_events *events, perf_events_fn callback, void *context)
{
	events->callback = callback;
	events->context = context;
	return ring_set_consume(events->rings, take, events);
}

int perf_events_snapshot(struct perf_events *events, perf_events_fn callback, void *context)
{
	events->callback = callback;
	events->context = context;
	return ring_set_snapshot(events->backward, take, events);
}

int perf_events_last_snapshot(struct perf_events *events, perf_events_fn callback, void *context)
{
	events->callback = callback;
	events->context = context;
	return ring_set_finish(events->backward, FINISH_MS, take, events);
}

int perf_events_finish(struct perf_events *events, perf_events_fn callback, void *context)
{
	events->callback = callback;
	events->context = context;
	return ring_set_finish(events->rings, FINISH_MS, take, events);
}

void perf_events_woken(struct perf_events *events, const struct epoll_event *event)
{
	ring_set_woken(events->rings, event);
}

const struct ring_set *perf_events_rings(const struct perf_events *events)
{
	return events->rings;
}

const struct ring_set *perf_events_backward_rings(const struct perf_events *events)
{
	return events->backward;
}

void perf_events_close(struct perf_events *events)
{
	struct opened *opened, *next;

	if (!events)
		return;
	aux_areas_free(events->areas);
	ring_set_close(events->rings);
	ring_set_close(events->backward);
	HASH_ITER(hh, events->opened, opened, next) {
		HASH_DEL(events->opened, opened);
		close(opened->fd);
		free(opened);
	}
	free(events->layouts);
	free(events->counts);
	free(events->user_only);
	free(events->aux);
	free(events);
}
