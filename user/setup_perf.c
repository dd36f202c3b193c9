// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "setup_perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/log.h"
#include "loop.h"
#include "privileges.h"
#include "session_state.h"
#include "setup.h"
#include "source/self_test.h"

/* User stack that is copied with each sample: most stacks are smaller. */
#define STACK_BYTES (32u << 10)
/* -m auto: from here to there. */
#define AUTO_RING_BYTES	     (64ull << 10)
#define AUTO_MOST_RING_BYTES (64ull << 20)
/* Without -m: some 250 samples with their stacks. */
#define DEFAULT_RING_BYTES (8ull << 20)
/* As perf has it. */
#define DEFAULT_AUX_BYTES (4ull << 20)
/* The least that the default is lowered to where the kernel locks no more memory for us. */
#define LEAST_RING_BYTES (32ull << 10)

/* What BPF alone can do. */
static const char *needs_bpf(const struct options *options)
{
	if (options->off_cpu)
		return "--off-cpu";
	if (options->wall)
		return "--wall";
	if (options->probe_count)
		return "a probe or breakpoint";
	return NULL;
}

static const char *needs_perf(const struct options *options)
{
	if (options->event_count)
		return "-e";
	if (options->per_thread)
		return "--per-thread";
	if (options->overwrite)
		return "--overwrite";
	return options->cgroup_count ? "-G" : NULL;
}

static int choose(const struct options *options, bool *by_perf)
{
	const char *bpf = needs_bpf(options), *perf = needs_perf(options);

	*by_perf = options->engine == ENGINE_PERF || perf;
	if (*by_perf && bpf) {
		log_error("%s: needs the bpf engine, and %s the perf engine: record them one by one",
			  bpf, perf ? perf : "--engine perf is");
		return -EINVAL;
	}
	if (perf && options->engine == ENGINE_BPF) {
		log_error("--engine bpf: %s needs the perf engine in this version", perf);
		return -EINVAL;
	}
	if (*by_perf)
		return 0;
	if (privileges_suffice()) {
		if (!options->buffer_grows)
			return 0;
		log_error("-m auto: only the rings of the perf engine grow (--engine perf)");
		return -EINVAL;
	}
	if (options->engine == ENGINE_BPF || bpf)
		return privileges_check();
	log_note("no permission for BPF: samples come through perf rings (--engine perf)");
	*by_perf = true;
	return 0;
}

/* What --stat can do with an event, and a recording cannot. */
static int check_specs(const struct event_list *events)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct event_spec *spec = &events->specs[i];

		if (spec->sample_read && !spec->group) {
			log_error(
				"-e %s: S is about a group, whose leader samples for all: {%s,...}:S",
				spec->name, spec->name);
			return -EINVAL;
		}
		if (spec->max_stack) {
			log_error("-e %s: max-stack= is not for single events: use --max-stack",
				  spec->name);
			return -EINVAL;
		}
	}
	return 0;
}

int setup_choose_engine(struct session *session)
{
	int err = choose(session->options, &session->by_perf);
	const char *otherwise = "cpu-clock";

	if (err || !session->by_perf)
		return err;
	if (!session->options->event_count && !self_test_cycles())
		otherwise = "cycles";
	err = wanted_events(session->options, otherwise, &session->events);
	return err ? err : check_specs(&session->events);
}

static uint64_t period_of(const struct session *session, const struct perf_event_attr *attr)
{
	if (attr->sample_period && !attr->freq)
		return attr->sample_period;
	if (session->options->period)
		return session->options->period;
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK))
		return NSEC_PER_SEC / session->options->frequency;
	return 1;
}

static void describe_source(const struct session *session, const struct event_spec *spec,
			    struct source_info *info)
{
	const struct perf_event_attr *attr = &spec->attr;

