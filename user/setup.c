// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From options to programs that are attached and wait for the word. The order is that of the data they
 * need: targets before sources (a breakpoint needs an address), sources before loading (they choose the
 * programs), side-band before the first look at /proc, the output only when nothing else can fail.
 */
#include "setup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "loop.h"
#include "object/kallsyms.h"
#include "privileges.h"
#include "session_state.h"
#include "setup_perf.h"
#include "aim/binary.h"
#include "wanted.h"

static void add_source(struct session *session, const struct source_ops *ops,
		       const struct probe_option *option)
{
	struct source *source = &session->sources[session->source_count];

	source->ops = ops;
	source->option = option;
	session->source_count++;
}

static int make_sources(struct session *session)
{
	const struct options *options = session->options;

	if (session->by_perf)
		return setup_perf_sources(session);

	session->sources = calloc(options->probe_count + 2, sizeof(*session->sources));
	if (!session->sources)
		return -ENOMEM;
	if (options->profile || options->wall)
		add_source(session, &source_sample, NULL);
	if (options->off_cpu || options->wall)
		add_source(session, &source_sched, NULL);
	for (size_t i = 0; i < options->probe_count; i++) {
		const struct probe_option *option = &options->probes[i];

		add_source(session,
			   option->kind == PROBE_BREAKPOINT ? &source_breakpoint : &source_uprobe,
			   option);
	}
	return 0;
}

/* Once they are prepared it is known how many functions the probes are on. */
static int number_infos(struct session *session)
{
	size_t total = 0, count;

	for (size_t i = 0; i < session->source_count; i++) {
		source_infos(&session->sources[i], &count);
		total += count;
	}
	session->infos = calloc(total + 1, sizeof(const struct source_info *));
	if (!session->infos)
		return -ENOMEM;
	for (size_t i = 0; i < session->source_count; i++) {
		struct source_info *infos = source_infos(&session->sources[i], &count);

		session->sources[i].index = (uint32_t)session->info_count;
		for (size_t k = 0; k < count; k++) {
			infos[k].number = (uint32_t)session->info_count;
			session->infos[session->info_count++] = &infos[k];
		}
	}
	return 0;
}

struct source_context setup_source_context(struct session *session)
{
	return (struct source_context){
		.bpf = &session->bpf,
		.target = &session->target,
		.tasks = session->tasks,
		.objects = session->objects,
		.plans = &session->plans,
		.string_limit = session->options->max_string,
		.wants_values = !session->options->format->aggregates,
		.cpus = &session->cpus,
		.frequency = session->options->frequency,
		.inherit = session->options->inherit,
		.exact_address = session->options->exact_address,
		.is_verbose = session->options->verbose > 0,
	};
}

int setup_open_stages(struct session *session)
{
	session->objects = objects_new();
	session->tasks = session->objects ? tasks_new(session->objects) : NULL;
	session->stacks = session->tasks ? stacks_new(session->tasks, session->objects) : NULL;
	session->symbolizer = symbolizer_new();
	session->lines = source_lines_new();
	return session->stacks && session->symbolizer && session->lines ? 0 : -ENOMEM;
}

bool setup_wants_stacks(const struct session *session)
{
	return session->options->format != &output_text || session->options->print_stacks;
}

static bool lines_need_walks(const struct session *session)
{
	for (size_t i = 0; i < session->source_count; i++)
		if (session->sources[i].lines_need_walks)
			return true;
	return false;
}

/* What is not shown need not be walked: programs that do not are loaded in a third of the time, and want no tables. */
static uint32_t call_graph_for(const struct session *session)
{
	bool walks = setup_wants_stacks(session) || lines_need_walks(session);

	return walks && !session->options->kernel_only ? session->options->call_graph :
							 CALL_GRAPH_NONE;
}

static uint32_t stack_depth(const struct session *session)
{
	uint32_t most = session->options->max_stack;

	return setup_wants_stacks(session) || most < 2 ? most : 2;
}

