// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Contradictions between options, the output's format, defaults that depend on what was given. */
#include "options_settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static int refuse(const char *message)
{
	log_error("%s", message);
	return -EINVAL;
}

static int set_pattern(struct options *options, const char *pattern)
{
	if (!pattern)
		return 0;
	options->list_pattern = strdup(pattern);
	return options->list_pattern ? 0 : -ENOMEM;
}

/* --list KIND BIN [PATTERN], but --list events [PATTERN] */
static int settle_list(struct options *options, char **rest)
{
	if (options->list == LIST_EVENTS && rest[0] && rest[1]) {
		log_error("--list events: \"%s\": nothing may follow PATTERN (put options first)",
			  rest[1]);
		return -EINVAL;
	}
	if (options->list == LIST_EVENTS)
		return set_pattern(options, rest[0]);
	if (!rest[0] || rest[0][0] == '\0')
		return refuse("--list: needs a binary (say --list functions ./app)");
	if (rest[1] && rest[2]) {
		log_error("--list: \"%s\": nothing may follow BIN and PATTERN (put options first)",
			  rest[2]);
		return -EINVAL;
	}
	options->list_binary = strdup(rest[0]);
	if (!options->list_binary)
		return -ENOMEM;
	return set_pattern(options, rest[1]);
}

static int settle_check(char **rest)
{
	if (!rest[0])
		return 0;
	log_error("--check: \"%s\": it takes no command (leave it out)", rest[0]);
	return -EINVAL;
}

/* --wall is on-CPU and off-CPU already: the two are not sources of their own beside it. */
static int settle_sources(const struct option_parse *parse)
{
	struct options *options = parse->options;

	if (options->wall && options->off_cpu_min_ns)
		return refuse("--off-cpu=MIN: contradicts --wall, which adds up all waits: leave "
			      "MIN or --wall out");
	if (options->wall) {
		options->profile = false;
		options->off_cpu = false;
	}
	if (options->period && parse->frequency_given)
		return refuse("-c: contradicts -F: sample by count or by frequency");
	if ((options->period || parse->frequency_given) && !options->event_count)
		return refuse(
			"-c and -F: are about the events of -e: name some (or use --profile=HZ)");
	if ((options->aux_bytes || options->aux_snapshot) && !options->event_count)
		return refuse(
			"--aux-size and --snapshot: are about events of PMUs that trace: name one with -e");
	if (options->trigger_count && !options->overwrite && !options->aux_snapshot)
		return refuse(
			"--dump-on: dumps what --overwrite or --snapshot keeps: give one of them");
	if (options->overwrite && options->buffer_grows)
		return refuse("-m auto: contradicts --overwrite: say how much is to be kept");
	if (options->profile && options->event_count)
		return refuse(
			"--profile: is an event of its own: leave it out, or name it with -e cpu-clock");
	if (!options->wall && !options->off_cpu && !options->probe_count && !options->event_count)
		options->profile = true;
	return 0;
}

static int settle_target(const struct option_parse *parse, char **rest)
{
	struct options *options = parse->options;
	bool chosen = options->pid_count || options->tid_count;

	if (parse->wants_command && !rest[0])
		return refuse("--: no command follows it (an empty variable?)");
	if (options->pid_count && options->tid_count)
		return refuse("-p: contradicts -t: name processes or threads, not both");
	if (options->all && chosen)
		return refuse("-a: contradicts -p and -t: record everything or the chosen ones");
	if (options->cgroup_count && chosen)
		return refuse("-G: contradicts -p and -t: record cgroups or tasks");
	if (options->per_thread && (options->all || options->cgroup_count))
		return refuse(
			"--per-thread: contradicts -a and -G: name threads, processes or a COMMAND");
	if (options->per_thread && options->cpus.count)
		return refuse(
			"--per-thread: contradicts -C: threads are followed wherever they run");
	if (chosen && rest[0]) {
		log_error("%s: contradicts the command \"%s\": record what runs or start it",
			  options->pid_count ? "-p" : "-t", rest[0]);
		return -EINVAL;
	}
	if (rest[0])
		options->command = rest;
	else if (!chosen)
		options->all = true;
	if (options->per_thread && options->all)
		return refuse("--per-thread: name threads (-t), processes (-p) or a COMMAND");
	if (options->per_thread)
		options->inherit = false;
	return 0;
}

/* Has the file name what looks like an ending? "out.xyz" has, "/dev/full" and ".log" have not. */
static bool has_ending(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return name[0] != '\0' && strchr(name + 1, '.') != NULL;
}

/* --count and --format name the format; else the file's ending does; else it is text. */
static int settle_format(struct option_parse *parse)
{
	struct options *options = parse->options;
	const char *path = options->output_path;

	if (parse->count && parse->format && parse->format != &output_count)
		return refuse("--count: contradicts --format: leave one of them out");
	if (parse->count && path && output_by_ending(path) &&
	    output_by_ending(path) != &output_text) {
		log_error("--count: writes a table, which \"%s\" does not look like: leave --count or "
			  "the ending out",
			  path);
		return -EINVAL;
	}
	if (parse->count)
		options->format = &output_count;
	else if (parse->format)
		options->format = parse->format;
	else if (path)
		options->format = output_by_ending(path);
	if (!options->format && path && has_ending(path)) {
		log_error("-o: \"%s\" has an ending of no format: name one with --format (%s)",
			  path, output_names());
		return -EINVAL;
	}
	if (!options->format)
		options->format = &output_text;
	if (options->format->is_binary && !path) {
		log_error("--format %s: is for programs to read: name a file with -o",
			  options->format->name);
		return -EINVAL;
	}
	return 0;
}

