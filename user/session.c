// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A recording from beginning to end: open, configure, load, attach, run, drain, close. The one place
 * that sees all stages.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "aggregate/wall.h"
#include "base/caps.h"
#include "base/clock.h"
#include "base/log.h"
#include "collector.h"
#include "drain.h"
#include "object/kallsyms.h"
#include "privileges.h"
#include "report.h"
#include "session.h"
#include "source/follow.h"
#include "source/source.h"

/* How long records may lie in a ring that has not reached its wakeup mark. */
#define ROUND_MS 100
/* How often the live line is redrawn. */
#define LIVE_NS NSEC_PER_SEC

struct session {
	const struct options *options;
	struct cpulist cpus; /* to sample on */
	struct target target;
	struct bpf_side bpf;
	struct sideband *sideband;
	struct objects *objects;
	struct tasks *tasks;
	struct stacks *stacks;
	struct symbolizer *symbolizer;
	struct source *sources;
	size_t source_count;
	const struct source_info **infos; /* [source_count], for outputs */
	struct follow follow;
	struct output output;
	struct collector collector;
	struct wall *wall;
	FILE *file;
	int epoll;
	uint64_t start, end; /* of the recording, ns, CLOCK_MONOTONIC */
	uint64_t still_blocked;
	bool by_time;
};

/* ---- sources ------------------------------------------------------------------------------- */

static void add_source(struct session *session, const struct source_ops *ops,
		       const struct probe_option *option)
{
	struct source *source = &session->sources[session->source_count];

	source->ops = ops;
	source->option = option;
	source->index = (uint32_t)session->source_count++;
}

static int make_sources(struct session *session)
{
	const struct options *options = session->options;

	session->sources = calloc(options->probe_count + 2, sizeof(*session->sources));
	session->infos = calloc(options->probe_count + 2, sizeof(const struct source_info *));
	if (!session->sources || !session->infos)
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
	for (size_t i = 0; i < session->source_count; i++)
		session->infos[i] = &session->sources[i].info;
	return 0;
}

static struct source_context source_context(struct session *session)
{
	return (struct source_context){
		.bpf = &session->bpf,
		.target = &session->target,
		.tasks = session->tasks,
		.objects = session->objects,
		.cpus = &session->cpus,
		.frequency = session->options->frequency,
		.inherit = session->options->inherit,
	};
}

/* ---- opening and configuring --------------------------------------------------------------- */

static int open_stages(struct session *session)
{
	session->objects = objects_new();
	session->tasks = session->objects ? tasks_new(session->objects) : NULL;
	session->stacks = session->tasks ? stacks_new(session->tasks, session->objects) : NULL;
	session->symbolizer = symbolizer_new();
	if (!session->stacks || !session->symbolizer)
		return -ENOMEM;
	return make_sources(session);
}

static int check_cpus(struct session *session)
{
	const struct cpulist *wanted = &session->options->cpus;
	struct cpulist online = {};
	int err = cpulist_online(&online);

	if (err || !wanted->count) {
		session->cpus = online;
		return err;
	}
	for (size_t i = 0; !err && i < wanted->count; i++) {
		if (cpulist_contains(&online, wanted->cpus[i]))
			continue;
		log_error("-C: CPU %d is not online (see /sys/devices/system/cpu/online)",
			  wanted->cpus[i]);
		err = -ENODEV;
	}
	cpulist_free(&online);
	if (err)
		return err;
	session->cpus.cpus = calloc(wanted->count, sizeof(int));
	if (!session->cpus.cpus)
		return -ENOMEM;
	memcpy(session->cpus.cpus, wanted->cpus, wanted->count * sizeof(int));
	session->cpus.count = wanted->count;
	return 0;
}