	info->kind = REC_SAMPLE;
	info->period = period_of(session, attr);
	info->is_counted = spec->group && spec->sample_read && !spec->is_leader;
	info->has_perf_event = true;
	info->perf_type = attr->type;
	info->perf_config = attr->config;
}

static int name_source(struct source_info *info, const struct event_spec *spec, bool user_only)
{
	free(info->name);
	info->name = event_label(spec, user_only);
	return info->name ? 0 : -ENOMEM;
}

int setup_perf_sources(struct session *session)
{
	size_t count = session->events.count;

	session->sources = calloc(count, sizeof(*session->sources));
	session->infos = calloc(count, sizeof(const struct source_info *));
	if (!session->sources || !session->infos)
		return -ENOMEM;
	session->source_count = session->info_count = count;
	for (size_t i = 0; i < count; i++) {
		struct source *source = &session->sources[i];

		source->ops = &source_passive;
		source->index = (uint32_t)i;
		describe_source(session, &session->events.specs[i], &source->info);
		source->info.number = (uint32_t)i;
		session->infos[i] = &source->info;
		if (name_source(&source->info, &session->events.specs[i], false))
			return -ENOMEM;
	}
	return 0;
}

static int open_with(struct session *session, size_t ring_bytes)
{
	const struct options *options = session->options;
	const struct perf_events_config config = {
		.events = &session->events,
		.placement = &session->placing.placement,
		.all_cpus = &session->online,
		.period = options->period,
		.frequency = options->frequency,
		.call_graph = setup_wants_stacks(session) ? options->call_graph : CALL_GRAPH_NONE,
		.user_stacks = !options->kernel_only,
		.kernel_stacks = !options->user_only,
		.keep_cgroup = options->by == BY_CGROUP,
		.stack_bytes = STACK_BYTES,
		.ring_bytes = ring_bytes,
		.epoll = session->epoll,
		.most_ring_bytes = options->buffer_grows ? AUTO_MOST_RING_BYTES : 0,
		.overwrite = options->overwrite,
		.triggers = &session->triggers.events,
		.aux_bytes = options->aux_bytes ? options->aux_bytes : DEFAULT_AUX_BYTES,
		.aux_mode = options->aux_snapshot ? AUX_SNAPSHOT : AUX_FULL,
	};

	return perf_events_open(&config, &session->perf);
}

/* Without privileges the kernel locks only so much memory for us; what nobody asked for can be less. */
static int open_events(void *context)
{
	struct session *session = context;
	const struct options *options = session->options;
	size_t bytes = options->buffer_grows ? AUTO_RING_BYTES :
		       options->buffer_given ? options->buffer_bytes :
					       DEFAULT_RING_BYTES;
	int err = open_with(session, bytes);

	while (err == -EDQUOT && !options->buffer_given && bytes > LEAST_RING_BYTES) {
		bytes /= 2;
		err = open_with(session, bytes);
	}
	if (err == -EDQUOT)
		log_error("rings of %zu KiB: more than we may lock in memory (kernel.perf_event_mlock_kb, "
			  "ulimit -l): a smaller -m",
			  bytes / 1024);
	return err;
}

static void close_events(void *context)
{
	struct session *session = context;

	perf_events_close(session->perf);
	session->perf = NULL;
}

/* What a PMU traces is raw: only a recording can hold it. */
static int check_trace(struct session *session, size_t event)
{
	const struct options *options = session->options;
	const char *name = session->events.specs[event].name;

	session->sources[event].info.is_trace = true;
	if (!options->format->trace_bytes) {
		log_error(
			"%s: traces into an AUX area, whose bytes only a perf.data can hold: -o FILE.data",
			name);
		return -EINVAL;
	}
	if (options->buffer_grows) {
		log_error("%s: a ring beside an AUX area cannot grow: a size for -m", name);
		return -EINVAL;
	}
	return 0;
}

