// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters on, wait, counters off, print. With --interval a difference each time. */
#include "stat.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "event/event.h"
#include "loop.h"
#include "options.h"
#include "output/stat_output.h"
#include "placing.h"
#include "source/counters.h"
#include "stat_rows.h"
#include "wanted.h"

/* As perf stat counts when nothing is named. */
#define DEFAULT_EVENTS \
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"

struct stat_run {
	const struct options *options;
	struct event_list events;
	struct wanted_before before;
	struct cpulist cpus, online; /* those of -C, and all */
	struct target target;
	struct placing placing;
	struct counters *counters;
	struct stat_rows rows;
	FILE *file;
	uint64_t start, printed; /* ns */
	bool has_printed;
	bool is_usage_error;
	bool is_explained; /* why nothing is counted has been said for each event */
};

static int open_counters(void *context)
{
	struct stat_run *run = context;

	return counters_open(&run->events, &run->placing.placement, &run->counters);
}

static void close_counters(void *context)
{
	struct stat_run *run = context;

	counters_close(run->counters);
	run->counters = NULL;
}

/* Says which events are missing; an error when all are. */
static int check_counters(struct stat_run *run, bool named)
{
	char text[512];
	int err;

	for (size_t i = 0; i < run->events.count; i++) {
		enum event_refusal refusal = counters_refusal(run->counters, i, &err);

		if (!refusal)
			continue;
		event_refusal_reason(&run->events.specs[i], refusal, err, text, sizeof(text));
		if (named || !counters_any(run->counters))
			log_warn("%s: %s", run->events.specs[i].name, text);
	}
	if (counters_any(run->counters))
		return 0;
	log_error("none of the events can be counted here");
	run->is_explained = true;
	return -ENOENT;
}

static int print(struct stat_run *run, bool is_interval)
{
	const struct options *options = run->options;
	uint64_t now = clock_now();
	struct stat_report report = {
		.title = options->title,
		.by = stat_rows_by(options),
		.time = (double)(now - run->start) / 1e9,
		.seconds = (double)(now - (is_interval ? run->printed : run->start)) / 1e9,
		.is_interval = is_interval,
	};
	int err = counters_read(run->counters);

	if (err)
		return err;
	stat_rows_make(&run->rows, run->counters, is_interval);
	report.rows = run->rows.rows;
	report.count = run->rows.count;
	err = options->format == &output_json ?
		      stat_print_json(run->file, &report) :
		      stat_print_text(run->file, &report, !run->has_printed);
	if (!err && fflush(run->file))
		err = -errno;
	run->printed = now;
	run->has_printed = true;
	return err;
}

static bool is_over(struct stat_run *run)
{
	const struct options *options = run->options;
	struct target *target = &run->target;

	if (loop_is_stopped())
		return true;
	if (options->duration_ns && clock_now() - run->start >= options->duration_ns)
		return true;
	return target->command ? target_command_ended(target) : target_all_ended(target);
}

/* ns until something is due, or 100 ms: the end of several processes is noticed so. */
static uint64_t time_left(const struct stat_run *run)
{
	const struct options *options = run->options;
	uint64_t now = clock_now(), left = NSEC_PER_SEC / 10, due;

	if (options->duration_ns) {
		due = run->start + options->duration_ns;
		left = due <= now ? 0 : due - now < left ? due - now : left;
	}
	if (options->interval_ns) {
		due = run->printed + options->interval_ns;
		left = due <= now ? 0 : due - now < left ? due - now : left;
	}
	return left;
}

static int wait_for_end(struct stat_run *run)
{
	struct target *target = &run->target;
	int err = 0;

	while (!err && !is_over(run)) {
		/* of several, one that has ended would be ready for ever */
		struct pollfd ended = { .fd = target->pid_count == 1 ? target->pidfds[0] : -1,
					.events = POLLIN };
		uint64_t left = time_left(run);
		struct timespec wait = { .tv_nsec = (long)left };

		ppoll(&ended, 1, &wait, NULL);
		if (run->options->interval_ns &&
		    clock_now() - run->printed >= run->options->interval_ns)
			err = print(run, true);
	}
	return err;
}

static int open_file(struct stat_run *run)
{
	const char *path = run->options->output_path;
	int err;

	run->file = path ? fopen(path, "we") : stdout;
	if (run->file)
		return 0;
	err = -errno;
	log_error("-o %s: %s", path, strerror(-err));
	return err;
}

static int count(struct stat_run *run)
{
	int err = wanted_events(run->options, DEFAULT_EVENTS, &run->events);
	bool by_task;

	if (err == -EINVAL)
		run->is_usage_error = true;
	if (!err)
		err = wanted_cpus(run->options, &run->cpus);
	if (!err)
		err = cpulist_online(&run->online);
	if (!err)
		err = wanted_target(run->options, &run->before, &run->target);
	if (err)
		return err;
	/* a task is counted on every CPU, wherever it is asked about: what is missing is told from what is shared */
	by_task = run->target.mode != TARGET_ALL && !run->options->cgroup_count;
	placing_begin(&run->placing, run->options, &run->target,
		      by_task ? &run->online : &run->cpus, true);
	err = placing_open(&run->placing, open_counters, close_counters, run);
	if (!err)
		err = check_counters(run, run->options->event_count > 0);
	if (!err)
		err = stat_rows_open(&run->rows, run->options, &run->events,
				     &run->placing.placement, run->counters);
	if (!err)
		err = open_file(run);
	if (err)
		return err;
	loop_catch_signals(true);
	run->start = run->printed = clock_now();
	err = counters_enable(run->counters);
	if (!err)
		err = target_resume(&run->target);
	if (!err)
		err = wait_for_end(run);
	counters_disable(run->counters);
	if (!err)
		err = print(run, run->options->interval_ns != 0);
	return err;
}

static void tear_down(struct stat_run *run)
{
	target_terminate(&run->target);
	close_counters(run);
	stat_rows_close(&run->rows);
	placing_end(&run->placing);
	target_close(&run->target);
	cpulist_free(&run->cpus);
	cpulist_free(&run->online);
	event_list_free(&run->events);
	if (run->file && run->file != stdout)
		fclose(run->file);
}

int stat_run(const struct options *options)
{
	struct stat_run run = { .options = options };
	int err, status;

	wanted_begin(&run.before);
	loop_catch_signals(false);
	err = count(&run);
	if (err == -EPIPE)
		err = 0;
	if (err && run.start)
		log_error("%s: %s", options->output_path ? options->output_path : "standard output",
			  strerror(-err));
	else if (err && !run.is_usage_error && !run.is_explained)
		log_error("nothing is counted: %s", strerror(-err));
	tear_down(&run);
	if (run.is_usage_error)
		return EXIT_USAGE;
	status = target_exit_status(&run.target);
	return err ? EXIT_FAILURE : status;
}