/* [begin, end) of __schedule, for switched-out kernel stacks; left 0 when the kernel hides its addresses. */
static void find_schedule(struct tracer_config *config)
{
	const struct kernel_symbol *symbol = NULL;
	struct kallsyms *symbols = NULL;
	uint64_t size = 0;

	if (!kallsyms_load(&symbols))
		symbol = kallsyms_find(symbols, "__schedule", &size);
	if (symbol) {
		config->schedule_begin = symbol->address;
		config->schedule_end = symbol->address + size;
	}
	kallsyms_free(symbols);
}

/* In text --latency is a histogram for each function; formats of events have each call. */
static bool counts_calls(const struct session *session)
{
	return session->options->format == &output_text && !session->options->max_events;
}

/* Do all sources measure times that can be added up? */
static bool is_by_time(const struct session *session)
{
	const struct options *options = session->options;
	size_t timed = options->off_cpu;

	for (size_t i = 0; i < options->probe_count; i++)
		timed += options->probes[i].kind == PROBE_LATENCY;
	return options->wall || timed == session->source_count;
}

static void configure(struct session *session)
{
	const struct options *options = session->options;
	struct tracer_config *config = bpf_side_config(&session->bpf);

	config->target_mode = session->target.mode;
	config->inherit = options->inherit;
	config->cpu_filter = options->cpus.count > 0;
	/* a limit in events can only be kept to by counting them as they come */
	config->aggregate = options->format->aggregates && !options->max_events;
	config->keep_tid = options->wall || options->by == BY_TID;
	config->keep_cpu = options->by == BY_CPU;
	config->keep_cgroup = options->by == BY_CGROUP;
	config->max_stack = stack_depth(session);
	config->user_stacks = !options->kernel_only;
	config->kernel_stacks = !options->user_only;
	config->latency_events = counts_calls(session) ? 0 : 1;
	config->off_cpu = options->off_cpu || options->wall;
	config->off_cpu_min_ns = options->off_cpu_min_ns;
	config->wall = options->wall;
	if (config->off_cpu && config->kernel_stacks)
		find_schedule(config);
}

/* A probe that is given twice would count everything twice. */
static int refuse_duplicates(const struct options *options)
{
	for (size_t i = 0; i < options->probe_count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (options->probes[i].kind != options->probes[k].kind ||
			    strcmp(options->probes[i].text, options->probes[k].text))
				continue;
			log_error("%s: is given twice, and would count everything twice",
				  options->probes[i].text);
			return -EEXIST;
		}
	}
	return 0;
}

static int prepare_sources(struct session *session)
{
	struct source_context context = setup_source_context(session);
	int err = refuse_duplicates(session->options);

	for (size_t i = 0; !err && i < session->source_count; i++)
		err = session->sources[i].ops->prepare(&session->sources[i], &context);
	if (!err)
		err = number_infos(session);
	return err ? err : plans_size(&session->plans, &session->bpf);
}

static int choose_buffer(const struct session *session, bool *use_ringbuf)
{
	*use_ringbuf = session->bpf.features.ringbuf && session->options->buffer != BUFFER_PERF;
	if (session->options->buffer == BUFFER_RINGBUF && !*use_ringbuf) {
		log_error(
			"--buffer ringbuf: this kernel has no BPF ring buffer (5.8 and later); use --buffer perf");
		return -ENOTSUP;
	}
	return 0;
}

/* In another pid namespace than the initial one, the ids that people give us mean other tasks. */
static int check_namespace(struct session *session, uint32_t own_tgid)
{
	session->foreign_ids = own_tgid != (uint32_t)getpid();
	if (!session->foreign_ids || session->target.mode == TARGET_ALL)
		return 0;
	log_error(
		"in a pid namespace of its own tracer cannot tell tasks apart: run it in the host's (docker run "
		"--pid=host), or trace everything with -a");
	return -ENOTSUP;
}

static int load(struct session *session)
{
	uint32_t own_tgid = 0;
	bool use_ringbuf;
	int err = choose_buffer(session, &use_ringbuf);

	bpf_side_config(&session->bpf)->call_graph = call_graph_for(session);
	if (!err)
		err = bpf_side_load(&session->bpf, use_ringbuf, session->options->buffer_bytes);
	if (err)
		return err;
	err = plans_write(&session->plans, &session->bpf);
	if (err)
		return err;
	err = bpf_side_learn(&session->bpf, &own_tgid);
	if (err) {
		log_error("a BPF program that should tell who we are does not run: %s",
			  strerror(-err));
		return err;
	}
	return check_namespace(session, own_tgid);
}