static int open_target(struct session *session)
{
	const struct options *options = session->options;
	const struct target_request request = {
		.pids = options->pids,
		.pid_count = options->pid_count,
		.tids = options->tids,
		.tid_count = options->tid_count,
		.command = options->command,
		.inherit = options->inherit,
	};
	int err = target_open(&request, &session->target);

	/* -a with a COMMAND: everything, for as long as it runs */
	if (!err && options->all)
		session->target.mode = TARGET_ALL;
	return err;
}

/* Lines of text without -g show an event's own place, and a probe's caller: no stack is wanted then. */
static bool wants_stacks(const struct session *session)
{
	return session->options->format != &output_text || session->options->print_stacks;
}

static uint32_t stack_depth(const struct session *session)
{
	uint32_t most = session->options->max_stack;

	return wants_stacks(session) || most < 2 ? most : 2;
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
	config->call_graph = options->call_graph;
	config->max_stack = stack_depth(session);
	config->user_stacks = !options->kernel_only;
	config->kernel_stacks = !options->user_only;
	config->off_cpu = options->off_cpu || options->wall;
	config->off_cpu_min_ns = options->off_cpu_min_ns;
	config->wall = options->wall;
	if (config->off_cpu && config->kernel_stacks)
		find_schedule(config);
}

static int prepare_sources(struct session *session)
{
	struct source_context context = source_context(session);
	int err = 0;

	for (size_t i = 0; !err && i < session->source_count; i++)
		err = session->sources[i].ops->prepare(&session->sources[i], &context);
	return err;
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
static int check_namespace(const struct session *session, uint32_t own_tgid)
{
	if (own_tgid == (uint32_t)getpid() || session->target.mode == TARGET_ALL)
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

	if (!err)
		err = bpf_side_load(&session->bpf, use_ringbuf, session->options->buffer_bytes);
	if (err)
		return err;
	err = bpf_side_learn(&session->bpf, &own_tgid);
	if (err) {
		log_error("the kernel's system-call tracepoint does not answer: %s",
			  strerror(-err));
		return err;
	}
	return check_namespace(session, own_tgid);
}

static int open_file(struct session *session)
{
	const char *path = session->options->output_path;

	if (!path) {
		session->file = stdout;
		return 0;
	}
	session->file = fopen(path, "we");
	if (!session->file) {
		int err = -errno;

		log_error("-o %s: %s", path, strerror(-err));
		return err;
	}
	return 0;
}

static int open_output(struct session *session)
{
	const struct options *options = session->options;
	int err = open_file(session);

	if (err)
		return err;
	session->by_time = options->wall || (options->off_cpu && session->source_count == 1);
	session->output = (struct output){
		.ops = options->format,
		.symbolizer = session->symbolizer,
		.file = session->file,
		.config = {
			.stacks = options->print_stacks,
			.user_only = options->user_only,
			.kernel_only = options->kernel_only,
			.by = options->by,
			.by_time = session->by_time,
			.is_wall = options->wall,
			.start = clock_now(),
			.title = options->title,
			.sources = session->infos,
			.source_count = session->source_count,
		},
	};
	return session->output.ops->open(&session->output);
}

/* ---- attaching ----------------------------------------------------------------------------- */

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

/* Mappings as they are now; side-band, already running, tells the rest. */
static int scan_tasks(struct session *session)
{
	const struct target *target = &session->target;
	uint64_t now = clock_now();

	if (target->mode == TARGET_ALL)
		return tasks_scan_all(session->tasks, now);
	for (size_t i = 0; i < target->pid_count; i++) {
		int err = tasks_scan(session->tasks, target->pids[i], now);

		if (err && err != -ESRCH)
			return err;
	}
	return 0;
}

static int attach_sources(struct session *session)
{
	struct source_context context = source_context(session);
	int err = follow_attach(&session->follow, &session->bpf);

	for (size_t i = 0; !err && i < session->source_count; i++)
		err = session->sources[i].ops->attach(&session->sources[i], &context);
	return err;
}

static int attach(struct session *session)
{
	int err = sideband_open(&session->sideband);

	if (!err)
		err = scan_tasks(session);
	if (!err)
		err = add_targets(session);
	if (!err)
		err = attach_sources(session);
	return err;
}

static void begin(struct session *session)
{
	struct source_context context = source_context(session);

	session->start = clock_now();
	session->output.config.start = session->start;
	bpf_side_start(&session->bpf, session->start);
	for (size_t i = 0; i < session->source_count; i++)
		if (session->sources[i].ops->begin)
			session->sources[i].ops->begin(&session->sources[i], &context,
						       session->start);
}

/* ---- running ------------------------------------------------------------------------------- */

/* The one thing a signal handler may touch. */
static volatile sig_atomic_t stop_requested;

static void request_stop(int signal_number)
{
	(void)signal_number;
	stop_requested = 1;
}

/*
 * The first SIGINT or SIGTERM ends the recording, the second one us, wherever we are: SA_RESETHAND. A
 * write that is under way goes on (SA_RESTART); waiting does not.
 */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = request_stop,
				    .sa_flags = (int)SA_RESETHAND | SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int watch(struct session *session, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	return epoll_ctl(session->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_poll(struct session *session)
{
	int err;

	session->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (session->epoll < 0)
		return -errno;
	err = 0;
	/* once: a process that has ended stays ended */
	for (size_t i = 0; !err && i < session->target.pid_count; i++)
		err = watch(session, session->target.pidfds[i], EPOLLIN | EPOLLONESHOT);
	/* edge-triggered: a ring that is not empty is no reason to wake, only one that reached its mark */
	for (int cpu = 0; !err && cpu < session->bpf.cpu_count; cpu++)
		if (session->bpf.ring_fds[cpu] >= 0)
			err = watch(session, session->bpf.ring_fds[cpu], EPOLLIN | EPOLLET);
	for (size_t i = 0; !err && i < sideband_fd_count(session->sideband); i++)
		err = watch(session, sideband_fd(session->sideband, i), EPOLLIN | EPOLLET);
	return err;
}

static bool is_over(struct session *session)
{
	const struct options *options = session->options;

	if (stop_requested || collector_limit_reached(&session->collector))
		return true;
	if (options->duration_ns && clock_now() - session->start >= options->duration_ns)
		return true;
	if (session->target.command)
		return target_command_ended(&session->target);
	return target_all_ended(&session->target);
}

/* ms until the next round, not past the end of -d. */
static int wait_ms(const struct session *session)
{
	uint64_t ran = clock_now() - session->start, left;

	if (!session->options->duration_ns)
		return ROUND_MS;
	left = session->options->duration_ns > ran ? session->options->duration_ns - ran : 0;
	return left / 1000000 < ROUND_MS ? (int)(left / 1000000) + 1 : ROUND_MS;
}

static double seconds_since(uint64_t start, uint64_t now)
{
	return (double)(now - start) / (double)NSEC_PER_SEC;
}

static void show_live(struct session *session, uint64_t *next)
{
	uint64_t now = clock_now(), stats[STAT_MAX];

	if (now < *next || bpf_side_stats(&session->bpf, stats))
		return;
	report_live(seconds_since(session->start, now), stats[STAT_SEEN],
		    stats[STAT_LOST_RING] + stats[STAT_LOST_SCRATCH] + stats[STAT_LOST_TASK_TABLE],
		    &session->collector.quality);
	*next = now + LIVE_NS;
}

static int flush_file(struct session *session)
{
	return fflush(session->file) ? -errno : 0;
}

static int run(struct session *session)
{
	/* the live line and lines of events on the same terminal would tear each other */
	bool live = isatty(STDERR_FILENO) && !(session->file == stdout && isatty(STDOUT_FILENO));
	uint64_t next_live = session->start + LIVE_NS;
	struct epoll_event events[16];
	int err = 0;

	while (!err && !is_over(session)) {
		if (epoll_wait(session->epoll, events, 16, wait_ms(session)) < 0 && errno != EINTR)
			return -errno;
		err = collector_round(&session->collector);
		if (err >= 0)
			err = flush_file(session);
		if (live)
			show_live(session, &next_live);
	}
	if (live)
		report_live_clear();
	return err;
}

/* ---- the end ------------------------------------------------------------------------------- */

static void detach(struct session *session)
{
	bpf_side_stop(&session->bpf);
	for (size_t i = 0; i < session->source_count; i++)
		session->sources[i].ops->detach(&session->sources[i]);
	follow_detach(&session->follow);
}

static int weigh_wall(struct session *session, struct counts *weighed)
{
	return wall_weigh(session->wall, session->collector.counts, session->infos[0],
			  session->options->by == BY_TID, weighed);
}

static void summarize(struct session *session, struct run_summary *summary)
{
	struct collector *collector = &session->collector;
	uint64_t stats[STAT_MAX] = {};

	memset(summary, 0, sizeof(*summary));
	if (bpf_side_stats(&session->bpf, stats))
		log_warn("the programs' counters cannot be read: losses are unknown");
	summary->seconds = seconds_since(session->start, session->end);
	summary->delivered = collector->delivered;
	summary->loss = (struct loss){
		.ring_full = stats[STAT_LOST_RING],
		.scratch_busy = stats[STAT_LOST_SCRATCH],
		.task_table_full = stats[STAT_LOST_TASK_TABLE],
		.recursion = bpf_side_recursion_misses(&session->bpf),
		.stacks = stats[STAT_STACK_LOST],
		.sideband = collector->sideband_lost,
	};
	summary->lost = summary->loss.ring_full + summary->loss.scratch_busy +
			summary->loss.task_table_full + summary->loss.recursion;
	/* what came after --max-events had been reached was not asked for */
	summary->seen = stats[STAT_SEEN] + session->still_blocked + summary->loss.recursion -
			collector->after_limit;
	summary->quality = collector->quality;
	summary->processes = collector_process_count(collector);
	summary->stacks = stacks_count(session->stacks);
	summary->title = session->options->title;
	summary->by_time = session->by_time;
	summary->is_wall = session->options->wall;
	if (summary->seen != summary->delivered + summary->lost)
		log_warn("the accounting does not add up: %llu events seen, %llu delivered, %llu lost, %llu "
			 "malformed; please report this",
			 (unsigned long long)summary->seen, (unsigned long long)summary->delivered,
			 (unsigned long long)summary->lost,
			 (unsigned long long)collector->malformed);
	if (stats[STAT_SWITCH_UNSEEN])
		log_warn("%llu context switches were not reported by this kernel; their time is counted to the task "
			 "that ran next",
			 (unsigned long long)stats[STAT_SWITCH_UNSEEN]);
	if (stats[STAT_TARGET_LOST])
		log_warn("%llu children could not be followed: table of targets full",
			 (unsigned long long)stats[STAT_TARGET_LOST]);
	if (stats[STAT_ONCPU_LOST])
		log_warn("%llu threads without on-CPU time: table full",
			 (unsigned long long)stats[STAT_ONCPU_LOST]);
}

static int drain(struct session *session)
{
	struct drain drain = {
		.collector = &session->collector,
		.wall = session->wall,
		.start = session->start,
		.end = session->end,
		.off_cpu_min_ns = session->options->off_cpu_min_ns,
	};
	int err = collector_finish(&session->collector);

	if (err >= 0)
		err = drain_tables(&drain);
	session->still_blocked = drain.still_blocked;
	return err;
}

static int write_output(struct session *session, const struct run_summary *summary)
{
	struct counts *weighed = NULL;
	int err = 0;

	if (session->wall) {
		weighed = counts_new();
		err = weighed ? weigh_wall(session, weighed) : -ENOMEM;
	}
	if (!err)
		err = session->output.ops->finish(&session->output,
						  weighed ? weighed : session->collector.counts,
						  summary);
	if (!err)
		err = flush_file(session);
	counts_free(weighed);
	return err;
}

static int finish(struct session *session)
{
	struct run_summary summary;
	int err;

	session->end = clock_now();
	detach(session);
	target_terminate(&session->target);
	err = drain(session);
	if (err)
		return err;
	summarize(session, &summary);
	err = write_output(session, &summary);
	if (err)
		return err;
	report_summary(&summary, session->options->output_path, session->options->verbose);
	return 0;
}

/* A reader that has gone (| head) is no failure, and nothing to talk about. */
static int report_failure(const struct session *session, int err)
{
	const char *path = session->options->output_path;

	if (err == -EPIPE)
		return 0;
	if (session->start)
		log_error("%s: %s", path ? path : "standard output", strerror(-err));
	return err;
}

static int open_collector(struct session *session)
{
	session->collector = (struct collector){
		.bpf = &session->bpf,
		.sideband = session->sideband,
		.tasks = session->tasks,
		.stacks = session->stacks,
		.symbolizer = session->symbolizer,
		.output = &session->output,
		.sources = session->sources,
		.source_count = session->source_count,
		.max_events = session->options->max_events,
		.is_wall = session->options->wall,
		.wants_stacks = wants_stacks(session),
		.by = session->options->by,
	};
	if (session->options->wall) {
		session->wall = wall_new();
		if (!session->wall)
			return -ENOMEM;
	}
	return collector_open(&session->collector);
}

static int set_up(struct session *session)
{
	int err = open_stages(session);

	if (!err)
		err = check_cpus(session);
	if (!err)
		err = open_target(session);
	if (!err)
		err = bpf_side_open(&session->bpf);
	if (err)
		return err;
	configure(session);
	err = prepare_sources(session);
	if (!err)
		err = load(session);
	if (!err)
		err = attach(session);
	if (!err)
		err = open_output(session);
	if (!err)
		err = open_collector(session);
	if (!err)
		err = open_poll(session);
	if (!err)
		err = privileges_drop();
	return err;
}

/* The order matters: nothing may be attached when the rings go, nor be used after its owner is freed. */
static void tear_down(struct session *session)
{
	target_terminate(&session->target);
	for (size_t i = 0; i < session->source_count; i++) {
		session->sources[i].ops->close(&session->sources[i]);
		free(session->sources[i].info.name);
	}
	follow_detach(&session->follow);
	collector_close(&session->collector);
	if (session->output.ops)
		session->output.ops->close(&session->output);
	if (session->file && session->file != stdout)
		fclose(session->file);
	wall_free(session->wall);
	sideband_close(session->sideband);
	bpf_side_close(&session->bpf);
	symbolizer_free(session->symbolizer);
	stacks_free(session->stacks);
	tasks_free(session->tasks);
	objects_free(session->objects);
	target_close(&session->target);
	cpulist_free(&session->cpus);
	free(session->sources);
	free(session->infos);
	if (session->epoll >= 0)
		close(session->epoll);
}

/* Every object that is ever seen stays open, and each breakpoint is one descriptor a thread. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int record(struct session *session)
{
	int err = set_up(session);

	if (err)
		return err;
	begin(session);
	err = target_resume(&session->target);
	if (!err && session->options->verbose)
		log_note("recording");
	if (!err)
		err = run(session);
	if (!err)
		err = finish(session);
	return err;
}

int session_run(const struct options *options)
{
	struct session session = { .options = options, .epoll = -1 };
	int err, status;

	if (privileges_check())
		return EXIT_FAILURE;
	raise_descriptor_limit();
	bpf_side_set_verbosity(options->verbose);
	catch_signals();
	err = record(&session);
	if (err)
		err = report_failure(&session, err);
	tear_down(&session);
	status = target_exit_status(&session.target);
	return err ? EXIT_FAILURE : status;
}
