// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A recording from beginning to end: open, configure, load, attach, run, drain, close. Together with
 * setup.c and loop.c the one place that sees all stages.
 */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "drain.h"
#include "loop.h"
#include "privileges.h"
#include "report.h"
#include "session_state.h"
#include "setup.h"
#include "setup_perf.h"
#include "summarize_perf.h"
#include "write_output.h"

static void detach(struct session *session)
{
	if (session->by_perf) {
		perf_events_disable(session->perf);
		return;
	}
	bpf_side_stop(&session->bpf);
	for (size_t i = 0; i < session->source_count; i++)
		session->sources[i].ops->detach(&session->sources[i]);
	follow_detach(&session->follow);
}

/* What the BPF side counted. */
static void summarize_bpf(struct session *session, struct run_summary *summary)
{
	struct collector *collector = &session->collector;
	uint64_t stats[STAT_MAX] = {};

	if (bpf_side_stats(&session->bpf, stats))
		log_warn("the programs' counters cannot be read: losses are unknown");
	summary->loss = (struct loss){
		.ring_full = stats[STAT_LOST_RING],
		.scratch_busy = stats[STAT_LOST_SCRATCH],
		.return_depth = stats[STAT_LOST_RETURN_DEPTH],
		.task_table_full = stats[STAT_LOST_TASK_TABLE] + stats[STAT_CALLS_LOST],
		.recursion = bpf_side_recursion_misses(&session->bpf),
		.stacks = stats[STAT_STACK_LOST],
		.sideband = collector->sideband_lost,
	};
	/* what came after --max-events had been reached was not asked for */
	summary->seen = stats[STAT_SEEN] + session->still_blocked + summary->loss.recursion -
			collector->after_limit;
	summary->tables.copies = stats[STAT_STACK_COPIES];
	if (stats[STAT_SWITCH_UNSEEN])
		log_note("%llu context switches were not reported by this kernel; their time is counted to the task "
			 "that ran next",
			 (unsigned long long)stats[STAT_SWITCH_UNSEEN]);
	if (stats[STAT_UNJUDGED])
		log_warn("%llu events were left out because --if could not be judged: memory that could not be read, or "
			 "numbers too large",
			 (unsigned long long)stats[STAT_UNJUDGED]);
	if (stats[STAT_TARGET_LOST])
		log_warn("%llu children could not be followed: table of targets full",
			 (unsigned long long)stats[STAT_TARGET_LOST]);
	if (stats[STAT_ONCPU_LOST])
		log_warn("%llu threads without on-CPU time: table full",
			 (unsigned long long)stats[STAT_ONCPU_LOST]);
}

static void summarize(struct session *session, struct run_summary *summary)
{
	struct collector *collector = &session->collector;

	memset(summary, 0, sizeof(*summary));
	summary->seconds = seconds_between(session->start, session->end);
	summary->delivered = collector->delivered;
	quality_sort(&collector->quality);
	summary->quality = &collector->quality;
	unwinding_summarize(&session->unwinding, &summary->tables);
	summary->processes = collector_process_count(collector);
	summary->stacks = stacks_count(session->stacks);
	summary->title = session->options->title;
	summary->by_time = session->by_time;
	summary->is_wall = session->options->wall;
	summary->sources = session->infos;
	summary->source_count = session->info_count;
	if (session->by_perf)
		summarize_perf(session, summary);
	else
		summarize_bpf(session, summary);
	summary->lost = loss_events(&summary->loss);
	if (session->by_perf)
		summary->seen = summary->delivered + summary->lost;
	if (collector->values_malformed)
		log_warn("%llu events have values that do not fit their probe, and are shown without; please report "
			 "this",
			 (unsigned long long)collector->values_malformed);
	if (summary->seen != summary->delivered + summary->lost)
		log_warn("the accounting does not add up: %llu events seen, %llu delivered, %llu lost, %llu "
			 "malformed; please report this",
			 (unsigned long long)summary->seen, (unsigned long long)summary->delivered,
			 (unsigned long long)summary->lost,
			 (unsigned long long)collector->malformed);
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

	if (err >= 0 && !session->by_perf)
		err = drain_tables(&drain);
	session->still_blocked = drain.still_blocked;
	return err;
}

static int finish(struct session *session)
{
	struct run_summary summary;
	int err;

	session->end = clock_now();
	detach(session);
	err = loop_dump_last(session);
	if (err)
		return err;
	/* snapshots of AUX areas have enabled their events again */
	detach(session);
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
	else if (err == -ENOSPC || err == -EDQUOT)
		log_error("nothing is recorded"); /* it was not about a disk, and has been said */
	else
		log_error("nothing is recorded: %s", strerror(-err));
	return err;
}

/* The order matters: nothing may be attached when the rings go, nor be used after its owner is freed. */
void session_tear_down(struct session *session)
{
	target_terminate(&session->target);
	for (size_t i = 0; i < session->source_count; i++) {
		if (!session->sources[i].ops)
			continue;
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
	perf_events_close(session->perf);
	placing_end(&session->placing);
	event_list_free(&session->events);
	triggers_free(&session->triggers);
	unwinding_close(&session->unwinding);
	bpf_side_close(&session->bpf);
	symbolizer_free(session->symbolizer);
	source_lines_free(session->lines);
	stacks_free(session->stacks);
	tasks_free(session->tasks);
	objects_free(session->objects);
	target_close(&session->target);
	cpulist_free(&session->cpus);
	cpulist_free(&session->online);
	free(session->sources);
	free(session->infos);
	plans_free(&session->plans);
	if (session->epoll >= 0)
		close(session->epoll);
}

static int record(struct session *session)
{
	int err = setup_session(session);

	if (err)
		return err;
	loop_catch_signals(true);
	err = setup_begin(session);
	if (!err)
		err = target_resume(&session->target);
	if (!err && session->options->verbose)
		log_note("recording");
	if (!err)
		err = loop_run(session);
	if (!err)
		err = finish(session);
	return err;
}

int session_run(const struct options *options)
{
	struct session session = { .options = options, .epoll = -1 };
	int err, status;

	err = setup_choose_engine(&session);
	if (err) {
		event_list_free(&session.events);
		return err == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
	}
	wanted_begin(&session.before);
	bpf_side_set_verbosity(options->verbose);
	loop_catch_signals(false);
	if (options->aux_snapshot || options->overwrite)
		loop_catch_dumps();
	err = record(&session);
	if (err)
		err = report_failure(&session, err);
	session_tear_down(&session);
	status = target_exit_status(&session.target);
	return err ? EXIT_FAILURE : status;
}