/* As perf has it, a recording is nobody else's: it names processes and addresses of others. */
static FILE *open_to_write(const char *path, bool is_recording)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, is_recording ? 0600 : 0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

static int open_file(struct session *session)
{
	const char *path = session->options->output_path;

	if (!path) {
		if (session->options->command && session->options->format != &output_text)
			log_warn("what the COMMAND prints goes into the %s on standard output; -o FILE keeps "
				 "them apart",
				 session->options->format->name);
		session->file = stdout;
		return 0;
	}
	session->file = open_to_write(path, session->options->format->is_binary);
	if (!session->file) {
		int err = -errno;

		log_error("-o %s: %s", path, strerror(-err));
		return err;
	}
	return 0;
}

int setup_open_output(struct session *session)
{
	const struct options *options = session->options;
	int err = open_file(session);

	if (err)
		return err;
	session->by_time = is_by_time(session);
	session->output = (struct output){
		.ops = options->format,
		.symbolizer = session->symbolizer,
		.lines = session->lines,
		.tasks = session->tasks,
		.file = session->file,
		.config = {
			.stacks = options->print_stacks,
			.user_only = options->user_only,
			.kernel_only = options->kernel_only,
			.by = options->by,
			.by_time = session->by_time,
			.is_wall = options->wall,
			.counts_calls = counts_calls(session),
			.start = clock_now(),
			.title = options->title,
			.sources = session->infos,
			.source_count = session->info_count,
			.recorded = session->recorded,
			.is_late = options->overwrite,
		},
	};
	return session->output.ops->open(&session->output);
}

static int add_targets(struct session *session)
{
	const struct target *target = &session->target;
	int err = 0;

	for (size_t i = 0; !err && target->mode == TARGET_PROCESSES && i < target->pid_count; i++)
		err = bpf_side_add_target(&session->bpf, (uint32_t)target->pids[i]);
	for (size_t i = 0; !err && target->mode == TARGET_THREADS && i < target->tid_count; i++)
		err = bpf_side_add_target(&session->bpf, (uint32_t)target->tids[i]);
	for (size_t i = 0; !err && i < session->options->cpus.count; i++)
		err = bpf_side_set_cpu(&session->bpf, session->options->cpus.cpus[i]);
	return err;
}

int setup_scan_tasks(struct session *session)
{
	const struct target *target = &session->target;
	uint64_t now = clock_now();

	if (target->mode == TARGET_ALL)
		return tasks_scan_all(session->tasks, now);
	for (size_t i = 0; i < target->pid_count; i++) {
		int err = tasks_scan(session->tasks, target->pids[i], now);

		if (err == -EACCES || err == -EPERM)
			log_warn("the mappings of process %d may not be read: its addresses stay without "
				 "names",
				 target->pids[i]);
		else if (err && err != -ESRCH)
			return err;
	}
	return 0;
}

static int attach_sources(struct session *session)
{
	struct source_context context = setup_source_context(session);
	int err = follow_attach(&session->follow, &session->bpf);

	for (size_t i = 0; !err && i < session->source_count; i++)
		err = session->sources[i].ops->attach(&session->sources[i], &context);
	return err;
}

static int prepare_process(void *unwinding, pid_t pid)
{
	return unwinding_prepare(unwinding, pid);
}

static void expect_library(void *context, const char *path)
{
	struct session *session = context;
	const struct object *object = objects_file(session->objects, 0, 0, 0, path, 0, 0, 0);

	if (object)
		unwinding_expect(&session->unwinding, object);
}

/* It stands before its first instruction: what it will load is not mapped yet. */
static void expect_libraries(struct session *session)
{
	char link[32], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", session->target.command);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return;
	path[length] = '\0';
	binary_each_needed(path, expect_library, session);
}