static int check_traces(struct session *session)
{
	const struct options *options = session->options;
	int err = 0;

	for (size_t i = 0; !err && i < session->events.count; i++)
		if (perf_events_has_aux(session->perf, i))
			err = check_trace(session, i);
	if (err || !(options->aux_bytes || options->aux_snapshot) ||
	    aux_areas_count(perf_events_aux(session->perf)))
		return err;
	log_error("%s: no event of -e is of a PMU that has AUX areas",
		  options->aux_snapshot ? "--snapshot" : "--aux-size");
	return -EINVAL;
}

/* An event that was opened nowhere would look like one that never happened. */
static int check_events(struct session *session)
{
	int err = 0;

	if (perf_events_groups_not_inherited(session->perf))
		log_warn(
			"leader sampling (:S): threads and processes that the target starts are missing, as this "
			"kernel cannot tell their counts apart (6.12 can; -a and -t have them)");
	for (size_t i = 0; !err && i < session->events.count; i++) {
		const char *name = session->events.specs[i].name;

		if (!perf_events_opened(session->perf, i)) {
			log_error("%s: could be opened nowhere: the target has ended, or none of its CPUs is "
				  "among the event's",
				  name);
			return -ESRCH;
		}
		if (!perf_events_is_user_only(session->perf, i))
			continue;
		log_warn("%s: in user space only: the kernel is not ours to see (it needs cap_perfmon, or "
			 "kernel.perf_event_paranoid at 1 or lower)",
			 name);
		err = name_source(&session->sources[i].info, &session->events.specs[i], true);
	}
	return err;
}

/* A ring that has no room for a single sample would lose them all. */
static int check_ring(const struct session *session)
{
	const struct options *options = session->options;
	bool has_copies = setup_wants_stacks(session) && options->call_graph == CALL_GRAPH_AUTO &&
			  !options->kernel_only;

	if (!has_copies || !options->buffer_given || options->buffer_grows ||
	    options->buffer_bytes >= 2 * STACK_BYTES)
		return 0;
	log_error("-m: a sample carries up to %u KiB of user stack, so that a ring needs at least %u KiB (or use "
		  "--call-graph fp)",
		  STACK_BYTES / 1024, 2 * STACK_BYTES / 1024);
	return -EINVAL;
}

/*
 * Of the same software event twice on one task kernels (6.18) give both samples the id of the first: their data is
 * one, and what is filled in already stays.
 */
static int check_triggers(const struct session *session)
{
	const struct event_list *triggers = &session->triggers.events;

	for (size_t i = 0; i < triggers->count; i++) {
		for (size_t k = 0; k < session->events.count; k++) {
			const struct perf_event_attr *one = &triggers->specs[i].attr;
			const struct perf_event_attr *other = &session->events.specs[k].attr;

			if (one->type != PERF_TYPE_SOFTWARE || other->type != one->type ||
			    other->config != one->config)
				continue;
			log_error("--dump-on %s: is sampled itself, and the kernel cannot tell the two apart: name "
				  "another event",
				  triggers->specs[i].name);
			return -EINVAL;
		}
	}
	return 0;
}

int setup_perf(struct session *session)
{
	int err = check_ring(session);

	if (!err)
		err = cpulist_online(&session->online);
	if (!err)
		err = loop_create(session);
	if (!err)
		err = triggers_make(session->options, &session->target, &session->triggers);
	if (!err)
		err = check_triggers(session);
	if (err)
		return err;
	placing_begin(&session->placing, session->options, &session->target, &session->cpus, false);
	err = placing_open(&session->placing, open_events, close_events, session);
	if (!err)
		err = check_events(session);
	if (!err)
		err = check_traces(session);
	if (!err)
		err = perf_events_start_sideband(session->perf);
	if (!err)
		err = setup_scan_tasks(session);
	if (!err && session->options->call_graph == CALL_GRAPH_AUTO)
		err = unwinding_open_private(&session->unwinding, session->tasks,
					     session->options->unwind_memory);
	return err;
}