/* "-" is stdout, and has no ending. */
static int settle_format_by_name(struct option_parse *parse)
{
	struct options *options = parse->options;

	if (options->output_path && strcmp(options->output_path, "-") == 0) {
		free(options->output_path);
		options->output_path = NULL;
	}
	return settle_format(parse);
}

/* Values need an event to be shown with. */
static int settle_args(const struct options *options)
{
	for (size_t i = 0; i < options->probe_count; i++) {
		const struct probe_option *probe = &options->probes[i];

		if (!probe->arguments)
			continue;
		if (options->format->aggregates)
			return refuse("--args: what is only counted has no place for values: use "
				      "text, json or perf.data");
		if (options->format == &output_text && probe->kind == PROBE_LATENCY &&
		    !probe->condition)
			return refuse("--args: of calls that are only measured, text has no lines: "
				      "say which are wanted with --if, or use json");
	}
	return 0;
}

#if defined(__aarch64__)
/* Both step over the instruction that they stand on: on one that has both the kernel ends the program by SIGILL. */
static int settle_executions(const struct options *options)
{
	bool executes = false, calls = false;

	for (size_t i = 0; i < options->probe_count; i++) {
		if (options->probes[i].kind == PROBE_BREAKPOINT)
			executes |= options->probes[i].execute;
		else
			calls = true;
	}
	if (!executes || !calls)
		return 0;
	return refuse(
		"--breakpoint WHERE:x: not together with probes on arm64, where a program ends (SIGILL) at an "
		"instruction that has both: use --uprobe BIN:FUNC+OFF for it, which sees every execution too");
}
#else
static int settle_executions(const struct options *options)
{
	(void)options;
	return 0;
}
#endif

static int settle_output(struct option_parse *parse)
{
	struct options *options = parse->options;
	int err = settle_format_by_name(parse);

	if (!err)
		err = settle_args(options);
	if (!err)
		err = settle_executions(options);
	if (err)
		return err;
	if (parse->by_given && !options->format->aggregates) {
		log_error("--by: format %s prints single events: use --count, folded or svg",
			  options->format->name);
		return -EINVAL;
	}
	if (options->user_only && options->kernel_only)
		return refuse("--user-only: contradicts --kernel-only: leave out both to see both");
	return 0;
}

/* What only a recording has. */
static bool records_anew(const struct options *options)
{
	return options->overwrite || options->trigger_count || options->aux_bytes ||
	       options->aux_snapshot;
}

static int refuse_recording(void)
{
	return refuse("--overwrite, --dump-on, --aux-size and --snapshot: are about recordings");
}

/* --stat prints counts: a table or JSON. */
static int settle_stat(struct option_parse *parse, char **rest)
{
	struct options *options = parse->options;
	int err;

	if (options->profile || options->off_cpu || options->wall || options->probe_count)
		return refuse(
			"--stat: counts events (-e) and records nothing: leave it or the source out");
	if (records_anew(options))
		return refuse_recording();
	if (parse->count)
		return refuse("--count: contradicts --stat, which prints a table of its own");
	if (options->period || parse->frequency_given)
		return refuse("-c and -F: contradict --stat, which takes no samples");
	if (options->max_events)
		return refuse("--max-events: contradicts --stat, which counts them all");
	err = settle_target(parse, rest);
	if (!err)
		err = settle_format_by_name(parse);
	if (err)
		return err;
	if (options->format != &output_text && options->format != &output_json) {
		log_error("--stat: prints text or json, not %s", options->format->name);
		return -EINVAL;
	}
	if (parse->by_given && (options->by == BY_COMM || options->by == BY_PID))
		return refuse("--by: --stat has rows by cpu, tid or cgroup");
	if (options->by == BY_CGROUP && !options->cgroup_count)
		return refuse("--by cgroup: name the cgroups to count with -G");
	if (options->by == BY_TID && (options->all || options->cgroup_count))
		return refuse("--by tid: needs threads (-t), processes (-p) or a COMMAND");
	return 0;
}

/* What was recorded is in the file: nothing can be added to it. */
static int settle_replay(struct option_parse *parse, char **rest)
{
	const struct options *options = parse->options;

	if (options->profile || options->off_cpu || options->wall || options->probe_count ||
	    options->event_count)
		return refuse("--replay: shows what was recorded: leave the source out");
	if (options->pid_count || options->tid_count || options->all || options->cpus.count ||
	    options->cgroup_count || rest[0])
		return refuse("--replay: shows all that was recorded: leave the target out");
	if (records_anew(options))
		return refuse_recording();
	if (options->duration_ns || options->buffer_given || options->call_graph != CALL_GRAPH_AUTO)
		return refuse(
			"--replay: how long, in what buffers and with what call graph is settled by the recording: leave -d, -m and --call-graph out");
	return settle_output(parse);
}

int options_settle(struct option_parse *parse, char **rest)
{
	struct options *options = parse->options;
	int err;

	if (options->mode == MODE_LIST)
		return settle_list(options, rest);
	if (options->mode == MODE_CHECK)
		return settle_check(rest);
	if (options->mode == MODE_STAT)
		return settle_stat(parse, rest);
	if (options->mode == MODE_REPLAY)
		return settle_replay(parse, rest);
	if (options->interval_ns)
		return refuse("--interval: only --stat reports more than once");
	err = settle_sources(parse);
	if (!err)
		err = settle_target(parse, rest);
	if (!err)
		err = settle_output(parse);
	return err;
}