/* What is known of the target now need not be asked for by its first events. */
static int open_unwinding(struct session *session)
{
	const struct target *target = &session->target;
	int err;

	if (bpf_side_config(&session->bpf)->call_graph != CALL_GRAPH_AUTO)
		return 0;
	err = unwinding_open(&session->unwinding, &session->bpf, session->objects, session->tasks,
			     session->options->unwind_memory);
	session->unwinding.all = target->mode == TARGET_ALL;
	session->unwinding.foreign_ids = session->foreign_ids;
	if (!err && target->command)
		expect_libraries(session);
	if (!err)
		err = tasks_each(session->tasks, prepare_process, &session->unwinding);
	if (!err)
		unwinding_wait(&session->unwinding, loop_is_stopped);
	return err;
}

static bool attaches_later(const struct session *session)
{
	for (size_t i = 0; i < session->source_count; i++)
		if (session->sources[i].attaches_later)
			return true;
	return false;
}

static int attach(struct session *session)
{
	int err = sideband_open(&session->sideband, attaches_later(session));

	if (!err)
		err = setup_scan_tasks(session);
	if (!err)
		err = add_targets(session);
	if (!err)
		err = open_unwinding(session);
	if (!err)
		err = attach_sources(session);
	return err;
}

int setup_begin(struct session *session)
{
	struct source_context context = setup_source_context(session);

	session->start = clock_now();
	session->output.config.start = session->start;
	if (session->by_perf)
		return perf_events_enable(session->perf);
	bpf_side_start(&session->bpf, session->start);
	for (size_t i = 0; i < session->source_count; i++)
		if (session->sources[i].ops->begin)
			session->sources[i].ops->begin(&session->sources[i], &context,
						       session->start);
	return 0;
}

static bool source_of_counter(void *events, uint64_t id, size_t *source, bool *by_thread)
{
	return perf_events_find(events, id, source, by_thread);
}

static void tell_sources(void *context, const struct record *record)
{
	struct session *session = context;
	struct source_context sources = setup_source_context(session);

	for (size_t i = 0; i < session->source_count; i++)
		if (session->sources[i].ops->hear)
			session->sources[i].ops->hear(&session->sources[i], &sources, record);
}

int setup_open_collector(struct session *session)
{
	session->collector = (struct collector){
		.plans = &session->plans,
		.bpf = &session->bpf,
		.sideband = session->sideband,
		.perf = session->perf,
		.tasks = session->tasks,
		.stacks = session->stacks,
		.symbolizer = session->symbolizer,
		.output = &session->output,
		.unwinding = &session->unwinding,
		.sources = session->sources,
		.source_count = session->source_count,
		.max_events = session->options->max_events,
		.is_wall = session->options->wall,
		.counts_calls = counts_calls(session),
		.wants_stacks = setup_wants_stacks(session),
		.user_only = session->options->user_only,
		.kernel_only = session->options->kernel_only,
		.max_stack = session->options->max_stack,
		.own_pid = (uint32_t)getpid(),
		.heard = tell_sources,
		.heard_context = session,
		.everything = session->target.mode == TARGET_ALL,
		.by_snapshot = session->options->aux_snapshot,
		.overwrites = session->options->overwrite,
		.by = session->options->by,
	};
	if (session->perf) {
		session->collector.source_of_counter = source_of_counter;
		session->collector.counter_context = session->perf;
	}
	if (session->options->wall) {
		session->wall = wall_new();
		if (!session->wall)
			return -ENOMEM;
	}
	return collector_open(&session->collector);
}

/* From a program that is loaded to one that is attached. */
static int setup_bpf(struct session *session)
{
	int err = bpf_side_open(&session->bpf);

	if (err)
		return err;
	configure(session);
	err = prepare_sources(session);
	if (!err)
		err = load(session);
	return err ? err : attach(session);
}

int setup_session(struct session *session)
{
	int err = setup_open_stages(session);

	if (!err)
		err = make_sources(session);

	if (!err)
		err = wanted_cpus(session->options, &session->cpus);
	if (!err)
		err = wanted_target(session->options, &session->before, &session->target);
	if (!err)
		err = session->by_perf ? setup_perf(session) : setup_bpf(session);
	if (!err)
		err = setup_open_output(session);
	if (!err)
		err = setup_open_collector(session);
	if (!err)
		err = loop_open(session);
	if (!err)
		err = privileges_drop(attaches_later(session));
	return err;
}
